"""A bound on the score of every chordal network.

`solve` finds the best network of given sets and proves its optimality, as far as time allows. `bound` starts from a
known network or the best forest, rounds solutions of the linear program to networks, and returns the best of these and
the bound; it needs no local search.
Cost: see `common.bounds.cutting`; the bound of a stopped run is valid.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from ..graphs.edge_constraints import cover
from ..graphs.graph import Graph, shown
from ..run.result import COMPLETE, GAP_REACHED, INTERRUPTED, OPTIMAL, LearnResult, without_result
from ..scores.spanning import maximum_spanning_forest, pair_gains_by
from .branching import prove
from .callbacks import NO_CALLBACKS, Callbacks
from .families import FamilyPool
from .finish import finish, finishing_tasks
from .incumbent import Incumbent, equal_within
from .problem import MAX_VARIABLES, Problem, check_size, compile_problem
from .proof_trimming import certificate
from .reports import RoundReporter
from .windows import bound_by_windows, window_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..data.dataset import Dataset
    from ..files.prooffile import BoundProof
    from ..files.scorefile import CliqueScores
    from ..run.monitor import Monitor
    from ..scores.scoring import Scoring
    from .best_networks import BestNetworks
    from .branching import Proof
    from .cutting import Rules
    from .proof_log import ProofLog
    from .rows_kernels import Rows

FIRST = "the first network with all required edges"


def solve(
    n: int,
    sets: np.ndarray,
    scores: np.ndarray,
    incumbent: Incumbent,
    rules: Rules | None = None,
    callbacks: Callbacks = NO_CALLBACKS,
    log: ProofLog | None = None,
    rows: Rows | None = None,
) -> Proof:
    """Find the best network of given sets and prove it optimal.

    Parameters
    ----------
    n
        Variables, 2 to 64.
    sets : uint64[m]
        Masks of the sets that may be complete, ascending; closed under subsets, with all single variables.
    scores : float64[m]
        Finite.
    incumbent
        With the edges that every network must have; updated.
    rules
    callbacks
    log
        Collects the data that a certificate needs.
    rows
        Those to begin with.

    Returns
    -------
    Proof
    """
    pool = FamilyPool(n, sets, scores, callbacks.parallel_map)
    incumbent.begin(float(n * pool.families.gain.min()) - 1.0)  # below the score of every network
    return prove(pool, incumbent, rules, callbacks, log, rows=rows)


def check_found(problem: Problem, incumbent: Incumbent, proof: Proof, path: str) -> None:
    """Raise an error if no network was found: DataError if there is none, otherwise that of the stopped run."""
    if incumbent.graph is not None:
        return
    if proof.finished:
        raise DataError("no network has a finite score and all required edges", path)
    raise without_result(problem.status, FIRST)


def outcome(
    problem: Problem, incumbent: Incumbent, proof: Proof, rounds: int, header: dict[str, str] | None = None
) -> LearnResult:
    """The result of a proof.

    Parameters
    ----------
    problem
    incumbent
        With a network.
    proof
    rounds
    header : dict of str to str, optional
        Of a certificate.

    Returns
    -------
    LearnResult
        Its iterations are the rounds; with the certificate if the proof has a log.
    """
    assert incumbent.graph is not None
    graph = problem.smallest(incumbent.graph)
    proved = proof.bound <= incumbent.score + equal_within(incumbent.score)
    stopped = problem.status or COMPLETE
    status = OPTIMAL if proved else GAP_REACHED if proof.finished else stopped
    proved_by = _certificate(problem, proof, max(incumbent.score, proof.bound), header)
    return LearnResult(graph, problem.score(graph), status, rounds, proof.bound, proof=proved_by)


def outcome_of_list(
    problem: Problem, best: BestNetworks, proof: Proof, rounds: int, header: dict[str, str] | None
) -> LearnResult:
    """The result of a proof about all networks but those listed.

    Parameters
    ----------
    problem
    best
        With a network.
    proof, rounds, header
        As for `outcome`.

    Returns
    -------
    LearnResult
        With the networks, the first of which is its network.
    """
    networks = best.networks()
    (graph, score), others = networks[0], proof.bound
    status = OPTIMAL if proof.finished else problem.status or COMPLETE
    header = {**(header or {}), "networks": str(len(networks))}
    proved_by = _certificate(problem, proof, proof.bound, header)
    return LearnResult(graph, score, status, rounds, max(score, others), None, proved_by, networks, others, best.tied)


def _certificate(problem: Problem, proof: Proof, upper: float, header: dict[str, str] | None) -> BoundProof | None:
    """The certificate of a bound, if the proof has a log."""
    if proof.log is None or not math.isfinite(upper):
        return None
    monitor = problem.monitor
    return certificate(problem, proof, upper, header or {}, lambda: monitor.status != INTERRUPTED)


def bound(
    source: Dataset | CliqueScores,
    scoring: Scoring,
    monitor: Monitor,
    max_clique: int | None = None,
    known: Graph | None = None,
    memory: float | None = None,
    allowed: Graph | None = None,
    required: Graph | None = None,
) -> LearnResult:
    """A bound on the score of every chordal network.

    Parameters
    ----------
    source
        With more than 64 variables a Dataset, and the bound is weaker (`common.bounds.windows`).
    scoring
    monitor
        A stop ends the work with the bound so far.
    max_clique
        Bound only networks with cliques of at most this many variables.
    known
        One of these networks, chordal; the better it is, the sooner families can be left out.
    memory
        Bytes that may be used.
    allowed
        Bound only networks whose edges are among these.
    required
        Bound only networks with these edges.

    Returns
    -------
    LearnResult
        The upper bound, infinity if there was no time to find one, and the best network known.

    Raises
    ------
    DataError
        Too many variables for allowed or required edges or scores from a file; no network has a finite score, or all
        required edges.
    LimitError
        More sets than fit in the allowed memory; stopped before any network was known, which must have required edges.
    """
    if source.n > MAX_VARIABLES and allowed is None and required is None:
        check_size(source, max_clique, memory)
        assert max_clique is not None  # otherwise there are too many sets
        return bound_by_windows(source, scoring, monitor, max_clique, known, memory=memory)
    problem = Problem(source, scoring, monitor, max_clique, memory, allowed, required)
    warm_up(source, monitor, max_clique, required)
    monitor.start()
    if not problem.compute():
        return LearnResult(known or Graph(problem.n, ()), -math.inf, monitor.status or COMPLETE)
    incumbent = problem.incumbent(known)
    if incumbent.graph is None:
        incumbent = problem.incumbent(_first_network(problem, required, allowed))
    problem.bound_sets(incumbent)
    if not problem.should_continue():  # listing the families of all sets would take long
        if incumbent.graph is None:
            raise without_result(problem.status, FIRST)
        graph = problem.smallest(incumbent.graph)
        return LearnResult(graph, incumbent.score, problem.status or COMPLETE, 0, incumbent.upper)
    reporter = RoundReporter(monitor, incumbent)
    callbacks = Callbacks(problem.should_continue, reporter, partial(finish, monitor=monitor), monitor.map)
    proof = solve(problem.n, problem.sets, problem.scores, incumbent, callbacks=callbacks)
    check_found(problem, incumbent, proof, source.source)
    return outcome(problem, incumbent, proof, reporter.rounds)


def warm_up(
    source: Dataset | CliqueScores, monitor: Monitor, max_clique: int | None = None, required: Graph | None = None
) -> None:
    """Compile the kernels of a later `bound`, before the clock of the monitor starts.

    Parameters
    ----------
    source, max_clique, required
        As for `bound`, with a network known if there are many variables.
    """
    if source.n > MAX_VARIABLES:
        monitor.compile(*window_tasks(source))
    else:
        monitor.compile(partial(compile_problem, source, max_clique, required), *kernel_tasks(source.n))


def kernel_tasks(n: int) -> list[Callable]:
    """The tasks for `Monitor.compile`: the kernels of `solve` for n variables, and those that finish it."""
    return [compile_solve, *finishing_tasks(n)]


def compile_solve() -> None:
    """Solve a small problem whose relaxation needs every kernel."""
    sets = np.arange(32, dtype=np.uint64)
    scores = np.where(np.bitwise_count(sets) == 2, 1.0, 0.0) + np.where(np.bitwise_count(sets) > 2, -1.0, 0.0)
    solve(5, sets, scores, Incumbent(5))
    FamilyPool(5, sets, scores).sets_left()


def _first_network(problem: Problem, required: Graph | None, allowed: Graph | None) -> Graph:
    """A network to start from: Graph."""
    if required is None:
        return maximum_spanning_forest(pair_gains_by(problem.score_of, problem.n))
    network, edge = cover(required, problem.n, problem.largest, allowed)
    if network is None:
        raise DataError(f"no network was found that has edge {shown(edge, required.names)} and the others required")
    return network
