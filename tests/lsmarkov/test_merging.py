"""Merging: the best network within the edges of several, beside every chordal graph of these edges."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.bounds import windows
from cliquewise.common.bounds.cutting import CuttingPlaneLoop
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import RunInputs
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import ITERATION_LIMIT
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import alignment, merging
from cliquewise.lsmarkov.annealing import Annealing
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble, put
from cliquewise.lsmarkov.learn import learn
from cliquewise.lsmarkov.merging import (
    Merging,
    compile_merging,
    compile_wide_merging,
    complete_sets_of,
    is_worth_loading,
)
from cliquewise.lsmarkov.search import kernel_tasks, may_restart, walkers_for
from cliquewise.lsmarkov.walker_kernels import BEST
from tests.learning import run
from tests.oracles.graphs import graph_score
from tests.oracles.learners import best_chordal, scored_graphs
from tests.oracles.scores import set_score
from tests.random_inputs import (
    arity_of,
    clique_scores,
    dataset_of,
    random_chordal_edges,
    random_dataset,
    random_edges,
    random_set_scores,
    rows_of,
    without,
)
from tests.search_parts import edges_of, rows_of_edges
from tests.slow import slow, slow_cases

N = 6


@pytest.fixture(autouse=True)
def _as_they_are(monkeypatch):
    """No exchange of vertices is allowed, so that the edges are those of the networks."""
    monkeypatch.setattr(alignment, "MAX_LOST", -np.inf)


def merging_of(scorer, monitor, max_clique):
    """A Merging at the empty graph, whose annealing has not begun."""
    ensemble = Ensemble(scorer, 2, 1, monitor)
    ensemble.place(ensemble.walkers[0].best)
    annealing = Annealing(ensemble, ensemble.walkers[-1], np.zeros((scorer.n, scorer.n)), max_clique)
    return Merging(ensemble, (annealing,), ensemble.walkers[-1], max_clique)


def merged(tried, *ends):
    """The walker with the best network, after these have been merged with it."""
    tried.sources[0].ends = np.stack(ends)
    tried.phase()
    return tried.ensemble.best


def networks(seed, count, max_clique):
    """Edges of so many random chordal graphs."""
    return [frozenset(random_chordal_edges(100 * seed + i, N, max_clique)) for i in range(count)]


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("seed", [*range(4), *slow(*range(4, 12))])
def test_the_best_network_of_these_edges(seed):
    data, max_clique = random_dataset(seed, n_vars=N, n_rows=80), 3 + seed % 4
    own, score = networks(seed, 3, max_clique), set_score(rows_of(data), arity_of(data), "bdeu")
    with Monitor(threads=1) as monitor:
        tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, max_clique)
        first, *others = own
        put(tried.ensemble.walkers[0], rows_of_edges(N, first), graph_score(N, first, score))
        found = merged(tried, *(rows_of_edges(N, edges) for edges in others))
    best = best_chordal(N, score, max_clique, frozenset.union(*own))[0]
    assert found.numbers[BEST] == pytest.approx(best, abs=1e-8)
    assert graph_score(N, edges_of(found.best), score) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("seed", [0, 2, 6])
def test_a_merging_begins_with_the_rows_of_the_last_one(seed, monkeypatch):
    """It finds the same network, in fewer rounds."""
    data, own = random_dataset(seed, n_vars=N, n_rows=80), networks(seed, 6, 4)
    score, rounds = set_score(rows_of(data), arity_of(data), "bdeu"), []
    run_of = CuttingPlaneLoop.run
    monkeypatch.setattr(CuttingPlaneLoop, "run", lambda loop: (run_of(loop), rounds.append(loop.rounds))[0])
    with Monitor(threads=1) as monitor:
        tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, 4)
        for _ in range(2):
            for walker in tried.ensemble.walkers:
                put(walker, rows_of_edges(N, own[0]), graph_score(N, own[0], score))
            tried.number = tried.due = 0
            found = merged(tried, *(rows_of_edges(N, edges) for edges in own[1:]))
            best = best_chordal(N, score, 4, frozenset.union(*own))[0]
            assert found.numbers[BEST] == pytest.approx(best, abs=1e-8)
    first, again = rounds
    assert again < first
    for bad in (tried.rows << np.uint64(N), tried.rows * np.uint64(0)):
        assert tried.are_satisfied(tried.rows) and not tried.are_satisfied(np.append(tried.rows, bad, axis=0))


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("seed, required", [(0, True), *slow_cases((1, False), (2, True))])
def test_the_best_network_of_many_variables(seed, required, monkeypatch):
    """Its edges are within two groups of variables, so that it has the best network of each; rows are not wide."""
    limits, separate = [], windows.separate
    monkeypatch.setattr(windows, "separate", lambda *both: limits.append(both[1].larger) or separate(*both))
    n, rng = 70, np.random.default_rng(seed)
    data, max_clique = random_dataset(seed, n_vars=n, n_rows=80), 3 + seed
    score, groups = set_score(rows_of(data), arity_of(data), "bdeu"), rng.permutation(n)[: 2 * N].reshape(2, N)

    def in_group(g, edges):
        return frozenset(tuple(sorted(groups[g][list(edge)].tolist())) for edge in edges)

    small = [networks(10 * seed + g, 3, max_clique) for g in range(2)]
    own = [in_group(0, first) | in_group(1, second) for first, second in zip(*small, strict=True)]
    stay = frozenset(sorted(small[0][0])[:1]) if required else frozenset()
    with Monitor(threads=1) as monitor:
        scorer = SetScorer(data, Scoring("bdeu", 1.0), 16, 1)
        scorer.scores.required[:] = rows_of_edges(n, in_group(0, stay))
        tried = merging_of(scorer, monitor, max_clique)
        for walker in tried.ensemble.walkers:
            put(walker, rows_of_edges(n, own[0]), graph_score(n, own[0], score))
        found = merged(tried, *(rows_of_edges(n, edges) for edges in own[1:]))
    best = sum(score((v,)) for v in set(range(n)) - set(groups.ravel().tolist()))
    for g, parts in enumerate(small):
        within = frozenset.union(*parts)
        of_group = partial(score_in_group, score, groups[g].tolist())
        best += best_chordal(N, of_group, max_clique, within, (stay, frozenset())[g])[0]
    assert found.numbers[BEST] == pytest.approx(best, abs=1e-8)
    assert graph_score(n, edges_of(found.best), score) == pytest.approx(best, abs=1e-8)
    assert in_group(0, stay) <= edges_of(found.best) <= frozenset.union(*own)
    assert limits and max(limits) < windows.LARGER_MEMBERS


def score_in_group(score, group, members):
    """The score of variables of a group, by their places in it."""
    return score(tuple(sorted(group[i] for i in members)))


def is_complete_in_one(edges, own, max_clique):
    """Whether every complete set of a graph is complete in one of the others; edges of all as pairs, ascending."""
    sets = (set(combinations(members, 2)) for k in range(2, max_clique + 1) for members in combinations(range(N), k))
    return all(any(pairs <= other for other in own) for pairs in sets if pairs <= edges)


@pytest.mark.parametrize("seed", range(6))
def test_every_second_merging_is_of_sets_that_are_complete_in_one_network(seed):
    """It finds the best network of these sets; without room for the first network, of those of the others."""
    data, max_clique = random_dataset(seed, n_vars=N, n_rows=80), 3 + seed % 4
    own, score = networks(seed, 4, max_clique), set_score(rows_of(data), arity_of(data), "bdeu")
    best, *others = own
    without_first = len(complete_within((best, *others[1:]), max_clique))
    graphs = scored_graphs(N, score, max_clique)
    for most, within in ((10**6, own), (without_first, [best, *others[1:]])):
        with Monitor(threads=1) as monitor:
            tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, max_clique)
            put(tried.ensemble.walkers[0], rows_of_edges(N, best), graph_score(N, best, score))
            tried.number, tried.most = 1, [0, most, 0]
            found = merged(tried, *(rows_of_edges(N, edges) for edges in others))
        expected = max(value for value, edges in graphs if is_complete_in_one(set(edges), within, max_clique))
        assert found.numbers[BEST] == pytest.approx(expected, abs=1e-8)
        assert tried.number == 2 and tried.most[0] == 0


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("seed", [3, *slow(0, 2, 5, 6, 8, 10, 11, 12, 15)])
def test_the_backbone_and_joined_sets(seed, monkeypatch):
    """With enough networks, it finds the best network with their common edges, of their sets and some joined ones."""
    data, max_clique, most = random_dataset(seed, n_vars=N, n_rows=80), 3 + seed % 2, 1 + seed % 3
    score = set_score(rows_of(data), arity_of(data), "bdeu")
    shared, *others = (set(edges) for edges in networks(seed, 5, max_clique))
    own = [frozenset(edges) for edges in (shared, *([shared] * 4 + others)[: merging.BACKBONE_FROM])]
    best, *ends = own
    monkeypatch.setattr(merging, "BACKBONE_SHARE", 0.5)
    monkeypatch.setattr(merging, "JOINED_SETS", most)
    with Monitor(threads=1) as monitor:
        tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, max_clique)
        for walker in tried.ensemble.walkers:
            put(walker, rows_of_edges(N, best), graph_score(N, best, score))
        tried.number = 1
        found = merged(tried, *(rows_of_edges(N, edges) for edges in ends))
    required = {edge for edge in best if sum(edge in edges for edges in ends) >= 0.5 * len(ends)}
    known = {frozenset(members) for members in complete_within(own, max_clique)}
    gains = gains_of_joins(known, max_clique, score)
    joined = sorted(gains, key=gains.get)[-most:]
    if max_clique > 3:
        all_of = {frozenset(part) for members in joined for k in range(6) for part in combinations(sorted(members), k)}
        new = [part for part in all_of - known if len(part) == 2]
        small = gains_of_joins(known | all_of, 3, score)
        joined += [part for part, gain in small.items() if gain > 0.0 and any(pair <= part for pair in new)]
    within = [*own, *(frozenset(combinations(sorted(members), 2)) for members in joined)]
    graphs = scored_graphs(N, score, max_clique)
    allowed = [
        value
        for value, edges in graphs
        if required <= set(edges) and is_complete_in_one(set(edges), within, max_clique)
    ]
    assert len(own) == 1 + merging.BACKBONE_FROM and required and joined
    assert tried.are_satisfied(tried.rows)
    assert found.numbers[BEST] == pytest.approx(max(allowed), abs=1e-8)
    assert max(allowed) < max(value for value, _ in graphs)


def gains_of_joins(known, size, score):
    """The unions of a size of two known sets that differ in one vertex, with the largest gain of the edge between."""
    gains = {}
    for rest in combinations(range(N), size - 2):
        for pair in combinations(set(range(N)) - set(rest), 2):
            parts = [frozenset({*rest, *ends}) for ends in (pair, pair[:1], pair[1:], ())]
            if parts[0] not in known and known.issuperset(parts[1:3]):
                whole, one, other, both = (score(tuple(sorted(part))) for part in parts)
                gains[parts[0]] = max(gains.get(parts[0], -np.inf), whole - one - other + both)
    return gains


def complete_within(own, max_clique):
    """The sets that are complete in one of several graphs."""
    sets = (members for k in range(max_clique + 1) for members in combinations(range(N), k))
    return {members for members in sets if any(set(combinations(members, 2)) <= edges for edges in own)}


@pytest.mark.parametrize("seed", range(6))
def test_edges_of_the_ends_of_annealing(seed):
    """Edges that must stay are in every network."""
    data = random_dataset(seed, n_vars=N, n_rows=80)
    score = set_score(rows_of(data), arity_of(data), "bdeu")
    (end,) = networks(seed, 1, 4)
    required = frozenset(sorted(end)[:1])
    with Monitor(threads=1) as monitor:
        scorer = SetScorer(data, Scoring("bdeu", 1.0), 16, 1)
        scorer.scores.required[:] = rows_of_edges(N, required)
        tried = merging_of(scorer, monitor, 4)
        for walker in tried.ensemble.walkers:
            put(walker, rows_of_edges(N, required), graph_score(N, required, score))
        found = merged(tried, rows_of_edges(N, end))
    assert found.numbers[BEST] == pytest.approx(best_chordal(N, score, 4, end, required)[0], abs=1e-8)
    assert required <= edges_of(found.best) <= end


@pytest.mark.slow
def test_sets_without_a_score():
    """A score file forbids some sets: the merged network has none of them."""
    forbidden = [frozenset({0, 1, 2}), frozenset({3, 4})]
    scores = without(random_set_scores(5, N, 4), forbidden)

    def score(members):
        return scores.get(frozenset(members), -np.inf)

    possible = [edges for _, edges in scored_graphs(N, score, 4) if np.isfinite(graph_score(N, edges, score))]
    own = possible[len(possible) // 3 :: len(possible) // 5]
    with Monitor(threads=1) as monitor:
        tried = merging_of(SetScorer(clique_scores(scores, N, 4), Scoring("bdeu", 1.0), 16, 1), monitor, 4)
        found = merged(tried, *(rows_of_edges(N, edges) for edges in own))
    best = best_chordal(N, score, 4, frozenset.union(*own))[0]
    assert found.numbers[BEST] == pytest.approx(best, abs=1e-8)


def test_the_earliest_networks_are_left_out_of_too_many_sets():
    """The earliest networks are left out; without any left, nothing changes."""
    data = random_dataset(2, n_vars=N, n_rows=200)
    score = set_score(rows_of(data), arity_of(data), "bdeu")
    first, last = networks(8, 2, 4)
    own = len(complete_sets_of(rows_of_edges(N, last)[:, 0].tolist(), 4, 99))
    for most, edges in ((99, first | last), (own, last), (own - 1, frozenset())):
        with Monitor(threads=1) as monitor:
            tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, 4)
            tried.most = [most] * 3
            found = merged(tried, *(rows_of_edges(N, own) for own in (first, last)))
        assert found.numbers[BEST] == pytest.approx(best_chordal(N, score, 4, edges)[0], abs=1e-8)


def test_the_number_of_sets_follows_the_work_of_the_last_merging(monkeypatch):
    """The next merging has more sets after one with little work, and fewer after one with too much."""
    data = random_dataset(2, n_vars=N, n_rows=200)
    for pivots, most in ((10**9, 1.25), (-1, 0.8)):
        monkeypatch.setattr(merging, "MAX_PIVOTS", pivots)
        with Monitor(threads=1) as monitor:
            tried = merging_of(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), monitor, 4)
            ends = np.stack([rows_of_edges(N, edges) for edges in networks(8, 2, 4)])
            joined = np.bitwise_or.reduce(ends[:, :, 0], axis=0)
            sets = len(complete_sets_of(joined.tolist(), 4, 10**6))
            monkeypatch.setattr(merging, "MAX_SETS", (1, sets, 10**6))
            tried.most = [sets, 0, 0]
            merged(tried, *ends)
        assert tried.most == [int(sets * most), 0, 0]


@pytest.mark.parametrize("seed", range(10))
def test_complete_sets(seed):
    edges, largest = set(random_edges(seed, 7, 0.6)), 2 + seed % 6
    near = rows_of_edges(7, edges)[:, 0].tolist()
    every = [
        sum(1 << v for v in members)
        for size in range(largest + 1)
        for members in combinations(range(7), size)
        if edges.issuperset(combinations(members, 2))
    ]
    assert complete_sets_of(near, largest, len(every)) == sorted(every)
    assert complete_sets_of(near, largest, len(every) - 1) is None


def test_networks_are_aligned(monkeypatch):
    """Where columns are equal, a network with one in the place of the other is no other network."""
    monkeypatch.setattr(alignment, "MAX_LOST", 1e-9)
    data = random_dataset(4, n_vars=N, n_rows=80)
    duplicated = dataset_of([(*row[:-1], row[0]) for row in rows_of(data)])
    own, other = rows_of_edges(N, {(0, 1), (0, 2), (1, 2), (4, 5)}), rows_of_edges(N, {(1, 5), (2, 5), (1, 2), (0, 4)})
    with Monitor(threads=1) as monitor:
        tried = merging_of(SetScorer(duplicated, Scoring("bdeu", 1.0), 16, 1), monitor, 4)
        brought = tried._aligned(np.stack([other, own]), own)
        for walker in tried.ensemble.walkers:
            put(walker, own, -1e6)
        found = merged(tried, other)
    assert brought.tolist() == [own.tolist()] * 2
    assert edges_of(found.best) == edges_of(own)


def test_which_runs_restart_and_merge():
    for n, limits, restarts, merges in (
        (6, Limits(), True, True),
        (6, Limits(20.0), True, True),
        (6, Limits(19.0), False, False),
        (200, Limits(until_idle=True), True, True),
        (201, Limits(until_idle=True), False, False),
        (201, Limits(200.0), False, False),
        (201, Limits(201.0), True, False),
        (201, Limits(201.0, 400_000_000), False, False),
        (201, Limits(iterations=402_000_000), True, False),
        (1001, Limits(), False, False),
    ):
        data = random_dataset(1, n_vars=n, n_rows=20)
        with Monitor(limits, threads=1) as monitor:
            ensemble = Ensemble(SetScorer(data, Scoring("bdeu", 1.0), 16, 1), walkers_for(n), 1, monitor)
            assert (may_restart(ensemble), is_worth_loading(ensemble)) == (restarts, merges)


@pytest.mark.parametrize(
    "limits, ahead",
    [
        (Limits(30.0), True),
        (Limits(30.0, 1000), True),
        (Limits(until_idle=True), True),
        (Limits(iterations=1000), False),
        (Limits(10.0), False),
    ],
)
def test_the_integer_program_is_compiled_where_it_can_be_needed_in_time(limits, ahead):
    """It was compiled for runs of a thousand steps too."""
    for n, task in ((6, compile_merging), (70, compile_wide_merging)):
        scorer = SetScorer(random_dataset(1, n_vars=n, n_rows=20), Scoring("bdeu", 1.0), 16, 1)
        with Monitor(limits, threads=1) as monitor:
            assert (task in kernel_tasks(Ensemble(scorer, 2, 1, monitor))) == ahead


@pytest.mark.slow
@pytest.mark.parametrize("n", [14, 70])
def test_a_search_merges(monkeypatch, n):
    """The program is asked in a run, whatever the number of threads; it is the same run again."""
    asked, best_of = [], Merging._best_within

    def counted(self, sets, required):
        asked.append(len(sets))
        return best_of(self, sets, required)

    monkeypatch.setattr(Merging, "_best_within", counted)
    data, config = random_dataset(3, n_vars=n, n_rows=300), Config(max_clique=4)
    first = run(learn, data, Scoring("bdeu", 1.0), config, iterations=2_000_000, threads=1)
    count = len(asked)
    assert count > 0
    again = run(learn, data, Scoring("bdeu", 1.0), config, iterations=2_000_000, threads=2)
    assert again == first and len(asked) == 2 * count


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("limits, n", [((19.0, 3600.0), 14), ((3600.0, 19.0), 14), *slow_cases(((3600.0, 3600.0), 70))])
def test_a_run_is_resumed_with_another_limit(tmp_path, limits, n):
    """A run that could not merge goes on as one that can, and the other way round."""
    data, config, path = random_dataset(3, n_vars=n, n_rows=300), Config(max_clique=4), str(tmp_path / "c")
    inputs = RunInputs("test", "0", "0", {})
    for part, seconds in enumerate(limits):
        checkpoint = Checkpoint(path, inputs, resume=True)
        limit = Limits(seconds, iterations=(part + 1) * 2_000_000)
        with Monitor(limit, threads=1, checkpoint=checkpoint) as monitor:
            assert (monitor.saved is not None) == (part > 0)
            found = learn(data, Scoring("bdeu", 1.0), config, monitor)
    assert found.status == ITERATION_LIMIT and found.iterations == 4_000_000
