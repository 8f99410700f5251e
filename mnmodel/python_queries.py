"""Queries to a model from Python, as by `mnmodel query`, `marginals`, `mpe`, `predict`, `impute` and `sample`.

Evidence is a dict of variable and state, a table is of any kind that `common.data.frame` reads. A table of answers is
of the same kind as the input; without a table as input, it is a dict of columns.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..common.arguments import MAX_DRAWS, as_dict, one_of, whole_number
from ..common.data.dataset import Dataset
from ..common.data.frame import cell_as_text, data_or_frame, name_as_text, names_of
from ..common.data.reading import MISSING, Reading
from ..common.errors import DataError, UsageError
from ..common.models.bayesnet import BayesianNetwork
from ..common.models.model_data import read_rows
from ..common.models.model_names import state_of, variables_of
from .evidence import refuse_both
from .intervention import NEED_CAUSES, UNDIRECTED, mutilated_network
from .predict import filled, predicted_states
from .query import posterior
from .soft_evidence import proper_distribution, soft_evidence_likelihoods

MODEL = "the model"


def evidence_codes(network: Any, given: Mapping[str, Any] | None) -> np.ndarray:
    """Findings as codes, int32[1, n]: -1 is not known.

    Parameters
    ----------
    network
    given
        The state of each observed variable; None or NaN is not known.

    Raises
    ------
    DataError
        A variable or state that the model does not have.
    """
    codes = np.full((1, network.n), -1, np.int32)
    states = as_dict("given", given, "variables and their states")
    for v, label in zip(variables_of(network.names, names_of(states), MODEL, "given"), states.values(), strict=True):
        text = cell_as_text(label)
        if text or text in network.states[v]:
            codes[0, v] = state_of(network, v, text, MODEL)
    return codes


def after_intervention(
    network: BayesianNetwork, header: Mapping[str, str], states: Mapping[str, Any]
) -> BayesianNetwork:
    """The network in which some variables are set to states.

    Parameters
    ----------
    header
        Of the model.
    states
        As `given` of `evidence_codes`, but all are known.

    Raises
    ------
    UsageError
        The model was fitted to an undirected network; no variable is set, or one has no state.
    DataError
        As `evidence_codes`.
    """
    if header.get("network") == "chordal":
        raise UsageError(f"the model was {UNDIRECTED}; {NEED_CAUSES}")
    codes = evidence_codes(network, states)[0]
    done = {v: int(codes[v]) for v in np.flatnonzero(codes >= 0).tolist()}
    if not done or len(done) < len(states):
        raise UsageError(f"states: found {states}, expected at least one variable, each with a state to set it to")
    return mutilated_network(network, done)


def query_evidence(
    network: Any,
    given: Mapping[str, Any] | None,
    likelihood: Mapping[str, Sequence[float]] | None,
    soft: Mapping[str, Sequence[float]] | None,
) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """The evidence of a single query: int32[1, n], and likelihoods by variable.

    Parameters
    ----------
    network, given
        As for `evidence_codes`.
    likelihood
        A number for each state of a variable.
    soft
        The probability of each state of a variable, as soft evidence.

    Raises
    ------
    DataError
        As `evidence_codes`; numbers that do not fit, a variable with two kinds of evidence, impossible distributions.
    """
    codes = evidence_codes(network, given)
    likelihoods = _numbers_by_state(network, as_dict("likelihood", likelihood, "variables and numbers"), "likelihood")
    fixed = {v: proper_distribution(network.names[v], numbers, None) for v, numbers in
             _numbers_by_state(network, as_dict("soft", soft, "variables and probabilities"), "soft evidence").items()
             }  # fmt: skip
    findings = np.flatnonzero(codes[0] >= 0).tolist()
    refuse_both(network, findings, likelihoods, "given and has a likelihood", MODEL)
    refuse_both(network, findings, fixed, "given and has soft evidence", MODEL)
    refuse_both(network, likelihoods, fixed, "known by a likelihood and by soft evidence", MODEL)
    return codes, soft_evidence_likelihoods(network, codes, fixed, likelihoods, MODEL) if fixed else likelihoods


def _numbers_by_state(network: Any, numbers_of: Mapping[str, Sequence[float]], what: str) -> dict[int, np.ndarray]:
    """A number of at least 0 for each state of some variables."""
    found = {}
    for v, numbers in zip(
        variables_of(network.names, names_of(numbers_of), MODEL, "given"), numbers_of.values(), strict=True
    ):
        try:
            vector = np.asarray(_in_order_of(network.states[v], numbers), float)
        except (KeyError, TypeError, ValueError):
            vector = np.empty(0)
        fits = vector.shape == (len(network.states[v]),)
        if not fits or not (np.isfinite(vector).all() and vector.min() >= 0 < vector.max()):
            wanted = f"{len(network.states[v])} numbers of at least 0, one for each state, not all 0"
            raise DataError(f"{what} of '{network.names[v]}': expected {wanted}")
        found[v] = vector
    return found


def _in_order_of(states: Sequence[str], numbers: Any) -> Any:
    """Numbers of states in their order, if they have the states as keys; KeyError if these are not the same."""
    if not hasattr(numbers, "keys"):
        return numbers
    by_state = {cell_as_text(state): value for state, value in dict(numbers).items()}
    if by_state.keys() != set(states):
        raise KeyError
    return [by_state[state] for state in states]


def refuse_impossible(logs: np.ndarray) -> None:
    """DataError if the evidence of a single question has probability zero."""
    if np.isneginf(logs).any():
        raise DataError("the evidence has probability zero")


def rows_of(table: Any, network: Any, same_states: str) -> Dataset:
    """The rows of a table for a model; cells for which the model has no state are missing."""
    one_of("same_states", same_states, ("auto", "fold"))
    source: Any = table if isinstance(table, str | os.PathLike) else data_or_frame(table)
    return read_rows(source, Reading(missing="state", same_states=same_states), network=network)


def joint(network: Any, of: Sequence[str], codes: np.ndarray, likelihoods: dict[int, np.ndarray]) -> dict[Any, float]:
    """Probabilities of the joint states of some variables; a state for one variable, otherwise tuples of states."""
    targets = variables_of(network.names, of, MODEL)
    if not targets:
        raise UsageError("of: no variable; name one, or several")
    given = [network.names[v] for v in targets if codes[0, v] >= 0]
    if given:
        raise DataError(f"variable '{given[0]}' is both queried and given; leave one of them out")
    logs, table = posterior(network, MODEL, targets, codes, likelihoods)
    refuse_impossible(logs)
    keys = list(product(*(network.states[v] for v in targets)))
    named = [key[0] for key in keys] if len(targets) == 1 else keys
    return dict(zip(named, table[0].tolist(), strict=True))


def predicted(
    network: Any, table: Any, target: str, proba: bool, skip_bad_rows: bool, same_states: str
) -> dict[str, list[Any]]:
    """The most probable state of a variable in each row with its probability, or the probability of each state."""
    (v,) = variables_of(network.names, [name_as_text(target)], MODEL)
    _, probability, impossible, best = predicted_states(network, rows_of(table, network, same_states), v, skip_bad_rows)
    if proba:
        return {label: probability[:, k].tolist() for k, label in enumerate(network.states[v])}
    labels = [None if bad else network.states[v][k] for k, bad in zip(best.tolist(), impossible, strict=True)]
    return {network.names[v]: labels, "probability": probability.max(axis=1).tolist()}


def imputed(
    network: Any, table: Any, draws: int | None, seed: int, skip_bad_rows: bool, same_states: str
) -> dict[str, list[Any]]:
    """The rows with imputed missing cells."""
    draws = None if draws is None else whole_number("draws", draws, 1, MAX_DRAWS)
    seed = whole_number("seed", seed, 0)
    rows = rows_of(table, network, same_states)
    return columns_of(filled(network, rows, draws, seed, skip_bad_rows), set(network.names))


def columns_of(data: Dataset, full: Container[str]) -> dict[str, list[Any]]:
    """The cells of data as columns; None for a missing cell, which `full` columns do not have: there it is a state."""
    found = {}
    for v, name in enumerate(data.names):
        labels = [None if label in MISSING and name not in full else label for label in data.states[v]]
        found[name] = [labels[k] for k in data.codes[:, v].tolist()]
    return found


def sampled(network: Any, rows: int, seed: int, codes: np.ndarray) -> dict[str, list[str]]:
    """Independent rows, given findings."""
    rows = whole_number("rows", rows, 1)
    rng = np.random.default_rng([whole_number("seed", seed, 0), 1])
    if (codes < 0).all():
        return columns_of(network.sample(rows, rng), network.names)
    logs, drawn = network.draw_missing(codes, rng, rows)
    refuse_impossible(logs)
    cells = drawn[0]
    return {name: [network.states[v][k] for k in cells[:, v].tolist()] for v, name in enumerate(network.names)}
