"""Products of factors and noisy-MAX nodes from their definitions, by enumeration of all states."""

from itertools import product
from math import prod


def weights(arity, factors):
    """The product of factors (scope, {states of the scope: number}) in each joint state."""
    every = product(*(range(r) for r in arity))
    return {state: prod(table[tuple(state[v] for v in scope)] for scope, table in factors) for state in every}


def noisy_max(causes, leak):
    """The table of a noisy-MAX: for each joint state of the parents the distribution of the strongest cause, state 0.

    `causes[k][x]` is the distribution of what parent k causes in its state x.
    """
    rows = []
    for states in product(*(range(len(cause)) for cause in causes)):
        alone = [*(cause[x] for cause, x in zip(causes, states, strict=True)), leak]
        row = [0.0] * len(leak)
        for caused in product(range(len(leak)), repeat=len(alone)):
            row[min(caused)] += prod(one[y] for one, y in zip(alone, caused, strict=True))
        rows.append(row)
    return rows
