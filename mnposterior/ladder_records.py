"""The fields of a checkpoint for the ladders of `mnposterior.ladders`, and which values are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.run.saved import MAX_COUNTER
from ..common.run.state_record import ArrayField, StateRecord, ValueField, anything, natural
from .chains_kernels import MAX_FLIP_SETS
from .draws_kernels import COUNT, ROUNDS_PER_DRAW
from .temperatures import max_temperatures

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MIN_POSITIVE, MAX_ABS_SCORE = 1e-200, 1e100  # of shares and inverse temperatures; of scores


def are_scores(found: Any, _owner: object) -> bool:
    """Whether scores are finite, also when they are multiplied."""
    return (np.abs(found) < MAX_ABS_SCORE).all()


def _at_least(least: float) -> Callable:
    """Whether all values of an array are finite, and not below `least`."""
    return lambda found, _: ((found >= least) & (found < MAX_COUNTER)).all()


def _are_starts(found: np.ndarray, end: int) -> bool:
    """Whether parts of an array of length `end` that are not empty begin there."""
    return bool(
        0 < len(found) <= MAX_FLIP_SETS + 1 and found[0] == 0 and found[-1] == end and (np.diff(found) > 0).all()
    )


def _are_temperatures(beta: np.ndarray, own: Any) -> bool:
    """Whether a ladder can have these inverse temperatures."""
    return 1 <= len(beta) <= max_temperatures(own.scorer.n) and _at_least(MIN_POSITIVE)(beta, own)


def _have_all_draws(is_valid: Callable) -> Callable:
    """Whether arrays with a row for each ladder are valid, and have as many draws as there are."""
    return lambda found, draws: found.shape[1] == len(draws[0].scores) and is_valid(found, draws)


# of all ladders, of their Proposals, of each ladder, of its Draws
LADDER = StateRecord(
    ArrayField("beta", _are_temperatures, any_length=True),
    ValueField("beta_min", float, lambda found, _: MIN_POSITIVE <= found <= 1.0),
)
PROPOSALS = StateRecord(
    ArrayField("pair_shares", _at_least(MIN_POSITIVE)),
    *(ArrayField(name, _at_least(0.0)) for name in ("partners", "toggles", "proposals")),
    ArrayField("flip_pairs", lambda found, owner: ((found >= 0) & (found < len(owner.ends))).all(), any_length=True),
    ArrayField("flip_first", lambda found, owner: _are_starts(found, len(owner.flip_pairs)), any_length=True),
)
CHAIN_STATE = (
    "place",
    "adjacency",
    "values",
    "edges",
    "random",
    "proposed",
    "accepted",
    "toggled",
    "flips",
    "rejected",
    "rounds",
)
DRAWS = StateRecord(
    ArrayField("sums", natural),
    ArrayField(
        "numbers",
        lambda found, draws: (
            natural(found, draws)
            and (found == found[0]).all()
            and 0 <= found[0, COUNT] <= len(draws[0].scores)
            and found[0, ROUNDS_PER_DRAW] >= 1
        ),
    ),
    prefix="draws-",
)
DRAWN = StateRecord(
    ArrayField("graphs", _have_all_draws(anything)),
    ArrayField("scores", _have_all_draws(are_scores)),
    ArrayField("edges", _have_all_draws(natural)),
    prefix="draws-",
)
