"""The resources that a run may use, and those that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..run.resources import GIGABYTE, available_cores
from ..scores.scoring import CACHE_MB
from .load import kind_of

if TYPE_CHECKING:
    from ..scores.needs import Needs


@dataclass(frozen=True)
class ResourceOptions:
    """Resource limits of a run.

    Attributes
    ----------
    threads
        >= 1; None for all cores.
    cache_mb
        Limit of the score cache.
    memory
        Gigabytes; None for the free memory of the machine.
    dry_run
        Whether to print only the estimate.
    """

    threads: int | None = None
    cache_mb: int = CACHE_MB
    memory: float | None = None
    dry_run: bool = False

    @property
    def cores(self) -> int:
        """The number of threads."""
        return self.threads or available_cores()

    @property
    def bytes(self) -> float | None:
        """The bound in bytes, or None."""
        return None if self.memory is None else self.memory * GIGABYTE

    def fitted(self, config: Any, needs: Needs) -> Any:
        """A tool's Config whose cache leaves room for its tables.

        Raises
        ------
        LimitError
            The tables do not fit.
        """
        return replace(config, cache_mb=needs.cache_within(self.cache_mb, self.bytes))


@dataclass(frozen=True)
class Estimate:
    """The resources that a run needs.

    Attributes
    ----------
    data
        The data.
    needs : Needs
    cache_mb
        The limit of the score cache.
    limits : Limits, optional
        Of one run.
    runs
        How many there are: one for each seed, sample, value or size.
    more : dict of str to object
        Further lines, by name.
    """

    data: Any
    needs: Any
    cache_mb: int = 0
    limits: Any = None
    runs: int = 1
    more: Mapping[str, object] = field(default_factory=dict)

    def lines(self) -> dict[str, object]:
        """What `--dry-run` prints: values by name."""
        from ..data.merging import distinct_rows
        from ..scores.needs import program_memory

        lines: dict[str, object] = {"variables": self.data.n}
        if kind_of(self.data) == "data":
            lines |= {"rows": self.data.n_rows, "distinct-rows": len(distinct_rows(self.data)[0])}
        parts: dict[str, Any] = {
            "tables": self.needs.tables,
            "scores": self.needs.scores(self.cache_mb),
            "program": program_memory(self.data),
        }
        lines |= {key.replace("_", "-"): value for key, value in self.more.items()}
        lines |= {f"{name}-gb": f"{size / GIGABYTE:.3f}" for name, size in parts.items()}
        lines["memory-gb"] = f"{sum(parts.values()) / GIGABYTE:.3f}"
        if self.limits is not None and self.limits.time_limit is not None:
            lines["seconds"] = f"{self.limits.time_limit * self.runs:.15g}"
        return lines

    def print(self) -> int:
        """Print them; returns exit code 0."""
        from ..files.atomic_write import write_whole

        write_whole(None, "".join(f"{key} {value}\n" for key, value in self.lines().items()))
        return 0
