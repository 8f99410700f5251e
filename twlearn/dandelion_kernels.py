"""Uniform k-trees from generalised Dandelion codes (Caminiti, Fusco and Petreschi 2010), in linear time.

A k-tree on n vertices is a clique Q of k vertices to which the other m = n - k were added one by one, each joined to
a k-clique of the vertices before it. Number those others 1 .. m by increasing index and let 0 stand for Q. Then the
k-tree is a tree rooted at 0: the parent of v is the last added vertex w of the clique K(v) that v was joined to, and
K(v) is K(w) with one of its k members, the label, replaced by w; a child of 0 has K(v) = Q and needs no label.

To make this representation unique, take Q to be the clique of the largest vertex of degree k. Then there are as many
codes as k-trees, C(n, k) (km + 1)^(m - 2): the set Q, and m - 2 entries that are each 0 or a pair (vertex, label).
Decoding:

* l, the largest of 1 .. m that no entry names, is the vertex that chose Q, so its parent is 0;
* vertex 1 gets the parent 0 as well, the others except l get the entries in turn;
* the cycles that result are opened: for the largest vertex c of each cycle, smallest c first, 1 and c exchange their
  parents and labels.

We differ from the paper in how vertices are numbered (it moves only those that must move) and in that K(v) keeps its
members in the places they had in K(w) instead of sorting them; each gives another bijection, and the map below from
codes to k-trees was checked to be one (`tests/twlearn/test_s2.py`).

Cost: O(nk). `tree` is always a KTree.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import kernel
from ..common.compiled.random_kernels import below
from ..common.compiled.records import by_address


@by_address
class KTree(NamedTuple):
    """A code and its k-tree; m = n - k >= 1.

    root : int64[k], Q ascending
    vertex : int64[m + 1], the vertices that are numbered 1 .. m; vertex[0] is not used
    parent : int64[m + 1], of the numbered ones, 0 for Q
    label : int64[m + 1], 0 .. k - 1: which member of its parent's clique each one's clique lacks; -1 for none
    cliques : int64[m + 1, k], K(v) as vertices; row 0 is Q
    order : int64[m], the numbered vertices, each after its parent
    mark, stack : int64[m + 1], overwritten
    """

    root: np.ndarray
    vertex: np.ndarray
    parent: np.ndarray
    label: np.ndarray
    cliques: np.ndarray
    order: np.ndarray
    mark: np.ndarray
    stack: np.ndarray


def empty_ktree(n, k):
    """An empty record for a k-tree on n > k vertices."""
    m = n - k
    vertex, parent, label, mark, stack = np.zeros((5, m + 1), np.int64)
    cliques, order = np.zeros((m + 1, k), np.int64), np.zeros(m, np.int64)
    return KTree(np.zeros(k, np.int64), vertex, parent, label, cliques, order, mark, stack)


@kernel
def draw_code(tree, code, random):
    """Draw a code: Q into tree.root, the entries into `code`.

    Parameters
    ----------
    tree : KTree
    code : int64[max(m - 2, 0)], filled: 0, or 1 + (number - 1) * k + label
    random : uint64[4], advanced
    """
    k, m = tree.root.shape[0], tree.order.shape[0]
    chosen = 0
    for v in range(k + m):  # uniform k-subset of n: v is taken with probability (still to choose) / (vertices left)
        if below(random, k + m - v) < k - chosen:
            tree.root[chosen] = v
            chosen += 1
    for i in range(code.shape[0]):
        draw_entry(tree, code, i, random)


@kernel
def draw_entry(tree, code, i, random):
    """Draw entry i of a code; `random` is a random state (uint64[4])."""
    code[i] = below(random, 1 + tree.root.shape[0] * tree.order.shape[0])


@kernel
def exchange_member(tree, j, random):
    """Replace Q's j-th vertex by a random vertex outside Q, and sort Q; `random` as in draw_entry."""
    root = tree.root
    k = root.shape[0]
    v = below(random, tree.order.shape[0])  # among those outside
    for i in range(k):
        if root[i] <= v:
            v += 1
    while j > 0 and root[j - 1] > v:
        root[j] = root[j - 1]
        j -= 1
    while j < k - 1 and root[j + 1] < v:
        root[j] = root[j + 1]
        j += 1
    root[j] = v


@kernel
def decode(tree, code):
    """The k-tree of the code (tree.root, `code`): fills the rest of `tree`."""
    k, m = tree.root.shape[0], tree.order.shape[0]
    number, at = 1, 0
    for v in range(k + m):
        if at < k and tree.root[at] == v:
            at += 1
        else:
            tree.vertex[number] = v
            number += 1
    _decode_parents(tree, code, k, m)
    _open_cycles(tree, m)
    _sort(tree, m)
    for j in range(k):
        tree.cliques[0, j] = tree.root[j]
    for i in range(m):
        v = tree.order[i]
        w = tree.parent[v]
        for j in range(k):
            tree.cliques[v, j] = tree.cliques[w, j]
        if w:
            tree.cliques[v, tree.label[v]] = tree.vertex[w]


@kernel
def _decode_parents(tree, code, k, m):
    """Parents and labels as given by the code."""
    named, parent, label = tree.mark, tree.parent, tree.label
    for v in range(m + 1):
        named[v] = 0
    for i in range(code.shape[0]):
        if code[i]:
            named[1 + (code[i] - 1) // k] = 1
    leaf = m
    while leaf > 1 and named[leaf]:
        leaf -= 1
    entry = 0
    for v in range(1, m + 1):
        parent[v], label[v] = 0, -1
        if v != 1 and v != leaf:
            if code[entry]:
                parent[v] = 1 + (code[entry] - 1) // k
                label[v] = (code[entry] - 1) % k
            entry += 1


@kernel
def _open_cycles(tree, m):
    """Exchange the parents of 1 and of each cycle's largest vertex."""
    seen, parent, label, largest = tree.mark, tree.parent, tree.label, tree.stack
    for v in range(m + 1):
        seen[v] = 0
        largest[v] = 0  # 1 for the largest of a cycle
    for start in range(1, m + 1):
        v = start
        while v and not seen[v]:
            seen[v] = start
            v = parent[v]
        if v and seen[v] == start:  # this walk returned to its own path
            top, u = v, parent[v]
            while u != v:
                top = max(top, u)
                u = parent[u]
            largest[top] = 1
    for c in range(2, m + 1):
        if largest[c]:
            parent[1], parent[c] = parent[c], parent[1]
            label[1], label[c] = label[c], label[1]


@kernel
def _sort(tree, m):
    """Put every numbered vertex into tree.order after its parent."""
    done, stack, count = tree.mark, tree.stack, 0
    for v in range(m + 1):
        done[v] = 0
    done[0] = 1
    for start in range(1, m + 1):
        v, height = start, 0
        while not done[v]:
            done[v] = 1
            stack[height] = v
            height += 1
            v = tree.parent[v]
        while height:
            height -= 1
            tree.order[count] = stack[height]
            count += 1
