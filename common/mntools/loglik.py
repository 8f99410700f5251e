"""`mntools loglik`: how probable rows are under models that are read or fitted, or under a mixture of them."""

import json
import logging
import math

import numpy as np

from cliquewise.common.cli.options import InputOptions
from cliquewise.common.errors import UsageError
from cliquewise.common.files.input_stream import read_text
from cliquewise.common.mntools.fit import FitOptions
from cliquewise.common.models.inference import log_likelihood
from cliquewise.common.models.mixture import em_weights, mixture
from cliquewise.common.models.model_data import codes_for, read_rows
from cliquewise.common.models.model_file import looks_like_model, read_model

LOG = logging.getLogger("cliquewise")


def read_or_fit(paths, source_options, options):
    """The models that files say, and the data to evaluate them on.

    Parameters
    ----------
    paths : sequence of str
        Models and then data; or data, graphs (or models) to fit to them, and then the data to evaluate on.
    source_options : InputOptions
        How to read the data to fit to.
    options : FitOptions

    Returns
    -------
    (list of BayesianNetwork or FittedNetwork, str)
        And the last path.

    Raises
    ------
    UsageError
        Too few files; options for a fit with models that need none.
    DataError
        A broken file.
    """
    *rest, last = paths
    if looks_like_model(paths[0]):
        if options != FitOptions() or source_options.missing != "refuse":
            raise UsageError("--ess, --ml, --missing and --states-of are for a fit; with MODEL leave them out")
        return [read_model(path) for path in rest], last
    if len(paths) < 3:
        read_text(paths[0], "a model")  # which may be what is wrong
        raise UsageError(f"{paths[0]} is not a model; give MODEL DATA, or DATA GRAPH TEST to fit and evaluate")
    first, *graphs = rest
    data = options.load(InputOptions(first, source_options.header, source_options.missing))
    models = [read_model(path) if looks_like_model(path) else options.fit(data, path)[0] for path in graphs]
    return models, last


def _row_logs(models, path, header):
    """Log probabilities of the rows of a file under each model: float64[models, rows]."""
    data = read_rows(path, header)
    return np.array([log_likelihood(model, codes_for(model, data)) for model in models])


def evaluate(models, path, header, weights_from=None):
    """Log probabilities of rows under a mixture of models.

    Parameters
    ----------
    models : sequence of BayesianNetwork or FittedNetwork
    path : str
        A CSV.
    header : str
        auto, yes or no.
    weights_from : str, optional
        A CSV by whose rows the weights are fitted; equal weights without.

    Returns
    -------
    (float64[rows], float64[models])
        And the weights.

    Raises
    ------
    CliquewiseError
        Data that do not fit the models.
    """
    weights = np.full(len(models), 1 / len(models))
    if weights_from is not None:
        weights = em_weights(_row_logs(models, weights_from, header), weights_from)
    rows = mixture(_row_logs(models, path, header), weights)
    impossible = np.isneginf(rows)
    if impossible.any():
        LOG.warning(
            "%s: rows of probability zero: %d of %d, the first is row %d",
            path,
            impossible.sum(),
            len(rows),
            impossible.argmax() + 1,
        )
    return rows, weights


def summary(rows, weights, fmt):
    """The mean log probability of rows in words.

    Parameters
    ----------
    rows : float64[rows]
    weights : float64[models]
        Told where there are several.
    fmt : str
        text or json, which has null for what is not finite.

    Returns
    -------
    str
        With its standard error, which one row, or one of probability zero, has not.
    """
    finite = len(rows) > 1 and np.isfinite(rows).all()
    error = float(rows.std(ddof=1) / math.sqrt(len(rows))) if finite else math.nan
    result = {"loglik": float(rows.mean()), "standard-error": error}
    if fmt == "json":
        told = {key: round(value, 9) if math.isfinite(value) else None for key, value in result.items()}
        return json.dumps({**told, "rows": len(rows), "weights": [round(float(weight), 9) for weight in weights]})
    told = " ".join(f"{key} {value:.6f}" for key, value in result.items()) + f" rows {len(rows)}"
    return told + (f" weights {','.join(f'{weight:.6f}' for weight in weights)}" if len(weights) > 1 else "")
