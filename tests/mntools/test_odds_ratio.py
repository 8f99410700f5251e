"""`mntools strength --table`: the odds ratio of two variables of two states, given the others of their clique."""

import random

import pytest

from cliquewise.mntools.odds_ratio import odds_ratio
from tests.oracles import odds
from tests.reading import read_csv

# admitted and rejected men, then women, of six departments: Bickel, Hammel and O'Connell (1975)
BERKELEY = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}


def berkeley(counted):
    kinds = [("male", "yes"), ("male", "no"), ("female", "yes"), ("female", "no")]
    lines = [(*kind, department, n) for department, row in BERKELEY.items() for kind, n in zip(kinds, row, strict=True)]
    if counted:
        return "sex,admitted,department,n\n" + "".join(f"{','.join(map(str, line))}\n" for line in lines)
    return "sex,admitted,department\n" + "".join(f"{','.join(line[:3])}\n" * line[3] for line in lines)


@pytest.mark.parametrize("counted", [False, True])
def test_published_odds_ratio(run, workplace, counted):
    """R's mantelhaen.test(UCBAdmissions) has 0.9046968, with an interval from 0.7719074 to 1.0603298, for men."""
    workplace({"t.csv": berkeley(counted), "net": "# format cliques\nsex,admitted,department\n"})
    words = ("--counts", "n") if counted else ()
    done = run("mntools", "strength", "t.csv", "net", "--score", "bic", "--table", "sex,admitted", *words)
    sentence = "given department, the odds of admitted=no for sex=female are 0.905 times those for sex=male"
    assert f"{sentence} (95 % interval 0.772 to 1.06)" in done.stderr
    assert len(done.stdout.splitlines()) == 25


def test_odds_ratios_are_those_of_the_definition(workplace):
    draw = random.Random(5)
    for n_given in (0, 1, 2):
        rows = []
        for _ in range(300):
            s, t = draw.choice("pqr"), draw.choice("xy")
            u = draw.random() < 0.3 + 0.4 * (s == "p")
            rows.append(
                ("no", "yes")[u] + "," + ("0", "1")[draw.random() < 0.2 + 0.4 * u + 0.2 * (t == "x")] + f",{s},{t}"
            )
        folder = workplace({"t.csv": "u,v,s,t\n" + "\n".join(rows) + "\n"})
        data, cells = read_csv(folder / "t.csv"), [row.split(",") for row in rows]
        given = [2, 3][:n_given]
        found = odds_ratio(data, (0, 1), given)
        assert found == pytest.approx(odds.odds_ratio(cells, 0, 1, given, ("no", "0")), rel=1e-9)
        assert odds_ratio(data, (1, 0), given) == pytest.approx(found, rel=1e-9)
        assert odds_ratio(data, (0, 2), [1]) is None


def test_no_odds_ratio_without_rows_on_both_diagonals(run, workplace):
    workplace({"t.csv": "a,b\n" + "0,0\n1,1\n0,1\n" * 4, "net": "# format cliques\na,b\n"})
    done = run("mntools", "strength", "t.csv", "net", "--score", "bic", "--table", "a,b")
    assert done.code == 0 and "odds" not in done.stderr
