"""How the variables of a model are shown by the program it comes from: where, under what title, with what description.

GeNIe's .xdsl, Hugin's .net and Netica's .dne have these; .xdsl, .net and our JSON are written with them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Appearance:
    """How a variable is shown.

    Attributes
    ----------
    position : (float, float) or None
        Its centre, y upwards, in the unit of the file.
    title, description : str
        Empty if there is none.
    """

    position: tuple[float, float] | None = None
    title: str = ""
    description: str = ""


def placed_at(words: list[str]) -> tuple[float, ...] | None:
    """The numbers in some words, None if one of them is not finite or no number."""
    try:
        numbers = tuple(map(float, words))
    except ValueError:
        return None
    return numbers if all(abs(number) < 1e9 for number in numbers) else None
