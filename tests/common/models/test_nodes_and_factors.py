"""GeNIe's deterministic and noisy-MAX nodes, Netica's files, and Markov networks of UAI: against their definitions."""

import itertools

import numpy as np
import pytest

from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.models.any_graph import parse_graph
from cliquewise.common.models.model_file import parse_model
from cliquewise.common.models.noisy_max import noisy_max_table
from tests.oracles import factors as oracle


def distributions(rng, rows, r):
    """Random distributions, some with zeros."""
    table = rng.random((rows, r)) * (rng.random((rows, r)) < 0.8) + 1e-3
    return table / table.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(25))
def test_noisy_max_against_its_definition(seed):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 5))
    causes = [distributions(rng, int(rng.integers(1, 4)), r) for _ in range(rng.integers(0, 4))]
    (leak,) = distributions(rng, 1, r)
    found = noisy_max_table(causes, leak)
    assert found == pytest.approx(np.array(oracle.noisy_max([cause.tolist() for cause in causes], leak.tolist())))


def test_noisy_max_of_too_many_parents():
    with pytest.raises(LimitError, match=r"would have \d+ numbers"):
        noisy_max_table([np.full((2, 2), 0.5)] * 30, np.array([0.5, 0.5]))


NOISY = """<smile><nodes><cpt id="a"><state id="yes"/><state id="no"/><probabilities>0.3 0.7</probabilities></cpt>
<cpt id="b"><state id="low"/><state id="mid"/><state id="high"/><probabilities>0.2 0.3 0.5</probabilities></cpt>
<noisymax id="e"><state id="strong"/><state id="weak"/><state id="absent"/><parents>a b</parents>
<strengths>0 1 2 1 0</strengths>
<parameters>0.6 0.3 0.1 0 0 1 0.5 0.2 0.3 0.1 0.4 0.5 0 0 1 0.02 0.03 0.95</parameters></noisymax></nodes></smile>"""


def test_noisy_max_of_genie():
    network = parse_model(NOISY, "net")
    causes = [[[0.6, 0.3, 0.1], [0, 0, 1]], [[0, 0, 1], [0.1, 0.4, 0.5], [0.5, 0.2, 0.3]]]  # b: high is the strongest
    assert network.parents[2] == (0, 1)
    assert network.tables[2] == pytest.approx(np.array(oracle.noisy_max(causes, [0.02, 0.03, 0.95])))
    for old, new, message in (
        ("0 1 2 1 0", "0 1 2 1 1", "strengths 2 1 1 are not an order of 3 states"),
        ("0.95<", "0.95 1<", "19 parameters and 5 strengths, expected 18 and 5"),
        ("0.6 0.3", "0.6 0.9", "sum to 1.6"),
    ):
        with pytest.raises(DataError, match=message):
            parse_model(NOISY.replace(old, new), "net")


def test_deterministic_nodes_of_genie():
    text = (
        "<smile><nodes><cpt id='a'><state id='x'/><state id='y'/><probabilities>0.3 0.7</probabilities></cpt>\n"
        "<deterministic id='d'><state id='u'/><state id='v'/><parents>a</parents>"
        "<resultingstates>v u</resultingstates></deterministic></nodes></smile>"
    )
    assert parse_model(text, "net").tables[1].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(DataError, match="net:2: 'w' is not a state of 'd'"):
        parse_model(text.replace("v u", "v w"), "net")
    with pytest.raises(DataError, match="2 probabilities for 'd', expected 2 times 2"):
        parse_model(text.replace("v u", "v"), "net")


DNE = """// ~->[DNET-1]->~
bnet weather {
AutoCompile = TRUE;
visual V1 { nodefont = font {shape= "Arial"; size= 10;}; NodeSet Node {BuiltIn = 1; Color = 0xc0c0c0;}; };
node rain { kind = NATURE; discrete = TRUE; states = (no, yes); parents = (); probs = // no yes
    (0.8, 0.2); title = "it; rains } \\"here\\""; };
node t { kind = NATURE; discrete = FALSE; levels = (0, 5, 1e1); parents = (); probs = (0.25, 0.75); evidence = 1; };
node road { kind = NATURE; states = (dry, wet, "a bit"); parents = (t, rain);
    probs = (((0.9, 0.1, 0), // no
              (0.2, 0.5, 0.3)), /* yes */ ((0.5, 0.25, 0.25), (0, 0, 1))); };
node slip { kind = NATURE; chance = DETERMIN; states = (n, y); parents = (road); functable = (n, y, #1); };
node TITLE1 { kind = CONSTANT; discrete = TRUE; states = (true, false); parents = (); title = "a text"; };
};
"""


def test_files_of_netica(caplog):
    caplog.set_level("INFO", "cliquewise")
    network = parse_model(DNE, "net")
    assert network.names == ("rain", "t", "road", "slip")
    assert network.states == (("no", "yes"), ("[0,5)", "[5,10)"), ("dry", "wet", "a bit"), ("n", "y"))
    assert network.parents == ((), (), (1, 0), (2,))
    assert network.tables[2].tolist() == [[0.9, 0.1, 0], [0.2, 0.5, 0.3], [0.5, 0.25, 0.25], [0, 0, 1]]
    assert network.tables[3].tolist() == [[1, 0], [0, 1], [0, 1]]
    assert "'TITLE1' is a constant" in caplog.text and "the finding of 't' in the file is not used" in caplog.text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind = NATURE; discrete = TRUE", "kind = DECISION; discrete = TRUE", "net:5: a decision node: this is an"),
        ("kind = NATURE; states = (dry", "kind = UTILITY; states = (dry", "net:8: a utility node"),
        ("parents = (road)", "parents = (TITLE1)", "'TITLE1' is a constant with children"),
        ("functable = (n, y, #1)", "functable = (n, y, #2)", "net:11: '#2' is not a state of 'slip'"),
        ("functable = (n, y, #1)", "functable = (n, y, #\u00b2)", "net:11: '#\u00b2' is not a state of 'slip'"),
        ("functable = (n, y, #1)", "functable = (n, y, #\u0661)", "net:11: '#\u0661' is not a state of 'slip'"),
        ("states = (n, y)", "numstates = \u0662", "node 'slip' has no states"),
        ("states = (n, y)", "numstates = 2000000", "net:11: node 'slip' has 2,000,000 states, of at most"),
        ("(0.25, 0.75)", "(0.25, x)", "net:7: the probs of 't'"),
        ("(0.25, 0.75)", "(0.2_5, 0.75)", "net:7: the probs of 't': found '0.2_5', expected a number"),
        ("0.2, 0.5, 0.3", "0.2, 0.5, 0.5", "probabilities of 'road' given t=[0,5), rain=yes sum to 1.2"),
        ("node t", "node rain", "net:7: node 'rain' is declared a second time"),
        ("};\n};\n", "", "the file ends inside a block"),
        ("levels = (0, 5, 1e1); ", "", "node 't' has no states"),
    ],
)
def test_broken_files_of_netica(old, new, message):
    with pytest.raises(DataError) as caught:
        parse_model(DNE.replace(old, new, 1), "net")
    assert message in str(caught.value) and "\n" not in str(caught.value)


def random_factors(rng):
    """Numbers of states, and factors with zeros and of very different sizes."""
    n = int(rng.integers(1, 7))
    arity, factors = rng.integers(1, 4, n).tolist(), []
    for _ in range(rng.integers(0, 8)):
        scope = rng.permutation(n)[: rng.integers(0, min(n, 3) + 1)].tolist()
        shape = [arity[v] for v in scope]
        table = rng.random(shape) * 10.0 ** rng.integers(-60, 60) * (rng.random(shape) < 0.9)
        factors.append((scope, np.maximum(table, 1e-70 * (rng.random(shape) < 0.9))))
    return arity, factors


def uai_of(arity, factors):
    """The text of a file."""
    lines = ["MARKOV", str(len(arity)), " ".join(map(str, arity)), str(len(factors))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    lines += [f"\n{table.size}\n{' '.join(map(repr, np.asarray(table).ravel().tolist()))}" for _, table in factors]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(60))
def test_markov_networks_against_enumeration(seed, caplog):
    caplog.set_level("INFO", "cliquewise")
    rng = np.random.default_rng(seed)
    arity, factors = random_factors(rng)
    listed = [
        (scope, {k: float(table[k]) for k in itertools.product(*map(range, table.shape))}) for scope, table in factors
    ]
    truth = oracle.weights(arity, listed)
    total = sum(truth.values())
    if not total > 0:
        with pytest.raises(DataError, match="0 in all states"):
            parse_model(uai_of(arity, factors), "net")
        return
    network = parse_model(uai_of(arity, factors), "net")
    assert float(caplog.text.split("log partition function ")[1].split()[0]) == pytest.approx(np.log(total), abs=1e-5)
    codes = np.array(list(truth), np.int32)
    assert np.exp(network.log_likelihood(codes)) == pytest.approx(np.array(list(truth.values())) / total, abs=1e-12)
    for v, table in enumerate(network.marginals(np.full((1, len(arity)), -1))[1]):
        expected = [sum(p for state, p in truth.items() if state[v] == k) / total for k in range(arity[v])]
        assert table[0] == pytest.approx(expected, abs=1e-12)


def test_a_markov_network_is_a_graph_without_directions():
    arity, factors = [2] * 4, [([0, 1], np.ones((2, 2))), ([2, 1, 3], np.ones((2, 2, 2)))]
    file = parse_graph(uai_of(arity, factors), "net")
    assert file.dag is None and file.graph.edges == ((0, 1), (1, 2), (1, 3), (2, 3))


def test_orders_of_factors():
    text = "MARKOV\n2\n2 3\n2\n0\n2 0 1\n1\n7\n6\n1 2 3 4 5 6\n"  # the first has no variables
    specified = [[1, 2, 3], [4, 5, 6]]
    for order, expected in ((None, specified), ("pyagrum", specified), ("first", [[1, 3, 5], [2, 4, 6]])):
        network = parse_model(text, "net", order)
        joint = np.exp(network.log_likelihood(np.indices((2, 3)).reshape(2, -1).T)).reshape(2, 3)
        assert joint == pytest.approx(np.array(expected) / 21)
