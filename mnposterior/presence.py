"""Which draws have which edges, for the diagnostics of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

EDGES_AT_ONCE = 64  # whose diagnostics are computed in one array


def presence(graphs: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Where some networks have some edges, 1 or 0: float32[networks, edges].

    Parameters
    ----------
    graphs : uint64[networks, n, words]
    ends : int32[edges, 2]
    """
    words, bits = ends[:, 1] >> 6, (ends[:, 1] & 63).astype(np.uint64)
    return (graphs[:, ends[:, 0], words] >> bits & np.uint64(1)).astype(np.float32)


def blocks_of(count: int) -> Iterator[slice]:
    """The places of a number of edges, `EDGES_AT_ONCE` at a time."""
    return (slice(at, at + EDGES_AT_ONCE) for at in range(0, count, EDGES_AT_ONCE))
