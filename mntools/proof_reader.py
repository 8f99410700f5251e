"""Reads the proofs of an upper bound that `junctor --certificate` writes (`common.files.prooffile` has their form)."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from ..common.errors import DataError
from ..common.files.input_stream import read_text
from ..common.files.prooffile import KEYS, KIND, MAX_DENOMINATOR, VERSION, BoundProof, ProofPart, ProofRow, set_text

OLDER_VERSIONS = ("1", "2", "3")  # versions that can be read
_INDEX = re.compile(r"[0-9]{1,9}", re.ASCII)
_DENOMINATOR = re.compile(r"[1-9][0-9]{0,40}", re.ASCII)
_FRACTION = re.compile(r"-?[0-9]{1,100}(/[0-9]{1,30})?", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,100}(\.[0-9]{1,30})?", re.ASCII)


def read_proof(path: str) -> BoundProof:
    """Read a proof file.

    Parameters
    ----------
    path
        `-` is standard input.

    Raises
    ------
    DataError
        Names the malformed line.
    """
    lines = read_text(path, "a certificate").splitlines()
    header, at = {}, 0
    while at < len(lines) and lines[at].startswith("# "):
        key, _, value = lines[at][2:].partition(" ")
        if key in header:
            raise DataError(f"a second line '# {key}'", path, at + 1)
        header[key], at = value.strip(), at + 1
    if header.pop(KIND, None) not in (VERSION, *OLDER_VERSIONS):
        raise DataError(f"no line '# {KIND} {VERSION}'; expected a file that junctor --certificate wrote", path)
    n, largest = (_whole(header, key, path) for key in ("variables", "max-clique"))
    first = _first(header, path)
    if not (1 <= largest <= n and max(first) < n):
        raise DataError(f"max-clique {largest} and first {set_text(first)} with {n} variables", path)
    upper = _number(_DECIMAL, header.pop("upper-bound", ""))
    if upper is None:
        raise DataError("no line '# upper-bound' with a number of at most 100 digits and 30 decimals", path)
    unit = header.pop("denominator", "1")
    if not _DENOMINATOR.fullmatch(unit):
        raise DataError("'# denominator': expected a whole number from 1, of at most 41 digits", path)
    other = next((key for key in header if key not in KEYS), None)
    if other is not None:
        raise DataError(f"a line '# {other}', which is not a claim that a certificate proves", path)
    return BoundProof(n, largest, first, upper, _Reader(lines, at, (n, int(unit)), path).whole(), header)


def _number(form: Any, text: str) -> Any:
    """The Fraction in a text of a form that bounds its digits; None if it is none."""
    try:
        return Fraction(text) if form.fullmatch(text) else None
    except ZeroDivisionError:
        return None


def _whole(header: dict[str, str], key: str, path: str) -> int:
    """A number of the header, not negative."""
    text = header.pop(key, "")
    if not _INDEX.fullmatch(text):
        raise DataError(f"'# {key} {text}': expected a whole number", path)
    return int(text)


def _first(header: dict[str, str], path: str) -> tuple[int, ...]:
    """The first variables of the order, from the header: `first`, or `root` in older files."""
    key = "root" if "root" in header else "first"
    words = header.pop(key, "").split(",")
    if not all(map(_INDEX.fullmatch, words)) or len({*map(int, words)}) < len(words):
        raise DataError(f"'# {key} {','.join(words)}': expected different variables, by index", path)
    return tuple(map(int, words))


class _Reader:
    """Reads the parts, without recursion: a file could have very many splits."""

    def __init__(self, lines: list[str], at: int, limits: tuple[int, int], path: str) -> None:
        self._lines, self._at, self._path = lines, at, path
        self._n, self._unit = limits
        self._denominator = self._unit
        self._rows: list[tuple] = []  # those written out

    def whole(self) -> ProofPart:
        """The first part, which must be followed by nothing."""
        whole = ProofPart([])
        waiting = [whole]
        while waiting:
            part = waiting.pop()
            self._fill(part)
            waiting += reversed(part.parts or [])
        if any(line.strip() for line in self._lines[self._at :]):
            raise self._wrong("nothing after the last part")
        return whole

    def _fill(self, part: ProofPart) -> None:
        """Read one part without the parts that it is split into."""
        while True:
            if self._at >= len(self._lines):
                raise self._wrong("step, split u,v or end")
            words = self._lines[self._at].split()
            if words == ["end"]:
                self._at += 1
                return
            if words == ["step"]:
                part.steps.append([])
            elif len(words) == 2 and words[0] == "split":
                edge = tuple(sorted(self._members(words[1])))
                if len(edge) != 2:
                    raise self._wrong("an edge u,v")
                part.edge = edge
                part.parts = [ProofPart([]), ProofPart([])]
                self._at += 1
                return
            else:
                if not part.steps or len(words) < 2:
                    raise self._wrong("step, split u,v, end, or after a step a row `multiplier base member ...`")
                part.steps[-1].append(self._row(words))
            self._at += 1

    def _row(self, words: list[str]) -> ProofRow:
        """A ProofRow from its words."""
        multiplier = _number(_FRACTION, words[0])
        if multiplier is None:
            raise self._wrong("a fraction as the multiplier, of at most 100 digits by 30")
        multiplier /= self._unit
        self._denominator = math.lcm(self._denominator, multiplier.denominator)
        if self._denominator > MAX_DENOMINATOR:
            raise self._wrong(f"multipliers with a common denominator of at most {MAX_DENOMINATOR:.0e}")
        if len(words) == 2:
            number = int(words[1]) if _INDEX.fullmatch(words[1]) else 0
            if not 0 < number <= len(self._rows):
                raise self._wrong(f"a row written out before, by a number up to {len(self._rows)}")
            return ProofRow(multiplier, *self._rows[number - 1])
        base = frozenset() if words[1] == "-" else self._members(words[1])
        self._rows.append((base, tuple(map(self._members, words[2:]))))
        return ProofRow(multiplier, *self._rows[-1])

    def _members(self, word: str) -> frozenset[int]:
        """A frozenset from `1,2,3`."""
        parts = word.split(",")
        if not all(_INDEX.fullmatch(part) and int(part) < self._n for part in parts):
            raise self._wrong(f"indices below {self._n}, separated by commas")
        found = frozenset(map(int, parts))
        if len(found) < len(parts):
            raise self._wrong("each index once")
        return found

    def _wrong(self, wanted: Any) -> DataError:
        """The error for a line that is not as `wanted`."""
        found = repr(self._lines[self._at][:60]) if self._at < len(self._lines) else "the end of the file"
        return DataError(f"{found}: expected {wanted}", self._path, self._at + 1)
