"""Small random inputs, each fixed by its seed: data with structure in it, chordal graphs, edge sets."""

from itertools import combinations

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.files.scorefile import CliqueScores
from cliquewise.common.sets.set_orders import colex_masks


def random_dataset(seed, n_vars=6, n_rows=60, max_arity=4, constant=False):
    """Data in which neighbouring columns depend on each other, with repeated rows.

    Parameters
    ----------
    seed : int
    n_vars, n_rows : int
        Size; a third of the rows are copies of others, so that merging equal rows has something to do.
    max_arity : int
        States of a column are 2 to `max_arity`, of which all counted ones occur.
    constant : bool
        Give the last column a single state.

    Returns
    -------
    Dataset
    """
    rng = np.random.default_rng(seed)
    arity = rng.integers(2, max_arity + 1, n_vars)
    if constant:
        arity[-1] = 1
    codes = rng.integers(0, arity, (n_rows, n_vars))
    for v in range(1, n_vars):
        # most cells follow an earlier column, or the sum of two: pairs alone do not explain such data
        first, second = rng.integers(0, v, 2)
        follows = rng.random(n_rows) < 0.7
        source = codes[:, first] + (codes[:, second] if rng.random() < 0.5 else 0)
        codes[follows, v] = source[follows] % arity[v]
    copies = rng.random(n_rows) < 1 / 3
    codes[copies] = codes[rng.integers(0, n_rows, copies.sum())]
    return dataset_of(codes)


def dataset_of(codes):
    """A Dataset from int[n_rows, n_vars]; states are renumbered so that each one occurs."""
    columns = [np.unique(column, return_inverse=True) for column in np.asarray(codes).T]
    return Dataset(
        names=tuple(f"x{v}" for v in range(len(columns))),
        states=tuple(tuple(str(label) for label in labels) for labels, _ in columns),
        codes=np.asfortranarray(np.column_stack([inverse for _, inverse in columns]), dtype=np.int32),
    )


def rows_of(dataset):
    """The rows as a list of tuples of int, as the oracles take them."""
    return list(map(tuple, dataset.codes.tolist()))


def csv_text(dataset):
    """The rows as CSV, each state by its number."""
    return "".join(",".join(map(str, row)) + "\n" for row in [dataset.names, *dataset.codes.tolist()])


def csv_of(dataset, path):
    """The rows written to a file, as `csv_text` gives them; returns the path."""
    path.write_text(csv_text(dataset))
    return path


def damaged_csv(rng, separator, most=11):
    """A table of at most `most` rows of difficult cells, sometimes with a character deleted."""
    plain, broken = ["a", "\u00e9", "bb", "c", " b", "", "?", "NA"], ['a"b', '"', '"a"b']
    quoted = ['"a"', ' "b" ', '""', '"a""b"', '"\u00e9,"', '"; a"', '"a\n"', '"\t"', '"?"']
    weight = np.array([5] * len(plain) + [3] * len(quoted) + [0.1] * len(broken))
    shape = rng.integers(1, most + 1), rng.integers(1, 4)
    rows = rng.choice(plain + quoted + broken, shape, p=weight / weight.sum())
    characters = list("\n".join(separator.join(row) for row in rows))
    if characters and rng.random() < 0.3:
        del characters[rng.integers(len(characters))]
    return "".join(characters)


def arity_of(dataset):
    """The arities as a list of int, as the oracles take them."""
    return dataset.arity.tolist()


def random_chordal_edges(seed, n, max_clique=None):
    """Edges (sorted pairs) of a random chordal graph: each vertex joins part of an earlier clique."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).tolist()
    cliques, edges = [[order[0]]], set()
    for v in order[1:]:
        clique = cliques[rng.integers(len(cliques))]
        size = rng.integers(0, len(clique) + 1)
        if max_clique is not None:
            size = min(size, max_clique - 1)
        joined = rng.choice(clique, size, replace=False).tolist()
        edges |= {(min(u, v), max(u, v)) for u in joined}
        cliques.append([*joined, v])
    return tuple(sorted(edges))


def random_edges(seed, n, density=0.4):
    """Edges (sorted pairs) of a random graph, mostly not chordal."""
    rng = np.random.default_rng(seed)
    return tuple(pair for pair in combinations(range(n), 2) if rng.random() < density)


def random_arcs(rng, n, density=0.4):
    """Arcs (sorted pairs) without a directed cycle: from one vertex to others later in a random order."""
    order = rng.permutation(n).tolist()
    return tuple(sorted(arc for arc in combinations(order, 2) if rng.random() < density))


def random_parents(rng, n, most):
    """The parents of each vertex in a directed network without a cycle, at most so many: a list of tuples."""
    order, parents = rng.permutation(n).tolist(), [()] * n
    for i, v in enumerate(order):
        parents[v] = tuple(rng.permutation(order[:i])[: rng.integers(0, most + 1)].tolist())
    return parents


def parity_groups(seed, n, size, n_rows, noise=0.1):
    """A Dataset of groups of `size` binary columns, each sharing one with the next, and the groups, sorted tuples.

    One column of a group is the parity of the others, wrong with probability `noise`.
    """
    rng = np.random.default_rng(seed)
    codes, ends = rng.integers(2, size=(n_rows, n)), range(size, n + 1, size - 1)
    for end in ends:
        codes[:, end - 1] = (codes[:, end - size : end - 1].sum(axis=1) + (rng.random(n_rows) < noise)) % 2
    order = rng.permutation(n)
    place = np.argsort(order)
    return dataset_of(codes[:, order]), [tuple(sorted(place[end - size : end].tolist())) for end in ends]


def random_set_scores(seed, n, max_size=None):
    """A score for every set of at most `max_size` of n variables: {frozenset: float}, the empty set 0."""
    rng = np.random.default_rng(seed)
    sets = [frozenset(v for v in range(n) if mask >> v & 1) for mask in range(1 << n)]
    sets = [s for s in sets if max_size is None or len(s) <= max_size]
    return {s: float(-10 * len(s) + 6 * rng.standard_normal()) if s else 0.0 for s in sets}


def random_sets(seed, n, sizes):
    """A random set of variables of each size."""
    rng = np.random.default_rng(seed)
    return [rng.choice(n, size, replace=False).tolist() for size in sizes]


def without(scores, forbidden):
    """{frozenset: float} with minus infinity for every set that contains one of those forbidden."""
    return {s: -np.inf if any(subset <= s for subset in forbidden) else score for s, score in scores.items()}


def scores_of(n, score, width=None):
    """The CliqueScores of a function on frozensets, for all sets of at most `width` of n variables."""
    masks = colex_masks(n, width or n)
    sets = (frozenset(v for v in range(n) if mask >> v & 1) for mask in masks.tolist())
    return CliqueScores(n, width or n, masks, np.array([score(members) for members in sets], np.float64))


def clique_scores(scores, n, width):
    """A CliqueScores of {frozenset: float}."""
    return scores_of(n, scores.__getitem__, width)


def first_columns(data, n):
    """The Dataset of the first n columns."""
    return Dataset(data.names[:n], data.states[:n], data.codes[:, :n], data.source)
