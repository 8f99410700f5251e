"""How twlearn learns: its options, with their defaults."""

from dataclasses import dataclass

from cliquewise.common.scores.scoring import CACHE_MB
from cliquewise.twlearn.template import Template

METHODS = ("chordal", "pieces", "milp", "kp", "skp", "s2")
EXACT = ("milp", "kp")  # these end by themselves, if they may, and count no iterations


@dataclass(frozen=True)
class Config:
    """How to learn.

    Attributes
    ----------
    treewidth : int
        Bound on the moral graph's treewidth, w >= 1.
    method : str
        One of METHODS, or auto.
    max_parents : int
        Most parents, >= 0.
    template : Template or None
        Where method chordal starts.
    climb : bool
        Whether method s2 climbs.
    seed : int
    cache_mb : int
        Bound on the memory of set scores.
    parent_sets : int or None
        Search for parent sets, and score so many for each variable; None: all of them, unless there are too many.
    memory : float or None
        Bytes that the tables of kp may take; None is what the machine has left.
    """

    treewidth: int
    method: str = "auto"
    max_parents: int = 3
    template: Template | None = None
    climb: bool = True
    seed: int = 1
    cache_mb: int = CACHE_MB
    parent_sets: int | None = None
    memory: float | None = None
