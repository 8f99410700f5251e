"""Many networks on the same variables in one file, one per line: sampled ones, or the best ones with their scores.

A line is the maximal cliques of a chordal graph, `0,1,2 2,3 4`, by index; so `sed -n 5p` extracts a network that all
commands accept. Comment lines at the top say that the whole file is not one, and what all of the networks have in
common; `# names`, if there, which names the indices stand for. A line `# score` belongs to the network below it.

    # networks 2
    # format samples
    # score-type bdeu
    # score -10.250000
    0,1,2 3
    # score -11.500000
    0,1 2 3
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import DataError
from ..graphs.graph import Graph
from .graph_labels import RawGraph
from .graph_lists import NETWORKS, name_fields, name_line, shows_names
from .graphfile import GraphFile, resolved
from .result_header import refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .graphfile import AnyGraph

BEST, WITHIN, PROVED, OTHERS, TIED = "best", "within", "proved", "upper-bound-of-others", "tied-with-last"
OF_LIST = ("networks", "format", "names", "status", BEST, WITHIN, PROVED, OTHERS, TIED)  # not claims about one network
_LINE = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*( [0-9]{1,9}(,[0-9]{1,9})*)*", re.ASCII)
_BEGIN = re.compile(rf"(#[^\n]*\r?\n)*# *format {NETWORKS}\s", re.ASCII)


@dataclass(frozen=True)
class NetworkList:
    """The content of such a file.

    Attributes
    ----------
    header : dict of str to str
        What it says of the list.
    files : list of GraphFile
        The networks; the header of each has its score, and what is said of all but is no claim about the list.
    lines : list of int
        Where they are in the file.
    """

    header: dict[str, str]
    files: list[GraphFile]
    lines: list[int]


def format_networks(
    graphs: Sequence[AnyGraph], header: dict[str, str] | None = None, scores: Iterable[float] | None = None
) -> Iterator[str]:
    """The text, line by line.

    Parameters
    ----------
    graphs
        Chordal, at least one.
    header
        What all of them have in common.
    scores : iterable of float, optional
        One of each.
    """
    yield f"# networks {len(graphs)}\n# format {NETWORKS}\n"
    yield from (f"# {key} {value}\n" for key, value in (header or {}).items())
    lines = (" ".join(",".join(map(str, members)) for members in _members(graph)) for graph in graphs)
    if scores is None:
        yield from (f"{line}\n" for line in lines)
        return
    names = graphs[0].names
    if names is not None and shows_names(None, names):
        yield f"# names {name_line(names)}\n"
    yield from (f"# score {score:.6f}\n{line}\n" for line, score in zip(lines, scores, strict=True))


def _members(graph: AnyGraph) -> Sequence[tuple[int, ...]]:
    """What is listed of a network: the maximal cliques of a Graph."""
    from ..graphs.chordal import maximal_cliques

    assert isinstance(graph, Graph)
    return maximal_cliques(graph)


def is_network_list(text: str) -> bool:
    """Whether a text begins as such a file."""
    return _BEGIN.match(text) is not None


def parse_networks(text: str, path: str, names: Sequence[str] | None = None, n: int | None = None) -> NetworkList:
    """The networks in a text.

    Parameters
    ----------
    path
        For messages.
    names, n
        As for `common.files.graphfile.resolved`.

    Raises
    ------
    DataError
        Malformed, with the line; not as many networks as it says.
    """
    header, found = _lines(text, path)
    own = name_fields(header["names"], path) if "names" in header else None
    shared = {key: value for key, value in header.items() if key not in OF_LIST}
    files = [
        resolved(_raw(at, line, {"score": of_line, **shared} if of_line is not None else shared, own), path, names, n)
        for at, line, of_line in found
    ]
    return NetworkList(header, files, [at for at, _, _ in found])


def list_header(text: str, path: str) -> dict[str, str]:
    """What such a file says of the list, before the names of variables are known; errors as of `parse_networks`."""
    return _lines(text, path)[0]


def _lines(text: str, path: str) -> tuple[dict[str, str], list[tuple[int, str, str | None]]]:
    """The header, and of each network its line in the file, its text and its score."""
    header: dict[str, str] = {}
    found: list[tuple[int, str, str | None]] = []
    score = None
    for at, line in enumerate(map(str.strip, io.StringIO(text, newline=None)), 1):
        key, _, value = line[1:].strip().partition(" ")
        if line.startswith("#") and key != "score":
            if found or score is not None:
                raise DataError(f"'# {key}' below a network; expected '# score', or a network", path, at)
            refuse_repeated(key, header, path, at)
            header[key] = value.strip()
        elif line.startswith("#"):
            if score is not None:
                raise DataError("a second '# score' of the same network", path, at)
            score = value.strip()
        elif line:
            if not _LINE.fullmatch(line):
                raise DataError(f"'{line[:40]}': expected cliques of indices, as '0,1,2 2,3 4'", path, at)
            found.append((at, line, score))
            score = None
    if header.get("networks") != str(len(found)) or not found:
        raise DataError(f"'# networks {header.get('networks', '')}', but {len(found)} are listed", path)
    if score is not None:
        raise DataError("'# score' without a network below it", path)
    return header, found


def _raw(at: int, line: str, header: dict[str, str], names: tuple[str, ...] | None) -> RawGraph:
    """A network as it is written."""
    groups = [tuple(str(int(index)) for index in group.split(",")) for group in line.split()]
    raw = RawGraph("cliques", dict(header), cliques=[(at, group) for group in groups])
    if names is not None:
        raw.n, raw.names, raw.number = len(names), names, {name: i for i, name in enumerate(names)}
        within = all(int(index) < len(names) for group in groups for index in group)
        raw.cliques = [(at, tuple(names[int(i)] for i in group)) for group in groups] if within else raw.cliques
    return raw
