"""Files of Bayesian networks: one reader that detects the format, one writer.

Formats: bif (`common.models.bif`, `common.models.bif_writer`), xmlbif, uai and json (`common.models.xmlbif`,
`common.models.uai`, `common.models.model_json`). All formats preserve the network, including names and states.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cliquewise.common.errors import DataError
from cliquewise.common.files.atomic_write import write_whole
from cliquewise.common.files.input_stream import first_bytes, read_text

if TYPE_CHECKING:
    from os import PathLike

    from cliquewise.common.models.bayesnet import BayesianNetwork

MODEL_FORMATS = ("bif", "xmlbif", "uai", "json")
# possessive (`*+`, `(?>`): with backtracking a text of many # and blanks took minutes to be rejected
_COMMENTS = re.compile(r"(?:\s|\ufeff|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
_BEGINNINGS = {
    "xmlbif": re.compile(r"(?:<\?xml(?>.*?\?>)|<!--(?>.*?-->)|\s)*+(?:<!DOCTYPE\s+BIF\b|<BIF\b)", re.DOTALL),
    "uai": re.compile(r"(?:#[^\n]*+\s*+)*+(?:BAYES|MARKOV)\s"),
    "json": re.compile(r'\{\s*"format"\s*:\s*"cliquewise network"'),
    "bif": re.compile(r"(?:network|variable)\b[^{,;\n]*\s*\{|probability\s*\("),
}


def looks_like_model(path):
    """Whether a file begins like a Bayesian network; standard input is not consumed."""
    return _format_of(first_bytes(path).decode("utf-8", "replace")) is not None


def _format_of(text):
    """The format of the beginning of a text, or None."""
    text = text[_COMMENTS.match(text).end() :]
    return next((fmt for fmt, beginning in _BEGINNINGS.items() if beginning.match(text)), None)


def read_model(path: str | PathLike[str]) -> BayesianNetwork:
    """Read a Bayesian network of any format.

    Parameters
    ----------
    path : str or Path
        `-` is standard input.

    Returns
    -------
    BayesianNetwork

    Raises
    ------
    DataError
        Unreadable, malformed or incomplete.
    """
    path = str(path)
    text = read_text(path, "a Bayesian network (BIF, XMLBIF, UAI or JSON)")
    fmt = _format_of(text)
    if fmt == "xmlbif":
        from cliquewise.common.models.xmlbif import parse_xmlbif as parse
    elif fmt == "uai":
        from cliquewise.common.models.uai import parse_uai as parse
    elif fmt == "json":
        from cliquewise.common.models.model_json import parse_model_json as parse
    else:
        from cliquewise.common.models.bif import parse_bif as parse
    return parse(text, path)


def write_model(path: str | PathLike[str] | None, network: BayesianNetwork, fmt: str, header: dict[str, str]) -> None:
    """Write a Bayesian network whole or not at all.

    Parameters
    ----------
    path : str, Path or None
        Target; `-` or None is standard output.
    network : BayesianNetwork
    fmt : str
        One of `MODEL_FORMATS`.
    header : dict of str to str
        Provenance; written as a comment.

    Raises
    ------
    CliquewiseError
        A name that the format cannot hold, or a target that cannot be written, which is then unchanged.
    """
    if fmt == "bif":
        from cliquewise.common.models.bif_writer import bif_pieces as pieces
    elif fmt == "xmlbif":
        from cliquewise.common.models.xmlbif import xmlbif_pieces as pieces
    elif fmt == "uai":
        from cliquewise.common.models.uai import uai_pieces as pieces
    elif fmt == "json":
        from cliquewise.common.models.model_json import json_pieces as pieces
    else:
        raise DataError(f"unknown format '{fmt}'; expected {', '.join(MODEL_FORMATS)}")
    write_whole(path, pieces(network, header))
