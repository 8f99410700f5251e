"""Detection of a column of counts or weights that no option declares, by its name and its numbers.

A table of counts has them last, and no two rows agree in the other columns. Weights are known by a name such as
`survey_weight`, and some are not whole. A column that is only called `weight` can be what people, parcels or cars
weigh, too. Weights are then recognised by what nobody measures: a mean of 1, to which programs scale them, or
mostly more than three decimals.
"""

from __future__ import annotations

import logging
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .counts import count_of, without_column
from .merging import distinct_rows
from .weights import weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dataset import Dataset

LOG = logging.getLogger("cliquewise")
_COUNTS = {"freq", "frequency", "n", "count", "counts", "freqs", "frequencies", "n_rows", "cases", "anzahl"}
_WEIGHT = "(?:weights?|wgts?|wts?)"
_OF_ROWS = (
    "survey|svy|sampl(?:e|ing)|row|case|person|resp(?:ondent)?|household|hh|design|prob(?:ability)?|analy(?:sis|tic)|"
    r"post_?strat\w*|inverse_prob\w*|raked|nonresponse|per|asec|llcp|p|d|an"
)
_WEIGHTS = re.compile(
    rf"_?(?:{_OF_ROWS})_?{_WEIGHT}|{_WEIGHT}_?(?:{_OF_ROWS})|{_WEIGHT}_?factors?|pspwght|wtss\w*|wt(?:mec|int)\w*|"
    "iptw|ipw|gewichtung(?:sfaktor)?|hochrechnungsfaktor"
)
_MAY_BE_WEIGHED = re.compile(rf"(?:final_?)?{_WEIGHT}|w|wght|gewicht|poids|peso")
_NEAR_ONE = 0.02  # the mean of scaled weights
_DECIMALS = 3  # of measurements, at most


def suspected_column(data: Dataset) -> tuple[str, str] | None:
    """A column that seems to contain counts or weights of rows.

    Parameters
    ----------
    data
        As read, without these.

    Returns
    -------
    (str, str) or None
        The option that names such a column, without its dashes, and the column.
    """
    if data.n < 3 or data.n_stored < 2:
        return None
    if _seem_counts(data):
        return "counts", data.names[-1]
    return next((("weights", name) for v, name in enumerate(data.names) if _seem_weights(data, v)), None)


def kind_of_suspected(option: str) -> str:
    """The kind of a column that `suspected` found."""
    return "the number of rows that each row stands for" if option == "counts" else "the weight of each row"


def warn_of_suspected(data: Dataset, what: str, among: Sequence[str]) -> None:
    """Warn about a column of counts or weights that no option declares.

    Parameters
    ----------
    what
        Its present use.
    among
        Columns of which this is true.
    """
    found = suspected_column(data)
    if found is not None and found[1] in among:
        option, name = found
        message = f"column '{name}' seems to give {kind_of_suspected(option)}, but is {what}"
        LOG.warning("%s: %s; %s if it does", data.source, message, shlex.join([f"--{option}={name}"]))


def _seem_counts(data: Dataset) -> bool:
    """Whether the last column has such a name, and no two rows agree in the others.

    Of the other columns none is different in most rows, as measurements and identifiers are.
    """
    if data.names[-1].strip().lower() not in _COUNTS:
        return False
    numbers = [count_of(label) for label in data.states[-1]]
    if min(numbers) < 0 or max(numbers) < 2 or 2 * data.arity[:-1].max() > data.n_rows:
        return False
    others = without_column(replace(data, counts=None), data.n - 1)
    return len(distinct_rows(others)[0]) == data.n_rows


def _seem_weights(data: Dataset, v: int) -> bool:
    """Whether a column has such a name, which other columns can have too, and its cells are weights."""
    name = re.sub(r"[\W_]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", data.names[v].strip())).lower()
    is_named = _WEIGHTS.fullmatch(name) is not None
    if not is_named and _MAY_BE_WEIGHED.fullmatch(name) is None:
        return False
    found = weights_of(data.states[v])
    weights = [weight for weight in found if weight is not None]
    if len(weights) < len(found) or all(weight == int(weight) for weight in weights):
        return False
    if is_named:
        return True
    many_decimals = sum(-int(weight.normalize().as_tuple().exponent) > _DECIMALS for weight in weights)
    row_counts = np.bincount(data.codes[:, v], data.row_counts, len(weights))
    mean = float(np.average(np.array(weights, float), weights=row_counts))
    return 2 * many_decimals > len(weights) or abs(mean - 1) <= _NEAR_ONE
