"""Synthetic Markov networks of binary variables, made of small unconnected components, and exact samples.

Section 6.1 of Pensar, Nyman, Niiranen, Corander (2014): the network is a number of replicas of each component
of `mnmodel.components`; each maximal clique of each component has a factor whose values are drawn uniformly
from (0, 1); the distribution is the product of the factors, normalised (their equation 1). With 16 variables
a component has 2^16 joint states, so their probabilities are listed, and a row is drawn by inverting the distribution
function: no Markov chain, independent rows. Drawing a component takes about 10 ms, and a row of it one binary search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.states import ordered_dataset
from ..common.graphs.graph import Graph
from ..common.run.resources import check_fits
from .components import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.data.dataset import Dataset


ONE_OF_EACH = ("grid", "hub", "loop", "clique")  # of section 6.1
JOINT_BYTES = 8  # of a joint state of a component


@dataclass(frozen=True)
class Component:
    """One unconnected part of a network, with its own distribution.

    Attributes
    ----------
    cliques : tuple of tuple of int
        Its maximal cliques; vertices are 0 .. n-1.
    factors : tuple of float64[2**k]
        One per clique of k vertices, > 0; bit j of an index is the state of the clique's j-th vertex.
    cumulative : float64[2**n]
        Sums of the product of the factors over the joint states 0 .. x; bit i of x is the state of vertex i.
    """

    cliques: tuple
    factors: tuple
    cumulative: np.ndarray

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.cumulative).bit_length() - 1

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Independent rows: int8[rows, n], stored column by column."""
        drawn = rng.random(rows) * self.cumulative[-1]
        joint = np.searchsorted(self.cumulative, drawn, side="right")
        np.minimum(joint, len(self.cumulative) - 1, out=joint)  # in case the product was rounded up to the sum
        bits = np.empty((rows, self.n), dtype=np.int8, order="F")
        for i in range(self.n):
            bits[:, i] = joint >> i & 1
        return bits


@dataclass(frozen=True)
class SyntheticNetwork:
    """A Markov network of known structure and distribution.

    Attributes
    ----------
    graph : Graph
        The true edges, with names such as `grid_1_0`.
    components : tuple of Component
        In the order of their vertices in `graph`.
    """

    graph: Graph
    components: tuple

    def sample(self, rows: int, rng: np.random.Generator) -> Dataset:
        """Draw independent rows.

        Parameters
        ----------
        rows
            At least 1.
        rng

        Returns
        -------
        Dataset
            The states are `0` and `1`; as in other data, only those that occur are kept.
        """
        codes = np.vstack([component.sample(rows, rng).T for component in self.components]).T
        assert self.graph.names is not None
        return ordered_dataset(self.graph.names, [("0", "1")] * self.graph.n, codes)


def draw_network(
    names: Sequence[str] = ONE_OF_EACH,
    replicas: int = 1,
    rng: np.random.Generator | None = None,
    on_progress: Callable = lambda share: None,
) -> SyntheticNetwork:
    """Draw the factors of a network of known structure.

    Parameters
    ----------
    names : sequence of str
        Components, keys of `COMPONENTS`; names may be repeated.
    replicas
        How many times the whole sequence is repeated, each time with new factors.
    rng
        Seed 1 if None.
    on_progress : callable taking a share, 0 to 1
        Of the components that are drawn.

    Returns
    -------
    SyntheticNetwork

    Raises
    ------
    LimitError
        No memory for the distributions.

    Examples
    --------
    >>> network = draw_network(replicas=8, rng=np.random.default_rng(1))
    >>> network.graph.n, len(network.graph.edges)
    (512, 624)
    >>> network.sample(1000, np.random.default_rng(2)).codes.shape
    (1000, 512)
    """
    rng = np.random.default_rng(1) if rng is None else rng
    need = replicas * sum(JOINT_BYTES << max(map(max, COMPONENTS[name])) + 1 for name in names)
    check_fits(need, None, f"the distributions of {replicas * len(names)} parts", "use fewer --replicas")
    components, cliques = [], []
    labels: list[str] = []
    copies: dict[str, int] = {}
    for name in tuple(names) * replicas:
        component = _draw_component(COMPONENTS[name], rng)
        components.append(component)
        cliques += [[len(labels) + v for v in clique] for clique in component.cliques]
        copies[name] = copies.get(name, 0) + 1
        labels += [f"{name}_{copies[name]}_{v}" for v in range(component.n)]
        on_progress(len(components) / (replicas * len(names)))
    return SyntheticNetwork(Graph.from_cliques(len(labels), cliques, tuple(labels)), tuple(components))


def _draw_component(cliques: tuple[tuple[int, ...], ...], rng: np.random.Generator) -> Component:
    """Factors for these cliques, and the resulting distribution."""
    joint = np.arange(2 ** (max(map(max, cliques)) + 1))
    product = np.ones(len(joint))
    factors = []
    for clique in cliques:
        factors.append(1.0 - rng.random(2 ** len(clique)))  # never 0
        product *= factors[-1][sum((joint >> v & 1) << j for j, v in enumerate(clique))]
    return Component(cliques, tuple(factors), np.cumsum(product))
