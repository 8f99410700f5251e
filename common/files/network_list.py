"""Many networks on the same variables in one file, one per line: sampled ones, or the best ones with their scores.

A line is the maximal cliques of a chordal graph, `0,1,2 2,3 4`, by index, so `sed -n 5p` extracts a network that all
commands accept; or the parents of each vertex of a directed network, `0< 1<0 2<0,1`. Comment lines at the top show that
the file is a list of networks, and have what the networks have in common; the line `# names`, if there is one, has the
names for the indices. A line `# score` belongs to the network below it.

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
from ..graphs.dag import Dag
from ..graphs.graph import Graph
from .graph_labels import RawGraph
from .graph_lists import NETWORKS, name_fields, name_line, shows_names
from .graphfile import GraphFile, resolved
from .result_header import refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .graphfile import AnyGraph

BEST, WITHIN, PROVED, OTHERS, TIED = "best", "within", "proved", "upper-bound-of-others", "tied-with-last"
CLASSES = "equivalence-classes"  # a network stands for all that are equivalent to it
OF_LIST = (
    "networks",
    "format",
    "names",
    "status",
    BEST,
    WITHIN,
    PROVED,
    OTHERS,
    TIED,
    CLASSES,
)  # not about one network
_LINE = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*( [0-9]{1,9}(,[0-9]{1,9})*)*", re.ASCII)
_PARENTS = re.compile(r"[0-9]{1,9}<([0-9]{1,9}(,[0-9]{1,9})*)?( [0-9]{1,9}<([0-9]{1,9}(,[0-9]{1,9})*)?)*", re.ASCII)
_BEGIN = re.compile(rf"(#[^\n]*\r?\n)*# *format {NETWORKS}\s", re.ASCII)


@dataclass(frozen=True)
class NetworkList:
    """The content of such a file.

    Attributes
    ----------
    header : dict of str to str
        Its lines about the list.
    files : list of GraphFile
        The networks; the header of each has its score, and the common lines that are no claims about the list.
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
        Chordal or directed, at least one.
    header
        The common lines.
    scores : iterable of float, optional
        One of each.
    """
    yield f"# networks {len(graphs)}\n# format {NETWORKS}\n"
    yield from (f"# {key} {value}\n" for key, value in (header or {}).items())
    lines = (" ".join(_fields(graph)) for graph in graphs)
    if scores is None:
        yield from (f"{line}\n" for line in lines)
        return
    names = graphs[0].names
    if names is not None and shows_names(None, names):
        yield f"# names {name_line(names)}\n"
    yield from (f"# score {score:.6f}\n{line}\n" for line, score in zip(lines, scores, strict=True))


def _fields(graph: AnyGraph) -> list[str]:
    """A network as it is listed: the maximal cliques of a Graph, the parents of each vertex of a Dag."""
    from ..graphs.chordal import maximal_cliques

    if isinstance(graph, Dag):
        return [f"{v}<" + ",".join(map(str, parents)) for v, parents in enumerate(graph.parents())]
    assert isinstance(graph, Graph)
    return [",".join(map(str, members)) for members in maximal_cliques(graph)]


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
        Malformed, with the line; another number of networks than in its header.
    """
    header, found = _lines(text, path)
    own = name_fields(header["names"], path) if "names" in header else None
    shared = {key: value for key, value in header.items() if key not in OF_LIST}
    own_headers = [shared if of_line is None else {"score": of_line, **shared} for _, _, of_line in found]
    files = [
        resolved(_raw(at, line, head, own, path), path, names, n)
        for (at, line, _), head in zip(found, own_headers, strict=True)
    ]
    return NetworkList(header, files, [at for at, _, _ in found])


def list_header(text: str, path: str) -> dict[str, str]:
    """The header of such a file, before the names of variables are known; errors as for `parse_networks`."""
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
            if not _LINE.fullmatch(line) and not _PARENTS.fullmatch(line):
                forms = "cliques of indices, such as '0,1,2 2,3 4', or parents, such as '0< 1<0 2<0,1'"
                message = f"'{line[:40]}': expected {forms}"
                raise DataError(message, path, at)
            found.append((at, line, score))
            score = None
    if header.get("networks") != str(len(found)) or not found:
        raise DataError(f"'# networks {header.get('networks', '')}', but {len(found)} are listed", path)
    if score is not None:
        raise DataError("'# score' without a network below it", path)
    return header, found


def _raw(at: int, line: str, header: dict[str, str], names: tuple[str, ...] | None, path: str) -> RawGraph:
    """A network as it is written, by numbers of vertices."""
    if "<" in line:
        n, arcs = _arcs(at, line, names, path)
        raw = RawGraph("arcs", dict(header), edges=[(at, (str(u), str(v))) for u, v in arcs], n=n, directed=True)
    else:
        groups = [tuple(str(int(index)) for index in group.split(",")) for group in line.split()]
        raw = RawGraph("cliques", dict(header), cliques=[(at, group) for group in groups])
    if names is not None:
        raw.n, raw.names, raw.number = len(names), names, {str(v): v for v in range(len(names))}
    return raw


def _arcs(at: int, line: str, names: tuple[str, ...] | None, path: str) -> tuple[int, list[tuple[int, int]]]:
    """The number of vertices and the arcs of a directed network, which has all of its vertices, in their order."""
    families = [field.split("<") for field in line.split(" ")]
    n = len(families)
    arcs = [(int(u), int(child)) for child, parents in families for u in parents.split(",") if u]
    if [int(child) for child, _ in families] != list(range(n)) or (names is not None and len(names) != n):
        count = "each vertex" if names is None else f"each of {len(names)} vertices"
        raise DataError(f"'{line[:40]}': expected the parents of {count} once, in their order", path, at)
    if any(u >= n or u == v for u, v in arcs) or len(set(arcs)) < len(arcs):
        raise DataError(f"'{line[:40]}': a parent that is no other vertex, or is listed twice", path, at)
    return n, arcs
