"""Bayesian networks in Netica's .dne.

    bnet weather {
    node rain { kind = NATURE; discrete = TRUE; states = (no, yes); parents = (); probs = (0.8, 0.2); };
    node road { kind = NATURE; discrete = TRUE; states = (dry, wet); parents = (rain);
        probs = ((0.9, 0.1), (0.2, 0.8)); };
    };

Probabilities list the joint states of the parents, the last parent changing fastest, and within each the variable's own
states. A deterministic node has `functable` instead, the state for each joint state of the parents, by name or number.
A node with `levels` and no `states` has the intervals between them as states. Comments are `//` and `/* */`; other
fields and blocks are skipped, as are constants without children. Decision and utility nodes are refused. We do not
write this format.
"""

from __future__ import annotations

import logging
import math
import re
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from ..errors import DataError
from ..number_text import whole_number
from .appearance import Appearance, placed_at
from .bayesnet import MAX_STATES, BayesianNetwork, checked_network
from .probabilities import numbers_of
from .tokens import Tokens

LOG = logging.getLogger("cliquewise")
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:[^"\\]|\\.)*)"|([{}()=;,])|([^\s{}()=;,"]+)', re.DOTALL)


def parse_dne(text: str, path: str) -> BayesianNetwork:
    """The network in the text of a .dne file.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Malformed, or not a discrete network, with the line; not a network.
    """
    tokens = _Tokens(text, path)
    nodes: dict[str, _Node] = {}
    tokens.expect("bnet")
    tokens.until("{")
    while (word := tokens.next()) != "}":
        if word == "node":
            name = tokens.next()
            if name in nodes:
                tokens.fail(f"node '{name}' is declared a second time")
            tokens.expect("{")
            nodes[name] = _Node(name, tokens.fields(), tokens)
        elif word != ";":
            tokens.rest(word)
    used = {parent for node in nodes.values() for parent in node.words("parents")}
    for name in [name for name, node in nodes.items() if node.is_constant]:
        if name in used:
            raise DataError(f"node '{name}' is a constant with children, which is not read", path)
        LOG.info("%s: '%s' is a constant, a text in the picture, and is left out", path, name)
        del nodes[name]
    states = {name: node.states() for name, node in nodes.items()}
    parents = [node.words("parents") for node in nodes.values()]
    tables = [node.table(states) for node in nodes.values()]
    network = checked_network(list(nodes), list(states.values()), parents, tables, path)
    return network.shown_as({name: node.appearance() for name, node in nodes.items()})


class _Node:
    """The fields of a node, each with its place in the text."""

    def __init__(self, name: str, fields: dict[str, tuple[int, list[str]]], tokens: _Tokens) -> None:
        self.name, self.fields, self._tokens = name, fields, tokens
        kind = "".join(self.words("kind")) or "NATURE"
        if kind in ("DECISION", "UTILITY"):
            self._fail("kind", f"a {kind.lower()} node: this is an influence diagram, of which nothing is read")
        if kind not in ("NATURE", "ASSUME", "CONSTANT"):
            self._fail("kind", f"node '{name}' is of kind '{kind}'; only those of kind NATURE are read")
        self.is_constant = kind == "CONSTANT"
        if "evidence" in fields:
            LOG.warning("%s: the finding of '%s' in the file is not used; give it with --given", tokens.path, name)

    def _fail(self, field: str, message: str) -> NoReturn:
        """Raise a DataError at the line of a field."""
        self._tokens.fail(message, self.fields[field][0] if field in self.fields else None)

    def words(self, field: str) -> list[str]:
        """The words of a field, without brackets and commas; none if it is not there."""
        return [word for word in self.fields.get(field, (0, []))[1] if word not in "(),"]

    def numbers(self, field: str) -> np.ndarray:
        """The numbers of a field."""
        try:
            return np.array(numbers_of(self.words(field)))
        except ValueError as error:
            self._fail(field, f"the {field} of '{self.name}': {error}")

    def appearance(self) -> Appearance:
        """How it is shown; y is downwards in the file."""
        visual, title = self.words("visual"), "".join(self.words("title"))
        at = visual.index("center") + 1 if "center" in visual else len(visual)
        place = placed_at([word for word in visual[at : at + 3] if word != "="])
        position = (place[0], -place[1]) if place is not None and len(place) == 2 else None
        return Appearance(position, "" if title == self.name else title, "".join(self.words("comment")))

    def states(self) -> list[str]:
        """The names of the states."""
        if names := self.words("states"):
            return names
        if "levels" in self.fields:
            return [f"[{low:g},{high:g})" for low, high in pairwise(self.numbers("levels").tolist())]
        count = whole_number("".join(self.words("numstates")))
        if count < 0:
            raise DataError(f"node '{self.name}' has no states: it is continuous, or incomplete", self._tokens.path)
        if count > MAX_STATES:
            self._fail("numstates", f"node '{self.name}' has {count:,} states, of at most {MAX_STATES:,} without names")
        return [f"state{k}" for k in range(count)]

    def table(self, states: dict[str, list[str]]) -> np.ndarray:
        """The probabilities, as in the file: float64[q * r]."""
        own = states[self.name]
        rows = math.prod(len(states.get(parent, ())) for parent in self.words("parents"))
        if "probs" in self.fields:
            return self.numbers("probs")
        if "functable" not in self.fields:
            LOG.warning("%s: '%s' has no probabilities, so its states are equally likely", self._tokens.path, self.name)
            return np.full(rows * len(own), 1 / max(1, len(own)))
        values = self.words("functable")
        table = np.zeros((len(values), len(own)))
        for row, value in enumerate(values):
            number = value.removeprefix("#")
            k = own.index(value) if value in own else whole_number(number)
            if not 0 <= k < len(own):
                self._fail("functable", f"'{value}' is not a state of '{self.name}'")
            table[row, k] = 1.0
        return table.ravel()


class _Tokens(Tokens):
    """Tokens of the format."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path, _TOKEN, ("//", "/*"))

    def until(self, end: str) -> list[str]:
        """The tokens before a closing one; blocks in braces within are left out."""
        words: list[Any] = []
        while True:
            is_sign = self.at < len(self.found) and self.found[self.at][2] is not None
            word = self.next()
            if is_sign and word == end:
                return words
            if is_sign and word == "{":
                self.until("}")
            elif is_sign and word == "}":
                self.fail(f"found '}}', expected '{end}'")
            else:
                words.append(word)

    def rest(self, word: str) -> tuple[str, int, list[str]]:
        """A field, `word = ...;`, or a block, `word ... { ... }`: its word, place, and the words of its first level."""
        if self.at < len(self.found) and self.found[self.at][0] == "=":
            self.at += 1
            first = self.at
            return word, first, self.until(";")
        self.until("{")
        first = self.at
        return word, first, self.until("}")

    def fields(self) -> dict[str, tuple[int, list[str]]]:
        """The fields of a block up to its end: place and words by name."""
        found: dict[str, tuple[int, list[str]]] = {}
        while (word := self.next()) != "}":
            if word != ";":
                name, first, words = self.rest(word)
                found.setdefault(name, (first, words))
        return found
