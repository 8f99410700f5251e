"""The runs by which `tests.bench.halving` measures constants, for each command or package, and for its methods."""

import statistics
import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cliquewise.common.errors import UsageError
from tests.bench.running import SHARED
from tests.commands import ROOT

SEED_GROUPS = 3  # of the program as it is
SEEDLESS = ("coarsen", "mplearn")


class Runs(NamedTuple):
    """Runs of one command that show what some of its constants do.

    command : str
        Its Python function is called, unless `call` is given.
    files : str or tuple of str
        The modules, or module.CONSTANT, whose constants are measured; "" for those of no other runs.
    cases : dict of str to dict
        A name of the data, perhaps with words behind it, and the options of its run.
    count : int
        How many seeds.
    figure : callable
        The figure of a result, the larger the better; its score.
    short : dict
        Options of a run that only loads the kernels.
    digits : int
        Decimals of differences.
    call : callable, optional
        Taking a case, and its seed and options; returns the figure, and the result as text.
    """

    command: str
    files: tuple
    cases: dict
    count: int = 2
    figure: Callable = lambda found: found.score()
    short: dict = {"iterations": 1}
    digits: int = 1
    call: Callable | None = None

    def seeds(self, group):
        """The seeds of a group."""
        return range(1 + group * self.count, 1 + (group + 1) * self.count)

    def is_for(self, file, name):
        """Whether a constant is measured by these runs."""
        named = {one for runs in RUNS.get(self.command, {}).values() for one in runs.files}
        if f"{file}.{name}" in named:
            return f"{file}.{name}" in self.files
        return file in self.files or (not self.files and file not in named and self is not NOTHING)

    def measure(self, case, seed, **changed):
        """The figure of a run, and its result as text."""
        options = {**self.cases[case], **changed, **({} if self.command in SEEDLESS else {"seed": seed})}
        if self.call is not None:
            return self.call(case, **options)
        function = getattr(import_module(f"cliquewise.{self.command}.from_python"), self.command)
        found = function(_path(case.split()[0]), threads=1, **options)
        return float(self.figure(found)), repr((sorted(map(tuple, found.edges)), found.score()))

    def warm_up(self):
        """Load or compile the kernels."""
        for case in self.cases:
            self.measure(case, 1, **self.short)


NOTHING = Runs("", (), {})


def _path(name):
    """The file of a data set."""
    places = [ROOT / "data", *(SHARED / folder for folder in ("lsmarkov", "coarsen", "junctor", "twlearn"))]
    return str(next(path for place in places if (path := place / f"{name}.csv").exists()))


def _mixture(name, rows, seed, iterations):
    """Nats per test row of the mixture learned from the first rows of a set in three parts, and these of each row."""
    from cliquewise.common.data.reading import FOR_MODEL
    from cliquewise.common.models.mixture import Mixture
    from cliquewise.common.models.model_data import coded_beside, read_rows
    from cliquewise.common.run.limits import Limits
    from cliquewise.common.run.monitor import Monitor

    run = import_module("cliquewise.mixture.run")
    search = import_module("cliquewise.mixture.search")
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for part in ("train", "valid", "test"):
            lines = (SHARED / "debd" / f"{name}.{part}.csv").read_text().splitlines()[:rows]
            paths.append(Path(folder, part))
            paths[-1].write_text("\n".join(lines) + "\n")
        train, valid, test = map(str, paths)
        files = run.MixtureFiles(header="no", train=train, valid=valid, states_of=(test,))
        data, others = files.read()
        tested = read_rows(test, files.reading(), FOR_MODEL)
    codes = coded_beside(data, tested)[1]
    limits = Limits(iterations=iterations)
    with Monitor(limits, threads=1) as monitor:
        capacity = run.network_capacity(data, others, limits)
        made = search.MixtureSearch(data, others, search.MixtureConfig(seed=seed), monitor, capacity)
        model = run._model(made.run(), made)
    if isinstance(model, Mixture):
        codes = np.column_stack([codes, np.full(len(codes), -1, codes.dtype)])  # the class
    logs = model.log_likelihood(codes)
    return float(np.average(logs, weights=tested.weights)), repr(logs.tolist())


def _proof(case, seed, is_stopped=False, **options):
    """The score that is proved to be the best, whichever network has it; of a stopped run minus the upper bound."""
    function = import_module("cliquewise.junctor.from_python").junctor
    found = function(_path(case.split()[0]), threads=1, method="ilp", ess=10, seed=seed, **options)
    figure = -float(found.header["upper-bound"]) if is_stopped else found.score()
    return figure, repr(figure)


def _windows(_case, seed, seconds):
    """The upper bound, negative, of cliques of at most 3 of the first columns of msweb after seconds of a processor."""
    del seed
    bound = import_module("cliquewise.common.bounds.bound").bound
    limits, monitor = (import_module(f"cliquewise.common.run.{one}") for one in ("limits", "monitor"))
    reading, scoring = import_module("tests.reading"), import_module("cliquewise.common.scores.scoring")
    lines = Path(_path("msweb")).read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "data")
        file.write_text("".join(",".join(line.split(",")[:70]) + "\n" for line in lines))
        data = reading.read_csv(file)
    with monitor.Monitor(limits.Limits(time_limit=seconds), threads=1) as of_run:
        found = bound(data, scoring.Scoring(ess=10.0), of_run, 3)
    return -found.upper_bound, repr((found.graph.edges, found.score, found.upper_bound))


def _starts(_case, seed, networks=20, **_short):
    """How many networks of treewidth 3 are found from some of their arcs, and more of their edges."""
    from cliquewise.common.graphs.knowledge import Knowledge

    start_of, n, w = import_module("cliquewise.twlearn.known_start").start_of, 40, 3
    random, found = np.random.default_rng(seed), []
    for _ in range(networks):
        order, bags = random.permutation(n).tolist(), [tuple(range(w + 1))]
        pairs = list(combinations(bags[0], 2))
        for v in range(w + 1, n):
            kept = random.permutation(bags[random.integers(len(bags))])[:w].tolist()
            bags.append((*kept, v))
            pairs += [(u, v) for u in kept]
        required = [(order[u], order[v]) for u, v in pairs if random.random() < 0.9]
        directed = random.random(len(required)) < 0.2
        arcs = sorted(arc for arc, known in zip(required, directed, strict=True) if known)
        edges = sorted(tuple(sorted(arc)) for arc, known in zip(required, directed, strict=True) if not known)
        may = ~np.eye(n, dtype=bool)
        try:
            start = start_of(Knowledge(may, tuple(arcs), tuple(edges), tuple(map(str, range(n)))), w, w)
        except UsageError:
            start = None
        found.append(None if start is None else start.parents)
    return float(sum(one is not None for one in found)), repr(found)


def _effective(found):
    """The effective samples of the median edge between 0.05 and 0.95."""
    uncertain = [edge for edge in found.edges if 0.05 < edge.probability < 0.95 and edge.error]
    return statistics.median(e.probability * (1 - e.probability) / e.error**2 for e in uncertain)


def _search(*names, steps, **options):
    """Cases of lsmarkov."""
    return {name: {"ess": 10, "iterations": steps, **options} for name in names}


def _posterior(*names, moves, **options):
    """Cases of mnposterior's chains."""
    return {name: {"iterations": moves, **options} for name in names}


def _width(*names, **options):
    """Cases of twlearn."""
    return {name: {"treewidth": 3, "max_parents": 3, "ess": 10, **options} for name in names}


PROGRAMS = ("milp", "milp_columns", "milp_cutting", "milp_separation", "networks_scip", "obstructions")
PROGRAMS += ("silander_myllymaki",)
CHORDAL = ("chordal", "families", "parent_search", "chordal_choice_kernels")
LADDERS = ("ladder", "replica_exchange")  # temperatures are measured after 700,000 moves
LONG_MERGING = ("SETS_FACTOR", "LOW_WORK_SHARE", "MOVES_PER_PIVOT", "JOINED_NETWORKS")
IMPROVING = ("IMPROVING_STEPS", "IMPROVED_VIOLATION", "CLEARLY_FRACTIONAL", "LAG", "MAX_REFINEMENT", "ROUNDS_DIVISOR")
PRICING = ("PART_ROUNDS", "AT_ONCE", "Rules.many", "Rules.slow", "Rules.whole", "Rules.part")
LARGE = (*(f"cutting.{name}" for name in IMPROVING + PRICING), "pdhg", "families")
LARGE += ("row_program.PER_EFFORT", "row_program.SLICE")
WINDOWS, BEFORE = ("windows", "set_families"), ("orders", "problem", "separated_states", "separated_states_kernels")
RUNS = {
    "common/bounds": {
        "cutting planes": Runs(
            "common/bounds",
            (),
            {"autos": {"max_clique": 3}},
            count=1,
            short={"max_clique": 2},
            call=_proof,
        ),
        "few variables": Runs(
            "common/bounds",
            (*BEFORE, "finish"),
            {"Flag": {"columns": "V0:V17"}},
            count=1,
            short={"columns": "V0:V3"},
            call=_proof,
        ),
        "large programs": Runs(
            "common/bounds",
            LARGE,
            {"sponge": {"max_clique": 5, "time_limit": 20.0, "is_stopped": True}},
            count=1,
            short={"max_clique": 2},
            call=_proof,
        ),
        "windows": Runs(
            "common/bounds", WINDOWS, {"msweb": {"seconds": 3.0}}, count=1, short={"seconds": 0.2}, call=_windows
        ),
    },
    "lsmarkov": {
        "search": Runs("lsmarkov", (), _search("lung-cancer", "steel", steps=500_000, max_clique=5)),
        "hundreds of variables": Runs(
            "lsmarkov", ("annealing.REGION_SIZE", "joint.MANY_VARIABLES"), _search("msweb", steps=300_000)
        ),
        "a thousand variables": Runs(
            "lsmarkov", ("search.MANY_VARIABLES",), _search("qsar_androgen_receptor", steps=300_000)
        ),
        "few variables": Runs("lsmarkov", ("exact",), _search("zoo", steps=20_000, columns="hair:fins")),
        "long": Runs(
            "lsmarkov",
            ("restarting", *(f"merging.{name}" for name in LONG_MERGING)),
            _search("steel", steps=24_000_000, max_clique=5),
            count=3,
        ),
        "more than 64 variables": Runs(
            "lsmarkov",
            ("merging.PIVOTS_PER_ROUND",),
            _search("msweb", steps=24_000_000, max_clique=3, columns="V1:V100"),
            count=2,
        ),
    },
    "mnposterior": {
        "chains": Runs("mnposterior", (), _posterior("Flag", "zoo", moves=1_500_000), figure=_effective),
        "more than 50 variables": Runs(
            "mnposterior",
            (
                "proposals.FULL_FLIP_VARIABLES",
                "proposals.BRANCH_SHARE",
                "ladders.GIBBS_PER_MOVE",
                "ladders.MIN_GIBBS_VARIABLES",
                "proposals.MIN_BRANCH_VARIABLES",
                "gibbs_kernels",
            ),
            _posterior("lung-cancer", moves=2_000_000, max_clique=3),
            figure=_effective,
        ),
        "missing cells": Runs(
            "mnposterior",
            ("augmentation", "batch_means"),
            _posterior("votes", moves=1_000_000, missing="em"),
            figure=_effective,
        ),
        "exact": Runs(
            "mnposterior",
            ("exact", "exact_kernels"),
            {"zoo": {"method": "exact", "max_clique": 3, "columns": "hair:legs"}},
            figure=_effective,
            short={"draws": 100},
        ),
    },
    "mixture": {
        "mixture": Runs("mixture", (), {"nltcs": {"rows": 1000, "iterations": 100_000}}, digits=3, call=_mixture)
    },
    "twlearn": {
        "climb": Runs(
            "twlearn",
            ("arc_gains", "arcs_kernels"),
            _width("alarm", "lung-cancer", method="climb", iterations=600),
            count=1,
        ),
        "chordal": Runs(
            "twlearn", CHORDAL, _width("lung-cancer", "steel", method="chordal", iterations=200_000), count=1
        ),
        "longer chordal": Runs(
            "twlearn",
            ("chordal_walk_kernels", *LADDERS),
            _width("lung-cancer", "steel", method="chordal", iterations=1_500_000),
            count=3,
        ),
        "pieces": Runs(
            "twlearn",
            ("climb.PIECE_MOVES", "climb.MAX_MOVES_FACTOR"),
            _width("lung-cancer", method="climb", iterations=3000),
            count=3,
        ),
        "larger pieces": Runs(
            "twlearn", ("climb.PIECE_SIZE",), _width("community_med", method="climb", iterations=5000), count=3
        ),
        "starts": Runs("twlearn", ("known_start",), {"networks": {}}, count=3, call=_starts, digits=0),
        "programs": Runs(
            "twlearn",
            PROGRAMS,
            {"zoo": {"treewidth": 2, "max_parents": 2, "ess": 10, "method": "milp", "columns": "hair:legs"}},
            count=1,
            short={"columns": "hair:breathes"},
        ),
        "kp": Runs(
            "twlearn",
            ("kp",),
            {"zoo": {"treewidth": 2, "method": "kp", "columns": "hair:backbone"}},
            count=1,
            short={"columns": "hair:milk"},
        ),
        "skp": Runs("twlearn", ("skp",), {"alarm": {"treewidth": 2, "method": "skp", "iterations": 5000}}),
        "s2": Runs("twlearn", ("s2",), {"alarm": {"treewidth": 2, "method": "s2", "iterations": 50_000}}),
    },
    "coarsen": {
        "coarsen": Runs("coarsen", (), {name: {"max_clique": 4} for name in ("zoo", "alarm", "Flag")}, 1, short={})
    },
    "junctor": {
        "by size": Runs(
            "junctor",
            (),
            {"zoo": {"ess": 10, "columns": "hair:catsize"}, "zoo bounded": {"ess": 10, "max_clique": 3}},
            count=1,
            short={"columns": "hair:breathes"},
        ),
        "dp": Runs(
            "junctor",
            ("dynamic_program", "ranked"),
            {"zoo": {"ess": 10, "columns": "hair:catsize", "method": "dp"}},
            count=1,
            short={"columns": "hair:milk"},
        ),
    },
    "mplearn": {
        "mpl": Runs("mplearn", (), {"zoo": {}, "alarm": {}}, 1, short={}),
        "pbo": Runs("mplearn", ("pbo_scip",), {"zoo": {"combine": "pbo"}, "alarm": {"combine": "pbo"}}, 1, short={}),
        "l1lr": Runs("mplearn", ("lasso",), {"alarm": {"score": "l1lr", "lambda_": 0.05}}, 1, short={}),
    },
}
