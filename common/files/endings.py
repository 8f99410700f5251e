"""The format that a result is written in, by the ending of its file's name.

An ending that is the name of a format chooses it. One that means another kind of file, or contradicts the format that
was requested, is refused, and so is an unknown one, unless a format was requested or the file is one of `OWN_FORMATS`.
A further ending, `.gz`, compresses the formats of `COMPRESSED`.
A name without such an ending (`net`, `zoo.1`, `zoo.{}`, `zoo.ess10`) or with one of `NEUTRAL_ENDINGS` has the usual
format, and so has standard output.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ..errors import UsageError

NEUTRAL_ENDINGS = ("txt", "out", "tmp", "part")
OWN_FORMATS = ("checkpoint", "networks", "proof")  # formats of this suite for which no ending is usual
COMPRESSED = ("scores",)  # formats of large files
_ENDING_OF = {"xmlbif": "xml", "markdown": "md", "markov": "uai", "scores": "score"}  # others are the format's name
# ending: the formats it can mean, of which the first is chosen if none was requested
_FORMATS = {
    **{name: (name,) for name in ("cliques", "edges", "arcs", "dot", "graphml", "json", "adjacency", "modelstring")},
    **{name: (name,) for name in ("bif", "xdsl", "net", "uai", "png", "svg", "pdf", "html")},
    "gv": ("dot",),
    "uai": ("uai", "markov"),
    **dict.fromkeys(("xml", "bifxml", "xmlbif"), ("xmlbif",)),
    "xml": ("xmlbif", "graphml"),
    "csv": ("csv", "adjacency"),
    "md": ("markdown",),
    "htm": ("html",),
    **dict.fromkeys(("score", "scores", "jkl"), ("scores",)),
    **{name: (name,) for name in ("blankets", "cuts", "trace", *OWN_FORMATS)},
}
_KINDS = {
    ending: kind
    for kind, endings in (
        ("a graph", "cliques edges arcs dot gv graphml adjacency modelstring"),
        ("a model with probabilities", "bif xml bifxml xmlbif xdsl net uai"),
        ("a model of another program", "dne dnet neta dsl dsc elv pgmx xbn oobn"),
        ("a graph of another program", "gexf xgmml gml graphmlz gephi cys sif tgf"),
        ("JSON", "json"),
        ("a picture", "png svg pdf jpg jpeg gif bmp eps ps tif tiff webp"),
        ("a page", "html htm xhtml"),
        (
            "a table",
            "csv tsv tab xlsx xls xlsm ods parquet feather arrow arff dta sav rds rda rdata mat npy npz h5",
        ),
        ("a compressed file", "zip gz bz2 xz zst tar tgz 7z rar"),
        ("a document", "md tex doc docx odt rtf ppt pptx"),
        ("another kind of file", "py r sh yaml yml toml pkl pickle sqlite db"),
    )
    for ending in endings.split()
}


def format_of_name(
    path: str | os.PathLike[str] | None,
    formats: Sequence[str],
    usual: str | None,
    given: str | None = None,
    option: str = "",
) -> str:
    """The format in which a file is to be written.

    Parameters
    ----------
    path
        Of the file; None or `-` is standard output.
    formats
        That can be written.
    usual
        Of a file whose name does not choose; None if it has to.
    given
        The requested format.
    option
        In messages, before the name.

    Returns
    -------
    str
        One of `formats`, `usual` or `given`.

    Raises
    ------
    UsageError
        The ending means another format than the one requested, or none of `formats`; or it is unknown.
    """
    ending = _ending(os.fspath(path).removesuffix(".gz") if path and usual in COMPRESSED else path)
    what, meant = _KINDS.get(ending), _FORMATS.get(ending, ())
    where = f"{option} {path}" if option else str(path)
    if given is not None:
        if what is not None and given not in meant:
            raise UsageError(f"{where}: .{ending} means {what}, but --format is {given}; change one of them")
        return given
    if meant and meant[0] in formats:
        return meant[0]
    if usual is not None and (not ending or (what is None and usual in OWN_FORMATS)):
        return usual
    names = [*dict.fromkeys(f".{_ENDING_OF.get(fmt, fmt)}" for fmt in formats)]
    listed = ", ".join(names[:-1]) + " or " * (len(names) > 1) + names[-1]
    if usual is None:
        raise UsageError(f"{where}: the name must end in {listed}")
    if what is None:
        other = ", or give --format" if option and len(formats) > 1 else ""
        raise UsageError(f"{where}: no known format ends in .{ending}; end the name in {listed}{other}")
    raise UsageError(f"{where}: .{ending} means {what}, not a format of this result; end the name in {listed}")


def _ending(path: str | os.PathLike[str] | None) -> str:
    """The ending of a file's name, in lower case; empty if it does not determine a format."""
    stem, dot, ending = os.path.basename(path or "").rpartition(".")
    ending = ending.lower()
    if not dot or not stem or ending in NEUTRAL_ENDINGS:
        return ""
    if ending in _KINDS:
        return ending
    is_word = re.fullmatch("[a-z]+", ending) is not None and stem != "tmp"  # mktemp writes tmp.Xy...
    return ending if is_word else ""


def filled(path: str | None, value: float | None) -> str | None:
    """The name of an output for one value of a sweep.

    Parameters
    ----------
    value
        Replaces each `{}`; None leaves them.
    """
    return path if path is None or value is None else path.replace("{}", f"{value:.15g}")
