"""All ways to the optimum of a chordal network, against enumeration: they end with the same score, each proved.

The ways are junctor's dynamic program and its cutting planes, the exact start of lsmarkov, and `mntools bound`, alone
and with a network. Certificates of the cutting planes are written and verified by `mntools check`. The problems are
data, and score files in every layout, with forbidden sets, and with scores that are tied, zero, or such that all
networks are equally good. A file with a finite score above a forbidden set must be refused.
"""

import io
import random
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from itertools import combinations

import numpy as np

from cliquewise.common.cli.command import run as run_command
from cliquewise.common.errors import DataError
from cliquewise.common.files.graphfile import write_graph
from cliquewise.common.files.prooffile import format_proof
from cliquewise.common.files.result_header import Claims
from cliquewise.common.files.scorefile import CliqueScores, read_scores
from cliquewise.common.files.scorewriter import score_text
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.set_orders import colex_masks
from cliquewise.junctor.config import Config as Exact
from cliquewise.junctor.learn import learn as junctor
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as lsmarkov
from cliquewise.mntools.cli import mntools
from tests.learning import learned
from tests.oracles.learners import best_chordal
from tests.oracles.recurrences import optimum
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset, random_edges, rows_of, without
from tests.reading import read_csv

NEAR = 2e-6  # of a proved bound, relative to the score: a certificate's is rounded up by two millionths
SECONDS = 20  # the cutting planes need a fraction of a second
LOWEST = -1e7  # the oracles add and subtract, so they get something large instead of infinity
ENUMERATED = 5  # variables; there are 822 chordal graphs of five, 18,154 of six
LAYOUTS = [("junctor", "colex", False)] + [
    ("dmst", order, pair) for order in ("colex", "lex", "free") for pair in (0, 1)
]
SHAPES = {  # of the scores of a file: the score of a set
    "random": lambda rng, members: -10.0 * len(members) + 6.0 * rng.gauss(0.0, 1.0),
    "tied": lambda rng, members: float(-rng.randrange(3) * len(members)),
    "close": lambda rng, members: round(-2.0 * len(members) + rng.gauss(0.0, 1.0), 1),
    "positive": lambda rng, members: rng.random() * len(members) ** 2,
    "zero": lambda rng, members: 0.0,
    "indifferent": lambda rng, members: -float(sum(members)),
    "large": lambda rng, members: -1e4 * len(members) + 6e3 * rng.gauss(0.0, 1.0),
}


class Case:
    """One draw: `run` tries every way and lists what is wrong.

    Parameters
    ----------
    seed : int
    folder : Path
        For the problem, networks and certificates.
    """

    def __init__(self, seed, folder):
        self._seed, self._rng, self._folder, self.problems = seed, random.Random(seed), folder, []
        rng = self._rng
        self.n = rng.choice([2, 3, 4, 4, 5, 5, 5, 6, 7])
        self.bound = rng.choice([None, None, 2, 3, 4])
        self.allowed = None
        if rng.random() < 0.2:
            self.allowed = Graph(self.n, random_edges(seed, self.n, 0.6))
        self.scoring, self.file = Scoring(), folder / "problem"
        self.description = f"seed {seed}: {self.n} variables, cliques of {self.bound or 'any size'}"
        self.description += "" if self.allowed is None else f", {len(self.allowed.edges)} edges allowed"
        (self._draw_data if rng.random() < 0.4 else self._draw_scores)()

    def run(self):
        """The errors: a list of str."""
        if self.refused is not None:
            self._expect_refusals()
            return [f"{self.description}: {problem}" for problem in self.problems]
        self.source = self.read()
        best, found = self._optimum(), {}
        for name, way in {
            "junctor dp": partial(self._learn, junctor, Exact(self._most(), allowed=self.allowed)),
            "junctor ilp": partial(self._learn, junctor, self._cutting(), seconds=SECONDS),
            "lsmarkov": partial(self._learn, lsmarkov, Search(max_clique=self._most(), allowed=self.allowed)),
        }.items():
            try:
                found[name] = way()
            except DataError as error:
                if best > LOWEST / 2:
                    self.problems.append(f"{name}: {error}")
                continue
            self._check_result(name, found[name], best)
        if self.allowed is None:
            self._bound(best, None)
            self._bound(best, Graph(self.n, random_chordal_edges(self._seed, self.n, self._most())))
            if "junctor dp" in found:
                self._bound(best, found["junctor dp"].graph)
        return [f"{self.description}: {problem}" for problem in self.problems]

    # ---- the problem

    def _draw_data(self):
        rng, rows, arity = self._rng, self._rng.choice([2, 3, 5, 9, 20, 100]), self._rng.choice([2, 2, 3, 5])
        data = random_dataset(self._seed, self.n, rows, arity, rng.random() < 0.1)
        self.scoring = Scoring(rng.choice(["bdeu", "bdeu", "bdeu", "bic", "ll"]), 10.0 ** rng.uniform(-3.0, 2.0))
        self.description += f", {rows} rows, {self.scoring.score_type}, ess {self.scoring.ess}"
        lines = [data.names, *([data.states[v][c] for v, c in enumerate(row)] for row in data.codes.tolist())]
        self.file.write_text("".join(",".join(line) + "\n" for line in lines))
        self.read, self.refused = partial(read_csv, str(self.file), "yes"), None
        self.score = set_score(rows_of(data), arity_of(data), self.scoring.score_type, self.scoring.ess)
        self.largest = self.n

    def _draw_scores(self):
        rng, shape = self._rng, self._rng.choice(list(SHAPES))
        self.largest = rng.choice([self.n, self.n, rng.randint(min(2, self.n), self.n)])
        masks = colex_masks(self.n, self.largest)
        sets = [frozenset(v for v in range(self.n) if mask >> v & 1) for mask in masks.tolist()]
        scores = {members: SHAPES[shape](rng, sorted(members)) if members else 0.0 for members in sets}
        forbidden = [
            s for s in rng.sample(sets[1:], min(3, len(sets) - 1)) if rng.random() < (0.5 if len(s) > 1 else 0.05)
        ]
        scores, self.refused = without(scores, forbidden), None
        above = [s for s, score in scores.items() if score == -np.inf and s not in forbidden]
        if above and rng.random() < 0.15:
            self.refused = rng.choice(above)
            scores[self.refused] = -1.0
        layout = rng.choice(LAYOUTS)
        self.description += (
            f", sets of up to {self.largest}, {shape} scores, {layout}, forbidden {list(map(set, forbidden))}"
        )
        values = np.array([scores[members] for members in sets])
        self.file.write_text("".join(score_text(self.n, self.largest, values, *layout, None)))
        self.read, self.score = partial(read_scores, str(self.file)), scores.__getitem__

    def _most(self):
        """The bound on cliques that learners are given: None, or at least 2, as lsmarkov wants."""
        return None if self.bound is None else min(self.bound, max(2, self.n))

    def _cutting(self):
        """How the cutting planes work: half of the time they write a certificate."""
        return Exact(self._most(), method="ilp", allowed=self.allowed, certificate=self.certified)

    @property
    def certified(self):
        """Whether the cutting planes write a certificate, which holds without constraints on edges."""
        return self.allowed is None and self._seed % 2 == 0

    def _optimum(self):
        """The best score by an oracle; about `LOWEST` if there is no network."""

        def score(members):
            if self.allowed is not None and len(members) > 1:
                inside = {edge for edge in self.allowed.edges if set(edge) <= members}
                if 2 * len(inside) < len(members) * (len(members) - 1):
                    return LOWEST
            return max(LOWEST, self.score(frozenset(members)))

        most = min(self._most() or self.n, self.largest)
        if self.n <= ENUMERATED:
            return best_chordal(self.n, score, most)[0]
        return optimum(self.n, score, most)

    # ---- what must hold

    def _expect_refusals(self):
        """The file has a finite score above a forbidden set."""
        try:
            self.read()
        except DataError as error:
            name = "{" + ",".join(map(str, sorted(self.refused))) + "} scores -1.0, {"
            if name not in str(error):
                self.problems.append(f"refused, but not for {name}: {error}")
            return
        self.problems.append(f"{sorted(self.refused)} has a score above a forbidden set, and the file is read")

    def _learn(self, learn, config, **limits):
        return learned(learn, self.source, config, self.scoring, **limits)

    def _check_result(self, name, result, best):
        """A result is the optimum, proved, and `mntools check` finds every claim true."""
        near = NEAR * (1.0 + abs(best))
        if result.status != OPTIMAL or max(abs(result.score - best), abs(result.upper_bound - best)) > near:
            claim = f"{result.status} with {result.score:.9f}, at most {result.upper_bound:.9f}"
            self.problems.append(f"{name} ends {claim}; the best is {best:.9f}")
        claims = Claims(
            result.score, self.scoring.score_type, self.scoring.ess, self._most(), upper_bound=result.upper_bound
        )
        if isinstance(self.source, CliqueScores):
            claims = Claims(result.score, max_clique=self._most(), upper_bound=result.upper_bound)
        net, options = self._folder / "net", ()
        write_graph(str(net), result.graph, "cliques", claims.header())
        if name == "junctor ilp" and self.certified:
            if result.proof is None:
                self.problems.append("no certificate")
            else:
                options = ("--certificate", str(self._folder / "certificate"))
                (self._folder / "certificate").write_text("".join(format_proof(result.proof)))
                proved = float(result.proof.upper_bound)
                if not best - near <= proved <= best + 2 * near:
                    self.problems.append(f"the certificate proves {proved:.9f}; the best is {best:.9f}")
        code, out = self._mntools("check", str(net), "--data", str(self.file), *options)
        if code != 0 or not out.startswith("ok: "):
            self.problems.append(f"{name}: {out}")

    def _bound(self, best, graph):
        """What `mntools bound` prints, with a network (Graph) or None."""
        words, how = [], "mntools bound"
        if graph is not None:
            write_graph(str(self._folder / "given"), graph, "cliques", {})
            words, how = ["--graph", str(self._folder / "given")], f"mntools bound of {sorted(graph.edges)}"
        words += [] if self._most() is None else ["--max-clique", str(self._most())]
        if not isinstance(self.source, CliqueScores):
            words += ["--score", self.scoring.score_type]
            words += ["--ess", str(self.scoring.ess)] if self.scoring.score_type == "bdeu" else []
        code, out = self._mntools("bound", str(self.file), *words, "--time-limit", str(SECONDS))
        near = NEAR * (1.0 + abs(best))
        if best < LOWEST / 2:
            problems = ["no network has a finite score"]  # or why the one that is given is none of them
            problems += [] if graph is None else ["a set of this network is forbidden", "no score for"]
            if code != 1 or not any(text in out for text in problems):
                self.problems.append(f"{how}: no network is allowed, and it prints {out}")
            return
        if code == 1 and graph is not None and "no score for" in out:  # a clique larger than the sets of the file
            return
        if code == 1 and graph is not None and "a set of this network is forbidden" in out:
            if self._allows(graph):
                self.problems.append(f"{how} prints {out}")
            return
        words = out.split()
        if code != 0 or words[::2] != ["upper-bound", "score", "gap"]:
            self.problems.append(f"{how} prints {out}")
            return
        upper, score, gap = map(float, words[1::2])
        wrong = abs(upper - best) > near or score > best + near or (graph is None and score < best - near)
        if wrong or upper < score or abs(gap - (upper - score)) > near and score > -np.inf:
            self.problems.append(f"{how} prints {out}; the best is {best:.9f}")

    def _allows(self, graph):
        """Whether no complete set of a network is forbidden."""
        edges = set(graph.edges)
        sets = (members for k in range(1, self.largest + 1) for members in combinations(range(self.n), k))
        complete = (members for members in sets if edges.issuperset(combinations(members, 2)))
        return all(self.score(frozenset(members)) > -np.inf for members in complete)

    def _mntools(self, *words):
        """Exit code and output of `mntools`, messages included."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        words += () if isinstance(self.source, CliqueScores) else ("--header", "yes")
        with redirect_stdout(out), redirect_stderr(out):
            code = run_command(mntools, "mntools", [words[0], "-q", *words[1:]])
        return code, out.buffer.getvalue().decode().strip()
