"""Cutting planes against the dynamic program on data of few rows, within ten seconds of a core.

Few rows make many networks equally good, and solutions of the linear programs tied. The dynamic program shares only
the scores with the cutting planes. A case that is not proved in ten seconds counts as a disagreement; one that takes
longer is run again, since the first time may compile.
"""

import random
import time

from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor.config import Config
from cliquewise.junctor.learn import learn
from tests.learning import learned
from tests.random_inputs import random_dataset

NEAR = 1e-7
SECONDS = 10.0  # of processor time
PATIENCE = 200.0  # seconds of wall time, on a machine that others use


def is_optimum(found, known):
    """Whether a result is called optimal and scores as much as one that is."""
    return found.status == OPTIMAL and abs(found.score - known.score) <= NEAR * (1.0 + abs(known.score))


class Case:
    """One draw: `run` compares the two.

    Parameters
    ----------
    seed : int
    folder : Path
        Not used.
    """

    def __init__(self, seed, folder):
        rng = random.Random(seed)
        n, rows, arity = rng.randint(4, 14), rng.randint(2, 20), rng.choice([2, 2, 3, 4])
        self.bound, self.ess = rng.choice([3, 4, None]), 10.0 ** rng.uniform(-3.0, 2.0)
        self.data = random_dataset(seed, n, rows, arity)
        self.description = (
            f"seed {seed}: {n} variables, {rows} rows, cliques of at most {self.bound or n}, ess {self.ess:.6g}"
        )

    def run(self):
        """The disagreements: a list of str."""
        scoring = Scoring(ess=self.ess)
        best = learned(learn, self.data, Config(self.bound, method="dp"), scoring)
        for _ in range(2):
            begin = time.process_time()
            found = learned(learn, self.data, Config(self.bound, method="ilp"), scoring, seconds=PATIENCE)
            spent = time.process_time() - begin
            if spent <= SECONDS:
                break
        if spent <= SECONDS and is_optimum(found, best):
            return []
        ended = f"{found.status} in {spent:.1f} s with {found.score:.9f} and bound {found.upper_bound:.9f}"
        return [f"{self.description}: {ended}, the best is {best.score:.9f}"]
