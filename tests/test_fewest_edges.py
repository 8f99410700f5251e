"""Of networks with equal scores, learners return one with few edges: exact methods the fewest, none at constants."""

import random
from pathlib import Path

import numpy as np
import pytest

from cliquewise.coarsen import learn as coarsen
from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.common.bounds.incumbent import Incumbent
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.zero_gain_edges import without_zero_gain_edges
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config as Exact
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.twlearn import learn as twlearn
from cliquewise.twlearn.config import Config as Trees
from tests.learning import learned
from tests.oracles.families import parent_sets
from tests.oracles.learners import scored_graphs
from tests.oracles.networks import best_network
from tests.oracles.scores import set_score

SAME = 1e-9  # scores as the oracle adds them


def table_with_ties(rng, n):
    """Few rows, and columns that repeat others, are constant, or functions of others: a list of columns."""
    rows, columns = rng.choice([1, 2, 4, 6, 12, 30]), []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.2 and columns:
            columns.append(rng.choice(columns))
        elif kind < 0.4:
            columns.append([0] * rows)
        elif kind < 0.6 and columns:
            columns.append([x if rng.random() < 0.7 else rng.randint(0, 1) for x in rng.choice(columns)])
        elif kind < 0.7 and len(columns) > 1:
            columns.append([x ^ y for x, y in zip(*rng.sample(columns, 2), strict=True)])
        else:
            columns.append([rng.randint(0, 1) for _ in range(rows)])
    return columns


def dataset_of(columns):
    """Columns of small integers as a Dataset."""
    states = [sorted(set(column)) for column in columns]
    codes = np.array([list(map(seen.index, column)) for seen, column in zip(states, columns, strict=True)], np.uint8)
    labels = tuple(tuple(map(str, seen)) for seen in states)
    return Dataset(tuple(f"v{v}" for v in range(len(columns))), labels, np.asfortranarray(codes.T))


def case(seed, most):
    """A Dataset of up to `most` variables, its Scoring, and the oracle's score of sets."""
    rng = random.Random(seed)
    data = dataset_of(table_with_ties(rng, rng.randint(2, most)))
    kind = rng.choice(["bdeu", "bdeu", "bic", "aic", "ll", "qnml"])
    rows = [tuple(map(int, row)) for row in data.codes]
    return data, Scoring(kind, 1.0), set_score(rows, data.arity.tolist(), kind, 1.0), rng


@pytest.mark.parametrize("seed", range(12))
def test_exact_methods_return_the_fewest_edges(seed):
    data, scoring, score, rng = case(seed, 5)
    bound = rng.choice([None, 2, 3])
    graphs = scored_graphs(data.n, score, bound)
    best = max(value for value, _ in graphs)
    fewest = min(len(edges) for value, edges in graphs if value >= best - SAME)
    for learn, config in (
        (junctor.learn, Exact(max_clique=bound, method="dp")),
        (junctor.learn, Exact(max_clique=bound, method="ilp")),
        (lsmarkov.learn, Search(max_clique=bound)),
    ):
        result = learned(learn, data, config, scoring)
        assert result.score == pytest.approx(best, abs=1e-7)
        assert len(result.graph.edges) == fewest, (config, result.graph)


@pytest.mark.parametrize("method", ["ic", "greedy", "fic", "forest"])
@pytest.mark.parametrize("seed", range(6))
def test_no_part_of_a_coarsened_network_scores_the_same(method, seed):
    data, scoring, score, rng = case(seed, 5)
    bound = rng.choice([None, 2, 3])
    config = Coarsening(method=method, steps=StepLimits(max_clique=bound), start="tree" if seed % 2 else "best")
    result = learned(coarsen.learn, data, config, scoring)
    edges = {*result.graph.edges}
    for value, others in scored_graphs(data.n, score, bound):
        smaller = {tuple(sorted(edge)) for edge in others}
        assert not (smaller < edges and abs(value - result.score) < SAME), (result.graph, smaller)


@pytest.mark.parametrize("seed", range(8))
def test_directed_networks_have_the_fewest_arcs(seed):
    data, scoring, score, rng = case(seed, 4)
    width = rng.choice([1, 2])
    families = [
        {parents: score(parents | {v}) - score(parents) for parents in parent_sets(data.n, v, width)}
        for v in range(data.n)
    ]
    best, networks = best_network(families, width, width)
    fewest = min(sum(map(len, network)) for network in networks)
    for method in ("kp", "skp", "s2", "milp", "chordal"):
        config = Trees(width, method=method, max_parents=width)
        result = learned(twlearn.learn, data, config, scoring, iterations=300)
        assert result.score == pytest.approx(best, abs=1e-7)
        assert result.upper_bound >= result.score
        assert len(result.graph.arcs) == fewest, (method, result.graph)


def test_a_hub_without_information_loses_all_edges():
    """No edge of vertex 0 in the middle of two triangles can be the last to go; a required one stays."""
    graph = Graph.from_cliques(6, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 5)])
    score = {(): 0.0, (1,): -1.0, (2,): -1.0, (3,): -1.0, (4,): -1.0, (5,): -1.0}
    score |= {(1, 2): -1.5, (2, 3): -1.5, (3, 4): -1.5}

    def score_of(members):
        return score[tuple(v for v in members if v)]

    assert without_zero_gain_edges(graph, score_of).edges == ((1, 2), (2, 3), (3, 4))
    required = Graph(6, ((0, 3),))
    assert without_zero_gain_edges(graph, score_of, required).edges == ((0, 3), (1, 2), (2, 3), (3, 4))


def test_edges_of_sets_without_a_score_are_kept():
    graph = Graph.from_cliques(3, [(0, 1, 2)])
    assert without_zero_gain_edges(graph, lambda members: -np.inf if len(members) == 2 else 0.0) == graph


def test_an_incumbent_takes_fewer_edges():
    known = Incumbent(3, Graph(3, ((0, 1), (1, 2))), -2.0)
    more, fewer = Graph(3, ((0, 1), (0, 2), (1, 2))), Graph(3, ((0, 1),))
    assert not known.offer(more, -2.0)
    assert known.graph.edges == ((0, 1), (1, 2))
    assert not known.offer(fewer, -2.0 - 1e-14)  # not better, but smaller
    assert known.graph == fewer
    assert known.offer(more, -1.9)


@pytest.fixture
def constants(workplace):
    """In the current folder, constants.csv of 14 columns: v3 and v8 are constant, the others a chain."""
    rng = random.Random(1)
    lines = [",".join(f"v{v}" for v in range(14))]
    for _ in range(60):
        row = [rng.randint(0, 1)]
        for _ in range(13):
            row.append(row[-1] if rng.random() < 0.7 else rng.randint(0, 1))
        row[3] = row[8] = "k"
        lines.append(",".join(map(str, row)))
    workplace({"constants.csv": "\n".join(lines) + "\n"})


LEARNERS = (
    *("lsmarkov --iterations 3000", "junctor", "junctor --method ilp", "coarsen --method fic --forced 2"),
    *("coarsen --method forest --start tree", "coarsen --method greedy"),
    *("mplearn", "mplearn --combine or", "mplearn --combine pbo", "twlearn -w 2 --time-limit 1"),
    "twlearn -w 2 --method milp",
)


@pytest.mark.fast_cases(2)
@pytest.mark.usefixtures("constants")
@pytest.mark.parametrize("command", LEARNERS)
def test_constants_have_no_edges(run, command):
    edges = edges_of(run(*command.split(), "constants.csv", *edge_list(command)).stdout)
    assert edges
    assert not {end for edge in edges for end in edge} & {3, 8}


@pytest.mark.fast_cases(2)
@pytest.mark.usefixtures("constants")
@pytest.mark.parametrize("command", [each for each in LEARNERS if "twlearn" not in each])
def test_required_edges_of_constants_stay(run, command):
    Path("required").write_text("1,3\n3,8\n")
    done = run(*command.split(), "constants.csv", *edge_list(command), "--required-edges", "required")
    assert {edge for edge in edges_of(done.stdout) if {*edge} & {3, 8}} == {(1, 3), (3, 8)}


def edge_list(command):
    """The options that make an edge list."""
    return ("--indices",) if command.startswith(("mplearn", "twlearn")) else ("--format", "edges", "--indices")


def edges_of(text):
    """The edges in an edge list."""
    lines = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    return {(int(line[0]), int(line[1])) for line in lines}


@pytest.mark.usefixtures("constants")
def test_the_last_update_is_the_result(run):
    options = "--score ll --max-clique 4 --iterations 2000 --updates -o net".split()
    printed = run("lsmarkov", "constants.csv", *options).stdout
    found = [line for line in Path("net").read_text().splitlines() if not line.startswith("#")]
    assert printed.splitlines()[-1].removeprefix("solution ").split(" ") == found
