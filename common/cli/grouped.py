"""A command whose help lists its options in groups, and that stores its command-line arguments."""

from typing import Any

import click

# The help lists options in these groups, by parameter name; all others are the command's own options.
GROUPS = {
    "Input": (
        *("header", "separator", "missing", "counts", "resample", "data", "init", "start", "template", "given"),
        *("allowed_edges", "required_edges", "forbidden_edges", "states_of", "weights_from", "stored"),
    ),
    "Score": (
        "score_type",
        "ess",
        "choose",
        "gamma",
        "edge_prior",
        "edge_priors",
        "ml",
        "kind",
        "prior",
        "penalty",
        "thresholds",
        "weights",
    ),
    "Search": None,
    "Limits": (
        *("time_limit", "iterations", "target", "threads", "cache_mb", "memory", "dry_run"),
        *("pbo_time_limit", "ilp_time_limit"),
    ),
    "Long runs": ("checkpoint", "checkpoint_every", "resume", "shard", "seeds", "resamples"),
    "Output": (
        *(
            "fmt",
            "use_names",
            "path",
            "provenance",
            "samples",
            "trajectory",
            "trace",
            "updates",
            "edges",
            "cuts",
            "per_row",
        ),
        *("blankets_only", "certificate", "solution", "tree", "matrix", "dot", "everything", "layout", "order"),
        *("pair", "precision"),
    ),
    "Messages": ("quiet", "verbose", "version"),
}


_WORDS = "cliquewise.words"


class GroupedCommand(click.Command):
    """A command whose help lists its options in `GROUPS`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list:
        """Store the arguments of the command line, and parse them."""
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, args)

    @staticmethod
    def words(ctx: click.Context) -> Any:
        """The arguments of the command line after the command's name: tuple of str."""
        return ctx.meta[_WORDS]

    def format_options(self, ctx: click.Context, formatter: Any) -> None:
        """Write the options, group by group.

        Parameters
        ----------
        formatter : click.HelpFormatter
        """
        group_of = {name: title for title, names in GROUPS.items() for name in names or ()}
        rows: dict = {title: [] for title in GROUPS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = "Messages" if "--help" in param.opts else group_of.get(param.name, "Search")
                rows[title].append(record)
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)
