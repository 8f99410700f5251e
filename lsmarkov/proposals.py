"""The proposal distribution of the chains of annealing: `walk_rules`.

*Swap moves* (`common.chains.swap_kernels`) are four in ten of the moves with cliques of at most four, fewer if the
bound is larger and single edges move freely.

*Branches* (`common.chains.branch_kernels`) are three in ten with more than 64 variables, and none otherwise: there
searches with and without them end alike.
"""

from __future__ import annotations

import numpy as np

from .walk_kernels import WalkRules

SHARES = (0.7, 0.1, 0.1, 0.1)  # of the moves that are not swaps: EDGE, JOIN or LEAVE, NEIGHBOURS, REPLACE
JOINT_SHARE = 0.005  # of all moves
BRANCH_SHARE = 0.3  # of all moves, with more than 64 variables
SWAP_SHARES = (0.03, 1.6, 0.4)  # share of all moves: minimum; factor of 1 / max_clique; maximum
ANY_VERTEX_SHARE = 0.35  # of edges: to any vertex, up to 64 variables; less with more


def walk_rules(
    vertices: np.ndarray, partners: np.ndarray, max_clique: int, joint_sets: np.ndarray, is_wide: bool
) -> WalkRules:
    """The proposal distribution for some vertices.

    Parameters
    ----------
    vertices : int64[m]
    partners : int64[n, p]
    max_clique
    joint_sets : int64[k, 5]
        See `WalkRules`.
    is_wide
        Whether the whole network has more than 64 variables.

    Returns
    -------
    WalkRules
    """
    anywhere = ANY_VERTEX_SHARE * min(1.0, 64 / len(vertices))
    ends = np.array([0.45 - anywhere, 0.45 - anywhere, 0.65 - anywhere]) / (1.0 - anywhere)
    least, factor, most = SWAP_SHARES
    swaps = max(least, min(most, factor / max_clique))
    branches = BRANCH_SHARE if is_wide else 0.0
    kinds = np.cumsum([*((1.0 - swaps - branches - JOINT_SHARE) * np.array(SHARES)), swaps, branches])
    return WalkRules(vertices, partners, kinds, anywhere, ends, max_clique, joint_sets)
