"""Questions that a survey skips are named, and cells that are missing at random are not."""

import numpy as np
import pytest

from cliquewise.common.data.column_kinds import column_kinds
from cliquewise.common.data.reading import Reading
from cliquewise.mnmodel.describe import describe
from cliquewise.mnmodel.skipped_cells import skipped_cells, skipped_cells_sentences
from tests.reading import read_csv


@pytest.fixture
def read(tmp_path):
    def of_text(text, **options):
        path = tmp_path / "t.csv"
        path.write_text(text)
        return read_csv(path, **options)

    return of_text


def survey(answered):
    """80 people with or without children; `answered` are those whose age of children is known."""
    rng = np.random.default_rng(1)
    rows = ["kids,kid_age,happy"]
    for k in range(80):
        has = k % 2 == 0
        rows.append(f"{'yes' if has else 'no'},{'0-5' if k % 4 else '6+'}," + str(rng.integers(3)))
        if not answered(k, has):
            rows[-1] = f"{'yes' if has else 'no'},,{rows[-1][-1]}"
    return "\n".join(rows)


@pytest.mark.parametrize("merge", [False, True])
def test_a_skipped_question_is_named(read, merge):
    data = read(survey(lambda k, has: has), missing="state", merge=merge)
    kinds = column_kinds(data)
    assert skipped_cells(data, kinds) == {("kids", ("no",)): ["kid_age"]}
    (sentence,) = skipped_cells_sentences(data, kinds)
    assert sentence.startswith("missing exactly where kids is no: kid_age; ") and "--missing state" in sentence


def test_a_column_that_decides_several_has_one_sentence(read):
    """Each sentence has the advice; a table of many diseases had four."""
    rows = [f"{'abcd'[k % 4]},{'' if k % 4 < 2 else k % 3},{'' if k % 4 < 1 else k % 5 % 3}" for k in range(120)]
    data = read("ill,leaf,stem\n" + "\n".join(rows), missing="state")
    (sentence,) = skipped_cells_sentences(data, column_kinds(data))
    assert sentence.startswith("missing exactly where ill is a, b: leaf; or a: stem; if there is no value then")


def test_skipped_numbers_are_named_and_no_pair_is_ruled_out_by_rows_that_agree(read):
    """In the first 2,000 rows two columns could decide, and only one does in all."""
    rng = np.random.default_rng(1)
    rows = ["smokes,likes,cigarettes"]
    for k in range(2100):
        smokes = k % 3 == 0
        likes = smokes != (k == 2050)
        rows.append(f"{smokes},{likes},{rng.integers(1, 40) if smokes else ''}")
    data = read("\n".join(rows), missing="state")
    assert skipped_cells(data, column_kinds(data)) == {("smokes", ("False",)): ["cigarettes"]}


@pytest.mark.parametrize("ages", [False, True])
def test_the_recommended_command_does_not_complete_skipped_cells(read, ages):
    text = survey(lambda k, has: has)
    if ages:
        head, *rows = text.split("\n")
        text = "\n".join([head + ",age", *(f"{row},{18 + k}" for k, row in enumerate(rows))])
    data = read(text, missing="state")
    for in_python in (False, True):
        command = describe(data, Reading(missing="state"), in_python).command
        assert ("missing='state'" if in_python else "--missing state") in command and "em" not in command.split()


@pytest.mark.parametrize(
    "answered", [lambda k, has: has and k != 6, lambda k, has: has or k == 7, lambda k, has: k % 3]
)
def test_other_missing_cells_are_not(read, answered):
    data = read(survey(answered), missing="state")
    assert skipped_cells(data, column_kinds(data)) == {}
