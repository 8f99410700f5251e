"""The options of twlearn, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ..common.files.fingerprint import without_effect
from ..common.learning.knowledge import ArcOptions
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions, SweepOptions
from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    import numpy as np

    from ..common.graphs.knowledge import Knowledge
    from .template import Template

CPDAG_FORMATS = ("dot", "graphml", "adjacency")  # those of `PDAG_FORMATS` that contain vertices without edges
METHODS = ("chordal", "climb", "milp", "kp", "skp", "s2")
FEW_PARENTS = 3  # of a variable, unless the options say otherwise: all such sets are scored
EXACT = ("milp", "kp")  # these end when the optimum is proved, and do not count iterations


@dataclass(frozen=True)
class Config:
    """The settings of a run.

    Attributes
    ----------
    treewidth : int
        Bound on the moral graph's treewidth, w >= 1.
    method : str
        One of METHODS, or auto.
    max_parents : int or None
        Largest number of parents, >= 0; None: `FEW_PARENTS`, or with method climb the treewidth, or that of the
        template.
    template : Template or None
        Where methods chordal and climb start.
    known : Knowledge or None
        Prior knowledge about arcs.
    independent : bool
        Whether method s2 draws all k-trees independently, without hill climbing.
    seed : int
    cache_mb : int
        Memory limit of the cache of set scores.
    parent_sets : int or None
        Search for parent sets, and score this many per variable; None: all of them, unless there are too many.
    memory : float or None
        Bytes that the tables of kp may use; None for the free memory of the machine.
    best
        The number of best networks to list, >= 1 (milp only); None: only the best is wanted.
    within
        List no network that scores more than this less than the best, >= 0.
    """

    treewidth: int
    method: str = "auto"
    max_parents: int | None = None
    template: Template | None = None
    known: Knowledge | None = None
    independent: bool = False
    seed: int = 1
    cache_mb: int = without_effect(CACHE_MB)
    parent_sets: int | None = None
    memory: float | None = without_effect(None)
    best: int | None = None
    within: float | None = None

    @property
    def order(self) -> np.ndarray | None:
        """An order of the variables that all arcs follow, as is known: int64[n], or None."""
        return None if self.known is None else self.known.total_order

    @property
    def largest_parent_set(self) -> int:
        """The largest number of parents of a network within both bounds."""
        return min(cast("int", self.with_max_parents().max_parents), self.treewidth)

    def with_max_parents(self) -> Config:
        """A Config with a bound on the number of parents, for a method that is not auto."""
        if self.max_parents is not None:
            return self
        if self.method == "climb":
            return replace(self, max_parents=self.treewidth)
        needed = 0 if self.template is None else self.template.largest
        required = [] if self.known is None else [len(self.known.parents(v)) for v in range(self.known.n)]
        return replace(self, max_parents=max(FEW_PARENTS, needed, *required))


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run.

    Attributes
    ----------
    config, template
        How to learn, and the network to start from.
    arcs, edges
        Prior knowledge about arcs and edges.
    trace, cpdag, networks
        A CSV of the run, the file of the network's equivalence class, and that of the best networks.
    sweep
        How many runs there are.
    """

    config: Config
    arcs: ArcOptions = ArcOptions()
    edges: EdgeOptions = EdgeOptions()
    template: str | None = None
    trace: str | None = None
    cpdag: str | None = None
    networks: str | None = None
    sweep: SweepOptions = SweepOptions()
