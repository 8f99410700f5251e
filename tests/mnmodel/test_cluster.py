"""mnmodel cluster: kinds of rows are distinguished by how their variables depend, and a network for each says more."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture.latent_classes import latent_classes
from cliquewise.mnmodel.cluster import cluster
from tests.random_inputs import csv_text, dataset_of, random_dataset
from tests.reading import read_csv


def two_kinds(n_rows=300, seed=1):
    """Codes of 14 binary variables, five pairs of which agree in rows of one kind and differ in others; the kinds.

    The other four lean to one side, by the kind.
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, n_rows)
    first = rng.integers(0, 2, (n_rows, 5))
    noise = rng.random((n_rows, 5)) < 0.05
    leaning = rng.random((n_rows, 4)) < np.where(kind[:, None] == 1, 0.85, 0.15)
    return np.column_stack([first, first ^ kind[:, None] ^ noise, leaning]), kind


def classes_of(data):
    """The latent classes with which `cluster` begins."""
    weighted = replace(data, counts=np.ones(data.n_stored, np.int64))
    return latent_classes(weighted, 2, np.random.default_rng(1)).argmax(axis=0)


def clustered(data, groups, seed):
    """The groups that `cluster` makes."""
    with Monitor(threads=1) as monitor:
        return cluster(data, groups, 1.0, seed, monitor)


def agreement(found, kind):
    """The share of rows in the right cluster."""
    same = (found == kind).mean()
    return max(same, 1 - same)


def test_kinds_that_differ_in_their_dependences():
    codes, kind = two_kinds()
    data = dataset_of(codes)
    before, found = classes_of(data), clustered(data, 2, 1)
    assert agreement(before, kind) < 0.97 < agreement(found, kind)
    assert found[0] == 0  # numbered as they come


def test_latent_classes_that_differ_in_their_means():
    rng = np.random.default_rng(2)
    kind = np.arange(200) % 2
    codes = (rng.random((200, 12)) < np.where(kind[:, None] == 1, 0.8, 0.2)).astype(int)
    assert agreement(classes_of(dataset_of(codes)), kind) > 0.95


def test_the_command(run, workplace):
    codes, _ = two_kinds()
    lines = "\n".join(",".join(map(str, row)) for row in codes.tolist())
    workplace({"d.csv": ",".join(f"x{v}" for v in range(14)) + f"\n{lines}\n"})
    done = run("mnmodel", "cluster", "d.csv", "--ess", 2, "--seed", 3, "-o", "part-{}.csv")
    assert done.code == 0 and "groups of " in done.stderr and done.stdout == ""
    parts = [read_csv(f"part-{k}.csv", "yes", warn=False) for k in (1, 2)]
    before = [Path(f"part-{k}.csv").read_text() for k in (1, 2)]
    rows = sorted(line for text in before for line in text.splitlines()[1:])
    assert rows == sorted(lines.splitlines()) and parts[0].names == parts[1].names
    assert run("mnmodel", "cluster", "d.csv", "--ess", 2, "--seed", 3, "-o", "part-{}.csv", "-q").code == 0
    assert before == [Path(f"part-{k}.csv").read_text() for k in (1, 2)]


def test_a_table_of_counts_is_split_like_its_rows(run, workplace):
    codes, _ = two_kinds(120)
    times = np.random.default_rng(3).integers(0, 4, len(codes))
    names = [f"x{v}" for v in range(14)]
    lines = [",".join(map(str, row)) for row in codes.tolist()]
    short = [",".join([*names, "n"]), *(f"{line},{count}" for line, count in zip(lines, times, strict=True))]
    long = [",".join(names), *(line for line, count in zip(lines, times, strict=True) for _ in range(count))]
    workplace({"short.csv": "\n".join(short) + "\n", "long.csv": "\n".join(long) + "\n"})
    assert run("mnmodel", "cluster", "short.csv", "--counts", "n", "-q", "-o", "short-{}.csv").code == 0
    assert run("mnmodel", "cluster", "long.csv", "-q", "-o", "long-{}.csv").code == 0
    sides = [[Path(f"{name}-{k}.csv").read_text().splitlines()[1:] for k in (1, 2)] for name in ("short", "long")]
    rows = [line.rpartition(",") for part in sides[0] for line in part]
    assert sum(int(count) for *_, count in rows) == times.sum()
    expanded = [
        [row for row, _, n in (line.rpartition(",") for line in part) for _ in range(int(n))] for part in sides[0]
    ]
    assert sorted(map(sorted, expanded)) == sorted(map(sorted, sides[1]))


def test_refusals(refuse, workplace):
    workplace({"d.csv": csv_text(random_dataset(1, 4, 6)), "gaps.csv": "a,b\n1,?\n0,1\n1,1\n"})
    refuse("mnmodel cluster d.csv -q -o part.csv", 2, "each group has a file; put {} for its number into the name")
    refuse("mnmodel cluster d.csv -q", 2, "Missing option '-o'")
    refuse("mnmodel cluster d.csv -q --groups 1 -o p-{}", 2, "Invalid value for '--groups'")
    refuse(
        "mnmodel cluster d.csv -q --groups 5 --header yes -o p-{}", 1, "d.csv: 6 rows, enough for 3 groups of 2 rows"
    )
    refuse("mnmodel cluster d.csv -q --counts n --header yes -o p-{}", 1, "d.csv: no column 'n' of counts")
    refuse("mnmodel cluster gaps.csv -q --header yes -o p-{}", 1, "gaps.csv:2, column 'b': missing value '?'")


@pytest.mark.parametrize("seed", range(3))
def test_every_row_is_in_a_group(seed):
    data = random_dataset(seed, 5, 60, 3)
    found = clustered(data, 3, seed)
    assert len(found) == 60 and sorted(set(found.tolist())) == [0, 1, 2]
