"""The contribution of each part of lsmarkov's default search: the same searches with one part changed.

A variant is a change to `lsmarkov.exchange` before the search begins, made in a process of its own. Searches run on
one thread and are ended by the processor's clock, so that what else the machine does matters little.
"""

import json
import os
import statistics
import sys
import threading
import time

from cliquewise.common.chains import replica_exchange
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, exchange, replicas
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.reading import read_csv

SETS = (
    "autos", "bands", "soybean", "sponge", "lung-cancer", "steel",
    "wdbc", "spectf", "kddcup", "msweb", "connect-4", "barley5000",
)  # fmt: skip


def constants(module=exchange, **values):
    """A change of constants of a module."""

    def change():
        for name, value in values.items():
            setattr(module, name, value)

    return change


def no_rebuilding():
    """Annealing and exchange alone."""
    exchange.Rebuilding.phase = lambda self: None


def no_exchange():
    """Rebuilding and annealing alone."""
    exchange.Exchange.phase = lambda self: None


def no_annealing():
    """Rebuilding and exchange alone."""
    annealing.Annealing.phase = lambda self: None


def no_merging():
    """As runs of less than 20 seconds."""
    exchange.is_worth_loading = lambda ensemble: False


def fixed_ladder(hottest):
    """Fixed temperatures."""

    def change():
        replica_exchange.heated_range = lambda measure, empty: (0.3, hottest)
        replicas.HOT_ENDS = (1.0,)

    return change


def no_partners():
    """The other end of an edge is any vertex instead of a partner."""
    rules = exchange.walk_rules
    exchange.walk_rules = lambda *args, **kept: rules(*args, **kept)._replace(
        anywhere=0.45, shares_of_ends=exchange.np.array((0.0, 0.0, 0.36))
    )


def growing_phases():
    """Phases of exchange begin with two rounds and double in length."""
    phase, full = exchange.Exchange.phase, replicas.ROUNDS

    def grown(self):
        self.length = min(2 * getattr(self, "length", 1), full)
        replicas.ROUNDS = self.length
        phase(self)

    exchange.Exchange.phase = grown


VARIANTS = {
    "as it is": lambda: None,
    "no rebuilding": no_rebuilding,
    "no exchange": no_exchange,
    "no annealing": no_annealing,
    "no merging": no_merging,
    "annealing of the whole network": constants(annealing, LEAST=1.0 - 1e-9),
    "no RESEAT, REPLACE": constants(SHARES=(0.8, 0.2, 0.0, 0.0)),
    "no JOIN, LEAVE": constants(SHARES=(0.8, 0.0, 0.1, 0.1)),
    "no REPLACE": constants(SHARES=(0.75, 0.15, 0.1, 0.0)),
    "no swaps": constants(SWAPS=(0.0, 0.0, 0.0)),
    "no TRANSPOSE, BRANCH": constants(PLACES=(0.0, 0.0)),
    "no partners": no_partners,
    "growing phases": growing_phases,
    "ladder from 0.3 to 4": fixed_ladder(4.0),
    "ladder from 0.3 to 6": fixed_ladder(6.0),
    "hot end never lowered": constants(replicas, HOT_ENDS=(1.0,)),
    "published search": lambda: None,
}


def limited(monitor, seconds):
    """End a run after this many seconds of processor time, with kernels compiled."""
    while monitor.seconds == 0.0 and monitor.may_go_on():
        time.sleep(0.005)
    began = time.process_time()
    while time.process_time() - began < seconds and monitor.may_go_on():
        time.sleep(0.02)
    monitor.interrupt()


def scores(folder, names, variant, seconds, seeds):
    """Final scores of one variant: {name: [one score per seed]}, from a separate process."""
    source, sink = os.pipe()
    if os.fork() == 0:
        VARIANTS[variant]()
        preset = "ecai2020" if variant == "published search" else "default"
        found = {name: [] for name in names}
        for name in names:
            data = read_csv(folder / f"{name}.csv")
            for seed in seeds:
                with Monitor(threads=1) as monitor:
                    threading.Thread(target=limited, args=(monitor, seconds)).start()
                    found[name].append(learn(data, Scoring(ess=10.0), Config(preset, seed=seed), monitor).score)
        with os.fdopen(sink, "w") as out:
            json.dump(found, out)
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as result:
        text = result.read()
    os.wait()
    return json.loads(text) if text else sys.exit(f"ablation: {variant} failed")


def medians(folder, names, seconds, seeds):
    """The median score of each variant, one after the other: (variant, {name: float})."""
    for variant in VARIANTS:
        found = scores(folder, names, variant, seconds, range(1, seeds + 1))
        yield variant, {name: statistics.median(values) for name, values in found.items()}
