"""Bayesian networks and mixtures of them as JSON, one variable per line:

    {"format": "cliquewise network", "header": {...}, "variables": [
    {"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]},
    {"name": "road", "states": ["dry", "wet"], "parents": ["rain"], "probabilities": [[0.9, 0.1], [0.2, 0.8]]}
    ]}

Probabilities have one row per joint state of the parents, the last parent changing fastest. Where the full table would
be large there is `"seen": [[0, 1, 1], ...]`, the numbers of the parents' states in each row; in all other states of the
parents the variable's states are equally likely.

A mixture has the format `cliquewise mixture`, the name of its hidden class, weights, and a list of such lines for each
network instead of one:

    {"format": "cliquewise mixture", "header": {...}, "class": "class", "weights": [0.3, 0.7], "networks": [
    [
    {"name": "rain", ...},
    ...
    ],
    ...
    ]}

In place of a list of lines an empirical distribution has its rows, numbers of states in the order of the variables:

    {"probabilities": [0.75, 0.25], "rows": [
    [0, 0],
    [1, 1]
    ]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from ..errors import DataError
from ..files.json_text import header_json, parsed_json
from .appearance import Appearance
from .bayesnet import BayesianNetwork, checked_network
from .empirical import Empirical
from .mixture import Mixture, component_networks
from .probabilities import sums_to_one
from .sparse_cpt import SparseCPT

FORMAT, MIXTURE = "cliquewise network", "cliquewise mixture"
PER_STATE, PER_PROBABILITY = 8, 26  # characters of a number, with those around it


def json_pieces(model: BayesianNetwork | Mixture, header: dict[str, str]) -> Iterator[str]:
    """The text of a JSON file in pieces, for `common.files.atomic_write.write_whole`."""
    is_mixture = isinstance(model, Mixture)
    yield f'{{"format": "{MIXTURE if is_mixture else FORMAT}", "header": {header_json(header)}, '
    if isinstance(model, Mixture):
        yield f'"class": {_text(model.hidden)}, "weights": {_text(model.weights.tolist())}, "networks": [\n'
        for k, network in enumerate(model.networks):
            yield ",\n" if k else ""
            if isinstance(network, Empirical):
                yield f'{{"probabilities": {_text(network.probabilities.tolist())}, "rows": [\n'
                yield from (("" if i == 0 else ",\n") + _text(row.tolist()) for i, row in enumerate(network.rows))
                yield "\n]}"
            else:
                yield from ("[\n", *_lines(network), "]")
        yield "\n]}\n"
        return
    yield '"variables": [\n'
    yield from _lines(model)
    yield "]}\n"


def fits_in(model: BayesianNetwork | Mixture, most: int) -> bool:
    """Whether the text of a model, without a header, has at most this number of characters.

    It is counted only if the numbers, which are most of it, could have half as many: counting takes as long as writing.
    """
    could = 0
    for network in component_networks(model):
        tables = (
            [(network.rows, network.probabilities)] if isinstance(network, Empirical) else map(_numbers, network.tables)
        )
        could += sum(PER_STATE * states.size + PER_PROBABILITY * probabilities.size for states, probabilities in tables)
    return could < most / 2 or sum(map(len, json_pieces(model, {}))) <= most


def _numbers(table: np.ndarray | SparseCPT) -> tuple[np.ndarray, np.ndarray]:
    """States and probabilities of a table."""
    return (table.seen, table.probabilities) if isinstance(table, SparseCPT) else (np.zeros(0), table)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(network: BayesianNetwork) -> Iterator[str]:
    """A line for each variable."""
    for v, table in enumerate(network.tables):
        variable = {
            "name": network.names[v],
            "states": network.states[v],
            "parents": [network.names[parent] for parent in network.parents[v]],
        }
        if network.appearances is not None:
            shown = vars(network.appearances[v]).items()
            variable |= {key: value for key, value in shown if value}
        if isinstance(table, SparseCPT):
            variable |= {"seen": table.seen.tolist()}
            table = table.probabilities
        variable |= {"probabilities": table.tolist()}
        yield _text(variable) + (",\n" if v < network.n - 1 else "\n")


def parse_model_json(text: str, path: str) -> BayesianNetwork | Mixture:
    """The model in a JSON text.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Not JSON (with the line), or not a model.
    """
    top = parsed_json(text, path)
    try:
        if top["format"] == FORMAT:
            return _network(top["variables"], path)
        if top["format"] != MIXTURE:
            raise KeyError("format")
        listed = top["networks"]
        several = {k: _network(one, path) for k, one in enumerate(listed) if not isinstance(one, dict)}
        if not several:
            raise DataError("a mixture without a network", path)
        like = next(iter(several.values()))
        networks = tuple(several[k] if k in several else _empirical(one, like, path) for k, one in enumerate(listed))
        weights = np.asarray(top["weights"], dtype=np.float64)
        hidden = top["class"]
        if not isinstance(hidden, str) or not hidden:
            raise TypeError
    except KeyError as error:
        raise DataError(f"no {error} in it, or not that of a model; expected a file that mnmodel wrote", path) from None
    except (TypeError, ValueError, OverflowError):
        raise DataError("not laid out as a model; expected a file that mnmodel wrote", path) from None
    return _checked_mixture(networks, weights, hidden, path)


def _network(variables: list, path: str) -> BayesianNetwork:
    """The network of some lines."""
    parts = [[each[key] for each in variables] for key in ("name", "states", "parents", "probabilities")]
    names, states, parents = parts[0], *([list(map(str, group)) for group in part] for part in parts[1:3])
    tables: list[np.ndarray | SparseCPT] = [np.asarray(table, dtype=np.float64) for table in parts[3]]
    arity = {str(name): len(labels) for name, labels in zip(names, states, strict=True)}
    for v, variable in enumerate(variables):
        if "seen" in variable and all(parent in arity for parent in parents[v]):
            probabilities = np.asarray(parts[3][v], dtype=np.float64)
            tables[v] = _seen(variable["seen"], probabilities, [arity[parent] for parent in parents[v]], names[v], path)
    network = checked_network(list(map(str, names)), states, parents, tables, path)
    shown = (
        Appearance(_position(one), str(one.get("title", "")), str(one.get("description", ""))) for one in variables
    )
    return network.shown_as(dict(zip(network.names, shown, strict=True)))


def _position(variable: dict) -> tuple[float, float] | None:
    """Where a variable is shown; ValueError if this is not a pair of numbers."""
    if "position" not in variable:
        return None
    x, y = map(float, variable["position"])
    return x, y


def _seen(seen: list, probabilities: np.ndarray, arity: list[int], name: str, path: str) -> SparseCPT:
    """A table of the states that were seen."""
    states = _whole(seen).reshape(len(seen), len(arity))
    fits = probabilities.ndim == 2 and len(probabilities) == len(states) > 0 and np.isfinite(probabilities).all()
    if not fits or (states < 0).any() or (states >= arity).any() or len(np.unique(states, axis=0)) < len(states):
        raise DataError(f"'seen' of variable '{name}' does not list different states of its parents", path)
    return SparseCPT(tuple(arity), states.astype(np.int32), probabilities)


def _empirical(record: dict, like: BayesianNetwork, path: str) -> Empirical:
    """An empirical distribution of the variables of a network."""
    rows, probabilities = _whole(record["rows"]), np.asarray(record["probabilities"], dtype=np.float64)
    arity = np.array([len(labels) for labels in like.states])
    fits = rows.ndim == 2 and rows.shape == (len(probabilities), like.n) and len(rows) > 0
    if not fits or (rows < 0).any() or (rows >= arity).any() or len(np.unique(rows, axis=0)) < len(rows):
        raise DataError("'rows' does not list different rows of the variables", path)
    _check_probabilities(probabilities, len(rows), path)
    return Empirical(like.names, like.states, rows.astype(np.int32), probabilities / probabilities.sum())


def _whole(numbers: list) -> np.ndarray:
    """Numbers of states: int64[].

    Raises
    ------
    ValueError
        Others than whole numbers.
    """
    read = np.asarray(numbers)
    if read.size and read.dtype.kind != "i":
        raise ValueError
    return read.astype(np.int64)


def _check_probabilities(numbers: np.ndarray, count: int, path: str) -> None:
    """DataError unless there is this number of probabilities and they sum to 1."""
    if numbers.shape != (count,) or not (numbers >= 0).all() or not sums_to_one(numbers.sum()):
        raise DataError(f"weights that are not {count} probabilities with the sum 1", path)


def _checked_mixture(networks: tuple, weights: np.ndarray, hidden: str, path: str) -> Mixture:
    """A mixture whose parts fit each other."""
    if any(one.names != networks[0].names or one.states != networks[0].states for one in networks):
        raise DataError("networks whose variables or states differ", path)
    _check_probabilities(weights, len(networks), path)
    if hidden in networks[0].names:
        raise DataError(f"its class has the name of a variable, '{hidden}'", path)
    return Mixture(networks, weights / weights.sum(), hidden)
