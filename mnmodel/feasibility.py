"""The feasibility of learning from a table: rows for each state, proofs, time and memory.

The numbers are those that `--dry-run` of the learners reports. How long a proof takes is known only
when it is tried: the time reported is that to score the sets of variables that it needs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..common.bounds.problem import MAX_VARIABLES
from ..common.run.limits import Limits
from ..common.run.resources import GIGABYTE, available_cores
from ..common.scores.scoring import CACHE_MB
from ..common.sets.set_orders import set_count
from ..junctor.config import Config as ExactConfig
from ..junctor.size import needs_of as exact_needs
from ..lsmarkov.config import Config as SearchConfig
from ..lsmarkov.size import needs_of as search_needs

if TYPE_CHECKING:
    from ..common.data.column_kinds import ColumnKind
    from ..common.data.dataset import Dataset

MAX_SETS = 500_000  # to be scored for a proof that may end in minutes
SECONDS_A_ROW = 4e-9  # of a set, measured on letter (2^17 sets of 9559 different rows)
CLIQUES = 8  # the largest size with a bound that is tried


@dataclass(frozen=True)
class Feasibility:
    """The feasibility of learning from a table.

    Attributes
    ----------
    variables, distinct_rows
    fewest_rows
        Rows of the rarest state of all columns that are used.
    rarest
        The column with that state.
    rows_per_state
        Of the column with the fewest, rows divided by states.
    search_gb
        Memory of `lsmarkov`, which takes 60 s by default.
    proof
        Sizes of cliques for which a proof by `junctor` is feasible: `any`, a number, or `none`.
    proof_method
        dp, a dynamic program, or ilp, cutting planes.
    proof_gb, proof_sets, proof_seconds
        Memory, sets to be scored, and the time for that on one core.
    """

    variables: int
    distinct_rows: int
    fewest_rows: float
    rarest: str
    rows_per_state: float
    search_gb: float
    proof: str
    proof_method: str
    proof_gb: float
    proof_sets: float
    proof_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The fields as values of JSON, by name."""
        return asdict(self)

    @property
    def sentences(self) -> list[str]:
        """The same in words."""
        sentences = [
            f"columns to learn from: {self.variables}, different rows: {self.distinct_rows:,}; rows for each state: "
            f"at least {self.rows_per_state:,.3g} on average, {self.fewest_rows:,.15g} of the rarest ({self.rarest})",
            f"a search, lsmarkov: {self.search_gb:.1f} GB at most, for the --time-limit (60 s)",
        ]
        if self.proof == "none":
            return [
                *sentences,
                "a proof that no network is better: not feasible; mntools bound gives a bound on the best score",
            ]
        sizes = "any cliques" if self.proof == "any" else f"cliques of up to {self.proof}"
        option = "" if self.proof == "any" else f" --max-clique {self.proof}"
        method = "a dynamic program" if self.proof_method == "dp" else "cutting planes"
        work = f"{self.proof_sets:,.0f} sets, some {max(1.0, self.proof_seconds):,.0f} s to score them"
        return [
            *sentences,
            f"a proof may be feasible for {sizes}, junctor{option}: {method}, {self.proof_gb:.1f} GB, {work}",
        ]


def feasibility_of(data: Dataset, kinds: list[ColumnKind]) -> Feasibility:
    """The feasibility of learning from a table.

    Parameters
    ----------
    data
        The columns that are used, numbers in classes, equal rows merged.
    kinds
        Of these columns.
    """
    n, rows = data.n, data.n_stored
    rarest, fewest, mean = "", float("inf"), float("inf")
    for kind, states in zip(kinds, data.states, strict=True):
        mean = min(mean, data.total / len(states))
        least = kind.counts[kind.counts > 0].min() / data.denominator if kind.kind == "states" else data.total / 4
        if least < fewest:
            rarest, fewest = kind.name, float(least)
    search = search_needs(data, SearchConfig(), available_cores())
    searched = (search.tables + search.scores(CACHE_MB)) / GIGABYTE
    proof, method, gigabytes, sets = _proof(data, n)
    return Feasibility(
        n, rows, fewest, rarest, mean, searched, proof, method, gigabytes, sets, sets * rows * SECONDS_A_ROW
    )


def _proof(data: Dataset, n: int) -> tuple[str, str, float, float]:
    """The sizes of cliques, the method, the memory and the sets of a proof."""
    if n > MAX_VARIABLES:
        return "none", "", 0.0, 0.0
    for bound in (None, *range(CLIQUES, 1, -1)):
        sets = set_count(n, min(bound or n, n))
        if sets <= MAX_SETS and (bound is None or bound < n):
            method, needs = exact_needs(data, ExactConfig(max_clique=bound), Limits())
            return "any" if bound is None else str(bound), method, needs.tables / GIGABYTE, float(sets)
    return "none", "", 0.0, 0.0
