"""The parts of lsmarkov's default search, by final scores.

Searches are ended by the processor's clock. The limit itself is not known to the search, so networks are merged as in
long runs.
"""

import threading
import time

import numpy as np

from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, merging, proposals, rebuilding, restarting, scheduler, search
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.bench.ablation import Ablated, constants, nothing
from tests.bench.running import SHARED
from tests.reading import read_csv

CASES = {
    "soybean 5": 5, "steel 5": 5, "lung-cancer 5": 5, "kddcup 5": 5, "sponge 4": 4, "bands 5": 5,
    "autos": None, "wdbc": None, "spectf": None, "msweb": None,
}  # fmt: skip


def without_phases(method):
    """One method less."""

    def change():
        method.phase = lambda self: None

    return change


def round_robin():
    """The methods take turns, whatever they gain."""
    scheduler.PhaseScheduler.next_method = lambda self: self.waited.index(max(self.waited))


def no_merging():
    """As runs of less than 20 seconds."""
    search.is_worth_loading = lambda ensemble: False


def no_alignment():
    """Networks are merged as they are."""
    merging.aligned = lambda adjacency, other, score: adjacency


def no_partners():
    """The other end of an edge is any vertex instead of a partner."""
    rules = annealing.walk_rules
    annealing.walk_rules = lambda *args, **kept: rules(*args, **kept)._replace(
        anywhere=0.45, shares_of_ends=np.array((0.0, 0.0, 0.36))
    )


VARIANTS = {
    "default": nothing,
    "default, repeated": nothing,
    "round robin": round_robin,
    "no merging": no_merging,
    "no alignment": no_alignment,
    "no restarting": without_phases(restarting.Restarting),
    "no rebuilding": without_phases(rebuilding.Rebuilding),
    "no annealing": without_phases(annealing.Annealing),
    "annealing of the whole network": constants(annealing, MIN_REGION_SHARE=1.0 - 1e-9),
    "annealing: one cut": constants(annealing, CUTS=1),
    "no NEIGHBOURS, REPLACE": constants(proposals, SHARES=(0.8, 0.2, 0.0, 0.0)),
    "no JOIN, LEAVE": constants(proposals, SHARES=(0.8, 0.0, 0.1, 0.1)),
    "no REPLACE": constants(proposals, SHARES=(0.75, 0.15, 0.1, 0.0)),
    "no swaps": constants(proposals, SWAP_SHARES=(0.0, 0.0, 0.0)),
    "no partners": no_partners,
    "published search": constants(Config, as_published=True),
}


def limited(monitor, seconds):
    """End a run after this many seconds of processor time, with kernels compiled."""
    while monitor.clock.seconds == 0.0 and monitor.should_continue():
        time.sleep(0.005)
    began = time.process_time()
    while time.process_time() - began < seconds and monitor.should_continue():
        time.sleep(0.02)
    monitor.interrupt()


def run(case, seconds, seed):
    """The score of the best network."""
    data = read_csv(SHARED / "lsmarkov" / f"{case.split()[0]}.csv")
    with Monitor(threads=1) as monitor:
        threading.Thread(target=limited, args=(monitor, seconds)).start()
        return learn(data, Scoring(ess=10.0), Config(max_clique=CASES[case], seed=seed), monitor).score


ABLATED = Ablated("lsmarkov: score", CASES, VARIANTS, run)
