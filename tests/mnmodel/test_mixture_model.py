"""A mixture as a model: every answer against enumeration over the joint states with the class; its files."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.models import mixture as mixture_module
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.empirical import Empirical
from cliquewise.common.models.hidden_class import mixture_of
from cliquewise.common.models.mixture import Mixture
from cliquewise.common.models.model_file import HIDDEN_CLASS, parse_model, read_model, write_model
from cliquewise.common.models.sparse_cpt import SparseCPT
from cliquewise.mixture.network import as_network
from tests.mnmodel.test_inference import CLOSE, check_answers, check_targets, enumerated
from tests.mnmodel.test_page import data_of
from tests.oracles import questions
from tests.oracles.distributions import chi_square, marginal
from tests.random_models import random_model
from tests.slow import slow


def random_mixture(rng, arity, classes, with_rows=False):
    """Networks of these variables with random weights; perhaps one of several is an empirical distribution."""
    networks = [random_model(rng, arity) for _ in range(classes)]
    if with_rows and classes > 1 and rng.random() < 0.7:
        networks[rng.integers(classes)] = random_empirical(rng, networks[0])
    return Mixture(tuple(networks), rng.dirichlet(np.ones(classes)))


def random_empirical(rng, like):
    """Up to seven different rows, with random probabilities, of the variables of a network."""
    arity = [len(labels) for labels in like.states]
    rows = np.unique(rng.integers(0, arity, (rng.integers(1, 8), like.n)), axis=0)
    return Empirical(like.names, like.states, rows.astype(np.int32), rng.dirichlet(np.ones(len(rows))))


def joint_of(mixture):
    """{states of the variables and the class: probability}."""
    parts = zip(mixture.networks, mixture.weights.tolist(), strict=True)
    return {(*state, k): w * p for k, (one, w) in enumerate(parts) for state, p in all_states(one).items()}


def all_states(network):
    """{states of the variables: probability} of one of the networks."""
    if isinstance(network, Empirical):
        found = dict.fromkeys(np.ndindex(*map(len, network.states)), 0.0)
        return found | dict(zip(map(tuple, network.rows.tolist()), network.probabilities.tolist(), strict=True))
    return enumerated(network)


def without_class(joint):
    return marginal(joint, tuple(range(len(next(iter(joint))) - 1)))


def random_case(seed):
    """A mixture, its joint distribution, rows with missing cells and perhaps a class, and likelihoods."""
    rng = np.random.default_rng(seed)
    arity = rng.choice([1, 2, 2, 3], rng.integers(1, 6)).tolist()
    mixture = random_mixture(rng, arity, int(rng.integers(1, 4)), with_rows=True)
    joint = joint_of(mixture)
    codes = np.column_stack([rng.integers(0, arity, (5, len(arity))), rng.integers(0, len(mixture.weights), 5)])
    codes[rng.random(codes.shape) < 0.6] = -1
    codes[:3, -1] = -1
    sizes = [*arity, len(mixture.weights)]
    likelihoods = {v: 0.1 + rng.random(r) for v, r in enumerate(sizes) if rng.random() < 0.25}
    return rng, mixture, joint, codes.astype(np.int32), likelihoods


@pytest.mark.parametrize("seed", range(40))
def test_answers_against_enumeration(seed):
    rng, mixture, joint, codes, likelihoods = random_case(seed)
    soft = questions.weighted(joint, likelihoods)
    check_answers(mixture, soft, codes, likelihoods, rng)
    targets = tuple(rng.permutation(mixture.n)[: rng.integers(1, 3)].tolist())
    check_targets(mixture, soft, codes, targets, likelihoods)


@pytest.mark.fast_cases(7)
@pytest.mark.parametrize("seed", [*range(15), *slow(*range(15, 40))])
def test_most_probable_states_against_enumeration(seed, caplog):
    """Without the class, and with it; all are proved."""
    caplog.set_level("INFO", "cliquewise")
    rng, mixture, joint, codes, likelihoods = random_case(seed)
    soft = questions.weighted(joint, likelihoods)
    others = tuple(v for v in range(mixture.n - 1) if rng.random() < 0.5)
    for targets in (None, others, (*others, mixture.n - 1)):
        asked = codes.copy()
        asked[:, list(targets or ())] = -1
        totals, logs, full = mixture.most_probable(asked, targets, likelihoods)
        for i, row in enumerate(asked.tolist()):
            total, truth = questions.conditional(soft, {v: k for v, k in enumerate(row) if k >= 0})
            assert np.exp(totals[i]) == pytest.approx(total, **CLOSE)
            scope = tuple(range(mixture.n - 1)) if targets is None else targets
            best = marginal(truth, scope) if total > 0 else {}
            if best:
                assert np.exp(logs[i]) == pytest.approx(max(best.values()), **CLOSE)
                assert best[tuple(full[i, list(scope)].tolist())] == pytest.approx(max(best.values()), **CLOSE)
    assert "proved for all rows" in caplog.text and "not proved" not in caplog.text


def test_a_bound_where_the_search_is_cut(monkeypatch, caplog):
    """The reported gap is at least the true one, and the log says so."""
    caplog.set_level("INFO", "cliquewise")
    monkeypatch.setattr(mixture_module, "TRIED_NETWORKS", 1)
    rng = np.random.default_rng(5)
    mixtures = [random_mixture(rng, [2] * 6, 4) for _ in range(12)]
    open_ones = 0
    for mixture in mixtures:
        search = mixture_module._Search(mixture, None, None, 0)
        best = search.run(np.full(7, -1, np.int32))
        truth = max(without_class(joint_of(mixture)).values())
        assert best.value <= np.log(truth) + 1e-12 <= best.bound + 2e-12
        open_ones += best.bound > best.value + 1e-9
    assert open_ones > 3
    monkeypatch.setattr(mixture_module._Search, "steps", 0)
    monkeypatch.setattr(mixture_module._Search.__init__, "__defaults__", (0,))
    for mixture in mixtures:
        mixture.most_probable(np.full((1, 7), -1))
    assert "not proved; others gain at most" in caplog.text


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("high", [0.6, 0.9, 1.0, 0.5])
def test_nodes_with_equal_bounds(n, high):
    """Two networks that prefer opposite states: the bounds of many nodes are equal."""
    names, states, parents = tuple(f"v{i}" for i in range(n)), (("0", "1"),) * n, ((),) * n
    first, second = (
        BayesianNetwork(names, states, parents, (np.array([row]),) * n) for row in ([high, 1 - high], [1 - high, high])
    )
    mixture = Mixture((first, second), np.array([0.5, 0.5]))
    truth = without_class(joint_of(mixture))
    for row in ([-1] * n, [0] + [-1] * (n - 1)):
        total, log, full = mixture.most_probable(np.array([[*row, -1]], np.int32))
        best = max(p for states, p in truth.items() if row[0] in (-1, states[0]))
        assert np.exp(total[0] + log[0]) == pytest.approx(best, **CLOSE)
        assert truth[tuple(full[0, :n].tolist())] == pytest.approx(best, **CLOSE)


def test_draws_have_the_distribution():
    rng = np.random.default_rng(8)
    mixture = random_mixture(rng, [2, 3, 2], 3)
    mixture = replace(mixture, networks=(*mixture.networks[:2], random_empirical(rng, mixture.networks[0])))
    truth, codes = joint_of(mixture), np.array([[-1, 1, -1, -1]], np.int32)
    _, given = questions.conditional(truth, {1: 1})
    drawn = mixture.draw_missing(codes, rng, 20_000)[1][0]
    statistic, degrees = chi_square(given, Counter(map(tuple, drawn.tolist())))
    assert statistic < degrees + 5 * (2 * degrees) ** 0.5
    rows = mixture.sample(20_000, rng)
    assert rows.names == mixture.names[:-1] and rows.n_rows == 20_000


@pytest.mark.parametrize("fmt", ["json", "bif", "xmlbif", "uai"])
def test_files_keep_the_distribution(fmt, tmp_path):
    rng = np.random.default_rng(3)
    for _ in range(4):
        mixture = random_mixture(rng, [2, 3, 2, 2], 3, with_rows=True)
        model, header = (mixture, {}) if fmt == "json" else (as_network(mixture), {HIDDEN_CLASS: "class"})
        write_model(tmp_path / "m", model, fmt, {"program": "test", **header})
        again = read_model(tmp_path / "m")
        assert isinstance(again, Mixture) and again.names == mixture.names and again.states == mixture.states
        assert joint_of(again) == {state: pytest.approx(p, abs=1e-12) for state, p in joint_of(mixture).items()}


def test_a_mixture_is_one_network():
    rng = np.random.default_rng(4)
    for _ in range(10):
        mixture = random_mixture(rng, [2, 2, 3, 2, 2], 2, with_rows=True)
        network = as_network(mixture)
        found = enumerated(network)
        assert {state: found.get(state, 0.0) for state in joint_of(mixture)} == {
            state: pytest.approx(p, abs=1e-12) for state, p in joint_of(mixture).items()
        }
        assert set(mixture.moral_graph().edges) <= set(network.moral_graph().edges)
    with pytest.raises(DataError, match="not a parent of all"):
        mixture_of(network, "x0", "f")
    with pytest.raises(DataError, match="no such variable"):
        mixture_of(network, "kind", "f")
    names, states = tuple(f"x{v}" for v in range(26)), (("0", "1"),) * 26
    wide = [BayesianNetwork(names, states, ((),) * 26, (np.full((1, 2), 0.5),) * 26)]
    star = [*((),) * 25, tuple(range(25))]
    table = SparseCPT((2,) * 25, np.zeros((1, 25), np.int32), np.array([[0.3, 0.7]]))
    wide += [BayesianNetwork(names, states, tuple(star), (*wide[0].tables[:25], table))]
    with pytest.raises(LimitError, match=r"tables of 268435452 numbers"):
        as_network(Mixture(tuple(wide), np.array([0.5, 0.5])))
    rows = Empirical(names, states, np.zeros((1, 26), np.int32), np.ones(1))
    with pytest.raises(LimitError, match=r"tables of 268435452 numbers.*; learn it with --no-empirical"):
        as_network(Mixture((wide[0], rows), np.array([0.5, 0.5])))
    with pytest.raises(LimitError, match=r"full tables would have 67108914 numbers"):
        wide[1].full()


def test_tables_of_seen_states():
    """Elsewhere states are equally likely; in files too."""
    names, states = ("a", "b", "c"), (("n", "y"), ("r", "s", "t"), ("0", "1"))
    seen = SparseCPT((2, 3), np.array([[0, 2], [1, 0]], np.int32), np.array([[0.2, 0.8], [0.9, 0.1]]))
    tables = (np.array([[0.3, 0.7]]), np.array([[0.2, 0.3, 0.5]]), seen)
    network = BayesianNetwork(names, states, ((), (), (0, 1)), tables)
    joint = np.indices((2, 3, 2)).reshape(3, -1).T
    shares = network.probability(2, joint[:, [2, 0, 1]])
    assert shares == pytest.approx(network.full().probability(2, joint[:, [2, 0, 1]]))
    assert network.full().tables[2].tolist() == [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.9, 0.1], [0.5, 0.5], [0.5, 0.5]]
    assert network.sample(500, np.random.default_rng(1)).n_rows == 500
    assert SparseCPT((), np.zeros((1, 0), np.int32), np.array([[0.1, 0.9]])).full().tolist() == [[0.1, 0.9]]


def test_seen_tables_in_files(tmp_path):
    seen = SparseCPT((2,), np.array([[1]], np.int32), np.array([[0.25, 0.75]]))
    network = BayesianNetwork(("a", "b"), (("0", "1"),) * 2, ((), (0,)), (np.array([[0.5, 0.5]]), seen))
    write_model(tmp_path / "m.json", network, "json", {})
    again = read_model(tmp_path / "m.json")
    assert isinstance(again.tables[1], SparseCPT)
    assert again.full().tables[1].tolist() == network.full().tables[1].tolist() == [[0.5, 0.5], [0.25, 0.75]]
    write_model(tmp_path / "m.bif", network, "bif", {})
    assert read_model(tmp_path / "m.bif").tables[1].tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_broken_files(tmp_path):
    mixture = random_mixture(np.random.default_rng(1), [2, 2], 2)
    write_model(tmp_path / "m.json", mixture, "json", {})
    good = json.loads((tmp_path / "m.json").read_text())
    for change, found in (
        ({"weights": [0.5]}, "weights that are not 2 probabilities"),
        ({"weights": [0.9, 0.9]}, "weights that are not 2 probabilities"),
        ({"class": "x1"}, "its class has the name of a variable, 'x1'"),
        ({"networks": []}, "a mixture without a network"),
        ({"networks": [good["networks"][0], good["networks"][1][:1]]}, "variables|unknown parent"),
        ({"weights": "many"}, "not laid out as a model"),
        ({"class": None}, "not laid out as a model"),
        ({"class": ""}, "not laid out as a model"),
    ):
        with pytest.raises(DataError, match=found):
            parse_model(json.dumps(good | change), "m.json")
    table = {"probabilities": [0.5, 0.5], "rows": [[0, 0], [1, 1]]}
    for change, found in (
        ({}, None),
        ({"rows": [[0, 0], [0, 0]]}, "'rows' does not list different rows"),
        ({"rows": [[0, 0], [2, 0]]}, "'rows' does not list different rows"),
        ({"rows": [[0, 0], [-1, 0]]}, "'rows' does not list different rows"),
        ({"rows": [[0, 0], [0.5, 0]]}, "not laid out as a model"),
        ({"rows": [[0], [1]]}, "'rows' does not list different rows"),
        ({"rows": [], "probabilities": []}, "'rows' does not list different rows"),
        ({"rows": "all"}, "not laid out as a model"),
        ({"probabilities": [0.5, 0.6]}, "not 2 probabilities"),
        ({"probabilities": [-0.5, 1.5]}, "not 2 probabilities"),
    ):
        text = json.dumps(good | {"networks": [table | change, good["networks"][1]]})
        if found is None:
            assert isinstance(parse_model(text, "m.json").networks[0], Empirical)
        else:
            with pytest.raises(DataError, match=found):
                parse_model(text, "m.json")
    with pytest.raises(DataError, match="a mixture without a network"):
        parse_model(json.dumps(good | {"networks": [table, table]}), "m.json")
    del good["class"]
    with pytest.raises(DataError, match="no 'class' in it"):
        parse_model(json.dumps(good), "m.json")
    of_seen = "'seen' of variable 'b'"
    broken = ([[0], [0]], of_seen), ([[2], [0]], of_seen), ([[0]], of_seen), ([[0], [1.5]], "not laid out as a model")
    for seen, found in broken:
        line = {"name": "b", "states": ["0", "1"], "parents": ["a"], "seen": seen, "probabilities": [[0.5, 0.5]] * 2}
        first = {"name": "a", "states": ["0", "1"], "parents": [], "probabilities": [[0.5, 0.5]]}
        text = json.dumps({"format": "cliquewise network", "header": {}, "variables": [first, line]})
        with pytest.raises(DataError, match=found):
            parse_model(text, "m.json")
    with pytest.raises(DataError, match="as JSON only"):
        write_model(tmp_path / "m.bif", mixture, "bif", {})


def test_impossible_evidence_is_refused(refuse, workplace):
    """By every question; the dependences of edges were zeros."""
    workplace({})
    tables = np.array([[1.0, 0.0]]), np.array([[0.3, 0.7], [0.5, 0.5]])
    network = BayesianNetwork(("a", "b"), (("no", "yes"),) * 2, ((), (0,)), tables)
    write_model("m.json", Mixture((network, network), np.array([0.4, 0.6])), "json", {"program": "test"})
    for words in ("information", "information --all", "entropy --of b", "marginals", "query --of b", "mpe"):
        command, *options = words.split()
        line = f"mnmodel {command} m.json {' '.join(options)} --given a=yes -q"
        refuse(line, 1, "m.json: the evidence has probability zero: a=yes")


def test_a_mixture_has_no_true_edges(refuse, workplace):
    workplace({})
    write_model("m.json", random_mixture(np.random.default_rng(4), [2] * 3, 2), "json", {"program": "test"})
    refuse("mnmodel sample m.json --edges e -q", 2, "--edges: the class of a mixture joins all columns")


@pytest.mark.slow
def test_the_hidden_class_of_a_large_uai_file(workplace):
    """Its comments are at the end."""
    workplace({})
    rng = np.random.default_rng(4)
    mixture = random_mixture(rng, [3] * 9, 12)
    write_model("m.uai", as_network(mixture), "uai", {"program": "test", HIDDEN_CLASS: mixture.hidden})
    assert Path("m.uai").stat().st_size > 1 << 14
    read = read_model("m.uai")
    rows = rng.integers(0, 3, (5, 10)).astype(np.int32)
    rows[:, -1] = -1
    assert isinstance(read, Mixture) and read.log_likelihood(rows) == pytest.approx(mixture.log_likelihood(rows))


def test_models_whose_probabilities_have_no_average(refuse, workplace):
    names = {"ab": ("a", "b"), "ac": ("a", "c"), "hole": ("a", "b")}
    workplace({"d.csv": "a,b,c\nx,y,x\ny,y,x\n"})
    for file, own in names.items():
        states = ("x", "y", "?") if file == "hole" else ("x", "y")
        table = np.full((1, len(states)), 1 / len(states))
        write_model(f"{file}.bif", BayesianNetwork(own, (states,) * 2, ((), ()), (table, table)), "bif", {})
    no_average = "in some of the models only; their probabilities have no average"
    refuse("mnmodel loglik ab.bif ac.bif d.csv -q", 2, f"there is a variable 'b' {no_average}")
    refuse("mnmodel loglik ab.bif hole.bif d.csv -q", 2, f"a missing cell is a state of 'a' {no_average}")


def test_the_page_of_a_mixture(run, refuse, workplace, monkeypatch):
    workplace({})
    rng = np.random.default_rng(2)
    like = random_model(rng, [2] * 4)
    one, other = (
        replace(
            like,
            parents=parents,
            tables=tuple(rng.dirichlet(np.ones(2), 2 ** len(parent_set)) for parent_set in parents),
        )
        for parents in (((), (0,), (1,), ()), ((), (), (1,), (2,)))
    )
    mixture = Mixture((one, other, random_empirical(rng, like)), np.array([0.5, 0.3, 0.2]))
    write_model("m.json", mixture, "json", {"program": "test"})
    assert run("mnmodel", "page", "m.json", "-o", "m.html", "-q").code == 0
    page = data_of(Path("m.html").read_text(encoding="utf-8"))
    assert page["edges"] == [[0, 1], [1, 2], [2, 3]] and page["strengths"] == pytest.approx([0.5, 0.8, 0.3])
    assert page["names"][-1] == "class" and [*page["parts"][2]] == ["rows", "probabilities"] and page["cliques"] == []
    assert run("mnmodel", "page", "m.json", "-o", "m.html", "--strength", "mi", "-q").code == 0
    page = data_of(Path("m.html").read_text(encoding="utf-8"))
    lines = run("mnmodel", "information", "m.json").stdout.splitlines()[1:]
    known = {(first, second): float(value) for first, second, value in (line.split(",") for line in lines)}
    names = page["names"]
    assert page["strengths"] == pytest.approx([known[names[u], names[v]] for u, v in page["edges"]], rel=1e-6)
    monkeypatch.setattr("cliquewise.common.drawing.page.MAX_STEPS", 10)
    assert run("mnmodel", "page", "m.json", "-o", "m.html", "-q").code == 0
    page = data_of(Path("m.html").read_text(encoding="utf-8"))
    marginals = mixture.marginals(np.full((1, len(page["names"])), -1))[1]
    assert "parts" not in page and page["fixed"].startswith("This model is too large to take findings in a page")
    assert page["marginals"] == pytest.approx(np.concatenate([table[0] for table in marginals]), abs=1e-7)


MIXED = (
    '{"format":"cliquewise mixture","header":{},"class":"class","weights":[0.3,0.7],"networks":['
    '[{"name":"a","states":["n","y"],"parents":[],"probabilities":[[0.9,0.1]]},'
    '{"name":"b","states":["n","y"],"parents":["a"],"probabilities":[[0.3,0.7],[0.8,0.2]]}],'
    '[{"name":"a","states":["n","y"],"parents":[],"probabilities":[[0.2,0.8]]},'
    '{"name":"b","states":["n","y"],"parents":["a"],"probabilities":[[0.5,0.5],[0.1,0.9]]}]]}'
)


def test_a_column_with_the_name_of_the_hidden_class(run, refuse, workplace):
    """It is the class: an empty cell is its most probable state, and other states are refused with the row."""
    workplace({
        "mix.json": MIXED,
        "open.csv": "a,b,class\nn,n,\ny,y,\ny,,2\n",
        "other.csv": "a,b,class\nn,n,\ny,y,spam\n",
        "given.csv": "class\n7\n8\n",
    })  # fmt: skip
    # p(1 | n, n) is 0.3 0.9 0.3 = 0.081 of 0.151, p(1 | y, y) 0.006 of 0.51
    assert run("mnmodel", "impute", "mix.json", "open.csv", "-q").stdout == "a,b,class\nn,n,1\ny,y,2\ny,y,2\n"
    assert "column 'class' is taken as the class" in run("mnmodel", "loglik", "mix.json", "open.csv").stderr
    message = (
        "row 2, column 'class': state 'spam' is not in the model, which knows 1, 2 (1 such cells); it is the class of"
    )
    for question in ("impute", "loglik"):
        refuse(f"mnmodel {question} mix.json other.csv -q", 1, f"other.csv: {message}")
    message = "given.csv: row 1, column 'class': state '7' is not in the model"
    refuse("mnmodel query mix.json --of a --given-rows given.csv -q", 1, message)
