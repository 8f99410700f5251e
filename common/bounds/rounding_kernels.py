"""A chordal network from a fractional solution, by a greedy choice of families.

Each variable in turn gets a family of the program whose parents are complete and placed before it: the one with the
largest value in the solution, of several the one that loses least by the multipliers. An integral solution that is a
network is returned unchanged.

Sets are identified by their place in the table of families. Cost: O(variables * families of the program * pairs of
parents).
"""

from ..compiled.jit import kernel


@kernel
def _is_complete(families, members, near, placed):
    """Whether all members of a set, by number, are placed and joined."""
    first, last = families.start[members], families.start[members + 1]
    for i in range(first, last):
        u = families.child[i]
        if not placed[u]:
            return False
        for j in range(first, i):
            if not near[u, families.child[j]]:
                return False
    return True


@kernel
def round_to_network(families, numbers, value, loss, root, near, placed, chosen):
    """Choose a family for each variable.

    Parameters
    ----------
    families : Families
    numbers : int64[k], of the program's families, among them that without parents of each variable
    value : float64[k], of these in the solution
    loss : float64[k], of these
    root : int, the first variable, -1 for any
    near : bool[n, n], overwritten: the edges
    placed : bool[n], overwritten
    chosen : int64[n], overwritten: the family of each variable, in their order
    """
    near[:] = False
    placed[:] = False
    for at in range(placed.shape[0]):
        best = -1
        for k in range(numbers.shape[0]):
            v = families.child[numbers[k]]
            if placed[v] or at == 0 and root >= 0 and v != root:
                continue
            if best >= 0 and (value[k] < value[best] or value[k] == value[best] and loss[k] >= loss[best]):
                continue
            if _is_complete(families, families.parents[numbers[k]], near, placed):
                best = k
        chosen[at] = numbers[best]
        v, parents = families.child[chosen[at]], families.parents[chosen[at]]
        placed[v] = True
        for i in range(families.start[parents], families.start[parents + 1]):
            u = families.child[i]
            near[u, v] = near[v, u] = True
