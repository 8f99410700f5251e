"""The searches beside junctor's cutting planes, by the seconds until the optimum is proved, or the gap at the limit."""

from cliquewise.common.exact import concurrent_search
from cliquewise.common.exact.concurrent_search import ConcurrentSearch
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import ilp
from cliquewise.junctor.config import Config
from tests.bench.ablation import Ablated, by_processor, constants, nothing, run_after_run
from tests.bench.running import SHARED
from tests.reading import read_csv

CASES = {"soybean 3": 3, "autos 4": 4, "bands 4": 4, "soybean 4": 4}
UNPROVED = {"lung-cancer 4": 4}  # in a minute


def none_beside():
    """The first search alone."""
    ConcurrentSearch.after_round = lambda self, effort: None


def no_waiting():
    """A search that found nothing goes on as early as another."""
    ConcurrentSearch.back_off = lambda self: None


def short_searches():
    """Those beside the solver have a part of their steps: there are as many in a short proof as in a long one."""
    init = ConcurrentSearch.__init__

    def begin(self, search, monitor, steps, *more, **named):
        init(self, search, monitor, steps // 25, *more, **named)

    ConcurrentSearch.__init__ = begin


def short_without_waiting():
    """Both."""
    short_searches()
    no_waiting()


def run(case, seconds, seed):
    """Less than zero."""
    by_processor()
    data = read_csv(SHARED / "lsmarkov" / f"{case.split()[0]}.csv")
    with Monitor(Limits(time_limit=seconds), threads=1) as monitor:
        config = Config(method="ilp", max_clique=(CASES | UNPROVED)[case], seed=seed)
        found = ilp.learn_by_cutting(data, Scoring(ess=10.0), config, monitor)
        return found.score - found.upper_bound if case in UNPROVED else -monitor.clock.seconds


ABLATED = Ablated(
    "junctor: seconds until the optimum is proved, or the gap, below zero",
    CASES | UNPROVED,
    {
        "default": nothing,
        "default, repeated": nothing,
        "no search beside": none_beside,
        "equal lengths": constants(concurrent_search, STEPS_GROWTH=1),
        "no waiting": no_waiting,
        "short searches": short_searches,
        "short searches, no waiting": short_without_waiting,
        "FIRST_STEPS 12500": constants(ilp, FIRST_STEPS=12_500),
        "FIRST_STEPS 50000": constants(ilp, FIRST_STEPS=50_000),
    },
    run_after_run(run),
    lambda: run("autos 4", 60.0, 1),
)
