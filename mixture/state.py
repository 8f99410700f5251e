"""The candidates of `mnmodel mixture` in a checkpoint: kinds, settings, structures and tables.

A search that can continue is part of its candidate. The empirical distribution is not saved but made again. Of a
candidate whose networks were forgotten only the value is saved; of models that were read, which were forgotten. What
each candidate gained when it was added is not computed again, since networks were forgotten later.

Log probabilities are computed from the tables, in the order in which they were before, so that a resumed run continues
with the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..common.graphs.dag import Dag
from ..common.run.position import Paused, Position
from ..common.run.saved import Saved, is_index
from ..common.run.state_record import ArrayField, StateRecord, ValueField, natural
from .em import MixtureFit, with_tables
from .pool import EMPIRICAL, SIZES, Candidate
from .rows import TrainValidRows

SETTINGS = ("ess", "fit-ess", "sample", "wanted", "parts", "weight")
ALONE, MIXED = ("grown", "sparse", "search"), ("extended", "free")  # kinds of networks, and of mixtures
SUM_TOLERANCE = 1e-9  # by which probabilities may miss 1


def _are_settings(settings: dict, own: SavedCandidate) -> bool:
    if own.kind == EMPIRICAL:
        return settings == {}
    is_alone = own.kind in ALONE
    return (
        all(key in SETTINGS and (value is None or _is_number(value)) for key, value in settings.items())
        and all(_is_number(settings.get(key)) for key in ("ess", "fit-ess" if is_alone else "wanted"))
        and settings["ess"] in SIZES
        and (is_alone or is_index(settings["wanted"]))
    )


def _are_networks(parents: list, own: SavedCandidate) -> bool:
    if own.kind == EMPIRICAL:
        return parents == [[]]
    return (own.kind in MIXED or len(parents) == 1) and all(_are_parents(one, own.n) for one in parents)


def _are_parents(parents: Any, n: int) -> bool:
    """Whether a JSON value lists the parents of n variables, without a cycle."""
    if not isinstance(parents, list) or len(parents) != n:
        return False
    if not all(isinstance(own_parents, list) and all(is_index(u, n) for u in own_parents) for own_parents in parents):
        return False
    if any(own_parents != sorted({*own_parents}) or v in own_parents for v, own_parents in enumerate(parents)):
        return False
    return Dag.from_parents(parents, tuple(map(str, range(n)))).order() is not None


def _are_probabilities(found: np.ndarray, _: SavedCandidate) -> bool:
    return bool((found > 0).all() and (found <= 1).all())


def _are_shares(shares: np.ndarray, own: SavedCandidate) -> bool:
    right = len(shares) == len(own.parents) and (len(shares) == 0 or abs(shares.sum() - 1) <= SUM_TOLERANCE)
    return right and _are_probabilities(shares, own)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


@dataclass
class SavedCandidate:
    """A candidate in a checkpoint.

    Attributes
    ----------
    n
        Variables.
    kind, settings
        See `Candidate`.
    parents
        Of each network, those of each variable; none of a candidate whose networks were forgotten.
    shares : float64[networks]
    tables : float64[any]
        Of all networks, in a row.
    pool
        See `Candidate`.
    value
        The mean log probability of validation rows, if the networks were forgotten.
    """

    n: int
    kind: str = EMPIRICAL
    settings: dict = field(default_factory=dict)
    parents: list = field(default_factory=list)
    shares: np.ndarray = field(default_factory=lambda: np.zeros(0))
    tables: np.ndarray = field(default_factory=lambda: np.zeros(0))
    pool: float = 0.0
    value: float = 0.0

    record = StateRecord(
        ValueField("kind", str, lambda kind, _: kind in (*ALONE, *MIXED, EMPIRICAL)),
        ValueField("settings", dict, _are_settings),
        ValueField("parents", list, _are_networks),
        ArrayField("shares", _are_shares, True),
        ArrayField("tables", _are_probabilities, True),
        ValueField("pool", float, lambda value, _: math.isfinite(value)),
    )
    of_forgotten = StateRecord(ValueField("value", float, lambda value, _: -1e12 < value <= 0))

    @classmethod
    def state(cls, one: Candidate) -> dict[str, Any]:
        """The state of a candidate, and of its search if that can continue."""
        networks = one.fit.networks
        tables = np.concatenate([np.zeros(0), *(t.ravel() for network in networks for t in network.tables)])
        parents = [network.parents for network in networks]
        kept = cls(0, one.kind, one.settings, parents, one.fit.shares, tables, one.pool or 0.0, one.value)
        state = cls.record.save(kept) | ({} if networks else cls.of_forgotten.save(kept))
        if one.paused is None:
            return state
        return state | PAUSED.save(one.paused.position) | _prefixed("search-", one.paused.saved.state)

    @classmethod
    def of(cls, saved: Saved, n: int) -> SavedCandidate:
        """The candidate of an earlier part of the run."""
        kept = cls(n)
        cls.record.load(saved, kept)
        if not kept.parents:
            cls.of_forgotten.load(saved, kept)
        return kept

    def fit(self, rows: TrainValidRows, saved: Saved) -> MixtureFit:
        """Its networks, with the log probabilities of the rows."""
        networks, place = [], 0
        for listed in self.parents:
            parents, tables = tuple(map(tuple, listed)), []
            for shape in (rows.shape_of(v, own_parents) for v, own_parents in enumerate(parents)):
                table = self.tables[place : place + shape[0] * shape[1]]
                place += shape[0] * shape[1]
                if place > len(self.tables) or (np.abs(table.reshape(shape).sum(axis=1) - 1) > SUM_TOLERANCE).any():
                    raise saved.invalid("tables")
                tables.append(table.reshape(shape))
            networks.append(with_tables(rows, parents, tables))
        if place != len(self.tables):
            raise saved.invalid("tables")
        return MixtureFit(tuple(networks), self.shares)


RUN = StateRecord(
    ValueField("candidates", int, natural),
    ValueField("forgotten", list, lambda places, _: all(map(is_index, places))),
)
PAUSED = StateRecord(
    ValueField("seconds", float, lambda seconds, _: 0 <= seconds < math.inf),
    ValueField("iterations", int, natural),
    prefix="paused-",
)


def _prefixed(prefix: str, state: dict[str, Any]) -> dict[str, Any]:
    """A state as part of another, see `Saved.part`."""
    return {prefix + name: value for name, value in state.items()}


def state_of_candidates(candidates: Sequence[Candidate]) -> dict[str, Any]:
    """The state of a run; of the models that were read it has the places of those whose networks were forgotten."""
    made = [one for one in candidates if one.kind != "file"]
    read = [one for one in candidates if one.kind == "file"]
    forgotten = [place for place, one in enumerate(read) if not one.fit.networks]
    state = RUN.save(SimpleNamespace(candidates=len(made), forgotten=forgotten))
    for i, one in enumerate(made):
        state |= _prefixed(f"candidate-{i}-", SavedCandidate.state(one))
    return state


def restored(
    saved: Saved,
    rows: TrainValidRows,
    read: Sequence[Candidate],
    candidate: Callable[[str, dict, MixtureFit], Candidate],
    empirical: Callable[[], Candidate],
) -> Iterator[Candidate]:
    """The candidates of an earlier part of the run.

    Parameters
    ----------
    read
        The models that were read; forgotten if they were.
    candidate
        Makes one from its kind, settings and networks.
    empirical
        Makes the empirical distribution.

    Raises
    ------
    DataError
        The checkpoint is not valid.
    """
    found = SimpleNamespace()
    RUN.load(saved, found)
    if max(found.forgotten, default=-1) >= len(read):
        raise saved.invalid("forgotten")
    for place in found.forgotten:
        read[place].forget()
    for i in range(found.candidates):
        part = saved.part(f"candidate-{i}-")
        kept = SavedCandidate.of(part, rows.codes.shape[1])
        if kept.kind == EMPIRICAL:
            made = empirical()
        elif kept.parents:
            made = candidate(kept.kind, kept.settings, kept.fit(rows, part))
        else:
            forgotten = np.full(len(rows.codes) - rows.train.stop, -np.inf)
            made = Candidate(kept.kind, kept.settings, MixtureFit((), np.zeros(0)), forgotten, kept.value)
        made.pool = kept.pool
        made.paused = _paused(part) if kept.kind == "search" and PAUSED.is_in(part) else None
        yield made


def _paused(saved: Saved) -> Paused:
    """The search of a candidate that can continue; `lsmarkov` checks its state when it does."""
    found = SimpleNamespace()
    PAUSED.load(saved, found)
    return Paused(saved.part("search-"), Position(found.seconds, found.iterations))
