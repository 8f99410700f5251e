"""What is known about arcs, in every method: against all networks on five variables, and what is refused."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from cliquewise.common.certify.arcs import certify_arcs
from cliquewise.common.certify.knowledge import knowledge_problems
from cliquewise.common.errors import CliquewiseError
from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.knowledge import check_bounds, knowledge_of
from cliquewise.common.graphs.statements import Statements
from cliquewise.common.run.result import OPTIMAL
from cliquewise.twlearn import kp as kp_module
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.learn import learn
from tests.learning import learned
from tests.oracles.families import bdeu_of_family
from tests.oracles.knowledge import agrees
from tests.oracles.networks import moral_edges, networks, treewidth
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.slow import slow

N = 5
SEARCHES = {"chordal": 20000, "climb": 30, "s2": 4000, "skp": 40}  # iterations
PAIRS = list(combinations(range(N), 2))
KINDS = (
    *("required_arcs", "forbidden_arcs", "tiers", "order", "roots", "leaves"),
    *("allowed", "forbidden", "required"),
)


def statement(kind, rng):
    """A random statement of a kind, as the oracle has it."""
    if kind in ("required_arcs", "forbidden_arcs"):
        chosen = rng.permutation(list(permutations(range(N), 2)))[
            : rng.integers(1, 4 if kind == "required_arcs" else 9)
        ]
        return {(int(u), int(v)) for u, v in chosen}
    if kind == "tiers":
        shuffled, cuts = rng.permutation(N).tolist(), sorted(rng.choice(range(1, N), 2, replace=False).tolist())
        parts = shuffled[: cuts[0]], shuffled[cuts[0] : cuts[1]], shuffled[cuts[1] : N - int(rng.integers(2))]
        return [(set(part), bool(rng.integers(2))) for part in parts if part]
    if kind == "order":
        return rng.permutation(N).tolist()
    if kind in ("roots", "leaves"):
        return set(rng.choice(N, int(rng.integers(1, 3)), replace=False).tolist())
    most = {"allowed": 9, "forbidden": 6, "required": 4}[kind]
    chosen = rng.permutation(len(PAIRS))[: rng.integers(5 if kind == "allowed" else 1, most)]
    return {frozenset(PAIRS[i]) for i in chosen}


def statements(stated):
    """The same as the program has it."""

    def graph(name):
        return None if name not in stated else Graph(N, tuple(sorted(tuple(sorted(pair)) for pair in stated[name])))

    tiers = stated.get("tiers", ())
    return Statements(
        required_arcs=tuple(sorted(stated.get("required_arcs", ()))),
        forbidden_arcs=tuple(sorted(stated.get("forbidden_arcs", ()))),
        tiers=tuple(tuple(sorted(members)) for members, _ in tiers),
        without_arcs=tuple(not may for _, may in tiers),
        order=tuple(stated.get("order", ())),
        roots=tuple(sorted(stated.get("roots", ()))),
        leaves=tuple(sorted(stated.get("leaves", ()))),
        allowed=graph("allowed"),
        forbidden=graph("forbidden"),
        required=graph("required"),
    )


def contradicts(stated):
    """Whether an order has a variable of a later tier before one of an earlier, which is refused by itself."""
    rank = {v: i for i, (members, _) in enumerate(stated.get("tiers", ())) for v in members}
    ranks = [rank[v] for v in stated.get("order", ()) if v in rank]
    return ranks != sorted(ranks)


@cache
def within(width):
    """All networks of at most three parents and a treewidth."""
    return [network for network in networks(N, 3) if treewidth(N, moral_edges(network)) <= width]


@cache
def scored(seed):
    """A dataset, and the scores of all its parent sets: list of {frozenset: float}."""
    data = random_dataset(seed, n_vars=N, n_rows=60, max_arity=3)
    sets = [[frozenset(s) for k in range(4) for s in combinations(set(range(N)) - {v}, k)] for v in range(N)]
    rows, arity = rows_of(data), arity_of(data)
    return data, [{own: bdeu_of_family(rows, arity, v, own, 1.0) for own in block} for v, block in enumerate(sets)]


def best_of(scores, stated, width):
    """The score of the best network that agrees and whose sets have scores; None if there is none."""
    found = [
        sum(scores[v][own] for v, own in enumerate(network))
        for network in within(width)
        if agrees(network, stated) and all(own in scores[v] for v, own in enumerate(network))
    ]
    return max(found, default=None)


def solved(source, stated, width, method, seed=1, **limits):
    """A network of a method; None if what is stated is refused."""
    statements_read = statements(stated)
    try:
        known = knowledge_of(statements_read, N)
        if known is not None:
            check_bounds(known, width, 3)
        config = Config(width, method, max_parents=3, seed=seed, known=known)
        result = learned(learn, source, config, **limits)
    except CliquewiseError:
        return None
    assert agrees([frozenset(own) for own in result.graph.parents()], stated)
    assert knowledge_problems(result.graph, statements_read) == []
    found = certify_arcs(result.graph, source, Claims(result.score, treewidth=width, max_parents=3))
    assert found.ok, found
    return result


def check(source, scores, stated, width, exact=("kp", "milp", "chordal")):
    """Every method agrees with enumeration."""
    best = None if contradicts(stated) else best_of(scores, stated, width)
    for method in ("kp", "milp", *SEARCHES):
        limits = {"iterations": SEARCHES[method]} if method in SEARCHES else {}
        found = solved(source, stated, width, method, **limits)
        if method in exact or source is not None:
            assert (found is None) == (best is None), (method, stated, found)
        if found is not None:
            assert found.score <= best + 1e-6
            if method in exact:
                assert found.score == pytest.approx(best, abs=1e-6), (method, stated)
            if method in ("kp", "milp"):
                assert found.status == OPTIMAL
                assert found.upper_bound == pytest.approx(found.score, abs=1e-6)


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("seed", [1, *slow(2)])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_against_all_networks(kind, width, seed):
    check(*scored(seed), {kind: statement(kind, np.random.default_rng((seed, width)))}, width)


@pytest.mark.fast_cases(9)
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_several_kinds_against_all_networks(seed, width):
    """Some of these contradict each other: then every method refuses."""
    rng = np.random.default_rng((7, seed, width))
    kinds = rng.choice(KINDS, int(rng.integers(2, 5)), replace=False).tolist()
    check(*scored(1 + seed % 3), {kind: statement(kind, rng) for kind in kinds}, width)


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_files_of_some_parent_sets(seed, width):
    """A set that is not in the file is not possible, also where it is required."""
    rng = np.random.default_rng((8, seed, width))
    kinds = rng.choice(KINDS, 2, replace=False).tolist()
    scores = [{s: x for s, x in block.items() if not s or rng.random() < 0.6} for block in scored(seed)[1]]
    check(file_of(scores), scores, {kind: statement(kind, rng) for kind in kinds}, width)


def test_a_pruned_file_is_named_where_its_lacking_sets_can_count(caplog):
    """Required arcs and lists of networks can need a set that a subset beats; forbidden arcs, and all sets, cannot."""
    every = scored(1)[1]
    pruned = [{s: x for s, x in block.items() if len(s) < 2} for block in every]
    pruned[0] = every[0]
    required = knowledge_of(Statements(required_arcs=((0, 1),)), N)
    forbidden = knowledge_of(Statements(forbidden_arcs=((0, 1),)), N)
    cases = [(pruned, required, None), (pruned, None, 2), (pruned, forbidden, None), (pruned, None, None)]
    cases += [(every, required, None), (every, None, 2)]
    named = []
    for scores, known, best in cases:
        caplog.clear()
        learned(learn, file_of(scores), Config(2, "milp", max_parents=2, known=known, best=best))
        named.append("sets of up to 2 are not in the file" in caplog.text)
    assert named == [True, True, False, False, False, False]


def file_of(scores):
    """Parent sets with scores as from a file."""
    width = max(len(s) for block in scores for s in block)
    parents = tuple(np.array([[*sorted(s), *[-1] * (width - len(s))] for s in block]) for block in scores)
    names = tuple(map(str, range(N)))
    return ParentSets(names, parents, tuple(np.array([*block.values()]) for block in scores), "file")


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize(("width", "seed"), [(1, 1), (2, 2), (3, 3), (2, 4)])
def test_an_order_of_eight_variables(width, seed, monkeypatch):
    """The program, the dynamic program over bags in that order, and the search agree, without their shortcut."""
    monkeypatch.setattr(kp_module, "best_of_any_treewidth", lambda *_: (None, float("inf")))
    data = random_dataset(seed, n_vars=8, n_rows=200, max_arity=3)
    order = tuple(np.random.default_rng(seed).permutation(8).tolist())
    stated = Statements(order=order, required_arcs=((order[2], order[6]),))
    known = knowledge_of(stated, 8)
    scores = {}
    for method in ("kp", "milp", "chordal", "s2"):
        limits = {"iterations": 60000} if method in SEARCHES else {}
        result = learned(learn, data, Config(width, method, max_parents=3, known=known), **limits)
        assert knowledge_problems(result.graph, stated) == []
        scores[method] = result.score
    assert scores["kp"] == pytest.approx(scores["milp"], abs=1e-6)
    assert scores["chordal"] == pytest.approx(scores["kp"], abs=1e-6)
    assert scores["s2"] <= scores["kp"] + 1e-6


@pytest.mark.parametrize(("n", "w"), [(5, 1), (6, 2), (7, 3), (6, 4)])
def test_an_order_makes_the_tables_smaller(n, w):
    tables = kp_module._allocate(n, w, np.zeros((n, 1 << n - 1)), None, np.arange(n)[::-1])
    assert kp_module.bytes_needed(n, w, True) == sum(part.nbytes for part in tables[2:])
    assert kp_module.bytes_needed(n, w, True) < kp_module.bytes_needed(n, w)
