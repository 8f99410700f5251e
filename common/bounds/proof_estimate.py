"""An estimate of the time and memory in which cutting planes would prove a network to be the best."""

from __future__ import annotations

from dataclasses import dataclass

from ..counted import counted
from ..run.resources import megabytes, usable_memory
from ..sets.set_orders import set_count
from .problem import bytes_needed

START, OF_SET = 1.0, 2e-5  # seconds: of the program, and of each set if there are few; on 17 to 36 columns
DOUBLING_SETS = 1_000_000  # the number of sets that doubles the time of each
OF_STORED_ROW = 3e-9  # seconds of each set and stored row, to count them
MAX_SECONDS = 3600.0


@dataclass(frozen=True)
class ProofEstimate:
    """The estimated cost of a proof.

    Attributes
    ----------
    largest
        The size of the largest clique allowed.
    sets
        The number of sets of variables, which are scored and become columns of a linear program.
    seconds
        Approximate processor time; the proof itself may take several times as long, or fail.
    memory
        Bytes, at most.
    """

    largest: int
    sets: int
    seconds: float
    memory: float

    @property
    def is_feasible(self) -> bool:
        """Whether a proof is worth trying on this machine."""
        return self.seconds <= MAX_SECONDS and self.memory <= usable_memory()

    def __str__(self) -> str:
        """The estimate in words."""
        what = f"{counted(self.sets, 'set')} of at most {self.largest} variables"
        if not self.is_feasible:
            return f"a proof is not feasible: {what}"
        seconds = f"{self.seconds:.0f} s" if self.seconds < 120 else f"{self.seconds / 60:.0f} minutes"
        return f"about {seconds} for {what} in {megabytes(self.memory)}"


def estimate_proof(n: int, largest: int, stored_rows: int) -> ProofEstimate:
    """The cost of a proof.

    Parameters
    ----------
    n
        Number of variables.
    largest
        Of the cliques that are allowed.
    stored_rows
        Of the data, distinct ones if equal rows are merged; 0 for scores.
    """
    sets = set_count(n, min(largest, n))
    seconds = START + OF_SET * sets * (1.0 + sets / DOUBLING_SETS) + OF_STORED_ROW * sets * stored_rows
    return ProofEstimate(largest, sets, seconds, bytes_needed(n, largest, False))
