"""The columns that `cliquewise learn` leaves out, cuts, and uses as they are."""

import pytest

from cliquewise.common.data.csvfile import table_in_memory
from cliquewise.common.data.reading import Reading
from cliquewise.workflow.preparation import prepare


@pytest.mark.parametrize(("keep", "cut"), [((), ("age", "dose")), (("age", "id"), ("dose",)), (("age", "dose"), ())])
def test_numbers_are_cut_unless_they_are_kept(keep, cut):
    """Also numbers that several rows have, as ages in a survey."""
    rows = [f"P{k:04d},{20 + 7 * k % 60},{k * k * 0.31:.2f},{'yn'[k % 2]}\n" for k in range(600)]
    text = "id,age,dose,ill\n" + "".join(rows)
    ready = prepare(table_in_memory(text.encode(), "t.csv"), 4, keep)
    assert ready.cut == cut
    assert len(dict(zip(ready.data.names, ready.data.states, strict=True))["age"]) == (60 if "age" in keep else 4)
    assert ready.left_out == (() if "id" in keep else ("id",))


def test_neighbours_are_listed_as_a_range():
    """Of a wide table the command would fill screens; the range leaves out what is dropped within it."""
    cells = [[f"P{k:04d}", *(f"{(k * (3 + j) % 97) / 7:.3f}" for j in range(8)), "yn"[k % 2]] for k in range(97)]
    text = "id," + ",".join(f"gene{j}" for j in range(8)) + ",ill\n" + "".join(",".join(row) + "\n" for row in cells)
    ready = prepare(table_in_memory(text.encode(), "t.csv"), 3, (), Reading(missing="em", drop="gene4"))
    assert ready.new.discretize_words == ("--drop=gene4,id", "--columns", "gene0:gene7", "--bins", "3")
    assert ready.cut == tuple(f"gene{j}" for j in range(8) if j != 4) and "gene4" not in ready.data.names


def test_rows_of_labels_are_told():
    """Labels below the names, as survey programs write them, would link all columns."""
    rows = [f"{'yn'[k % 2]},{'abc'[k % 3]},{'uvwx'[k // 7 % 4]}\n" for k in range(100)]
    text = "Q1,Q2,Q3\n" + "Do you?,Which?,What else?\n" + "".join(rows)
    assert (
        "a row with labels or units (Q1 'Do you?', Q2 'Which?', "
        in prepare(table_in_memory(text.encode(), "t.csv"), 4, ()).odd_rows
    )
    assert (
        prepare(table_in_memory(text.replace("Do you?,Which?,What else?\n", "").encode(), "t.csv"), 4, ()).odd_rows
        == ""
    )


def test_questions_that_were_not_asked_are_named():
    """As `describe` names them; not if being missing is a state."""
    rows = [f"{'yn'[k % 2]},{'' if k % 2 else 'abc'[k // 2 % 3]},{'uvwx'[k // 7 % 4]}\n" for k in range(100)]
    table = table_in_memory(("smokes,brand,town\n" + "".join(rows)).encode(), "t.csv")
    (sentence,) = prepare(table, 4, ()).skipped
    assert sentence.startswith("missing exactly where smokes is n: brand; ")
    assert prepare(table, 4, (), Reading(missing="state")).skipped == ()
