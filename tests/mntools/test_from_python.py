"""`check` and `strength` from Python: as the commands, on networks and tables in memory."""

import csv
import io
from dataclasses import replace

import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from tests.commands import ROOT

pandas = pytest.importorskip("pandas")
ZOO = ROOT / "data" / "zoo.csv"


@pytest.fixture(scope="module")
def zoo():
    return pandas.read_csv(ZOO)


@pytest.fixture(scope="module")
def network(zoo):
    return cliquewise.coarsen(zoo, method="forest")


def test_a_network_is_checked_as_its_file(run, network, zoo, here):
    network.write("net")
    for words, data in (((), None), (("--data", ZOO), zoo), (("--data", ZOO), ZOO), (("--data", ZOO), "read")):
        data = cliquewise.read_csv(zoo) if isinstance(data, str) else data
        printed = run("mntools", "check", "net", *words, "-q").stdout.strip()
        for one in (network, "net", here / "net"):
            found = cliquewise.check(one, data)
            assert found.verdict == "ok" and found.details.partition(", score")[0] in printed
            assert "(no --" not in found.details and (data is None or f"score {network.score():.6f}" in found.details)


def test_wrong_claims_are_found(network, zoo):
    for key, value, problem in (
        ("score", "-1", "score claimed -1"),
        ("max-clique", "1", "has 2 vertices, at most 1 claimed"),
    ):
        found = cliquewise.check(replace(network, header={**network.header, key: value}), zoo)
        assert found.verdict == "wrong" and problem in found.details
    edges = network.to_networkx()
    edges.add_edges_from([("hair", "legs"), ("legs", "eggs"), ("eggs", "fins"), ("fins", "hair")])
    assert cliquewise.check(cliquewise.from_networkx(edges), zoo).verdict == "wrong"


def test_a_sample_completions_and_declared_states(zoo):
    """The header tells how the rows were made of the table."""
    sampled = cliquewise.coarsen(zoo, method="forest", resample=3)
    assert cliquewise.check(sampled, zoo).verdict == cliquewise.check(sampled, cliquewise.read_csv(zoo)).verdict == "ok"
    votes = ROOT / "data" / "votes.csv"
    by_em = cliquewise.coarsen(votes, method="forest", missing="em")
    for data in (votes, cliquewise.read_csv(votes, missing="em")):
        assert cliquewise.check(by_em, data).verdict == "ok"
    table, states = {"a": ["lo", "hi"] * 20, "b": [1, 2] * 20}, {"a": ["lo", "mid", "hi"]}
    declared = cliquewise.coarsen(table, method="forest", states=states)
    assert cliquewise.check(declared, table, states=states).verdict == "ok"
    assert cliquewise.check(declared, cliquewise.read_csv(table, states=states)).verdict == "ok"
    with pytest.raises(DataError, match="other states than those"):
        cliquewise.check(declared, table, states={"a": ["hi", "mid", "lo"]})


def test_the_evidence_is_that_of_the_command(run, network, zoo, here):
    network.write("net")
    printed = list(csv.DictReader(io.StringIO(run("mntools", "strength", ZOO, "net", "-q").stdout)))
    found = cliquewise.strength(network, ZOO)
    assert len(found) == len(printed) == len(network.edges)
    for one, row in zip(found, printed, strict=True):
        assert [one.u, one.v, one.given, str(one.df)] == [row["u"], row["v"], row["given"], row["df"]]
        numbers = [(one.gain, "gain"), (one.probability, "probability"), (one.cmi, "cmi"), (one.g2, "g2")]
        for value, name in [*numbers, (one.p, "p"), (one.p_holm, "p-holm")]:
            assert value == pytest.approx(float(row[name]), rel=6e-3, abs=1e-6)
    frame = cliquewise.strength(network, zoo)
    assert isinstance(frame, pandas.DataFrame) and frame["gain"].tolist() == [one.gain for one in found]
    assert isinstance(cliquewise.strength(network, cliquewise.read_csv(zoo)), pandas.DataFrame)
    named = zoo.rename(columns={"legs": "origin"})  # also the name of what `read_csv` keeps
    assert isinstance(cliquewise.strength(cliquewise.coarsen(named, method="forest"), named), pandas.DataFrame)
    by_bic = cliquewise.strength(network, ZOO, score="bic")
    assert {one.probability for one in by_bic} == {None} and by_bic[0].gain != found[0].gain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "x"}, "score='x'"),
        ({"ess": 0}, "ess"),
        ({"certificate": 3}, "certificate=3: give the name of a file"),
        ({"states": 3}, "states=3: give the name of a file"),
    ],
)
def test_refusals(network, zoo, options, message):
    with pytest.raises(UsageError, match=message):
        cliquewise.check(network, zoo, **options)
    with pytest.raises(UsageError, match="need data"):
        cliquewise.check(network, **options)
