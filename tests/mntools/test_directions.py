"""`mntools average --directions` and `--automatic-threshold`, against counts by hand and the area by enumeration."""

import numpy as np
import pytest

from cliquewise.common.models.any_graph import read_graph
from cliquewise.mntools.average import automatic_threshold

NETS = {
    "a.dot": "digraph { x -> y; y -> z; w; }",
    "b.dot": "digraph { x -> y; z -> y; w; }",
    "c.dot": "digraph { y -> x; w; z; }",
}


@pytest.fixture
def nets(workplace):
    """Three directed networks, and the CPDAG of a chain."""
    return workplace(NETS)


def table(text):
    """The rows of a table as {(from, to): (strength, direction)}."""
    head, *lines = text.splitlines()
    assert head == "from,to,strength,direction"
    rows = [line.split(",") for line in lines]
    return {(u, v): (float(strength), float(direction)) for u, v, strength, direction in rows}


def test_strengths_and_directions(run, nets):
    done = run("mntools", "average", "a.dot", "b.dot", "c.dot", "--directions")
    assert done.code == 0, done.stderr
    assert table(done.stdout) == {
        ("x", "y"): (1.0, pytest.approx(2 / 3, abs=1e-6)), ("y", "x"): (1.0, pytest.approx(1 / 3, abs=1e-6)),
        ("y", "z"): (pytest.approx(2 / 3, abs=1e-6), 0.5), ("z", "y"): (pytest.approx(2 / 3, abs=1e-6), 0.5),
    }  # fmt: skip
    run("mntools", "convert", "a.dot", "--to", "cpdag", "--format", "dot", "-o", "e.dot")  # x - y - z
    found = table(run("mntools", "average", "a.dot", "e.dot", "--directions").stdout)
    assert found["x", "y"] == (1.0, 0.75) and found["z", "y"] == (1.0, 0.25)
    run("mntools", "average", "a.dot", "b.dot", "c.dot", "--directions", "-o", "t.csv")
    graph = read_graph("t.csv").graph  # as bnlearn's table
    assert dict(zip(graph.edges, graph.probabilities, strict=True)) == pytest.approx(
        {(0, 1): 1, (1, 2): 2 / 3}, abs=1e-6
    )


def test_the_automatic_threshold(run, nets):
    (nets / "f.dot").write_text("digraph { x -> y; x -> z; y; w; }")
    done = run("mntools", "average", "a.dot", "b.dot", "c.dot", "f.dot", "--automatic-threshold")
    assert "threshold 0.25: 2 of 3 edges are significant" in done.stderr and "# threshold 0.25\n" in done.stdout
    assert done.stdout.endswith("x,y,1.000000\ny,z,0.500000\n")
    done = run("mntools", "average", "a.dot", "b.dot", "c.dot", "f.dot", "--automatic-threshold", "--directions")
    assert table(done.stdout) == {("x", "y"): (1.0, 0.75), ("y", "z"): (0.5, 0.5), ("z", "y"): (0.5, 0.5)}


def test_networks_without_directions_are_refused(refuse, nets):
    (nets / "g.dot").write_text("graph { x -- y; z; w; }")
    refuse("mntools average g.dot --directions -q", 2, "--directions: g.dot has no directions, nor has another network")
    refuse("mntools average a.dot --directions --format dot -q", 2, "--format has no effect with --directions")


@pytest.mark.parametrize("seed", range(30))
def test_the_threshold_minimises_the_area(seed):
    """The constant t with the least area to the distribution function F, by trying all; F reaches it there."""
    rng = np.random.default_rng(seed)
    pairs, strengths = 15, np.round(rng.random(rng.integers(0, 15)), 2)
    values = np.sort(np.append(np.zeros(pairs - len(strengths)), strengths))
    grid = (np.arange(2000) + 0.5) / 2000
    reached = np.searchsorted(values, grid, side="right") / pairs
    areas = {k: abs(reached - k / pairs).mean() for k in range(pairs + 1)}
    best = min(areas.values())
    smallest = min(k for k, area in areas.items() if area < best + 1e-9)
    threshold = values[max(0, smallest - 1)]  # the least value with F(value) >= t
    assert automatic_threshold(strengths) == pytest.approx(threshold)
