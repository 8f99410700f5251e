"""Networks to start from: what each kind of edge constraint allows and refuses."""

from types import SimpleNamespace

import pytest

from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.start_network import check_start

PATH = Graph(4, ((0, 1), (1, 2)))


def graph(*edges):
    return Graph(4, edges)


@pytest.mark.parametrize(
    "kind, kept, broken, message",
    [
        ("allowed", graph((0, 1), (1, 2), (2, 3)), graph((0, 1), (2, 3)), "edge 1,2 is not allowed"),
        ("forbidden", graph((0, 2), (2, 3)), graph((1, 2), (2, 3)), "edge 1,2 is forbidden"),
        ("required", graph((1, 2)), graph((0, 1), (2, 3)), "edge 2,3 is required"),
    ],
)
def test_edge_constraints(kind, kept, broken, message):
    check_start(PATH, 4, 2, "--init net", SimpleNamespace(**{kind: kept}))
    with pytest.raises(UsageError, match=f"^--init net: {message}"):
        check_start(PATH, 4, 2, "--init net", SimpleNamespace(**{kind: broken}))


@pytest.mark.parametrize(
    "start, n, max_clique, message",
    [
        (PATH, 3, 2, "4 vertices, the data have 3 variables"),
        (PATH, 4, 1, "a clique of 2 vertices, the bound is 1"),
        (graph((0, 1), (1, 2), (2, 3), (0, 3)), 4, 4, "the graph is not chordal"),
    ],
)
def test_data_and_bound(start, n, max_clique, message):
    with pytest.raises(UsageError, match=f"^--init net: {message}"):
        check_start(start, n, max_clique, "--init net")
