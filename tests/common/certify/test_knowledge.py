"""Networks that break statements about their arcs: each kind is reported once, by its first arc."""

import pytest

from cliquewise.common.certify.knowledge import knowledge_problems
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.statements import Statements

NAMES = ("a", "b", "c", "d")


def edges(*pairs):
    return Graph(4, pairs, NAMES)


@pytest.mark.parametrize(
    "stated, kept, broken, text",
    [
        ({"required_arcs": ((0, 1), (2, 3))}, ((0, 1), (2, 3)), ((1, 0), (3, 2)), "arc a -> b is required and missing"),
        ({"forbidden_arcs": ((0, 1), (2, 3))}, ((1, 0), (3, 2)), ((0, 1), (2, 3)), "arc a -> b is forbidden"),
        (
            {"tiers": ((1, 3), (0,)), "without_arcs": (False, False)},
            ((0, 2), (1, 0), (1, 3), (2, 1)),
            ((0, 1), (0, 3)),
            "arc a -> b leads to an earlier tier",
        ),
        (
            {"tiers": ((0, 1, 2), (3,)), "without_arcs": (True, False)},
            ((0, 3), (1, 3)),
            ((0, 1), (1, 2)),
            "arc a -> b is within a tier without arcs",
        ),
        ({"order": (3, 2, 1, 0)}, ((1, 0), (3, 2)), ((0, 1), (2, 3)), "arc a -> b is against the order"),
        ({"roots": (1, 2)}, ((1, 0), (2, 3)), ((0, 1), (3, 2)), "arc a -> b leads to a root"),
        ({"leaves": (0, 2)}, ((1, 0), (3, 2)), ((0, 1), (2, 3)), "arc a -> b begins at a leaf"),
        ({"allowed": edges((1, 2))}, ((2, 1),), ((0, 1), (2, 3)), "edge a - b is not among those allowed"),
        ({"forbidden": edges((0, 1), (2, 3))}, ((1, 2),), ((1, 0), (2, 3)), "edge a - b is forbidden"),
        ({"required": edges((0, 1), (2, 3))}, ((1, 0), (2, 3)), ((1, 2),), "edge a - b is required and missing"),
    ],
)
def test_each_kind_is_reported_by_its_first_arc(stated, kept, broken, text):
    problems = [knowledge_problems(Dag(4, arcs, NAMES), Statements(**stated)) for arcs in (kept, broken)]
    assert problems == [[], [text]]


def test_every_tier_without_arcs_and_every_kind_is_reported():
    stated = Statements(tiers=((0, 1), (2, 3)), without_arcs=(True, True), roots=(1,), leaves=(2,))
    assert knowledge_problems(Dag(4, ((0, 1), (2, 3)), NAMES), stated) == [
        "arc a -> b is within a tier without arcs",
        "arc c -> d is within a tier without arcs",
        "arc a -> b leads to a root",
        "arc c -> d begins at a leaf",
    ]
