"""Bayesian and Markov networks in the UAI format of the inference competitions.

    BAYES
    2            variables
    2 3          their numbers of states
    2            tables
    1 0          a table's variables: parents first, the variable itself last
    2 0 1
    2            numbers of the first table, the last variable's state changing fastest
    0.4 0.6
    6
    0.1 0.2 0.7 0.3 0.3 0.4

The specification has the last variable of a scope fastest, then the one before it, and so on (`last`). Other programs
write other orders: pgmpy 1 the first variable fastest, then the second (`first`); pyAgrum 3 the variable itself, which
is the last, and then the parents from the first on (`pyagrum`). A file does not show which. Our files are recognised by
their comments; for others the order of the specification is assumed, with a warning if pyAgrum's would give other
probabilities.

A file that begins with MARKOV has factors of any variables, not normalised: see `common.models.uai_markov`.

The format has no names. We write them after the tables, where other readers stop, each as a line `# variable {"name":
..., "states": [...]}`, and read them back; without such lines, variables are V0, V1, ... and states 0, 1, ... Anything
else after the tables is refused, since a number too many in one table shifts all that follow.

The two programs also read in orders of their own, so they get other distributions from our files: pgmpy if there are
parents, pyAgrum if there are two, and in single precision. For them, write BIF or XMLBIF.
"""

from __future__ import annotations

import itertools
import json
import logging
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..counted import counted
from ..errors import DataError
from .bayesnet import MAX_STATES, check_names, checked_network
from .probabilities import numbers_of, sums_to_one
from .uai_markov import clique_potentials, network_of_factors

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

LOG = logging.getLogger("cliquewise")
_NAMED = re.compile(r"^# variable (\{.*)$", re.MULTILINE)


def uai_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of a UAI file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written last, as comments.
    """
    scopes = [(*own_parents, v) for v, own_parents in enumerate(network.parents)]
    yield from _pieces("BAYES", network, scopes, network.tables, header)


def markov_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of a UAI file of kind MARKOV: the potentials of the maximal cliques among the families.

    The potential of a clique is the product of p(v | parents) over the families that it is the first to contain. So
    those of a network that was fitted to a chordal one are p(clique) / p(separator), and the partition function is 1.

    Parameters
    ----------
    header
        Written last, as comments.
    """
    factors = clique_potentials(network.parents, network.tables, [len(labels) for labels in network.states])
    yield from _pieces("MARKOV", network, [scope for scope, _ in factors], [table for _, table in factors], header)


def _pieces(
    kind: str,
    network: BayesianNetwork,
    scopes: Sequence[tuple[int, ...]],
    tables: Sequence[np.ndarray],
    header: dict[str, str],
) -> Iterator[str]:
    """The text of a file; a line for the states of the last variable of a scope."""
    arity = [len(labels) for labels in network.states]
    lines = [kind, f"{network.n}", " ".join(map(str, arity)), f"{len(scopes)}"]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope in scopes]
    yield "\n".join(lines) + "\n"
    for table in tables:
        yield f"{table.size}\n"
        for row in table.reshape(-1, table.shape[-1]):
            yield " ".join(np.format_float_positional(number, trim="-") for number in row) + "\n"
    for key, value in header.items():
        yield f"# {key} {value}\n"
    for name, labels in zip(network.names, network.states, strict=True):
        yield f"# variable {json.dumps({'name': name, 'states': labels})}\n"


def parse_uai(text: str, path: str, order: str | None) -> BayesianNetwork:
    """The network in the text of a UAI file.

    Parameters
    ----------
    path
        For messages.
    order
        One of `common.models.model_file.UAI_ORDERS`.

    Raises
    ------
    DataError
        Not a UAI file, or no network.
    LimitError
        A Markov network whose tables are too large.
    """
    kind, arity, scopes, read = _read(text, path)
    names, states, ours = _names(text, arity, path)
    shapes = [[arity[v] for v in scope] for scope in scopes]
    ordered = [_as_specified(table, shape, order) for table, shape in zip(read, shapes, strict=True)]
    if kind == "MARKOV":
        every = zip(scopes, ordered, shapes, strict=True)
        factors = [(tuple(scope), table.reshape(shape)) for scope, table, shape in every]
        network = network_of_factors(names, states, factors, path)
        message = "a Markov network, read as the Bayesian network of the same distribution; log partition function"
        LOG.info("%s: %s %.6f", path, message, network.log_partition)
        return network
    if order is None and not ours:
        _warn_of_order(shapes, read, path)
    if order in (None, "last"):
        _refuse_first_order(shapes, read, path)
    tables = {scope[-1]: table for scope, table in zip(scopes, ordered, strict=True)}
    parents = {scope[-1]: [names[v] for v in scope[:-1]] for scope in scopes}
    variables = range(len(arity))
    return checked_network(names, states, [parents[v] for v in variables], [tables[v] for v in variables], path)


def markov_graph(text: str, path: str) -> tuple[list[str], bool, list[list[int]]] | None:
    """Names, whether they are in the file, and the variables of each factor of a Markov network; None of another."""
    kind, arity, scopes, _ = _read(text, path)
    names, _, ours = _names(text, arity, path)
    return (names, ours, scopes) if kind == "MARKOV" else None


def _read(text: str, path: str) -> tuple[str, list[int], list[list[int]], list[np.ndarray]]:
    """The kind of network, the numbers of states, and the variables and numbers of each table."""
    words = iter(re.sub(r"#.*", "", text).split())
    kind = next(words, "nothing")
    if kind not in ("BAYES", "MARKOV"):
        raise DataError(f"found '{kind}', expected 'BAYES' or 'MARKOV'", path)

    def number(what: str, least: int = 0) -> int:
        word = next(words, "the end")
        if not re.fullmatch("[0-9]{1,9}", word) or int(word) < least:
            raise DataError(f"found '{word}', expected {what}", path)
        return int(word)

    n = number("the number of variables", 1)
    arity = [number("a number of states", 1) for _ in range(n)]
    if max(arity) > MAX_STATES:
        found = f"variable {arity.index(max(arity))} has {max(arity):,} states"
        raise DataError(f"{found}, of at most {MAX_STATES:,}", path)
    count = number("the number of tables")
    if kind == "BAYES" and count != n:
        raise DataError(f"a Bayesian network of {counted(n, 'variable')} has {counted(n, 'table')}", path)
    scopes = [[number("a variable") for _ in range(number("the size of a table's scope"))] for _ in range(count)]
    _check_scopes(scopes, n, path, is_directed=kind == "BAYES")
    tables = []
    for scope in scopes:
        expected = math.prod(arity[v] for v in scope)
        if number("the size of a table") != expected:
            raise DataError(f"the table of the variables {scope} should have {counted(expected, 'number')}", path)
        numbers = [*itertools.islice(words, expected)]
        if len(numbers) < expected:
            found = f"the file ends after {counted(len(numbers), 'number')} of {expected}; is it complete?"
            raise DataError(f"the table of the variables {scope}: {found}", path)
        try:
            tables.append(np.array(numbers_of(numbers)))
        except ValueError as error:
            raise DataError(f"the table of the variables {scope}: {error}", path) from None
    if (extra := next(words, None)) is not None:
        raise DataError(f"found '{extra}' after the last table; look for a number too many in the tables", path)
    return kind, arity, scopes, tables


def _check_scopes(scopes: list[list[int]], n: int, path: str, is_directed: bool) -> None:
    """Refuse unknown and repeated variables of a scope; in a Bayesian network each is the last of one scope."""
    owners = set()
    for scope in scopes:
        if is_directed and (not scope or scope[-1] in owners):
            what = f"or the second table of variable {scope[-1]}" if scope else "or no variable"
            raise DataError(f"scope {scope}: an unknown variable, {what}", path)
        owners.update(scope[-1:])
        if scope and (max(scope) >= n or len(set(scope)) < len(scope)):
            raise DataError(f"scope {scope}: an unknown variable, or one that occurs twice", path)


def _as_specified(table: np.ndarray, shape: list[int], order: str | None) -> np.ndarray:
    """The numbers of a table, with those of another order brought into that of the specification."""
    if order == "first":
        return table.reshape(shape[::-1]).T.ravel()
    if order == "pyagrum" and shape:  # a factor may have no variables
        parents = len(shape) - 1
        return table.reshape([*shape[:-1][::-1], shape[-1]]).transpose([*reversed(range(parents)), parents]).ravel()
    return table


def _refuse_first_order(shapes: list[list[int]], tables: list[np.ndarray], path: str) -> None:
    """Refuse tables that sum to 1 only if the first variable changes fastest: DataError with the option."""

    def are_proper(order: str) -> bool:
        return all(
            sums_to_one(_as_specified(table, shape, order).reshape(-1, shape[-1]).sum(axis=1)).all()
            for table, shape in zip(tables, shapes, strict=True)
        )

    if not are_proper("last") and are_proper("first"):
        found = "its tables do not sum to 1 with the last variable changing fastest, as the format has it"
        raise DataError(f"{found}, but with the first: give --uai-order first", path)


def _warn_of_order(shapes: list[list[int]], tables: list[np.ndarray], path: str) -> None:
    """Warn of a file of another program whose tables would be others in pyAgrum's order."""
    if any(
        not np.array_equal(_as_specified(table, shape, "pyagrum"), table)
        for table, shape in zip(tables, shapes, strict=True)
    ):
        LOG.warning(
            "%s: tables of several parents are read with the last variable changing fastest, as the format has it; "
            "a file of pyAgrum needs --uai-order pyagrum (--uai-order last: no warning)",
            path,
        )


def is_markov(text: str) -> bool:
    """Whether the text of a model is a file of kind MARKOV: its first word, after comments, says so."""
    return re.match(r"(?:#.*+|\s++)*+MARKOV(?=\s|#)", text) is not None


def has_names(text: str) -> bool:
    """Whether the comments of a file have the names of its network, whose numbers are its names otherwise."""
    return _NAMED.search(text) is not None


def _names(text: str, arity: list[int], path: str) -> tuple[list[str], list[tuple[str, ...]], bool]:
    """Names, states, and whether they are those of our comments, which must fit; without these they are numbers."""
    if has_names(text):
        try:
            variables = [json.loads(line) for line in _NAMED.findall(text)]
            names = [str(variable["name"]) for variable in variables]
            states = [tuple(map(str, variable["states"])) for variable in variables]
        except (ValueError, TypeError, KeyError):
            states = []
        if [len(labels) for labels in states] != arity:
            what = f"the names and states of its {counted(len(arity), 'variable')}"
            raise DataError(f"its lines '# variable {{...}}' are not {what}; mend them, or delete them all", path)
        check_names(names, states, path)
        return names, states, True
    return [f"V{v}" for v in range(len(arity))], [tuple(map(str, range(r))) for r in arity], False
