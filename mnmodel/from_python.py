"""Networks with probabilities from Python: `cliquewise.fit`, as `mnmodel fit`, and `cliquewise.read_model`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..common.python_words import with_python_messages
from .python_model import Model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import networkx

    from ..common.networks.network import Network


@with_python_messages
def read_model(path: str | os.PathLike[str], uai_order: str | None = None) -> Model:
    """The Bayesian network in a file: BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of `mnmodel fit`.

    Parameters
    ----------
    path
        `-` is standard input.
    uai_order
        Of a UAI file: the variable that changes fastest in its tables, last as the format has it, first as pgmpy
        writes, or pyagrum. None is last, with a warning if another program wrote the file and it matters.

    Raises
    ------
    UsageError
        Another order, or one for a file that is not UAI.
    DataError
        Unreadable or malformed, with file and line, or a mixture of networks.
    """
    from ..common.arguments import one_of
    from ..common.files.input_stream import read_text
    from ..common.models.model_file import UAI_ORDERS, parse_bayesnet
    from ..common.models.model_header import header_of, network_lines
    from ..common.models.uai import is_markov

    order = one_of("uai_order", uai_order, (None, *UAI_ORDERS))
    name = os.fspath(path)
    text = read_text(name, "a Bayesian network")
    network = parse_bayesnet(text, name, order)
    kind = network_lines("chordal", {}) if is_markov(text) else {}
    return Model(network, kind | header_of(text))


@with_python_messages
def fit(
    data: Any,
    network: Network | networkx.Graph | str | os.PathLike[str],
    ess: float | None = None,
    ml: bool = False,
    *,
    missing: str | None = None,
    states: Mapping[str, Sequence[str]] | None = None,
    starts: int | None = None,
    seed: int = 1,
) -> Model:
    """Fit the probabilities of a network to data.

    Parameters
    ----------
    data
        The result or the input of `read_csv`: a table in memory, or the name of a file.
    network
        Chordal, or directed and acyclic: a Network, a graph of networkx or pgmpy, or the name of a file.
    ess
        Equivalent sample size of BDeu's prior, > 0; None for the network's own, or else 1.
    ml
        Maximum likelihood: relative frequencies, without a prior.
    missing
        As for `read_csv`; has no effect on data that were read. None: as the network was learned.
    states
        States of hidden variables, which are in the network and not in the data; they are fitted by expectation
        maximisation.
    starts
        Number of random starts of this, >= 1, of which the best result is taken; None: 10 with a hidden variable,
        otherwise 1.
    seed
        Of the random numbers of the starts, >= 0.

    Raises
    ------
    UsageError
        No table, no network, a value out of its range.
    DataError
        Neither chordal nor acyclic, other variables than the data's.
    """
    from ..common.arguments import MAX_STARTS, as_dict, number, one_of, whole_number
    from ..common.cli.from_python import read_csv
    from ..common.data.dataset import Dataset
    from ..common.data.frame import library_of, original, types_with_categories, values_of
    from ..common.data.incomplete import without_missing_state
    from ..common.errors import UsageError
    from ..common.files.graphfile import raw_of
    from ..common.files.header_words import FIT_RULES
    from ..common.inference.em_limits import EmLimits
    from ..common.networks.network import Network, from_networkx, read_network
    from .fit import FitOptions, GraphToFit

    if isinstance(network, str | os.PathLike):
        network = read_network(network)
    elif not isinstance(network, Network):
        network = from_networkx(network)
    if ml and ess is not None:
        raise UsageError("ess has no effect with ml; leave one of them out")
    ess = None if ess is None else number("ess", ess, above=0)
    starts = None if starts is None else whole_number("starts", starts, 1, MAX_STARTS)
    seed, missing = whole_number("seed", seed, 0), one_of("missing", missing, (None, *FIT_RULES))
    table, hidden = original(data), as_dict("states", states, "hidden variables and their states")
    if not isinstance(data, Dataset):
        rule = missing or ("em" if hidden or network.header.get("missing") == "em" else "refuse")
        data = read_csv(data, missing="state" if rule == "em" else rule)
        data = without_missing_state(data, hidden) if rule == "em" else data
    elif hidden:
        data = without_missing_state(data, hidden)
    graph = GraphToFit("the network", raw_of(network.graph, network.header))
    options = FitOptions(ess, ml, em_limits=EmLimits(starts=starts, seed=seed))
    fitted, header = options.fit(data, graph)
    states = dict(zip(fitted.names, fitted.states, strict=True))
    return Model(fitted, header, library_of(table), values_of(table, states), types_with_categories(table))
