"""Answers about a distribution {joint state: probability} by enumeration: explanations, entropies, divergences."""

from math import inf, log

from tests.oracles.distributions import marginal


def weighted(distribution, likelihoods):
    """The distribution with each state's probability times the likelihoods {variable: list} of its parts."""
    result = {}
    for state, p in distribution.items():
        for v, values in likelihoods.items():
            p *= values[state[v]]
        result[state] = p
    return result


def conditional(distribution, evidence):
    """The probability of evidence {variable: state}, and the distribution given it; empty if that is 0."""
    held = {state: p for state, p in distribution.items() if all(state[v] == k for v, k in evidence.items())}
    total = sum(held.values())
    return total, {state: p / total for state, p in held.items()} if total > 0 else {}


def given(distribution, evidence, variables):
    """The probability of evidence {variable: state}, and the distribution of some variables given it."""
    total, conditioned = conditional(distribution, evidence)
    return total, marginal(conditioned, variables)


def entropy(distribution):
    """Of all variables together, in nats."""
    return -sum(p * log(p) for p in distribution.values() if p > 0)


def mutual_information(distribution, u, v):
    """Of two variables, in nats, by the definition with a sum over their joint states."""
    first, second = marginal(distribution, (u,)), marginal(distribution, (v,))
    both = marginal(distribution, (u, v))
    return sum(p * log(p / (first[a,] * second[b,])) for (a, b), p in both.items() if p > 0)


def divergence(p, q):
    """Kullback and Leibler's, of q from p."""
    if any(chance > 0 and q[state] == 0 for state, chance in p.items()):
        return inf
    return sum(chance * log(chance / q[state]) for state, chance in p.items() if chance > 0)
