"""Directed graphs: the record, their files, and the certificate of arc lists with false claims."""

import numpy as np
import pytest

from cliquewise.common.certify.arcs import certify_arcs, directed_cycle, order_width
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files.graphfile import ARC_FORMATS, format_graph, write_graph
from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.greedy_elimination import min_degree_order, min_fill_order
from cliquewise.common.graphs.treewidth import treewidth
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.scores.scoring import Scoring
from tests.as_oracles import parents_of
from tests.oracles import networks as oracle
from tests.oracles.families import bdeu_of_family
from tests.random_inputs import arity_of, csv_text, random_dataset, random_edges, random_parents, rows_of
from tests.score_files import write_parent_sets

HEADER = {"score": "-10.500000", "treewidth": "2"}
ODD = ("a", "two words", "x,y", '"q"', "ü", "0")


def random_dag(seed, n, names=None, most=3):
    """A Dag in a random order, each vertex with at most `most` parents."""
    return Dag.from_parents(random_parents(np.random.default_rng(seed), n, most), names)


def shifted(path, names):
    """A file of a Dag on the names in another order."""
    text = path.read_text()
    path.write_text(text.replace(",".join(names), ",".join(names[::-1])))


def test_a_dag_has_parents_an_order_and_a_moral_graph():
    dag = Dag.from_parents([(3,), (0, 2), (), ()], tuple("abcd"))
    assert dag.arcs == ((0, 1), (2, 1), (3, 0)) == dag.edges
    assert dag.parents() == [(3,), (0, 2), (), ()] and dag.order() == (2, 3, 0, 1)
    assert dag.moral() == Graph(4, ((0, 1), (0, 2), (0, 3), (1, 2)), dag.names)
    assert Dag(3, ((0, 1), (1, 0))).order() is None


# ---- files


@pytest.mark.parametrize("fmt", ARC_FORMATS)
@pytest.mark.parametrize("seed", range(4))
def test_round_trip(tmp_path, fmt, seed):
    for dag in (random_dag(seed, 1 + 3 * seed), random_dag(seed, 6, ODD)):
        write_graph(tmp_path / "net", dag, fmt, HEADER, use_names=dag.names is not None)
        file = read_graph(tmp_path / "net")
        assert (file.dag, file.network, file.header) == (dag, dag, HEADER)
        assert file.graph == Graph.from_cliques(dag.n, dag.arcs, dag.names)
        assert file.kind == fmt


def test_an_arc_list_in_full():
    dag = Dag(4, ((0, 2), (3, 0)), ("a", "b", "c", "d e"))
    assert format_graph(dag, "arcs", {"score": "-1"}, use_names=True) == (
        '# score -1\n# format arcs\n# variables 4\n# names a,b,c,"d e"\na,c\n"d e",a\n'
    )
    assert "digraph {" in format_graph(dag, "dot") and "  3 -> 0;" in format_graph(dag, "dot")
    assert 'edgedefault="directed"' in format_graph(dag, "graphml")
    assert '{"directed": true, ' in format_graph(dag, "json")


@pytest.mark.parametrize(
    "text, arcs",
    [
        ("digraph { b -> a; c -> b -> a }", ((1, 0), (2, 1))),  # vertices are numbered as they come: b 0, a 1, c 2
        ("graph { a -- b }", None),
        ("<graphml><graph edgedefault='directed'><node id='0'/><node id='1'/><edge source='1' target='0'/>"
         "</graph></graphml>", ((1, 0),)),
        ("<graphml><graph edgedefault='directed'><node id='0'/><node id='1'/>"
         "<edge source='1' target='0' directed='false'/></graph></graphml>", None),
        ("<graphml><graph><node id='0'/><node id='1'/><edge source='1' target='0' directed='true'/>"
         "</graph></graphml>", ((1, 0),)),
        ('{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 1, "target": 0}]}', ((1, 0),)),
        ('{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 1, "target": 0}]}', None),
    ],
)  # fmt: skip
def test_other_programs_files(tmp_path, text, arcs):
    (tmp_path / "net").write_text(text)
    file = read_graph(tmp_path / "net")
    if arcs is not None and text.startswith("digraph"):
        arcs = ((0, 1), (2, 0))
    assert (file.dag and file.dag.arcs) == arcs


def test_formats_for_the_wrong_kind():
    with pytest.raises(UsageError, match="--format edges is for undirected graphs"):
        format_graph(Dag(2, ()), "edges")
    with pytest.raises(UsageError, match="an undirected graph has no arcs"):
        format_graph(Graph(2, ()), "arcs")


def test_an_elimination_order_follows_the_vertices(tmp_path):
    dag = Dag(3, ((0, 1), (1, 2)), ("a", "b", "c"))
    write_graph(tmp_path / "net", dag, "arcs", {"elimination-order": "0,1,2"}, use_names=True)
    file = read_graph(tmp_path / "net", ("c", "b", "a"))
    assert file.dag.arcs == ((1, 0), (2, 1)) and file.header == {"elimination-order": "2,1,0"}


# ---- treewidth


@pytest.mark.parametrize("seed", range(30))
def test_treewidth_is_that_of_the_oracle(seed):
    n = 3 + seed % 4
    edges = random_edges(seed, n, 0.2 + 0.1 * (seed % 7))
    true = oracle.treewidth(n, frozenset(edges))
    found = treewidth(Graph(n, edges))
    assert (found.lower, found.upper) == (true, true)
    assert order_width(Graph(n, edges), found.order) == true == oracle.width_of_order(n, edges, found.order)
    for target in range(n):
        known = treewidth(Graph(n, edges), target)
        assert known.upper <= target if true <= target else known.lower > target


def grid(side):
    """The square grid; its treewidth is `side`."""
    across = [(side * r + c, side * r + c + 1) for r in range(side) for c in range(side - 1)]
    return Graph(side * side, tuple(sorted(across + [(v, v + side) for v in range(side * side - side)])))


def test_treewidth_of_grids():
    for side in (2, 3, 4):
        found = treewidth(grid(side))
        assert (found.lower, found.upper) == (side, side)
    assert treewidth(grid(5), 5).upper == 5


def test_treewidth_that_no_greedy_order_has():
    """A graph found by chance: the greedy orders have width 5."""
    near = {0: (3, 5, 6), 1: (2, 3, 5, 6, 7), 2: (3, 5, 6, 7), 3: (7,), 4: (7,), 5: (7,), 6: (7,)}
    graph = Graph(8, tuple((u, v) for u, others in near.items() for v in others))
    assert [order_width(graph, order) for order in (min_fill_order(graph), min_degree_order(graph))] == [5, 5]
    for target in (None, 4):
        found = treewidth(graph, target)
        assert (found.lower, found.upper, order_width(graph, found.order)) == (4, 4, 4)
        assert sorted(found.order) == list(range(8))
    assert oracle.treewidth(8, frozenset(graph.edges)) == 4


def test_treewidth_that_takes_too_long_is_left_open():
    found = treewidth(grid(7), 6, work=2000)
    assert found.lower <= 6 < 7 <= found.upper


def test_treewidth_of_a_large_graph():
    order = treewidth(Graph.from_cliques(300, [range(v, v + 4) for v in range(297)]), 3)
    assert (order.lower, order.upper) == (3, 3)


# ---- certificate


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_oracle(seed):
    data, dag = random_dataset(seed), random_dag(seed, 6)
    families = enumerate(dag.parents())
    score = sum(bdeu_of_family(rows_of(data), arity_of(data), v, parent_set, 3.0) for v, parent_set in families)
    width = oracle.treewidth(6, oracle.moral_edges(parents_of(dag)))
    found = certify_arcs(dag, data, Claims(score, treewidth=width), Scoring("bdeu", 3.0))
    assert found.ok and found.score == pytest.approx(score, abs=1e-9)
    wrong = certify_arcs(dag, data, Claims(score + 1e-4, treewidth=width - 1), Scoring("bdeu", 3.0))
    assert [problem.split()[0] for problem in wrong.problems] == ["treewidth", "score"]


@pytest.mark.parametrize("seed", range(20))
def test_cycles_are_found(seed):
    n = 6
    dag = random_dag(seed, n)
    assert directed_cycle(dag) == ()
    backwards = Dag(n, tuple(sorted({*dag.arcs, *((v, u) for u, v in dag.arcs[seed % 3 :: 3])})))
    if backwards.arcs != dag.arcs:
        cycle = directed_cycle(backwards)
        pairs = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        assert len(cycle) > 1 and set(pairs) <= set(backwards.arcs) and cycle[0] == min(cycle)
        assert "not acyclic" in certify_arcs(backwards, None, Claims()).problems[0]


def test_a_treewidth_that_is_left_open_is_reported_as_undecided(run, tmp_path, monkeypatch):
    monkeypatch.setattr("cliquewise.common.graphs.treewidth.MAX_WORK", 2000)
    dag = Dag(49, grid(7).edges)
    found = certify_arcs(dag, None, Claims(treewidth=7))
    assert found.problems == () and not found.ok
    assert found.treewidth.lower <= 7 < found.treewidth.upper
    write_graph(tmp_path / "net", dag, "arcs", {"treewidth": "7"})
    done = run("mntools", "check", tmp_path / "net")
    assert done.code == 1 and done.stdout.startswith("undecided: treewidth 7 claimed, shown is only ")


# ---- mntools


@pytest.fixture
def case(tmp_path):
    """Data of six variables, an arc list on them whose header is true, and a parent-set file of its families."""

    class Case:
        data = random_dataset(3)
        dag = random_dag(12, 6, data.names)
        found = certify_arcs(dag, data, Claims(), Scoring("bdeu", 2.0))
        width, order, score = found.treewidth.upper, found.treewidth.order, found.score
        csv, jkl = str(tmp_path / "data.csv"), str(tmp_path / "net.jkl")

        @staticmethod
        def write(fmt="arcs", dag=None, **changes):
            claims = Claims(Case.score, "bdeu", 2.0, None, Case.width, Case.order).header() | changes
            claims = {key: value for key, value in claims.items() if value is not None}
            write_graph(tmp_path / "net", dag or Case.dag, fmt, claims)
            return str(tmp_path / "net")

    (tmp_path / "data.csv").write_text(csv_text(Case.data))
    parents = [np.array([parent_set], np.int32).reshape(1, -1) for parent_set in Case.dag.parents()]
    scores = []
    for v in range(6):
        alone = Dag.from_parents([parent_set if u == v else () for u, parent_set in enumerate(Case.dag.parents())])
        empty = Dag.from_parents([()] * 6)
        scores.append([certify_arcs(alone, Case.data, Claims(), Scoring("bdeu", 2.0)).score])
        scores[v][0] -= certify_arcs(empty, Case.data, Claims(), Scoring("bdeu", 2.0)).score
    write_parent_sets(Case.jkl, ParentSets(Case.data.names, tuple(parents), tuple(map(np.array, scores))))
    Case.by_file = sum(score for (score,) in scores)
    assert Case.width == 3  # so that there is something to refute
    return Case


@pytest.mark.parametrize("fmt", ARC_FORMATS)
def test_check(run, case, fmt):
    size = f"ok: acyclic, 6 variables, {len(case.dag.arcs)} arcs, treewidth"
    done = run("mntools", "check", case.write(fmt))
    assert (done.code, done.stdout) == (0, f"{size} at most 3, score not checked (no --data)\n")
    done = run("mntools", "check", case.write(fmt, **{"elimination-order": None}), "--data", case.csv)
    assert (done.code, done.stdout) == (0, f"{size} 3, score {case.score:.6f} (bdeu, ess 2)\n")


def test_an_order_shows_only_how_wide_a_network_is_at_most(run, case, tmp_path):
    write_graph(tmp_path / "net", Dag(3, ((0, 1), (1, 2))), "arcs", {"elimination-order": "0,1,2"})
    done = run("mntools", "check", tmp_path / "net")
    assert done.stdout.startswith("ok: acyclic, 3 variables, 2 arcs, treewidth at most 1,"), done.stdout


def test_bounds_that_a_file_states_and_breaks(run, case):
    most = max(map(len, case.dag.parents()))
    for bound, message in ((most, None), (most - 1, f"a vertex with {most} parents, at most {most - 1} claimed")):
        done = run("mntools", "check", case.write(**{"max-parents": str(bound)}))
        assert done.code == (1 if message else 0) and (message or "ok") in done.stdout
    for bound, message in ((0.0, None), (-1e-6, None), (-0.01, "above the upper bound")):
        done = run("mntools", "check", case.write(**{"upper-bound": f"{case.score + bound:.6f}"}))
        assert done.code == (1 if message else 0) and (message or "ok") in done.stdout


def test_check_by_a_parent_set_file(run, case):
    done = run("mntools", "check", case.write(score=f"{case.by_file:.6f}"), "--data", case.jkl)
    assert done.code == 0 and "(score file)" in done.stdout, done.stdout + done.stderr
    done = run("mntools", "score", case.jkl, case.write())
    assert float(done.stdout) == pytest.approx(case.by_file, abs=1e-6)
    fewer = Dag(6, case.dag.arcs[1:], case.dag.names)
    done = run("mntools", "check", case.write(dag=fewer), "--data", case.jkl)
    assert done.code == 1 and "the parent-set file has no score for" in done.stdout


def test_the_message_about_a_wrong_score_names_the_score_recomputed(run, case):
    """The scores of a file may have another ess than the network's, or the data than the file it was learned from."""
    done = run("mntools", "check", case.write(score="-1"), "--data", case.jkl, "-q")
    assert done.code == 1 and done.stdout.endswith(
        f" from {case.jkl}, whose scores may be of another kind or ess (the network's is bdeu, ess 2)\n"
    )
    unnamed = case.write(score="-1", **{"score-type": None, "ess": None})
    done = run("mntools", "check", unnamed, "--data", case.jkl, "-q")
    assert done.stdout.endswith("another kind or ess (the header names no score type)\n")
    done = run("mntools", "check", unnamed, "--data", case.csv, "-q")
    assert done.code == 1 and done.stdout.endswith(
        " as bdeu, ess 1; the header names no score type: give --score and --ess, or a score file\n"
    )


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"max-clique": "3"}, "max-clique claimed of a network that need not be chordal"),
        ({"score-type": "mpl"}, "score-type mpl claimed of a directed graph"),
        ({"status": "nonsense"}, "status 'nonsense', which no learner ends with"),
        ({"score": "-1"}, "score claimed -1.000000, recomputed"),
        ({"treewidth": "2"}, "elimination order of width 3, treewidth 2 claimed"),
        ({"treewidth": "2", "elimination-order": None}, "treewidth 2 claimed, it is at least 3"),
        ({"elimination-order": "0,1,2"}, "elimination order of 3 vertices, there are 6"),
    ],
)
def test_files_with_false_claims(run, case, changes, problem):
    done = run("mntools", "check", case.write(**changes), "--data", case.csv)
    assert done.code == 1 and done.stdout.startswith("wrong: ") and problem in done.stdout


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"elimination-order": "0,1,2,3,4,4"}, "expected the numbers 0 to 5, each once"),
        ({"elimination-order": "none"}, "expected the numbers 0 to 0, each once"),
        ({"treewidth": "-1"}, "'# treewidth -1': expected a whole number from 0"),
    ],
)
def test_headers_that_cannot_be_read(run, case, changes, problem):
    done = run("mntools", "check", case.write(**changes))
    assert done.code == 1 and problem in done.stderr and done.stderr.count("\n") == 1


def test_a_cycle_is_refused(run, case):
    dag = Dag(6, ((0, 1), (1, 2), (2, 0)), case.data.names)
    done = run("mntools", "check", case.write(dag=dag), "--data", case.csv)
    assert (done.code, done.stdout) == (1, "wrong: not acyclic: 0->1->2->0 (x0->x1->x2->x0)\n")
    done = run("mntools", "check", case.write(dag=dag, **{"compelled-arcs": "0"}))
    assert (done.code, done.stderr) == (1, "") and done.stdout.startswith("wrong: not acyclic: 0->1->2->0")
    done = run("mntools", "score", case.csv, case.write(dag=dag))
    assert done.code == 1 and "not acyclic, so it has no score: 0->1->2->0" in done.stderr


def test_score(run, case):
    done = run("mntools", "score", case.csv, case.write(), "-v")
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{case.score:.6f}"
    shown = [
        f"family {v} | {','.join(map(str, parent_set))}".rstrip(" |") for v, parent_set in enumerate(case.dag.parents())
    ]
    assert [line.split(" ", 1)[1] for line in lines[:-1]] == shown


def test_parent_sets_are_for_directed_graphs(run, case, tmp_path):
    (tmp_path / "net.edges").write_text("0,1\n")
    for command in (("score", case.jkl, tmp_path / "net.edges"), ("check", tmp_path / "net.edges", "--data", case.jkl)):
        done = run("mntools", *command)
        assert done.code == 1 and "an undirected graph needs data or clique scores" in done.stderr
    done = run("lsmarkov", case.jkl)
    assert done.code == 1 and "parent-set scores; expected data or clique scores" in done.stderr


def test_convert(run, case):
    arcs = run("mntools", "convert", case.write(), "--format", "json").stdout
    done = run("mntools", "convert", "-", "--format", "arcs", input=arcs.encode())
    assert done.stdout == format_graph(case.dag, "arcs", Claims(
        case.score, "bdeu", 2.0, None, case.width, case.order).header())  # fmt: skip
    done = run("mntools", "convert", case.write(), "--format", "edges")
    assert "score " not in done.stdout and "treewidth" not in done.stdout and "# format edges" in done.stdout
    done = run("mntools", "convert", "-", "--format", "arcs", input=b"0,1\n")
    assert done.code == 2 and "an undirected graph has no arcs" in done.stderr


def test_missing_scores_and_sets_of_another_file():
    sets = ParentSets(("a", "b"), (np.zeros((1, 0), np.int32),) * 2, (np.array([-1.0]),) * 2)
    assert certify_arcs(Dag(2, ()), sets, Claims(-2.0)).ok
    found = certify_arcs(Dag(2, ((0, 1),)), sets, Claims())
    assert found.problems == ("the parent-set file has no score for 'b' with a",)
    with pytest.raises(DataError, match="elimination-order"):
        Claims.read({"elimination-order": "1,2"}, "net")
