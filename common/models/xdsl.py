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
written, here in one XML comment.

Deterministic nodes (`resultingstates`, a state for each joint state of the parents) and noisy-MAX nodes become tables
(`common.models.noisy_max`). The parameters of a noisy-MAX are distributions of the variable, its strongest state first:
of each parent one for each of its states, in the order of `strengths`, and finally the leak. Decision and utility
nodes, other kinds of nodes, and dynamic networks are refused.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ..errors import DataError
from ..files.xml_text import xml_characters
from .appearance import Appearance, placed_at
from .bif_names import simple_names, with_original_names
from .model_header import xml_lines
from .noisy_max import noisy_max_table
from .probabilities import proper_table
from .xmlbif import ModelReader, network_read

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

LOG = logging.getLogger("cliquewise")
PYAGRUM = "<!-- This network was created by pyAgrum"
_LEAVES = ("PARENTS", "PROBABILITIES", "RESULTINGSTATES", "STRENGTHS", "PARAMETERS")
_READ = ("cpt", "deterministic", "noisymax")


def xdsl_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of an .xdsl file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written first, in comments.
    """
    names, states, comments = simple_names(network, states_as_ids=True)
    # JSON reads the escape as a hyphen; a comment of XML must not contain two in a row
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
    at = network.positions
    for i, name in enumerate(names):  # pyAgrum wants this part, and GeNIe places the nodes by it
        shown = Appearance() if network.appearances is None else network.appearances[i]
        x, y = (150 * (i % 8) + 40, -100 * (i // 8) - 25) if at is None else at[i].round().astype(int).tolist()
        title = escape(xml_characters(shown.title)) or name
        yield f'<node id="{name}"><name>{title}</name><interior color="e5f6f7" /><outline color="000080" />'
        yield f'<font color="000000" name="Arial" size="8" /><position>{x - 40} {-y - 25} {x + 40} {-y + 25}</position>'
        yield f"<comment>{escape(xml_characters(shown.description))}</comment>" if shown.description else ""
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
        Broken XML or a node of another kind (with the line), or not a network.
    LimitError
        A noisy-MAX with too large a table.
    """
    reader = _Reader(path)
    reader.parse(text)
    reader.expand()
    if sorted(reader.placed) == sorted(reader.states):
        reader.states = {name: reader.states[name] for name in reader.placed}
    network = with_original_names(network_read(reader, path).shown_as(reader.appearances), text)
    if PYAGRUM in text and any(len(parents) > 1 for parents in network.parents):
        LOG.warning(
            "%s: by pyAgrum, which has the tables of several parents in another order than GeNIe, by which they are "
            "read: the probabilities are wrong if it is so; export BIF or XMLBIF there",
            path,
        )
    return network


class _Reader(ModelReader):
    """Collects the nodes."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.depth: list = []
        self.labels: list = []
        self.node = ""
        self.placed: list = []
        self.shown: dict[str, str] = {}  # of the open node of the picture
        self.appearances: dict[str, Appearance] = {}
        self.noisy: dict[str, list[str]] = {}  # strengths of the parents' states, by noisy-MAX node

    def on_start(self, tag: str, attributes: dict[str, str]) -> None:
        self.text.clear()
        self.depth.append(tag)
        if len(self.depth) == 3 and self.depth[1] == "nodes":
            self.node = self._id(attributes, f"an element <{tag}>")
            if tag in ("decision", "utility", "mau"):
                self.fail(
                    f"node '{self.node}' is of kind '{tag}': this is an influence diagram, of which nothing is read"
                )
            if tag not in _READ:
                self.fail(f"node '{self.node}' is of kind '{tag}'; only nodes of kind {', '.join(_READ)} are read")
            self.parts, self.labels = {leaf: [] for leaf in _LEAVES}, []
        elif self.depth[1:] == ["dynamic"]:
            self.fail("a dynamic network, with several slices of time, is not read")
        elif self.depth[1:] == ["extensions", "genie", "node"]:
            self.placed.append(attributes.get("id", ""))
            self.shown = {}
        elif tag == "state" and self.parts is not None:
            self.labels.append(self._id(attributes, f"a state of node '{self.node}'"))

    def _id(self, attributes: dict[str, str], what: str) -> str:
        """The id of an element, which is not empty."""
        return attributes.get("id") or self.fail(f"{what} has no id")

    def on_end(self, tag: str) -> None:
        self.depth.pop()
        if self.depth[1:3] == ["extensions", "genie"]:
            if self.depth[3:] == ["node"]:
                self.shown[tag] = "".join(self.text)
            elif len(self.depth) == 3 and tag == "node" and self.placed:
                self._show(self.placed[-1])
        if self.parts is None:
            return
        if tag.upper() in _LEAVES:
            self.parts[tag.upper()].append("".join(self.text))
        elif tag in _READ:
            parents = " ".join(self.parts["PARENTS"]).split()
            self.declare(self.node, self.labels)
            if tag == "cpt":
                (table,) = self.single("PROBABILITIES")
                self.define(self.node, parents, table)
            elif tag == "deterministic":
                (results,) = self.single("RESULTINGSTATES")
                self.define(self.node, parents, self._certain(results.split()))
            else:
                (numbers,) = self.single("PARAMETERS")
                self.define(self.node, parents, numbers)
                self.noisy[self.node] = " ".join(self.parts["STRENGTHS"]).split()
            self.parts = None

    def _show(self, name: str) -> None:
        """Keep how a node is shown; its own id is no title."""
        corners, title = placed_at(self.shown.get("position", "").split()), self.shown.get("name", "")
        place = None if corners is None or len(corners) != 4 else corners
        position = None if place is None else ((place[0] + place[2]) / 2, -(place[1] + place[3]) / 2)
        self.appearances[name] = Appearance(position, "" if title == name else title, self.shown.get("comment", ""))

    def _certain(self, results: list[str]) -> str:
        """The probabilities of a node that has these states for the joint states of its parents."""
        unknown = next((state for state in results if state not in self.labels), None)
        if unknown is not None:
            self.fail(f"'{unknown}' is not a state of '{self.node}'")
        return " ".join("1" if label == state else "0" for state in results for label in self.labels)

    def expand(self) -> None:
        """Put tables in the place of the parameters of noisy-MAX nodes."""
        for name, strengths in self.noisy.items():
            parents, numbers = self.definitions[name]
            arity, r = [len(self.states.get(parent, ())) for parent in parents], len(self.states[name])
            if len(numbers) != r * (sum(arity) + 1) or len(strengths) != sum(arity):
                found = f"{len(numbers)} parameters and {len(strengths)} strengths"
                raise DataError(
                    f"node '{name}' has {found}, expected {r * (sum(arity) + 1)} and {sum(arity)}", self.path
                )
            columns, causes, first = numbers.reshape(-1, r), [], 0
            for q in arity:
                order = strengths[first : first + q]
                if sorted(order) != sorted(map(str, range(q))):
                    found = f"strengths {' '.join(order)} are not an order of {q} states"
                    raise DataError(f"node '{name}': {found}", self.path)
                causes.append(columns[[first + order.index(str(k)) for k in range(q)]])
                first += q
            columns = proper_table(columns, self.path, name, [])
            self.definitions[name] = parents, noisy_max_table(causes, columns[-1]).ravel()
