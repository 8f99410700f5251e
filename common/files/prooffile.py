"""Proofs of an upper bound on the score of every chordal network: the files of `junctor --certificate`.

After comment lines `# key value` comes a part of the problem, the first one being the whole. A part is a number of
steps, then either `end`, or `split u,v` with two parts: the networks without the edge u-v, and those with it. A step is
a line `step` followed by rows, one per line: `multiplier base member ...`, the multiplier as a fraction in units of
one over the denominator in the header (1 if there is none), sets as indices separated by commas, `-` for an empty base.
A row that is in several steps is written out once: `multiplier k` is the k-th row written out before, from 1. With a
line `networks`, the bound is about all networks but those that another file lists. `common.certify.bound` explains
what steps and rows prove; `mntools check` reads these files. The digits of numbers are bounded, and none has an
exponent: reading takes time in proportion to the file. In files of version 3 and before, each base contains a member.
Those of version 2 have `root`, one variable, in place of `first`; those of version 1 have no denominator and no such
short rows either.

    # certificate 4
    # variables 4
    # max-clique 3
    # first 0,2
    # upper-bound -1.234567
    # denominator 8
    step
    5 - 1 2 3
    4 0 1,2 1,3
    step
    9/2 1
    end
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

KIND = "certificate"
VERSION = "4"
KEYS = ("score-type", "ess", "gamma", "edge-prior", "edge-priors", "networks")  # further lines of the header
MAX_DENOMINATOR = 10**40  # of all multipliers together: all scores are computed with it


@dataclass(frozen=True, slots=True)
class ProofRow:
    """A row of the program of `common.bounds.cutting` and its multiplier.

    Attributes
    ----------
    multiplier
        Positive.
    base : frozenset of int
    members : tuple of frozenset of int
    """

    multiplier: Fraction
    base: frozenset
    members: tuple


@dataclass
class ProofPart:
    """Steps for a part of the problem, and how it is split.

    Attributes
    ----------
    steps : list of list of ProofRow
    edge : tuple of int, or None
        u and v; None if the part is not split.
    parts
        The parts without and with the edge.
    """

    steps: list
    edge: tuple | None = None
    parts: list | None = None


@dataclass(frozen=True)
class BoundProof:
    """A proof of an upper bound on all scores.

    Attributes
    ----------
    n
        Variables.
    max_clique
        Largest clique of these networks.
    first : tuple of int
        The variables that come first in the orders considered, as far as they are joined.
    upper_bound
    whole
        The steps for the whole problem.
    header : dict of str to str
        Further comment lines: `KEYS`.
    """

    n: int
    max_clique: int
    first: tuple
    upper_bound: Fraction
    whole: ProofPart
    header: dict


def format_proof(proof: BoundProof) -> str:
    """The text of a proof file."""
    parts = [proof.whole]
    for part in parts:
        parts += part.parts or []
    unit = math.lcm(*(row.multiplier.denominator for part in parts for step in part.steps for row in step))
    values = {KIND: VERSION, **proof.header, "variables": proof.n, "max-clique": proof.max_clique}
    values["first"] = set_text(proof.first)
    lines = [f"# {key} {value}" for key, value in values.items()]
    lines += [f"# upper-bound {_decimal(proof.upper_bound)}", f"# denominator {unit}"]
    numbers: dict[tuple, int] = {}
    waiting = [proof.whole]
    while waiting:
        part = waiting.pop()
        for step in part.steps:
            lines.append("step")
            lines += [f"{row.multiplier * unit} {_row(row, numbers)}" for row in step]
        lines.append("end" if part.edge is None else f"split {part.edge[0]},{part.edge[1]}")
        waiting += reversed(part.parts or [])
    return "\n".join(lines) + "\n"


def _row(row: ProofRow, numbers: dict[tuple, int]) -> Any:
    """The text of a row without its multiplier: its number, if it has one, otherwise it gets the next."""
    key = row.base, row.members
    if key in numbers:
        return numbers[key]
    numbers[key] = len(numbers) + 1
    return " ".join(map(set_text, map(sorted, (row.base, *row.members))))


def _decimal(number: Any) -> str:
    """A Fraction with six decimals, which must be exact."""
    millionths = number * 1_000_000
    assert millionths.denominator == 1
    sign, whole = "-" if number < 0 else "", abs(int(millionths))
    return f"{sign}{whole // 1_000_000}.{whole % 1_000_000:06d}"


def set_text(members: Iterable[int]) -> str:
    """Indices as `1,2,3`, or `-` for no member."""
    return ",".join(map(str, members)) or "-"
