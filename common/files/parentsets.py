"""Parent-set-score files, Cussens' layout: for each variable the scores of its possible parent sets.

    3                  the number of variables
    smoke 2            a variable and how many parent sets follow
    -12.5 0            score, number of parents, parents
    -11.25 1 cough
    ...

GOBNILP, BBMarkov and BLIP read it. Variables are named or numbered from 0; names that are exactly the numbers 0 .. n-1
are taken as indices, in any order of the blocks. Lines that begin with # are comments; blank lines are skipped. A
score is a natural logarithm, larger is better. A variable has exactly one of its sets as parents, so -inf forbids this
set only, as if its line were missing, and not those that contain it (unlike in `common.files.scorefile`).

Cost: O(lines); half a million lines take under two seconds.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..counted import counted
from ..errors import DataError
from .fingerprint import without_effect
from .input_stream import first_bytes, opened, unzipped
from .score_lines import ScoreLines, quoted_words
from .scorewriter import number_text

if TYPE_CHECKING:
    from os import PathLike

_PIECE = 1 << 16


@dataclass(frozen=True)
class ParentSets:
    """Parent sets with scores.

    Attributes
    ----------
    names : tuple of str, length n
        All different, without blanks.
    parents : tuple of integer arrays [m_v, w_v]
        The parent sets of each variable, one per row: indices ascending, padded with -1.
    scores : tuple of float64[m_v]
        Their natural logarithms; finite or -inf.
    source
        The file they came from, for messages; `-` for standard input.
    """

    names: tuple
    parents: tuple
    scores: tuple
    source: str = without_effect("-")

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)


def looks_like_parent_sets(source: bytes | str | os.PathLike) -> bool:
    """Whether a file contains parent-set scores, by its first three lines that are not comments.

    Parameters
    ----------
    source
        The first bytes of a file, or its path. `-` looks ahead in standard input without consuming it.

    Returns
    -------
    bool
        False also for a file that cannot be opened.
    """
    head = source if isinstance(source, bytes) else first_bytes(source)
    lines = [words for line in head.removeprefix(BOM_UTF8).splitlines() if (words := _words(line))]
    match lines[:3]:
        case [[n], [_, b"0"], *rest] if n.isdigit():
            return all(len(words) == 2 and words[1].isdigit() for words in rest)
        case [[n], [_, count], [score, size, *_]] if n.isdigit() and count.isdigit() and size.isdigit():
            return _is_number(score)
    return False


def _words(line: bytes) -> list[bytes]:
    """The words of a line, none for a comment."""
    words = line.split()
    return [] if words and words[0].startswith(b"#") else words


def fit_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names if the layout can hold them, otherwise numbers: blanks end a word, and # begins a comment."""
    fit = all(name.split() == [name] and not name.startswith("#") for name in names)
    return tuple(names) if fit else tuple(map(str, range(len(names))))


def parent_set_text(names: Sequence[str], blocks: Any, precision: int | None) -> Iterator[str]:
    """The pieces of a parent-set-score file.

    Parameters
    ----------
    names : sequence of str, length n
    blocks : iterable of (integer array [m, w], float64[m])
        For each variable its parent sets (padded with -1) and their scores.
    precision
        As for `common.files.scorewriter.number_text`.

    Yields
    ------
    str
        Whole lines.
    """
    word = [f" {name}" for name in names] + [""]  # the last for -1
    yield f"{len(names)}\n"
    for name, (parents, scores) in zip(names, blocks, strict=True):
        yield f"{name} {len(scores)}\n"
        for start in range(0, len(scores), _PIECE):
            part = parents[start : start + _PIECE]
            sizes = map(" {}".format, np.count_nonzero(part >= 0, axis=1).tolist())
            columns = [map(word.__getitem__, column.tolist()) for column in part.T]
            numbers = number_text(scores[start : start + _PIECE], precision)
            yield "\n".join(map("".join, zip(numbers, sizes, *columns, strict=True))) + "\n"


def read_parent_sets(path: str | PathLike[str]) -> ParentSets:
    """Read a parent-set-score file.

    Parameters
    ----------
    path
        File name; `-` is standard input.

    Returns
    -------
    ParentSets
        The sets of a variable in the order of the file.

    Raises
    ------
    DataError
        With file and line: too few or too many lines, text in a number, NaN, an unknown variable, a variable
        or a set listed twice, a variable that is its own parent.
    """
    with opened(path) as stream, unzipped(stream, path) as plain:
        reader = _Reader(plain, str(path))
        blocks = reader.blocks()
    names = [block.name for block in blocks]
    if set(names) == set(map(str, range(len(names)))):
        blocks.sort(key=lambda block: int(block.name))
        names.sort(key=int)
    index = {name.encode(): v for v, name in enumerate(names)}
    for word, number in reader.words_seen.items():
        if word not in index:
            raise DataError(f"unknown variable {quoted_words([word])}", path, number)
    index_of = np.array([index[word] for word in reader.words_seen] + [-1], np.int32)
    parents = tuple(_matrix(v, block, index_of, reader) for v, block in enumerate(blocks))
    return ParentSets(tuple(names), parents, tuple(block.scores for block in blocks), str(path))


class _Block(NamedTuple):
    """The parent sets of one variable; a parent is the number of its word, in the order words were seen.

    name : str
    lines : int64[m], their line numbers
    scores : float64[m]
    sizes : int64[m]
    members : int64[sum of sizes]
    """

    name: str
    lines: np.ndarray
    scores: np.ndarray
    sizes: np.ndarray
    members: np.ndarray


class _Reader(ScoreLines):
    """The lines of a file except comments and blank lines."""

    def __init__(self, stream: Any, path: str) -> None:
        lines = chain([stream.readline().removeprefix(BOM_UTF8)], stream)
        numbered = enumerate(lines, 1)
        super().__init__(((number, row) for number, row in numbered if row.lstrip()[:1] not in (b"", b"#")), path)
        self.words_seen: dict = {}
        self.number_of: dict[bytes, int] = {}  # for each parent's word, the line where it first occurs; its number

    def blocks(self) -> list[_Block]:
        """The blocks in the order of the file."""
        first = self.words("the number of variables")
        variables = _whole(first[0]) if len(first) == 1 else None
        if not variables:
            raise self.error(f"expected the number of variables, found {quoted_words(first)}")
        blocks, names = [], set()
        for _ in range(variables):
            heading = self.words("'variable count'")
            count = _whole(heading[1]) if len(heading) == 2 else None
            if count is None:
                raise self.error(f"expected 'variable count', found {quoted_words(heading)}")
            name = heading[0].decode("utf-8", "replace")
            if name in names:
                raise self.error(f"variable '{name}' has its parent sets already")
            names.add(name)
            blocks.append(self.block(name, count))
        self.end("parent sets")
        return blocks

    def block(self, name: str, count: int) -> _Block:
        """`count` lines `score k p1 ... pk`."""
        lines: list[int] = []
        scores: list[float] = []
        sizes: list[int] = []
        members: list[int] = []
        expected = f"{counted(count, 'parent set')} of '{name}'"
        for _ in range(count):
            words = self.words(expected)
            score = self.score(words[0])
            if len(words) < 2 or words[1] != b"%d" % (len(words) - 2):
                raise self.error(f"expected 'score k p1 ... pk', found {quoted_words(words)}")
            for word in words[2:]:
                if word not in self.number_of:
                    self.number_of[word] = len(self.number_of)
                    self.words_seen[word] = self.number
                members.append(self.number_of[word])
            lines.append(self.number)
            scores.append(score)
            sizes.append(len(words) - 2)
        whole = (np.array(part, np.int64) for part in (sizes, members))
        return _Block(name, np.array(lines, np.int64), np.array(scores, float), *whole)


def _matrix(v: int, block: _Block, index_of: np.ndarray, reader: _Reader) -> np.ndarray:
    """int32[m, w]: the parent sets of variable v, one per row, ascending and padded with -1."""
    width = block.sizes.max(initial=0)
    last = np.iinfo(np.int32).max
    parents = np.full((len(block.sizes), width), last, np.int32)
    parents[np.arange(width) < block.sizes[:, None]] = index_of[block.members]
    parents.sort(axis=1)
    _, first = np.unique(parents, axis=0, return_index=True) if width else (None, np.arange(min(1, len(parents))))
    again = np.ones(len(parents), bool)
    again[first] = False
    parents[parents == last] = -1
    for wrong, what in (
        ((parents == v).any(axis=1), "is its own parent"),
        (((parents[:, 1:] == parents[:, :-1]) & (parents[:, 1:] >= 0)).any(axis=1), "has a parent twice"),
        (again, "has this parent set already"),
    ):
        if wrong.any():
            reader.number = int(block.lines[wrong.argmax()])
            raise reader.error(f"variable '{block.name}' {what}")
    return parents


def _is_number(word: bytes) -> bool:
    """Whether a word can be read as a number."""
    try:
        return float(word) is not None
    except ValueError:
        return False


def _whole(word: bytes) -> int | None:
    """A word as an integer, None if it is not one."""
    return int(word) if word.isdigit() and len(word) <= 9 else None
