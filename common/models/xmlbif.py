"""Bayesian networks in XMLBIF 0.3, and 0.2, which has PROBABILITY for DEFINITION and VALUE for OUTCOME.

    <BIF VERSION="0.3"><NETWORK><NAME>learned</NAME>
    <VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
    <DEFINITION><FOR>road</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 0.2 0.8</TABLE></DEFINITION>
    </NETWORK></BIF>

Decision and utility nodes are refused. A table lists the joint states of the GIVEN variables, the last of them changing
fastest, and within each the variable's own states. Names are any text that XML can hold. A document type is ignored,
but one that declares entities is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import numpy as np

from ..errors import DataError, UsageError
from ..files.xml_reader import XmlReader
from ..files.xml_text import NOT_XML
from .bayesnet import checked_network
from .model_header import xml_lines
from .probabilities import numbers_of

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

_BLANKS = " \t\r\n"  # of XML; other blanks of Unicode belong to names
_DEFINITIONS = ("DEFINITION", "PROBABILITY")  # the second in version 0.2
_LEAVES = ("NAME", "OUTCOME", "VALUE", "FOR", "GIVEN", "TABLE")


def xmlbif_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of an XMLBIF file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written first, in a comment.

    Raises
    ------
    UsageError
        A name with a character that XML cannot hold, or with blanks at its ends.
    """
    names = [_text(name) for name in network.names]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield from xml_lines(header)
    yield '<BIF VERSION="0.3">\n<NETWORK>\n<NAME>learned</NAME>\n'
    for name, labels in zip(names, network.states, strict=True):
        outcomes = "".join(f"<OUTCOME>{_text(label)}</OUTCOME>" for label in labels)
        yield f'<VARIABLE TYPE="nature"><NAME>{name}</NAME>{outcomes}</VARIABLE>\n'
    for v, table in enumerate(network.tables):
        given = "".join(f"<GIVEN>{names[parent]}</GIVEN>" for parent in network.parents[v])
        yield f"<DEFINITION><FOR>{names[v]}</FOR>{given}<TABLE>"
        for row in table:
            yield " ".join(map(repr, row.tolist())) + "\n"
        yield "</TABLE></DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"


def _text(name: str) -> str:
    """A name as character data."""
    if NOT_XML.search(name) or name != name.strip(_BLANKS) or not name:
        raise UsageError(f"the name {name!r} cannot be written in XMLBIF; use --format json")
    return escape(name, {"\r": "&#13;"})


def parse_xmlbif(text: str, path: str) -> BayesianNetwork:
    """The network in the text of an XMLBIF file.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Broken XML (with the line), or not a network.
    """
    reader = _Reader(path)
    reader.parse(text)
    return network_read(reader, path)


def network_read(reader: ModelReader, path: str) -> BayesianNetwork:
    """The network of the variables and definitions that a reader has collected.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Not a network.
    """
    names = list(reader.states)
    for name in reader.definitions:
        if name not in reader.states:
            raise DataError(f"a definition of '{name}', which is not a variable", path)
    for name in names:
        if name not in reader.definitions:
            raise DataError(f"variable '{name}' has no definition", path)
    parents, tables = zip(*(reader.definitions[name] for name in names), strict=True) if names else ((), ())
    return checked_network(names, list(reader.states.values()), parents, tables, path)


class ModelReader(XmlReader):
    """Collects variables {name: states} and definitions {name: (parents, numbers)} from the stream of elements."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.states: dict = {}
        self.definitions: dict = {}
        self.parts: dict[str, list[str]] | None = None  # of the open <VARIABLE> or <DEFINITION>: {element: [texts]}
        self.text: list = []

    def on_text(self, text: str) -> None:
        """At a piece of text."""
        self.text.append(text)

    def declare(self, name: str, states: list[str]) -> None:
        """Add a variable."""
        if name in self.states:
            self.fail(f"variable '{name}' is declared a second time")
        self.states[name] = states

    def define(self, name: str, parents: list[str], table: str) -> None:
        """Add the parents and numbers of a variable."""
        if name in self.definitions:
            self.fail(f"variable '{name}' has a second definition")
        try:
            self.definitions[name] = parents, np.array(numbers_of(table.split()))
        except ValueError as error:
            self.fail(f"the table of '{name}': {error}")

    def single(self, leaf: str) -> list[str]:
        """The texts of an element that occurs once."""
        texts = [] if self.parts is None else self.parts[leaf]
        if len(texts) != 1:
            self.fail(f"{len(texts)} elements <{leaf}> where one was expected")
        return texts


class _Reader(ModelReader):
    """Reads the elements of XMLBIF."""

    def on_start(self, tag: str, attributes: dict[str, str]) -> None:
        self.text.clear()
        if tag == "VARIABLE" and (kind := attributes.get("TYPE", "nature")) in ("decision", "utility"):
            self.fail(f"a {kind} node: this is an influence diagram, of which nothing is read")
        if tag in ("VARIABLE", *_DEFINITIONS):
            self.parts = {leaf: [] for leaf in _LEAVES}

    def on_end(self, tag: str) -> None:
        if self.parts is None:
            return
        if tag in _LEAVES:
            self.parts[tag].append("".join(self.text).strip(_BLANKS))
        elif tag == "VARIABLE":
            (name,) = self.single("NAME")
            self.declare(name, self.parts["OUTCOME"] or self.parts["VALUE"])
        elif tag in _DEFINITIONS:
            (name,), (table,) = self.single("FOR"), self.single("TABLE")
            self.define(name, self.parts["GIVEN"], table)
        if tag in ("VARIABLE", *_DEFINITIONS):
            self.parts = None
