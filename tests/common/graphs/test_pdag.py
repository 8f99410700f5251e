"""CPDAGs against the class they stand for, distances by hand, and the files of both."""

import numpy as np
import pytest

from cliquewise.common.files.graphfile import ARC_FORMATS, PDAG_FORMATS, format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.knowledge import class_of, knowledge_of
from cliquewise.common.graphs.pdag import Pdag, cpdag, structural_distance, with_directions
from cliquewise.common.graphs.statements import Statements
from cliquewise.common.models.any_graph import parse_graph
from tests.oracles.equivalence import equivalence_class
from tests.oracles.knowledge import agrees
from tests.random_inputs import random_arcs


def random_dag(rng):
    n = int(rng.integers(1, 7))
    return Dag(n, random_arcs(rng, n, 0.6)[:9])


def test_cpdags_are_those_of_their_classes():
    rng = np.random.default_rng(1)
    for _ in range(400):
        dag = random_dag(rng)
        members = equivalence_class(dag.n, dag.arcs)
        agreed = set.intersection(*members)
        found = cpdag(dag)
        assert set(found.arcs) == agreed
        assert {frozenset(e) for e in found.undirected} == {frozenset(e) for e in set(dag.arcs) - agreed}
        for member in members[:5]:
            assert cpdag(Dag(dag.n, tuple(sorted(member)))) == found


def test_distances():
    chain, turned = Dag(3, ((0, 1), (1, 2))), Dag(3, ((1, 0), (2, 1)))
    collider, fewer = Dag(3, ((0, 1), (2, 1))), Dag(3, ((0, 1),))
    for one, other, wanted, of_classes in (
        (chain, chain, (0, 0, 0), 0),
        (chain, turned, (0, 0, 2), 0),
        (chain, collider, (0, 0, 1), 2),
        (fewer, chain, (1, 0, 0), 1),
        (collider, fewer, (0, 1, 0), 2),
    ):
        found = structural_distance(one, other)
        assert tuple(found.values()) == (*wanted, sum(wanted)), (one, other)
        assert structural_distance(cpdag(one), cpdag(other))["shd"] == of_classes


@pytest.mark.parametrize("fmt", PDAG_FORMATS)
def test_files(fmt):
    rng = np.random.default_rng(2)
    kinds = set()
    for _ in range(100):
        dag = random_dag(rng)
        if not dag.arcs or {*range(dag.n)} != {v for arc in dag.arcs for v in arc}:
            continue
        found = cpdag(Dag(dag.n, dag.arcs, tuple("abcdef"[: dag.n])))
        file = parse_graph(format_graph(found, fmt), "net", found.names)
        kind = (bool(found.arcs), bool(found.undirected))
        kinds.add(kind)
        if all(kind):
            assert file.pdag == found and file.dag is None and len(file.graph.edges) == len(dag.arcs)
        elif found.arcs:
            assert file.dag == Dag(found.n, found.arcs, found.names) and file.pdag is None
        else:
            assert file.graph.edges == found.undirected and file.dag is None and file.pdag is None
    assert len(kinds) == 3


def test_other_formats_are_refused():
    some = Pdag(3, ((0, 1),), ((1, 2),))
    for fmt in {"cliques", "edges", *ARC_FORMATS} - {*PDAG_FORMATS}:
        with pytest.raises(Exception, match=f"only some edges have a direction, which --format {fmt} cannot hold"):
            format_graph(some, fmt)


def test_commands(run, refuse, here):
    texts = {
        "chain": "[a][b|a][c|b]",
        "collider": "[a][c][b|a:c]",
        "mixed": "[a][c][b|a:c][d|c]",
        "x": "[a][b|a][c][d]",
    }
    for name, text in texts.items():
        (here / f"{name}.modelstring").write_text(text)
    done = run(*"mntools compare chain.modelstring collider.modelstring".split())
    assert done.stdout == (
        "tp 2 fp 0 fn 0 hamming 0 precision 1.0 recall 1.0 f1 1.0 missing 0 extra 0 reversed 1 shd 1 shd-cpdag 2\n"
    )
    for ending in ("dot", "graphml", "csv", "adjacency"):
        assert run(*f"mntools convert mixed.modelstring --to cpdag -o mixed.{ending}".split()).code == 0
        done = run(*f"mntools compare mixed.{ending} mixed.modelstring".split())
        assert "hamming 0" in done.stdout and done.stdout.endswith("reversed 1 shd 1 shd-cpdag 0\n")
        assert run(*f"mntools convert mixed.{ending} --format csv -q".split()).stdout == (
            "source,target,type\na,b,Directed\nc,b,Directed\nc,d,Undirected\n"
        )
    (here / "cycle.arcs").write_text("0,1\n1,2\n2,0\n")
    assert run(*"mntools compare cycle.arcs cycle.arcs".split()).stdout.endswith("reversed 0 shd 0\n")
    (here / "plain.edges").write_text("# variables 3\n0,1\n")
    assert "shd" not in run(*"mntools compare plain.edges cycle.arcs".split()).stdout
    refuse("mntools convert cycle.arcs --to cpdag -o y.dot", 1, "cycle.arcs: a directed cycle, so there is no CPDAG")
    refuse("mntools convert plain.edges --to cpdag -o y.dot", 1, "plain.edges: an undirected network; only a directed")
    refuse("mntools convert chain.modelstring --to cpdag", 2, "--to has no effect with --format cliques;")
    refuse("mntools convert mixed.dot --format arcs --to cpdag", 2, "--to has no effect with --format arcs;")


def test_known_directions_leave_what_all_members_agree_on():
    """Meek's rules against the members of the class that have the arcs known."""
    rng = np.random.default_rng(2)
    for _ in range(400):
        dag = random_dag(rng)
        known = {arc for arc in dag.arcs if rng.random() < 0.3}
        members = [member for member in equivalence_class(dag.n, dag.arcs) if known <= member]
        agreed = set.intersection(*members)
        found = with_directions(cpdag(dag), sorted(known))
        assert set(found.arcs) == agreed
        assert {frozenset(e) for e in found.undirected} == {frozenset(e) for e in set(dag.arcs) - agreed}


def test_the_class_under_knowledge():
    """Members agree with tiers and forbidden arcs, which take directions away, not edges."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        dag = random_dag(rng)
        order, n = dag.order(), dag.n
        tier = {v: i * 3 // n for i, v in enumerate(order)}
        tiers = tuple(tuple(v for v in order if tier[v] == i) for i in range(3))
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (u, v) not in dag.arcs]
        forbidden = tuple(arc for arc in pairs if rng.random() < 0.2)
        stated = Statements(tiers=tiers, without_arcs=(False,) * 3, forbidden_arcs=forbidden)
        oracle = {"tiers": [(set(one), True) for one in tiers], "forbidden_arcs": set(forbidden)}
        members = [
            member
            for member in equivalence_class(n, dag.arcs)
            if agrees([frozenset(u for u, w in member if w == v) for v in range(n)], oracle)
        ]
        agreed = set.intersection(*members)
        assert set(class_of(dag, knowledge_of(stated, n)).arcs) == agreed
