"""`--allowed-edges` in lsmarkov and junctor: against every chordal graph within the edges, and on the command line."""

import itertools

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.scores.allowed import complete_sets
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.junctor import dynamic_program
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config as Exact
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as local_search
from tests.commands import ROOT
from tests.learning import learned
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, clique_scores, random_dataset, random_edges, random_set_scores, rows_of


def random_graph(seed, n, share=0.6):
    """A graph that need not be chordal, on n vertices."""
    return Graph(n, random_edges(seed, n, share))


def learners(max_clique, allowed):
    """Each learner as a function of a source."""
    search = Search(max_clique=max_clique, allowed=allowed)
    published = Search("ecai2020", max_clique, restart_rate=20, allowed=allowed)
    return {
        "junctor": lambda source: learned(junctor.learn, source, Exact(max_clique, allowed=allowed)),
        "lsmarkov": lambda source: learned(local_search, source, search, iterations=30_000),
        "lsmarkov --preset ecai2020": lambda source: learned(local_search, source, published, iterations=8_000),
    }


@pytest.mark.parametrize("seed", range(8))
def test_the_best_network_within_the_edges(seed, monkeypatch):
    if seed % 2:
        monkeypatch.setattr(dynamic_program, "BOUNDS_FROM", 2)  # so that junctor leaves out sets by its bounds too
    n, bound = 5, (None, 3)[seed // 2 % 2]
    data, allowed = random_dataset(seed, n_vars=n), random_graph(seed, n)
    table = random_set_scores(seed, n)
    sources = [
        (data, set_score(rows_of(data), arity_of(data), "bdeu", 1.0)),
        (clique_scores(table, n, n), lambda members: table[frozenset(members)]),
    ]
    for source, score in sources:
        best, _ = best_chordal(n, score, bound, allowed.edges)
        for name, learner in learners(bound, allowed).items():
            result = learner(source)
            assert result.score == pytest.approx(best, abs=1e-7), name
            assert certify(result.graph, source, claimed=result.score, max_clique=bound).ok, name
            assert {*result.graph.edges} <= {*allowed.edges}, name


def test_scores_of_sets_with_another_pair_are_minus_infinity():
    data, allowed = random_dataset(3, n_vars=6), random_graph(3, 6)
    free, held = SetScorer(data), SetScorer(data, allowed=allowed)
    for size in range(4):
        for members in itertools.combinations(range(6), size):
            inside = all(pair in allowed.edges for pair in itertools.combinations(members, 2))
            assert held.score(members) == (free.score(members) if inside else -np.inf)


def test_complete_sets():
    for n in (1, 5, 9):
        graph = random_graph(n, n)
        for mask, found in enumerate(complete_sets(np.arange(1 << n, dtype=np.uint64), graph)):
            members = [v for v in range(n) if mask >> v & 1]
            assert found == all(pair in graph.edges for pair in itertools.combinations(members, 2))


def test_a_start_with_another_edge_is_refused():
    search = Search(init=Graph(5, ((0, 1), (1, 2))), init_path="start", allowed=Graph(5, ((0, 1),)))
    with pytest.raises(UsageError, match="--init start: edge 1,2 is not allowed"):
        learned(local_search, random_dataset(1, n_vars=5), search)


def test_forced_coarsening_restricts_the_searches(run, tmp_path):
    """The README's pipeline: the edges of fic hold the network that both searches then find."""
    wine, edges = ROOT / "data/wine.csv", tmp_path / "net.edges"
    bound = ("-q", "--max-clique", 4)
    assert run("coarsen", wine, *bound, "--method", "fic", "--forced", 2, "--format", "edges", "-o", edges).code == 0
    found = []
    for words in (("junctor",), ("lsmarkov", "--iterations", 100_000)):
        out = tmp_path / words[0]
        assert run(*words, wine, *bound, "--allowed-edges", edges, "-o", out).code == 0
        found.append(read_graph(out))
        assert {*found[-1].graph.edges} <= {*read_graph(edges).graph.edges}
    assert found[0].header["score"] == found[1].header["score"]
    assert found[0].header["allowed-edges"] == str(len(read_graph(edges).graph.edges))
