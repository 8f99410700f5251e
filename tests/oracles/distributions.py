"""Distributions by enumeration: of a Markov network from its factors, of a Bayesian network from its tables."""

from itertools import product


def markov_distribution(n, cliques, factors):
    """Probability of each joint state of n binary variables, {tuple of int: float}.

    `factors[c][b]` is the value of clique c in its state b, whose bit j belongs to the clique's j-th vertex.
    """
    weights = {}
    for states in product((0, 1), repeat=n):
        weight = 1.0
        for clique, values in zip(cliques, factors, strict=True):
            weight *= values[sum(states[v] << j for j, v in enumerate(clique))]
        weights[states] = weight
    total = sum(weights.values())
    return {states: weight / total for states, weight in weights.items()}


def marginal(distribution, variables):
    """The distribution of some of the variables."""
    result = {}
    for states, probability in distribution.items():
        key = tuple(states[v] for v in variables)
        result[key] = result.get(key, 0.0) + probability
    return result


def chi_square(distribution, counts, least=5.0):
    """Pearson's statistic and its degrees of freedom; states expected less than `least` times go together."""
    rows = sum(counts.values())
    cells = {}
    for states, probability in distribution.items():
        key = states if rows * probability >= least else "rare"
        expected, found = cells.get(key, (0.0, 0))
        cells[key] = expected + rows * probability, found + counts.get(states, 0)
    cells = [cell for cell in cells.values() if cell[0] > 0]
    return sum((found - expected) ** 2 / expected for expected, found in cells), len(cells) - 1


def bayesian_distribution(arity, parents, tables, done=()):
    """Probability of each joint state of a Bayesian network, {tuple of int: float}.

    Parameters
    ----------
    arity : list of int
    parents : list of lists of int
    tables : list
        `tables[v][c][k]` is the probability of state k of variable v where its parents are in joint state c, the last
        parent counted fastest.
    done : dict
        An intervention {variable: state}: the product of the other variables' probabilities where it holds.
    """
    result = {}
    for states in product(*map(range, arity)):
        probability = float(all(states[v] == done[v] for v in done))
        for v, table in enumerate(tables):
            if v not in done:
                config = 0
                for parent in parents[v]:
                    config = config * arity[parent] + states[parent]
                probability *= table[config][states[v]]
        result[states] = probability
    return result
