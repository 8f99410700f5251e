"""Every learner against exhaustive search on random small data; a new one joins by a line in a table.

A case draws data, a score, a bound and a treewidth. No learner may come out above the optimum of its kind, the exact
ones must reach it, a search that does not is listed, and coarsening by tokens is never below the best forest. Each
result is written to a file, read back and certified from there. The oracles share nothing with the program.
"""

import random
from functools import cache
from itertools import combinations

from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.certify.certificate import certificate_of
from cliquewise.common.files.graphfile import write_graph
from cliquewise.common.files.result_header import Claims
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor.config import Config as Exact
from cliquewise.junctor.learn import learn as junctor
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as lsmarkov
from cliquewise.mplearn.blanket import Blanket
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.config import Config as Combination
from cliquewise.mplearn.learn import learn as mplearn
from cliquewise.twlearn.config import METHODS
from cliquewise.twlearn.config import Config as Bounded
from cliquewise.twlearn.learn import learn as twlearn
from tests.learning import learned
from tests.oracles import blankets as oracle
from tests.oracles.families import bdeu_of_family, parent_sets
from tests.oracles.learners import best_chordal, best_forest
from tests.oracles.networks import best_network
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of

NEAR = 1e-7
CHORDAL = {  # learner, config for a bound on cliques, limits, whether it proves the optimum
    "lsmarkov": (lsmarkov, lambda bound: Search(max_clique=bound), {"iterations": 100_000}, False),
    "lsmarkov published": (
        lsmarkov,
        lambda bound: Search("ecai2020", bound, restart_rate=20),
        {"iterations": 20_000},
        False,
    ),
    "junctor dp": (junctor, lambda bound: Exact(bound, method="dp"), {}, True),
    "junctor ilp": (junctor, lambda bound: Exact(bound, method="ilp"), {}, True),
    **{
        f"coarsen {how}": (
            coarsen,
            lambda bound, how=how, start=start: Coarsening(how, start, steps=StepLimits(bound)),
            {},
            False,
        )
        for how, start in {"ic": "best", "fic": "best", "greedy": "best", "forest": "forest"}.items()
    },
}
ABOVE_FORESTS = ("coarsen ic", "coarsen forest")
BOUNDED = {"kp": None, "milp": None, "skp": 300, "s2": 4000, "chordal": 60_000, "climb": 100}  # iterations
assert {*BOUNDED} == {*METHODS}


class Case:
    """One draw: `run` runs the learners and lists their errors.

    Parameters
    ----------
    seed : int
    folder : Path
        To write results to.
    """

    def __init__(self, seed, folder):
        rng = random.Random(seed)
        self.n = rng.choice([3, 4, 4, 5])
        rows, arity, constant = rng.choice([1, 2, 9, 40, 200]), rng.choice([2, 2, 3, 5]), rng.random() < 0.1
        self.data = random_dataset(seed, self.n, rows, arity, constant)
        self.ess, self.score_type = rng.choice([0.01, 0.5, 1.0, 10.0, 300.0]), rng.choice(["bdeu", "bdeu", "bic"])
        self.bound, self.width = rng.choice([None, 2, 3, 4]), rng.choice([1, 2, 3])
        self.file, self.problems, self.missed = folder / "net", [], []
        self.description = f"seed {seed}: {self.n} variables, {rows} rows, {self.score_type}, ess {self.ess}"

    def run(self):
        """The disagreements: a list of str."""
        self._chordal()
        if self.n <= 4:
            self._blankets()
            if self.score_type == "bdeu":
                self._bounded()
        return [f"{self.description}: {problem}" for problem in self.problems]

    def _chordal(self):
        rows, arity = rows_of(self.data), arity_of(self.data)
        score = set_score(rows, arity, self.score_type, self.ess)
        (best, _), (forest, _) = best_chordal(self.n, score, self.bound), best_forest(self.n, score)
        for name, (learn, config, limits, exact) in CHORDAL.items():
            result = learned(learn, self.data, config(self.bound), Scoring(self.score_type, self.ess), **limits)
            self._check_result(name, result, Claims(result.score, self.score_type, self.ess, self.bound), best, exact)
            if name in ABOVE_FORESTS and result.score < forest - NEAR:
                self.problems.append(f"{name} scores {result.score:.9f}, the best forest {forest:.9f}")

    def _blankets(self):
        everything = tuple(Blanket(v, tuple(u for u in range(self.n) if u != v), 0.0) for v in range(self.n))
        rows, arity = rows_of(self.data), arity_of(self.data)

        @cache
        def local(variable, members):
            return bdeu_of_family(rows, arity, variable, members, self.ess)

        _, best = oracle.best_graph(self.n, combinations(range(self.n), 2), local)
        for combine, blankets in (("pbo", everything), ("pbo", None), ("hc", None), ("and", None), ("or", None)):
            how = Combination(combine, blankets=blankets)
            result = learned(mplearn, self.data, how, BlanketScoring(ess=self.ess))
            claims = Claims(result.score, "mpl", self.ess, prior="uniform")
            self._check_result(f"mplearn {combine}", result, claims, best, blankets is not None)

    def _bounded(self):
        rows, arity = rows_of(self.data), arity_of(self.data)
        scores = [
            {members: bdeu_of_family(rows, arity, v, members, self.ess) for members in parent_sets(self.n, v, 3)}
            for v in range(self.n)
        ]
        best, _ = best_network(scores, 3, self.width)
        for method, steps in BOUNDED.items():
            result = learned(twlearn, self.data, Bounded(self.width, method), Scoring(ess=self.ess), iterations=steps)
            order = {"treewidth": self.width, "elimination_order": result.order, "max_parents": 3}
            self._check_result(
                f"twlearn {method}", result, Claims(result.score, "bdeu", self.ess, **order), best, steps is None
            )

    def _check_result(self, name, result, claims, best, exact):
        """Compare a result with the optimum, and its file with its claims."""
        near = NEAR * (1.0 + abs(best))
        if result.score > best + near:
            self.problems.append(f"{name} scores {result.score:.9f}, more than the best, {best:.9f}")
        if result.score < best - near:
            self.missed.append(name)
        if exact and (abs(result.score - best) > near or result.status != OPTIMAL):
            self.problems.append(f"{name} ends {result.status} with {result.score:.9f}, the best is {best:.9f}")
        form = "arcs" if result.graph.directed else "edges" if claims.by_blankets else "cliques"
        write_graph(str(self.file), result.graph, form, claims.header())
        read = read_graph(str(self.file), self.data.names, self.n)
        found = certificate_of(read.dag or read.graph, self.data, Claims.read(read.header, read.path))
        if not found.ok:
            self.problems.append(f"{name}: {found}")
