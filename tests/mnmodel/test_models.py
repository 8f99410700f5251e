"""The commands mnmodel fit, loglik, query, predict and sample on models."""

import json
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.models.model_file import read_model, write_model
from cliquewise.common.models.model_fit import fit
from cliquewise.common.models.model_header import header_of
from tests.mnmodel.test_questions import SURE
from tests.oracles.fitted import chordal_distribution, directed_distribution
from tests.oracles.questions import given
from tests.random_inputs import arity_of, csv_text, random_dataset, rows_of
from tests.reading import read_csv

EDGES = ((0, 1), (0, 2), (1, 2), (2, 3))
DATA = random_dataset(5, 5, 80, 3)


@pytest.fixture
def work(workplace):
    """A folder with data, a chordal graph learned with ess 4, arcs, a model, and a test set with missing cells."""
    rows = [list(map(str, row)) for row in DATA.codes[:12].tolist()]
    rows[3][1] = rows[5][0] = rows[5][4] = "?"
    rows[7] = [""] * 4 + ["NA"]
    test = "\n".join(map(",".join, [reversed(DATA.names), *(reversed(row) for row in rows)])) + "\n"
    edges = "".join(f"{u},{v}\n" for u, v in EDGES)
    return workplace({
        "data.csv": csv_text(DATA), "test.csv": test, "net.edges": f"# ess 4\n# variables 5\n{edges}",
        "net.arcs": "# variables 5\n0,1\n2,1\n1,4\n", "ring.edges": "# variables 5\n0,1\n1,2\n2,3\n0,3\n",
    })  # fmt: skip


TRUTH = chordal_distribution(rows_of(DATA), arity_of(DATA), EDGES, 4.0)
MISSING = {3: (1,), 5: (0, 4), 7: (0, 1, 2, 3, 4)}


def expected_logs(truth=TRUTH):
    """Log probabilities of the rows of test.csv."""
    logs = []
    for i, row in enumerate(DATA.codes[:12].tolist()):
        evidence = {v: k for v, k in enumerate(row) if v not in MISSING.get(i, ())}
        logs.append(np.log(given(truth, evidence, ())[0]))
    return np.array(logs)


def test_fit_takes_the_prior_of_the_header(run, work):
    done = run("mnmodel", "fit", "data.csv", "net.edges")
    assert done.code == 0 and "net.edges: prior of BDeu with ess 4 as in its header" in done.stderr
    assert done.stdout.startswith("// program mnmodel fit\n// parameters bdeu\n// ess 4\n// rows 80\n")
    assert run("mnmodel", "fit", "data.csv", "net.edges", "--ess", "4", "-q").stdout == done.stdout
    assert run("mnmodel", "fit", "data.csv", "net.edges", "--ess", "5", "-q").stdout != done.stdout
    assert "ess 1 by default" in run("mnmodel", "fit", "data.csv", "net.arcs").stderr


def test_qnml_is_fitted_by_sequential_nml(run, workplace):
    workplace({"d.csv": "a,b\nx,1\nx,1\nx,2\ny,1\n", "net": "# score-type qnml\n# variables 2\n0,1\n"})
    done = run("mnmodel", "fit", "d.csv", "net")
    assert done.code == 0 and "net: sequential NML, the prediction of qnml" in done.stderr
    assert done.stdout.startswith("// program mnmodel fit\n// parameters sequential NML\n// rows 4\n")
    likely = {3: 4 * (4 / 3) ** 3, 1: 2 * 2}  # (N + 1) ((N + 1) / N)^N
    share = likely[3] / (likely[3] + likely[1])
    assert f"table {share:.4f}"[:10] in done.stdout
    for prior in ("--ml", "--ess=1"):
        plain = run("mnmodel", "fit", "d.csv", "net", prior, "-q")
        assert plain.code == 0 and "sequential" not in plain.stdout


@pytest.mark.parametrize("fmt", ["bif", "xmlbif", "uai", "json"])
def test_every_format_is_a_model_everywhere(run, work, fmt):
    assert run("mnmodel", "fit", "data.csv", "net.edges", "-q", "--format", fmt, "-o", "model").code == 0
    done = run("mnmodel", "loglik", "model", "test.csv", "--per-row", "-q")
    assert np.array(done.stdout.split(), float) == pytest.approx(expected_logs(), rel=1e-9)
    assert run("mnmodel", "query", "model", "--of", "x3", "-q").stdout.count("\n") == DATA.arity[3] + 1
    assert run("mnmodel", "predict", "model", "test.csv", "--target", "x3", "-q").stdout.count("\n") == 13
    drawn = run("mnmodel", "sample", "-", "--rows", "9", "-q", input=(work / "model").read_bytes())
    assert drawn.code == 0 and drawn.stdout.count("\n") == 10 and drawn.stdout.startswith("x0,x1,x2,x3,x4\n")


def test_loglik(run, model):
    logs = expected_logs()
    done = run("mnmodel", "loglik", model, "test.csv", "-q")
    error = logs.std(ddof=1) / np.sqrt(12)
    assert done.stdout == f"loglik {logs.mean():.6f} standard-error {error:.6f} rows 12\n"
    summary = json.loads(run("mnmodel", "loglik", model, "test.csv", "-q", "--format", "json").stdout)
    assert summary == {"loglik": pytest.approx(logs.mean()), "standard-error": pytest.approx(error), "rows": 12,
                    "weights": [1.0]}  # fmt: skip


def test_fit_and_evaluate_in_one_go(run, model):
    both = run("mnmodel", "loglik", "data.csv", "net.edges", "test.csv", "-q").stdout
    assert both == run("mnmodel", "loglik", model, "test.csv", "-q").stdout
    ml = directed_distribution(rows_of(DATA), arity_of(DATA), [(), (0, 2), (), (), (1,)], 0.0)
    done = run("mnmodel", "loglik", "data.csv", "net.arcs", "test.csv", "--ml", "--per-row", "-q")
    assert np.array(done.stdout.split(), float) == pytest.approx(expected_logs(ml), rel=1e-9)
    run("mnmodel", "fit", "data.csv", "net.arcs", "--ess", 50, "-q", "-o", "other.bif")
    of_model = run("mnmodel", "loglik", "data.csv", "other.bif", "other.bif", "test.csv", "--ml", "--per-row", "-q")
    assert of_model.stdout == done.stdout  # its graph, fitted again, and twice the same network


def test_mixtures(run, model):
    run("mnmodel", "fit", "data.csv", "net.arcs", "-q", "-o", "arcs.json", "--format", "json")
    parts = [
        np.array(run("mnmodel", "loglik", path, "test.csv", "--per-row", "-q").stdout.split(), float)
        for path in (model, "arcs.json")
    ]
    mixed = np.log(np.exp(parts).mean(axis=0))
    done = run("mnmodel", "loglik", model, "arcs.json", "test.csv", "-q")
    assert done.stdout.startswith(f"loglik {mixed.mean():.6f} ")
    assert done.stdout.endswith(" weights 0.500000,0.500000\n")
    fitted = run("mnmodel", "loglik", "data.csv", "net.edges", "arcs.json", "test.csv", "-q", "--weights-from",
                 "test.csv", "--format", "json")  # fmt: skip
    mixture = json.loads(fitted.stdout)
    best = np.log(np.exp(np.array(parts)).T @ mixture["weights"]).mean()
    assert mixture["loglik"] == pytest.approx(best, abs=1e-8)
    assert mixture["loglik"] >= max(mixed.mean(), *(part.mean() for part in parts)) - 1e-7


def test_query(run, model):
    done = run("mnmodel", "query", model, "--of", "x4,x0", "--given", "x1=1", "--given", "x3=0,x2=1")
    assert done.code == 0, done.stderr
    total, expected = given(TRUTH, {1: 1, 3: 0, 2: 1}, (4, 0))
    head, *lines = done.stdout.splitlines()
    assert head == "x4,x0,probability" and f"log probability of the evidence {np.log(total):.6f}" in done.stderr
    found = {tuple(map(int, line.split(",")[:2])): float(line.split(",")[2]) for line in lines}
    assert found == {key: pytest.approx(value, rel=1e-8) for key, value in expected.items()}
    assert list(found) == sorted(found)


def test_predict(run, model):
    done = run("mnmodel", "predict", model, "test.csv", "--target", "x1", "-o", "out.csv")
    head, *lines = Path("out.csv").read_text().splitlines()
    right = 0
    for i, (row, line) in enumerate(zip(DATA.codes[:12].tolist(), lines, strict=True)):
        _, expected = given(TRUTH, {v: k for v, k in enumerate(row) if v != 1 and v not in MISSING.get(i, ())}, (1,))
        label, chance = line.split(",")
        assert float(chance) == pytest.approx(max(expected.values()), rel=1e-8)
        assert expected[(int(label),)] == max(expected.values())
        right += 1 not in MISSING.get(i, ()) and int(label) == row[1]
    assert head == "x1,probability" and f"x1: right in {right} of 10 rows that have it" in done.stderr
    without = "".join(
        ",".join(line.split(",")[:3] + line.split(",")[4:]) for line in Path("test.csv").read_text().splitlines(True)
    )  # no column x1
    again = run("mnmodel", "predict", model, "-", "--target", "x1", "-q", input=without.encode())
    assert again.stdout == Path("out.csv").read_text()


def test_a_sample_has_the_frequencies_of_its_model(run, model):
    run("mnmodel", "sample", model, "--rows", "20000", "-o", "drawn.csv", "-q")
    drawn = read_csv("drawn.csv")
    for v in range(5):
        share = np.bincount(drawn.codes[:, v]) / 20000
        assert share == pytest.approx(list(given(TRUTH, {}, (v,))[1].values()), abs=0.02)


def test_a_state_for_missing_cells_is_a_state_of_the_model(run, workplace):
    workplace({"d.csv": "a,b\nx,1\n?,2\nx,2\ny,1\n", "g.edges": "# variables 2\n0,1\n", "t.csv": "a,b\n?,1\nx,?\n"})
    assert run("mnmodel", "fit", "d.csv", "g.edges", "--missing", "state", "-o", "m.bif", "-q").code == 0
    assert read_model("m.bif").states == (("x", "y", "?"), ("1", "2"))
    done = run("mnmodel", "loglik", "m.bif", "t.csv", "--per-row", "-q")
    joint = {(a, b): (n + 1 / 6) / 5 for a, b, n in (("x", 1, 1), ("x", 2, 1), ("?", 1, 0))}
    assert np.exp(np.array(done.stdout.split(), float)) == pytest.approx([joint["?", 1], joint["x", 1] + joint["x", 2]])


def test_chordal_cover(run, work):
    done = run("mntools", "convert", "ring.edges", "--chordal", "--format", "edges", "-o", "cover.edges")
    assert done.code == 0 and "1 edge added, largest clique 3" in done.stderr
    assert run("mntools", "check", "cover.edges").stdout.startswith("ok: chordal, 5 variables, 5 edges")
    assert run("mnmodel", "fit", "data.csv", "cover.edges", "-q").code == 0
    moral = run("mntools", "convert", "net.arcs", "--chordal", "-q")
    assert moral.stdout == "# edges-added 0\n# format cliques\n# variables 5\n0,1,2\n1,4\n3\n"
    same = run("mntools", "convert", "net.edges", "--chordal", "--format", "edges", "-q").stdout
    assert same.endswith("0,1\n0,2\n1,2\n2,3\n") and "# ess 4\n" in same


# ---- what is refused


def test_graphs_and_data_that_cannot_be_fitted(refuse, work):
    (work / "cycle.arcs").write_text("0,1\n1,2\n2,0\n")
    (work / "d.score").write_text("1 1\n0\n-1\n")
    refuse("mnmodel fit -q data.csv ring.edges", 1, "ring.edges: not chordal, so it has no closed form; make a chordal")
    refuse("mnmodel fit -q data.csv cycle.arcs", 1, "cycle.arcs: the arcs form a cycle")
    refuse("mnmodel fit -q d.score net.edges", 1, "d.score: a file of scores, not data; give the table")
    refuse("mnmodel fit -q data.csv net.edges --ml --ess 2", 2, "--ess has no effect with --ml; leave one of them out")
    refuse("mnmodel fit -q data.csv net.edges -o data.csv", 2, "-o data.csv: .csv means a table, not a format of this")
    (work / "six.edges").write_text("# variables 6\n0,5\n")
    refuse("mnmodel fit -q data.csv six.edges", 1, "six.edges: the graph has 6 vertices but the data has 5 variables")


def test_tables_that_are_too_large(refuse, run, workplace):
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(map(str, row)) for row in rng.integers(0, 2, (50, 25)))
    workplace({"d.csv": rows + "\n", "all.cliques": ",".join(map(str, range(25))) + "\n"})
    refuse("mnmodel fit -q d.csv all.cliques -o m.bif", 1, "the tables of the network would have 67108862 numbers")
    done = run("mnmodel", "loglik", "d.csv", "all.cliques", "d.csv", "-q")
    assert done.code == 0 and done.stdout.startswith("loglik ")
    workplace({"holes.csv": rows + "\n" + "," * 24 + "1\n"})
    done = run("mnmodel", "loglik", "holes.csv", "all.cliques", "d.csv", "-q", "--missing", "em")
    assert done.code == 1 and done.stderr.endswith("bound the cliques\n")  # this command is no way out


def test_names_and_states_that_are_unknown(refuse, model):
    refuse(f"mnmodel query -q {model} --of y", 1, f"{model}: no variable 'y'; its variables are x0, x1, x2, x3, x4")
    refuse(f"mnmodel query -q {model} --of x0,x0", 1, f"{model}: variable 'x0' is queried twice")
    refuse(f"mnmodel query -q {model} --of x0 --given x1=q", 1, f"{model}: variable 'x1' has no state 'q'; its states")
    refuse(f"mnmodel query -q {model} --of ''", 2, "--of names no variable")
    refuse(f"mnmodel predict -q {model} test.csv --target y", 1, f"{model}: no variable 'y'")
    refuse("mnmodel sample -q data.csv", 1, "data.csv: a table or a list (CSV), not a model; a model is")


def test_evidence_of_probability_zero(run, refuse, workplace):
    workplace({"m.bif": SURE, "t.csv": "a,b\nx,y\nx,x\n,x\n", "one.csv": "a,b\nx,y\n"})
    refuse("mnmodel query -q m.bif --of a --given b=x", 1, "m.bif: the evidence has probability zero: b=x")
    done = run("mnmodel", "loglik", "m.bif", "t.csv")
    assert done.code == 0 and done.stdout == "loglik -inf standard-error nan rows 3\n"
    assert "warning: t.csv: rows of probability zero: 2 of 3, the first is row 2" in done.stderr
    summary = json.loads(run("mnmodel", "loglik", "m.bif", "t.csv", "--format", "json", "-q").stdout)
    assert (summary["loglik"], summary["standard-error"]) == (None, None)
    refuse("mnmodel loglik -q m.bif m.bif t.csv --weights-from t.csv", 1,
           "t.csv: row 2 has probability zero under every model")  # fmt: skip
    done = run("mnmodel", "predict", "m.bif", "t.csv", "--target", "a")
    assert done.stdout == "a,probability\nx,1\n?,nan\n?,nan\n" and "without a prediction: 2" in done.stderr
    assert run("mnmodel", "loglik", "m.bif", "one.csv", "-q").stdout.startswith("loglik 0.000000 standard-error nan")


def test_data_that_do_not_fit_the_model(run, refuse, model, work):
    (work / "unseen.csv").write_text("x0,x1,x2,x3,x4\n0,0,0,0,0\n0,9,0,0,0\n")
    (work / "narrow.csv").write_text("y0,y1\n0,0\n1,1\n")
    refuse(f"mnmodel loglik -q {model} unseen.csv", 1, "unseen.csv: row 2, column 'x1': state '9' is not in the model")
    refuse(f"mnmodel loglik -q {model} narrow.csv", 1, "narrow.csv: no column x0, x1, x2, x3, x4, which the model has")
    refuse(f"mnmodel predict -q {model} narrow.csv --target x3", 1, "narrow.csv: no column x0, x1, x2, x4")
    done = run("mnmodel", "loglik", "data.csv", "net.edges", "unseen.csv", "-q", "--states-of", "unseen.csv")
    assert done.code == 0 and "inf" not in done.stdout
    (work / "unseen.csv").write_text("x0,x1,x2,x3,x4\n0,0,0,0,0\n0,?,0,0,0\n")
    fit = ("mnmodel", "fit", "data.csv", "net.edges", "--states-of", "unseen.csv", "--format", "json", "-q", "-o", "m")
    for rule, states in (("state", ("0", "1", "2", "?")), ("drop", ("0", "1", "2"))):
        assert run(*fit, "--missing", rule).code == 0 and read_model("m").states[1] == states
    wide = (work / "data.csv").read_text().replace("\n", ",more\n")
    done = run("mnmodel", "loglik", model, "-", input=wide.encode())
    assert done.code == 0 and "columns that are not in the model are not used: more" in done.stderr


def test_files_are_known_by_their_content(run, refuse, model):
    refuse("mnmodel loglik -q net.bif", 2, "give MODEL DATA, or DATA GRAPH TEST")
    refuse("mnmodel loglik -q data.csv test.csv", 2, "data.csv: a table or a list (CSV); give MODEL DATA")
    done = run("mnmodel", "loglik", model, "test.csv", "--ess", "3")
    assert done.code == 2 and "are for a fit; with MODEL leave them out" in done.stderr


def test_inference_that_is_too_large(refuse, workplace):
    text = "".join(f"variable a{i} {{ type discrete [2] {{ x y }}; }}\n" for i in range(40))
    text += "".join(f"probability ( a{i} ) {{ table 0.5 0.5; }}\n" for i in range(40))
    workplace({"free.bif": text})
    names = ",".join(f"a{i}" for i in range(40))
    refuse(f"mnmodel query -q free.bif --of {names}", 1, "exact inference needs a table of about 10^12 numbers")
    n = 26
    text = "".join(f"variable p{i} {{ type discrete [2] {{ a b }}; }}\n" for i in range(n))
    text += "".join(f"probability ( p{i} ) {{ table 0.5 0.5; }}\n" for i in range(n))
    for i in range(n):  # a child of every pair makes a clique of all
        for j in range(i):
            text += f"variable c{i}_{j} {{ type discrete [2] {{ a b }}; }}\n"
            text += f"probability ( c{i}_{j} | p{i} p{j} ) {{ default 0.5 0.5; (a a) 0.1 0.9; }}\n"
    workplace({"m.bif": text})
    known = ",".join(f"c{i}_{j}=a" for i in range(n) for j in range(i))
    refuse(
        f"mnmodel query -q m.bif --memory 1 --of p0 --given {known}",
        1,
        "exact inference needs a table of 67108864 numbers",
    )


# ---- names and states as they were read; options that would have no effect

BLANKS = "\u00a0x"


def test_blanks_belong_to_names_and_states(run, refuse, workplace):
    workplace({"d.csv": f'a,b," b"\n{BLANKS},y,1\nx,z,2\nx,z,1\nw,z,2\n', "g.edges": "# variables 3\n0,1\n"})
    for fmt in ("bif", "uai", "json"):  # a name with a blank at its end cannot be written in XMLBIF
        assert run("mnmodel", "fit", "d.csv", "g.edges", "--ml", "-q", "--format", fmt, "-o", "m").code == 0
        done = run("mnmodel", "query", "m", "--of", "b", "--given", f"a={BLANKS}", "-q")
        assert done.stdout == "b,probability\ny,1\nz,0\n"
        assert run("mnmodel", "query", "m", "--of", "b", "--given", "a=x", "-q").stdout == "b,probability\ny,0\nz,1\n"
        assert run("mnmodel", "query", "m", "--of", " b", "-q").stdout == '" b",probability\n1,0.5\n2,0.5\n'
        refuse("mnmodel query -q m --of b --given 'a= y'", 1, "m: variable 'a' has no state 'y'")
        refuse("mnmodel query -q m --of 'a, c'", 1, "m: no variable 'c'")


def test_other_readers_keep_the_blanks_of_unicode(workplace):
    bif = f"variable a {{ type discrete [2] {{ {BLANKS}, x }}; }}\nprobability ( a ) {{ table 0.25, 0.75; }}\n"
    xml = (
        f"<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>{BLANKS}</OUTCOME><OUTCOME> x\n</OUTCOME></VARIABLE>"
        "<DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION></NETWORK></BIF>"
    )
    workplace({"m.bif": bif, "m.xml": xml})
    for name in ("m.bif", "m.xml"):
        assert read_model(name).states == ((BLANKS, "x"),)


def test_options_without_effect_are_refused(run, refuse, model, work):
    (work / "other.csv").write_text("u,v\n0,1\n1,0\n")
    refuse(f"mnmodel query -q {model} --of x0 --given ''", 2, "--given '': expected NAME=STATE")
    refuse(f"mnmodel query -q {model} --of x0 --given x1=1 --given x1=1", 1, f"{model}: variable 'x1' is given twice")
    message = (
        "--states-of other.csv has no effect: its columns are u, v, those of data.csv x0, x1, x2, x3, x4; leave it out"
    )
    refuse("mnmodel fit -q data.csv net.edges --states-of other.csv", 2, message)
    message = "--weights-from has no effect with one model; leave it out"
    refuse(f"mnmodel loglik -q {model} test.csv --weights-from test.csv", 2, message)
    refuse("mnmodel loglik -q data.csv net.edges test.csv --weights-from test.csv", 2, message)
    refuse(
        f"mnmodel query -q {model} --of x0 --uai-order last", 2, "--uai-order has no effect: net.bif is not a UAI file"
    )


def test_fit_follows_the_header_of_the_graph(run, refuse, workplace):
    rows = "a,b\nx,1\n?,2\nx,2\ny,1\n"
    workplace({
        "d.csv": rows, "drop": "# missing drop\n# variables 2\n0,1\n", "state": "# missing state\n# variables 2\n0,1\n",
        "t.csv": "a,b\nx,1\n",
    })  # fmt: skip
    for name in ("drop", "state"):
        stated = run("mnmodel", "fit", "d.csv", name, "-q")
        assert (
            stated.code == 0 and stated.stdout == run("mnmodel", "fit", "d.csv", name, "--missing", name, "-q").stdout
        )
        assert f"missing cells: {name}, as in the graph's header" in run("mnmodel", "fit", "d.csv", name).stderr
        both = [run("mnmodel", "loglik", "d.csv", name, "t.csv", "-q", *more) for more in ([], ["--missing", name])]
        assert both[0].code == 0 and both[0].stdout == both[1].stdout
    refuse(
        "mnmodel loglik -q d.csv drop state t.csv", 1, "state: '# missing state', but 'drop' in drop: give --missing"
    )
    assert run("mnmodel", "loglik", "d.csv", "drop", "state", "t.csv", "--missing", "drop", "-q").code == 0


def test_the_state_of_a_target_is_ignored(run, model, work):
    (work / "unseen.csv").write_text("x0,x1,x2,x3,x4\n0,0,0,0,0\n0,9,0,0,0\n")
    done = run("mnmodel", "predict", model, "unseen.csv", "--target", "x1")
    head, first, second = done.stdout.splitlines()
    right = 1 if first.startswith("0,") else 0
    assert done.code == 0 and first == second and f"x1: right in {right} of 2 rows that have it" in done.stderr


def test_files_of_another_kind_are_named(refuse, workplace):
    bif = "network n { }\nvariable a { type discrete [2] { x, y }; }\nprobability ( a ) { table 0.5, 0.5; }\n"
    workplace({"net.bif": bif, "d.csv": "a,b\n0,1\n1,0\n", "g.dot": "graph g\n{ 0 -- 1; }\n", "g.uai": "BAYES\n1\n2\n"})
    model = "not a model; a model is BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of mnmodel fit"
    refuse("mnmodel fit -q d.csv g.uai", 1, "g.uai: ")
    refuse("mnmodel query -q d.csv --of a", 1, f"d.csv: a table or a list (CSV), {model}")
    refuse("mnmodel query -q g.dot --of a", 1, f"g.dot: a graph (dot), {model}")


def test_every_command_that_reads_a_csv_has_its_separator(run, refuse, workplace):
    rows = "0;1,0\n1;0,1\n1;1,1\n0;0,0\n"
    workplace({"d.csv": f"a;b,c\n{rows}", "g.edges": "# variables 2\n0,1\n"})
    for line in (
        "mntools score d.csv g.edges",
        "mnmodel fit d.csv g.edges",
        "mntools check g.edges --data d.csv",
        "mntools convert g.edges --data d.csv",
    ):
        refuse(f"{line} -q", 1, "d.csv: semicolon and comma as separator both give 2 cells in every row")
        for separator in ("comma", ",", ";", "semicolon"):
            assert run(*line.split(), "--separator", separator, "-q").code == 0
    assert run("lsmarkov", "d.csv", "--separator", ";", "--iterations", "9", "-q", "-o", "net").code == 0
    assert "# separator semicolon\n" in Path("net").read_text()
    assert run("mntools", "check", "net", "--data", "d.csv", "-q").code == 0


def test_a_target_of_one_state_and_a_label_that_the_model_lacks(run, workplace):
    workplace({"rows.csv": "a,b\nx,n\nx,y\n", "net.edges": "# variables 2\n0,1\n", "new.csv": "a,b\nz,n\nx,y\n"})
    assert run("mnmodel", "fit", "rows.csv", "net.edges", "-q", "-o", "one.bif").code == 0
    done = run("mnmodel", "predict", "one.bif", "new.csv", "--target", "a")
    assert done.code == 0 and "right in 1 of 2" in done.stderr and "log loss inf" in done.stderr


@pytest.mark.parametrize("fmt", ["xmlbif", "xdsl"])
def test_header_lines_with_hyphens_and_control_characters_in_xml(tmp_path, fmt):
    network = fit(random_dataset(1, 2, 20), ((), (0,)), 1.0).tables()
    header = {"command": "lsmarkov --ess 10 x---y.csv -----", "source": "a\x07b"}
    write_model(str(tmp_path / "net"), network, fmt, header)
    assert read_model(str(tmp_path / "net")).states == network.states
    assert header_of((tmp_path / "net").read_text()) == {**header, "source": "a?b"}
