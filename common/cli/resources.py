"""What a run may use: `--threads`, `--cache-mb` and `--memory`, and `--dry-run`, which prints the estimate and exits.

A learner chooses its cache by the limit; for all other commands it is `common.run.resources.memory_bound`.

The limit covers the tables and the cached scores; the program itself and its data are not included, and the memory of
SCIP and HiGHS for an integer program is not known in advance.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ..run.resources import GIGABYTE, available_cores, memory_bound
from ..scores.scoring import CACHE_MB
from .lists import FiniteFloat
from .load import kind_of
from .options import cache_option, threads_option
from .together import together

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
    networks
        How many networks a run learns, one after the other.
    """

    threads: int | None = None
    cache_mb: int = CACHE_MB
    memory: float | None = None
    dry_run: bool = False
    networks: int = 1

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

    def print_estimate(
        self,
        data: Any,
        needs: Any,
        cache_mb: int = 0,
        limits: Any = None,
        runs: int = 1,
        **more: object,
    ) -> int:
        """Print the resources that a run needs.

        Parameters
        ----------
        needs : Needs
        cache_mb
            The limit of the score cache.
        limits : Limits, optional
            Of one run.
        runs
            How many there are: one for each seed, sample or value.
        **more
            Further output lines, by name.

        Returns
        -------
        int
            Exit code 0.
        """
        from ..data.merging import distinct_rows
        from ..files.atomic_write import write_whole
        from ..scores.needs import program_memory

        told: dict[str, object] = {"variables": data.n}
        if kind_of(data) == "data":
            told |= {"rows": data.n_rows, "distinct-rows": len(distinct_rows(data)[0])}
        parts: dict[str, Any] = {
            "tables": needs.tables,
            "scores": needs.scores(cache_mb),
            "program": program_memory(data),
        }
        told |= {key.replace("_", "-"): value for key, value in more.items()}
        told |= {f"{name}-gb": f"{size / GIGABYTE:.3f}" for name, size in parts.items()}
        told["memory-gb"] = f"{sum(parts.values()) / GIGABYTE:.3f}"
        if limits is not None and limits.seconds is not None:
            told["seconds"] = f"{limits.seconds * runs * self.networks:.15g}"
        write_whole(None, "".join(f"{key} {value}\n" for key, value in told.items()))
        return 0


_of_memory: dict[str, Any] = {"type": FiniteFloat(min=0, min_open=True), "metavar": "GB"}
memory_option = click.option(
    "--memory", **_of_memory, help="Limit for tables and cached scores; default is the free memory."
)


def bounded_memory(function: Callable) -> Callable:
    """`--memory` of a command that does not see it: it holds for all tables that are made while the command runs."""

    @functools.wraps(function)
    def command(*args: Any, memory: float | None, **values: Any) -> int | None:
        with memory_bound(None if memory is None else memory * GIGABYTE):
            return function(*args, **values)

    return click.option("--memory", **_of_memory, help="Limit for tables; default is the free memory.")(command)


_dry_run = click.option("--dry-run", is_flag=True, help="Print the time and memory that the run would need, and exit.")
resource_options = together("resources", ResourceOptions, threads_option, cache_option, memory_option, _dry_run)
uncached_resource_options = together("resources", ResourceOptions, threads_option, memory_option, _dry_run)
