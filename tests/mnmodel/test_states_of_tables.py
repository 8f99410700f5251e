"""Tables that write the states of a model in another way, or with words that otherwise mean a missing cell."""

import json

import numpy as np
import pytest

from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_file import write_model
from tests.mnmodel.test_questions import cells

MARKERS = ("NA", "?", "")


def network_of(states):
    """P(b | a) of two variables: the states of a are given, those of b are u and v."""
    table = np.array([[0.1, 0.9], [0.7, 0.3], [0.4, 0.6]])[: len(states)]
    first = np.array([[0.5, 0.3, 0.2]])[:, : len(states)]
    return BayesianNetwork(("a", "b"), (tuple(states), ("u", "v")), ((), (0,)), (first / first.sum(), table))


def written(*lines):
    """Lines of cells as a CSV, every cell in quotes."""
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


@pytest.mark.parametrize("marker", MARKERS)
def test_a_state_of_the_model_may_be_a_word_for_missing(run, workplace, marker):
    network = network_of((marker, "x"))
    workplace({"t.csv": written("ab", (marker, "u"), ("x", "v")), "blank.csv": written("ab", (marker, "NA"), "xu"),
               "g.csv": written("a", (marker,))})  # fmt: skip
    write_model("m.json", network, "json", {})
    loglik = float(run("mnmodel", "loglik", "m.json", "t.csv", "-q").stdout.split()[1])
    assert loglik == pytest.approx(np.mean(np.log([0.625 * 0.1, 0.375 * 0.3])), abs=1e-6)
    assert cells(run("mnmodel", "query", "m.json", "--of", "b", "--given-rows", "g.csv", "-q").stdout) == [
        ["1", "u", "0.1"], ["1", "v", "0.9"]]  # fmt: skip
    if marker:
        predictions = run("mnmodel", "query", "m.json", "--of", "b", "--given", f"a={marker}", "-q").stdout
        assert predictions == "b,probability\nu,0.1\nv,0.9\n"
    predictions = run("mnmodel", "predict", "m.json", "t.csv", "--target", "b", "-q").stdout
    assert cells(predictions) == [["v", "0.9"], ["u", "0.7"]]
    done = run("mnmodel", "predict", "m.json", "t.csv", "--target", "a", "--confusion", "c.csv")
    assert "right in 0 of 2 rows that have it (0.0000), log loss 1.720209" in done.stderr, done.stderr
    assert run("mnmodel", "impute", "m.json", "blank.csv", "-q").stdout.replace('""', "") == f"a,b\n{marker},v\nx,u\n"
    drawn = run("mnmodel", "sample", "m.json", "--rows", "200", "-q").stdout.replace('""', "").splitlines()[1:]
    assert {line.partition(",")[0] for line in drawn} == {marker, "x"}
    known = run("mnmodel", "sample", "m.json", "--rows", "9", "--given", "b=u", "-q").stdout.replace('""', "")
    assert {line.partition(",")[0] for line in known.splitlines()[1:]} <= {marker, "x"}


def test_other_words_for_missing_are_still_missing(run, workplace):
    workplace({"t.csv": written("ab", ("", "u"), ("?", "u"))})
    write_model("m.json", network_of(("NA", "x")), "json", {})
    loglik = float(run("mnmodel", "loglik", "m.json", "t.csv", "-q").stdout.split()[1])
    assert loglik == pytest.approx(np.log(0.625 * 0.1 + 0.375 * 0.7), abs=1e-6)


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (("0", "1"), ("0.0", "1.0")),
        (("0", "1"), ("00", "1e0")),
        (("0.0", "1.0"), ("0", "1")),
        (("FALSE", "TRUE"), ("False", "True")),
        (("(0,1]", "(1,2.5]"), ("(0.0, 1.0]", "(1.0, 2.5]")),
    ],
)
def test_states_in_other_spellings(run, workplace, states, words):
    workplace({"own.csv": written("ab", (states[0], "u"), (states[1], "v")),
               "t.csv": written("ab", (words[0], "u"), (words[1], "v")),
               "blank.csv": written("ab", (words[0], "?"), ("", "u"))})  # fmt: skip
    write_model("m.json", network_of(states), "json", {})
    own, other = (run("mnmodel", "loglik", "m.json", path) for path in ("own.csv", "t.csv"))
    assert own.stdout == other.stdout
    assert other.stderr.count("written in another way than in the model") == 1
    assert f"column 'a': '{words[0]}' is '{states[0]}', and 1 more" in other.stderr
    query = ("mnmodel", "query", "m.json", "--of", "b", "-q", "--given")
    quoted = '"a={}"'.format
    assert run(*query, quoted(words[1])).stdout == run(*query, quoted(states[1])).stdout
    predict = ("mnmodel", "predict", "m.json", "t.csv", "--target", "a", "--confusion", "c.csv")
    done = run(*predict)
    assert "of 2 rows" in done.stderr
    with open("c.csv", encoding="utf-8") as file:
        assert len(file.read().splitlines()) == 3  # no line for a state of the table
    filled = run("mnmodel", "impute", "m.json", "blank.csv", "-q").stdout
    assert filled.replace('"', "").startswith(f"a,b\n{states[0]},v\n")
    rows = run("mnmodel", "query", "m.json", "--of", "b", "--given-rows", "blank.csv", "-q")
    assert rows.code == 1 and "both queried and given" in rows.stderr


def test_known_numbers_of_a_column_that_was_cut_stay(run, workplace):
    """The filled-in ones are the lower median in their class, or numbers of it; a class without any is its interval."""
    own = [("1.5", "u"), ("", "v"), ("7.25", "u"), ("NA", "u"), ("2", "u"), ("9", "v"), ("?", "v"), ("2.5", "v")]
    workplace({"t.csv": written("ab", *own)})
    write_model("m.json", network_of(("(-inf,5)", "[5,10)", "[10,inf)")), "json", {})
    done = run("mnmodel", "impute", "m.json", "t.csv")
    assert "known numbers stay, others are medians in their interval: a" in done.stderr
    # p(a | b=v) is largest for a < 5 (0.45), p(a | b=u) for 5 <= a < 10
    filled = {1: "2", 3: "7.25", 6: "2"}
    assert cells(done.stdout) == [[filled.get(k, a), b] for k, (a, b) in enumerate(own)]
    drawn = cells(run("mnmodel", "impute", "m.json", "t.csv", "--draws", "40", "-q").stdout)
    assert {row[0] for row in drawn[40:80]} == {"1.5", "2", "2.5", "7.25", "9", '"[10'}
    assert drawn[:40] == [["1.5", "u"]] * 40
    counts = "11112104"
    workplace({"n.csv": written("abn", *((*row, count) for row, count in zip(own, counts, strict=True)))})
    done = cells(run("mnmodel", "impute", "m.json", "n.csv", "--counts", "n", "-q").stdout)
    filled |= {1: "2.5", 6: "2.5"}  # of seven rows with a number below 5
    assert done == [[filled.get(k, a), b, counts[k]] for k, (a, b) in enumerate(own)]


def test_states_of_other_tables_are_not_counted_twice(run, workplace):
    workplace({"d.csv": "a,b\n" + "0,0\n1,1\n" * 6, "other.csv": "a,b\n0.0,1.0\n1.0,2.0\n", "g.edges": "a,b\n"})
    for options in ((), ("--states-of", "other.csv")):
        run("mnmodel", "fit", "d.csv", "g.edges", *options, "--format", "json", "-o", "m.json", "-q")
        with open("m.json", encoding="utf-8") as file:
            found = [variable["states"] for variable in json.load(file)["variables"]]
        assert found == [["0", "1"], ["0", "1", "2.0"] if options else ["0", "1"]]


def test_two_states_of_equal_value_are_distinguished(run, refuse, workplace):
    workplace({"t.csv": written("ab", ("01", "u"), ("1", "u")), "odd.csv": written("ab", ("1.0", "u"), ("1", "u"))})
    write_model("m.json", network_of(("1", "01")), "json", {})
    loglik = float(run("mnmodel", "loglik", "m.json", "t.csv", "-q").stdout.split()[1])
    assert loglik == pytest.approx(np.mean(np.log([0.375 * 0.7, 0.625 * 0.1])), abs=1e-6)
    refuse("mnmodel loglik m.json odd.csv -q", 1, "odd.csv: row 1, column 'a': state '1.0' is not in the model")


# ---- rows of evidence that cannot be answered

ROWS = written("a", "x", ("nope",), "y", "z")


@pytest.fixture
def asked(workplace):
    """A model of which y has probability zero, and rows of evidence: possible, unknown, impossible, possible."""
    place = workplace({"rows.csv": ROWS, "good.csv": written("a", "x", "z")})
    network = network_of(("x", "y", "z"))
    write_model("m.json", BayesianNetwork(network.names, network.states, network.parents,
                                          (np.array([[0.5, 0.0, 0.5]]), network.tables[1])), "json", {})  # fmt: skip
    return place


def test_other_rows_are_answered(run, asked):
    good = cells(run("mnmodel", "query", "m.json", "--of", "b", "--given-rows", "good.csv", "-q").stdout)
    done = run("mnmodel", "query", "m.json", "--of", "b", "--given-rows", "rows.csv")
    found = cells(done.stdout)
    assert done.code == 0 and [line[0] for line in found] == ["1", "1", "2", "2", "3", "3", "4", "4"]
    assert [line[1:] for line in found if line[0] in "14"] == [line[1:] for line in good]
    assert {line[2] for line in found if line[0] in "23"} == {"nan"}
    message = (
        "rows.csv: 2 of 4 rows have no answer; row 2, column 'a': state 'nope' is not in the model, which knows x, y, z"
    )
    assert message in done.stderr
    marginals = json.loads(
        run("mnmodel", "marginals", "m.json", "--given-rows", "rows.csv", "--format", "json", "-q").stdout
    )
    assert [one is None for one in marginals] == [False, True, True, False]
    lines = cells(run("mnmodel", "marginals", "m.json", "--given-rows", "rows.csv", "-q").stdout)
    assert {line[3] == "nan" for line in lines if line[0] in "23"} == {True}
    assert all(line[3] != "nan" for line in lines if line[0] in "14")
    best = cells(run("mnmodel", "mpe", "m.json", "--given-rows", "rows.csv", "-q").stdout)
    assert [line[:2] for line in best] == [["x", "v"], ["?", "?"], ["?", "?"], ["z", "v"]]
    best = cells(run("mnmodel", "mpe", "m.json", "--of", "b", "--given-rows", "rows.csv", "-q").stdout)
    assert [line[0] for line in best] == ["v", "?", "?", "v"]


def test_the_nearest_name_is_suggested(refuse, workplace):
    workplace({})
    network = network_of(("smoker", "none"))
    write_model(
        "m.json", BayesianNetwork(("habit", "b"), *(network.states, network.parents, network.tables)), "json", {}
    )
    ask = "mnmodel query m.json -q --of b"
    refuse(f"{ask} --given habit=Smoker", 1, "m.json: variable 'habit' has no state 'Smoker'; its states are smoker, "
           "none; did you mean 'smoker'?")  # fmt: skip
    refuse(f"{ask} --given habitt=smoker", 1, "m.json: no variable 'habitt'; its variables are habit, b; did you mean "
           "'habit'?")  # fmt: skip


def test_blanks_after_commas(run, workplace):
    workplace({})
    write_model("m.json", network_of(("yes", "no")), "json", {})
    plain = run("mnmodel", "marginals", "m.json", "--given", "a=yes,b=u", "-q").stdout
    for given in ("a=yes, b=u", "a=yes ,b=u", " a=yes,  b = u ", '"a=yes", "b=u"'):
        assert run("mnmodel", "marginals", "m.json", "--given", given, "-q").stdout == plain, given
    joint = run("mnmodel", "query", "m.json", "--of", "a,b", "-q").stdout
    assert run("mnmodel", "query", "m.json", "--of", "a, b", "-q").stdout == joint


def test_the_logarithm_of_likelihoods_is_named(run, workplace):
    workplace({})
    write_model("m.json", network_of(("yes", "no")), "json", {})
    done = run("mnmodel", "query", "m.json", "--of", "b", "--likelihood", "a=50,50")
    assert "log expected likelihood of the evidence 3.912023" in done.stderr and "probability of" not in done.stderr


def test_intervals_with_blanks_are_given_without_quotes(run, workplace):
    workplace({})
    write_model("m.json", network_of(("(0,5]", "(5,10]")), "json", {})
    plain = run("mnmodel", "query", "m.json", "--of", "b", "--given", "a=(0,5]", "-q").stdout
    for given in ("a=(0, 5]", "a=(0.0, 5.0]", "a= (0,5]", '"a=(0, 5]"'):
        assert run("mnmodel", "query", "m.json", "--of", "b", "--given", given, "-q").stdout == plain, given
