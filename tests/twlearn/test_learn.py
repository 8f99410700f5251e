"""Learners of bounded treewidth against exhaustive search, and the search's own state against its definition."""

import math

import numpy as np
import pytest

from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.chordal import bit_rows
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn import replica_exchange
from cliquewise.twlearn.arc_gains import ListedGains
from cliquewise.twlearn.chordal import CHAINS, _chain, chordal, problem_of
from cliquewise.twlearn.chordal_choice_kernels import BEST, SCORE
from cliquewise.twlearn.chordal_walk_kernels import walk
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.hill_climber import HillClimber
from cliquewise.twlearn.learn import learn, method_for
from cliquewise.twlearn.replica_exchange import ReplicaExchange, score_without_arcs
from cliquewise.twlearn.template import Template
from tests.learning import Recorder, learned, run
from tests.oracles.graphs import elimination_order, pair
from tests.oracles.networks import best_network, width_of_order
from tests.random_inputs import random_dataset
from tests.twlearn.scored import certified, families_of
from tests.twlearn.test_families import listed

ENOUGH = {"s2": 4000, "chordal": 60000}  # iterations that find the best network of five variables


@pytest.mark.fast_cases(25)
@pytest.mark.parametrize(("method", "enough"), [*ENOUGH.items(), ("climb", 100)])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("n", "seed"), [(2, 1), (4, 2), (5, 3), (5, 4)])
def test_best_of_all_networks(method, enough, width, n, seed):
    data = random_dataset(seed, n_vars=n, n_rows=50, max_arity=3)
    best, _ = best_network(listed(families_of(data, 3)), min(3, n - 1), width)
    for iterations in (1, 10, enough):
        config = Config(width, method, seed=seed)
        result = certified(data, learned(learn, data, config, iterations=iterations), width)
        assert result.score <= best + 1e-9
    assert result.score == pytest.approx(best, abs=1e-9)


def test_little_memory_takes_another_method_to_the_same_optimum():
    data = random_dataset(3, n_vars=5, n_rows=50, max_arity=3)
    best, _ = best_network(listed(families_of(data, 2)), 2, 2)
    for memory, method in ((1e9, "kp"), (1e4, "milp")):
        config = Config(2, memory=memory)
        assert method_for(data, config) == method
        result = certified(data, learned(learn, data, config), 2)
        assert result.status == OPTIMAL and result.score == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("method", ENOUGH)
def test_results_depend_on_the_seed_and_not_on_threads(method):
    data = random_dataset(9, n_vars=12, n_rows=80)

    def found(seed, threads):
        config = Config(3, method, seed=seed)
        result = learned(learn, data, config, iterations=3000, threads=threads)
        return result.graph, result.order, result.score, result.iterations

    assert found(1, 1) == found(1, 2) == found(1, 3)
    assert found(1, 1)[1] != found(2, 1)[1]


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "width", "moves"), [(2, 1, 60), (6, 1, 300), (7, 2, 400), (9, 3, 400), (70, 2, 300)])
def test_the_state_of_the_search_is_as_defined(n, width, moves):
    """After any moves: M chordal with small cliques, every family the best that fits, the score their sum."""
    families = families_of(random_dataset(n, n_vars=n, n_rows=30, max_arity=2), min(2, width))
    problem = problem_of(families, width)
    chain = _chain(problem, bit_rows(Graph(n, ())), range(n), random_states(5, 1)[0])
    stop = np.zeros(1, np.int64)
    for temperature in (0.3, 30.0):
        for _ in range(5):
            walk(problem, chain, temperature, moves, stop)
            check_state(families, chain, n, width)


def check_state(families, chain, n, width):
    """See test_the_state_of_the_search_is_as_defined."""
    bits = [sum(int(word) << 64 * k for k, word in enumerate(row)) for row in chain.adjacency]
    edges = frozenset(pair(u, v) for u in range(n) for v in range(n) if bits[u] >> v & 1)
    assert all(bits[v] >> u & 1 for u, v in edges) and not any(bits[v] >> v & 1 for v in range(n))
    order = elimination_order(n, edges)
    assert order is not None and width_of_order(n, edges, order) <= width
    assert sorted(chain.order.tolist()) == list(range(n))
    assert [chain.order[place] for place in chain.place] == list(range(n))
    total = 0.0
    for v, sets in enumerate(listed(families)):
        before = {u for u in range(n) if chain.place[u] < chain.place[v] and pair(u, v) in edges}
        fitting = [s for s in sets if s <= before and all(pair(a, b) in edges for a in s for b in s if a != b)]
        chosen = frozenset(families.parents[chain.choice[v]].tolist()) - {-1}
        assert chosen in fitting and sets[chosen] == max(sets[s] for s in fitting)
        total += sets[chosen]
    assert chain.numbers[SCORE] == pytest.approx(total, abs=1e-7)


def test_the_search_starts_at_the_template():
    data = random_dataset(3, n_vars=8, n_rows=100)
    graph = Graph.from_cliques(8, [(0, 1, 2), (1, 2, 3), (2, 3, 4), (5, 6, 7)])
    template = Template(graph, None, "--template net")
    families = families_of(data, 2)
    problem = problem_of(families, 2)
    start = _chain(problem, bit_rows(graph), range(8), random_states(1, 1)[0]).numbers[SCORE]
    assert start > float(families.scores[families.start[1:] - 1].sum())
    config, limits = Config(2, "chordal", 2, template), dict(iterations=1)
    result = certified(data, learned(learn, data, config, **limits), 2)
    assert result.score >= start - 1e-9
    with pytest.raises(UsageError, match="--template net: a clique of 3 vertices, the bound is 2"):
        learned(learn, data, Config(1, "chordal", 2, template), iterations=1)


@pytest.mark.parametrize("size", [1e12, 1e30, 1e300])
def test_forbidden_sets_leave_the_digits_of_the_others(size):
    """A set that scores minus something huge is one that must not be: no sum may lose its digits to it."""
    families = families_of(random_dataset(9, n_vars=10, n_rows=80), 2)
    scores = families.scores.copy()
    scores[families.start[[1, 3, 4]] - 1] = -size
    families, recorder = families._replace(scores=scores), Recorder()
    result = run(chordal, families, Config(2), iterations=100_000, recorder=recorder)
    assert result.score > -1000
    assert recorder.rows[-1].score == pytest.approx(result.score, abs=1e-7)


@pytest.mark.parametrize("method", ["auto", *ENOUGH])
def test_one_variable(method):
    data = random_dataset(1, n_vars=1)
    result = certified(data, learned(learn, data, Config(2, method)), 2)
    assert (result.graph.arcs, result.status, result.upper_bound) == ((), OPTIMAL, result.score)


@pytest.mark.parametrize("method", ENOUGH)
def test_no_parent_set_beats_the_empty_one(method):
    codes = np.array([[(i >> v) & 1 for v in range(4)] for i in range(16)], np.int32)
    data = Dataset(tuple("abcd"), (("0", "1"),) * 4, codes)
    result = certified(data, learned(learn, data, Config(2, method, 3), iterations=100), 2)
    assert result.graph.arcs == () and math.isfinite(result.score)


@pytest.mark.parametrize("method", ENOUGH)
def test_without_parents_there_are_no_arcs(method):
    data = random_dataset(1, n_vars=5)
    result = certified(data, learned(learn, data, Config(2, method, 0), iterations=100), 2)
    assert result.graph.arcs == ()


@pytest.mark.parametrize("method", ENOUGH)
@pytest.mark.parametrize("score_type", ["bic", "ll"])
def test_other_scores(method, score_type):
    data = random_dataset(4, n_vars=4, n_rows=60, max_arity=3)
    best, _ = best_network(listed(families_of(data, 2, Scoring(score_type))), 2, 2)
    config, limits = Config(2, method, 2), dict(iterations=ENOUGH[method])
    result = certified(data, learned(learn, data, config, Scoring(score_type), **limits), 2, score_type)
    assert result.score == pytest.approx(best, abs=1e-9)


def test_a_search_stopped_before_its_start_raises_keyboard_interrupt():
    with pytest.raises(KeyboardInterrupt):
        learned(learn, random_dataset(1, n_vars=5), Config(2), stopped=True)


def test_many_variables_start_at_a_climb():
    """The network reported first is at least as good; the ends of the ladder are measured after a phase."""
    families = families_of(random_dataset(4, n_vars=45, n_rows=60, max_arity=2), 2)
    recorder = Recorder()
    result = run(chordal, families, Config(2), iterations=CHAINS, recorder=recorder)
    with Monitor() as monitor:
        climber = HillClimber(ListedGains(families), 2, 2, monitor)
        climber.begin()
        climber.climb()
    assert recorder.rows[0].score >= climber.score - 1e-9 > score_without_arcs(families)
    assert result.iterations == CHAINS


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_temperatures_fit_the_scores(scale, monkeypatch):
    """Scores that are larger by a factor lead to a ladder that is hotter by about it."""
    monkeypatch.setattr(replica_exchange, "PHASE_ROUNDS", 2)
    families = families_of(random_dataset(3, n_vars=8, n_rows=400), 2)
    families = families._replace(scores=families.scores * scale)
    problem = problem_of(families, 2)
    chains = [_chain(problem, bit_rows(Graph(8, ())), range(8), state) for state in random_states(1, 4)]
    with Monitor(Limits(), 1) as monitor:
        found = ReplicaExchange(problem, chains, random_states(2, 1)[0], monitor)
        assert all(found.round() for _ in range(2)) and found.adapt()
    hottest = found.ladder.temperatures[-1]
    assert scale <= hottest <= 100 * scale
    for chain in chains:
        check_state(families, chain, 8, 2)
    assert max(chain.numbers[BEST] for chain in chains) >= score_without_arcs(families)


def test_the_score_without_arcs():
    families = families_of(random_dataset(9, n_vars=10, n_rows=80), 2)
    without = (families.parents < 0).all(axis=1)
    assert without.sum() == 10 and score_without_arcs(families) == pytest.approx(families.scores[without].sum())
