"""A table of counts or weights that is read without their option is reported in one line; other tables are not."""

import itertools
import logging

import numpy as np
import pytest

from tests.reading import read_csv
from tests.slow import slow

CELLS = list(itertools.product("ab", "xyz", "01"))


def warned(caplog, path, option="--counts", **options):
    """The warnings about counts, or weights, when a file is read."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="cliquewise"):
        read_csv(path, **options)
    return [record.getMessage() for record in caplog.records if f"{option}=" in record.getMessage()]


def write(tmp_path, name, numbers, cells=CELLS, quote='"'):
    """A table of cells and numbers."""
    lines = [",".join([*map(str, cell), str(number)]) for cell, number in zip(cells, numbers, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([f"A,B,C,{quote}{name}{quote}", *lines]) + "\n")
    return tmp_path / "t.csv"


COUNTED = ("Freq", "freq", "FREQ", "Frequency", "n", "N", "count", "Count", "counts", "Counts", "frequencies", "freqs")
NOT_COUNTED = ("age", "number", "N2", "amount", "score", "no", "nn", "counter", "frequent", "m", "total")


@pytest.mark.parametrize("name", COUNTED)
def test_a_table_of_counts_is_reported(tmp_path, caplog, name):
    path = write(tmp_path, name, range(12))
    (message,) = warned(caplog, path)
    assert message.startswith(f"{path}: column '{name}' seems to give the number of rows that each row stands for")
    assert message.endswith(f"--counts={name} if it does")
    assert not warned(caplog, path, counts=name) and not warned(caplog, path, weights=name)
    assert not warned(caplog, path, drop=name)


def test_a_table_of_counts_written_by_r_or_pandas_is_reported(tmp_path, caplog):
    lines = [f'"{row}","{a}","{b}","{c}",{100 * row}' for row, (a, b, c) in enumerate(CELLS, 1)]
    (tmp_path / "r.csv").write_text("\n".join(['"","Class","Sex","Age","Freq"', *lines]) + "\n")
    assert len(warned(caplog, tmp_path / "r.csv")) == 1
    path = write(tmp_path, "n", [f"{k}.0" for k in range(12)])
    assert len(warned(caplog, path)) == 1
    path = write(tmp_path, "n", ["1e+05", *range(11)])
    assert len(warned(caplog, path)) == 1
    from cliquewise.common.data.frame import Frame

    columns = dict(zip("ABC", zip(*CELLS, strict=True), strict=True))
    assert len(warned(caplog, Frame({**columns, "n": range(12)}))) == 1


def test_other_tables_are_not_reported(tmp_path, caplog):
    for name in NOT_COUNTED:
        assert not warned(caplog, write(tmp_path, name, range(12)))
    assert not warned(caplog, write(tmp_path, "n", [0, 1] * 6))  # a column of two states
    assert not warned(caplog, write(tmp_path, "n", [k / 4 for k in range(12)]))
    assert not warned(caplog, write(tmp_path, "n", range(-3, 9)))
    assert not warned(caplog, write(tmp_path, "n", range(24), CELLS * 2))  # rows that come again
    numbers = np.random.default_rng(1).normal(size=(40, 3)).round(3)
    assert not warned(caplog, write(tmp_path, "n", range(40), numbers))  # measurements


DIGITS = [f"{0.3 + 0.13742 * k:.6f}" for k in range(12)]
NEAR_ONE = [f"{0.45 + 0.1 * k:.2f}" for k in range(12)]  # mean 1
POUNDS = [f"{100 + 7 * k}" for k in range(12)]
KILOS = [f"{60.5 + 3.1 * k:.1f}" for k in range(12)]
TONS = [f"{1.513 + 0.312 * k:.3f}" for k in range(12)]  # as the cars of R's mtcars, column wt
WEIGHTS = {
    **dict.fromkeys(
        ("survey_weight", "Survey Weight", "surveyWeight", "svy.wt", "pweight", "PWEIGHT", "pspwght"), KILOS
    ),
    **dict.fromkeys(("sampling_weight", "row weight", "caseWeight", "hhwt", "PERWT", "WTSSALL"), TONS),
    **dict.fromkeys(("WTMEC2YR", "_LLCPWT", "weight_factor", "design_weight", "respondent-weight", "iptw"), DIGITS),
    **dict.fromkeys(("weight", "Weight", "weights", "wt", "WGT", "final_weight", "w", "Gewicht"), DIGITS),
    "poids": NEAR_ONE,
}
OTHERS = {
    **dict.fromkeys(("weight", "Weight", "wt", "final_weight", "w"), KILOS),
    **dict.fromkeys(("WEIGHT", "weights", "wgt"), POUNDS),
    "Wt": TONS,
    **dict.fromkeys(("body_weight", "weight_kg", "birthweight", "bwt", "height", "wait", "weighted", "what"), DIGITS),
    "sample_weight": ["-0.5", *DIGITS[1:]],
    "survey_weight": ["low", *DIGITS[1:]],
    "row_weight": ["1"] * 12,
    **dict.fromkeys(("fnlwgt", "design_weight"), POUNDS),  # of a survey in UCI's adult
}


@pytest.mark.parametrize("place", [0, 3, *slow(1)])
@pytest.mark.parametrize(
    ("name", "is_reported"), [*((name, True) for name in WEIGHTS), *((name, False) for name in OTHERS)]
)
def test_weights_are_reported_but_body_weights_are_not(tmp_path, caplog, name, is_reported, place):
    numbers = (WEIGHTS if is_reported else OTHERS)[name]
    rows = [[*cell[:place], numbers[k % 12], *cell[place:]] for k, cell in enumerate(CELLS * 3)]
    names = [*"ABC"[:place], name, *"ABC"[place:]]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, [names, *rows])) + "\n")
    messages = warned(caplog, tmp_path / "t.csv", "--weights")
    assert len(messages) == is_reported
    if is_reported:
        (message,) = messages
        found = f"column '{name}' seems to give the weight of each row"
        assert f": {found}, but is read as a variable; " in message
        assert message.replace("'", "").endswith(f"--weights={name} if it does")
        assert not warned(caplog, tmp_path / "t.csv", "--weights", weights=name)
        assert not warned(caplog, tmp_path / "t.csv", "--weights", drop=name)


def test_weights_in_every_form_of_numbers(tmp_path, caplog):
    rows = [f"{a};{c};{number.replace('.', ',')}" for (a, _, c), number in zip(CELLS, DIGITS, strict=True)]
    (tmp_path / "t.csv").write_text("A;C;weight\n" + "\n".join(rows) + "\n")
    assert len(warned(caplog, tmp_path / "t.csv", "--weights")) == 1
    numpy = pytest.importorskip("numpy")
    from cliquewise.common.data.frame import Frame

    columns = dict(zip("AC", zip(*((a, c) for a, _, c in CELLS), strict=True), strict=True))
    scaled = numpy.random.default_rng(1).lognormal(size=12)
    assert len(warned(caplog, Frame({**columns, "weight": scaled / scaled.mean()}), "--weights")) == 1
