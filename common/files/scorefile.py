"""Clique-score files: one score for every set of at most `max_size` of the n variables.

Two layouts are in use, and both are read here and written by `common.files.scorewriter`. A score is a natural
logarithm; bit i of a set stands for variable i:

    DMST                        N W
    N                           one score per line, in colex order
    subset_scores
    colex_order W
    one score per line

DMscore writes the first and Adjunct reads it, Junctor reads the second, and neither reader accepts the other's file.
The first has three orders (`common.sets.set_orders` has the two fixed ones):

* `colex_order W`: sets of at most W variables, ascending as binary numbers;
* `lex_order W`: the same sets, sorted by their lists of elements;
* `free_order W COUNT`: the same sets in any order, one per line: `score k v1 ... vk`.

Instead of `subset_scores` it may hold two sections, `clique_scores` for sizes up to W and `separator_scores`
for sizes up to W - 1, each under an order line of its own. A network is scored here with one function of sets
(every search step adds and subtracts the same s), so the two sections must agree.

Stricter than the originals: every header word is checked, the count must be right, NaN and +inf are refused, and the
empty set must score 0, because another value there means shifted lines. Blank lines are skipped.

**Minus infinity** forbids a set and all that contain it: no network in which the set is complete is considered. So all
that contain it must score minus infinity too; a finite score above a forbidden set is refused. Otherwise there would
be two meanings: a forbidden set inside a clique is a term of the score in some networks, and of none in others.

Cost: O(lines); 2^20 scores take about half a second.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counted import counted
from ..errors import DataError
from ..sets.set_orders import all_within, colex_masks, lex_masks, set_count
from .fingerprint import without_effect
from .input_stream import first_bytes, opened, unzipped
from .score_lines import ScoreLines, is_score, quoted_words

if TYPE_CHECKING:
    from os import PathLike

MAX_VARIABLES = 64  # a set is one 64-bit word
ORDERS = ("colex", "lex", "free")
_ORDERS = tuple(f"{name}_order".encode() for name in ORDERS)
_CHUNK = 1 << 16  # lines parsed at a time, so that the text of a large file is never held whole


@dataclass(frozen=True)
class CliqueScores:
    """The scores of all sets of at most `max_size` of the variables 0 .. n-1.

    Attributes
    ----------
    n
        Number of variables, 1 <= n <= 64.
    max_size
        Size of the largest sets, 1 <= max_size <= n.
    masks : uint64[m]
        The sets, ascending (colex order), each once; bit i = variable i; masks[0] = 0.
    scores : float64[m]
        Natural logarithms; finite, or -inf for a set that is forbidden with all that contain it; scores[0] = 0.
    source
        The file it came from, for messages; `-` for standard input.
    names
        Always None: such a file has no names.

    Raises
    ------
    DataError
        A finite score above a forbidden set.
    """

    n: int
    max_size: int
    masks: np.ndarray
    scores: np.ndarray
    source: str = without_effect("-")
    names: tuple[str, ...] | None = None  # a score file has none

    def __post_init__(self) -> None:
        finite = self.scores > -np.inf
        supersets = np.flatnonzero(finite & ~all_within(self.masks, finite))
        if supersets.size:
            at = supersets[
                np.bitwise_count(self.masks[supersets]).argmin()
            ]  # a smallest one: it is above by one variable
            raise DataError(_finite_above_forbidden(int(self.masks[at]), self.scores[at], self), self.source)

    @property
    def n_stored(self) -> int:
        """Number of rows of data in memory: none."""
        return 0

    def score_count(self, largest: int | None) -> Any:
        """Number of sets that have a score, and of the sets that a search may ask for besides."""
        return 2 * len(self.masks)


def looks_like_scores(source: bytes | str | os.PathLike) -> bool:
    """Whether a file contains clique scores rather than data, by its first two lines.

    Parameters
    ----------
    source
        The first bytes of a file, or its path. `-` looks ahead in standard input without consuming it.

    Returns
    -------
    bool
        False also for a file that cannot be opened: the error is reported when it is read as data.
    """
    head = source if isinstance(source, bytes) else first_bytes(source)
    lines = [line.split() for line in head.removeprefix(BOM_UTF8).splitlines() if line.strip()]
    match lines[:2]:
        case [[b"DMST"], *_]:
            return True
        # `N W`, then one number per line; a table whose first row is `12 12` continues with two values per line
        case [[n, size]] | [[n, size], [_]] if n.isdigit() and size.isdigit() and len(n) < 10 and len(size) < 10:
            return 1 <= int(size) <= int(n) and b"," not in lines[-1][0]
    return False


def read_scores(path: str | PathLike[str]) -> CliqueScores:
    """Read a clique-score file of either layout.

    Parameters
    ----------
    path
        File name; `-` is standard input.

    Returns
    -------
    CliqueScores
        In colex order, in any order of the file; the arrays are read-only.

    Raises
    ------
    DataError
        Not a score file, an unknown header word, too few or too many scores, something that is not a number,
        NaN, more than 64 variables, a set listed twice, clique and separator scores that differ, a finite score above
        a forbidden set.
    """
    with opened(path) as stream, unzipped(stream, path) as plain:
        lines = _Lines(plain, str(path))
        n, max_size, scores = _read_layout(lines)
        lines.end("scores")
    masks = colex_masks(n, max_size)
    masks.flags.writeable = scores.flags.writeable = False
    return CliqueScores(n, max_size, masks, scores, str(path))


def _read_layout(lines: _Lines) -> tuple[int, int, np.ndarray]:
    """Header and body of either layout: (n, max_size, scores in colex order)."""
    first = lines.words("'DMST' or 'N W'")
    if first == [b"DMST"]:
        n = lines.integer(lines.words("the number of variables"), "the number of variables", MAX_VARIABLES)
        kind = lines.words("'subset_scores' or 'clique_scores'")
        if kind == [b"subset_scores"]:
            return n, *_read_section(lines, n)
        if kind == [b"clique_scores"]:
            return n, *_read_pair(lines, n)
        raise lines.error(f"expected 'subset_scores' or 'clique_scores', found {quoted_words(kind)}")
    if len(first) == 2 and all(map(bytes.isdigit, first)):
        n = lines.integer(first[:1], "the number of variables", MAX_VARIABLES)
        max_size = lines.integer(first[1:], "the largest set size", n)
        return n, max_size, lines.scores(set_count(n, max_size))
    raise lines.error(f"not a clique-score file: expected 'DMST' or 'N W', found {quoted_words(first)}")


def _read_pair(lines: _Lines, n: int) -> tuple[int, np.ndarray]:
    """`clique_scores` and `separator_scores`, which must be one function on the sets they share."""
    max_size, scores = _read_section(lines, n)
    heading = lines.words("'separator_scores'")
    if heading != [b"separator_scores"]:
        raise lines.error(f"expected 'separator_scores' after all clique scores, found {quoted_words(heading)}")
    size, separators = _read_section(lines, n, smallest=0)
    if size not in (max_size - 1, max_size):
        raise lines.error(f"separators of up to {size} variables do not fit cliques of up to {max_size}")
    shared = scores[np.bitwise_count(colex_masks(n, max_size)) <= size]
    differ = np.flatnonzero(shared != separators)
    if differ.size:
        name = _set_name(colex_masks(n, size)[differ[0]])
        clique, separator = shared[differ[0]], separators[differ[0]]
        raise lines.error(f"{name} scores {clique} as a clique, {separator} as a separator; must be equal")
    return max_size, scores


def _read_section(lines: _Lines, n: int, smallest: int = 1) -> tuple[int, np.ndarray]:
    """An order line and its scores: (max_size, scores in colex order)."""
    expected = "'colex_order W', 'lex_order W' or 'free_order W COUNT'"
    order, *numbers = lines.words(expected)
    if order not in _ORDERS or len(numbers) != 1 + (order == b"free_order"):
        raise lines.error(f"expected {expected}, found {quoted_words([order, *numbers])}")
    max_size = lines.integer(numbers[:1], "the largest set size", n, smallest)
    count = set_count(n, max_size)
    if order == b"colex_order":
        return max_size, lines.scores(count)
    if order == b"lex_order":
        return max_size, lines.scores(count)[np.argsort(lex_masks(n, max_size))]
    if numbers[1:] != [b"%d" % count]:
        stated = quoted_words(numbers[1:])
        raise lines.error(f"{stated} sets announced; {n} variables have {count} of size at most {max_size}")
    return max_size, lines.listed_scores(n, max_size, count)


class _Lines(ScoreLines):
    """The lines of a score file that are not blank."""

    def __init__(self, stream: Any, path: str) -> None:
        lines = chain([stream.readline().removeprefix(BOM_UTF8)], stream)
        super().__init__(((number, row) for number, row in enumerate(lines, 1) if row.strip()), path)

    def integer(self, words: list[bytes], what: str, highest: int, lowest: int = 1) -> int:
        """The only one of `words` as a whole number between `lowest` and `highest`."""
        if len(words) != 1 or not words[0].isdigit() or len(words[0]) > 9:
            raise self.error(f"expected {what}, found {quoted_words(words)}")
        if not lowest <= int(words[0]) <= highest:
            raise self.error(f"{what} is {int(words[0])}, must be {lowest} to {highest}")
        return int(words[0])

    def chunks(self, count: int) -> Iterator[list[tuple[int, bytes]]]:
        """The next `count` lines as lists of (number, row); DataError when the file ends before."""
        done = 0
        while done < count:
            chunk = list(islice(self.rows, min(_CHUNK, count - done)))
            if not chunk:
                raise self.error(f"the file ends after {done} of {counted(count, 'score')}")
            yield chunk
            done += len(chunk)
            self.number = chunk[-1][0]

    def scores(self, count: int) -> np.ndarray:
        """float64[count]: the next `count` lines, one score each, the first that of the empty set."""
        parts: list = []
        for chunk in self.chunks(count):
            rows = [row for _, row in chunk]
            try:
                part = np.array([float(row) for row in rows])
            except ValueError:
                part = np.array([np.nan])
            if not is_score(part).all() or b"_" in b"".join(rows):
                for number, row in chunk:
                    self.number = number
                    self.score(row)
            if not parts:
                self.check_empty_set(part[0], chunk[0][0])
            parts.append(part)
        return np.concatenate(parts)

    def listed_scores(self, n: int, max_size: int, count: int) -> np.ndarray:
        """float64[count] in colex order from lines `score k v1 ... vk` in any order."""
        numbers, masks, scores = [], [], []
        for chunk in self.chunks(count):
            for number, row in chunk:
                self.number = number
                word, *members = row.split()
                scores.append(self.score(word))
                masks.append(self.mask(members, n, max_size))
                numbers.append(number)
        found = np.array(masks, np.uint64)
        order = np.argsort(found, kind="stable")
        again = order[1:][found[order][1:] == found[order][:-1]]
        if again.size:  # the count is right, so a set is missing only if another is listed twice
            self.number = numbers[again.min()]
            raise self.error(f"{_set_name(found[again.min()])} is listed a second time")
        self.check_empty_set(scores[order[0]], numbers[order[0]])
        return np.array(scores)[order]

    def mask(self, members: list[bytes], n: int, max_size: int) -> int:
        """The set `k v1 ... vk` as a mask."""
        try:
            size, *variables = map(int, members)
            mask = sum(1 << v for v in set(variables) if v < n)  # a negative v also is a ValueError
            if size == len(variables) == mask.bit_count() <= max_size:
                return mask
        except ValueError:
            pass
        found = quoted_words([b"score", *members])
        rule = f"k <= {max_size} and all v different and below {n}"
        raise self.error(f"expected 'score k v1 ... vk', {rule}; found {found}")

    def check_empty_set(self, score: float, number: int) -> None:
        """Refuse a file whose empty set has a score: its lines are shifted."""
        if score != 0:
            self.number = number
            raise self.error(f"the empty set scores {score}, must be 0; is its line missing?")


def _finite_above_forbidden(mask: int, score: float, scores: CliqueScores) -> str:
    """The error of a set that has a score although a subset with one variable less is forbidden."""
    smaller = [mask ^ 1 << v for v in range(scores.n) if mask >> v & 1]
    values = scores.scores[np.searchsorted(scores.masks, np.array(smaller, np.uint64))]
    forbidden = smaller[int(np.argmin(values))]
    return (
        f"{_set_name(mask)} scores {score}, {_set_name(forbidden)} inside it -inf; "
        "-inf forbids a set and all that contain it, so these must score -inf too"
    )


def _set_name(mask: int) -> str:
    """A set as `{0,2}`."""
    mask = int(mask)
    return "{" + ",".join(str(v) for v in range(mask.bit_length()) if mask >> v & 1) + "}"
