"""A learned network in words: how many links, which are the strongest, and how sure that is."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common.chains.diagnostics import MAX_R_HAT
from ..common.counted import counted
from ..common.data.suspected import kind_of_suspected
from ..common.errors import abridged
from ..common.run.result import OPTIMAL

if TYPE_CHECKING:
    from ..common.networks.network import Network
    from .report import Link, Prediction

NAMED_LINKS = 3  # links that a sentence names
FEW_ROWS = 10  # rows
LIKELY_FROM, SURE_ABOVE = 0.5, 0.95  # probabilities of links
TREATMENTS = {  # of missing cells
    "em": "Missing cells were completed by structural EM.",
    "state": "Missing cells were treated as a state of their own.",
    "drop": "Rows with missing cells were left out.",
}


def links_sentence(links: Sequence[Link], network: Network, rows: int) -> str:
    """The number of links and the strongest ones, in one sentence."""
    best, variables = _best(network), counted(network.graph.n, "variable")
    edges = sum(link.gain is not None for link in links)
    if not edges:
        return f"No two of {variables} are linked in {best}, from {counted(rows, 'row')}."
    named = [f"{link.ends[0]} and {link.ends[1]}" for link in links if link.gain is not None][:NAMED_LINKS]
    strongest = "; ".join(named)
    found = f"has {counted(edges, 'link')} among {variables}, from {counted(rows, 'row')}"
    return f"{best[0].upper()}{best[1:]} {found}; strongest: {strongest}."


def _best(network: Network) -> str:
    """What the network is the best of: all that were found, or all that its proof is about."""
    return f"the best network{_within(network)}" if network.status == OPTIMAL else "the best network found"


def _within(network: Network) -> str:
    """The bound on its cliques."""
    largest = network.header.get("max-clique")
    return "" if largest is None else f" whose cliques have at most {counted(int(largest), 'variable')}"


def doubt_sentence(links: Sequence[Link]) -> str | None:
    """How many links are not certain; None without links."""
    if not links:
        return None
    kept = [link.probability for link in links if link.gain is not None]
    sure = sum(probability > SURE_ABOVE for probability in kept)
    weak = sum(probability < LIKELY_FROM for probability in kept)
    others = sum(link.gain is None and link.probability > LIKELY_FROM for link in links)
    if not kept:
        return f"But {'one link is' if others == 1 else f'{others} links are'} more probable than not."
    if len(kept) == 1:
        text = f"The probability of its link is {_level(sure, weak)}"
    else:
        text = f"Of its {len(kept)} links, {sure} with a probability above {SURE_ABOVE}"
        text += f", {weak} with one below {LIKELY_FROM}"
    more = f"{others} other links are" if others > 1 else "one other link is"
    return text + (f"; {more} more probable than not." if others else ".")


def outweighed_sentence(links: Sequence[Link]) -> str | None:
    """The links whose prior probability is 1 and whose probability is not; None without any."""
    found = [link for link in links if link.is_required and round(link.probability, 2) < 1.0]
    if not found:
        return None
    named = abridged([f"{link.ends[0]} and {link.ends[1]} ({link.probability:.2f})" for link in found], NAMED_LINKS)
    return (
        f"Linked only because their prior probability is 1: {named}. The data speak against it: in the probabilities, "
        "1 counts as 1 - 1e-16."
    )


def _level(sure: int, weak: int) -> str:
    """The range of the probability of the only link."""
    if sure:
        return f"above {SURE_ABOVE}"
    return f"below {LIKELY_FROM}" if weak else f"between {LIKELY_FROM} and {SURE_ABOVE}"


def few_rows_sentence(rows: int) -> str:
    """What a table of few rows may be instead of one of observations."""
    return (
        f"From {counted(rows, 'row')} hardly anything follows. Each row should be an observation, as a person, or have "
        "the number of its observations in a column, for --counts; shares and means of groups are no observations."
    )


def tally_sentence(option: str, name: str) -> str:
    """Advice on a column that seems to have counts or weights of the rows, and was taken as a variable."""
    again = shlex.join([f"--{option}={name}"])
    return f"{name} seems to give {kind_of_suspected(option)}; if it does, learn again with {again}."


def proof_sentence(network: Network) -> str:
    """The proof or the gap of the best network, in one sentence."""
    within = _within(network)
    if network.status == OPTIMAL:
        return f"No chordal network{within} has a higher score: this is proved."
    if math.isfinite(network.upper_bound):
        gap = max(0.0, network.upper_bound - network.score())
        share = 100.0 * gap / abs(network.score()) if network.score() else 0.0
        margin = f"{gap:.2f} above it ({share:.2g} % of its score)"
        return f"No chordal network{within} scores more than {margin}: this is proved."
    return "It is the best network that the search found; nothing is proved about it."


def methods_paragraph(network: Network, probabilities: Network, rows: int, cut: int) -> str:
    """How a network was learned, for the methods section of a paper.

    Parameters
    ----------
    network, probabilities
        The best network, and the links with their probabilities.
    rows
        Their number.
    cut
        The number of columns that were cut into classes.
    """
    header, sampled = network.header, probabilities.header
    size = f"{counted(network.graph.n, 'variable')} was learned from {counted(rows, 'row')}"
    prior = f"prior over chordal networks{_within(probabilities)}"
    prior = f"a {prior} from probabilities of edges" if "edge-priors" in header else f"a uniform {prior}"
    found = [
        f"A chordal Markov network of {size} by {header['program']} of cliquewise {header['version']}, with the BDeu "
        f"score of equivalent sample size {header['ess']}, {prior}, and seed {sampled['seed']}.",
        f"Its score, a natural logarithm, is {network.score():.3f}.",
        proof_sentence(network),
    ]
    if cut:
        found.append(f"The numbers of {counted(cut, 'column')} were cut into classes at quantiles.")
    if "weights" in header:
        found.append(f"Rows were weighted by {header['weights']}.")
    if header.get("missing") in TREATMENTS:
        found.append(TREATMENTS[header["missing"]])
    how = f"from {int(sampled['draws']):,} exact draws" if "draws" in sampled else "by replica exchange Monte Carlo"
    agreement = ""
    if "r-hat-edges" in sampled:
        agreement = f"; R-hat of {sampled['ladders']} ladders of chains: {sampled['r-hat-edges']}"
    found += [
        f"Posterior probabilities of links were estimated {how} (mnposterior) with the same prior{agreement}.",
        "The probabilities of the model are posterior means under the prior of BDeu (mnmodel fit).",
    ]
    return " ".join(found)


def convergence_sentence(details: dict[str, str]) -> str:
    """The diagnostics of a posterior in words, from the header of its edge list."""
    if "r-hat-edges" not in details:
        return "The probabilities are from independent exact draws, so they are accurate up to their standard errors."
    shown = details["r-hat-edges"]
    if shown == "unknown":
        return (
            "The chains were too short to show whether they agree on the probabilities, unless all their networks have "
            "the same links: give more time."
        )
    if float(shown) <= MAX_R_HAT:
        effective = details.get("effective-samples-edges", "unknown")
        return (
            f"Independent chains agree on the probabilities: R-hat is {shown}, below {MAX_R_HAT}; "
            f"effective samples of the worst link: {effective}."
        )
    if math.isinf(float(shown)):
        return (
            "Independent chains do not agree yet: some links are in all networks of one chain and in none of another. "
            "More time would help; strong links are usually right long before."
        )
    return (
        f"Independent chains do not agree yet on all probabilities: R-hat is {shown}, above {MAX_R_HAT}. "
        "More time would help; strong links are usually right long before."
    )


def prediction_sentence(predictions: Sequence[Prediction]) -> str | None:
    """The gain of the network over independent variables, per row, in one sentence."""
    if len(predictions) < 2:
        return None
    first, last = predictions[0], predictions[-1]
    gain = last.mean - first.mean
    if gain <= 0:
        return "On held-out rows it predicts no better than independent variables, so use it with care."
    factor = math.exp(min(gain, 700))
    shown = f"{factor:.1f}" if factor < 100 else f"{float(f'{factor:.2g}'):,.0f}"
    return f"A held-out row is {shown} times as probable as with independent variables."
