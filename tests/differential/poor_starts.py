"""Integer programs that begin at a poor network, against the dynamic programs.

On small problems the local searches usually find an optimum, and the programs have only to prove it. Here the searches
make few moves, and twlearn does not ask for the best network of any treewidth first. Few rows give many families the
same score.
"""

import math
import random
from unittest.mock import patch

from cliquewise.common.exact import concurrent_search
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import ilp
from cliquewise.junctor.config import Config as Exact
from cliquewise.junctor.learn import learn as junctor
from cliquewise.twlearn import milp
from cliquewise.twlearn.config import Config as Bounded
from cliquewise.twlearn.learn import learn as twlearn
from tests.differential.tied import is_optimum
from tests.learning import learned
from tests.random_inputs import random_dataset

SECONDS = 120.0  # the programs need a fraction of a second
VARIABLES = {"junctor ilp": (5, 14), "twlearn milp": (5, 9), "twlearn milp, families alone": (5, 9)}


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
        self.name = rng.choice(list(VARIABLES))
        n, rows, arity = rng.randint(*VARIABLES[self.name]), rng.choice([3, 10, 40, 150, 500]), rng.randint(2, 4)
        self.data, self.scoring = random_dataset(seed, n, rows, arity), Scoring(ess=rng.choice([0.1, 1.0, 10.0]))
        self.bound, self.width, self.threads = rng.choice([None, 2, 3, 4, 5]), rng.randint(1, 4), rng.randint(1, 2)
        self.moves, self.later = rng.choice([1, 100]), rng.choice([1000, 20_000])
        self.pace, self.seconds = rng.choice([10, concurrent_search.PACE]), rng.choice([0.0, milp.FIRST_SECONDS])
        self.description = f"seed {seed}: {n} variables, {rows} rows, {self.moves} moves, ess {self.scoring.ess}"

    def run(self):
        """The disagreements: a list of str."""
        with patch.object(concurrent_search, "PACE", self.pace):
            known, found = self._chordal() if self.name == "junctor ilp" else self._bounded()
        if is_optimum(found, known):
            return []
        ended = f"{found.status} with {found.score:.9f} and bound {found.upper_bound:.9f}"
        return [f"{self.description}: {self.name} ends {ended}, the best is {known.score:.9f}"]

    def _chordal(self):
        known = learned(junctor, self.data, Exact(self.bound, method="dp"), self.scoring)
        with patch.multiple(ilp, FIRST_STEPS=self.moves, STEPS_PER_SET=0):
            return known, self._begun(junctor, Exact(self.bound, method="ilp"))

    def _bounded(self):
        known = learned(twlearn, self.data, Bounded(self.width, "kp"), self.scoring)
        poor = {
            "START_MOVES": self.moves,
            "NEXT_MOVES": self.later,
            "FIRST_SECONDS": self.seconds,
            "best_of_any_treewidth": lambda *families, **limits: (None, math.inf),
        }
        if self.name != "twlearn milp":
            poor |= {"suits": lambda n, w: False, "NEXT_MOVES": 0}
        with patch.multiple(milp, **poor):
            return known, self._begun(twlearn, Bounded(self.width, "milp"))

    def _begun(self, learn, config):
        return learned(learn, self.data, config, self.scoring, seconds=SECONDS, threads=self.threads)
