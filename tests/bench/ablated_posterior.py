"""The parts of the chains of mnposterior, by effective samples in a second.

They are the independent draws of networks that would have as large a mean squared error, summed over the probabilities
of all edges: edges that mix slowly count most.
"""

import numpy as np

from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.mnposterior import chains, flips, ladders, proposals, temperatures
from cliquewise.mnposterior.config import PosteriorConfig
from tests.bench.ablation import Ablated, by_processor, constants, nothing, run_after_run
from tests.bench.running import SHARED
from tests.reading import read_csv

CASES = {"alarm 4": 4, "Flag": None, "autos": None, "lung-cancer 3": 3}


def no_known_sets():
    """Sets of an earlier adaptation are forgotten."""
    proposals.Proposals._kept_flips = lambda self, flips: []


def no_differences():
    """Sets are learned for the slowest edges alone, not from the differences of two ladders."""
    flips._between_ladders = lambda *_: []


def uniform(name):
    """The probabilities of pairs, or of partners, remain as they are at first."""
    adapt = proposals.Proposals.adapt

    def adapt_the_other(self, chains):
        first = getattr(self, name)
        adapt(self, chains)
        setattr(self, name, first)

    def change():
        proposals.Proposals.adapt = adapt_the_other

    return change


def first_temperatures():
    """Temperatures remain as they are at first."""
    ladders.Ladders._space_temperatures = lambda self, rate: None


def adapted_once():
    """One adaptation, where draws begin to count."""
    init = chains.ChainSampling.__init__

    def begin(self, *args):
        init(self, *args)
        self.next_time = 0

    chains.ChainSampling.__init__ = begin


def run(case, seconds, seed):
    """Of all draws after the adaptation; none where too few are kept."""
    by_processor()
    folder = "coarsen" if (SHARED / "coarsen" / f"{case.split()[0]}.csv").exists() else "lsmarkov"
    data = read_csv(SHARED / folder / f"{case.split()[0]}.csv")
    config = PosteriorConfig(max_clique=CASES[case], seed=seed)
    with Monitor(Limits(time_limit=seconds), threads=1) as monitor:
        found = chains.sample_by_chains(data, Scoring(ess=1.0), config, monitor)
    if found.details["effective-samples-edges"] == "unknown":
        return 0.0
    shares, errors = np.array(found.graph.probabilities), np.array(found.graph.errors)
    return float((shares * (1.0 - shares)).sum() / (errors**2).sum() / seconds)


ABLATED = Ablated(
    "mnposterior: effective samples a second",
    CASES,
    {
        "default": nothing,
        "default, repeated": nothing,
        "no FLIP": constants(proposals, FLIP_SHARE=0.0),
        "sets are not climbed": constants(flips, GOOD_ACCEPTANCE=0.0),
        "no known sets": no_known_sets,
        "no differences of ladders": no_differences,
        "uniform pairs": uniform("pair_shares"),
        "uniform partners": uniform("partners"),
        "no REPLACE": constants(proposals, REPLACE_SHARE=0.0),
        "no REATTACH": constants(proposals, REATTACH_SHARE=0.0),
        "TOGGLE and FLIP alone": constants(proposals, REATTACH_SHARE=0.0, REPLACE_SHARE=0.0),
        "equally many moves at all temperatures": constants(ladders, COLD_CHAIN_FACTOR=1),
        "first temperatures": first_temperatures,
        "as hot after adaptation": constants(ladders, SAMPLING_REJECTION_RATE=temperatures.MAX_REJECTION_RATE),
        "adapted once": adapted_once,
        "no BRANCH": constants(proposals, BRANCH_SHARE=0.0),  # lung-cancer
        "no GIBBS": constants(ladders, GIBBS_PER_MOVE=0.0),  # lung-cancer,
    },
    run_after_run(run),
    lambda: run("Flag", 1.0, 1),
)
