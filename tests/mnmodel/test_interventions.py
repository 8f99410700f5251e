"""`--do` of the commands that ask a model, against the truncated factorisation; elsewhere it is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.models.mixture import Mixture
from cliquewise.common.models.model_file import read_model, write_model
from cliquewise.mnmodel.intervention import mutilated_network
from tests.commands import ROOT
from tests.oracles import questions
from tests.oracles.distributions import bayesian_distribution, chi_square, marginal
from tests.random_models import random_model
from tests.reading import read_csv

ARITY = [2, 3, 2, 2, 3]
NETWORK = random_model(np.random.default_rng(4), ARITY, zeros=0)
SPRINKLER = """
variable rain { type discrete [2] { no, yes }; }
variable sprinkler { type discrete [2] { off, on }; }
variable wet { type discrete [2] { no, yes }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( sprinkler | rain ) { (no) 0.6, 0.4; (yes) 0.99, 0.01; }
probability ( wet | sprinkler, rain ) { (off,no) 1, 0; (on,no) 0.1, 0.9; (off,yes) 0.2, 0.8; (on,yes) 0.01, 0.99; }
"""


@pytest.fixture(autouse=True)
def work(workplace):
    """A folder with models and evidence."""
    place = workplace({"sprinkler.bif": SPRINKLER, "rows.csv": "x0\ns1\ns0\n"})
    write_model("net.bif", NETWORK, "bif", {})
    return place


def truth(done, given=None, network=NETWORK):
    """The log probability of what is given, and the distribution with it, after an intervention."""
    arity = [len(states) for states in network.states]
    joint = bayesian_distribution(arity, network.parents, [table.tolist() for table in network.tables], done)
    return questions.conditional(joint, given or {})


def test_an_effect_does_not_change_its_cause(run):
    """Seeing the sprinkler on makes rain improbable; turning it on leaves rain as it is."""
    seen = run(*"mnmodel query sprinkler.bif --of rain --given sprinkler=on -q".split()).stdout
    done = run(*"mnmodel query sprinkler.bif --of rain --do sprinkler=on -q".split()).stdout
    assert done == "rain,probability\nno,0.8\nyes,0.2\n" and seen != done
    done = run(*"mnmodel query sprinkler.bif --of wet --do sprinkler=on -q".split()).stdout
    assert done == "wet,probability\nno,0.082\nyes,0.918\n"
    done = run(*"mnmodel query sprinkler.bif --of rain --do sprinkler=off --given wet=yes -q".split()).stdout
    assert done == "rain,probability\nno,0\nyes,1\n"


def test_an_intervention_from_python():
    model = cliquewise.read_model("net.bif")
    done = model.do({"x1": "s2"})
    total, wanted = truth({1: 2}, {0: 1})
    answers = done.marginals({"x0": "s1"})
    for v in range(5):
        found = list(answers[f"x{v}"].values())
        assert found == pytest.approx([marginal(wanted, (v,)).get((k,), 0.0) for k in range(ARITY[v])])
    assert done.loglik({"x0": ["s1"]}) == pytest.approx(np.log(total))
    assert set(done.to_networkx().edges) == {arc for arc in model.to_networkx().edges if arc[1] != "x1"}
    with pytest.raises(DataError, match="x1: no state 's9'|no state"):
        model.do({"x1": "s9"})
    for states in ({}, {"x1": None}, {"x1": "s2", "x2": None}):
        with pytest.raises(UsageError, match="states: found .*, expected at least one variable, each with a state"):
            model.do(states)
    data = cliquewise.read_csv({"a": ["x", "y"] * 9, "b": ["0", "1"] * 9})
    undirected = cliquewise.fit(data, cliquewise.lsmarkov(data, iterations=100))
    with pytest.raises(UsageError, match="the model was fitted to an undirected network, .*need arcs that are causes"):
        undirected.do({"a": "x"})
    undirected.write("markov.uai")
    Path("plain.uai").write_text("MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3 4\n")
    for path in ("markov.uai", "plain.uai"):
        with pytest.raises(UsageError, match="need arcs that are causes"):
            cliquewise.read_model(path).do({cliquewise.read_model(path).names[0]: "0"})


def test_answers_are_those_of_the_truncated_factorisation(run):
    rng = np.random.default_rng(7)
    for _ in range(12):
        v, u, w = rng.permutation(5)[:3].tolist()
        done, given = {v: int(rng.integers(ARITY[v]))}, {u: int(rng.integers(ARITY[u]))}
        total, wanted = truth(done, given)
        known = ["--do", f"x{v}=s{done[v]}", "--given", f"x{u}=s{given[u]}"]
        found = run("mnmodel", "marginals", "net.bif", *known, "--format", "json", "-q")
        assert found.code == 0, found.stderr
        answered = json.loads(found.stdout)
        assert answered["log-probability"] == pytest.approx(np.log(total), abs=1e-8)
        for x in range(5):
            for k, p in enumerate(answered["marginals"][f"x{x}"].values()):
                assert p == pytest.approx(marginal(wanted, (x,)).get((k,), 0.0), abs=1e-9)
        (answer,) = run("mnmodel", "mpe", "net.bif", *known, "-q").stdout.splitlines()[1:]
        *labels, log = answer.split(",")
        assert wanted[tuple(int(label[1:]) for label in labels)] == pytest.approx(max(wanted.values()))
        assert np.exp(float(log)) == pytest.approx(max(wanted.values()), rel=1e-8)
        table = marginal(wanted, (w,))
        lines = run("mnmodel", "query", "net.bif", "--of", f"x{w}", *known, "-q").stdout.splitlines()[1:]
        found = [float(line.split(",")[1]) for line in lines]
        assert found == [pytest.approx(table.get((k,), 0.0)) for k in range(len(lines))]
        entropy = float(run("mnmodel", "entropy", "net.bif", *known, "-q").stdout.split()[1])
        assert entropy == pytest.approx(questions.entropy(wanted), abs=1e-8)


def test_several_and_with_rows(run):
    known = "--do x2=s1,x4=s2 --do x3=s0 --given-rows rows.csv -q"
    lines = run(*f"mnmodel query net.bif --of x1 {known}".split()).stdout.splitlines()[1:]
    for row, given in ((1, {0: 1}), (2, {0: 0})):
        table = marginal(truth({2: 1, 4: 2, 3: 0}, given)[1], (1,))
        found = [float(line.split(",")[2]) for line in lines if line.startswith(f"{row},")]
        assert found == [pytest.approx(table[k,]) for k in range(3)]


def test_samples(run):
    done = run(*"mnmodel sample net.bif --do x1=s2 --rows 4000 --seed 3 -o rows -q --edges true --names".split())
    assert done.code == 0, done.stderr
    data = read_csv("rows")
    codes = np.array([[int(data.states[v][k][1:]) for v, k in enumerate(row)] for row in data.codes.tolist()])
    counts = {}
    for row in map(tuple, codes.tolist()):
        counts[row] = counts.get(row, 0) + 1
    statistic, freedom = chi_square(truth({1: 2})[1], counts)
    assert (codes[:, 1] == 2).all() and statistic < freedom + 4 * (2 * freedom) ** 0.5
    moral = mutilated_network(NETWORK, {1: 2}).moral_graph()
    assert len(moral.edges) == sum(not line.startswith("#") for line in Path("true").read_text().splitlines())


def test_refusals(run, refuse):
    both = "net.bif: variable 'x1' is given by --given and set by --do; leave one of them out"
    refuse("mnmodel marginals net.bif --do x1=s0 --given x1=s1 -q", 1, both)
    refuse("mnmodel query net.bif --of x1 --do x0=s1 --given-rows rows.csv -q", 1, "net.bif: variable 'x0' is set")
    refuse("mnmodel query net.bif --of x1 --do x1=s1 -q", 1, "net.bif: variable 'x1' is both queried and given")
    refuse("mnmodel marginals net.bif --do x1 -q", 2, "--do 'x1': expected NAME=STATE")
    refuse("mnmodel marginals net.bif --do x1=zz -q", 1, "net.bif: ")
    refuse("mnmodel marginals net.bif --do y=s1 -q", 1, "net.bif: ")
    refuse("mnmodel marginals net.bif --do x1=s1 --likelihood x1=1,2,3 -q", 1, "net.bif: variable 'x1'")
    refuse("mnmodel sample --do x1=s1", 2, "--do needs MODEL")
    assert run("lsmarkov", ROOT / "data/tiny.csv", "--iterations", "9", "-q", "-o", "tiny.cliques").code == 0
    for fmt in ("bif", "json", "uai"):
        assert run("mnmodel", "fit", ROOT / "data/tiny.csv", "tiny.cliques", "-q", "-o", f"m.{fmt}").code == 0
        message = f"--do: m.{fmt} is fitted to an undirected network, so its directions are those of a perfect"
        refuse(f"mnmodel marginals m.{fmt} --do {first_of(f'm.{fmt}')} -q", 2, message)
    Path("markov.uai").write_text("MARKOV\n2\n2 2\n1\n2 0 1\n4\n 1 2 3 4\n")
    refuse("mnmodel marginals markov.uai --do V0=0 -q", 2, "--do: markov.uai is a Markov network, which")
    write_model("mixture.json", Mixture((NETWORK, NETWORK), np.array([0.5, 0.5])), "json", {})
    refuse("mnmodel marginals mixture.json --do x1=s1 -q", 2, "--do: mixture.json is a mixture of networks, whose")


def first_of(path):
    """A variable and a state of a model."""
    model = read_model(path)
    return f"{model.names[0]}={model.states[0][0]}"
