"""BIF files: valid ones are read, errors are reported with the line, and samples follow the tables."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from cliquewise.common.errors import DataError
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.bif import parse_bif
from tests.oracles.distributions import bayesian_distribution, chi_square, marginal

WEATHER = """
network "the weather" { property author "someone; or other"; }  // blanks, commas and | only separate
variable rain { type discrete [ 2 ] { no, yes }; property "position = (1, 2)"; }
variable "wet road" {
  type discrete[3]{ dry "a bit" wet };
}
/* the second
   parent changes fastest */
variable mood { type discrete [ 2 ] { <0.5, 5-12+ }; }
probability ( mood | rain, "wet road" ) {
  default 0.5, 0.5;
  (yes, dry) 0.25, 0.75;
  (no, wet) 1.0 0.0;
}
probability ( "wet road" | rain ) { table 0.7, 0.1,  0.2, 0.3,  0.1, 0.6; }
probability ( rain ) { table 0.3333333, 0.6666666; }
"""
# on each line what is wrong in a network of a (two states) and b, whose only parent is a
HEAD = "network n { }\nvariable a { type discrete [ 2 ] { x, y }; }\nvariable b { type discrete [ 2 ] { u, v }; }\n"
GOOD_A, GOOD_B = "probability ( a ) { table 0.5, 0.5; }\n", "probability ( b | a ) { default 0.5, 0.5; }\n"
REFUSED = {
    "": "no 'variable' in it; expected a BIF file",
    "# a comment of another kind": ":1: found '#', expected 'network', 'variable' or 'probability'",
    "network n {": ":1: the file ends inside a block; is it complete?",
    "network n { title x; }": ":1: found 'title', expected one of 'property', '}'",
    'network "n { }': ":1: a quote that is never closed",
    HEAD + "variable a { }": ":4: variable 'a' is declared a second time",
    HEAD + "variable c { }": ":4: variable 'c' has no 'type'",
    HEAD + "variable c { type real; }": ":4: variable 'c' is of type 'real'; only discrete ones can be sampled",
    HEAD + "variable c { type discrete [ 3 ] { x, y }; }": ":4: variable 'c' has 2 states, announced were 3",
    HEAD + "variable c { type discrete [ 2 ] { x, x }; }": ":4: variable 'c' has no states, or two of the same name",
    HEAD + "variable c { type discrete [ 0 ] { }; }": ":4: variable 'c' has no states, or two of the same name",
    HEAD + "variable c { type discrete [ 2 ] { x, {": ":4: found '{', expected '}'",
    HEAD + "variable c { type discrete ( 2 )": ":4: found '(', expected '['",
    HEAD + GOOD_A: ":3: variable 'b' has no 'probability'",
    HEAD + GOOD_A + GOOD_A: ":5: variable 'a' has a second 'probability'",
    HEAD + GOOD_A + "probability ( b | c ) { }": ":5: unknown variable 'c'",
    HEAD + GOOD_A + "probability ( b | a, a ) { }": ":5: a variable is named twice in one 'probability'",
    HEAD + GOOD_A + "probability ( ) { }": ":5: a probability of no variable",
    HEAD + GOOD_B + "probability ( a ) { }": ":5: 'a' has no table and no default",
    HEAD + GOOD_A + "probability ( b | a ) {\n(x) 0.5, 0.5; }": ":5: 'b' has no row (y) and no default",
    HEAD + GOOD_A + "probability ( b | a ) {\n(x) 0.5, 0.5;\n(x) 0.5, 0.5; }": ":7: a second row for the same states "
    "of the parents of 'b'",
    HEAD + GOOD_A + "probability ( b | a ) {\n(z) 0.5, 0.5; }": ":6: unknown state 'z' of 'a'",
    HEAD + GOOD_A + "probability ( b | a ) {\n(x, y) 0.5, 0.5; }": ":6: 2 states for 1 parent of 'b'",
    HEAD + GOOD_A + "probability ( b | a ) {\n(x) 0.5, 0.4, 0.1; }": ":6: 3 probabilities for 'b', expected 2",
    HEAD + GOOD_A + "probability ( b | a ) {\ntable 0.5, 0.5; }": ":6: 2 probabilities for 'b', expected 4",
    HEAD + GOOD_A + "probability ( b | a ) {\n\n(x) 0.5, half; }": ":7: found 'half', expected a number",
    HEAD + GOOD_A + "probability ( b | a ) { (x) 0.5, -0.5; }": ":5: -0.5 is not a probability",
    HEAD + GOOD_A + "probability ( b | a ) { (x) 0.5, nan; }": ":5: nan is not a probability",
    HEAD + GOOD_A + "probability ( b | a ) {\ndefault 0.5, 0.4; }": ":6: probabilities of 'b' sum to 0.9, must be 1",
    HEAD + GOOD_A + "probability ( b | a ) { (x) 0.5, 0.5 }": ":5: a statement without a semicolon at its end",
    HEAD + "probability ( a | b ) { default 1, 0; }\n" + GOOD_B: ": the arcs form a cycle: ",
}
# name: variables, arcs, edges of the moral graph, largest blanket; as published for these networks
PUBLISHED = {
    "alarm": (37, 46, 65, 8),
    "asia": (8, 8, 10, 5),
    "barley": (48, 84, 126, 13),
    "child": (20, 25, 30, 8),
    "hailfinder": (56, 66, 99, 17),
    "insurance": (27, 52, 70, 10),
    "mildew": (35, 46, 80, 9),
    "water": (32, 66, 123, 13),
}
PARAMETERS = {"alarm": 509, "asia": 18, "barley": 114005, "child": 230, "hailfinder": 2656, "mildew": 540150}


def distribution(network):
    """By the oracle."""
    return bayesian_distribution(
        list(map(len, network.states)), network.parents, [table.tolist() for table in network.tables]
    )


def test_what_is_read():
    network = parse_bif(WEATHER)
    assert network.names == ("rain", "wet road", "mood")
    assert network.states == (("no", "yes"), ("dry", "a bit", "wet"), ("<0.5", "5-12+"))
    assert network.parents == ((), (0,), (0, 1))
    rain, road, mood = (table.tolist() for table in network.tables)
    assert rain == [pytest.approx([1 / 3, 2 / 3], abs=1e-7)] and sum(rain[0]) == 1
    assert road == [pytest.approx(row) for row in ([0.7, 0.2, 0.1], [0.1, 0.3, 0.6])]
    assert mood == [[0.5, 0.5], [0.5, 0.5], [1, 0], [0.25, 0.75], [0.5, 0.5], [0.5, 0.5]]
    assert network.moral_graph().edges == ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text):
    with pytest.raises(DataError) as caught:
        parse_bif(text, "net.bif")
    message = str(caught.value)
    expected = f"net.bif{REFUSED[text]}" if REFUSED[text].startswith(":") else f"net.bif: {REFUSED[text]}"
    assert message.startswith(expected) and "\n" not in message


def test_moral_graph_marries_parents():
    one = np.full((1, 2), 0.5)
    four = np.full((4, 2), 0.5)
    network = BayesianNetwork(tuple("abc"), (("0", "1"),) * 3, ((), (0, 2), ()), (one, four, one))
    assert network.moral_graph().edges == ((0, 1), (0, 2), (1, 2))
    assert network.order().index(1) == 2


def check_sample(network, rows, seed):
    """Every variable with its parents, and all variables together, by a chi-square test."""
    truth = distribution(network)
    data = network.sample(rows, np.random.default_rng(seed))
    code = [{label: k for k, label in enumerate(states)} for states in network.states]
    drawn = [tuple(code[v][data.states[v][k]] for v, k in enumerate(row)) for row in data.codes.tolist()]
    assert all(truth[row] > 0 for row in set(drawn))
    families = [(v, *parents) for v, parents in enumerate(network.parents)]
    for group in [*families, tuple(range(network.n))]:
        counts = Counter(tuple(row[v] for v in group) for row in drawn)
        statistic, freedom = chi_square(marginal(truth, group), counts)
        assert statistic < chi2.isf(1e-4, freedom), (group, statistic, freedom)


def test_a_cycle_is_shown_whole():
    network = BayesianNetwork(tuple("abcd"), (("0", "1"),) * 4, ((2,), (0,), (1,), (0,)), ())
    with pytest.raises(ValueError) as caught:
        network.order()
    assert {*caught.value.args[1]} == {0, 1, 2}


def test_samples_follow_the_tables():
    check_sample(parse_bif(WEATHER), 20000, 1)
    rng = np.random.default_rng(2)
    arity = [3, 2, 4, 2, 3]
    parents = ((3,), (), (0, 1), (1,), (2, 0))  # no order by number
    tables = []
    for v in range(5):
        table = rng.random((int(np.prod([arity[p] for p in parents[v]])), arity[v]))
        table[rng.random(table.shape) < 0.3] = 0.0
        table[:, rng.integers(arity[v])] += 0.1
        tables.append(table / table.sum(axis=1, keepdims=True))
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arity)
    check_sample(BayesianNetwork(tuple("abcde"), states, parents, tuple(tables)), 20000, 3)


def test_same_seed_same_data():
    network = parse_bif(WEATHER)
    first, second, other = (network.sample(100, np.random.default_rng(seed)).codes for seed in (1, 1, 2))
    assert np.array_equal(first, second) and not np.array_equal(first, other)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_networks(shared, name):
    path = shared / "data/mplearn" / f"{name}.bif"
    if not path.exists():
        pytest.skip(f"no {name}.bif")
    network = parse_bif(path.read_text())
    graph = network.moral_graph()
    arcs = sum(map(len, network.parents))
    assert (network.n, arcs, len(graph.edges), max(map(len, graph.neighbours()))) == PUBLISHED[name]
    free = sum(table.shape[0] * (table.shape[1] - 1) for table in network.tables)
    assert free == PARAMETERS.get(name, free)
    assert all(np.allclose(table.sum(axis=1), 1, atol=1e-12) for table in network.tables)
    data = network.sample(500, np.random.default_rng(1))
    assert data.names == network.names and data.n_rows == 500
    if name == "asia":
        check_sample(network, 20000, 4)
