"""The optimal network by dynamic programming (Korhonen and Parviainen 2013), for up to about a dozen variables.

A network of treewidth at most w on n > w + 1 vertices has its moral graph in some w-tree: bags of w + 1 vertices form
a tree, adjacent bags share w, and each family lies in a bag. Let the bags be ordered so that shared vertices have the
same order in both; parents must come before children in the bag of their family. Then there is no cycle, and every
acyclic network can be represented. If all arcs follow a known order of the variables, bags in this order are enough.
With V(v, P) the score of v's best family inside P, a bag b with its order, A a part
of b, U a set of other vertices, b - i the separator without the bag's i-th member:

    T(b, {}, A) = sum over v in A of V(v, vertices before v in b)
    H(s, U, A)  = max over v in U, and places of v in the order s, of T(s + v, U - v, A + v)
    T(b, U, A)  = max over parts R of U with the first of U, parts B of A, and i not in B,
                  of H(b - i, R, B) + T(b, U - R, A - B)

T is the best total score of the families of U and A if the subtree below the bag contains exactly U besides b, H the
same for one child. The answer is the largest T(b, all others, b) over bags with a fixed root vertex, which is in no U.

We differ from the paper in how acyclicity is kept (linear orders of the bags, which the NIPS 2014 paper counts too)
and in restricting the bags to full w-trees. There is also a shortcut: the best network of any treewidth (Silander and
Myllymaki 2006, 2^n steps) is the answer if the treewidth of its moral graph is within the bound; its score always is an
upper bound.

Cost: with m = n - w - 1, about n^(w+1) 3^(m+w+1) / 2 additions and n^(w+1) 2^(m+w+1) numbers in memory. The tables of
14 variables take 0.2 GB for w = 2 and 2.2 GB for w = 3; the need is logged, and a run without enough memory is refused.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import LimitError
from ..common.run.monitor import Monitor
from ..common.run.resources import megabytes, usable_memory
from ..common.run.result import OPTIMAL
from ..common.sets.subset_numbers_kernels import with_zero_bit, without_bit
from . import kp_kernels as kernels
from .chordal import START_MOVES, first_network
from .kp_kernels import Scratch, StateTables
from .result import result_of
from .silander_myllymaki import MAX_VARIABLES, best_families, best_of_any_treewidth, best_rows

if TYPE_CHECKING:
    from ..common.run.result import LearnResult
    from .config import Config
    from .families import ScoredFamilies

LOG = logging.getLogger("cliquewise")
QUICK_ADDITIONS = 2e10  # additions, about 1e9 per second and core
BLOCKS = 16  # pieces of a layer, per thread


def kp(families: ScoredFamilies, config: Config, monitor: Monitor) -> LearnResult:
    """An optimal network.

    Parameters
    ----------
    families
        Of at least two variables.
    monitor
        An iteration is a layer of the tables; its limit is ignored. The clock starts when the kernels are compiled and
        the best network of any treewidth is known.

    Returns
    -------
    LearnResult
        Of a short search (`twlearn.chordal`) if it had to stop early.

    Raises
    ------
    LimitError
        The tables do not fit in the available memory.
    """
    n, w = families.n, config.treewidth
    if n > MAX_VARIABLES:
        raise LimitError(f"{n} variables; method kp takes at most {MAX_VARIABLES}, and few of these if w is large")
    gains, given = best_families(families), config.order
    found, upper = best_of_any_treewidth(families, w, gains)
    if found is not None:
        monitor.start()
        return found
    LOG.info("best of any treewidth: %.6f, but its treewidth exceeds %d", upper, w)
    LOG.info("tables of %s", megabytes(bytes_needed(n, w, given is not None)))
    tables = _allocate(n, w, gains, config.memory, given)
    monitor.compile(_compile)
    first, _ = first_network(families, config, monitor, START_MOVES)
    monitor.start()
    if not _fill(tables, monitor, first.score):
        return replace(first, status=monitor.status or first.status, iterations=monitor.iterations, upper_bound=upper)
    within, order = _best_tree(tables)
    result = result_of(families, best_rows(families, within), order, OPTIMAL, monitor.iterations)
    return replace(result, upper_bound=result.score)


def suits(n: int, w: int, memory: float | None = None, is_ordered: bool = False) -> bool:
    """Whether the tables for n variables fit in half the memory and take seconds rather than minutes.

    Parameters
    ----------
    n, w
        1 <= w.
    memory
        Bytes; None for the free memory of the machine.
    is_ordered
        Whether all arcs follow one order.

    Returns
    -------
    bool
    """
    if n > MAX_VARIABLES:
        return False
    if w >= n - 1:
        return True
    bags = math.comb(n, w + 1) if is_ordered else math.perm(n, w + 1)
    return bags * 3.0**n / 2 < QUICK_ADDITIONS and bytes_needed(n, w, is_ordered) < (memory or usable_memory()) / 2


def bytes_needed(n: int, w: int, is_ordered: bool = False) -> int:
    """Memory of the tables, without allocating them."""

    def states(size: int) -> int:
        """Number of pairs A, U over all ordered bags of a size: U may hold every vertex outside except the last."""
        with_last = size * math.perm(n - 1, size - 1) * 2 ** (n - size)
        every = 2**size * (with_last + math.perm(n - 1, size) * 2 ** (n - 1 - size))
        return every // math.factorial(size) if is_ordered else every

    return 8 * (states(w + 1) + states(w) + math.perm(n, w + 1) + math.perm(n, w) + n * 2 ** (n - 1) + n)


def _allocate(
    n: int, w: int, best: np.ndarray, memory: float | None = None, order: np.ndarray | None = None
) -> StateTables:
    """Empty tables; if all arcs follow an order, int64[n], for bags in this order."""
    need, have = bytes_needed(n, w, order is not None), memory or usable_memory()
    if need > have:
        message = f"{n} variables with treewidth {w} need {need / 1e9:.3g} GB, there are {have / 1e9:.3g} GB"
        raise LimitError(f"{message}; use --method milp or a smaller --treewidth")
    members, place = np.zeros(w + 1, np.int64), np.zeros(n, np.int64) if order is None else np.argsort(order)
    offsets = np.empty(math.perm(n, w + 1), np.int64), np.empty(math.perm(n, w), np.int64)
    t_entries = kernels.lay_out(n, w + 1, 2 << w, place, members, offsets[0])
    h_entries = kernels.lay_out(n, w, 1 << w, place, members, offsets[1])
    try:
        return StateTables(n, w, place, best, *offsets, np.empty(t_entries), np.empty(h_entries))
    except MemoryError:
        raise LimitError(f"no memory for tables of {need / 1e9:.1f} GB") from None


def _scratch(w: int) -> Scratch:
    """Work space for one thread."""
    members, bag, faces, places = np.zeros((4, w + 1), np.int64)
    return Scratch(members, bag, faces, places, np.zeros(2 << w))


def _fill(tables: StateTables, monitor: Monitor, score: float) -> bool:
    """Fill the tables layer by layer, reporting a network with this score; returns whether they are complete."""
    w, threads = tables.w, monitor.threads
    idle = [_scratch(w) for _ in range(threads)]

    def layer(step: Any, count: int, *arguments: int) -> None:
        cuts = np.linspace(0, count, BLOCKS * threads + 1).astype(int).tolist()

        def piece(i: int) -> None:
            mine = idle.pop()
            step(tables, *arguments, cuts[i], cuts[i + 1], mine, *((monitor.stop.flag,) if arguments else ()))
            idle.append(mine)

        list(monitor.map(piece, range(len(cuts) - 1)))

    bags, separators = len(tables.t_offset), len(tables.h_offset)
    layer(kernels.fill_t_of_bags, bags)
    for k in range(1, tables.n - w):
        layer(kernels.fill_h, separators, k)
        layer(kernels.fill_t, bags, k)
        if not monitor.should_continue():
            return False
        monitor.report(1, score)
    return True


def _best_tree(tables: StateTables) -> tuple[list[int], list[int]]:
    """The possible parents of each vertex (masks), and an elimination order, in an optimal tree of bags."""
    n, w = tables.n, tables.w
    scratch, out = _scratch(w), np.zeros(3, np.int64)
    every = (2 << w) - 1
    roots = [
        (bag, tables.t[tables.t_offset[bag] + (((1 << (n - w - 1)) - 1) << (w + 1)) + every])
        for bag in range(len(tables.t_offset))
        if kernels.tuple_of(bag, w + 1, n, scratch.members) >> (n - 1) & 1
        and kernels.follows(scratch.members, w + 1, tables.place)
    ]
    root, _ = max(roots, key=lambda one: one[1])
    kernels.tuple_of(root, w + 1, n, scratch.members)
    within, introduced = [0] * n, scratch.members.tolist()
    states = [(root, (1 << (n - w - 1)) - 1, every)]
    while states:
        bag, u, a = states.pop()
        if u == 0:
            kernels.tuple_of(bag, w + 1, n, scratch.members)
            members = scratch.members.tolist()
            for i, v in enumerate(members):
                if a >> i & 1:
                    within[v] = sum(1 << parent for parent in members[:i])
            continue
        kernels.find_split(tables, bag, u, a, scratch, out)
        part, taken, lacking = out.tolist()
        states.append((bag, u ^ part, a ^ taken))
        members = scratch.members.tolist()
        mask = sum(1 << v for v in members)
        gone = members.pop(lacking)
        if gone < n - 1:
            part = with_zero_bit(part, kernels.place_of(gone, mask ^ 1 << gone))
        separator = kernels.rank_of(np.array([*members, 0]), w, n)
        kernels.find_vertex(tables, separator, part, without_bit(taken, lacking), scratch, out)
        v, i = out[:2].tolist()
        introduced.append(v)
        inside = without_bit(part, kernels.place_of(v, mask ^ 1 << gone))
        taken_inside = with_zero_bit(without_bit(taken, lacking), i) | 1 << i
        states.append((kernels.rank_of(scratch.bag, w + 1, n), inside, taken_inside))
    return within, introduced[::-1]


def _compile() -> None:
    """Run the kernels for four variables."""
    tables = _allocate(4, 1, np.zeros((4, 8)))
    with Monitor(threads=1) as monitor:
        _fill(tables, monitor, 0.0)
    _best_tree(tables)
