"""The option shared by commands that sample networks from the posterior distribution."""

import click

from .options import FiniteFloat


class Probability(FiniteFloat):
    """A number strictly between 0 and 1."""

    name = "probability"

    def __init__(self):
        super().__init__(min=0, max=1, min_open=True, max_open=True)


edge_prior_option = click.option(
    "--edge-prior",
    type=Probability(),
    metavar="P",
    help="A network's prior probability is proportional to (P / (1 - P)) ^ edges.  [default: 0.5, uniform]",
)
