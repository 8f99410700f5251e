"""The parts of the chains of mnposterior, by effective samples of the worst edge in a second."""

from cliquewise.common.run.monitor import Limits, Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.mnposterior import chains, flips, proposals
from cliquewise.mnposterior.config import PosteriorConfig
from tests.bench.ablation import Ablated, by_processor, constants, nothing, run_after_run
from tests.bench.running import SHARED
from tests.reading import read_csv

CASES = {"alarm 4": 4, "Flag": None, "autos": None}


def run(case, seconds, seed):
    """Of all draws after the adaptation; none where it is unknown."""
    by_processor()
    data = read_csv(SHARED / "coarsen" / f"{case.split()[0]}.csv")
    config = PosteriorConfig(max_clique=CASES[case], seed=seed)
    with Monitor(Limits(seconds=seconds), threads=1) as monitor:
        found = chains.sample_by_chains(data, Scoring(ess=1.0), config, monitor)
    samples = found.details["effective-samples-edges"]
    return 0.0 if samples == "unknown" else float(samples) / seconds


ABLATED = Ablated(
    "mnposterior: effective samples a second",
    CASES,
    {
        "default": nothing,
        "default, repeated": nothing,
        "no FLIP": constants(proposals, FLIP_SHARE=0.0),
        "sets are not climbed": constants(flips, GOOD_ACCEPTANCE=0.0),
        "climbed at temperature 1, from one start": constants(flips, CLIMB_TEMPERATURES=(1.0,), START_SHIFTS=(0.5,)),
        "uniform pairs and partners": constants(proposals, ADAPTED_SHARE=0.0),
    },
    run_after_run(run),
)
