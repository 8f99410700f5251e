"""Strengths of edges against definitions, scipy's test of tables, and scores with and without the edge."""

import csv
import io

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from cliquewise.common.data.csvfile import read_csv
from cliquewise.mntools.strength import contingency_table, holm, independence_test
from tests.commands import ROOT
from tests.oracles import independence
from tests.oracles.scores import set_score
from tests.random_inputs import random_dataset

ZOO = ROOT / "data/zoo.csv"


@pytest.mark.parametrize("seed", range(20))
def test_statistics_are_those_of_the_definition(seed):
    data = random_dataset(seed, n_vars=5, n_rows=60, max_arity=4)
    rows = np.repeat(data.codes, data.row_counts, axis=0).tolist()
    for given in ((), (2,), (2, 4), (2, 3, 4)):
        g2, df, p = independence_test(data, (0, 1), given)
        expected, freedom = independence.g2_test(rows, 0, 1, given)
        assert df == freedom and g2 == pytest.approx(max(0.0, expected), abs=1e-9)
        assert p == pytest.approx(chi2.sf(g2, df) if df else 1.0, rel=1e-9)


def test_without_a_condition_it_is_the_test_of_a_table():
    data = read_csv(str(ZOO))
    u, v = data.names.index("legs"), data.names.index("type")
    states, counts = contingency_table(data, (u, v))
    table = np.zeros((data.arity[u], data.arity[v]))
    table[states[:, 0], states[:, 1]] = counts
    wanted = chi2_contingency(table, lambda_="log-likelihood", correction=False)
    g2, df, p = independence_test(data, (u, v), ())
    assert (g2, df, p) == pytest.approx((wanted.statistic, wanted.dof, wanted.pvalue), rel=1e-9)


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    for seed in range(20):
        values = np.random.default_rng(seed).random(9).tolist()
        assert holm(values) == pytest.approx(independence.holm(values))


def lines_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_command(run, workplace):
    """Of a network of three, the gain is the difference of the scores with and without the edge."""
    folder = workplace({"net": "# format cliques\nhair,milk,type\n"})
    (folder / "three.csv").write_text(
        "\n".join(",".join(line.split(",")[i] for i in (0, 3, 16)) for line in ZOO.read_text().splitlines()) + "\n"
    )
    done = run("mntools", "strength", "three.csv", "net", "--score", "bdeu", "--ess", "2")
    assert done.code == 0, done.stderr
    rows = [line.split(",") for line in (folder / "three.csv").read_text().splitlines()[1:]]
    codes = [[sorted({row[i] for row in rows}).index(cell) for i, cell in enumerate(row)] for row in rows]
    arity = [len({row[i] for row in rows}) for i in range(3)]

    score = set_score(codes, arity, "bdeu", 2.0)

    def s(*members):
        return score(frozenset(members))

    found = lines_of(done.stdout)
    assert [line["gain"] for line in found] == sorted((line["gain"] for line in found), key=float, reverse=True)
    names = ["hair", "milk", "type"]
    for line in found:
        u, v, w = names.index(line["u"]), names.index(line["v"]), names.index(line["given"])
        gain = s(0, 1, 2) + s(w) - s(u, w) - s(v, w)
        assert float(line["gain"]) == pytest.approx(gain, abs=1e-6)
        assert float(line["probability"]) == pytest.approx(1 / (1 + np.exp(-gain)), rel=1e-5)
        assert float(line["cmi"]) == pytest.approx(float(line["g2"]) / (2 * len(rows)), abs=1e-6)
        assert float(line["p-holm"]) >= float(line["p"])
    swapped = run("mntools", "strength", "net", "three.csv", "--score", "bdeu", "--ess", "2")
    assert swapped.stdout == done.stdout


def test_the_rows_behind_an_edge(run, workplace):
    workplace({"net": "# format cliques\nhair,milk\n", "t.csv": "hair,milk\n" + "a,x\n" * 3 + "b,x\n" + "b,y\n" * 2})
    done = run("mntools", "strength", "t.csv", "net", "--score", "bic", "--table", "milk,hair", "-q")
    assert done.stdout == "hair,milk,rows\na,x,3\nb,x,1\nb,y,2\n"
    assert lines_of(run("mntools", "strength", "t.csv", "net", "--score", "bic", "-q").stdout)[0]["probability"] == ""


def test_weights_count_as_rows_do(run, workplace):
    text = "A,B,n\n0,0,5\n0,1,2\n1,0,1\n1,1,7\n"
    rows = "A,B\n" + "".join(line[:3] + "\n" for line in text.splitlines()[1:] for _ in range(int(line[4:])))
    workplace({"net": "# format cliques\nA,B\n", "counts.csv": text, "rows.csv": rows})
    whole = run("mntools", "strength", "rows.csv", "net", "--score", "bdeu", "-q")
    counted = run("mntools", "strength", "counts.csv", "net", "--score", "bdeu", "--counts", "n", "-q")
    assert whole.code == 0 and counted.stdout == whole.stdout


def test_refusals(refuse, run, workplace):
    workplace({"net": "# format cliques\nA,B\nC\n", "p": "# format edges\n# columns u,v,probability\nA,B,0.5\n",
               "t.csv": "A,B,C\n0,0,1\n1,1,0\n0,1,1\n"})  # fmt: skip
    refuse(
        "mntools strength t.csv net -q --table A,C",
        2,
        "net: 'A,C' is not an edge; give the two variables of one, such as --table A,B",
    )
    refuse("mntools strength t.csv net -q --table A", 2, "net: 'A' is not an edge")
    refuse("mntools strength t.csv p -q", 1, "p: probabilities of edges, not a network")
    run("dmscore", "t.csv", "1", "2", "-q", "-o", "t.score")
    refuse("mntools strength t.score net -q", 1, "")
