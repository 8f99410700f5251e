"""Bayesian networks in the UAI format of the inference competitions.

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

The format has no names. We write them after the tables, where other readers stop, each as a line `# variable {"name":
..., "states": [...]}`, and read them back; without such lines, variables are V0, V1, ... and states 0, 1, ...

Two programs read tables in an order that differs from the format, and so get different distributions: in pgmpy 1 the
variable itself changes slowest; in pyAgrum 3 the first parent changes faster than the second, so that it reads only
families of at most one parent correctly, and these in single precision. For these two, write BIF or XMLBIF.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

import numpy as np

from cliquewise.common.errors import DataError
from cliquewise.common.models.bayesnet import checked_network

if TYPE_CHECKING:
    from cliquewise.common.models.bayesnet import BayesianNetwork

_NAMED = re.compile(r"^# variable (.*)$", re.MULTILINE)


def uai_pieces(network, header):
    """The text of a UAI file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    network : BayesianNetwork
    header : dict of str to str
        Written last, as comments.

    Yields
    ------
    str
    """
    arity = [len(labels) for labels in network.states]
    lines = ["BAYES", f"{network.n}", " ".join(map(str, arity)), f"{network.n}"]
    lines += [" ".join(map(str, (len(above) + 1, *above, v))) for v, above in enumerate(network.parents)]
    yield "\n".join(lines) + "\n"
    for table in network.tables:
        yield f"{table.size}\n"
        for row in table:
            yield " ".join(np.format_float_positional(number, trim="-") for number in row) + "\n"
    for key, value in header.items():
        yield f"# {key} {value}\n"
    for name, labels in zip(network.names, network.states, strict=True):
        yield f"# variable {json.dumps({'name': name, 'states': labels})}\n"


def parse_uai(text: str, path: str) -> BayesianNetwork:
    """The network in the text of a UAI file.

    Parameters
    ----------
    text : str
    path : str
        For messages.

    Returns
    -------
    BayesianNetwork

    Raises
    ------
    DataError
        Not a UAI file, or a Markov network.
    """
    words = iter(re.sub(r"#.*", "", text).split())
    kind = next(words, "nothing")
    if kind != "BAYES":
        raise DataError(f"found '{kind}', expected 'BAYES'; networks of other factors are not read", path)

    def number(what, least=0):
        word = next(words, "the end")
        if not re.fullmatch("[0-9]{1,9}", word) or int(word) < least:
            raise DataError(f"found '{word}', expected {what}", path)
        return int(word)

    n = number("the number of variables", 1)
    arity = [number("a number of states", 1) for _ in range(n)]
    if number("the number of tables") != n:
        raise DataError(f"a Bayesian network of {n} variables has {n} tables", path)
    scopes = [[number("a variable") for _ in range(number("the size of a table's scope", 1))] for _ in range(n)]
    tables = [None] * n
    for scope in scopes:
        if max(scope) >= n or tables[scope[-1]] is not None:
            raise DataError(f"scope {scope}: an unknown variable, or the second table of variable {scope[-1]}", path)
        expected = math.prod(arity[v] for v in scope)
        if number("the size of a table") != expected:
            raise DataError(f"the table of variable {scope[-1]} should have {expected} numbers", path)
        try:
            tables[scope[-1]] = np.array([float(next(words, "the end")) for _ in range(expected)])
        except ValueError as error:
            raise DataError(f"the table of variable {scope[-1]}: {error}", path) from None
    names, states = _names(text, arity)
    parents = {scope[-1]: [names[v] for v in scope[:-1]] for scope in scopes}
    return checked_network(names, states, [parents[v] for v in range(n)], tables, path)


def _names(text, arity):
    """Names and states: those of our comments if they fit, otherwise numbers."""
    try:
        told = [json.loads(line) for line in _NAMED.findall(text)]
        names = [str(variable["name"]) for variable in told]
        states = [tuple(map(str, variable["states"])) for variable in told]
    except (ValueError, TypeError, KeyError):
        names = states = []
    if [len(labels) for labels in states] == arity:
        return names, states
    return [f"V{v}" for v in range(len(arity))], [tuple(map(str, range(r))) for r in arity]
