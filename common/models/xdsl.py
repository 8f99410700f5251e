"""Bayesian networks in the .xdsl of GeNIe and SMILE.

    <smile version="1.0" id="learned"><nodes>
    <cpt id="rain"><state id="no" /><state id="yes" /><probabilities>0.8 0.2</probabilities></cpt>
    <cpt id="road"><state id="dry" /><state id="wet" /><parents>rain</parents>
    <probabilities>0.9 0.1 0.2 0.8</probabilities></cpt>
    </nodes></smile>

Probabilities list the joint states of the parents, the last parent changing fastest, and within each the variable's own
states. Parents come before children; our reader takes the order of the variables from the list after the nodes, which
places them on the screen. pyAgrum 3 reads and writes the joint states of two and more parents in another order than
GeNIe and pgmpy, so it gets another distribution; for it, write BIF or XMLBIF. Its own files, known by their first
comment, are read with a warning. Ids begin with a letter; `common.models.bif_names` describes how other names are
written, here in one XML comment. Only nodes of kind `cpt` are read; deterministic, noisy, decision and utility nodes,
and dynamic networks, are refused.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .bif_names import simple_names, with_original_names
from .model_header import xml_lines
from .xmlbif import ModelReader, network_read

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

LOG = logging.getLogger("cliquewise")
PYAGRUM = "<!-- This network was created by pyAgrum"
_LEAVES = ("PARENTS", "PROBABILITIES")


def xdsl_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of an .xdsl file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written first, in comments.
    """
    names, states, comments = simple_names(network, states_as_ids=True)
    # JSON reads the escape as a hyphen; a comment of XML must not hold two in a row
    originals = [line.replace("--", "-\\u002d").replace("--", "-\\u002d") for line in comments]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield from xml_lines(header)
    yield '<smile version="1.0" id="learned">\n'
    if originals:
        yield "\n".join(["<!--", *originals, "-->"]) + "\n"
    yield "<nodes>\n"
    for v in network.order():
        given = " ".join(names[parent] for parent in network.parents[v])
        yield f'<cpt id="{names[v]}">' + "".join(f'<state id="{label}" />' for label in states[v])
        yield (f"<parents>{given}</parents>" if given else "") + "<probabilities>"
        yield " ".join(repr(number) for row in network.tables[v] for number in row.tolist())
        yield "</probabilities></cpt>\n"
    yield '</nodes>\n<extensions><genie version="1.0" app="cliquewise" name="learned">\n'
    for i, name in enumerate(names):  # pyAgrum wants this part, and GeNIe places the nodes by it
        left, top = 150 * (i % 8), 100 * (i // 8)
        yield f'<node id="{name}"><name>{name}</name><interior color="e5f6f7" /><outline color="000080" />'
        yield f'<font color="000000" name="Arial" size="8" /><position>{left} {top} {left + 80} {top + 50}</position>'
        yield "</node>\n"
    yield "</genie></extensions>\n</smile>\n"


def parse_xdsl(text: str, path: str) -> BayesianNetwork:
    """The network in the text of an .xdsl file.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Broken XML or a node that is not `cpt` (with the line), or not a network.
    """
    reader = _Reader(path)
    reader.read(text)
    if sorted(reader.placed) == sorted(reader.states):
        reader.states = {name: reader.states[name] for name in reader.placed}
    network = with_original_names(network_read(reader, path), text)
    if PYAGRUM in text and any(len(parents) > 1 for parents in network.parents):
        LOG.warning(
            "%s: by pyAgrum, which has the tables of several parents in another order than GeNIe, by which they are "
            "read: the probabilities are wrong if it is so; take BIF or XMLBIF from there",
            path,
        )
    return network


class _Reader(ModelReader):
    """Collects the `cpt` nodes."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.depth: list = []
        self.labels: list = []
        self.node = ""
        self.placed: list = []

    def on_start(self, tag: str, attributes: dict[str, str]) -> None:
        self.text.clear()
        self.depth.append(tag)
        if len(self.depth) == 3 and self.depth[1] == "nodes":
            self.node = attributes.get("id", "")
            if tag in ("decision", "utility", "mau"):
                self.fail(
                    f"node '{self.node}' is of kind '{tag}': this is an influence diagram, of which nothing is read"
                )
            if tag != "cpt":
                self.fail(f"node '{self.node}' is of kind '{tag}'; only nodes of kind 'cpt' are read")
            self.parts, self.labels = {leaf: [] for leaf in _LEAVES}, []
        elif self.depth[1:] == ["dynamic"]:
            self.fail("a dynamic network, with several slices of time, is not read")
        elif self.depth[1:] == ["extensions", "genie", "node"]:
            self.placed.append(attributes.get("id", ""))
        elif tag == "state" and self.parts is not None:
            self.labels.append(attributes.get("id", ""))

    def on_end(self, tag: str) -> None:
        self.depth.pop()
        if self.parts is None:
            return
        if tag.upper() in _LEAVES:
            self.parts[tag.upper()].append("".join(self.text))
        elif tag == "cpt":
            (table,) = self.single("PROBABILITIES")
            self.declare(self.node, self.labels)
            self.define(self.node, " ".join(self.parts["PARENTS"]).split(), table)
            self.parts = None
