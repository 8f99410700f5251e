"""`mnmodel fit DATA MODEL`: the states and the order are the model's; and EM that begins with a model's tables."""

import json
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.models.model_file import read_model, write_model
from cliquewise.mnmodel.same_order import network_in_order_of
from tests.random_models import random_model

MODEL = """
variable size { type discrete [3] { large, medium, small }; }
variable age { type discrete [2] { young, old }; }
probability ( size | age ) { (young) 0.2, 0.3, 0.5; (old) 0.6, 0.3, 0.1; }
probability ( age ) { table 0.5, 0.5; }
"""
DATA = "age,size\nold,small\nold,large\nyoung,small\nold,large\n"


@pytest.fixture(autouse=True)
def work(workplace):
    """A folder with a model and data."""
    return workplace({"m.bif": MODEL, "d.csv": DATA})


def test_states_and_order_are_the_models(run):
    done = run(*"mnmodel fit d.csv m.bif --ess 3 -o new.json -q".split())
    assert done.code == 0, done.stderr
    new, old = read_model("new.json"), read_model("m.bif")
    assert new.names == old.names and new.states == old.states and new.parents == old.parents
    assert new.tables[1].tolist() == [[pytest.approx(2.5 / 7), pytest.approx(4.5 / 7)]]
    young, old_ones = new.tables[0].tolist()
    assert young == pytest.approx([0.5 / 2.5, 0.5 / 2.5, 1.5 / 2.5])
    assert old_ones == pytest.approx([2.5 / 4.5, 0.5 / 4.5, 1.5 / 4.5])
    write_model("m.xdsl", old, "xdsl", {})
    run(*"mnmodel fit d.csv m.xdsl --ess 3 -o again.json -q".split())
    assert (
        json.loads(Path("again.json").read_text())["variables"] == json.loads(Path("new.json").read_text())["variables"]
    )


def test_a_state_that_the_model_lacks_comes_after_its_own(run):
    Path("more.csv").write_text(DATA + "young,huge\n")
    done = run(*"mnmodel fit more.csv m.bif -o new.bif".split())
    assert "warning: more.csv: column 'size': not a state of the model, added: 'huge'" in done.stderr
    assert read_model("new.bif").states == (("large", "medium", "small", "huge"), ("young", "old"))


@pytest.mark.parametrize("of_model", ["m.bif", "m.arcs --missing em --start-from m.bif"])
def test_no_advice_to_cut_numbers_that_the_model_cuts(run, of_model):
    for old, new in (("large", "[60,inf)"), ("medium", "[40,60)"), ("small", "(-inf,40)")):
        Path("m.bif").write_text(Path("m.bif").read_text().replace(old, f'"{new}"'))
    Path("m.arcs").write_text("age,size\n")
    Path("raw.csv").write_text(
        "age,size,other\n" + "".join(f"{'old' if k % 3 else 'young'},{k},{k}\n" for k in range(70, 10, -2))
    )
    done = run(*f"mnmodel fit raw.csv {of_model} --drop other -o new.bif".split())
    assert done.code == 0 and "cut them" not in done.stderr
    assert read_model("new.bif").states == read_model("m.bif").states
    assert "--columns other -o cut.csv" in run(*"mnmodel fit raw.csv m.bif -o new.bif".split()).stderr


def test_columns_that_the_model_lacks_are_left_out(run):
    Path("more.csv").write_text("id,age,size\n1,old,small\n2,old,large\n3,young,small\n4,old,large\n")
    done = run(*"mnmodel fit more.csv m.bif --header yes -o new.bif".split())
    assert "columns that are not in the model are left out: id" in done.stderr
    run(*"mnmodel fit d.csv m.bif -o same.bif -q".split())
    assert Path("new.bif").read_text() == Path("same.bif").read_text()


def test_a_refitted_chordal_network_has_no_causal_directions(run, refuse):
    Path("net.dot").write_text("graph { age -- size; }")
    run(*"mnmodel fit d.csv net.dot -o first.bif -q".split())
    run(*"mnmodel fit d.csv first.bif -o second.bif -q".split())
    refuse("mnmodel marginals second.bif --do age=old -q", 2, "--do: second.bif is fitted to an undirected network")


def test_em_begins_with_the_tables(run, refuse):
    Path("blank.csv").write_text("age,size\nold,small\nold,?\n?,large\nyoung,small\n?,?\nyoung,\nold,large\n")
    run(*"mnmodel fit blank.csv m.bif --missing em --tolerance 0 --rounds 5000 -o end.bif -q".split())
    done = run(*"mnmodel fit blank.csv m.bif --missing em --start-from end.bif --tolerance 1e-9 -o same.bif".split())
    assert "round 1:" in done.stderr and "round 2:" not in done.stderr
    ended, same = read_model("end.bif"), read_model("same.bif")
    for one, other in zip(ended.tables, same.tables, strict=True):
        assert other == pytest.approx(one, abs=1e-6)
    Path("net.dot").write_text("digraph { age -> size; }")  # the states are those of the first model
    run(*"mnmodel fit blank.csv net.dot --missing em --start-from m.bif -o other.bif -q".split())
    assert read_model("other.bif").states == read_model("m.bif").states
    refuse("mnmodel fit d.csv m.bif --start-from m.bif -q", 2, "--start-from has no effect with")
    Path("turned.dot").write_text("digraph { size -> age; }")
    refuse("mnmodel fit blank.csv turned.dot --missing em --start-from m.bif -q", 1, "m.bif: the parents of 'size' are")
    Path("zero.bif").write_text(MODEL.replace("0.5, 0.5; }", "1, 0; }"))
    refuse("mnmodel fit blank.csv m.bif --missing em --start-from zero.bif -q", 1,
           "blank.csv: the first network gives a row of the data probability zero")  # fmt: skip


def test_tables_in_another_order_are_the_same_distribution():
    rng = np.random.default_rng(5)
    for _ in range(20):
        arity = rng.integers(2, 4, 5).tolist()
        network = random_model(rng, arity)
        order = rng.permutation(5).tolist()
        states = tuple(tuple(rng.permutation(network.states[v]).tolist()) for v in order)
        parents = [
            tuple(rng.permutation([order.index(u) for u in network.parents[v]]).astype(int).tolist()) for v in order
        ]
        rows = np.column_stack([rng.integers(0, r, 30) for r in arity]).astype(np.int32)
        turned = np.empty_like(rows)
        for i, v in enumerate(order):
            turned[:, i] = [states[i].index(network.states[v][k]) for k in rows[:, v]]
        data = Dataset(tuple(network.names[v] for v in order), states, turned)
        found = network_in_order_of(network, data, "net", "the data", parents)
        assert found.log_likelihood(turned) == pytest.approx(network.log_likelihood(rows))
    with pytest.raises(DataError, match="not those of the data: only one has"):
        network_in_order_of(network, Dataset(("a",), (("x",),), np.zeros((1, 1), np.int32)), "net", "the data")
