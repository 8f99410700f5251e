"""Rows that are no observations are reported: labels or units below the names, and totals."""

import logging
import random

import pytest

from cliquewise.common.data import csvfile
from tests.reading import read_csv

NAMES = "id,sex,smokes,age,height,answer,unit"


def observations(rows=60):
    drawn = random.Random(3)
    return [
        f"p{k},{drawn.choice('fm')},{drawn.choice(('yes', 'no'))},{20 + 7 * k % 50},1{k:02d}.5,{drawn.randint(1, 5)},kg"
        for k in range(rows)
    ]


def warned(caplog, path, lines, **options):
    """The warnings about rows when a table is read."""
    path.write_text("\n".join([NAMES, *lines]) + "\n")
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="cliquewise"):
        read_csv(path, missing="state", **options)
    return [message for message in caplog.messages if "no observation" in message]


@pytest.mark.parametrize(
    ("extra", "found"),
    [
        (
            ["Number,What is your sex?,Do you smoke?,Age,Height,How are you?,Unit"],
            "a row with labels or units (sex 'What",
        ),
        (
            ["Number,Your sex,Do you smoke?,Age,Height,How?,Unit", "{1},{2},{3},{4},{5},{6},{7}"],
            "2 rows with labels or units (sex",
        ),
        ([",,,years,cm,points,unit"], "a row with labels or units (age 'years', height 'cm', answer"),
        (["Total,,,2900,,170,"], "a row with a total (id 'Total')"),
        ([",Summe:,,,9000.5,,"], "a row with a total (sex 'Summe:')"),
        (["Total,,,2900,,170,", ",,,years,cm,points,unit"], "a row with labels or units (age 'years', height "),
    ],
)
@pytest.mark.parametrize("merge", [False, True])
def test_rows_of_labels_units_and_totals_are_reported(tmp_path, caplog, monkeypatch, extra, found, merge):
    monkeypatch.setattr(csvfile, "STREAM_FROM", 40 if merge else csvfile.STREAM_FROM)
    rows = observations()
    for lines in ([*extra, *rows], [*rows, *extra]):
        (message,) = warned(caplog, tmp_path / "t.csv", lines, merge=merge)
        assert found in message
    assert ("a row with a total (id 'Total')" in message) == (extra[0].startswith("Total"))


@pytest.mark.parametrize(
    ("extra", "found"),
    [
        ([",,,,,,", ",,,,,,"], "2 rows without any cell, as it seems"),
        (
            [",,,,,,", "Legend,,,,,,", "sex,f = female,,,,,"],
            "a row without any cell and 2 rows of text below the table (",
        ),
        (["* preliminary,,,,,,"], "a row of text below the table (id '* preliminary'), as it seems"),
        (
            ["* preliminary,,,,,,", "Source: us,,,,,,"],
            "2 rows of text below the table (id '* preliminary', id 'Source: us')",
        ),
    ],
)
def test_empty_rows_and_text_below_are_reported(tmp_path, caplog, extra, found):
    (message,) = warned(caplog, tmp_path / "t.csv", [*observations(), *extra])
    assert found in message


def test_an_empty_row_within_the_table_ends_nothing(tmp_path, caplog):
    """Not the table, whose rows go on; nor do rows with gaps after it."""
    rows = observations()
    (message,) = warned(caplog, tmp_path / "t.csv", [*rows[:40], ",,,,,,", *rows[40:]])
    assert "a row without any cell, as it seems" in message
    gaps = [f"{line.rpartition(',')[0]}," for line in rows]
    (message,) = warned(caplog, tmp_path / "t.csv", [*gaps[:40], ",,,,,,", *gaps[40:]])
    assert "a row without any cell, as it seems" in message


def test_a_row_within_the_table_is_not_below_it_where_equal_rows_are_merged(tmp_path, caplog, monkeypatch):
    """The order of merged rows is not that of the table."""
    monkeypatch.setattr(csvfile, "STREAM_FROM", 40)
    rows = ["a,f,yes,20,1.5,3,kg", "b,m,no,30,2.5,4,kg"] * 20
    lines = [*rows, "c,,,,,,", *rows]
    assert warned(caplog, tmp_path / "t.csv", lines, merge=True) == warned(caplog, tmp_path / "t.csv", lines) == []


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["p60,,,,,,"],  # one of whom nothing is known
        ["p60,d,sometimes,200,140.5,3,kg"],  # a rare person
        ["p60,f,yes,31,140.5,total,kg"],  # the word in another place
        ["Total,f,yes,31,140.5,1,kg", "Total,f,no,32,141.5,2,kg"],
    ],
)
def test_other_rows_are_not(tmp_path, caplog, extra):
    assert warned(caplog, tmp_path / "t.csv", [*observations(), *extra]) == []


def test_a_row_counts_for_all_that_it_stands_for(tmp_path, caplog):
    """Counts say how many rows have a state."""
    rows = [f"{line},1" for line in observations()]
    path, header = tmp_path / "t.csv", NAMES + ",n"
    for many, reported in ((1, True), (2, False)):
        path.write_text("\n".join([header, *rows, f",,,years,cm,points,pounds,{many}"]) + "\n")
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="cliquewise"):
            read_csv(path, missing="state", counts="n")
        assert any("labels or units" in message for message in caplog.messages) == reported
