"""States in BIF files as R's bnlearn writes them: without quotes, also with blanks, brackets and commas in them.

    type discrete [ 3 ] { [0,1), (1,2], a b };
    ([0,1), a b) 0.2, 0.3, 0.5;

The format separates by blanks and commas, so several readings are tried: of a list of states the one that gives as many
as announced, of a row the one in which every parent has its state. The reading by the format itself is tried first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_WORD = re.compile(r'"[^"]*"|[^\s,|"]+', re.ASCII)
_PIECE = re.compile(r'(?:"[^"]*"|[^,"])+')
_OPEN, _CLOSE = re.compile(r"\s*[\[(][^\])]*"), re.compile(r"[^\[(]*[\])]\s*")
_BLANKS = " \t\r\n\f\v"  # of ASCII: others belong to names


def states_listed(text: str, announced: str) -> list[str]:
    """The states of a variable.

    Parameters
    ----------
    text
        Between the braces of a list of states.
    announced
        The number of states in the file.

    Returns
    -------
    list of str
        If no reading gives the number that was announced: the words, separated by blanks or commas.
    """
    words = [_unquoted(word) for word in _WORD.findall(text)]
    pieces = _PIECE.findall(text)
    for parts in (words, pieces, _rejoined(pieces), _rejoined(words)):
        states = [_unquoted(part.strip(_BLANKS)) for part in parts]
        if str(len(states)) == announced:
            return states
    return words


def states_named(text: str, parents: Sequence[Collection[str]]) -> list[str]:
    """The states of the parents in a row.

    Parameters
    ----------
    text
        Between the brackets before the numbers.
    parents
        The states of each.

    Returns
    -------
    list of str
        If no reading gives states of all parents: the words, separated by blanks or commas.
    """
    words = [_unquoted(word) for word in _WORD.findall(text)]
    if len(words) == len(parents) and all(word in known for word, known in zip(words, parents, strict=True)):
        return words
    return _split(text.strip(_BLANKS), parents) or words


def _split(text: str, parents: Sequence[Collection[str]]) -> list[str] | None:
    """A text as one state of each parent, in their order, with commas or blanks between; None if it is none.

    Of several readings it is the one with the longest first states.
    """
    if not parents:
        return None if text else []
    for state in sorted(parents[0], key=len, reverse=True):
        for written in (f'"{state}"', state):
            rest = text.removeprefix(written)
            if rest == text and written:
                continue
            after = rest.lstrip(_BLANKS + ",|")
            if after == rest and len(parents) > 1:  # nothing between it and the next
                continue
            found = _split(after, parents[1:])
            if found is not None:
                return [state, *found]
    return None


def _rejoined(parts: Sequence[str]) -> list[str]:
    """Parts in which an interval that was cut at its comma is whole again."""
    joined: list[str] = []
    for part in parts:
        if joined and _OPEN.fullmatch(joined[-1]) and _CLOSE.fullmatch(part):
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return joined


def _unquoted(word: str) -> str:
    """A word without the quotes around it."""
    return word.strip('"')
