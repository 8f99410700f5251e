"""Joint moves against the oracle, and parities, in which no single edge is informative."""

import gc
import weakref
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import joint
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.joint import JointSets
from cliquewise.lsmarkov.joint_kernels import least_gains, make_complete, undo_joint
from cliquewise.lsmarkov.learn import learn
from tests.learning import learner
from tests.oracles import graphs
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, dataset_of, parity_groups, random_dataset, rows_of
from tests.search_parts import LargeCase, edges_of, parts_of, random_state, rows_of_edges

nojit = pytest.mark.nojit


def row_of(members):
    """A set in the form of the kernels."""
    return np.array([*members, *[-1] * (5 - len(members))], np.int64)


@nojit
def test_what_the_least_needed_edge_gains():
    data = random_dataset(3, n_vars=6, n_rows=40, max_arity=3)
    score = set_score(rows_of(data), arity_of(data), "bdeu", 10.0)
    parts = parts_of(SetScorer(data, Scoring(ess=10.0)))
    sets = [s for size in (3, 4, 5) for s in combinations(range(6), size)]
    gains = np.zeros(len(sets))
    for first in (0, 1):
        rows = np.array([row_of(s) for s in sets])
        least_gains(parts.scores, parts.scratch, np.zeros(1, np.uint64), rows, first, 2, gains, np.zeros(1, np.int64))
    for members, gain in zip(sets, gains, strict=True):
        clique = set(combinations(members, 2))
        whole = graphs.graph_score(6, clique, score)
        expected = min(whole - graphs.graph_score(6, clique - {e}, score) for e in clique)
        assert gain == pytest.approx(expected, abs=1e-8) or (expected - 1e-8 <= gain <= 0.0)


@pytest.mark.parametrize(("states", "expected"), [(2, 25_000), (4, 19_531), (20, 12_500)])
def test_a_batch_has_fewer_sets_where_each_takes_longer(monkeypatch, states, expected):
    """A thousand rows: a set takes 0.0025 nanoseconds for each and every of its cells, and at most four."""
    looked_at = []
    monkeypatch.setattr(joint, "least_gains", lambda *found: looked_at.append(len(found[3])))
    data = dataset_of(np.random.default_rng(1).integers(0, states, (1000, 90)))
    JointSets(SetScorer(data, Scoring()), 3, 1).look(map, np.zeros(1, np.int64))
    assert looked_at == [expected]


@pytest.mark.slow
@nojit
@pytest.mark.parametrize(("n", "max_clique"), [(12, 6), (12, 12), (70, 6)])
def test_sets_made_complete_and_taken_apart_again(n, max_clique):
    """The gain is that of re-scoring; undoing restores the graph."""
    case, state = LargeCase(n), random_state(n)
    rows, edges = rows_of_edges(n, case.edges), case.edges
    done, cut = 0, 0
    for i in range(80):
        members = sorted(map(int, case.rng.choice(n, 3 + i % 3, replace=False)))
        gain, count, loose = make_complete(*case.parts[:3], rows, row_of(members), max_clique, state)
        if gain > -np.inf:
            after = edges_of(rows)
            assert set(combinations(members, 2)) <= after
            assert gain == pytest.approx(case.gain(after, max_clique), abs=1e-6)
            done, cut = done + 1, cut + (loose >= 0)
        undo_joint(case.parts.work, rows, count, loose)
        assert edges_of(rows) == edges
    assert done > 3 and 0 < cut < done


@pytest.mark.parametrize(("n", "size"), [(7, 3), (9, 5)])
def test_a_list_holds_the_sets_that_gain_together(n, size):
    data, groups = parity_groups(1, n, size, 1000)
    joint = JointSets(SetScorer(data, Scoring(ess=10.0)), n, 1)
    for _ in range(20):
        joint.look(map, np.zeros(1, np.int64))
    assert {*groups} <= {tuple(v for v in row if v >= 0) for row in joint.listed.tolist()}


def test_the_listed_sets_of_some_variables():
    """Those all of whose members are among them, with the numbers given."""
    joint = JointSets(SetScorer(parity_groups(1, 9, 3, 1000)[0], Scoring(ess=10.0)), 9, 1)
    joint.look(map, np.zeros(1, np.int64))
    for members in combinations(range(9), 5):
        place = {v: i for i, v in enumerate(members)}
        sets = [[v for v in row if v >= 0] for row in joint.listed.tolist()]
        expected = [row_of([place[v] for v in s]).tolist() for s in sets if set(s) <= set(members)]
        assert joint.within(np.array(members), np.arange(5)).tolist() == expected
    assert len(joint.within(np.arange(9), np.arange(9))) == len(joint.listed) >= 4


def test_a_list_is_freed_when_its_search_ends():
    joint = JointSets(SetScorer(random_dataset(1, 6, 30)), 6, 1)
    joint.look(map, np.zeros(1, np.int64))
    freed = weakref.ref(joint)
    gc.disable()  # a list in a cycle of references would wait for it
    try:
        del joint
        assert freed() is None
    finally:
        gc.enable()


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize(("n", "size", "rows"), [(7, 3, 5000), (13, 4, 2000), (13, 5, 5000), (25, 3, 500)])
def test_parities_are_found(n, size, rows):
    """All groups are cliques of the network found, and none of them by its pairs."""
    data, groups = parity_groups(2, n, size, rows)
    result = learner(learn, Config())(data, ess=10.0, iterations=1_500_000)
    adjacent = graphs.neighbours(n, result.graph.edges)
    assert [group for group in groups if not graphs.is_complete(group, adjacent)] == []
