"""The commands that ask a model: marginals, mpe, entropy, information, kl, impute, and evidence of every kind."""

import json
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data import csvfile
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_file import write_model
from tests.mnmodel.test_inference import enumerated, renamed
from tests.oracles import questions
from tests.oracles.distributions import chi_square, marginal
from tests.random_models import random_model
from tests.reading import read_csv

NETWORK = random_model(np.random.default_rng(4), [2, 3, 2, 2, 3], zeros=0)
JOINT = enumerated(NETWORK)
NAMES = list(NETWORK.names)
LIKELIHOOD = [0.5, 0.1, 2.0]
SOFT = questions.weighted(JOINT, {1: LIKELIHOOD})
SURE = (
    "variable a { type discrete [2] { x, y }; }\nvariable b { type discrete [2] { x, y }; }\n"
    "probability ( a ) { table 1, 0; }\nprobability ( b | a ) { (x) 0, 1; (y) 0.5, 0.5; }\n"
)


@pytest.fixture
def work(workplace):
    """A folder with a model, the same in another order, evidence, and rows with missing cells."""
    place = workplace({
        "rows.csv": "x4;x0\ns2;\n;s1\n;\n", "sure.bif": SURE,
        "blank.csv": "more,x4,x3,x2,x1,x0\n7,?,s1,s0,s2,s1\n8,,s1,?,?,s0\n9,s0,s0,s0,s0,s0\n",
    })  # fmt: skip
    write_model("net.bif", NETWORK, "bif", {})
    write_model("same.json", renamed(NETWORK, np.random.default_rng(1)), "json", {})
    return place


def cells(text):
    """The lines of a CSV as lists, without its head."""
    return [line.split(",") for line in text.splitlines()[1:]]


def state(label):
    """The number of a state called s0, s1, ..."""
    return int(label[1:])


def test_marginals(run, work):
    _, truth = questions.conditional(SOFT, {0: 1, 4: 2})
    options = ["--given", "x0=s1,x4=s2", "--likelihood", "x1=0.5,0.1,2"]
    done = run("mnmodel", "marginals", "net.bif", *options)
    assert done.code == 0 and done.stdout.startswith("variable,state,probability\n"), done.stderr
    found = {(name, label): float(chance) for name, label, chance in cells(done.stdout)}
    expected = {(NAMES[v], f"s{k}"): marginal(truth, (v,)).get((k,), 0.0)
                for v in range(5) for k in range(len(NETWORK.states[v]))}  # fmt: skip
    assert list(found) == list(expected) and found == {key: pytest.approx(p, rel=1e-8) for key, p in expected.items()}
    marginals_found = json.loads(run("mnmodel", "marginals", "net.bif", *options, "--format", "json", "-q").stdout)
    total, _ = questions.conditional(SOFT, {0: 1, 4: 2})
    assert (
        marginals_found["log-expected-likelihood"] == pytest.approx(np.log(total))
        and list(marginals_found["marginals"]) == NAMES
    )
    assert all(marginals_found["marginals"][name][label] == chance for (name, label), chance in found.items())
    assert f"log expected likelihood of the evidence {np.log(total):.6f}" in done.stderr


def test_rows_of_evidence(run, work):
    rows = [{4: 2}, {0: 1}, {}]
    with_more = ["--given-rows", "rows.csv", "--given", "x2=s0"]
    truths = [questions.conditional(JOINT, {2: 0, **row})[1] for row in rows]
    done = run("mnmodel", "query", "net.bif", "--of", "x3,x1", *with_more, "-q")
    assert done.stdout.startswith("row,x3,x1,probability\n")
    for row, a, b, chance in cells(done.stdout):
        truth = marginal(truths[int(row) - 1], (3, 1))
        assert float(chance) == pytest.approx(truth[state(a), state(b)], rel=1e-8)
    assert len(cells(done.stdout)) == 3 * 6
    done = run("mnmodel", "marginals", "net.bif", *with_more, "-q")
    for row, name, label, chance in cells(done.stdout):
        truth = marginal(truths[int(row) - 1], (NAMES.index(name),))
        assert float(chance) == pytest.approx(truth.get((state(label),), 0.0), rel=1e-8)
    answers = json.loads(run("mnmodel", "marginals", "net.bif", *with_more, "-q", "--format", "json").stdout)
    assert len(answers) == 3 and all(answer["marginals"]["x2"]["s0"] == 1 for answer in answers)
    done = run("mnmodel", "mpe", "net.bif", *with_more, "-q")
    for truth, (*labels, log) in zip(truths, cells(done.stdout), strict=True):
        assert truth[tuple(map(state, labels))] == pytest.approx(max(truth.values()))
        assert np.exp(float(log)) == pytest.approx(max(truth.values()), rel=1e-8)
    assert done.stdout.startswith(",".join(NAMES) + ",log-probability\n")


def test_a_query_as_json(run, work):
    """The numbers of the CSV, with the log probability of the evidence; a list for a table of evidence."""
    words = ("query", "net.bif", "--of", "x3,x1", "-q")
    found = json.loads(run("mnmodel", *words, "--given", "x0=s1", "--format", "json").stdout)
    total, _ = questions.conditional(JOINT, {0: 1})
    assert found["log-probability"] == pytest.approx(np.log(total)) and found["of"] == ["x3", "x1"]
    printed = cells(run("mnmodel", *words, "--given", "x0=s1").stdout)
    assert [[*one["states"], one["probability"]] for one in found["distribution"]] == [
        [a, b, float(chance)] for a, b, chance in printed
    ]
    answers = json.loads(run("mnmodel", *words, "--given-rows", "rows.csv", "--format", "json").stdout)
    assert len(answers) == 3 and answers[1] == found and answers[2]["log-probability"] == pytest.approx(0, abs=1e-9)
    impossible = run(
        "mnmodel", "query", "sure.bif", "--of", "b", "--given-rows", "-", "--format", "json", input=b"a\nx\ny\n"
    )
    assert [one and [p["probability"] for p in one["distribution"]] for one in json.loads(impossible.stdout)] == [
        [0, 1],
        None,
    ]


def test_mpe_of_some_variables(run, work):
    _, truth = questions.conditional(SOFT, {0: 1})
    done = run("mnmodel", "mpe", "net.bif", "--of", "x4,x2", "--given", "x0=s1", "--likelihood", "x1=0.5,0.1,2", "-q")
    table = marginal(truth, (4, 2))
    ((a, b, log),) = cells(done.stdout)
    assert done.stdout.startswith("x4,x2,log-probability\n")
    assert table[state(a), state(b)] == max(table.values())
    assert np.exp(float(log)) == pytest.approx(max(table.values()), rel=1e-8)


def test_information(run, refuse, work):
    _, truth = questions.conditional(JOINT, {0: 1})
    given = ["--given", "x0=s1", "-q"]
    assert run("mnmodel", "entropy", "net.bif", *given).stdout == f"entropy {questions.entropy(truth):.10g}\n"
    some = questions.entropy(marginal(truth, (2, 4)))
    assert run("mnmodel", "entropy", "net.bif", "--of", "x2,x4", *given).stdout == f"entropy {some:.10g}\n"
    edges = NETWORK.moral_graph().edges
    listed = {
        (): list(edges), ("--all",): [(u, v) for u in range(5) for v in range(u + 1, 5)],
        ("--of", "x4,x1,x2"): [(1, 2), (1, 4), (2, 4)],
    }  # fmt: skip
    for options, pairs in listed.items():
        done = run("mnmodel", "information", "net.bif", *options, *given)
        assert done.stdout.startswith("first,second,information\n")
        for (u, v), (a, b, value) in zip(pairs, cells(done.stdout), strict=True):
            expected = questions.mutual_information(truth, u, v)
            assert (a, b) == (NAMES[u], NAMES[v]) and float(value) == pytest.approx(expected, rel=1e-8, abs=1e-12)
    refuse("mnmodel information net.bif --of x1 -q", 2, "--of x1: there are no pairs of one variable; name two or more")


def test_kl(run, work):
    other = random_model(np.random.default_rng(9), [2, 3, 2, 2, 3], zeros=0)
    write_model("other.bif", renamed(other, np.random.default_rng(2)), "bif", {})
    expected = questions.divergence(JOINT, enumerated(other))
    done = run("mnmodel", "kl", "net.bif", "other.bif", "-q")
    assert float(done.stdout.split()[1]) == pytest.approx(expected, rel=1e-8)
    assert float(run("mnmodel", "kl", "net.bif", "same.json", "-q").stdout.split()[1]) < 1e-9
    write_model("half.bif", random_model(np.random.default_rng(3), [2, 2], zeros=0), "bif", {})
    write_model("sharp.bif", random_model(np.random.default_rng(3), [2, 2], zeros=1), "bif", {})
    (work / "point.bif").write_text(SURE.replace(" a ", " x0 ").replace(" b ", " x1 ").replace("{ x, y }", "{ s0, s1 }")
                                    .replace("(x)", "(s0)").replace("(y)", "(s1)"))  # fmt: skip
    assert run("mnmodel", "kl", "half.bif", "point.bif", "-q").stdout == "kl inf\n"


def test_samples_given_evidence(run, work):
    done = run("mnmodel", "sample", "net.bif", "--given", "x0=s1", "--likelihood", "x1=0.5,0.1,2", "--rows", "20000",
               "-o", "drawn.csv")  # fmt: skip
    assert done.code == 0, done.stderr
    data = read_csv("drawn.csv", min_columns=1)
    _, truth = questions.conditional(SOFT, {0: 1})
    labels = [[state(data.states[v][k]) for k in data.codes[:, v]] for v in range(5)]
    counts = {}
    for row in zip(*labels, strict=True):
        counts[row] = counts.get(row, 0) + 1
    statistic, freedom = chi_square(truth, counts)
    assert set(counts) <= set(truth) and statistic < freedom + 5 * np.sqrt(2 * freedom)


def test_impute(run, work):
    done = run("mnmodel", "impute", "net.bif", "blank.csv", "-o", "full.csv")
    assert done.code == 0 and "blank.csv: 4 cells of 2 rows filled in" in done.stderr, done.stderr
    full = cells(Path("full.csv").read_text())
    assert full[2] == "9,s0,s0,s0,s0,s0".split(",") and [row[0] for row in full] == ["7", "8", "9"]
    given = [{0: 1, 1: 2, 2: 0, 3: 1}, {0: 0, 3: 1}]
    for evidence, row in zip(given, full[:2], strict=True):
        _, truth = questions.conditional(JOINT, evidence)
        assert truth[tuple(map(state, reversed(row[1:])))] == pytest.approx(max(truth.values()))
    run("mnmodel", "impute", "net.bif", "blank.csv", "--draws", "5000", "-o", "draws.csv", "-q")
    drawn = cells(Path("draws.csv").read_text())
    assert len(drawn) == 15000 and [row[0] for row in drawn] == ["7"] * 5000 + ["8"] * 5000 + ["9"] * 5000
    counts = {}
    for row in drawn[5000:10000]:
        key = tuple(map(state, reversed(row[1:])))
        counts[key] = counts.get(key, 0) + 1
    statistic, freedom = chi_square(questions.conditional(JOINT, given[1])[1], counts)
    assert statistic < freedom + 5 * np.sqrt(2 * freedom)


def test_probabilities_of_predictions_and_their_scores(run, work):
    run("mnmodel", "sample", "net.bif", "--rows", "300", "-o", "test.csv", "-q")
    rows = [list(map(state, row)) for row in cells(Path("test.csv").read_text())]
    done = run("mnmodel", "predict", "net.bif", "test.csv", "--target", "x1", "--proba", "--confusion", "confusion.csv")
    assert done.stdout.startswith("x1,probability,x1=s0,x1=s1,x1=s2\n")
    loss, confusion = 0.0, np.zeros((3, 3), int)
    for row, (label, best, *probabilities) in zip(rows, cells(done.stdout), strict=True):
        _, truth = questions.conditional(JOINT, {v: k for v, k in enumerate(row) if v != 1})
        expected = marginal(truth, (1,))
        assert list(map(float, probabilities)) == pytest.approx([expected[k,] for k in range(3)], rel=1e-8)
        assert best == max(probabilities, key=float) == probabilities[state(label)]
        loss -= np.log(expected[row[1],])
        confusion[row[1], state(label)] += 1
    right = confusion.trace()
    message = f"x1: right in {right} of 300 rows that have it ({right / 300:.4f}), log loss {loss / 300:.6f}\n"
    assert message in done.stderr
    lines = [f"s{k},{','.join(map(str, counts))}\n" for k, counts in enumerate(confusion.tolist())]
    assert Path("confusion.csv").read_text() == "x1,s0,s1,s2\n" + "".join(lines)


def test_a_state_that_is_not_in_the_model_is_an_infinite_loss(run, work):
    (work / "odd.csv").write_text("a,b\nx,y\nx,z\nx,z\n")
    done = run("mnmodel", "predict", "sure.bif", "odd.csv", "--target", "b", "--confusion", "confusion.csv")
    assert "right in 1 of 3 rows that have it (0.3333), log loss inf" in done.stderr
    assert Path("confusion.csv").read_text() == "b,x,y\nx,0,0\ny,0,1\nz,0,2\n"


def test_many_states_of_a_table_that_is_read_in_pieces(run, work, monkeypatch):
    """Its codes are bytes, and the states of model and table together are more than these can number."""
    monkeypatch.setattr(csvfile, "STREAM_FROM", 100)
    states = tuple(f"s{k}" for k in range(200))
    network = BayesianNetwork(("a",), (states,), ((),), (np.full((1, 200), 1 / 200),))
    write_model("m.json", network, "json", {})
    (work / "odd.csv").write_text("a,b\n" + "".join(f"t{k:02},0\n" for k in range(100)))
    run("mnmodel", "predict", "m.json", "odd.csv", "--target", "a", "--confusion", "confusion.csv")
    confused = [row for row in cells(Path("confusion.csv").read_text()) if set(row[1:]) != {"0"}]
    assert [(row[0], row[1], set(row[2:])) for row in confused] == [(f"t{k:02}", "1", {"0"}) for k in range(100)]


# ---- what is refused


def test_evidence_that_is_impossible(run, refuse, work):
    for command in ("query sure.bif --of a", "marginals sure.bif", "mpe sure.bif", "entropy sure.bif", "mpe sure.bif "
                    "--of a", "entropy sure.bif --of a", "information sure.bif", "information sure.bif --all",
                    "sample sure.bif --rows 3"):  # fmt: skip
        refuse(f"mnmodel {command} -q --given b=x", 1, "sure.bif: the evidence has probability zero: b=x")
        refuse(f"mnmodel {command} -q --likelihood b=1,0", 1,
               "sure.bif: the evidence has probability zero: likelihood of b=1,0")  # fmt: skip
    (work / "e.csv").write_text("b\nx\nx\n")
    for command in ("query sure.bif --of a", "marginals sure.bif", "mpe sure.bif"):
        refuse(f"mnmodel {command} -q --given-rows e.csv", 1, "e.csv: row 1: the evidence has probability zero: b=x")
    (work / "blank.csv").write_text("a,b\n?,y\n?,x\n")
    for more in ("", " --draws 2"):
        refuse(f"mnmodel impute sure.bif blank.csv -q{more}", 1, "blank.csv: row 2 has probability zero (1 such rows)")
    (work / "blank.csv").write_text("a,b\ny,x\n?,y\n")  # nothing is missing in the first row, which is impossible
    for more in ((), ("--draws", "1")):
        lines = run("mnmodel", "impute", "sure.bif", "blank.csv", "-q", *more).stdout.splitlines()
        assert lines[:2] == ["a,b", "y,x"] and len(lines) == 3 and "?" not in lines[2]


def test_likelihoods_that_do_not_fit(refuse, work):
    ask = "mnmodel marginals net.bif -q --likelihood"
    refuse(f"{ask} x1=1,2", 1, "net.bif: variable 'x1' has 2 likelihoods and 3 states; give one for each of s0, s1, s2")
    refuse(f"{ask} x0=0,0", 2, "--likelihood 'x0=0,0': all are zero")
    for text in ("x0", "x0=", "x0=a,1", "x0=-1,2", "x0=nan,1", "x0=inf,1", "x0=1_0,2", "x0=\u0661,2"):
        refuse(f"{ask} {text}", 2, f"--likelihood '{text}': expected NAME=NUMBER,..., numbers of at least 0")
    refuse(f"{ask} X0=1,2", 1, "net.bif: no variable 'X0'")
    refuse(f"{ask} x0=1,2 --likelihood x0=2,1", 1, "net.bif: variable 'x0' is given a likelihood twice")
    refuse(f"{ask} x0=1,2 --given x0=s0", 1, "net.bif: variable 'x0' is given and has a likelihood")
    refuse(f"{ask} x0=1,2 --given-rows rows.csv", 1, "net.bif: variable 'x0' is given in rows.csv and has a likelihood")


def test_tables_of_evidence_that_do_not_fit(refuse, work):
    ask = "mnmodel query net.bif -q --of x1 --given-rows"
    both = "net.bif: variable 'x1' is both queried and given"
    (work / "other.csv").write_text("y\n1\n")
    (work / "odd.csv").write_text("x0,x2\ns9,s0\ns9,s1\n")
    (work / "asked.csv").write_text("x0,x1\ns0,s0\n")
    refuse(f"{ask} other.csv", 1, "other.csv: no variable 'y'; its variables are x0, x1, x2, x3, x4")
    refuse(f"{ask} odd.csv", 1, "odd.csv: row 1, column 'x0': state 's9' is not in the model, which knows s0, s1")
    refuse(f"{ask} asked.csv", 1, f"{both}; leave one of them out; mnmodel predict predicts a column")
    refuse(f"{ask} rows.csv --given x0=s0", 1, "net.bif: variable 'x0' is given by --given and in rows.csv")


def test_models_that_differ(refuse, work):
    refuse("mnmodel kl net.bif sure.bif -q", 1, "sure.bif: the variables are not those of net.bif: only one has 'a'")
    (work / "more.bif").write_text(SURE.replace("{ x, y }", "{ x, z }", 1).replace("(y)", "(z)"))
    refuse(
        "mnmodel kl sure.bif more.bif -q",
        1,
        "more.bif: variable 'a': the states are not those of sure.bif: only one has 'y'",
    )


def test_nothing_to_compare_predictions_with(refuse, work):
    (work / "t.csv").write_text("a\nx\nx\n")
    refuse("mnmodel predict sure.bif t.csv --target b --confusion c.csv -q", 1,
           "t.csv: no row has 'b', so there is nothing to compare; leave --confusion out")  # fmt: skip
