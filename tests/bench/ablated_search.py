"""The parts of lsmarkov's default search, by final scores.

Searches are ended by the processor's clock, or at the best known score. The limit itself is not known to the search, so
networks are merged as in long runs.
"""

import math
import threading
import time

import numpy as np

from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, merging, proposals, rebuilding, restarting, search
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.bench.ablation import Ablated, constants, nothing
from tests.bench.running import SHARED
from tests.reading import read_csv

CASES = {  # largest clique, and best known score
    "soybean 5": (5, -3006.784),
    "steel 5": (5, -18680.801),
    "lung-cancer 5": (5, -1216.909),
    "kddcup 5": (5, -72764.225),
    "sponge 4": (4, -1783.977),
    "bands 5": (5, -5087.497),
    "autos": (None, None),
    "wdbc": (None, None),
    "spectf": (None, None),
    "msweb": (None, None),
}


def without_phases(method):
    """One method less."""

    def change():
        method.phase = lambda self: None

    return change


def neither_merging_nor_restarting():
    """As runs of less than 20 seconds."""
    search.may_restart = lambda ensemble: False


def merging_of(kind):
    """All mergings are of one kind."""
    return constants(merging.Merging, kind=property(lambda self: kind))


def fixed_number_of_sets():
    """A merging has as many sets as the first one may have."""
    merging.Merging._adapt = lambda self, sets, effort: None


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
    "no merging, no restarting": neither_merging_nor_restarting,
    "no merging": without_phases(merging.Merging),
    "no alignment": no_alignment,
    "merging of edges": merging_of(merging.OF_EDGES),
    "merging of sets complete in one": merging_of(merging.OF_SETS),
    "no backbone": constants(merging, BACKBONE_FROM=10**9),
    "merging: fixed number of sets": fixed_number_of_sets,
    "merging whenever its turn comes": constants(merging, WORK_SHARE=1e9),
    "no restarting": without_phases(restarting.Restarting),
    "restarts of one chain": constants(restarting, CHAINS=1),
    "restarts whenever their turn comes": constants(restarting, PATIENCE=(0.0, 0.0)),
    "no rebuilding": without_phases(rebuilding.Rebuilding),
    "no annealing": without_phases(annealing.Annealing),
    "annealing of the whole network": constants(annealing, MIN_REGION_SHARE=1.0 - 1e-9),
    "annealing: one cut": constants(annealing, CUTS=1),
    "annealing: one hot end": constants(annealing, HOT_RATES=(0.067, 0.067)),
    "annealing: equally long": constants(annealing, COOLING_MOVES=(3000, 3000)),
    "no joint moves": constants(proposals, JOINT_SHARE=0.0),
    "no NEIGHBOURS, REPLACE": constants(proposals, SHARES=(0.8, 0.2, 0.0, 0.0)),
    "no JOIN, LEAVE": constants(proposals, SHARES=(0.8, 0.0, 0.1, 0.1)),
    "no REPLACE": constants(proposals, SHARES=(0.75, 0.15, 0.1, 0.0)),
    "no swaps": constants(proposals, SWAP_SHARES=(0.0, 0.0, 0.0)),
    "no branches": constants(proposals, BRANCH_SHARE=0.0),
    "no partners": no_partners,
    "published search": constants(Config, as_published=True),
}


class TracedMonitor(Monitor):
    """A monitor that keeps the best scores, with the seconds of processor time after which they were found.

    Attributes
    ----------
    found : list of (float, float)
    """

    began, found = math.inf, ()

    def advance(self, iterations, score=None):
        """See `Monitor`."""
        super().advance(iterations, score)
        if score is not None and (not self.found or score > self.found[-1][1]):
            self.found = [*self.found, (time.process_time() - self.began, score)]

    def end_after(self, seconds):
        """End the run after so many seconds with kernels loaded."""
        while not self.clock.has_started and self.should_continue():
            time.sleep(0.005)
        self.began = time.process_time()
        while time.process_time() - self.began < seconds and self.should_continue():
            time.sleep(0.02)
        self.interrupt()


def run(case, seconds, seed):
    """The scores of the best networks after so many seconds each, of one run, which also ends at the best known one."""
    max_clique, target = CASES[case]
    data = read_csv(SHARED / "lsmarkov" / f"{case.split()[0]}.csv")
    with TracedMonitor(Limits(target_score=target), threads=1) as monitor:
        clock = threading.Thread(target=monitor.end_after, args=(max(seconds),))
        clock.start()
        learn(data, Scoring(ess=10.0), Config(max_clique=max_clique, seed=seed), monitor)
        monitor.interrupt()
        clock.join()
    return [max((score for when, score in monitor.found if when <= after), default=-math.inf) for after in seconds]


def load():
    """Load the kernels of all methods, those of the integer programs too."""
    run("soybean 5", [0.5], 1)
    run("msweb", [0.5], 1)
    merging.compile_merging()
    merging.compile_wide_merging()


ABLATED = Ablated("lsmarkov: score", CASES, VARIANTS, run, load)
