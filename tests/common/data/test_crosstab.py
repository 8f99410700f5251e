"""Tables of counts with a column for each state of a further variable."""

import itertools
import random

import pytest

import cliquewise
from cliquewise.common.data.crosstab import columns_of_counts, sentence_about_rows
from cliquewise.common.data.merging import merged
from tests.reading import read_csv

SEXES, CLASSES, AGES = ("m", "f"), ("1st", "2nd", "3rd"), ("young", "old")
COMBINATIONS = [*itertools.product(SEXES, CLASSES, AGES)]
COUNTS = random.Random(4).sample(range(200), 2 * len(COMBINATIONS))


def table(rows, head="sex,class,age,yes,no"):
    return head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def crosstab():
    return [[*cells, *COUNTS[2 * k : 2 * k + 2]] for k, cells in enumerate(COMBINATIONS)]


def found(tmp_path, text, prepared=lambda data: data):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return columns_of_counts(prepared(read_csv(path, missing="state", warn=False)))


def test_columns_of_counts_are_found(tmp_path):
    assert found(tmp_path, table(crosstab())) == ["yes", "no"]
    assert found(tmp_path, table(crosstab()[:-5])) == ["yes", "no"]  # more than half of the combinations
    text = table([[row[3], row[0], row[4], row[1], 7, row[2]] for row in crosstab()], "a,sex,b,class,c,age")
    assert found(tmp_path, text) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "rows",
    [
        [*crosstab(), crosstab()[3][:3] + [0, 0]],  # persons may be alike
        [crosstab()[k] for k in (0, 3, 5, 8, 10)],  # of 12 combinations
        [row[:3] + [f"{row[3] / 7:.3f}", row[4]] for row in crosstab()],  # one column of measurements
        [row[:3] + [row[3] - 100, row[4]] for row in crosstab()],
        [[f"P{k}", "all", *row[2:]] for k, row in enumerate(crosstab())],  # an identifier
        [row[:3] + ["", row[4]] for row in crosstab()],
        [row[:3] + [row[3] % 2, row[4] % 2] for row in crosstab()],  # of two states
    ],
)
def test_other_tables_are_none(tmp_path, rows):
    assert found(tmp_path, table(rows)) == []


def test_rows_that_were_equal_are_no_combinations(tmp_path):
    assert found(tmp_path, table(crosstab()), merged) == ["yes", "no"]
    assert found(tmp_path, table([*crosstab(), crosstab()[3]]), merged) == []


def test_a_column_of_counts_alone_is_for_the_option(tmp_path):
    rows = [[*row[:3], state, count] for row in crosstab() for state, count in zip(("yes", "no"), row[3:], strict=True)]
    assert found(tmp_path, table(rows, "sex,class,age,state,n")) == []


def test_advice_in_python(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table(crosstab()))
    assert "value_name='n'), for counts='n'" in str(cliquewise.describe(path))


def test_learners_warn(tmp_path, caplog):
    path = tmp_path / "t.csv"
    path.write_text(table(crosstab()))
    data = read_csv(path)
    assert sentence_about_rows(data).startswith(
        "counts in yes, no, as it seems, for each combination of sex, class, age;"
    )
    assert "by table.melt(['sex', 'class', 'age'], value_name='n')" in caplog.text
    caplog.clear()
    path.write_text(table(crosstab() + crosstab()))
    read_csv(path)
    assert "melt" not in caplog.text
