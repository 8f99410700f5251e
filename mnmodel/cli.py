"""Command line of mnmodel: its subcommands, each of which is imported when it is used."""

from __future__ import annotations

import click

from ..common.cli import command
from ..common.cli.grouped import CommandGroup
from ..common.cli.options import version_option

SUBCOMMANDS = {
    "query_cli": (
        *("query", "marginals", "mpe", "partition", "entropy", "information", "kl", "predict", "impute", "states"),
        *("d-separated", "blanket"),
    ),
    "fit_cli": ("fit", "loglik", "mixture"),
    "cv_cli": ("cv",),
    "page_cli": ("page",),
    "sample_cli": ("sample",),
    "table_cli": ("describe", "discretize", "cluster"),
}


@click.group(
    cls=CommandGroup,
    package=__package__,
    subcommands=SUBCOMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@version_option
def mnmodel() -> None:
    """Fit networks to data, evaluate and query them, draw samples; learn mixtures of networks.

    A GRAPH is a clique list, edge list, arc list, dot, GraphML or JSON file, an adjacency matrix, edge table or model
    string, or a MODEL; a MODEL is a Bayesian network in BIF, XMLBIF, .xdsl (GeNIe), .net (Hugin), .dne (Netica), UAI or
    JSON. The format is detected from the content. A - is standard input.
    """


def main() -> None:
    """Console script."""
    command.main(mnmodel, "mnmodel")
