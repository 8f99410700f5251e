"""The candidates of `mnmodel mixture` in a checkpoint: their kinds, settings and structures, and all tables in a row.

A search that can go on is part of it. The empirical distribution is only named. Of a candidate whose networks were
forgotten its value is kept.

Log probabilities are computed from the tables, in the order in which they were before, so that a resumed run continues
with the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..common.graphs.dag import Dag
from ..common.run.monitor import Paused
from ..common.run.saved import Saved, is_index
from .em import MixtureFit, with_tables
from .pool import EMPIRICAL, SIZES, Candidate
from .rows import TrainValidRows

SETTINGS = ("ess", "fit-ess", "sample", "asked", "parts", "weight")
SUM = 1e-9  # by which probabilities may miss 1


def state_of_candidates(candidates: Sequence[Candidate]) -> dict[str, Any]:
    """The state of a run; models that were read are not part of it."""
    made = [one for one in candidates if one.kind != "file"]
    tables = [t.ravel() for one in made for network in one.parts.networks for t in network.tables]
    listed: list[dict[str, Any]] = []
    arrays: dict[str, np.ndarray] = {}
    for i, one in enumerate(made):
        structures = [network.parents for network in one.parts.networks]
        listed.append({"kind": one.kind, "settings": one.settings, "parents": structures})
        if not structures:
            listed[i]["value"] = one.value
        if one.paused is not None:
            state = one.paused.saved.state
            kept = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
            values = {name: value for name, value in state.items() if name not in kept}
            listed[i]["paused"] = {
                "seconds": one.paused.seconds,
                "iterations": one.paused.iterations,
                "values": values,
                "arrays": sorted(kept),
            }
            arrays |= {_name(i, name): array for name, array in kept.items()}
    return {
        **arrays,
        "candidates": listed,
        "tables": np.concatenate([np.zeros(0), *tables]),
        "shares": np.concatenate([np.zeros(0), *(one.parts.shares for one in made)]),
    }


def _name(i: int, name: str) -> str:
    """Of an array of the paused search of candidate i."""
    return f"search-{i}-{name}"


def _paused(saved: Saved, i: int, told: dict[str, Any] | None) -> Paused | None:
    """The search of candidate i that can go on; `lsmarkov` checks its state when it does."""
    if told is None:
        return None
    state = {**told["values"], **{name: saved.state.get(_name(i, name)) for name in told["arrays"]}}
    return Paused(Saved(state, saved.path), told["seconds"], told["iterations"])


def restored(
    saved: Saved,
    rows: TrainValidRows,
    candidate: Callable[[str, dict, MixtureFit], Candidate],
    empirical: Callable[[], Candidate],
) -> Iterator[Candidate]:
    """The candidates of an earlier part of the run.

    Parameters
    ----------
    candidate
        Makes one from its kind, settings and networks.
    empirical
        Makes that of the rows themselves.

    Raises
    ------
    DataError
        The checkpoint is not valid.
    """
    n = rows.codes.shape[1]
    kept = saved.value("candidates", list, lambda several: all(_is_candidate(one, n) for one in several))
    tables = saved.array("tables", np.zeros(0), lambda array: bool((array > 0).all() and (array <= 1).all()))
    shares = saved.array("shares", np.zeros(0), lambda array: bool((array > 0).all() and (array <= 1).all()))
    place, of_share, found = 0, 0, []
    for one in kept:
        networks = []
        for listed in one["parents"]:
            parents, each = tuple(map(tuple, listed)), []
            for v, own_parents in enumerate(parents):
                shape = rows.shape_of(v, own_parents)
                table = tables[place : place + shape[0] * shape[1]]
                place += shape[0] * shape[1]
                if len(table) < shape[0] * shape[1] or (np.abs(table.reshape(shape).sum(axis=1) - 1) > SUM).any():
                    raise saved.wrong("tables")
                each.append(table.reshape(shape))
            networks.append(with_tables(rows, parents, each))
        own = shares[of_share : of_share + len(networks)]
        of_share += len(networks)
        if len(own) < len(networks) or (networks and abs(own.sum() - 1) > SUM):
            raise saved.wrong("shares")
        found.append((one["kind"], one["settings"], MixtureFit(tuple(networks), own.copy())))
    if place != len(tables) or of_share != len(shares):
        raise saved.wrong("tables")
    for i, (kind, settings, parts) in enumerate(found):
        if not parts.networks:
            logs = np.full(len(rows.codes) - rows.train.stop, -np.inf)
            made = Candidate(kind, settings, parts, logs, kept[i]["value"])
        else:
            made = empirical() if kind == EMPIRICAL else candidate(kind, settings, parts)
        made.paused = _paused(saved, i, kept[i].get("paused"))
        yield made


def _is_candidate(one: Any, n: int) -> bool:
    """Whether a JSON value describes a candidate, in a model of n variables."""
    settings, networks = one["settings"], one["parents"]
    if one["kind"] == EMPIRICAL:
        return settings == {} and networks == [[]] and "paused" not in one
    numbers = all(key in SETTINGS and (value is None or _is_number(value)) for key, value in settings.items())
    alone = one["kind"] in ("grown", "sparse", "search")
    needed = ("ess", "fit-ess") if alone else ("ess", "asked")
    return (
        (alone or one["kind"] in ("extended", "free"))
        and numbers
        and all(_is_number(settings.get(key)) for key in needed)
        and settings["ess"] in SIZES
        and (alone or is_index(settings["asked"]))
        and (len(networks) >= 1 or _is_value(one.get("value")))
        and (not alone or len(networks) == 1)
        and all(_are_parents(parents, n) for parents in networks)
        and ("paused" not in one or (one["kind"] == "search" and _is_paused(one["paused"])))
    )


def _is_paused(told: Any) -> bool:
    """Whether a JSON value describes a paused search."""
    return (
        set(told) == {"seconds", "iterations", "values", "arrays"}
        and _is_number(told["seconds"])
        and is_index(told["iterations"])
        and isinstance(told["values"], dict)
        and all(isinstance(name, str) for name in told["arrays"])
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _is_value(value: Any) -> bool:
    """Whether this is a mean log probability."""
    return isinstance(value, float) and -1e12 < value <= 0


def _are_parents(parents: Any, n: int) -> bool:
    """Whether a JSON value lists the parents of n variables, without a cycle."""
    if not isinstance(parents, list) or len(parents) != n:
        return False
    if not all(isinstance(own_parents, list) and all(is_index(u, n) for u in own_parents) for own_parents in parents):
        return False
    if any(own_parents != sorted({*own_parents}) or v in own_parents for v, own_parents in enumerate(parents)):
        return False
    return Dag.from_parents(parents, tuple(map(str, range(n)))).order() is not None
