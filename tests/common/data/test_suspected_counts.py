"""A table of counts that is read without `--counts` is told in one line; other tables are not."""

import itertools
import logging

import numpy as np
import pytest

from tests.reading import read_csv

CELLS = list(itertools.product("ab", "xyz", "01"))


def told(caplog, path, **options):
    """The warnings about counts when a file is read."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="cliquewise"):
        read_csv(path, **options)
    return [record.getMessage() for record in caplog.records if "--counts" in record.getMessage()]


def write(tmp_path, name, numbers, cells=CELLS, quote='"'):
    """A table of cells and numbers."""
    lines = [",".join([*map(str, cell), str(number)]) for cell, number in zip(cells, numbers, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([f"A,B,C,{quote}{name}{quote}", *lines]) + "\n")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("name", ["Freq", "n", "count", "Count", "FREQ", "counts", "frequency"])
def test_is_told(tmp_path, caplog, name):
    path = write(tmp_path, name, range(12))
    (message,) = told(caplog, path)
    assert message.startswith(f"{path}: column '{name}' seems to say how many rows each row stands for")
    assert message.endswith(f"--counts {name} if it does")
    assert not told(caplog, path, counts=name) and not told(caplog, path, weights=name)
    assert not told(caplog, path, drop=name)


def test_also_as_r_and_pandas_write_it(tmp_path, caplog):
    lines = [f'"{row}","{a}","{b}","{c}",{100 * row}' for row, (a, b, c) in enumerate(CELLS, 1)]
    (tmp_path / "r.csv").write_text("\n".join(['"","Class","Sex","Age","Freq"', *lines]) + "\n")
    assert len(told(caplog, tmp_path / "r.csv")) == 1
    path = write(tmp_path, "n", [f"{k}.0" for k in range(12)])
    assert len(told(caplog, path)) == 1
    path = write(tmp_path, "n", ["1e+05", *range(11)])
    assert len(told(caplog, path)) == 1
    from cliquewise.common.data.frame import Frame

    columns = dict(zip("ABC", zip(*CELLS, strict=True), strict=True))
    assert len(told(caplog, Frame({**columns, "n": range(12)}))) == 1


def test_is_not_told(tmp_path, caplog):
    assert not told(caplog, write(tmp_path, "D", range(12)))  # another name
    assert not told(caplog, write(tmp_path, "n", [0, 1] * 6))  # a column of two states
    assert not told(caplog, write(tmp_path, "n", [k / 4 for k in range(12)]))
    assert not told(caplog, write(tmp_path, "n", range(-3, 9)))
    assert not told(caplog, write(tmp_path, "n", range(24), CELLS * 2))  # rows that come again
    numbers = np.random.default_rng(1).normal(size=(40, 3)).round(3)
    assert not told(caplog, write(tmp_path, "n", range(40), numbers))  # measurements
