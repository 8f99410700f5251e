"""`--resample SEED`: every learner learns from a bootstrap sample, says so, and the check redoes it."""

from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.merging import merged
from cliquewise.common.data.resampling import resampled
from tests.random_inputs import random_dataset, rows_of
from tests.reading import read_csv
from tests.test_counts import pair, without_the_column

LEARNERS = (
    "lsmarkov --iterations 300",
    "junctor --max-clique 3",
    "junctor --method ilp --max-clique 3",
    "coarsen --method greedy",
    "coarsen",
    "mplearn",
    "mplearn --score cmi --threshold 0.05",
    "twlearn -w 2 --method s2 --iterations 20",
)


@pytest.fixture(autouse=True)
def folder(workplace):
    short, long = pair(4, stored=90, most=5)
    return workplace({"short": short, "long": long, "scores": "3 2\n0\n" + "-1\n" * 6})


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("line", LEARNERS)
def test_every_learner_certifies_a_bootstrap_sample(run, line):
    name, *options = line.split()
    for words in ((name, "long"), (name, "short", "--counts", "times")):
        for seed in (7, 7, 8):
            out = f"{words[1]}-{seed}"
            assert run(*words, *options, "--resample", seed, "--threads", 1, "-q", "-o", out).code == 0
    seven = Path("long-7").read_text()
    assert "# resample 7\n" in seven and seven == without_the_column(Path("short-7").read_text())
    assert seven != Path("long-8").read_text().replace("# resample 8", "# resample 7")
    for net, data in (("long-7", ("long",)), ("long-8", ("short", "--counts", "times"))):
        done = run("mntools", "check", net, "--data", *data)
        assert done.code == 0 and "bootstrap sample of the rows with seed" in done.stderr, done.stdout
    other = Path("other")
    other.write_text(seven.replace("# resample 7\n", "# resample 8\n"))
    assert run("mntools", "check", other, "--data", "long", "-q").stdout.startswith("wrong: score claimed")


def test_a_seed_gives_the_sample_written_here(caplog):
    """Written out: other machines and versions must draw the same."""
    data = random_dataset(1, n_vars=3, n_rows=12, max_arity=2)
    counts = {seed: resampled(data, seed).counts.tolist() for seed in (0, 1, 2**62)}
    assert counts == {seed: resampled(merged(data), seed).counts.tolist() for seed in counts}
    assert counts == {0: [5, 5, 1, 1], 1: [8, 2, 2], 2**62: [10, 2]}


def test_rows_are_drawn_as_often_as_they_are_there():
    """Means and variances of 4000 samples are those of the multinomial distribution."""
    data = random_dataset(3, n_vars=3, n_rows=40, max_arity=2)
    short = merged(data)
    shares = dict(zip(rows_of(short), short.counts / 40, strict=True))
    drawn = {row: np.zeros(4000) for row in shares}
    for seed in range(4000):
        sample = resampled(short, seed)
        assert sample.n_rows == 40 and sample.states == data.states
        assert (np.diff((sample.counts > 1).astype(int)) <= 0).all()
        for row, count in zip(rows_of(sample), sample.counts, strict=True):
            drawn[row][seed] = count
    for row, share in shares.items():
        variance = 40 * share * (1 - share)
        assert abs(drawn[row].mean() - 40 * share) < 5 * np.sqrt(variance / 4000)
        assert abs(drawn[row].var() / variance - 1) < 0.2


def test_missing_cells_and_a_column_that_becomes_constant(run):
    rare = "a,b,c\n" + "0,0,?\n1,1,0\n0,1,1\n" * 6 + "0,1,x\n"
    Path("rare").write_text(rare)
    data = read_csv("rare", missing="state")
    seeds = [seed for seed in range(40) if (resampled(data, seed).codes[:, 2] != 2).all()]
    assert seeds
    for name in ("lsmarkov", "mplearn", "coarsen"):
        limit = ("--iterations", 50) if name == "lsmarkov" else ()
        options = ("--missing", "state", "--resample", seeds[0], *limit, "-q", "-o", name)
        assert run(name, "rare", *options).code == 0
        assert "# missing state\n# resample" in Path(name).read_text()
        assert run("mntools", "check", name, "--data", "rare", "-q").code == 0


def test_blankets_of_another_sample_are_refused(run):
    assert run("mplearn", "long", "--resample", 7, "--blankets-only", "-q", "-o", "some").code == 0
    assert run("mplearn", "long", "--resample", 7, "--blankets", "some", "-q").code == 0
    done = run("mplearn", "long", "--resample", 8, "--blankets", "some", "-q")
    assert done.code == 2 and "blankets found with --resample 7 (here 8)" in done.stderr
    assert "blankets found with --resample 7 (here none)" in run("mplearn", "long", "--blankets", "some").stderr


def test_what_is_refused(refuse):
    refuse("lsmarkov scores --resample 1", 2, "--resample has no effect with scores from a file")
    refuse("coarsen long --resample -1", 2, "Invalid value for '--resample': -1 is not in the range")
    refuse("coarsen long --resample x", 2, "Invalid value for '--resample': 'x' is not a whole number")
    Path("net").write_text("# resample some\n# variables 6\n0,1\n2\n3\n4\n5\n")
    refuse("mntools check net --data long -q", 1, "net: '# resample some': expected a whole number from 0")
