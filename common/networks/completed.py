"""The rows by which a network from incomplete data is scored: its completions, and the claims about the observed cells.

They are drawn again, by the network and the seed in its header (`common.inference.completions`), or read from the file
that the learner wrote with `--completed`, and then compared with the data cell by cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.completed import CompletedData
from ..data.incomplete import IncompleteData
from ..errors import UsageError
from ..files.result_header import Claims, plan_numbers
from ..inference.completions import CompletionPlan, complete, likelihood_of_observed, read_completed

if TYPE_CHECKING:
    from ..files.graphfile import GraphFile

CLOSE = 1e-9  # relative difference of two sums over all rows


def completed_rows(header: dict[str, str], path: str, source: Any, completed: str | None = None) -> Any:
    """The data that score a network: of data with missing cells the completions, otherwise the data.

    Parameters
    ----------
    header, path
        Of the network's file.
    source : Dataset, CliqueScores, ParentSets or None
    completed
        A file of completed rows.

    Raises
    ------
    UsageError
        Such a file for data without missing cells.
    DataError
        A header that does not say how the completions were drawn, or a file that does not hold such.
    """
    if not isinstance(source, IncompleteData):
        if completed is not None:
            raise UsageError(f"--completed {completed} has no effect: the network is not scored by completed rows")
        return source
    if header.get("program") == "mnposterior":  # the cells were drawn with the networks
        return source
    plan = CompletionPlan(*plan_numbers(header, path))
    return complete(source, plan) if completed is None else read_completed(completed, source, plan)


def observed_problems(file: GraphFile, source: Any, claims: Claims) -> list[str]:
    """Problems with the claim about the observed cells.

    Parameters
    ----------
    source
        Of `completed_rows`.
    """
    if not isinstance(source, CompletedData) or claims.log_likelihood is None:
        return []
    found = likelihood_of_observed(source, file.network, claims.ess or 1.0)
    if abs(claims.log_likelihood - found) <= 1e-6 + CLOSE * abs(found):
        return []
    return [f"log-likelihood claimed {claims.log_likelihood:.6f}, recomputed {found:.6f}"]
