"""The options of a score of sets, each defined once; as one record they are `scoring`, a `ScoreOptions`."""

from __future__ import annotations

from collections.abc import Callable

import click

from ..files.header_words import BLANKET_SCORES, SCORE_TYPES
from ..learning.options import ScoreOptions
from ..networks.edges_in_memory import PRIORS
from .lists import FiniteFloat, Sizes
from .option import OF_DATA, SCORE, option
from .option_group import all_of, option_group
from .paths import InputPath


def score_option(default: str | None = "bdeu") -> Callable:
    """`--score`; default None if a graph's header decides."""
    return option(
        "--score",
        "score_type",
        first=True,
        group=SCORE,
        conditions=OF_DATA,
        type=click.Choice(SCORE_TYPES if default else SCORE_TYPES + BLANKET_SCORES),
        default=default,
        show_default=default is not None,
        help="BDeu, BIC, log-likelihood, AIC, extended BIC or qNML"
        + ("." if default else ", or a score of mplearn.  [default: as in GRAPH, else bdeu]"),
    )


def ess_option(default: float | None = 1.0, of: str = "BDeu", several: bool = False) -> Callable:
    """`--ess` of a score; default None if a graph's header decides; `several` for a learner that can choose."""
    kind = Sizes if several else FiniteFloat
    return option(
        "--ess",
        first=True,
        group=SCORE,
        conditions={**OF_DATA, "score_type": ("bdeu", "mpl")},
        type=kind(min=0, min_open=True, max=1e6),  # above, lnG(N + a) - lnG(a) loses too many digits
        default=default,
        show_default=default is not None,
        metavar="A,..." if several else "A",
        help=f"Equivalent sample size of {of}" + ("." if default else ".  [default: as in GRAPH, else 1]"),
    )


class Probability(FiniteFloat):
    """A number between 0 and 1, both excluded."""

    name = "probability"

    def __init__(self) -> None:
        super().__init__(min=0, max=1, min_open=True, max_open=True)


def gamma_option(default: float | None = 0.5) -> Callable:
    """`--gamma` of ebic; default None if a graph's header decides."""
    return option(
        "--gamma",
        group=SCORE,
        first=False,
        conditions={**OF_DATA, "score_type": ("ebic",)},
        type=FiniteFloat(min=0, max=1e6),
        default=default,
        show_default=default is not None,
        metavar="G",
        help="Penalty of extended BIC: 2 G ln(variables) for each edge"
        + ("." if default else ".  [default: as in GRAPH]"),
    )


def edge_prior_options(default: float | None) -> Callable:
    """`--edge-prior` and `--edge-priors`; default None if a graph's header decides."""
    return all_of(
        option(
            "--edge-prior",
            group=SCORE,
            first=False,
            conditions={"score_type": SCORE_TYPES},
            type=Probability(),
            default=default,
            show_default=default is not None,
            metavar="P",
            help="Prior probability of each edge; 0.5 leaves scores as they are"
            + ("." if default else ".  [default: as in GRAPH]"),
        ),
        option(
            "--edge-priors",
            group=SCORE,
            first=False,
            conditions={"score_type": SCORE_TYPES},
            type=InputPath(holds=PRIORS),
            metavar="FILE",
            help="Prior probabilities of some edges, rows u,v,probability: 0 forbids, 1 requires"
            + ("." if default else "; the file that GRAPH was learned with."),
        ),
    )


def scores_of_sets(default: bool = True, several: bool = False) -> Callable:
    """The options of a score of sets; without defaults if a graph's header decides; perhaps with several `--ess`."""
    return option_group(
        "scoring",
        ScoreOptions,
        score_option("bdeu" if default else None),
        ess_option(1.0 if default else None, several=several),
        gamma_option(0.5 if default else None),
        edge_prior_options(0.5 if default else None),
    )


score_options, optional_score_options = scores_of_sets(), scores_of_sets(False)
learner_score_options = scores_of_sets(several=True)
