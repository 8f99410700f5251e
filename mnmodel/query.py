"""`mnmodel query`, `marginals` and `mpe`: distributions and the most probable states of a model, given evidence."""

from __future__ import annotations

import json
import logging
import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.csvwriter import csv_text
from ..common.errors import LimitError, UsageError
from ..common.junction.model import TreeModel
from ..common.models.model_names import variables_of
from .evidence import as_named
from .most_probable import most_probable
from .uai_evidence import explanation_answer, marginals_answer, partition_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..common.exact.toulbar2 import Explanation
    from .evidence import ModelEvidence

LOG = logging.getLogger("cliquewise")


def query(evidence: ModelEvidence, of: Sequence[str], fmt: str) -> str:
    """The joint distribution of some variables, given others.

    Parameters
    ----------
    evidence
        The model and the evidence.
    of : sequence of str
        Names, exactly as in the model.
    fmt
        csv, the variables' states and the probability, one line per joint state; after the row's number if the evidence
        is a table, with nan in rows that cannot be answered; or json, as by `all_marginals`, with a list of states and
        probability for each joint state.

    Returns
    -------
    str

    Raises
    ------
    CliquewiseError
        Unknown names, evidence of probability zero, or inference that is too large.
    """
    network = evidence.network
    targets = targets_of(evidence, of)
    of = [network.names[v] for v in targets]
    logs, table = posterior(network, evidence.path, targets, evidence.codes, evidence.likelihoods)
    answered = evidence.check(logs)
    table[~answered] = np.nan
    labels = [network.states[v] for v in targets]
    if fmt == "json":
        return _json_answers(
            evidence,
            logs,
            answered,
            lambda i: {
                "of": of,
                "distribution": [
                    {"states": states, "probability": _json_number(p)}
                    for states, p in zip(product(*labels), table[i].tolist(), strict=True)
                ],
            },
        )
    lines = [
        [*_row(evidence, i), *states, evidence.number(p)]
        for i, probabilities in enumerate(table.tolist())
        for states, p in zip(product(*labels), probabilities, strict=True)
    ]
    return csv_text([[*_head(evidence), *of, "probability"], *lines])


def all_marginals(evidence: ModelEvidence, fmt: str) -> str:
    """The distribution of every variable, given others.

    Parameters
    ----------
    evidence
        The model and the evidence.
    fmt
        csv, with a line for each state, nan in rows of a table that cannot be answered; json, an object by variable
        and state, in a list if the evidence is a table, null for such a row; or uai, the competitions' MAR.

    Returns
    -------
    str

    Raises
    ------
    CliquewiseError
        Evidence of probability zero, or inference that is too large.
    """
    network = evidence.network
    logs, tables = marginals(network, evidence.path, evidence.codes, evidence.likelihoods)
    answered = evidence.check(logs)
    for table in tables:
        table[~answered] = np.nan
    if fmt == "uai":
        return marginals_answer([table[0] for table in tables])
    parts = list(zip(network.names, network.states, (table.tolist() for table in tables), strict=True))
    if fmt == "json":
        return _json_answers(
            evidence,
            logs,
            answered,
            lambda i: {
                "marginals": {
                    name: {label: _json_number(p) for label, p in zip(labels, table[i], strict=True)}
                    for name, labels, table in parts
                }
            },
        )
    lines = [
        [*_row(evidence, i), name, label, evidence.number(p)]
        for i in range(len(logs))
        for name, labels, table in parts
        for label, p in zip(labels, table[i], strict=True)
    ]
    return csv_text([[*_head(evidence), "variable", "state", "probability"], *lines])


def posterior(
    network: Any, path: str, targets: Sequence[int], codes: np.ndarray, likelihoods: dict[int, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The joint distribution of the targets; from the part that they depend on where the whole network is too large."""
    try:
        return network.posterior(codes, targets, likelihoods)
    except LimitError:
        if not isinstance(network, TreeModel):
            raise
        answer = network.relevant_posterior(codes, targets, likelihoods)
        LOG.info("%s: answered from the part of the network that matters; the whole is too large", path)
        return answer


def marginals(
    network: Any, path: str, codes: np.ndarray, likelihoods: dict[int, np.ndarray]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The distributions of all variables; of feasible ones if the whole network is too large, nan of others."""
    try:
        return network.marginals(codes, likelihoods)
    except LimitError as error:
        names = network.names
        if not isinstance(network, TreeModel):
            raise
        LOG.info("%s: all variables together are not feasible; %d are answered one by one", path, len(names))
        logs, tables, beyond = network.marginals_within_reach(codes, likelihoods)
        if len(beyond) == len(names):
            raise error from None
        if beyond:
            v, reason = next(iter(beyond.items()))
            message = "no answer for %d of %d variables, which are not feasible; the first is '%s': %s"
            LOG.warning("%s: " + message, path, len(beyond), len(names), names[v], reason)
        return logs, tables


def _json_answers(
    evidence: ModelEvidence, logs: np.ndarray, answered: np.ndarray, answer: Callable[[int], dict[str, Any]]
) -> str:
    """The answer to each row of evidence with its log probability, as JSON: null where there is none."""
    key = "log-expected-likelihood" if evidence.options.likelihood else "log-probability"
    answers = [
        {key: None if math.isnan(log) else round(log, 9), **answer(i)} if answered[i] else None
        for i, log in enumerate(logs.tolist())
    ]
    return json.dumps(answers if evidence.has_table else answers[0], ensure_ascii=False) + "\n"


def _json_number(p: float) -> float | None:
    """Ten digits of a probability, None for one that is not known."""
    return None if math.isnan(p) else float(f"{p:.10g}")


def partition(evidence: ModelEvidence, fmt: str) -> str:
    """The logarithm of the sum of the product of a model's factors over all states that agree with evidence.

    Parameters
    ----------
    evidence
        The model and the evidence; of a Bayesian network the result is the log probability of the evidence.
    fmt
        text, a natural logarithm; or uai, the competitions' PR.

    Returns
    -------
    str

    Raises
    ------
    CliquewiseError
        Evidence of probability zero, or inference that is too large.
    """
    logs = evidence.network.log_likelihood(evidence.codes, evidence.likelihoods)
    evidence.check(logs)
    log = float(logs[0]) + getattr(evidence.network, "log_partition", 0.0)
    return partition_answer(log) if fmt == "uai" else f"log-partition {log:.10g}\n"


def explanation(evidence: ModelEvidence, of: Sequence[str] | None, fmt: str) -> str:
    """The most probable states of variables together, given others.

    Parameters
    ----------
    evidence
        The model and the evidence.
    of : sequence of str, optional
        Names; the others that are not given are summed out. None: all that are not given.
    fmt
        csv; or uai, the competitions' MPE, or MMAP of some variables.

    Returns
    -------
    str
        A CSV with a line for each row of evidence: the states of all variables, or of those in `of`, and the log
        probability of the states found, given the evidence; `?` and nan for a row that cannot be answered.

    Raises
    ------
    CliquewiseError
        Unknown names, evidence of probability zero, or inference that is too large.
    """
    network = evidence.network
    targets = None if of is None else targets_of(evidence, of)
    totals, logs, codes, searches = most_probable(network, evidence.codes, targets, evidence.likelihoods)
    answered = evidence.check(totals)
    _log_searches(evidence, logs, searches)
    if fmt == "uai":
        return explanation_answer(codes[0].tolist(), targets)
    known_of_all = (codes[answered] >= 0).all(axis=0)  # not the class of a mixture, which is summed out
    shown = np.flatnonzero(known_of_all).tolist() if targets is None else targets
    with np.errstate(invalid="ignore"):
        logs = logs - totals
    lines = [
        [*(network.states[v][row[v]] for v in shown), evidence.number(min(log, 0.0))]
        if possible
        else ["" if evidence.options.skip_bad_rows else "?"] * len(shown) + [evidence.number(math.nan)]
        for row, log, possible in zip(codes.tolist(), logs.tolist(), answered.tolist(), strict=True)
    ]
    return csv_text([[*(network.names[v] for v in shown), "log-probability"], *lines])


def _log_searches(evidence: ModelEvidence, logs: np.ndarray, searches: Sequence[Explanation]) -> None:
    """Log the quality of the states that a search found; `logs` are their log probabilities, with the evidence."""
    for i, one in enumerate(searches):
        where = f"row {i + 1}: " if evidence.has_table else ""
        message = f"found by branch and bound; with the evidence, ln p {logs[i]:.6f}"
        if one.is_optimal:
            LOG.info("%s: %s%s, optimal within %.1e", evidence.path, where, message, one.gap)
        else:
            LOG.warning("%s: %s%s; others may be better by up to %.6g", evidence.path, where, message, one.gap)


def targets_of(evidence: ModelEvidence, of: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the variables of `--of`, of which none may be given: tuple of int."""
    if not of:
        raise UsageError("--of names no variable")
    known = evidence.network.names
    targets = variables_of(known, [as_named(known, name) for name in of], evidence.path)
    evidence.check_unknown(targets)
    return targets


def _head(evidence: ModelEvidence) -> list[str]:
    """The column of the row's number, if there is one."""
    return ["row"] if evidence.has_table else []


def _row(evidence: ModelEvidence, i: int) -> list[str]:
    """The number of a row of evidence, from 1, if there are several."""
    return [str(i + 1)] if evidence.has_table else []
