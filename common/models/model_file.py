"""Files of Bayesian networks: one reader that detects the format, one writer.

Formats: bif (`common.models.bif`, `common.models.bif_writer`), xmlbif, GeNIe's xdsl, Hugin's net, uai, of kind BAYES or
MARKOV, and json (`common.models.xmlbif`, `xdsl`, `hugin_net`, `uai`, `model_json`). All formats preserve the network,
including names and states; but of a MARKOV file the arcs are those of an elimination.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ..errors import DataError, UsageError, shown_path
from ..files.atomic_write import write_whole
from ..files.file_kinds import FOREIGN, MODELS, READ_AS_MODEL, described, kind_of_text
from ..files.input_stream import kind_of_file, read_text
from .model_header import header_of

if TYPE_CHECKING:
    from os import PathLike

    from .bayesnet import BayesianNetwork
    from .mixture import Mixture

HIDDEN_CLASS = "hidden-class"  # header line of a mixture as one network, with the name of its class
_HEADER = 1 << 14  # first characters of a text, in which the header is, but of UAI
MODEL_FORMATS = ("bif", "xmlbif", "xdsl", "net", "uai", "json")
WRITTEN_FORMATS = (*MODEL_FORMATS, "markov")  # the last contains the distribution, not the arcs
UAI_ORDERS = ("last", "first", "pyagrum")  # see `common.models.uai`
_BLOCK = re.compile(r"\s*(?:network|variable|probability)\b")  # an unusual BIF file: its own reader reports errors


def looks_like_model(path: str | os.PathLike) -> bool:
    """Whether a file begins like a Bayesian network; standard input is not consumed."""
    return kind_of_file(path) in MODELS


def read_model(path: str | PathLike[str], uai_order: str | None = None) -> BayesianNetwork | Mixture:
    """Read a Bayesian network, or a mixture of them, of any format.

    Parameters
    ----------
    path
        `-` is standard input.
    uai_order
        One of `UAI_ORDERS`: the order of the tables, which must then be those of a UAI file.

    Raises
    ------
    DataError
        Unreadable, malformed or incomplete.
    UsageError
        An order for a file that is not UAI.
    """
    path = str(path)
    return parse_model(
        read_text(path, "a Bayesian network (BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON)"), path, uai_order
    )


def parse_model(text: str, path: str, uai_order: str | None = None) -> BayesianNetwork | Mixture:
    """The model in the text of a file of any format.

    Parameters
    ----------
    text : str
    path : str
        For messages.
    uai_order : str, optional
        As for `read_model`.

    Returns
    -------
    BayesianNetwork or Mixture

    Raises
    ------
    CliquewiseError
        As `read_model`.
    """
    head = text if kind_of_text(text) == "UAI" else text[:_HEADER]  # there comments are at the end
    model, hidden = _parsed(text, path, uai_order), header_of(head).get(HIDDEN_CLASS)
    if hidden is None:
        return model
    from .hidden_class import mixture_of
    from .mixture import Mixture

    return model if isinstance(model, Mixture) else mixture_of(model, hidden, path)


def read_bayesnet(path: str | PathLike[str]) -> BayesianNetwork:
    """Read a Bayesian network of any format; DataError as `parse_bayesnet`."""
    return parse_bayesnet(read_text(str(path), "a Bayesian network"), str(path))


def parse_bayesnet(text: str, path: str, uai_order: str | None = None) -> BayesianNetwork:
    """The Bayesian network in the text of a file of any format.

    Parameters
    ----------
    path
        For messages.
    uai_order
        As for `read_model`.

    Raises
    ------
    DataError
        As `read_model`, or a mixture.
    """
    from .bayesnet import BayesianNetwork

    model = parse_model(text, path, uai_order)
    if not isinstance(model, BayesianNetwork):
        raise DataError("a mixture of networks, not one network; mnmodel loglik, query, page and others read it", path)
    return model


def _parsed(text: str, path: str, uai_order: str | None) -> BayesianNetwork | Mixture:
    """The model, with a hidden class as a variable in formats that have no mixtures."""
    kind = kind_of_text(text)
    if kind not in MODELS and not _BLOCK.match(text) and described(text) is not None:
        raise DataError(f"{described(text)}{', not a model' * (kind not in FOREIGN)}; {READ_AS_MODEL}", path)
    if kind == "UAI":
        from .uai import parse_uai

        return parse_uai(text, path, uai_order)
    if uai_order is not None:
        raise UsageError(f"--uai-order has no effect: {shown_path(path)} is not a UAI file; leave it out")
    if kind == "JSON of mnmodel fit":
        from .model_json import parse_model_json

        return parse_model_json(text, path)
    if kind == "XMLBIF":
        from .xmlbif import parse_xmlbif as parse
    elif kind == "GeNIe, .xdsl":
        from .xdsl import parse_xdsl as parse
    elif kind == "Hugin, .net":
        from .hugin_net import parse_net as parse
    elif kind == "Netica, .dne":
        from .netica_dne import parse_dne as parse
    else:
        from .bif import parse_bif as parse
    return parse(text, path)


def write_model(
    path: str | PathLike[str] | None, network: BayesianNetwork | Mixture, fmt: str, header: dict[str, str]
) -> None:
    """Write a model whole or not at all.

    JSON keeps the networks of a mixture apart, and tables of the states that were seen. In the other formats tables are
    full, and a mixture must be one network, with the name of its class in the header line `HIDDEN_CLASS`.

    Parameters
    ----------
    path : str, Path or None
        Target; `-` or None is standard output.
    fmt
        One of `WRITTEN_FORMATS`.
    header
        Provenance; written as a comment.

    Raises
    ------
    CliquewiseError
        A name that the format cannot hold, tables that are too large for it, or a target that cannot be written, which
        is then unchanged.
    """
    if fmt == "json":
        from .model_json import json_pieces

        return write_whole(path, json_pieces(network, header))
    from .mixture import Mixture

    if isinstance(network, Mixture):
        raise DataError(f"the networks of a mixture can be written as JSON only, not as {fmt}; use --format json", path)
    if fmt == "bif":
        from .bif_writer import bif_pieces as pieces
    elif fmt == "xmlbif":
        from .xmlbif import xmlbif_pieces as pieces
    elif fmt == "xdsl":
        from .xdsl import xdsl_pieces as pieces
    elif fmt == "net":
        from .hugin_net import net_pieces as pieces
    elif fmt == "uai":
        from .uai import uai_pieces as pieces
    elif fmt == "markov":
        from .uai import markov_pieces as pieces
    else:
        raise DataError(f"unknown format '{fmt}'; expected {', '.join(WRITTEN_FORMATS)}")
    write_whole(path, pieces(network.full(), header))
