"""Models that are too large as a whole: feasible queries are answered, the rest refused with its size."""

import json
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import LimitError
from cliquewise.common.junction import evidence
from cliquewise.common.junction.model import TreeModel
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_file import write_model
from cliquewise.common.models.model_fit import fit
from cliquewise.common.run.resources import memory_bound
from cliquewise.mnmodel.from_python import read_model
from tests.random_models import random_model

N = 13  # roots; each two have a child that is observed, so all are in one clique
SMALL = "0.0001"  # GB: for 2500 numbers, where the clique has 8192


def large_network():
    """A chain a0, a1, a2 above the first root, which has a child z and its child y, and beside all a pair b0, b1."""
    rng = np.random.default_rng(3)
    names, parents = ["a0", "a1", "a2", *(f"p{i}" for i in range(N))], [(), (0,), (1,), (2,), *((),) * (N - 1)]
    for i in range(N):
        for j in range(i):
            names.append(f"c{i}_{j}")
            parents.append((3 + j, 3 + i))
    names += ["z", "y", "b0", "b1"]
    parents += [(3,), (len(names) - 4,), (), (len(names) - 2,)]
    tables = [rng.dirichlet([1, 1], 2 ** len(parent_set)) for parent_set in parents]
    return BayesianNetwork(tuple(names), (("n", "y"),) * len(names), tuple(parents), tuple(tables))


@pytest.fixture(autouse=True)
def work(workplace):
    """A folder with that network."""
    place = workplace({})
    write_model("net.bif", large_network(), "bif", {})
    return place


def children():
    """Evidence on all common children."""
    return ",".join(f"c{i}_{j}=y" for i in range(N) for j in range(i))


def test_only_the_part_relevant_to_a_query_must_fit(run, refuse):
    known = ["--given", children(), "-q"]
    for of in ("b1", "b0,b1"):
        whole = run("mnmodel", "query", "net.bif", "--of", of, *known)
        part = run("mnmodel", "query", "net.bif", "--of", of, *known, "--memory", SMALL)
        assert whole.code == 0 and part.stdout == whole.stdout
    separated = ["--given", f"{children()},p0=y", "-q"]  # the roots are still one clique; the chain is apart
    for of in ("a0", "z", "y,b1", "a1,a2"):
        whole = run("mnmodel", "query", "net.bif", "--of", of, *separated)
        part = run("mnmodel", "query", "net.bif", "--of", of, *separated, "--memory", SMALL)
        assert whole.code == 0 and part.stdout == whole.stdout
    log = run("mnmodel", "query", "net.bif", "--of", "z", *separated[:2], "--memory", SMALL).stderr
    assert "answered from the part of the network that matters" in log and "evidence: not feasible" in log
    refuse(f"mnmodel query net.bif --of z --given {children()} --memory {SMALL} -q", 1,
           "exact inference needs a table of 8192 numbers (treewidth 12 by min-fill); all tables need")  # fmt: skip


def test_marginals_within_reach_are_given(run, refuse):
    known = ["--given", f"{children()},p0=y"]
    whole = json.loads(run("mnmodel", "marginals", "net.bif", *known, "--format", "json", "-q").stdout)
    done = run("mnmodel", "marginals", "net.bif", *known, "--format", "json", "--memory", SMALL)
    part = json.loads(done.stdout)
    assert f"{len(whole['marginals'])} are answered one by one" in done.stderr
    assert part["log-probability"] is None and part["marginals"]["p1"] == {"n": None, "y": None}
    lacking = [name for name, probabilities in part["marginals"].items() if probabilities["n"] is None]
    assert lacking == [f"p{i}" for i in range(1, N)]
    for name, probabilities in part["marginals"].items():
        if name not in lacking:
            assert probabilities == pytest.approx(whole["marginals"][name], abs=1e-9)
    assert f"no answer for {N - 1} of {len(whole['marginals'])} variables, which are not feasible" in done.stderr
    lines = run("mnmodel", "marginals", "net.bif", *known, "--memory", SMALL, "-q").stdout.splitlines()
    assert lines.count("p1,n,nan") == 1 and f"z,n,{part['marginals']['z']['n']:.10g}" in lines
    Path("rows.csv").write_text("p0,b0\ny,n\n,y\n")
    rows = ["--given", children(), "--given-rows", "rows.csv", "--format", "json", "-q"]
    first, second = json.loads(run("mnmodel", "marginals", "net.bif", *rows, "--memory", SMALL).stdout)
    assert first["marginals"]["b1"]["n"] is not None and second["marginals"]["p0"]["n"] is None
    assert first["marginals"]["p0"]["y"] == 1


def test_python_answers_what_the_commands_do(caplog):
    model = read_model("net.bif")
    given = {f"c{i}_{j}": "y" for i in range(N) for j in range(i)} | {"p0": "y"}
    whole, pair = model.marginals(given), model.query(["y", "b1"], given)
    with memory_bound(1e9 * float(SMALL)):
        assert model.query(["y", "b1"], given) == pytest.approx(pair, abs=1e-12)
        part = model.marginals(given)
        with pytest.raises(LimitError, match="needs a table of 8192 numbers"):
            model.query("z", {name: state for name, state in given.items() if name != "p0"})
    lacking = [name for name, probabilities in part.items() if np.isnan(probabilities["n"])]
    assert lacking == [f"p{i}" for i in range(1, N)]
    for name in part.keys() - {*lacking}:
        assert part[name] == pytest.approx(whole[name], abs=1e-12)
    assert f"the model: no answer for {N - 1} of {len(whole)} variables" in caplog.text


@pytest.mark.parametrize("seed", range(40))
def test_the_relevant_part_gives_the_same_distribution(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    network = random_model(rng, rng.integers(1, 4, n).tolist())
    codes = np.column_stack([rng.integers(-1, len(labels), 6) for labels in network.states]).astype(np.int32)
    likelihoods = {int(rng.integers(n)): None}
    likelihoods = {v: rng.random(len(network.states[v])) for v in likelihoods} if seed % 2 else {}
    targets = tuple(rng.permutation(n)[: rng.integers(1, 3)].tolist())
    logs, whole = network.posterior(codes, targets, likelihoods)
    partial, part = network.relevant_posterior(codes, targets, likelihoods)
    possible = ~np.isneginf(logs)
    assert part[possible] == pytest.approx(whole[possible], abs=1e-12)
    assert not (np.isneginf(partial) & possible).any() and not np.isfinite(partial).any()
    logs, every = network.marginals(codes, likelihoods)
    _, found, beyond = network.marginals_within_reach(codes, likelihoods)
    possible = ~np.isneginf(logs)
    assert not beyond
    for one, other in zip(found, every, strict=True):
        assert one[possible] == pytest.approx(other[possible], abs=1e-12)


def test_tables_follow_the_memory():
    network = random_model(np.random.default_rng(1), [3] * 4, zeros=0)
    codes = np.full((1, 4), -1, np.int32)
    with memory_bound(100), pytest.raises(LimitError, match=r"numbers \(treewidth at least 3\); .* GB may be used"):
        network.posterior(codes, (0, 1, 2, 3))
    with memory_bound(1e6):
        assert network.posterior(codes, (0, 1, 2, 3))[1].sum() == pytest.approx(1)


@pytest.mark.parametrize("ask", [TreeModel.log_likelihood, TreeModel.most_probable_by_search])
def test_a_family_that_is_too_large_is_refused_before_a_tree_is_built(monkeypatch, ask):
    rng, n = np.random.default_rng(2), 300
    codes = rng.integers(0, 2, (20, n)).astype(np.int32)
    names, parents = tuple(f"x{v}" for v in range(n)), (*((),) * (n - 1), tuple(range(n - 1)))
    network = fit(Dataset(names, (("n", "y"),) * n, codes), parents, 1.0)
    row = np.full((1, n), -1, np.int32)
    assert network.log_likelihood(row) == pytest.approx(0)
    row[0, -1] = 1
    monkeypatch.setattr(evidence, "JunctionTree", None)
    with pytest.raises(LimitError, match=r"a table of about 10\^90 numbers \(treewidth at least 298\)"):
        ask(network, row)
