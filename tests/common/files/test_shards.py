"""Work in parts: the merged result has the same bytes as a single run; parts of other runs are refused."""

import pytest

from cliquewise.common.files.shard import Shard
from tests.commands import ROOT

VOTES = f"{ROOT}/data/votes.csv --missing state"
MADE = {
    "blankets": f"mplearn {VOTES} --blankets-only",
    "of some": f"mplearn {VOTES} --blankets-only --variables V9,V1,V2,V3,Class",
    "colex": f"dmscore {VOTES} 1 3",
    "free": f"dmscore {VOTES} 10 2 -a free --precision 6",
    "pair": f"dmscore {VOTES} 1 3 -g -a lex",
    "junctor": f"dmscore {VOTES} 1 2 --layout junctor --score bic",
    "parents": f"dmscore {VOTES} 1 3 --layout cussens --prune",
}


@pytest.mark.parametrize("text", ["1/1", "3/8", " 2/2 "])
def test_a_part_is_written_as_it_is_read(text):
    assert str(Shard.read(text)) == text.strip()


@pytest.mark.parametrize("text", ["", "0/3", "4/3", "1/0", "1", "a/b", "1/2/3", "-1/3", "1.5/3"])
def test_files_that_are_not_parts_are_refused(text):
    assert Shard.read(text) is None


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_parts_make_the_whole(count):
    items = list(range(13))
    shards = [Shard(number, count) for number in range(1, count + 1)]
    assert [one for shard in shards for one in shard.block(items)] == items
    assert sorted(one for shard in shards for one in shard.stride(items)) == items
    sizes = [len(part(items)) for shard in shards for part in (shard.block, shard.stride)]
    assert max(sizes) - min(sizes) <= 1


@pytest.fixture
def parts(run, workplace):
    """Makes parts: `parts("blankets", 3)` returns the paths of the parts; that of the whole is `whole`."""
    workplace({})

    def make(name, count):
        program, *words = MADE[name].split()
        assert run(program, *words, "-q", "-o", "whole").code == 0
        paths = [f"part-{number}" for number in range(1, count + 1)]
        for number, path in enumerate(paths, 1):
            assert run(program, *words, "-q", "-o", path, "--shard", f"{number}/{count}").code == 0
        return paths

    return make


@pytest.mark.fast_cases(13)
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("count", [1, 3, 20])
def test_merged_parts_are_the_whole(run, parts, tmp_path, name, count):
    paths = parts(name, count)
    for order in (paths, paths[::-1]):
        assert run("mntools", "merge", *order, "-o", "merged").code == 0
        assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    printed = run("mntools", "merge", *paths)
    assert printed.stdout.encode() == (tmp_path / "whole").read_bytes()


def test_a_part_from_standard_input(run, parts, tmp_path):
    """In any place; one of scores is an archive, which must be a file."""
    paths = parts("blankets", 2)
    for at in (0, 1):
        words = ["-" if k == at else path for k, path in enumerate(paths)]
        done = run("mntools", "merge", *words, "-o", "merged", input=(tmp_path / paths[at]).read_bytes())
        assert done.code == 0, done.stderr
        assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    paths = parts("colex", 2)
    for words in ((paths[0], "-"), ("-", paths[1])):
        done = run("mntools", "merge", *words, input=(tmp_path / paths[words.index("-")]).read_bytes())
        assert done.code == 1 and "standard input: " in done.stderr and "No such file" not in done.stderr


@pytest.mark.parametrize("name", ["blankets", "colex"])
def test_parts_that_do_not_make_a_whole_are_refused(parts, refuse, run, tmp_path, name):
    paths = parts(name, 3)
    (tmp_path / "again").write_bytes((tmp_path / "part-2").read_bytes())
    program, *words = MADE[name].split()
    words = ["2" if word == "1" else word for word in words]  # ess
    other = [*words, *(["--ess", "2"] if name == "blankets" else [])]
    assert run(program, *other, "-q", "-o", "foreign", "--shard", "2/3").code == 0
    assert run(program, *words, "-q", "-o", "fourth", "--shard", "2/4").code == 0
    rows = (ROOT / "data/votes.csv").read_text().splitlines(keepends=True)
    (tmp_path / "fewer.csv").write_text("".join(rows[:-1]))
    words = ["fewer.csv" if word.endswith("votes.csv") else word for word in MADE[name].split()[1:]]
    assert run(program, *words, "-q", "-o", "data", "--shard", "2/3").code == 0
    first, second, third = paths
    refuse(f"mntools merge {first} {third}", 1, "part 2/3 is missing; there are 2 of 3")
    refuse(f"mntools merge {third}", 1, "part 1/3 and 1 more is missing; there are 1 of 3")
    refuse(f"mntools merge {first} {second} {first}", 1, "part-1: named twice")
    refuse(f"mntools merge {first} {second} {third} again", 1, "again: part 2/3 is repeated, also in part-2")
    refuse(f"mntools merge {first} foreign {third}", 1, "foreign: '")
    refuse(f"mntools merge {first} data {third}", 1, "data: '")
    refuse(f"mntools merge {first} fourth {third}", 1, "fourth: ")
    refuse(f"mntools merge {first} whole {third}", 1, "whole: ")


def test_a_part_that_was_interrupted_is_refused(parts, refuse, tmp_path):
    paths = parts("blankets", 2)
    text = (tmp_path / paths[1]).read_text()
    (tmp_path / paths[1]).write_text(text.replace("status complete", "status interrupted"))
    refuse("mntools merge part-1 part-2", 1, "part-2: part 2/2 was interrupted; run it again, with --resume")


@pytest.mark.parametrize("damage", [lambda text: text[:-40], lambda text: text[:300] + b"x" + text[301:]])
def test_a_damaged_part_of_scores_is_refused(parts, refuse, tmp_path, damage):
    paths = parts("colex", 2)
    content = (tmp_path / paths[1]).read_bytes()
    (tmp_path / paths[1]).write_bytes(damage(content))
    refuse("mntools merge part-1 part-2", 1, "part-2: not a part, or damaged")


DAMAGE = {
    "cut in a line": lambda text: text[:-4],
    "no last line break": lambda text: text[:-1],
    "a line less": lambda text: text[: text.rindex("\n", 0, -1) + 1],
    "a line twice": lambda text: text + text.splitlines(keepends=True)[-1],
    "a line of another part": lambda text: text + "0: 1\n",
    "another member": lambda text: text[:-2] + str(9 - int(text[-2])) + "\n",
    "no lines": lambda text: "".join(line for line in text.splitlines(keepends=True) if line[0] == "#"),
    "half a header": lambda text: text[: text.index("# variables")],
}


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize("name", ["blankets", "of some"])
@pytest.mark.parametrize("which", [1, 3])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_part_of_blankets_is_refused(parts, refuse, tmp_path, name, which, damage):
    paths = parts(name, 3)
    damaged = tmp_path / f"part-{which}"
    damaged.write_text(DAMAGE[damage](damaged.read_text()))
    for order in (paths, paths[::-1]):
        refuse(f"mntools merge {' '.join(order)} -o merged", 1, "part-")


def test_parts_of_other_variables_are_parts_of_different_runs(run, parts, refuse):
    parts("of some", 2)
    assert run("mplearn", *VOTES.split(), "--blankets-only", "-q", "--shard", "2/2", "-o", "all").code == 0
    refuse("mntools merge part-1 all", 1, "all: '# of none', but '0,1,2,3,9' in part-1: parts of different runs")


def test_a_checkpoint_is_refused_as_a_part_of_scores(run, parts, refuse):
    parts("colex", 1)
    run("mplearn", *VOTES.split(), "-q", "-o", "net", "--checkpoint", "kept")
    refuse("mntools merge kept", 1, "kept: a checkpoint, not a part that dmscore --shard made")


def test_blankets_of_parts_can_be_combined_without_merging(run, parts, tmp_path):
    paths = parts("blankets", 3)
    (tmp_path / "all").write_text("".join((tmp_path / path).read_text() for path in paths))
    for found in ("whole", "all"):
        done = run("mplearn", *VOTES.split(), "-q", "--blankets", found, "-o", f"net-{found}")
        assert done.code == 0, done.stderr
    assert (tmp_path / "net-all").read_bytes() == (tmp_path / "net-whole").read_bytes()


SEEDED = ("twlearn {} -w 3 --method s2 --iterations 4000", "lsmarkov {} --iterations 300000 --max-clique 4")


def run_each(run, folder, line, option, values, *more):
    """Run a line in two parts for all values of an option, and compare each result with that of a run of its own."""
    program, *words = line.format(VOTES).split()
    for number in (1, 2):
        given = (f"--{option}s", ",".join(map(str, values)), "--shard", f"{number}/2", *more)
        done = run(program, *words, "-q", *given, "-o", "net-{}", "--checkpoint", "kept-{}")
        assert done.code == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {f"{what}-{v}" for what in ("kept", "net") for v in values}
    for value in values:
        assert run(program, *words, "-q", f"--{option}", value, *more, "-o", "alone").code == 0
        assert (folder / "alone").read_bytes() == (folder / f"net-{value}").read_bytes()


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("line", SEEDED)
def test_seeds_are_run_one_after_the_other(run, workplace, line):
    folder = workplace({})
    run_each(run, folder, line, "seed", (3, 4, 5))
    nets = [f"net-{seed}" for seed in (3, 4, 5)]
    found = run("mntools", "best", *nets, "--data", VOTES.split()[0], "--table", "table.csv", "-o", "best")
    assert found.code == 0, found.stderr
    rows = [row.split(",") for row in (folder / "table.csv").read_text().splitlines()]
    assert rows[0] == ["network", "score", "status", "seed", "edges", "check"]
    assert [row[0] for row in rows[1:]] == nets and {row[5] for row in rows[1:]} == {"ok"}
    top = max(rows[1:], key=lambda row: float(row[1]))[0]
    assert (folder / "best").read_bytes() == (folder / top).read_bytes()


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("line", SEEDED)
def test_bootstrap_samples_are_run_one_after_the_other(run, workplace, line):
    folder = workplace({})
    run_each(run, folder, line, "resample", (2, 4, 9), "--seed", 7)
    assert len({(folder / f"net-{seed}").read_bytes() for seed in (2, 4, 9)}) == 3
    again = run("mntools", "best", "net-4", "--data", VOTES.split()[0])
    assert again.code == 0 and again.stdout == (folder / "net-4").read_text()


@pytest.mark.slow
def test_ladders_of_a_posterior_in_parts(run, workplace):
    """Independent runs of several seeds, each as alone, and their average."""
    folder = workplace({})
    words = ["mnposterior", f"{ROOT}/data/zoo.csv", "--iterations", 300_000, "--ladders", 2, "-q"]
    for number in (1, 2):
        names = ("-o", "p-{}", "--samples", "s-{}", "--checkpoint", "k-{}")
        assert run(*words, "--seeds", "1-3", "--shard", f"{number}/2", *names).code == 0
    assert {path.name for path in folder.iterdir()} == {f"{what}-{seed}" for what in "psk" for seed in (1, 2, 3)}
    for seed in (1, 3):
        assert run(*words, "--seed", seed, "-o", "alone", "--samples", "alone-s").code == 0
        assert (folder / "alone").read_bytes() == (folder / f"p-{seed}").read_bytes()
        assert (folder / "alone-s").read_bytes() == (folder / f"s-{seed}").read_bytes()
    done = run("mntools", "average", "p-1", "p-2", "p-3")
    assert done.code == 0 and "# columns u,v,probability,error" in done.stdout


@pytest.mark.parametrize("line", SEEDED)
def test_bad_seeds_and_shards_are_refused(refuse, workplace, line):
    workplace({})
    line = line.format(VOTES)
    refuse(f"{line} -q --seeds 1-5 -o net", 2, "several seeds make several networks; put {} for the seed into")
    refuse(f"{line} -q --seeds 1-5", 2, "several seeds make several networks;")
    refuse(f"{line} -q --seeds 1-5 -o net-{{}} --checkpoint kept", 2, "several seeds make several networks;")
    refuse(f"{line} -q --seeds 1-5 --seed 3 -o net-{{}}", 2, "--seed has no effect with --seeds;")
    refuse(f"{line} -q --shard 1/2", 2, "--shard needs --seeds or --resamples;")
    refuse(f"{line} -q --resamples 1-5 -o net", 2, "several seeds make several networks;")
    refuse(f"{line} -q --resamples 1-5 --seeds 1-2 -o net-{{}}", 2, "--resamples has no effect with --seeds;")
    refuse(f"{line} -q --resamples 1-5 --resample 2 -o net-{{}}", 2, "--resamples has no effect with --resample;")
    refuse(f"{line} -q --seeds x", 2, "Invalid value for '--seeds': 'x' is neither an index nor a range")
    refuse(
        f"{line} -q --seeds 1-5 --shard 3/2 -o net-{{}}",
        2,
        "Invalid value for '--shard': '3/2' is not a part such as 1/8",
    )


NET = "# score -10.000000\n# score-type bic\n# variables 3\n0,1\n2\n"


def test_best_of_networks_that_cannot_be_compared(refuse, run, workplace):
    folder = workplace(
        {
            "a": NET,
            "b": NET.replace("bic", "ll"),
            "c": "# variables 3\n0,1\n2\n",
            "d": "# max-clique 2\n" + NET.replace("0,1\n2", "0,1,2").replace("10.", "1."),
            "e": NET.replace("10.", "9."),
        }
    )
    refuse("mntools best a b", 1, "b: '# score-type ll', but 'bic' in a: their scores do not compare")
    refuse("mntools best a c", 1, "c: '# score-type none', but 'bic' in a")
    refuse("mntools best c", 1, "c: no '# score' in its header;")
    done = run("mntools", "best", "a", "e", "-o", "f")
    assert done.code == 0 and (folder / "f").read_text() == (folder / "e").read_text()
    done = run("mntools", "best", "a", "d", "-o", "f")  # d scores more, and is wrong
    assert done.code == 0 and (folder / "f").read_text() == NET and "d: left out, wrong: " in done.stderr
