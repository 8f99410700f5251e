"""Bayesian networks as JSON, one variable per line:

    {"format": "cliquewise network", "header": {...}, "variables": [
    {"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]},
    {"name": "road", "states": ["dry", "wet"], "parents": ["rain"], "probabilities": [[0.9, 0.1], [0.2, 0.8]]}
    ]}

Probabilities have one row per joint state of the parents, the last parent changing fastest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from .bayesnet import checked_network

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

FORMAT = "cliquewise network"


def json_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of a JSON file in pieces, for `common.files.atomic_write.write_whole`."""
    yield f'{{"format": "{FORMAT}", "header": {json.dumps(header, ensure_ascii=False)}, "variables": [\n'
    for v, table in enumerate(network.tables):
        variable = {
            "name": network.names[v],
            "states": network.states[v],
            "parents": [network.names[parent] for parent in network.parents[v]],
            "probabilities": table.tolist(),
        }
        yield json.dumps(variable, ensure_ascii=False) + (",\n" if v < network.n - 1 else "\n")
    yield "]}\n"


def parse_model_json(text: str, path: str) -> BayesianNetwork:
    """The network in a JSON text.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Not JSON (with the line), or not a network.
    """
    try:
        top = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"broken JSON: {error.msg}", path, error.lineno) from error
    try:
        if top["format"] != FORMAT:
            raise KeyError("format")
        variables = top["variables"]
        parts = [[each[key] for each in variables] for key in ("name", "states", "parents", "probabilities")]
        names, states, parents = parts[0], *([list(map(str, group)) for group in part] for part in parts[1:3])
        tables = [np.asarray(table, dtype=np.float64) for table in parts[3]]
    except KeyError as error:
        raise DataError(f"no {error} in it, or another one; expected a network of mnmodel fit", path) from None
    except (TypeError, ValueError):
        raise DataError("not laid out as a network of mnmodel fit", path) from None
    return checked_network(list(map(str, names)), states, parents, tables, path)
