"""`mnmodel query` and `mnmodel predict`: the distribution of some variables of a model, given others."""

import csv
import logging

import numpy as np

from ..common.data.counts import split_counts
from ..common.data.csvwriter import cell_text
from ..common.errors import DataError, UsageError
from .inference import posterior
from .model_data import UNKNOWN, codes_for, state_of, variables_of

LOG = logging.getLogger("cliquewise")


def query(network, path, of, given):
    """The joint distribution of some variables, given others.

    Parameters
    ----------
    network : BayesianNetwork
    path : str
        Its file, for messages.
    of : sequence of str
        Names.
    given : sequence of str
        `NAME=STATE` each; names and states exactly as in the model.

    Returns
    -------
    str
        A CSV: the variables' states and the probability, one line per joint state.

    Raises
    ------
    CliquewiseError
        Unknown names or states, evidence of probability zero, or inference that is too large.
    """
    if not of:
        raise UsageError("--of names no variable")
    targets = variables_of(network, of, path)
    pairs = [_name_and_state(network, each) for each in given]
    evidence = variables_of(network, [name for name, _ in pairs], path, "given")
    both = set(targets) & set(evidence)
    if both:
        raise DataError(f"variable '{network.names[min(both)]}' is both asked for and given", path)
    codes = np.full((1, network.n), -1, dtype=np.int32)
    for v, (_, label) in zip(evidence, pairs, strict=True):
        codes[0, v] = state_of(network, v, label, path)
    logs, table = posterior(network, codes, targets)
    if np.isneginf(logs[0]):
        raise DataError(f"the evidence has probability zero: {', '.join(given)}", path)
    if evidence:
        LOG.info("log probability of the evidence %.6f", logs[0])
    labels = [network.states[v] for v in targets]
    joint = np.indices([len(states) for states in labels]).reshape(len(targets), -1).T
    lines = [
        [*(states[k] for states, k in zip(labels, codes, strict=True)), f"{chance:.10g}"]
        for codes, chance in zip(joint.tolist(), table[0], strict=True)
    ]
    return _csv([[*of, "probability"], *lines])


def predict(network, path, data, target, counts=None):
    """The most probable state of a variable in each row.

    Parameters
    ----------
    network : BayesianNetwork
    path : str
        Its file, for messages.
    data : Dataset
        Its column of the target, if any, is used only to count correct predictions.
    target : str
    counts : str, optional
        The column that says how many rows each one stands for, for that number.

    Returns
    -------
    str
        A CSV: state and probability, one line per row; `?` and nan if the row has probability zero.

    Raises
    ------
    CliquewiseError
        An unknown variable, data that do not fit, or inference that is too large.
    """
    (v,) = variables_of(network, [target], path)
    data, times = split_counts(data, counts)
    codes = codes_for(network, data, optional=(target,))
    logs, table = posterior(network, codes, (v,))
    impossible = np.isneginf(logs)
    if impossible.any():
        LOG.warning(
            "%s: rows of probability zero, without a prediction: %d, the first is row %d",
            data.source,
            impossible.sum(),
            impossible.argmax() + 1,
        )
    best = np.where(impossible, 0, np.where(np.isnan(table), -1.0, table).argmax(axis=1))
    known = ((codes[:, v] >= 0) | (codes[:, v] == UNKNOWN)) & ~impossible
    if known.any():
        right, asked = int(times[known & (best == codes[:, v])].sum()), int(times[known].sum())
        LOG.info("%s: right in %d of %d rows that have it (%.4f)", target, right, asked, right / max(1, asked))
    chances = table[np.arange(len(best)), best]
    lines = [
        ["?" if bad else network.states[v][k], f"{chance:.10g}"]
        for k, chance, bad in zip(best.tolist(), chances, impossible, strict=True)
    ]
    return _csv([[target, "probability"], *lines])


def evidence_of(given):
    """The `NAME=STATE` of every `--given`: list of str; UsageError for one that has none."""
    for text in given:
        if not split_names(text):
            raise UsageError(f"--given '{text}': expected NAME=STATE")
    return [pair for text in given for pair in split_names(text)]


def split_names(text):
    """Names separated by commas, quoted as in a CSV if they contain one; blanks belong to them: list of str."""
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        raise UsageError(f"'{text}' is not a list of names separated by commas: {error}") from None


def _name_and_state(network, pair):
    """`NAME=STATE`, split so that the name is one of the model's, otherwise at the first `=`."""
    for i in (i for i, character in enumerate(pair) if character == "="):
        if pair[:i] in network.names:
            return pair[:i], pair[i + 1 :]
    name, equals, label = pair.partition("=")
    if not equals:
        raise UsageError(f"--given '{pair}': expected NAME=STATE")
    return name, label


def _csv(lines):
    """Rows of cells as CSV text, which `common.data.csvfile` reads back as they are."""
    return "".join(",".join(map(cell_text, line)) + "\n" for line in lines)
