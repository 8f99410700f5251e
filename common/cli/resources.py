"""Options about what a run takes: `--memory` holds it to a bound, `--dry-run` tells it and ends.

What is bounded are the tables and the scores that are kept; the program itself and its data come on top, and what SCIP
and HiGHS take for an integer program is not known beforehand.
"""

from dataclasses import dataclass, replace

import click

from cliquewise.common.cli.load import kind_of
from cliquewise.common.cli.options import FiniteFloat, together

GIGABYTE = 1e9


@dataclass(frozen=True)
class ResourceOptions:
    """What a run may take.

    Attributes
    ----------
    memory : float or None
        Gigabytes; None is what the machine has left.
    dry_run : bool
        Whether only to tell what it would take.
    """

    memory: float | None = None
    dry_run: bool = False

    @property
    def bytes(self):
        """The bound in bytes, or None."""
        return None if self.memory is None else self.memory * GIGABYTE

    def fitted(self, config, needs):
        """A tool's Config whose cache leaves room for its tables.

        Raises
        ------
        LimitError
            The tables do not fit.
        """
        return replace(config, cache_mb=needs.cache_within(config.cache_mb, self.bytes))

    def tell(self, data, needs, cache_mb=0, limits=None, **more):
        """Print what a run takes.

        Parameters
        ----------
        data : Dataset or another record of scores
        needs : Needs
        cache_mb : int
            The bound on the scores that are kept.
        limits : Limits, optional
        **more : object
            What else there is to say, by name.

        Returns
        -------
        int
            Exit code 0.
        """
        from cliquewise.common.data.merging import distinct_rows
        from cliquewise.common.files.atomic_write import write_whole
        from cliquewise.common.scores.needs import program_memory

        told = {"variables": data.n}
        if kind_of(data) == "data":
            told |= {"rows": data.n_rows, "distinct-rows": len(distinct_rows(data)[0])}
        parts = {"tables": needs.tables, "scores": needs.scores(cache_mb), "program": program_memory()}
        told |= {key.replace("_", "-"): value for key, value in more.items()}
        told |= {f"{name}-gb": f"{size / GIGABYTE:.3f}" for name, size in parts.items()}
        told["memory-gb"] = f"{sum(parts.values()) / GIGABYTE:.3f}"
        if limits is not None and limits.seconds is not None:
            told["seconds"] = f"{limits.seconds:g}"
        write_whole(None, "".join(f"{key} {value}\n" for key, value in told.items()))
        return 0


memory_option = click.option(
    "--memory",
    type=FiniteFloat(min=0, min_open=True),
    metavar="GB",
    help="Bound on tables and kept scores; default is what is free.",
)
resource_options = together(
    "resources",
    ResourceOptions,
    memory_option,
    click.option(
        "--dry-run",
        is_flag=True,
        help="Print what the run would take, and end.",
    ),
)
