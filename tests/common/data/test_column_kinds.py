"""The kind of a column, by its labels and how often each occurs."""

import pytest

from cliquewise.common.data.column_kinds import column_kinds
from cliquewise.common.data.incomplete import without_missing_state
from tests.reading import read_csv


def kinds_of(path, missing="refuse"):
    data = read_csv(path, "yes", "state" if missing == "em" else missing, warn=False)
    return column_kinds(without_missing_state(data) if missing == "em" else data)


def kind(tmp_path, name, cells):
    path = tmp_path / "t.csv"
    path.write_text(f'"{name}",other\n' + "".join(f'"{cell}",{k % 2}\n' for k, cell in enumerate(cells)))
    return kinds_of(path)[0].kind


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("a", ["x"] * 40, "constant"),
        ("a", ["x", "y"] * 20, "states"),
        ("a", list(range(1, 4)) * 20, "states"),
        ("a", [k * 1.37 for k in range(60)], "number"),
        ("a", [k * k * 31 for k in range(60)], "number"),
        ("a", [*(k * 1.37 for k in range(59)), "90+"], "number"),
        ("a", range(1000, 1060), "identifier"),
        ("a", [f"{k * 97:06d}" for k in range(60)], "identifier"),
        ("patient_id", [k * k * 31 for k in range(60)], "identifier"),
        ("PatNr", [k * k * 31 for k in range(60)], "identifier"),
        ("Avocado", [k * k * 31 for k in range(60)], "number"),
        ("PatNr", [*(k * k * 31 for k in range(60)), "Summe"], "identifier"),
        ("a", [f"P{k * 97}" for k in range(60)], "identifier"),
        ("a", [f"2024-01-{k % 28 + 1:02d}" for k in range(60)], "date"),
        ("a", [f"{k % 28 + 1}.3.2024 10:{k % 60:02d}" for k in range(60)], "date"),
        ("a", [f"{k % 24}:30" for k in range(60)], "date"),
        ("a", ["2024-01-01", "2024-02-01"] * 30, "states"),
        ("a", [f"was seen {k} times last week" for k in range(60)], "text"),
        ("a", [f"was seen {k % 30} times last week" for k in range(90)], "text"),
        ("a", ["does not apply", "has not been asked"] * 30, "states"),
        ("a", [2000 + k % 15 for k in range(60)], "states"),
    ],
)
def test_kinds(tmp_path, name, cells, expected):
    assert kind(tmp_path, name, list(cells)) == expected


def test_shares_of_missing_cells_and_states(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\nx,?\ny,1\nx,2\n")
    for missing in ("state", "em"):
        a, b = kinds_of(path, missing)
        assert (a.labels, a.counts.tolist(), a.missing) == (("x", "y"), [3, 1], 0.0)
        assert (b.labels, b.counts.tolist(), b.missing) == (("1", "2"), [2, 1], 0.25)


def test_counts_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,n\nx,1,30\nx,2,10\ny,1,10\n")
    data = read_csv(path, "yes", counts="n")
    a, b = column_kinds(data)
    assert a.counts.tolist() == [40, 10] and b.counts.tolist() == [40, 10]


def test_one_state_that_rows_have_is_a_constant():
    import numpy as np

    from cliquewise.common.data.dataset import Dataset

    data = Dataset(("a", "b"), (("x", "y"), ("0", "1")), np.array([[0, 0], [0, 1]], np.int32))
    assert [column.kind for column in column_kinds(data)] == ["constant", "states"]
