"""`mntools best`: the network with the highest score of many on the same data, certified."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..common.cli.stated import load_as_stated
from ..common.counted import counted
from ..common.data.incomplete import IncompleteData
from ..common.errors import DataError, abridged
from ..common.files.endings import format_of_name
from ..common.files.input_stream import read_text
from ..common.files.result_header import DATA, Claims
from ..common.learning.options import ScoreOptions
from ..common.models.any_graph import parse_graph, raw_graph, read_header
from ..common.networks.completed import completed_rows
from ..common.networks.score import score_table, total
from ..common.run.result import INTERRUPTED
from .check import check
from .scoring import choose_scoring

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.graphfile import GraphFile
    from ..common.learning.sources import InputOptions
    from .verdict import Verdict


LOG = logging.getLogger("cliquewise")
# if these differ, scores cannot be compared
EQUAL_LINES = (
    *("score-type", "ess", "gamma", "edge-prior", "edge-priors", "prior", "penalty", "threshold"),
    *("missing", "counts", "weights", "weight-scale", "resample"),
)
# the completions of missing cells by which a network is scored
PLAN = ("completions", "completion-seed", "completion-rounds", "completion-steps")
COLUMNS = ("network", "score", "status", "seed", "edges", "check")


@dataclass(frozen=True)
class NetworkRow:
    """One network of a table.

    Attributes
    ----------
    path, text, kind
        The file, its content and its format.
    score
        As claimed in its header; of networks that were learned from different completions of missing cells, the mean
        over these.
    status, seed
        From its header; empty if not stated.
    edges
        How many it has.
    verdict
        That of `mntools check`.
    """

    path: str
    text: str
    kind: str
    score: float | None
    status: str
    seed: str
    edges: int
    verdict: Verdict

    def cells(self) -> tuple[int | str, ...]:
        """The row of a table, in the order of `COLUMNS`."""
        return (self.path, f"{self.score:.6f}", self.status, self.seed, self.edges, self.verdict.verdict)


def rows_of(
    paths: Sequence[str], source: InputOptions, edge_priors: str | None = None, output: str | None = None
) -> list[NetworkRow]:
    """Read and check networks.

    Parameters
    ----------
    source
        The data, if given: then the scores are recomputed.
    edge_priors
        The file of edge probabilities with which the networks were learned.
    output
        Where one of them will be written, unchanged.

    Raises
    ------
    DataError
        A network without a score, with another kind of score than the first, or on other variables.
    UsageError
        The name of the output means another format than that of a network.
    """
    texts = {path: read_text(path, "a graph file") for path in paths}
    for kind in {raw_graph(text, path).kind for path, text in texts.items()}:
        format_of_name(output, (kind,), kind, option="-o")
    heads = {path: read_header(text, path) for path, text in texts.items()}
    first, wanted = next(iter(heads.items()))
    check_alike(heads)
    for path, head in heads.items():
        if Claims.read(head, path).score is None:
            raise DataError("no '# score' in its header; score it with mntools score", path)
    if source.data is None:
        check_completions(heads, "give --data, by which all are scored on the completions of all")
    data = load_as_stated(source, wanted, first, parent_sets=True, as_sample=True)
    scoring = ScoreOptions(edge_priors=edge_priors)
    names, n = getattr(data, "names", None), getattr(data, "n", None)
    files = {path: parse_graph(text, path, names, n) for path, text in texts.items()}
    _check_variables(files)
    rows = [_row(files[path], texts[path], heads[path], data, scoring) for path in paths]
    plans = {tuple(map(head.get, PLAN)): (head, path) for path, head in heads.items()}
    if len(plans) == 1 or not isinstance(data, IncompleteData):
        return rows
    LOG.info("scored by the mean over the %d sets of completions by which they were learned", len(plans))
    completed = [completed_rows(*stated, data) for stated in plans.values()]
    return [row if not row.verdict.is_ok else replace(row, score=_mean_score(row, completed, scoring)) for row in rows]


def _mean_score(row: NetworkRow, completed: Sequence[Dataset], scoring: ScoreOptions) -> float:
    """The mean score of a network on several sets of completions."""
    file = parse_graph(row.text, row.path, completed[0].names, completed[0].n)
    return math.fsum(total(score_table(file, one, choose_scoring(file, scoring, one))) for one in completed) / len(
        completed
    )


def check_completions(heads: dict[str, dict[str, str]], advice: str) -> None:
    """Refuse networks whose scores are of different completions of missing cells.

    Parameters
    ----------
    heads
        By path, the header of each.
    advice
        Advice.

    Raises
    ------
    DataError
        One that differs from the first.
    """
    first, wanted = next(iter(heads.items()))
    for path, head in heads.items():
        key = next((key for key in PLAN if head.get(key) != wanted.get(key)), None)
        if key is not None:
            found = f"'# {key} {head.get(key, 'none')}', but '{wanted.get(key, 'none')}' in {first}"
            raise DataError(f"{found}: their scores are of different completions of missing cells; {advice}", path)


def _check_variables(files: dict[str, GraphFile]) -> None:
    """Refuse networks on other variables than those of the first."""
    first, wanted = next(iter(files.items()))
    for path, file in files.items():
        names, others = (set(one.graph.names or ()) for one in (file, wanted))
        if file.graph.n != wanted.graph.n:
            message = f"{counted(file.graph.n, 'variable')}, but {wanted.graph.n} in {first}"
        elif names and others and names != others:
            message = f"variable '{min(names - others)}' is not in {first}"
        else:
            continue
        raise DataError(f"{message}: their scores do not compare", path)


def check_alike(heads: dict[str, dict[str, str]]) -> None:
    """Refuse networks whose scores do not compare.

    Parameters
    ----------
    heads
        By path, the header of each.

    Raises
    ------
    DataError
        One that differs from the first; also if both say of which data they are.
    """
    first, wanted = next(iter(heads.items()))
    for path, head in heads.items():
        both = [DATA] if DATA in head and DATA in wanted else []
        key = next((key for key in (*EQUAL_LINES, *both) if head.get(key) != wanted.get(key)), None)
        if key is not None:
            message = f"'# {key} {head.get(key, 'none')}', but '{wanted.get(key, 'none')}' in {first}"
            raise DataError(f"{message}: their scores do not compare", path)


def _row(file: GraphFile, text: str, head: dict[str, str], data: Dataset | None, scoring: ScoreOptions) -> NetworkRow:
    """The NetworkRow of one network."""
    verdict = check(file, completed_rows(head, file.path, data), scoring)
    score = Claims.read(head, file.path).score
    edges = len(file.graph.edges if file.dag is None else file.dag.arcs)
    return NetworkRow(file.path, text, file.kind, score, head.get("status", ""), head.get("seed", ""), edges, verdict)


def best_of(rows: list[NetworkRow]) -> NetworkRow:
    """The NetworkRow with the highest score among the valid ones, the first if several are equal.

    Raises
    ------
    DataError
        No network is valid.
    """
    for row in rows:
        if not row.verdict.is_ok:
            LOG.warning("%s: left out, %s", row.path, row.verdict.line)
    if so_far := [row.path for row in rows if row.status == INTERRUPTED]:
        LOG.warning("networks of interrupted runs: %d of %d: %s", len(so_far), len(rows), abridged(so_far, 3))
    good = [row for row in rows if row.verdict.is_ok]
    if not good:
        raise DataError("no network agrees with its header", rows[0].path)
    return max(good, key=lambda row: -math.inf if row.score is None else row.score)
