"""Pieces of a network as problems of their own."""

import numpy as np
import pytest

from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import CACHE_MB, Scoring
from cliquewise.twlearn import climb as module
from cliquewise.twlearn.arc_gains import SetGains
from cliquewise.twlearn.bag_tree import BagTree
from cliquewise.twlearn.climb import Climb
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.hill_climber import HillClimber
from cliquewise.twlearn.piece import piece_of, put_back
from cliquewise.twlearn.result import result_of
from tests.learning import Recorder
from tests.oracles.families import bdeu_of_family
from tests.oracles.networks import is_acyclic, moral_edges, width_of_order
from tests.random_inputs import arity_of, rows_of
from tests.twlearn.test_families import listed
from tests.twlearn.test_parent_search import chained


def check(data, climber, width):
    """A network with its score, and an elimination order that keeps the bound."""
    parents = [frozenset(own) for own in climber.parents()]
    assert is_acyclic(parents)
    assert width_of_order(data.n, moral_edges(parents), climber.elimination.order.tolist()) <= width
    rows, arity = rows_of(data), arity_of(data)
    scores = [bdeu_of_family(rows, arity, v, own, 1.0) for v, own in enumerate(parents)]
    assert climber.arcs.own == pytest.approx(scores, abs=1e-7)


@pytest.mark.parametrize(("n", "width", "seed"), [(20, 1, 1), (30, 2, 2), (40, 3, 3), (70, 5, 4)])
def test_every_piece_put_back_leaves_a_network_within_the_bound(monkeypatch, n, width, seed):
    """The first network is poor, so that pieces gain."""
    monkeypatch.setattr(module, "PIECE_SIZE", 10)
    monkeypatch.setattr(module, "PIECE_MOVES", 14 * 300)
    data = chained(n, 100, seed)
    with Monitor(threads=1) as monitor:
        climber = HillClimber(SetGains(data, Scoring(), CACHE_MB, monitor), width, min(3, width), monitor)
        climber.begin()
        climber.put([(v - 1,) if v % 2 else () for v in range(n)], range(n))
        state, gained = Climb(climber, Config(width, "climb", 3, seed=seed)), 0
        for _ in range(12):
            before = climber.score
            state._piece(monitor)
            gained += climber.score > before
            assert climber.score >= before
            check(data, climber, width)
    assert gained


@pytest.mark.parametrize("stops", [False, True])
def test_a_piece_reports_scores_of_the_whole_network_and_its_gain_stays(monkeypatch, stops):
    """Also if the run is stopped in the piece, after its first gain."""
    monkeypatch.setattr(module, "PIECE_SIZE", 10)
    monkeypatch.setattr(module, "PIECE_MOVES", 14 * 300)
    start, recorder = [(v - 1,) if v % 2 else () for v in range(30)], Recorder()
    with Monitor(threads=1, listener=recorder) as monitor:
        climber = HillClimber(SetGains(chained(30, 100, 2), Scoring(), CACHE_MB, monitor), 2, 2, monitor)
        climber.begin()
        climber.put(start, range(30))
        first, before = climber.score, climber.score
        recorder.at_row = lambda _, row: stops and row.score > before + 1e-6 and monitor.interrupt()
        state = Climb(climber, Config(2, "climb", 2))
        while climber.score <= first and len(recorder.rows) < 1000:
            del recorder.rows[:]
            before = climber.score
            state._piece(monitor)
        found = [row.score for row in recorder.rows]
        assert before - 1e-6 <= min(found) and before < max(found) <= climber.score + 1e-6
        assert monitor.should_continue() != stops
        check(chained(30, 100, 2), climber, 2)


def test_a_piece_includes_paths_through_other_vertices():
    """0 -> 1 -> 2 -> 3 in bags of two; inside are 0, 1 and 3's side cut off: 3 descends from 1 through 2."""
    blocks = [{(): 0.0, (3,): 5.0}, {(0,): 1.0, (): 0.0}, {(1,): 1.0, (): 0.0}, {(2,): 1.0, (): 0.0}]
    start, parents, scores = [0], [], []
    for block in blocks:
        for own in sorted(block, key=lambda own: -block[own]):
            parents.append((*own, *[-1] * (1 - len(own))))
            scores.append(block[own])
        start.append(len(scores))
    families = ScoredFamilies(np.array(start), np.array(parents, np.int32), np.array(scores))
    rows = [1, 2, 4, 6]
    tree = BagTree([frozenset({0, 1, 3}), frozenset({1, 2, 3})], [1, -1])
    piece = piece_of(families, rows, tree, {0}, {0, 1, 3})
    assert piece.members == [0, 1, 3]
    assert piece.rows[2] == {(): 7, (1,): 6}  # 3's parent 2 is outside: 1 stands for it
    assert piece.families.n == 4  # the separator {1, 3} is married by a variable of its own
    assert piece.score == pytest.approx(0.0 + 1.0 + 1.0)
    result = result_of(piece.families, [piece.families.start[v] for v in range(4)], (0, 3, 1, 2), OPTIMAL)
    assert not is_acyclic([frozenset(own) for own in result.graph.parents()])  # 3 -> 0 -> 1 -> (2) -> 3
    fine = result_of(piece.families, [1, 2, 4, piece.families.start[3]], (0, 3, 1, 2), OPTIMAL)
    assert put_back(piece, fine)[0] == {0: 1, 1: 2, 3: 6}


def test_a_family_outside_the_piece_that_is_worth_more_than_those_inside():
    """2 is outside and the parent of 0: without parents inside 0 scores 5, so that its family with 1 is useless."""
    parents = np.array([[2], [1], [-1], [-1], [-1]], np.int32)
    families = ScoredFamilies(np.array([0, 3, 4, 5]), parents, np.array([5.0, 1.0, 0.0, 0.0, 0.0]))
    tree = BagTree([frozenset({0, 1}), frozenset({0, 2})], [1, -1])
    piece = piece_of(families, [0, 3, 4], tree, {0}, {0, 1})
    assert listed(piece.families)[0] == {frozenset(): 5.0}
    assert (piece.families.parents[piece.families.start[1:] - 1] == -1).all()  # the empty set is the last of each
