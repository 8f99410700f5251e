"""The best network by an integer program (Section 3 of the NIPS 2014 paper): anytime, with a bound and a gap.

SCIP (`twlearn.milp_scip`) starts from a network of a short local search, so the result is never worse. The bound is the
minimum of SCIP's and, for up to 22 variables, the score of the best network of any treewidth
(`twlearn.silander_myllymaki`). If the treewidth of that network is within the bound, it is the answer.

The decoded network is checked before it is returned: no cycle, its moral graph inside the chordal graph, and that
within the treewidth.
"""

import logging
import math
from dataclasses import replace
from itertools import combinations

import numpy as np

from cliquewise.common.errors import CliquewiseError
from cliquewise.common.graphs.treewidth import later_neighbours
from cliquewise.common.search.result import OPTIMAL, TIME_LIMIT
from cliquewise.common.search.scip import ProgramLimits
from cliquewise.twlearn.chordal import first_network
from cliquewise.twlearn.milp_scip import Start, solve
from cliquewise.twlearn.result import network, saved_rows
from cliquewise.twlearn.silander_myllymaki import MAX_VARIABLES, best_of_any_treewidth

LOG = logging.getLogger("cliquewise")
START_MOVES = 5_000_000
FOREVER = 1e9  # seconds
ROUNDING = 1e-9  # relative error of sums of scores


def milp(families, config, monitor):
    """The best network that SCIP finds.

    Parameters
    ----------
    families : Families
        Of at least two variables.
    config : Config
    monitor : Monitor
        An iteration is a node of SCIP's search tree; their number is not limited. One thread is used.

    Returns
    -------
    LearnResult
        Its upper bound is proved.
    """
    monitor.start()
    w = min(config.treewidth, families.n - 1)
    with monitor.compiling("twlearn milp"):
        small = families.n <= MAX_VARIABLES
        found, upper = best_of_any_treewidth(families, w) if small else (None, _best_each(families))
    if found is not None:
        return found
    if monitor.saved is None:
        first = first_network(families, replace(config, treewidth=w), monitor, START_MOVES)
        LOG.info("local search found %.6f; at most %.6f, whatever the treewidth", first.score, upper)
    else:
        first, upper = _saved(monitor.saved, families, w, upper)
    monitor.keep(lambda: _state(families, first, upper))
    if _is_reached(upper, first):
        return replace(first, status=OPTIMAL, iterations=0, upper_bound=first.score)
    solved = solve(families, w, _start(families, first), _program_limits(monitor, first.score))
    upper = min(upper, solved.bound)
    result = _decoded(families, w, solved, first.score) or first
    done = solved.status == "optimal" or _is_reached(upper, result)
    upper = result.score if done else upper
    monitor.keep(lambda: _state(families, result, upper))
    LOG.info("bound %.6f, gap %.4g%%", upper, 100 * (upper - result.score) / max(1.0, abs(result.score)))
    status = OPTIMAL if done else monitor.status or TIME_LIMIT
    return replace(result, status=status, iterations=solved.nodes, upper_bound=upper)


def _is_reached(upper, result):
    """Whether a network attains the upper bound, up to rounding."""
    return result.score >= upper - ROUNDING * abs(upper)


def _best_each(families):
    """The sum of the best family scores."""
    return math.fsum(families.scores[families.start[:-1]])


def _program_limits(monitor, score):
    """The limits of SCIP; during the search, the better of its value and the start's score is reported."""
    left = monitor.seconds_left
    seconds = FOREVER if left is None else max(0.01, left)

    def on_gap(_gap, _spent, value):
        monitor.report(0, max(score, value))

    return ProgramLimits(seconds, 0.0, monitor.may_go_on, on_gap)


def _start(families, result):
    """A network as SCIP's first solution: its families, and the edges of its elimination."""
    rows = _rows(families, result)
    return Start(rows, result.order, later_neighbours(result.graph.moral(), result.order))


def _rows(families, result):
    """The row of each variable's family in a network."""
    number = {}
    for v in range(families.n):
        for row in range(families.start[v], families.start[v + 1]):
            number[v, tuple(p for p in families.parents[row].tolist() if p >= 0)] = row
    return tuple(number[v, parents] for v, parents in enumerate(result.graph.parents()))


def _state(families, result, upper):
    """The state: the best network, and the bound."""
    return {"rows": np.array(_rows(families, result)), "order": list(result.order), "bound": float(upper)}


def _saved(saved, families, w, upper):
    """The network and the bound of an earlier part of the run."""
    rows = saved_rows(saved, "rows", families)
    order = saved.value("order", list, lambda order: sorted(order) == list(range(families.n)))
    found = network(families, rows, order, TIME_LIMIT)
    if found.graph.order() is None or max(map(len, later_neighbours(found.graph.moral(), order))) > w:
        raise saved.wrong("rows")
    return found, min(upper, saved.value("bound", float))


def _decoded(families, w, solved, score):
    """The network of SCIP's solution, checked, if it is better than a score; otherwise None."""
    if solved.rows is None:
        return None

    def joined(i, j):
        return (i, j) in solved.joined or (j, i) in solved.joined

    result = network(families, solved.rows, solved.order, OPTIMAL)
    place = {v: i for i, v in enumerate(solved.order)}
    later = [{j for i, j in solved.joined if i == v} for v in range(families.n)]
    good = (
        result.graph.order() is not None
        and all(len(after) <= w and all(place[j] > place[v] for j in after) for v, after in enumerate(later))
        and all(joined(j, k) for after in later for j, k in combinations(after, 2))
        and all(joined(i, j) for i, j in result.graph.moral().edges)
    )
    if not good:
        raise CliquewiseError("the integer program's solution is not a network of that treewidth; please report it")
    return result if result.score > score else None
