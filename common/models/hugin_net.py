"""Bayesian networks in Hugin's .net.

    net { }
    node rain { states = ("no" "yes"); }
    node road { states = ("dry" "wet"); }
    potential (rain) { data = (0.8 0.2); }
    potential (road | rain) { data = ((0.9 0.1) (0.2 0.8)); }

Data list the joint states of the parents, the last parent changing fastest, and within each the variable's own states;
the inner brackets say nothing more and are not looked at. As in Hugin the numbers may be counts or weights, which are
normalised with a warning, and a potential without data is uniform. `%` begins a comment. Names are identifiers;
`common.models.bif_names` describes how others are written. Other keys of a node are skipped. Classes, and continuous,
decision and utility nodes, are refused.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from .appearance import Appearance, placed_at
from .bayesnet import checked_network
from .bif_names import simple_names, with_original_names
from .probabilities import numbers_of
from .tokens import Tokens

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

LOG = logging.getLogger("cliquewise")
_REFUSED = {
    "decision": "a decision node: this is an influence diagram",
    "utility": "a utility node: this is an influence diagram",
    "continuous": "a continuous node: this network is not discrete",
    "class": "a class of an object-oriented network",
    "function": "a function node",
}
_TOKEN = re.compile(r'%[^\n]*|"((?:[^"\\]|\\(?!"\s*[;)]).)*+\\?)"|([{}()=;|])|([^\s{}()=;|"%,]+)|"', re.DOTALL)


def net_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of a .net file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written after the first block, as comments.
    """
    names, states, comments = simple_names(network)
    lines = ["net", "{", "}", *(f"% {key} {value}" for key, value in header.items())]
    yield "\n".join([*lines, *(line.replace("//", "%", 1) for line in comments)]) + "\n"
    for v, (name, labels) in enumerate(zip(names, states, strict=True)):
        quoted = " ".join(f'"{label}"' for label in labels)
        yield f"node {name}\n{{\n  states = ({quoted});\n"
        if network.appearances is not None:
            yield from _shown(network.appearances[v])
        yield "}\n"
    for v, table in enumerate(network.tables):
        arity = [len(network.states[parent]) for parent in network.parents[v]]
        given = " ".join(names[parent] for parent in network.parents[v])
        yield f"potential ({names[v]} | {given})\n{{\n  data = " if given else f"potential ({names[v]})\n{{\n  data = "
        yield _nested(table.reshape(*arity, -1)) + ";\n}\n"


def _shown(one: Appearance) -> Iterator[str]:
    """The lines for how a node is shown."""
    if one.title:
        yield f"  label = {_quoted(one.title)};\n"
    if one.position is not None:
        x, y = (f"{number:.0f}" for number in one.position)
        yield f"  position = ({x} {y});\n"
    if one.description:
        yield f"  HR_Desc = {_quoted(one.description)};\n"


def _quoted(text: str) -> str:
    """A string; backslashes are doubled, which `_Tokens.word` undoes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _nested(table: np.ndarray) -> str:
    """Numbers in brackets, one pair for each dimension."""
    inner = map(repr, table.tolist()) if table.ndim == 1 else map(_nested, table)
    return f"({' '.join(inner)})"


def parse_net(text: str, path: str) -> BayesianNetwork:
    """The network in the text of a .net file.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Malformed, or not discrete, with the line; not a network.
    """
    tokens = _Tokens(text, path)
    states: dict[str, list[str]] = {}
    appearances: dict[str, Appearance] = {}
    tables: dict[str, tuple[list[str], np.ndarray | None]] = {}
    while tokens.at < len(tokens.found):
        word = tokens.next()
        if word == "discrete":
            word = tokens.next()
        if word == "net":
            tokens.block()
        elif word == "node":
            name = tokens.next()
            if name in states:
                tokens.fail(f"node '{name}' is declared a second time")
            block = tokens.block()
            states[name], appearances[name] = block.get("states", []), _appearance(block)
        elif word == "potential":
            _read_potential(tokens, tables)
        elif word in _REFUSED:
            tokens.fail(f"{_REFUSED[word]}, of which nothing is read")
        else:
            tokens.fail(f"found '{word}', expected 'net', 'node' or 'potential' of a discrete network")
    for name in tables:
        if name not in states:
            raise DataError(f"'{name}' has no node", path)
    families = [tables.get(name, ([], None)) for name in states]
    parents = [own_parents for own_parents, _ in families]
    data = [
        _uniform(name, own_parents, states, path) if numbers is None else numbers
        for name, (own_parents, numbers) in zip(states, families, strict=True)
    ]
    network = checked_network(list(states), list(states.values()), parents, data, path, normalise=True)
    return with_original_names(network.shown_as(appearances), text)


def _uniform(name: str, own_parents: list[str], states: dict[str, list[str]], path: str) -> np.ndarray:
    """The weights of a table that a file leaves out; unknown parents are refused later."""
    LOG.warning("%s: '%s' has no probabilities, so its states are equally likely, as in Hugin", path, name)
    return np.ones(math.prod(len(states.get(word, ())) for word in (name, *own_parents)))


def _appearance(block: dict[str, list[str]]) -> Appearance:
    """How a node is shown."""
    place = placed_at(block.get("position", []))
    position = None if place is None or len(place) != 2 else (place[0], place[1])
    return Appearance(position, "".join(block.get("label", [])), "".join(block.get("HR_Desc", [])))


def _read_potential(tokens: _Tokens, tables: dict[str, tuple[list[str], np.ndarray | None]]) -> None:
    """`(a | b c) { data = (...); }`."""
    tokens.expect("(")
    family = tokens.until(")")
    name, *own_parents = [word for word in family if word != "|"] or [""]
    if name in tables or not name or (own_parents and family[1] != "|"):
        tokens.fail(f"a second potential of '{name}', or one that is not of one variable given others")
    block = tokens.block()
    if "model_data" in block and block.get("data"):
        LOG.info("%s: the table of '%s' was made by a function (model_data); the table is read", tokens.path, name)
    elif "model_data" in block:
        tokens.fail(f"the potential of '{name}' is a function (model_data), which is not read; expand it to a table")
    try:
        tables[name] = own_parents, np.array(numbers_of(block["data"])) if block.get("data") else None
    except ValueError as error:
        tokens.fail(f"the data of '{name}': {error}")


class _Tokens(Tokens):
    """Tokens of the format."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path, _TOKEN, ("%",))

    def word(self, match: re.Match[str]) -> str:
        """A token, a string without its quotes and escapes."""
        if match[0] == '"':
            self.fail("a quote that is never closed")
        return match[0] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)

    def until(self, end: str) -> list[str]:
        """The tokens before a closing one; strings may be anything."""
        first = self.at
        while self.next() != end or self.found[self.at - 1][0] != end:
            pass
        return [self.word(match) for match in self.found[first : self.at - 1]]

    def block(self) -> dict[str, list[str]]:
        """`{ key = value; ... }`: {key: values without brackets}."""
        self.expect("{")
        values: dict[str, list[str]] = {}
        while (key := self.next()) != "}":
            self.expect("=")
            first = self.at
            self.until(";")
            between = self.found[first : self.at - 1]
            values[key] = [self.word(match) for match in between if match[2] not in ("(", ")")]
        return values
