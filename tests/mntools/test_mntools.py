"""The mntools command: output, errors and pictures of each subcommand."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.drawing.picture import _wrapped
from cliquewise.common.drawing.strength import edge_strengths
from cliquewise.common.files.graphfile import write_graph
from cliquewise.common.files.result_header import Claims
from cliquewise.common.files.scorefile import CliqueScores, colex_masks
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.scores.scoring import Scoring
from tests.random_inputs import csv_text, random_dataset
from tests.score_files import write_scores


@pytest.fixture
def case(tmp_path):
    """Data of six variables, a chordal graph on them, and files of both; the graph's header is true."""

    class Case:
        data = random_dataset(2, n_vars=6)
        graph = Graph.from_cliques(6, [(0, 1, 2), (1, 2, 3), (4,), (5,)], data.names)
        score = certify(graph, data, Scoring("bdeu", 10.0)).score
        csv, file = str(tmp_path / "data.csv"), str(tmp_path / "net.cliques")
        header = {"score": f"{score:.6f}", "score-type": "bdeu", "ess": "10", "max-clique": "3"}

        @staticmethod
        def write(fmt="cliques", name="net.cliques", graph=None, use_names=False, **header):
            path = str(tmp_path / name)
            write_graph(path, graph or Case.graph, fmt, Case.header | header, use_names)
            return path

        @staticmethod
        def text(content, name="net.txt"):
            path = tmp_path / name
            path.write_text(content)
            return str(path)

    (tmp_path / "data.csv").write_text(csv_text(Case.data))
    Case.write()
    return Case


# ---- score


def test_score(run, case):
    done = run("mntools", "score", case.csv, case.file, "--ess", "10", "-q")
    assert (done.code, done.stdout, done.stderr) == (0, f"{case.score:.6f}\n", "")
    done = run("mntools", "score", case.csv, case.file)
    assert done.stdout == f"{case.score:.6f}\n" and "scored by bdeu, ess 10 as in the graph's header" in done.stderr


def test_a_score_as_json(run, case):
    words = ("mntools", "score", case.csv, case.file, "--format", "json", "-q")
    found = json.loads(run(*words).stdout)
    assert found == {"score": round(case.score, 6), "score-type": "bdeu", "ess": 10}
    assert json.loads(run(*words, "--score", "ebic", "--gamma", "0.5").stdout)["gamma"] == 0.5
    terms = json.loads(run("mntools", "score", case.csv, case.file, "--format", "json", "-v").stdout)["terms"]
    assert [one["term"] for one in terms][:2] == ["clique 0,1,2", "clique 1,2,3"]
    assert sum(one["score"] for one in terms) == pytest.approx(case.score, abs=1e-5)


def test_a_score_of_minus_infinity_is_null(run, case, tmp_path):
    write_scores(tmp_path / "s", CliqueScores(2, 2, colex_masks(2, 2), np.array([0.0, -1, -2, -np.inf])))
    done = run("mntools", "score", tmp_path / "s", case.text("# variables 2\n0,1\n"), "--format", "json", "-q")
    assert (done.code, done.stdout) == (0, '{"score": null}\n'), done.stderr


def test_a_verdict_as_json(run, case):
    """The line that is printed as text, in two parts, with the same exit code."""
    for header, code, verdict in (({}, 0, "ok"), ({"score": "-1"}, 1, "wrong")):
        words = ("mntools", "check", case.write(**header), "--data", case.csv, "-q")
        done, text = run(*words, "--format", "json"), run(*words).stdout
        found = json.loads(done.stdout)
        assert (done.code, found["verdict"]) == (code, verdict) and f"{verdict}: {found['details']}\n" == text


@pytest.mark.parametrize("kind", ["bdeu", "bic", "ll", "aic", "qnml"])
def test_score_types(run, case, kind):
    done = run("mntools", "score", case.csv, case.file, "--score", kind, *(["--ess", "2"] * (kind == "bdeu")))
    assert float(done.stdout) == pytest.approx(certify(case.graph, case.data, Scoring(kind, 2.0)).score, abs=1e-6)


def test_score_by_default(run, case):
    done = run("mntools", "score", case.csv, case.text("0,1\n"))
    assert float(done.stdout) == pytest.approx(certify(Graph(6, ((0, 1),)), case.data).score, abs=1e-6)
    assert "scored by bdeu, ess 1 by default" in done.stderr


@pytest.mark.parametrize(
    "options, message",
    [
        ("--score bdeu --ess 10", None),
        ("--score bic", None),
        ("--score bdeu", "ess 10 as in the graph's header"),
        ("--ess 2", "bdeu as in the graph's header"),
    ],
)
def test_settings_that_options_leave_open_are_logged(run, case, options, message):
    done = run("mntools", "score", case.csv, case.file, *options.split())
    assert f"scored by {message}" in done.stderr if message else "scored by" not in done.stderr


def test_score_table(run, case):
    lines = run("mntools", "score", case.csv, case.file, "-v").stdout.splitlines()
    assert [line.split(" ", 1)[1] for line in lines[:-1]] == [
        "clique 0,1,2", "clique 1,2,3", "clique 4", "clique 5",
        "separator 1,2",
    ]  # fmt: skip
    assert sum(float(line.split()[0]) for line in lines[:-1]) == pytest.approx(float(lines[-1]), abs=1e-5)


def test_score_from_standard_input(run, case):
    expected = f"{case.score:.6f}\n"
    assert run("mntools", "score", "-", case.file, input=csv_text(case.data).encode()).stdout == expected
    assert run("mntools", "score", case.csv, "-", input=Path(case.file).read_bytes()).stdout == expected
    done = run("mntools", "score", "-", "-")
    assert done.code == 2 and "standard input can be read only once" in done.stderr


def test_score_by_a_score_file(run, case, tmp_path):
    masks = colex_masks(6, 3)
    sets = [[v for v in range(6) if int(mask) >> v & 1] for mask in masks]
    values = np.array([set_score(case.data, s, Scoring("bdeu", 10.0)) for s in sets])
    write_scores(tmp_path / "s.score", CliqueScores(6, 3, masks, values))
    done = run("mntools", "score", tmp_path / "s.score", case.file)
    assert (done.stdout, done.stderr) == (f"{case.score:.6f}\n", "")
    done = run("mntools", "check", case.file, "--data", tmp_path / "s.score")
    assert done.code == 0 and "(score file)" in done.stdout


@pytest.mark.parametrize(
    "graph, message",
    [
        ("0,1\n1,2\n2,3\n0,3\n", "net.txt: not chordal, so it has no such score: chordless cycle 0-1-2-3"),
        ("0,9\n", "net.txt:1: unknown vertex 9; vertices are 0 to 5"),
        ("0,y\n", "net.txt:1: unknown vertex 'y'"),
        ("# variables 7\n0,1\n", "net.txt: the graph has 7 vertices but the data has 6 variables"),
        ("# ess none\n0,1\n", "net.txt: '# ess none': expected a number"),
        ("# score-type hq\n0,1\n", "net.txt: '# score-type hq': expected one of bdeu, bic, ll, aic, ebic, qnml"),
        ("# max-clique 0\n0,1\n", "net.txt: '# max-clique 0': expected a whole number from 1"),
        ("# score inf\n0,1\n", "net.txt: '# score inf': expected a number"),
        ("", "net.txt: the file is empty"),
    ],
)
def test_score_refusals(run, case, graph, message):
    done = run("mntools", "score", case.csv, case.text(graph), "-q")
    assert done.code == 1 and message in done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1


# ---- check


@pytest.mark.parametrize("fmt", ["cliques", "edges", "dot", "graphml", "json"])
def test_check(run, case, fmt):
    path = case.write(fmt, "net")
    size = "ok: chordal, 6 variables, 5 edges, largest clique 3"
    done = run("mntools", "check", path)
    assert (done.code, done.stdout) == (0, f"{size}, score not checked (no --data)\n")
    done = run("mntools", "check", path, "--data", case.csv)
    assert (done.code, done.stdout) == (0, f"{size}, score {case.score:.6f} (bdeu, ess 10)\n")


def test_check_names(run, case):
    path = case.write(use_names=True)
    assert run("mntools", "check", path, "--data", case.csv).code == 0
    done = run("mntools", "check", case.text("x0,x1\nx1,x2\nx0,x2\n", "a.cliques"), "--data", case.csv, "-q")
    assert "clique 0,1 (x0,x1) is inside 0,1,2 (x0,x1,x2)" in done.stdout


def test_check_without_a_claim(run, case):
    done = run("mntools", "check", case.text("0,1\n"), "--data", case.csv, "--score", "bic")
    score = certify(Graph(6, ((0, 1),)), case.data, Scoring("bic")).score
    assert done.stdout.endswith(f"largest clique 2, score {score:.6f} (bic), none claimed\n")


def test_a_result_checks_without_its_options(run, tmp_path):
    """Score type, ess and the treatment of missing cells are in the header; options that are given win."""
    table, net = tmp_path / "t.csv", tmp_path / "net"
    table.write_text("a,b,c\n" + "0,0,1\n1,1,0\n?,1,1\n0,?,0\n" * 20)
    for rule in ("state", "drop"):
        for scoring in (["--ess", "7"], ["--score", "bic"], ["--score", "ll"]):
            made = run("lsmarkov", table, "--missing", rule, *scoring, "--iterations", 500, "-q", "-o", net)
            assert made.code == 0, made.stderr
            done = run("mntools", "check", net, "--data", table)
            assert done.code == 0 and done.stdout.startswith("ok: "), done.stdout + done.stderr
            assert f"missing cells: {rule}, as in the graph's header" in done.stderr
            assert run("mntools", "score", table, net, "-q").stdout in net.read_text().replace("# score ", "")
        other = run("mntools", "check", net, "--data", table, "--missing", {"state": "drop", "drop": "state"}[rule])
        assert other.code == 1 and other.stdout.startswith("wrong: score claimed")
    refused = run("mntools", "check", net, "--data", table, "--missing", "refuse", "-q")
    assert refused.code == 1 and "missing value '?'" in refused.stderr
    net.write_text("# missing guess\n# variables 3\n0,1\n")
    guessed = run("mntools", "check", net, "--data", table, "-q")
    assert guessed.code == 1 and "'# missing guess': expected refuse, state, drop or em" in guessed.stderr


def test_check_finds_false_claims(run, case):
    def verdict(path, *args):
        done = run("mntools", "check", path, *args)
        assert done.code == 1 and done.stdout.count("\n") == 1
        return done.stdout

    wrong = f"{case.score - 1:.6f}"
    expected = f"wrong: score claimed {wrong}, recomputed {case.score:.6f}\n"
    assert verdict(case.write(score=wrong), "--data", case.csv) == expected
    assert "score claimed" in verdict(case.write(), "--data", case.csv, "--ess", "1")
    assert "clique 0,1,2 has 3 vertices, at most 2 claimed" in verdict(case.write(**{"max-clique": "2"}))
    assert verdict(case.text("0,1,2\n1,2\n")) == "wrong: clique 1,2 is inside 0,1,2\n"
    assert verdict(case.text("0,1,2\n2,3\n1,2,0\n")) == "wrong: clique 0,1,2 is listed twice\n"
    assert verdict(case.text("# variables 4\n0,1,2\n")) == "wrong: clique 3 is not listed\n"
    assert verdict(case.text("0,3\n3,5\n2,5\n0,2\n")) == "wrong: not chordal: chordless cycle 0-2-5-3\n"
    assert verdict(case.text("# max-clique 1\n0,1,2\n1,2\n")).count(";") == 1


@pytest.mark.parametrize(
    "lines, message",
    [
        ({"status": "nonsense"}, "status 'nonsense', which no learner ends with"),
        ({"gap": "77"}, "gap 77.000000 claimed without the upper bound"),
        ({"upper-bound": "0", "gap": "77"}, "gap claimed 77.000000, upper bound less score is"),
        ({"upper-bound": "-9999", "gap": "0"}, ", above the upper bound -9999.000000"),
        ({"upper-bound": "0", "status": "optimal"}, "status 'optimal' claimed, but the upper bound is"),
        ({"status": "gap reached"}, "status 'gap reached' claimed without the upper bound"),
        ({"status": "optimal given the blankets"}, "blankets claimed of a score that is not a sum over these"),
        ({"treewidth": "0"}, "treewidth claimed of an undirected graph"),
        ({"threshold": "1"}, "threshold claimed of a bdeu score, which has none"),
        ({"required-edges": "6"}, "6 required edges claimed, the graph has 5"),
        ({"allowed-edges": "4"}, "4 allowed edges claimed, the graph has 5"),
        ({"forbidden-edges": "11"}, "11 forbidden edges claimed, only 10 are absent"),
        ({"required-edges": "two"}, "'# required-edges two': expected a whole number"),
        ({"seed": "banana"}, "'# seed banana': expected a whole number"),
        ({"climb": "maybe"}, "'# climb maybe': expected yes or no"),
        ({"data-sha256": "12"}, "'# data-sha256 12': expected 64 hexadecimal digits"),
    ],
)
def test_claims_that_contradict_each_other_are_wrong(run, case, lines, message):
    for data in ((), ("--data", case.csv)):
        done = run("mntools", "check", case.write(**lines), *data)
        assert done.code == 1 and done.stdout.startswith("wrong: ") and message in done.stdout, done.stdout


@pytest.mark.parametrize(
    "lines, message",
    [
        ({"combine": "xor"}, "'# combine xor': expected hc, pbo, and or or"),
        ({"combine": "or", "status": "local optimum"}, "status 'local optimum' claimed, with which combine or"),
        ({"combine": "hc", "status": "combined"}, "status 'combined' claimed, with which combine hc does not end"),
        ({"combine": "and", "status": "optimal given the blankets"}, "with which combine and does not end"),
        ({"combine": "hc", "bound-given-blankets": "0"}, "bound-given-blankets claimed of combine hc"),
        ({"combine": "hc", "blankets": "l1lr"}, "combine hc claimed of blankets by l1lr, which have no score"),
        ({"blankets": "lasso"}, "'# blankets lasso': expected l1lr"),
        ({"combine": "hc", "score-type": "bdeu"}, "combine hc claimed of a network that is not of blankets"),
    ],
)
def test_false_claims_about_combined_blankets(run, case, lines, message):
    path = case.write(**{"score-type": "mpl", "prior": "uniform"} | lines)
    done = run("mntools", "check", path, "-q")
    assert done.code == 1 and done.stdout.startswith("wrong: ") and message in done.stdout, done.stdout


@pytest.mark.parametrize("value", ["-1", "nan", "1e999", "1_0"])
def test_a_gap_is_a_number(run, case, value):
    done = run("mntools", "check", case.write(gap=value))
    assert done.code == 1 and f"'# gap {value}': expected a number from 0" in done.stderr


def test_a_bound_of_many_digits(run, case):
    done = run("mntools", "check", case.write(**{"max-clique": "9" * 400}), "-q")
    assert done.code == 1 and "expected a whole number from 1" in done.stderr and "internal" not in done.stderr


def test_what_is_not_checked_is_named(run, case):
    score = f"{case.score:.6f}"
    proof = {"status": "optimal", "upper-bound": score, "gap": "0.000000"}
    done = run(
        "mntools", "check", case.write(**proof, **{"required-edges": "2", "quality": "best"}), "--data", case.csv
    )
    end = "; not checked: status optimal, upper-bound, gap (no --certificate), required-edges, 'quality'\n"
    assert done.code == 0 and done.stdout.endswith(f"score {score} (bdeu, ess 10){end}")
    made = {"separator": "comma", "status": "time limit", "seed": "1", "program": "lsmarkov", "version": "0.1.0"}
    assert "not checked" not in run("mntools", "check", case.write(**made), "--data", case.csv).stdout


def test_probabilities_claim_no_score_and_have_no_certificate(run, case):
    text = "# format edges\n# columns u,v,probability\n# variables 6\n0,1,0.5\n"
    for line, key in (("# score -1\n", "score"), ("# status optimal\n", "status"), ("# gap 0\n", "gap")):
        done = run("mntools", "check", case.text(line + text), "--data", case.csv)
        assert done.code == 1 and f"wrong: {key} claimed of a list of edge probabilities" in done.stdout
    done = run("mntools", "check", case.text("# status complete\n" + text), "--data", case.csv)
    assert done.code == 0 and done.stdout == "ok: probabilities of 1 edge, 6 variables; not checked: probabilities\n"
    done = run("mntools", "check", case.text("# error-of-other-edges high\n" + text))
    assert done.code == 1 and "'# error-of-other-edges high': expected a number" in done.stdout
    done = run("mntools", "check", case.text(text), "--data", case.csv, "--certificate", case.text("nonsense", "proof"))
    assert done.code == 1 and "edge probabilities are not a network with a score" in done.stderr


def test_claims_that_the_data_cannot_confirm(run, case):
    """A fingerprint of a file of scores, as the header names no score type; and observed cells, where all are."""
    lines, score = {"data-sha256": "0" * 64}, ("--score", "bdeu", "--ess", 10)
    text = Path(case.write(**lines)).read_text()
    untyped = "".join(line for line in text.splitlines(True) if not line.startswith("# score-type"))
    done = run("mntools", "check", case.text(untyped, "untyped"), "--data", case.csv, *score)
    assert done.code == 0 and done.stdout.endswith("; not checked: data-sha256\n"), done.stdout
    done = run("mntools", "check", case.write(**{"log-likelihood": "5"}), "--data", case.csv)
    assert done.code == 0 and done.stdout.endswith("; not checked: log-likelihood\n")
    done = run("mntools", "check", case.write(**{"score-type": "mpl", "edge-prior": "0.9"}))
    assert done.code == 1 and "edge-prior claimed of a mpl score, which has none" in done.stdout


def test_edges_of_prior_probability_zero_and_one_of_any_graph(run, workplace):
    rows = "".join(f"{k & 1},{k >> 1 & 1},{k >> 2 & 1}\n" for k in range(8))
    workplace({"d.csv": "a,b,c\n" + rows, "priors": "1,0,0\n1,2,1\n", "g": "# variables 3\n0,1\n",
               "h": "# format arcs\n# variables 3\n1,0\n2,1\n"})  # fmt: skip
    given = "--data", "d.csv", "--edge-priors", "priors"
    for graph in ("g", "h"):
        done = run("mntools", "check", graph, *given)
        assert done.code == 1 and "edge 0-1 (a-b) has prior probability 0" in done.stdout
        assert ("edge 1-2 (b-c) of prior probability 1 is missing" in done.stdout) == (graph == "g")
        done = run("mntools", "score", "d.csv", graph, "--edge-priors", "priors")
        assert done.code == 1 and f"{graph}: edge 0-1 (a-b) has prior probability 0: it has no score" in done.stderr
    done = run("mntools", "score", "d.csv", "g", "--score", "mpl", "--edge-prior", "0.3")
    assert done.code == 2 and "--edge-prior" in done.stderr and "--score mpl" in done.stderr, done.stderr


def test_a_directed_graph_made_undirected_claims_no_proof(run, workplace):
    workplace({"a.arcs": "# score -5\n# upper-bound -5\n# gap 0\n# status optimal\n# format arcs\n0,1\n"})
    made = run("mntools", "convert", "a.arcs", "--format", "edges").stdout
    assert "status" not in made and "gap" not in made and "0,1\n" in made


# ---- best


@pytest.mark.parametrize(
    "line, other",
    [("gamma", "3"), ("edge-prior", "0.9"), ("edge-priors", "a" * 64), ("data-sha256", "b" * 64), ("ess", "2")],
)
def test_scores_that_do_not_compare(run, workplace, line, other):
    """Fingerprints of data count only where both networks have one."""
    top = "# score -1\n# score-type ebic\n" if line == "gamma" else "# score -1\n# score-type bdeu\n"
    sha = f"# data-sha256 {'c' * 64}\n" if line == "data-sha256" else ""
    workplace({"a": f"{top}{sha}0,1\n", "b": f"{top}# {line} {other}\n0,1\n", "c": f"{top}0,1\n"})
    done = run("mntools", "best", "a", "b")
    assert done.code == 1 and f"b: '# {line} {other}', but" in done.stderr and "do not compare" in done.stderr
    assert run("mntools", "best", "a", "c").code == 0


def test_networks_learned_with_probabilities_of_edges(run, workplace):
    rows = "".join(f"{k & 1},{k & 1 ^ (k == 3)},{k >> 2 & 1}\n" for k in range(8))
    workplace({"d.csv": "a,b,c\n" + rows, "priors": "0,2,0.9\n"})
    assert run("lsmarkov", "d.csv", "--iterations", 50, "--edge-priors", "priors", "-o", "net").code == 0
    done = run("mntools", "best", "net", "--data", "d.csv", "--edge-priors", "priors")
    assert done.code == 0 and done.stdout == Path("net").read_text()
    assert "give it with --edge-priors" in run("mntools", "best", "net", "--data", "d.csv").stderr


# ---- compare


def test_compare(run, case):
    learned, truth = case.text("0,1\n1,2\n2,3\n0,4\n", "a"), case.text("0,1\n1,2\n1,3\n", "b")
    done = run("mntools", "compare", learned, truth)
    assert done.stdout == "tp 2 fp 2 fn 1 hamming 3 precision 0.5 recall 0.666667 f1 0.571429\n"
    counts = json.loads(run("mntools", "compare", learned, truth, "--format", "json").stdout)
    assert (counts["tp"], counts["hamming"], counts["recall"]) == (2, 3, 0.666667)
    done = run("mntools", "compare", "-", truth, input=b"0,1\n1,2\n1,3\n")
    assert done.stdout == "tp 3 fp 0 fn 0 hamming 0 precision 1.0 recall 1.0 f1 1.0\n"
    nothing = case.text("# variables 3\n", "c")
    assert run("mntools", "compare", nothing, nothing).stdout.endswith("precision 1.0 recall 1.0 f1 1.0\n")


def test_compare_matches_names(run, case):
    learned, truth = case.text("graph {a--b; c}", "a"), case.text("graph {c; b--a}", "b")
    assert run("mntools", "compare", learned, truth).stdout.startswith("tp 1 fp 0 fn 0 ")
    by_index = case.text("# variables 3\n0,1\n", "c")
    assert run("mntools", "compare", learned, by_index).stdout.startswith("tp 1 fp 0 fn 0 ")


def test_compare_with_standard_input_and_lists_of_names(run, case):
    learned, truth = case.text("graph {a--b; c}", "a"), case.text("b,a\na,c\n", "b")
    for words, text in (((learned, "-"), b"graph {c; b--a; a--c}"), ((learned, truth), b"")):
        done = run("mntools", "compare", *words, input=text)
        assert done.stdout.startswith("tp 1 fp 0 fn 1 "), done.stderr
    assert run("mntools", "compare", learned, case.text("a,d\n", "b")).code == 1


@pytest.mark.parametrize(
    "first, second, message",
    [
        ("graph {a b c}", "graph {a b d}", "variable 'c' is not in the other graph; if it has no edge there, write"),
        ("graph {a b}", "graph {a b c}", "variable 'c' is not in the other graph; if it has no edge there, write"),
        ("# variables 3\n0,1\n", "# variables 4\n0,1\n", "3 vertices, but 4 in"),
    ],
)
def test_compare_refusals(run, case, first, second, message):
    done = run("mntools", "compare", case.text(first, "a"), case.text(second, "b"))
    assert done.code == 1 and message in done.stderr and done.stdout == ""


# ---- convert


@pytest.mark.parametrize("fmt", ["cliques", "edges", "dot", "graphml", "json"])
def test_convert(run, case, fmt, tmp_path):
    out = str(tmp_path / "out")
    done = run("mntools", "convert", case.file, "--format", fmt, "--names", "--data", case.csv, "-o", out, "-q")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert (read_graph(out).graph, read_graph(out).header) == (case.graph, case.header)
    back = run("mntools", "convert", out, "--format", "cliques", "--indices")
    assert back.stdout == Path(case.file).read_text()
    assert (
        run("mntools", "convert", "-", "--format", "cliques", "--indices", input=Path(out).read_bytes()).stdout
        == back.stdout
    )


# ---- draw


@pytest.mark.parametrize("suffix, magic", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_draw(run, case, tmp_path, suffix, magic):
    pytest.importorskip("matplotlib")
    paths = [str(tmp_path / f"{i}.{suffix}") for i in range(2)]
    for path in paths:
        done = run("mntools", "draw", case.file, "--data", case.csv, "-o", path, "-q")
        assert (done.code, done.stdout, done.stderr) == (0, "", "")
    first, second = (Path(path).read_bytes() for path in paths)
    assert first.startswith(magic) and first == second


def test_draw_without_data(run, case, tmp_path):
    pytest.importorskip("matplotlib")
    names = ("$x^2$", "温度", "a very long name, " * 5, " ", "tab\tand\nbreak", "under_score_" * 3)
    path = case.write("json", graph=Graph(6, ((0, 1), (1, 2)), names))
    done = run("mntools", "draw", path, "-o", tmp_path / "x.svg")
    assert done.code == 0 and "some characters of the names are not in the font" in done.stderr


def test_drawing_without_its_library(run, case, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("mntools", "draw", case.file, "-o", tmp_path / "net.png")
    assert done.code == 2 and "drawing needs matplotlib: pip install 'cliquewise[plot]'" in done.stderr
    assert not (tmp_path / "net.png").exists()


def test_strength_is_the_score_lost(case):
    whole = certify(case.graph, case.data, Scoring("bdeu", 10.0)).score
    for edge, strength in zip(
        case.graph.edges, edge_strengths(case.graph, case.data, Claims(score_type="bdeu", ess=10.0)), strict=True
    ):
        rest = Graph(6, tuple(e for e in case.graph.edges if e != edge))
        without = certify(rest, case.data, Scoring("bdeu", 10.0))
        if edge == (1, 2):  # in two cliques: cannot be removed alone
            pair = [set_score(case.data, s, Scoring("bdeu", 10.0)) for s in [(1, 2), (1,), (2,)]]
            assert not without.ok and strength == pytest.approx(pair[0] - pair[1] - pair[2])
        else:
            assert strength == pytest.approx(whole - without.score, abs=1e-8)


@pytest.mark.parametrize(
    "name, shown",
    [
        ("two  words", "two words"),
        ("a_name of several words_and such", "a_name of\nseveral words_\nand such"),
        ("x" * 48, "\n".join(["x" * 16] * 3)),
        ("0123456789" * 5, "0123456789012345\n6789012345678…78\n90123456789"),
    ],
)
def test_names_in_a_picture(name, shown):
    """At most three lines; a longer name loses its middle."""
    assert _wrapped(name) == shown


def test_a_network_of_other_columns_is_refused_before_missing_cells_are_drawn(workplace, run):
    """They take minutes in a large table."""
    header = "# missing em\n# completions 2\n# completion-seed 1\n# completion-rounds 1\n"
    rows = "".join(f"{k % 2},{k % 3 % 2},{'' if k == 5 else k % 2}\n" for k in range(20))
    workplace({"t.csv": "a,b,c\n" + rows, "n.cliques": f"{header}# format cliques\n# variables 2\n# names a,b\na,b\n"})
    done = run("mntools", "score", "t.csv", "n.cliques")
    assert done.code == 1 and "leave out those that it does not have: --drop=c" in done.stderr
    assert "drawn" not in done.stderr
