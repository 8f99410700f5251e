"""Parent sets by search, greedy networks and pieces, each against its definition or exhaustive search."""

import itertools

import numpy as np
import pytest

from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.chordal import bit_rows, maximal_cliques
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.checkpoint import Saved
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL
from cliquewise.common.scores.scoring import CACHE_MB, Scoring
from cliquewise.twlearn import pieces as module
from cliquewise.twlearn.bag_tree import BagTree
from cliquewise.twlearn.chordal import elimination_order
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.families import ScoredFamilies, families_of
from cliquewise.twlearn.growth import best_within
from cliquewise.twlearn.insertion import best_insertion
from cliquewise.twlearn.learn import learn, method_for
from cliquewise.twlearn.piece import piece_of, put_back
from cliquewise.twlearn.pieces import Pieces
from cliquewise.twlearn.result import network
from tests.learning import Told, learned, run
from tests.oracles.families import bdeu_of_family, parent_sets, pruned
from tests.oracles.networks import best_network, is_acyclic, moral_edges, width_of_order
from tests.random_inputs import arity_of, dataset_of, random_chordal_edges, random_dataset, rows_of
from tests.twlearn.test_families import listed
from tests.twlearn.test_learn import certified


def chained(n, n_rows=400, seed=1):
    """Columns that depend on two earlier ones nearby."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_rows, n))
    for v in range(2, n):
        a, b = rng.choice(np.arange(max(0, v - 6), v), 2, replace=False)
        share = rng.beta(0.4, 0.4, 4)
        codes[:, v] = rng.random(n_rows) < share[2 * codes[:, a] + codes[:, b]]
    return dataset_of(codes)


def _search(data, most, sets, scoring, threads):
    """Families of at most this many sets scored for each variable."""
    with Monitor(threads=threads) as monitor:
        return families_of(data, most, scoring, CACHE_MB, monitor, sets)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_a_search_of_everything_finds_all_that_is_useful(seed, most):
    data = random_dataset(seed, n_vars=6, n_rows=30)
    found = listed(_search(data, most, 1000, Scoring(ess=2.0), 2))
    for v in range(6):
        scores = {s: bdeu_of_family(rows_of(data), arity_of(data), v, s, 2.0) for s in parent_sets(6, v, most)}
        assert found[v] == pytest.approx(pruned(scores), abs=1e-9)


@pytest.mark.parametrize("score", ["bdeu", "bic", "ll"])
def test_a_short_search_finds_most_of_the_best(score):
    data, scoring = chained(20), Scoring(score, 10.0)
    best = families_of(data, 3, scoring)
    found = _search(data, 3, 150, scoring, 2)
    assert len(found.scores) <= 20 * 151
    worse = found.scores[found.start[:-1]] < best.scores[best.start[:-1]] - 1e-9
    assert np.count_nonzero(worse) <= 3
    for block, every in zip(listed(found), listed(best), strict=True):
        assert {s: every[s] for s in block if s in every} == pytest.approx({s: block[s] for s in block if s in every})


def test_searched_sets_are_the_same_on_any_number_of_threads():
    data = chained(90)
    one, two = (_search(data, 3, 60, Scoring(), threads) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)
    assert (one.parents[one.start[1:] - 1] == -1).all()  # the empty set last


def greedy_by_the_book(families, width):
    """The least loss first; the score, as `twlearn.insertion_kernels` says, for networks that fit into one clique."""
    blocks = listed(families)
    inside, score = set(), 0.0
    while len(inside) < families.n:
        options = []
        for v in sorted({*range(families.n)} - inside):
            own = max(value for s, value in blocks[v].items() if s <= inside)
            options.append((max(blocks[v].values()) - own, v, own))
        _, v, own = min(options)
        inside.add(v)
        score += own
    return score


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(6))
def test_without_a_bound_the_first_greedy_network_is_that_of_least_loss(seed):
    families = families_of(random_dataset(seed, n_vars=6, n_rows=60), 3)
    grown = run(best_insertion, families, 5, 1, 1)
    assert grown.score == pytest.approx(greedy_by_the_book(families, 5), abs=1e-9)


def check(families, rows, tree, width):
    """A network, with a tree decomposition of its moral graph that keeps the bound."""
    parents = [frozenset(families.parents[row].tolist()) - {-1} for row in rows]
    assert is_acyclic(parents)
    edges = moral_edges(parents)
    assert width_of_order(families.n, edges, tree.elimination_order()) <= width
    covered = {pair for bag in tree.bags.values() for pair in itertools.combinations(sorted(bag), 2)}
    assert {tuple(sorted(edge)) for edge in edges} <= covered
    assert max(map(len, tree.bags.values())) <= width + 1
    assert len(tree.bags) == 1 + sum(map(len, tree.near.values())) // 2
    for v, bags in tree.where.items():
        assert bags == {b for b, bag in tree.bags.items() if v in bag}
        seen, stack = set(), [min(bags)]
        while stack:
            b = stack.pop()
            if b not in seen:
                seen.add(b)
                stack += tree.near[b] & bags
        assert seen == bags


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "width", "seed"), [(2, 1, 0), (9, 1, 1), (12, 2, 2), (25, 3, 3), (70, 4, 4)])
def test_greedy_networks_are_networks_within_the_bound(n, width, seed):
    families = families_of(chained(n, 100, seed), min(2, width))
    for runs in (1, 4):
        grown = run(best_insertion, families, width, seed, runs)
        check(families, grown.rows, BagTree(grown.cliques, grown.clique_parent), width)
        assert grown.score == pytest.approx(families.scores[grown.rows].sum(), abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_the_best_families_in_a_chordal_graph(seed):
    """Each variable has the best family among its neighbours that are eliminated later."""
    n = 4 + seed
    graph = Graph(n, random_chordal_edges(seed, n))
    width = max(map(len, maximal_cliques(graph))) - 1
    families = families_of(random_dataset(seed, n_vars=n, n_rows=60), min(3, max(1, width)))
    grown = best_within(families, bit_rows(graph))
    check(families, grown.rows, BagTree(grown.cliques, grown.clique_parent), width)
    order, near = elimination_order(bit_rows(graph)), graph.neighbours()
    best = [
        max(score for s, score in block.items() if s <= near[v] & {*order[order.index(v) :]})
        for v, block in enumerate(listed(families))
    ]
    assert families.scores[grown.rows] == pytest.approx(best) and grown.score == pytest.approx(sum(best))


@pytest.mark.parametrize(("n", "width", "seed"), [(20, 2, 1), (40, 2, 2), (60, 3, 3)])
def test_the_start_is_no_worse_than_a_grown_chordal_graph(monkeypatch, n, width, seed):
    monkeypatch.setattr(module, "SIZE", 2)
    monkeypatch.setattr(module, "MOVES", 14)
    data = chained(n, 200, seed)
    chordal = learned(coarsen, data, config=Coarsening("greedy", "forest", steps=StepLimits(width + 1)))
    result = certified(data, learned(learn, data, Config(width, "pieces"), iterations=1), width)
    assert result.score >= chordal.score - 1e-9


@pytest.mark.parametrize(("n", "width", "seed"), [(20, 1, 1), (30, 2, 2), (40, 3, 3), (70, 5, 4)])
def test_every_piece_put_back_leaves_a_network_within_the_bound(monkeypatch, n, width, seed):
    monkeypatch.setattr(module, "SIZE", 10)
    monkeypatch.setattr(module, "MOVES", 14 * 300)
    families = families_of(chained(n, 200, seed), min(3, width))
    with Monitor(threads=1) as monitor:
        state = Pieces(families, Config(width, seed=seed), best_insertion(families, width, seed, 1, monitor))
        gained = 0
        for _ in range(20):
            before = state.score
            gained += state.improve(monitor) > 0.0
            assert state.score >= before
            check(families, state.rows, state.tree, width)
            assert state.score == pytest.approx(families.scores[state.rows].sum(), abs=1e-7)
    assert gained


def test_a_piece_knows_the_ways_through_the_outside():
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
    result = network(piece.families, [piece.families.start[v] for v in range(4)], (0, 3, 1, 2), OPTIMAL)
    assert not is_acyclic([frozenset(own) for own in result.graph.parents()])  # 3 -> 0 -> 1 -> (2) -> 3
    fine = network(piece.families, [1, 2, 4, piece.families.start[3]], (0, 3, 1, 2), OPTIMAL)
    assert put_back(piece, fine)[0] == {0: 1, 1: 2, 3: 6}


def test_a_family_outside_the_piece_that_is_worth_more_than_those_inside():
    """2 is outside and the parent of 0: without parents inside 0 scores 5, so that its family with 1 is useless."""
    parents = np.array([[2], [1], [-1], [-1], [-1]], np.int32)
    families = ScoredFamilies(np.array([0, 3, 4, 5]), parents, np.array([5.0, 1.0, 0.0, 0.0, 0.0]))
    tree = BagTree([frozenset({0, 1}), frozenset({0, 2})], [1, -1])
    piece = piece_of(families, [0, 3, 4], tree, {0}, {0, 1})
    assert listed(piece.families)[0] == {frozenset(): 5.0}
    assert (piece.families.parents[piece.families.start[1:] - 1] == -1).all()  # the empty set is the last of each


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize(("n", "seed"), [(2, 1), (4, 2), (5, 3), (5, 4)])
def test_best_of_all_networks(width, n, seed):
    data = random_dataset(seed, n_vars=n, n_rows=50, max_arity=3)
    best, _ = best_network(listed(families_of(data, 3)), min(3, n - 1), width)
    result = certified(data, learned(learn, data, Config(width, "pieces", seed=seed), iterations=2), width)
    assert result.score == pytest.approx(best, abs=1e-9)


def test_seed_decides_and_threads_do_not(monkeypatch):
    monkeypatch.setattr(module, "SIZE", 12)
    monkeypatch.setattr(module, "MOVES", 14 * 200)
    data = chained(40)

    def found(seed, threads):
        config = Config(3, "pieces", parent_sets=80, seed=seed)
        result = learned(learn, data, config, iterations=12, threads=threads)
        return result.graph, result.order, result.score, result.iterations

    first = found(1, 1)
    assert first == found(1, 3)
    assert first[1] != found(2, 1)[1]


def test_more_variables_than_all_sets_allow():
    """The whole way for many variables: chosen by size, within the limit, told on the way, certified."""
    data, told = chained(300, 300), Told()
    assert method_for(300, Config(4)) == "pieces"
    result = certified(data, learned(learn, data, Config(4), Scoring(), seconds=1.0, told=told), 4)
    greedy = run(best_insertion, families_of(data, 3), 4, 1, 1)
    assert result.score > greedy.score
    assert any("parent sets" in text for text in told.texts) and told.rows[-1].score == pytest.approx(result.score)


def test_an_interrupted_run_has_the_network_so_far():
    data = chained(150, 200)
    told = Told(at_row=lambda monitor, row: row.iterations < 3 or monitor.interrupt())
    result = certified(data, learned(learn, data, Config(3, "pieces"), seconds=60, told=told), 3)
    assert result.status == INTERRUPTED and len(result.graph.arcs) > 100


def test_interrupted_in_the_search_for_parent_sets():
    told = Told(at_text=lambda monitor, text: "parent sets:" in text and monitor.interrupt())
    with pytest.raises(KeyboardInterrupt):
        learned(learn, chained(90), Config(3, "pieces", parent_sets=50), seconds=60, told=told)
    assert "parent sets" in told.texts[-1]


@pytest.mark.parametrize("spoilt", ["members", "ends", "clique_parent", "rows", "waiting", "times", "sweeps", "score"])
def test_a_tree_that_is_none_is_refused(spoilt):
    """A checkpoint's arrays are looked at: a bag too large, a variable in two places, a tree with a circle."""
    families = families_of(chained(30, 100), 2)
    grown = run(best_insertion, families, 2, 1, 1)
    state = Pieces(families, Config(2), grown).state()
    wrong = {
        "members": state["members"][::-1].copy(),
        "ends": np.append(state["ends"][5:], 0),
        "clique_parent": np.zeros_like(state["clique_parent"]),
        "rows": state["rows"] + 1000,
        "waiting": np.array([30]),
        "times": 0,
        "sweeps": -1,
        "score": float("nan"),
    }
    Pieces(families, Config(2), grown).restore(Saved(state, "some.checkpoint"))
    with pytest.raises(DataError, match="some.checkpoint: a checkpoint whose"):
        Pieces(families, Config(2), grown).restore(Saved({**state, spoilt: wrong[spoilt]}, "some.checkpoint"))
