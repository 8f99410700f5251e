"""Plain texts read with numpy: the cells of the reference parser, or left to it."""

import numpy as np
import pytest

from cliquewise.common.data import csvcodes, csvtext
from cliquewise.common.data.csvplain import encode_plain

CELLS = [
    "a",
    "a\x01",
    "b",
    "",
    "é",
    "\u65e5\u672c",
    "10",
    "-0.5",
    "eight888",
    "nine99999",
    "twelve letter".replace(" ", "_"),
    "x" * 40,
]


def read(encode, raw, width):
    """Labels and codes as lists; None if it is left to the reference."""
    found = encode(raw, width)
    return None if found is None else (list(map(tuple, found[0])), found[1].tolist())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("seed", range(12))
def test_cells_are_those_of_the_reference_parser(separator, seed):
    rng = np.random.default_rng(seed)
    cells = rng.choice(CELLS, seed % 9 + 2, replace=False)
    width, n_rows = int(rng.integers(1, 6)), int(rng.integers(1, 60))
    rows = [separator.join(rng.choice(cells, width)) for _ in range(n_rows)]
    rows[0] = separator.join("a" * width)
    text = "\n".join(rows) + "\n"
    raw = csvtext.Raw(text, separator, "t")
    found = read(encode_plain, raw, width)
    assert found is not None and found == read(csvcodes.encode_reference, raw, width)


@pytest.mark.parametrize(
    "text",
    ['a,b\n"x",1\n', "a,b\nx, 1\n", "a,b\n1,2,3\n", "a,b\n1\n", "a,b\n1,2\n3\n4,5,6\n", "a,b\n\n1,2\n", "a,b\n1\t,2\n"],
)
def test_difficult_texts_are_left_to_the_reference_parser(text):
    assert encode_plain(csvtext.Raw(text, ",", "t"), 2) is None
    assert encode_plain(csvtext.Raw("a b\n1 2\n", " ", "t"), 2) is None


def test_small_files_are_read_by_the_plain_parser(monkeypatch):
    monkeypatch.setattr(csvcodes, "encode_reference", None)
    labels, codes = csvcodes.encode(csvtext.Raw("a,b\nx,10\ny,\nx,7\n", ",", "t"), 2, lambda share: None)
    assert labels == [("a", "x", "y"), ("b", "10", "", "7")] and codes.tolist() == [[0, 0], [1, 1], [2, 2], [1, 3]]
