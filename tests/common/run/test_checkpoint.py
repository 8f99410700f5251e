"""Checkpoint files, their fingerprints, and their content."""

import json
import logging
import math
import os
import subprocess
import time
import zipfile
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files.checkpointfile import read_checkpoint, write_checkpoint
from cliquewise.common.files.fingerprint import data_digest, options_of
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import CheckpointRecord, RunInputs
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.position import Position
from cliquewise.common.run.result import INTERRUPTED, ITERATION_LIMIT, TIME_LIMIT
from cliquewise.common.run.saved import Saved, is_edges, is_permutation
from cliquewise.common.run.state_record import ArrayField, StateRecord, ValueField, natural
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov.config import Config
from tests.commands import IMPORTABLE, ROOT, command_line
from tests.random_inputs import random_dataset

INPUTS = RunInputs("test", "1", "abc", {"ess": "1.0", "init": "null"})
STATE = {
    "words": np.array([[1, 2**63], [3, 4]], np.uint64),
    "scores": np.array([-np.inf, -1.5]),
    "none": np.zeros((0, 3), np.int64),
    "by columns": np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    "plain": {"best": -0.1, "list": [1, None, "x"], "worst": -np.inf},
}


def test_what_is_written_is_read_back(tmp_path):
    write_checkpoint(str(tmp_path / "a"), {"version": "1"}, STATE)
    head, state = read_checkpoint(str(tmp_path / "a"))
    assert (
        head["format"] == 1
        and head["version"] == "1"
        and state.keys() == STATE.keys()
        and state["plain"] == STATE["plain"]
    )
    for name in ("words", "scores", "none", "by columns"):
        assert state[name].dtype == STATE[name].dtype and np.array_equal(state[name], STATE[name])
        assert state[name].flags.writeable
    assert np.array_equal(np.load(tmp_path / "a")["words"], STATE["words"])  # numpy reads it too
    write_checkpoint(str(tmp_path / "b"), {"version": "1"}, STATE)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_objects_are_not_written(tmp_path):
    with pytest.raises(TypeError, match="a checkpoint holds numbers"):
        write_checkpoint(str(tmp_path / "a"), {}, {"x": np.array([None])})
    assert os.listdir(tmp_path) == []


def test_a_damaged_file_is_refused_wherever_it_is_damaged(tmp_path):
    path = tmp_path / "a"
    write_checkpoint(str(path), {"version": "1"}, STATE)
    whole, same = path.read_bytes(), 0
    before = read_checkpoint(str(path))
    for at in range(0, len(whole), 3):
        path = tmp_path / f"damaged-{at}"  # a file that is written again may wait for the disk
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:  # some bytes, as those of a date, say nothing
            head, state = read_checkpoint(str(path))
        except DataError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        else:
            same += 1
            assert head == before[0] and json.dumps(state["plain"]) == json.dumps(before[1]["plain"])
            assert all(np.array_equal(state.get(name), before[1][name]) for name in STATE if name != "plain")
    assert same < len(whole) / 9
    for end in range(0, len(whole), 9):
        path = tmp_path / f"short-{end}"
        path.write_bytes(whole[:end])
        with pytest.raises(DataError, match=path.name):
            read_checkpoint(str(path))


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"head.json": "{}", "state.json": "{}"},
        {"head.json": '{"format": 2}', "state.json": "{}"},
        {"head.json": '{"format": 1}', "state.json": "[]"},
        {"head.json": '{"format": 1}'},
        {"head.json": "[" * 100_000, "state.json": "{}"},
        {"head.json": '{"format": 1}', "state.json": "{}", "x.npy": "abc"},
    ],
)
def test_files_that_are_not_checkpoints_are_refused(tmp_path, parts):
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    with pytest.raises(DataError, match="not a checkpoint, or damaged"):
        read_checkpoint(str(tmp_path / "a"))


def test_no_more_memory_than_the_file_is_taken(tmp_path):
    head, state = '{"format": 1}', "{}"
    with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.json", head)
        archive.writestr("state.json", state + " " * 10_000_000)
    with pytest.raises(DataError, match="larger inside than outside"):
        read_checkpoint(str(tmp_path / "a"))
    write_checkpoint(str(tmp_path / "b"), {}, {"x": np.zeros(3)})
    with zipfile.ZipFile(tmp_path / "b") as archive:
        text = archive.read("x.npy").replace(b"(3,)", b"(9,)")
    with zipfile.ZipFile(tmp_path / "c", "w") as archive:
        archive.writestr("head.json", head)
        archive.writestr("state.json", state)
        archive.writestr("x.npy", text)
    with pytest.raises(DataError, match="not a checkpoint, or damaged"):
        read_checkpoint(str(tmp_path / "c"))


def test_the_fingerprint_of_data_is_that_of_their_content():
    data = random_dataset(1, n_vars=4)
    codes = data.codes.copy(order="C")
    assert data_digest(replace(data, source="elsewhere", codes=codes)) == data_digest(data)
    codes[0, 0] = 1 - min(1, codes[0, 0])
    others = [
        replace(data, codes=codes),
        replace(data, codes=data.codes[::-1]),
        replace(data, names=("x", *data.names[1:])),
        replace(data, states=(("x", *data.states[0][1:]), *data.states[1:])),
    ]
    assert len({data_digest(one) for one in [data, *others]}) == 5


def test_differing_options_are_named():
    init = Graph(40, tuple((v, v + 1) for v in range(39)))
    config = Config(max_clique=5, init=init, init_path="a file", cache_mb=5)
    found = options_of(Scoring("bdeu", 2.0), config)
    assert found["ess"] == "2.0" and found["max-clique"] == "5" and found["init.n"] == "40"
    assert found["allowed"] == "null" and len(found["init.edges"]) == 64
    assert found == options_of(Scoring("bdeu", 2.0), replace(config, init_path="another", cache_mb=7))
    other = options_of(Scoring("bdeu", 2.0), replace(config, init=Graph(40, init.edges[1:])))
    assert {name for name in found if found[name] != other[name]} == {"init.edges"}


@pytest.mark.parametrize(
    "other, message",
    [
        ({"program": "else"}, "was made by test (this is else)"),
        ({"version": "2"}, "was made by version 1 (this is 2)"),
        ({"data": "abd"}, "was made from other data"),
        ({"options": {"init": "null", "ess": "2.0"}}, "was made with ess 1.0 (here 2.0);"),
        ({"options": {"init": "null", "ess": "1.0", "seed": "3"}}, "was made with seed none (here 3);"),
        ({"options": {"init": "null"}}, "was made with ess 1.0 (here none);"),
        ({"options": {"init": "null", "ess": "ab" * 32}}, "was made with ess 1.0 (here abababab...);"),
        ({"options": {"ess": "1.0", "init.n": "4", "init.edges": "ab" * 32}}, "made with init none (here given);"),
    ],
)
def test_another_run_is_not_resumed(tmp_path, other, message):
    path = str(tmp_path / "a")
    first = Checkpoint(path, INPUTS)
    first.keep(lambda: {}, Position(1.0, 2))
    first.flush(1.0)
    before = (tmp_path / "a").read_bytes()
    with pytest.raises(UsageError) as refused:
        Checkpoint(path, replace(INPUTS, **other), resume=True)
    assert message in str(refused.value) and (tmp_path / "a").read_bytes() == before


def test_a_checkpoint_is_not_written_over_by_another_run(tmp_path):
    path = str(tmp_path / "a")
    write_checkpoint(path, asdict(INPUTS), {})
    with pytest.raises(UsageError, match="the file exists; continue from it with --resume, or delete it"):
        Checkpoint(path, INPUTS)


def test_a_run_in_parts_counts_seconds_and_iterations_of_all(tmp_path):
    path = str(tmp_path / "a")
    with Monitor(Limits(iterations=5), 1, checkpoint=Checkpoint(path, INPUTS)) as monitor:
        assert monitor.saved is None
        monitor.start()
        monitor.advance(3)
        monitor.keep(lambda: {"steps": 3})
        monitor.advance(1)  # after the last safe point: done again
        monitor.interrupt()
        assert monitor.status == INTERRUPTED
    head, state = read_checkpoint(path)
    assert state == {"steps": 3} and head["iterations"] == 3 and head["seconds"] > 0.0
    later = {**head, "seconds": 100.0}
    write_checkpoint(path, {key: later[key] for key in later if key not in ("format", "sha256")}, state)
    with Monitor(Limits(iterations=5), 1, checkpoint=Checkpoint(path, INPUTS, resume=True)) as monitor:
        assert monitor.clock.seconds >= 100.0 and monitor.iterations_left == 2
        assert monitor.saved.value("steps", int) == 3
        with monitor.part() as part:
            assert part.saved is None and part.clock.seconds == 0.0
            part.keep(lambda: {"steps": 99})
        monitor.advance(2)
        assert monitor.status == ITERATION_LIMIT
    assert read_checkpoint(path)[1] == {"steps": 3}
    with Monitor(Limits(time_limit=90.0), 1, checkpoint=Checkpoint(path, INPUTS, resume=True)) as monitor:
        monitor.start()
        while monitor.should_continue():
            pass
        assert monitor.status == TIME_LIMIT and monitor.clock.seconds_left == 0.0


def test_a_checkpoint_keeps_the_state_of_its_time(tmp_path):
    path, numbers = str(tmp_path / "a"), np.zeros(2)
    checkpoint = Checkpoint(path, INPUTS)
    checkpoint.keep(lambda: {"numbers": numbers}, Position(0.0, 0))
    numbers[:] = 1.0
    checkpoint.flush(0.0)
    assert np.array_equal(read_checkpoint(path)[1]["numbers"], np.zeros(2))
    checkpoint.keep(lambda: {"numbers": numbers}, Position(0.0, 0), lasting=True)
    numbers[:] = 2.0
    checkpoint.flush(0.0)
    assert np.array_equal(read_checkpoint(path)[1]["numbers"], np.full(2, 2.0))


def test_a_lasting_state_is_written_at_the_end_also_if_it_was_written_before(tmp_path):
    path, numbers = str(tmp_path / "a"), np.zeros(2)
    checkpoint = Checkpoint(path, INPUTS, every=0.0)
    checkpoint.keep(lambda: {"numbers": numbers}, Position(0.0, 0), lasting=True)
    numbers[:] = 1.0
    checkpoint.flush(0.0)
    assert np.array_equal(read_checkpoint(path)[1]["numbers"], np.ones(2))


def test_a_checkpoint_is_written_at_intervals(tmp_path):
    for every, files in ((0.0, 1), (1e6, 0)):
        path = tmp_path / f"{every}"
        Checkpoint(str(path), INPUTS, every).keep(lambda: {}, Position(0.0, 0))
        assert path.exists() == files


def test_a_full_disk_does_not_end_the_run(tmp_path, caplog, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(logging.getLogger("cliquewise"), "propagate", True)
    caplog.set_level(logging.ERROR, "cliquewise")
    checkpoint = Checkpoint(str(tmp_path / "a"), INPUTS, 0.0)
    checkpoint.keep(lambda: {}, Position(0.0, 0))
    assert "No space left on device; the run continues without that checkpoint" in caplog.text
    assert os.listdir(tmp_path) == []


def test_a_saved_state_is_validated(tmp_path):
    path = str(tmp_path / "a")
    write_checkpoint(path, {**asdict(INPUTS), "seconds": 0, "iterations": 0}, STATE)
    saved = Checkpoint(path, INPUTS, resume=True).saved
    assert np.array_equal(saved.array("words", np.zeros((0, 2), np.uint64)), STATE["words"])
    for name, like in (("words", np.zeros((3, 2), np.uint64)), ("words", np.zeros((2, 2))), ("plain", np.zeros(1))):
        with pytest.raises(DataError, match=f"a checkpoint whose '{name}' is not valid"):
            saved.array(name, like)
    with pytest.raises(DataError, match="a checkpoint whose 'scores' is not valid"):
        saved.array("scores", np.zeros(2), lambda scores: scores.min() > -10.0)
    for good in (lambda plain: False, lambda plain: plain["gone"]):
        with pytest.raises(DataError, match="a checkpoint whose 'plain' is not valid"):
            saved.value("plain", dict, good)


@pytest.mark.parametrize("seconds", [-1.0, math.nan, math.inf, None, "x", 10**400])
def test_forged_seconds_are_refused(tmp_path, seconds):
    path = str(tmp_path / "a")
    write_checkpoint(path, {**asdict(INPUTS), "seconds": seconds, "iterations": 0}, {})
    with pytest.raises(DataError, match="'seconds' is not valid; delete it"):
        Checkpoint(path, INPUTS, resume=True)


@pytest.mark.parametrize("iterations", [-1, math.inf, math.nan, 1.5, True, None, 10**30])
def test_forged_iterations_are_refused(tmp_path, iterations):
    path = str(tmp_path / "a")
    write_checkpoint(path, {**asdict(INPUTS), "seconds": 1.0, "iterations": iterations}, {})
    with pytest.raises(DataError, match="not valid; delete it"):
        Checkpoint(path, INPUTS, resume=True)


@pytest.mark.parametrize(
    "edges", [[[6.5, 8]], [[0, True]], [[1, 0]], [[0, 9]], [[0]], [0], 5, [[0, 1], [0, 1]], [["0", "1"]]]
)
def test_forged_edges_are_refused(edges):
    assert not is_edges(edges, 9) and is_edges([[0, 1], [0, 8]], 9)


@pytest.mark.parametrize("order", [[0.0, 1, 2], [0, 1], [0, 1, 1], [0, 1, True], [0, 1, 3], [[], 1, 2]])
def test_forged_permutations_are_refused(order):
    assert not is_permutation(order, 3) and is_permutation([2, 0, 1], 3)


@pytest.mark.parametrize("value", [math.nan, [[math.nan]], [2**62], {"a": -(10**30)}])
def test_forged_numbers_are_refused(value):
    saved = Saved({"value": value, "flag": True}, "file")
    with pytest.raises(DataError, match="'value' is not valid"):
        saved.value("value", (float, list, dict))
    with pytest.raises(DataError, match="'flag' is not valid"):
        saved.value("flag", int)


@pytest.mark.parametrize("array", [np.array([1.0, np.nan]), np.array([1, -(2**62)]), np.array([2**63 - 1])])
def test_forged_arrays_are_refused(array):
    with pytest.raises(DataError, match="'counts' is not valid"):
        Saved({"counts": array}, "file").array("counts", array[:0])


ANOTHER = replace(INPUTS, options={"ess": "2.0"})


def saved_by(inputs, path, every=0.0, resume=False):
    checkpoint = Checkpoint(path, inputs, every, resume)
    checkpoint.keep(lambda: {"ess": inputs.options["ess"]}, Position(1.0, 2))
    return checkpoint


def test_a_checkpoint_belongs_to_one_run_at_a_time(tmp_path):
    path = str(tmp_path / "a")
    with Checkpoint(path, INPUTS) as first:
        with pytest.raises(UsageError, match="another run is writing it; name another file, or wait for its end"):
            Checkpoint(path, INPUTS, resume=True)
        with pytest.raises(UsageError, match=r"was made with ess 1\.0 \(here 2\.0\)"):
            Checkpoint(path, ANOTHER, resume=True)
        first.keep(lambda: {"ess": "1.0"}, Position(1.0, 2))
        first.flush(1.0)
        with Checkpoint(path, INPUTS, resume=True) as second:
            assert second.saved.value("ess", str) == "1.0"
    assert os.listdir(tmp_path) == ["a"]


def test_a_run_keeps_what_another_has_written(tmp_path, caplog, monkeypatch):
    """Both began when there was no file; then one of them holds it, or has ended."""
    monkeypatch.setattr(logging.getLogger("cliquewise"), "propagate", True)
    path = str(tmp_path / "a")
    slow = Checkpoint(path, ANOTHER, 0.0)
    fast = saved_by(INPUTS, path)
    for message in ("another run is writing it", "it is the checkpoint of another run now, and is kept"):
        caplog.clear()
        slow.keep(lambda: {"ess": "2.0"}, Position(1.0, 2))
        assert message in caplog.text and read_checkpoint(path)[1] == {"ess": "1.0"}
        fast.flush(1.0)
    caplog.clear()
    again = Checkpoint(path, INPUTS, 0.0, resume=True)  # the failed attempts do not hold it
    again.keep(lambda: {"ess": "1.5"}, Position(1.0, 2))
    assert caplog.text == "" and read_checkpoint(path)[1] == {"ess": "1.5"}
    os.rename(path, tmp_path / "elsewhere")
    again.keep(lambda: {"ess": "1.7"}, Position(1.0, 2))
    assert caplog.text == "" and read_checkpoint(path)[1] == {"ess": "1.7"}


def test_a_file_that_is_not_a_checkpoint_is_not_replaced(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "a"), INPUTS, 0.0)
    (tmp_path / "a").write_text("mine\n")
    checkpoint.keep(lambda: {"x": 1}, Position(1.0, 2))
    assert (tmp_path / "a").read_text() == "mine\n"


def test_a_run_that_fails_at_once_leaves_no_checkpoint(tmp_path):
    path = str(tmp_path / "a")
    with pytest.raises(DataError), Checkpoint(path, INPUTS):
        raise DataError("nothing can be done")
    assert os.listdir(tmp_path) == []
    with pytest.raises(KeyboardInterrupt), Checkpoint(path, INPUTS):
        raise KeyboardInterrupt
    assert read_checkpoint(path)[1] == {} and Checkpoint(path, INPUTS, resume=True).saved is None


SHORT = {
    "lsmarkov": "lsmarkov {} --iterations 100",
    "junctor": "junctor {} --max-clique 2 --method dp",
    "coarsen": "coarsen {} --method forest",
    "mplearn": "mplearn {}",
    "twlearn": "twlearn {} -w 1",
}


@pytest.mark.parametrize("name", SHORT)
def test_a_short_run_has_a_checkpoint_too(run, refuse, workplace, name):
    folder = workplace({})
    line = SHORT[name].format(ROOT / "data/tiny.csv")
    if name == "twlearn":
        line += " --method s2 --iterations 20"
    first = run(*line.split(), "-q", "--checkpoint", "kept", "-o", "net")
    assert first.code == 0, first.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["kept", "net"]
    read_checkpoint("kept")
    again = run(*line.split(), "-q", "--checkpoint", "kept", "--resume", "-o", "again")
    assert again.code == 0 and (folder / "again").read_bytes() == (folder / "net").read_bytes()
    refuse(f"{line} -q --checkpoint kept -o again", 2, "--checkpoint kept: the file exists;")


def test_a_killed_run_is_resumed_but_a_running_one_is_not(run, workplace):
    workplace({})
    line = ["lsmarkov", str(ROOT / "data/zoo.csv"), "-q", "--checkpoint", "kept", "--checkpoint-every", "0", "--resume"]
    words = [*command_line(line[0]), *line[1:], "--time-limit", "1000", "-o", "net"]
    with subprocess.Popen(words, env={**os.environ, **IMPORTABLE}) as living:
        try:
            while not os.path.exists("kept"):
                time.sleep(0.05)
                assert living.poll() is None
            done = run(*line, "--iterations", "1000", "-o", "other")
            assert done.code == 2 and "kept: another run is writing it" in done.stderr
            done = run(*line, "--iterations", "1000", "--ess", "3", "-o", "other")
            assert done.code == 2 and "kept was made with ess 1.0 (here 3.0)" in done.stderr
        finally:
            living.kill()
    assert sorted(os.listdir()) == ["kept"]
    assert run(*line, "--iterations", "1000", "-o", "other").code == 0


PLACE = ArrayField("place")
RECORD = StateRecord(
    ValueField("size", int, natural),
    ArrayField("found", lambda found, own: len(found) == own.size, any_length=True),
    ValueField("pair", list, lambda pair, _: len(pair) == 2, pack=list, unpack=lambda pair, _: tuple(pair)),
    PLACE,
    prefix="a-",
)
OWNER = {"size": np.int64(2), "found": np.array([5, 6]), "pair": (1, 2), "place": np.array([0.5, 1.5, 2.5])}


def test_fields_are_saved_and_restored():
    owner = SimpleNamespace(**OWNER)
    state = RECORD.save(owner)
    assert list(state) == ["a-size", "a-found", "a-pair", "a-place"] and type(state["a-size"]) is int
    place = np.zeros(3)
    other = SimpleNamespace(size=0, found=np.zeros(0, np.int64), pair=(), place=place)
    owner.place[:] = 9.0  # the state is a copy
    RECORD.load(Saved(state, "some.checkpoint"), other)
    assert other.size == 2 and other.found.tolist() == [5, 6] and other.pair == (1, 2)
    assert other.place is place and place.tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", -1), ("size", 2.0), ("size", True), ("size", 3), ("found", np.array([5, 6, 7])), ("pair", [1]),
        ("found", np.array([5.0, 6.0])), ("place", np.zeros(2)), ("place", np.array([0.0, np.nan, 1.0])),
        ("pair", None),
    ],
)  # fmt: skip
def test_fields_that_are_not_valid_are_refused(name, value):
    owner = SimpleNamespace(**(OWNER | {"place": np.zeros(3)}))
    wrong = "found" if name == "size" and value == 3 else name  # the next field does not fit
    with pytest.raises(DataError, match=f"whose 'a-{wrong}' is not valid"):
        RECORD.load(Saved(RECORD.save(owner) | {f"a-{name}": value}, "some.checkpoint"), owner)


def test_a_list_of_objects_has_a_row_for_each():
    owners = [SimpleNamespace(place=np.arange(3) + i) for i in range(2)]
    record = StateRecord(PLACE)
    state = record.save(owners)
    assert state["place"].tolist() == [[0, 1, 2], [1, 2, 3]]
    record.load(Saved({"place": state["place"] * 2}, "some.checkpoint"), owners)
    assert [one.place.tolist() for one in owners] == [[0, 2, 4], [2, 4, 6]]
    with pytest.raises(DataError, match="whose 'place' is not valid"):
        record.load(Saved({"place": state["place"][:1]}, "some.checkpoint"), owners)


@pytest.mark.parametrize("completion", [None, (3, 200), (1, None)])
def test_a_record_is_loaded_as_it_was_saved(tmp_path, completion):
    path = str(tmp_path / "a")
    assert CheckpointRecord.load(path) is None
    (tmp_path / "a").touch()  # held by a run that has not written yet
    assert CheckpointRecord.load(path) is None
    options = {"ess": "1.0", "completions": "4"}
    CheckpointRecord(RunInputs("test", "1", "abc", options, completion), Position(2.5, 7), STATE).save(path)
    found = CheckpointRecord.load(path)
    assert (found.inputs, found.position) == (RunInputs("test", "1", "abc", options), Position(2.5, 7))
    assert list(found.state) == ["plain", *(name for name in STATE if name != "plain")]
    assert found.completion_of("other data", 4, path) is None and found.completion_of("abc", 5, path) is None
    if completion is None:
        with pytest.raises(DataError, match="'completion' is not valid"):
            found.completion_of("abc", 4, path)
    else:
        assert found.completion_of("abc", 4, path) == completion


def test_another_version_is_refused_before_the_rest_is_validated(tmp_path):
    """Whose records may have other parts."""
    path = str(tmp_path / "a")
    write_checkpoint(path, {"program": "test", "version": "0.9", "options": ["ess"], "time": "long"}, {})
    with pytest.raises(UsageError, match=r"was made by version 0.9 \(this is 1\); name another checkpoint"):
        Checkpoint(path, INPUTS, resume=True)
