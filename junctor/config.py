"""How junctor solves: its options, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph


@dataclass(frozen=True)
class Config:
    """How to solve.

    Attributes
    ----------
    max_clique
        Largest clique allowed, >= 1.
    bounds
        Leave out sets that are in no optimum (`common.bounds.orders`); from 13 variables.
    memory
        Bytes that the tables may use; None for the memory of the machine.
    allowed
        No other edges than these; None: all are allowed.
    method
        dp (dynamic program), ilp (cutting planes, `junctor.ilp`), or auto.
    required
        Edges that every network must have (ilp only).
    forbidden
        Edges that no network may have.
    gap
        Stop when (upper bound - score) / |score of the best network known| is at most this (ilp only).
    seed
        Of the local search, >= 0.
    certificate
        Record a proof of the bound that can be checked independently (ilp only); edges are
        required or forbidden by the prior of the scoring, which the check knows.
    """

    max_clique: int | None = None
    bounds: bool = True
    memory: float | None = None
    allowed: Graph | None = None
    method: str = "auto"
    required: Graph | None = None
    forbidden: Graph | None = None
    gap: float = 0.0
    seed: int = 1
    certificate: bool = False
