"""The coarsening step as an integer program, solved by SCIP (Section 3 of the paper).

One 0/1 variable per candidate; maximise the sum of the chosen gains, subject to

* (1) an edge is added due to at most one separator;
* (2) the edges a candidate needs are also added: one constraint per vertex of its separator, which is tighter than the
  paper's sum over them; candidates of which only one can be chosen share a constraint, which is tighter still;
* (3) the edges due to a separator form a forest over its substantial components. The paper has one constraint per set
  of components. Here the program starts with those for two components and for all; a constraint handler adds the others
  permanently when a solution violates them.

In a forced step (Section 5 of the paper, FIC) the constraint of all components is an equation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pyscipopt import quicksum

from ..common.exact.scip import LazyConstraints, give, optimize, quiet_model
from .coarsening_solutions import is_solution, violated_forests

if TYPE_CHECKING:
    from ..common.exact.scip import ProgramLimits
    from .coarsening_program import ChoiceProblem

LEVELS = (0.9, 0.6, 0.3, 1e-4)  # thresholds on LP values at which components are searched


@dataclass(frozen=True)
class CoarseningSolution:
    """The result of SCIP.

    Attributes
    ----------
    chosen : bool[m]
    gain : float
        Of the chosen candidates.
    bound : float
        No choice gains more.
    gap : float
        SCIP's: the difference of bound and gain, relative to the gain.
    status : str
        SCIP's: optimal, timelimit, gaplimit, userinterrupt, ...
    variables, constraints, cuts : int
        Size of the program, and the constraints (3) added while it was solved.
    seconds : float
    """

    chosen: np.ndarray
    gain: float
    bound: float
    gap: float
    status: str
    variables: int
    constraints: int
    cuts: int
    seconds: float


def solve(problem: ChoiceProblem, first: np.ndarray, limits: ProgramLimits) -> CoarseningSolution:
    """Choose candidates: maximise the sum of x(u,v,S) d(u,v|S), subject to (1) to (3) (`coarsen.coarsening_program`).

    Parameters
    ----------
    problem
        With at least one candidate.
    first : bool[m]
        A solution to start from.

    Returns
    -------
    CoarseningSolution
    """
    began = time.monotonic()
    model = quiet_model("coarsening")
    x = [model.addVar(vtype="B", obj=float(gain)) for gain in problem.gains]
    model.setMaximize()
    for add in (add_single_reasons, add_needs, add_pairs_of_components, add_all_components):
        if not limits.should_continue():  # an incomplete program must not be solved
            chosen = start_solution(problem, first)
            gain, seconds = float(problem.gains[chosen].sum()), time.monotonic() - began
            return CoarseningSolution(chosen, gain, np.inf, np.inf, "userinterrupt", len(x), 0, 0, seconds)
        add(model, problem, x)
    handler = ForestConstraints(problem, x)
    handler.include_in(model, "forests")
    give(model, x, first)
    size = (model.getNVars(), model.getNConss())
    found = optimize(model, x, handler, limits, began)
    chosen = start_solution(problem, first) if found.values is None else found.values > 0.5
    gain = float(problem.gains[chosen].sum())
    quality = (max(found.bound, gain), found.gap, found.status)  # SCIP adds the gains in another order
    return CoarseningSolution(chosen, gain, *quality, *size, handler.cuts, time.monotonic() - began)


def start_solution(problem: ChoiceProblem, first: np.ndarray) -> np.ndarray:
    """The solution to start from: `first` (bool[m]) if it is one, otherwise no candidate."""
    return first if is_solution(problem, first) else np.zeros(len(first), bool)


def add_single_reasons(model: Any, problem: ChoiceProblem, x: list[Any]) -> None:
    """(1): an edge is added due to at most one separator.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable, one per candidate
    """
    for same in _groups(problem.found.pair):
        if len(same) > 1:
            model.addCons(quicksum(x[i] for i in same) <= 1)


def add_needs(model: Any, problem: ChoiceProblem, x: list[Any]) -> None:
    """(2), one constraint for each vertex s of the separator and each end u.

    Rivals, of which at most one is added (see `NeededEdges`), share a constraint: their sum is at most the sum of the
    candidates that add u-s.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable, one per candidate
    """
    needed, pair = problem.needs, problem.found.pair
    ways = {int(pair[group[0]]): group for group in _groups(pair)}
    for same in _groups(needed.rivals):
        edge = int(needed.edge[same[0]])
        model.addCons(quicksum(x[i] for i in needed.candidate[same]) <= quicksum(x[j] for j in ways[edge]))


def add_pairs_of_components(model: Any, problem: ChoiceProblem, x: list[Any]) -> None:
    """(3) for two components of a separator: at most one edge between them.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable, one per candidate
    """
    found = problem.found
    nodes = int(found.degrees.sum())
    low, high = np.minimum(found.tails, found.heads), np.maximum(found.tails, found.heads)
    for same in _groups(low * nodes + high):
        if len(same) > 1:
            model.addCons(quicksum(x[i] for i in same) <= 1)


def add_all_components(model: Any, problem: ChoiceProblem, x: list[Any]) -> None:
    """(3) for all components of a separator: degree - 1 edges, at most or, in a forced step, exactly.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable, one per candidate
    """
    for same in _groups(problem.found.due_to):
        most = int(problem.found.degrees[problem.found.due_to[same[0]]]) - 1
        edges = quicksum(x[i] for i in same)
        if problem.forced:
            model.addCons(edges == most)
        elif most > 1:  # for two components it is already there
            model.addCons(edges <= most)


def _groups(keys: np.ndarray) -> list[list[int]]:
    """Lists of the indices with equal keys."""
    if not len(keys):
        return []
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order])) + 1
    return [part.tolist() for part in np.split(order, starts)]


class ForestConstraints(LazyConstraints):
    """Constraint handler for (3): too many edges among some components.

    Parameters
    ----------
    x : list of pyscipopt.Variable
    """

    falling = False

    def __init__(self, problem: ChoiceProblem, x: list[Any]) -> None:
        super().__init__(x)
        self.problem = problem

    def violated(self, values: np.ndarray, integral: bool) -> list[tuple[np.ndarray, int | None, int | None]]:
        """Sets of components with too many edges among them.

        Parameters
        ----------
        values : float64[m]

        Returns
        -------
        list of (int64[...], None, int)
            Candidates inside, and the largest number of them in a forest.
        """
        found = violated_forests(self.problem, values, [0.5] if integral else LEVELS)
        return [(inside, None, most) for inside, most in found]
