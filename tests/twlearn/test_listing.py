"""The N best networks of method milp: lists against all networks on five variables, and stops."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.graphs.knowledge import knowledge_of
from cliquewise.common.learning.network_lists import listing
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.learn import learn
from tests.as_oracles import parents_of
from tests.learning import Stopping, learned
from tests.oracles.equivalence import colliders
from tests.oracles.families import bdeu_of_family
from tests.oracles.knowledge import agrees
from tests.random_inputs import arity_of, dataset_of, random_dataset, rows_of
from tests.slow import slow
from tests.twlearn.test_knowledge import N, file_of, scored, statement, statements, within

TIE = 1e-6


def identity(network):
    """The edges and colliders of a network."""
    arcs = {(u, v) for v, parents in enumerate(network) for u in parents}
    return frozenset(map(frozenset, arcs)), frozenset(colliders(len(network), arcs))


def all_results(scores, width, stated=None, by_class=True):
    """The score of every class, or network, that has all that is stated."""
    found = {}
    for network in within(width):
        if agrees(network, stated or {}) and all(own in scores[v] for v, own in enumerate(network)):
            score = sum(scores[v][own] for v, own in enumerate(network))
            found.setdefault(identity(network) if by_class else network, score)
    return found


def check(result, results, most, stated=None, by_class=True):
    """Whether a list is that of an enumeration, but for those that are tied with the last one."""
    best = sorted(results.values(), reverse=True)
    assert result.status == OPTIMAL and len(result.networks) == min(most, len(best))
    seen = set()
    for (dag, score), value in zip(result.networks, best, strict=False):
        network = parents_of(dag)
        same = identity(network) if by_class else network
        assert score == pytest.approx(value, abs=TIE) and results[same] == pytest.approx(value, abs=TIE)
        assert agrees(network, stated or {})
        seen.add(same)
    assert len(seen) == len(result.networks)
    assert max(best[len(seen) :], default=-np.inf) <= result.others + TIE


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_all_classes_of_five_variables(seed, width):
    data, scores = scored(seed)
    results = all_results(scores, width)
    for most in (1, 3, 40):
        check(learned(learn, data, Config(width, method="milp", best=most)), results, most)


@pytest.mark.parametrize("seed", [*range(3), 16, *slow(*range(3, 16), *range(17, 40))])
def test_lists_agree_with_what_is_known_about_arcs(seed):
    """Random statements of two kinds; where they leave fewer networks than wanted, all are listed."""
    rng = np.random.default_rng(700 + seed)
    kinds = rng.permutation(["required_arcs", "forbidden_arcs", "tiers", "roots", "leaves", "required", "forbidden"])
    stated, width = {str(kind): statement(kind, rng) for kind in kinds[:2]}, 1 + seed % 3
    data, scores = scored(seed % 3)
    results = all_results(scores, width, stated)
    if not results:
        return  # refused: tests/twlearn/test_knowledge.py
    known = knowledge_of(statements(stated), N, None)
    for most in (2, 60):
        check(learned(learn, data, Config(width, method="milp", known=known, best=most)), results, most, stated)


def test_a_list_ends_with_the_last_network_allowed():
    """An order and tiers that leave a handful; more are wanted."""
    stated = {"tiers": [({0, 1}, False), ({2, 3}, False), ({4}, True)], "leaves": {2, 3}, "roots": {4}}
    data, scores = scored(1)
    results = all_results(scores, 1, stated)
    known = knowledge_of(statements(stated), N, None)
    result = learned(learn, data, Config(1, method="milp", known=known, best=5000))
    assert 5 < len(results) < 100
    check(result, results, 5000, stated)
    assert result.others == -np.inf


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("most", [1, 2, 7, 30])
def test_ties(most):
    """Two columns that say the same: whatever is joined to one can be joined to the other."""
    rows = np.array([[0, 0, 0, 0, 1], [1, 1, 1, 0, 0], [1, 1, 0, 1, 1], [0, 0, 1, 1, 0]] * 8)
    data = dataset_of(rows)
    arity = arity_of(data)
    sets = [[frozenset(s) for k in range(4) for s in combinations(set(range(N)) - {v}, k)] for v in range(N)]
    scores = [{own: bdeu_of_family(rows_of(data), arity, v, own, 1.0) for own in block} for v, block in enumerate(sets)]
    results = all_results(scores, 2)
    result = learned(learn, data, Config(2, method="milp", best=most))
    check(result, results, most)
    last = result.networks[-1][1]
    assert result.tied <= sum(abs(score - last) < TIE for score in results.values()) - sum(
        abs(score - last) < TIE for _, score in result.networks
    )


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("difference", [0.0, 1.0, 3.0])
def test_all_within_a_difference(difference):
    data, scores = scored(2)
    results = all_results(scores, 2)
    near = {same: score for same, score in results.items() if score >= max(results.values()) - difference - 1e-9}
    result = learned(learn, data, listing(Config(2, method="milp", within=difference)))
    check(result, near, 1000)
    assert max(score for same, score in results.items() if same not in near) <= result.others + TIE


@pytest.mark.parametrize("width", [1, 2])
def test_networks_of_a_file_of_parent_sets(width):
    """Its scores need not be equal within a class, so networks are listed."""
    rng = np.random.default_rng(width)
    scores = [{own: score + rng.normal() for own, score in block.items()} for block in scored(1)[1]]
    results = all_results(scores, width, by_class=False)
    for most in (1, 50):
        found = learned(learn, file_of(scores), Config(width, method="milp", best=most))
        check(found, results, most, by_class=False)


def test_a_list_that_was_not_begun_is_not_optimal():
    """The best network is proved, and the run is interrupted before others are looked for."""
    data, config, stopped = random_dataset(1, n_vars=4), Config(2, method="milp", best=3), []
    with Stopping() as counter:
        learn(data, Scoring(), config, counter)
    for calls in range(1, counter.asked + 1):
        with Stopping(calls) as monitor:
            try:
                stopped.append(learn(data, Scoring(), config, monitor))
            except KeyboardInterrupt:
                continue
    alone = [result for result in stopped if len(result.networks) == 1]
    assert any(result.upper_bound == pytest.approx(result.score) for result in alone)
    assert all(result.status == INTERRUPTED and result.others >= result.score - TIE for result in alone)


@pytest.mark.slow
def test_a_stopped_run_keeps_the_networks_found():
    data = random_dataset(5, n_vars=8, n_rows=100, max_arity=3)
    config = Config(2, method="milp", best=30)
    with Stopping() as counter:
        whole = learn(data, Scoring(), config, counter)
    best, stops = [score for _, score in whole.networks], 0
    for calls in range(1, counter.asked, max(1, counter.asked // 12)):
        with Stopping(calls) as monitor:
            try:
                part = learn(data, Scoring(), config, monitor)
            except KeyboardInterrupt:
                continue
        proved = [score for _, score in part.networks if score > part.others + TIE]
        assert proved == pytest.approx(best[: len(proved)])
        if part.status == INTERRUPTED:
            stops += 1
            assert part.others >= best[len(part.networks) - 1] - TIE
        else:
            assert part.status == OPTIMAL and len(part.networks) == len(whole.networks)
    assert stops
