"""Markov networks in files of the UAI competitions: written, and asked for PR, MAR and MPE, against enumeration."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.models.model_file import parse_model, read_model, write_model
from tests.common.models.test_nodes_and_factors import random_factors, uai_of
from tests.oracles import factors as oracle
from tests.oracles.distributions import marginal
from tests.random_models import random_model

pytestmark = pytest.mark.usefixtures("here")


def weights(arity, factors):
    """The product of the factors in each joint state."""
    listed = [(scope, {k: float(t[k]) for k in itertools.product(*map(range, t.shape))}) for scope, t in factors]
    return oracle.weights(arity, listed)


def asked(run, task, *options):
    """The second line of an answer, as words."""
    command = {"PR": "partition", "MAR": "marginals", "MPE": "mpe"}[task]
    done = run("mnmodel", command, "net.uai", "--format", "uai", "-q", *options)
    assert done.code == 0, done.stderr
    first, line = done.stdout.splitlines()
    assert first == task
    return line.split()


@pytest.mark.parametrize("seed", range(25))
def test_answers_are_those_of_enumeration(seed, run):
    rng = np.random.default_rng([seed, 5])
    arity, factors = random_factors(rng)
    truth, evidence = weights(arity, factors), {}
    if not sum(truth.values()) > 0:
        return
    if seed % 3:
        state = max(truth, key=truth.get)
        evidence = {v: state[v] for v in rng.permutation(len(arity))[: rng.integers(len(arity) + 1)].tolist()}
    Path("net.uai").write_text(uai_of(arity, factors))
    numbers = [len(evidence), *itertools.chain(*evidence.items())]
    Path("net.evid").write_text(("1\n" if seed % 2 else "") + " ".join(map(str, numbers)))
    truth = {state: p for state, p in truth.items() if all(state[v] == k for v, k in evidence.items())}
    total = math.fsum(truth.values())
    (log,) = asked(run, "PR", "--evid", "net.evid")
    assert float(log) == pytest.approx(math.log10(total), abs=1e-7)
    printed = run("mnmodel", "partition", "net.uai", "--evid", "net.evid", "-q").stdout.split()
    assert printed[0] == "log-partition" and float(printed[1]) == pytest.approx(math.log(total), abs=1e-7)
    words = asked(run, "MAR", "--evid", "net.evid")
    wanted = [len(arity)]
    for v, r in enumerate(arity):
        wanted += [r, *(math.fsum(p for state, p in truth.items() if state[v] == k) / total for k in range(r))]
    assert list(map(float, words)) == pytest.approx(wanted, abs=1e-9)
    n, *states = map(int, asked(run, "MPE", "--evid", "net.evid"))
    assert n == len(arity) and truth[tuple(states)] == pytest.approx(max(truth.values()), rel=1e-9)
    free = [v for v in rng.permutation(len(arity)).tolist() if v not in evidence][:3]
    if free:
        done = run("mnmodel", "mpe", "net.uai", "--format", "uai", "-q", "--evid", "net.evid", "--of",
                   ",".join(f"V{v}" for v in free))  # fmt: skip
        task, line = done.stdout.splitlines()
        q, *pairs = map(int, line.split())
        summed = marginal(truth, tuple(free))
        assert (task, q, pairs[::2]) == ("MMAP", len(free), free)
        assert summed[tuple(pairs[1::2])] == pytest.approx(max(summed.values()), rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_partition_functions_of_grids(seed):
    rng = np.random.default_rng([seed, 6])
    rows, columns = 3, int(rng.integers(2, 5))
    factors = [([v], np.exp(rng.normal(0, 2, 2))) for v in range(rows * columns)]
    for i, j in itertools.product(range(rows), range(columns)):
        v = i * columns + j
        factors += [([v, v + 1], np.exp(rng.normal(0, 3, (2, 2))))] * (j + 1 < columns)
        factors += [([v, v + columns], np.exp(rng.normal(0, 3, (2, 2))))] * (i + 1 < rows)
    arity = [2] * (rows * columns)
    total = math.fsum(weights(arity, factors).values())
    assert parse_model(uai_of(arity, factors), "net").log_partition == pytest.approx(math.log(total), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_network_written_as_a_markov_network_is_the_same_distribution(seed):
    rng = np.random.default_rng([seed, 7])
    network = random_model(rng, rng.integers(1, 4, int(rng.integers(1, 7))).tolist())
    write_model("net.uai", network, "markov", {"network": "directed"})
    again = read_model("net.uai")
    assert again.names == network.names and again.states == network.states
    assert again.log_partition == pytest.approx(0, abs=1e-12)
    codes = np.array(list(itertools.product(*(range(len(labels)) for labels in network.states))), np.int32)
    assert np.exp(again.log_likelihood(codes)) == pytest.approx(np.exp(network.log_likelihood(codes)), abs=1e-12)


def test_potentials_of_a_fitted_network_are_those_of_its_cliques(run):
    """Of a chain a - b - c: one factor each for {a, b} and {b, c}, whose product is p(a, b) p(b, c) / p(b)."""
    Path("d.csv").write_text("a,b,c\n" + "".join(f"{i % 2},{(i // 2) % 2},{(i // 3) % 2}\n" for i in range(30)))
    Path("net.dot").write_text("graph { a -- b; b -- c; }")
    done = run(*"mnmodel fit d.csv net.dot --format markov -o net.uai -q".split())
    assert done.code == 0, done.stderr
    lines = Path("net.uai").read_text().splitlines()
    assert lines[:6] == ["MARKOV", "3", "2 2 2", "2", "2 0 1", "2 1 2"]
    run(*"mnmodel fit d.csv net.dot -o net.bif -q".split())
    asked_of = [run("mnmodel", "marginals", f"net.{kind}", "--given", "a=1", "-q").stdout for kind in ("uai", "bif")]
    assert asked_of[0] == asked_of[1]
    assert run(*"mntools convert net.uai --format edges".split()).stdout.endswith("a,b,c\na,b\nb,c\n")


def test_evidence_files_that_do_not_fit(run, refuse):
    Path("net.uai").write_text("MARKOV\n2\n2 3\n1\n2 0 1\n6\n1 2 3 4 5 0\n")
    for text, message in (
        ("", "an empty file; expected the number of findings"),
        ("1 0 x", "found 'x'; expected the number of findings"),
        ("2 0 1", "4 numbers for 2 findings expected, found 2"),
        ("2 1 0 1 1 1 2", "2 samples of evidence; give one"),
        ("2 0 1 0 1", "variable 0 is given twice"),
        ("1 2 0", "variable 2 with state 0: the model has variables 0 to 1"),
        ("1 1 3", "variable 1 with state 3: the model has states 0 to 2 of it"),
    ):
        Path("e.evid").write_text(text)
        refuse("mnmodel partition net.uai --evid e.evid -q", 1, f"e.evid: {message}")
    Path("e.evid").write_text("2 0 1 1 2")
    refuse("mnmodel partition net.uai --evid e.evid -q", 1, "net.uai: the evidence has probability zero: V0=1, V1=2")
    refuse("mnmodel mpe net.uai --evid e.evid --given V0=0 -q", 1, "net.uai: variable 'V0' is given by --given and by")
    Path("rows.csv").write_text("V0\n0\n")
    refuse("mnmodel mpe net.uai --format uai --given-rows rows.csv", 2, "--format uai does not go with --given-rows")
