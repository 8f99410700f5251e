"""`mntools strength`: the evidence in data for and against each edge of a network.

An edge uv is compared with its absence, given the variables S of `conditioning_sets`. Its gain is
s(S+u+v) + s(S) - s(S+u) - s(S+v), for BDeu the log Bayes factor; in a network of Markov blankets, the loss of the
scores of both blankets. The test of conditional independence is the asymptotic one of the likelihood ratio,

    G2 = 2 sum over s, a, b of N_sab ln(N_sab N_s / (N_sa N_sb)) = 2 N I(u; v | S),

with (r_s - 1)(c_s - 1) degrees of freedom for each state s of S that occurs, r_s and c_s being the numbers of states of
u and v that occur with it (Bishop, Fienberg and Holland: Discrete Multivariate Analysis, 1975). P-values are corrected
for their number by Holm (1979): Scandinavian Journal of Statistics 6, 65-70. The edges were searched for in the same
data, so the P-values are too small.

A pass over the distinct rows for each edge.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.counted import counted
from ..common.data.dataset import Dataset
from ..common.drawing.picture import EdgeNotes
from ..common.drawing.strength import conditioning_sets, edge_strengths
from ..common.errors import DataError, UsageError
from ..common.files.input_stream import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..common.files.graphfile import GraphFile
    from ..common.files.result_header import Claims
    from ..common.graphs.dag import Dag
    from ..common.graphs.graph import Graph

SHOWN_ROWS = 40  # of the table behind an edge, on a page
COLUMNS = ("u", "v", "given", "gain", "probability", "cmi", "g2", "df", "p", "p-holm")


@dataclass(frozen=True)
class EdgeEvidence:
    """The evidence in data about an edge.

    Attributes
    ----------
    edge : (int, int)
        Of an arc its tail and head.
    given : tuple of int
        The set S, ascending.
    gain
        Natural logarithm; the loss of score without the edge.
    cmi
        Conditional mutual information given S, nats, >= 0.
    g2
        Statistic of the test, >= 0.
    df
        Its degrees of freedom, >= 0.
    p
        Its p-value, in [0, 1]; 1 without degrees of freedom.
    holm
        The same, corrected for the number of edges.
    """

    edge: tuple[int, int]
    given: tuple[int, ...]
    gain: float
    cmi: float
    g2: float
    df: int
    p: float
    holm: float


def edge_evidence(
    file: GraphFile, data: Dataset, by: Claims, gains: Sequence[float] | None = None
) -> list[EdgeEvidence]:
    """The evidence in data about each edge, the largest gain first.

    Parameters
    ----------
    file
    data
        With the variables of the network.
    by
        How to score.
    gains
        In the order of the network's edges, as from `edge_strengths`, if they are known.

    Raises
    ------
    DataError
        Edges with probabilities instead of a network, or scores instead of data.
    """
    file.check_network()
    if not isinstance(data, Dataset):
        raise DataError("a score file has no rows; give the data themselves", getattr(data, "source", None))
    graph = file.network
    sets = conditioning_sets(graph, by.by_blankets)
    gains = edge_strengths(graph, data, by) if gains is None else gains
    tests = [independence_test(data, edge, given) for edge, given in sets.items()]
    corrected = holm([p for _, _, p in tests])
    found = [
        EdgeEvidence(edge, sets[edge], gain, g2 / (2 * data.total), g2, df, p, least)
        for edge, gain, (g2, df, p), least in zip(graph.edges, gains, tests, corrected, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.gain, one.edge))


def contingency_table(data: Dataset, members: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The counts of the joint states of some variables.

    Returns
    -------
    states : int64[n_states, len(members)]
        Those that occur, in order.
    counts : float64[n_states]
        In rows, > 0.
    """
    states, place = np.unique(data.codes[:, list(members)].astype(np.int64), axis=0, return_inverse=True)
    return states, np.bincount(place.ravel(), weights=data.weights, minlength=len(states))


def independence_test(data: Dataset, edge: tuple[int, int], given: Sequence[int]) -> tuple[float, int, float]:
    """The G2 test that the ends of an edge are independent given some variables.

    Returns
    -------
    g2 : float
    df : int
    p : float
    """
    from scipy.special import chdtrc

    states, counts = contingency_table(data, (*given, *edge))
    s, u, v = states[:, :-2], states[:, -2], states[:, -1]
    _, stratum = np.unique(s, axis=0, return_inverse=True) if s.shape[1] else (None, np.zeros(len(states), np.int64))
    stratum = stratum.ravel()
    margins, kinds = [], []
    for keys in (np.stack((stratum, u), 1), np.stack((stratum, v), 1)):
        rows, place = np.unique(keys, axis=0, return_inverse=True)
        margins.append(np.bincount(place.ravel(), weights=counts)[place.ravel()])
        kinds.append(np.bincount(rows[:, 0]))
    whole = np.bincount(stratum, weights=counts)[stratum]
    g2 = max(0.0, 2 * math.fsum(counts * np.log(counts * whole / (margins[0] * margins[1]))))
    df = int(((kinds[0] - 1) * (kinds[1] - 1)).sum())
    return g2, df, float(chdtrc(df, g2)) if df else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the k-th smallest of m values times m - k + 1, made monotone, at most 1."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = largest
    return corrected


def notes_of(rows: Sequence[Mapping[str, Any]], tables: Sequence[Sequence[Sequence[str]]]) -> list[EdgeNotes]:
    """The notes of a page about each edge, from rows of the CSV, with the table behind each."""
    found = []
    for row, table in zip(rows, tables, strict=True):
        lines = [f"Given {row['given'].replace(';', ', ')}" if row.get("given") else "Given no other variable"]
        if row.get("probability"):
            lines.append(f"Log Bayes factor {row['gain']}, probability given all other edges {row['probability']}")
        if row.get("cmi"):
            lines.append(f"Conditional mutual information {row['cmi']} nats")
        if row.get("g2"):
            test = f"G2 {row['g2']} with {counted(int(row['df']), 'degree')} of freedom"
            lines.append(f"{test}, p {row['p']}, corrected for all edges (Holm) {row['p-holm']}")
        found.append(EdgeNotes(tuple(lines), table))
    return found


def computed_notes(file: GraphFile, data: Dataset, by: Claims, gains: Sequence[float]) -> list[EdgeNotes]:
    """The notes of a page about each edge, in the order of the graph, from data; `gains` as for `edge_evidence`."""
    found = {one.edge: one for one in edge_evidence(file, data, by, gains)}
    ordered = [found[edge] for edge in file.network.edges]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in evidence_rows(ordered, data.names, by.score_type == "bdeu")]
    tables = [table_of(data, (*one.given, *one.edge)) for one in ordered]
    return notes_of(rows, [table if len(table) <= SHOWN_ROWS else () for table in tables])


def read_edge_evidence(path: str, graph: Graph | Dag) -> tuple[list[float], list[EdgeNotes]]:
    """The gain of each edge, and the notes of a page about it, from a file that `mntools strength` wrote.

    Raises
    ------
    DataError
        Another file, an edge that the network does not have, or one of the network that is not there.
    """
    rows = list(csv.DictReader(io.StringIO(read_text(path, "a table of mntools strength"))))
    if not rows or not {*COLUMNS} <= rows[0].keys():
        raise DataError(f"expected the columns {','.join(COLUMNS)}, as mntools strength writes them", path)
    names = graph.labels
    place = {frozenset(names[end] for end in edge): edge for edge in graph.edges}
    listed: dict = {}
    for at, row in enumerate(rows, 2):
        ends = frozenset((row["u"], row["v"]))
        if ends not in place:
            hint = "" if graph.names else ", which has no names: mntools convert --data gives it those of the data"
            raise DataError(f"{row['u']},{row['v']} is not an edge of the network{hint}", path, at)
        try:
            listed[place[ends]] = float(row["gain"]), row
        except (TypeError, ValueError):
            raise DataError(f"gain '{row['gain']}': expected a number", path, at) from None
    lacking = next((edge for edge in graph.edges if edge not in listed), None)
    if lacking is not None:
        raise DataError(f"no line of the edge {','.join(names[end] for end in lacking)}", path)
    ordered = [listed[edge] for edge in graph.edges]
    return [gain for gain, _ in ordered], notes_of([row for _, row in ordered], [()] * len(ordered))


def evidence_csv(found: Sequence[EdgeEvidence], names: Sequence[str], is_probability: bool) -> str:
    """The evidence as CSV, a line for each edge; arguments as for `evidence_rows`."""
    return _csv([COLUMNS, *evidence_rows(found, names, is_probability)])


def evidence_rows(found: Sequence[EdgeEvidence], names: Sequence[str], is_probability: bool) -> list[tuple]:
    """The evidence of each edge as the cells of `COLUMNS`.

    Parameters
    ----------
    found
    names
        Of the variables.
    is_probability
        Whether the gain is a log Bayes factor: then `probability` is that of the edge, given all others.
    """
    return [
        (
            *(names[end] for end in one.edge), ";".join(names[v] for v in one.given), f"{one.gain:.6f}",
            f"{edge_probability(one.gain):.6g}" if is_probability else "",
            f"{one.cmi:.6f}", f"{one.g2:.6f}", one.df, f"{one.p:.3g}", f"{one.holm:.3g}",
        )
        for one in found
    ]  # fmt: skip


def edge_probability(gain: float) -> float:
    """The probability of an edge with this log Bayes factor, given all others."""
    return 1 / (1 + math.exp(-gain)) if gain > -700 else 0.0


def named_edge(file: GraphFile, data: Dataset, by: Claims, pair: str) -> tuple[tuple[int, int], tuple[int, ...]]:
    """The edge with these ends, and the variables given which it is compared with its absence.

    Parameters
    ----------
    pair
        The names of its two variables, as a line of CSV; of an arc in any order.

    Raises
    ------
    UsageError
        They are no edge of the network.
    """
    names, ends = list(data.names), next(csv.reader([pair]))
    found = {frozenset(edge): (edge, given) for edge, given in conditioning_sets(file.network, by.by_blankets).items()}
    places = [names.index(end) for end in ends if end in names]
    if len(ends) != 2 or frozenset(places) not in found:
        example = ",".join(names[end] for end in file.network.edges[0]) if file.network.edges else "A,B"
        advice = f"give the two variables of one, such as --table {example}"
        raise UsageError(f"{file.path}: '{pair}' is not an edge; {advice}")
    edge, given = found[frozenset(places)]
    return edge, given


def table_csv(data: Dataset, members: Sequence[int]) -> str:
    """The contingency table of some variables as CSV, with the number of rows."""
    return _csv(table_of(data, members))


def table_of(data: Dataset, members: Sequence[int]) -> list[tuple[str, ...]]:
    """The contingency table of some variables as rows of text, below their names."""
    states, counts = contingency_table(data, members)
    rows = [
        (*(data.states[v][code] for v, code in zip(members, row, strict=True)), f"{count:.10g}")
        for row, count in zip(states.tolist(), counts, strict=True)
    ]
    return [(*(data.names[v] for v in members), "rows"), *rows]


def _csv(rows: Sequence[Sequence]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
