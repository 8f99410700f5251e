"""`mntools average`: the share of networks that have each edge.

A file of probabilities, as posteriors write it, counts with these: the average of independent runs of equal length is
that of all their samples. Where all files have standard errors, those of the average are written too; a run that has
never seen an edge adds nothing to them.

Networks have equal weights, or a weight from the line `# weight` of their files, or exp(score): the posterior
probability among them under a uniform prior, if the scores are log marginal likelihoods of the same data. Directions
are ignored here; `mntools.directions` has them. Vertices are matched by name if the files have names, otherwise by
index.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.errors import DataError
from ..common.files.input_stream import read_text
from ..common.files.result_header import Claims
from ..common.graphs.graph import Graph
from ..common.models.any_graph import networks_in
from .best import check_alike, check_completions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..common.files.graphfile import GraphFile


LOG = logging.getLogger("cliquewise")
MAX_WEIGHT = 1e100  # weight; the sum of many is finite


def read_graph_files(paths: Sequence[str]) -> list[GraphFile]:
    """Read graph files on the same variables.

    Parameters
    ----------
    paths : sequence of str

    Returns
    -------
    list of GraphFile
        In the order of the first one's variables.

    Raises
    ------
    DataError
        Different variables.
    """
    texts = {path: read_text(path, "a graph file") for path in paths}  # once: standard input cannot be read again
    files = {path: networks_in(text, path) for path, text in texts.items()}
    names = next((file.graph.names for group in files.values() for file in group if file.graph.names), None)
    if names is not None:
        files = {path: networks_in(text, path, names) for path, text in texts.items()}
    found = [file for path in paths for file in files[path]]
    n = max(file.graph.n for file in found)
    for file in found:
        if file.graph.n < n and file.stated:
            raise DataError(f"{counted(file.graph.n, 'vertex', 'vertices')}, but another network has {n}", file.path)
    return [replace(file, graph=replace(file.graph, names=file.graph.names or names)) for file in found]


def average(files: Sequence[GraphFile], weight_by: str = "equal") -> tuple[Graph, tuple[float, ...]]:
    """The probability of each edge.

    Parameters
    ----------
    files : sequence of GraphFile
        On the same variables.
    weight_by
        equal, header or score.

    Returns
    -------
    (Graph, tuple of float)
        Every edge that some network has, with its probability, and standard errors if all files have them; and the
        weights of the networks, which sum to 1.

    Raises
    ------
    DataError
        A file without a weight or score, or scores that do not compare.
    """
    weights = weights_of(files, weight_by)
    shares: dict = {}
    variances: dict = {}
    for file, weight in zip(files, weights, strict=True):
        graph = file.graph
        certain = (1.0,) * len(file.graph.edges)
        for edge, share, error in zip(
            graph.edges, graph.probabilities or certain, graph.errors or certain, strict=True
        ):
            shares.setdefault(edge, []).append(weight * share)
            variances.setdefault(edge, []).append((weight * error) ** 2)
    edges = tuple(sorted(shares))
    n = max(file.graph.n for file in files)
    probabilities = tuple(min(1.0, math.fsum(shares[edge])) for edge in edges)
    errors = None
    if all(file.graph.errors is not None for file in files):
        errors = tuple(math.sqrt(math.fsum(variances[edge])) for edge in edges)
    return Graph(n, edges, files[0].graph.names, probabilities, errors), weights


def significant(graph: Graph) -> tuple[Graph, float]:
    """The edges above the automatic threshold, and this, which is logged.

    Parameters
    ----------
    graph
        With probabilities.
    """
    strengths = graph.probabilities or ()
    threshold = automatic_threshold(strengths)
    kept = graph.probable(math.nextafter(threshold, math.inf))
    message = "threshold %.6g: %d of %d edges are significant (Scutari and Nagarajan 2013)"
    LOG.info(message, threshold, len(kept.edges), len(strengths))
    return kept, threshold


def automatic_threshold(strengths: Iterable[float]) -> float:
    """The threshold of significant edges, those that are stronger (Scutari and Nagarajan 2013).

    If the structure were known, all strengths would be 0 or 1, and their distribution function would be a constant t
    between 0 and 1. The threshold comes from the constant with the smallest area between it and the empirical
    distribution function F of the strengths of all pairs of variables: a median of F over the interval, which is
    F(1/2), since F increases. It is the strength at which F reaches this value, the largest strength below 1/2. So
    edges with a strength of at least 1/2 are always significant.

    Parameters
    ----------
    strengths
        Of the edges, from 0 to 1; all other pairs have 0.

    Examples
    --------
    >>> automatic_threshold([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439])
    0.3921
    """
    return max((strength for strength in strengths if strength < 0.5), default=0.0)


def weights_of(files: Sequence[GraphFile], weight_by: str) -> tuple[float, ...]:
    """The weights of networks, which sum to 1.

    Parameters
    ----------
    files, weight_by
        As for `average`.

    Raises
    ------
    DataError
        As `average`.
    """
    if weight_by == "equal":
        raw = [1.0] * len(files)
    elif weight_by == "score":
        heads = {file.path: file.header for file in files}
        check_alike(heads)
        check_completions(heads, "use --weight-by equal")
        scores = _complete([Claims.read(file.header, file.path).score for file in files], files, "score")
        raw = [math.exp(score - max(scores)) for score in scores]
    else:
        raw = _complete([_number(file) for file in files], files, "weight")
    total = math.fsum(raw)
    if not total > 0:
        raise DataError("all weights are 0", files[0].path)
    return tuple(weight / total for weight in raw)


def _number(file: GraphFile) -> float | None:
    """The weight in a file's header, or None."""
    if "weight" not in file.header:
        return None
    try:
        value = float(file.header["weight"])
    except ValueError:
        value = math.nan
    if not 0 <= value <= MAX_WEIGHT:
        raise DataError(f"'# weight {file.header['weight']}': expected a number from 0 to {MAX_WEIGHT:g}", file.path)
    return value


def _complete(values: Sequence[float | None], files: Sequence[GraphFile], key: str) -> list[float]:
    """The values that weights are made of; a file whose header lacks the key is refused."""
    found = []
    for value, file in zip(values, files, strict=True):
        if value is None:
            raise DataError(f"no line '# {key} ...' in it; use --weight-by equal", file.path)
        found.append(value)
    return found
