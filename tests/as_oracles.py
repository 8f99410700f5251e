"""Records of the program as the oracles take them: sets for masks, dicts for tables."""

import itertools

import numpy as np
import pytest


def mask_of(members):
    """A set as a uint64."""
    return np.uint64(sum(1 << v for v in members))


def members_of(mask):
    """A mask as a frozenset."""
    return frozenset(v for v in range(int(mask).bit_length()) if int(mask) >> v & 1)


def all_sets(n, largest):
    """The masks of every set of up to `largest` of n vertices, ascending: int64[m]."""
    masks = np.arange(1 << n, dtype=np.int64)
    return masks[np.bitwise_count(masks) <= largest]


def dense(scores, n):
    """{frozenset: float} as an array by mask; minus infinity for what is missing."""
    return np.array([scores.get(members_of(mask), -np.inf) for mask in range(1 << n)])


def parents_of(dag):
    """A Dag as a tuple of parent sets."""
    return tuple(map(frozenset, dag.parents()))


def tables_of(network):
    """The tables of a network with dense ones, {states of the parents: probabilities} of each variable."""
    arity = [table.shape[1] for table in network.tables]
    every = (itertools.product(*(range(arity[u]) for u in parents)) for parents in network.parents)
    pairs = zip(every, network.tables, strict=True)
    return [dict(zip(states, table.tolist(), strict=True)) for states, table in pairs]


def same_tables(found, truth):
    """Tables of a network are those of the oracle, for the states of parents that this has."""
    for table, expected in zip(found, truth, strict=True):
        for states, probabilities in expected.items():
            assert table[states] == pytest.approx(probabilities, rel=1e-7, abs=1e-9)


def candidates_of(found):
    """Candidates of a step of coarsening."""
    ends = zip(found.u.tolist(), found.v.tolist(), found.due_to.tolist(), strict=True)
    return [(u, v, frozenset(found.separators[s])) for u, v, s in ends]
