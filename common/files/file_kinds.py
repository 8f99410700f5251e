"""What a file is, by how it begins: for readers that detect a format, and for messages about a file that is not meant.

A `GRAPH` is read by `common.files.graphfile`, a `MODEL` (a Bayesian network) by `common.models.model_file`. Models of
Netica are recognised, so that a message can name them, but not read.
"""

import re

GRAPHS = ("clique list", "edge list", "arc list", "list of blankets", "dot", "GraphML", "JSON")
MODELS = ("BIF", "XMLBIF", "GeNIe, .xdsl", "Hugin, .net", "UAI", "JSON of mnmodel fit")
FOREIGN_MODELS = ("Netica, .dne",)
READ_AS_GRAPH = "a graph is a clique, edge or arc list, dot, GraphML or JSON, or a model (BIF, .xdsl, ...)"
READ_AS_MODEL = "a model is BIF, XMLBIF, .xdsl, .net, UAI or JSON of mnmodel fit"
_LISTS = {"cliques": "clique list", "edges": "edge list", "arcs": "arc list", "blankets": "list of blankets"}
_LIST_HEADER = re.compile(r"(?:#[^\n]*\n)*?# *format +(cliques|edges|arcs|blankets) *\r?\n")
# possessive (`*+`, `(?>`): with backtracking a text of many # and blanks took minutes to be rejected
_COMMENTS = re.compile(r"(?:\s|\ufeff|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
_XML = r"(?:<\?(?>.*?\?>)|<!--(?>.*?-->)|\s)*+"
_BEGINNINGS = {
    "XMLBIF": re.compile(_XML + r"(?:<!DOCTYPE\s+BIF\b|<BIF\b)", re.DOTALL),
    "GeNIe, .xdsl": re.compile(_XML + r"<smile\b", re.DOTALL),
    "GraphML": re.compile(r"<\?xml\b|<graphml\b"),
    "UAI": re.compile(r"(?:#[^\n]*+\s*+)*+(?:BAYES|MARKOV)(?:[ \t\r]*\n|\s+[0-9]+\s)"),
    "JSON of mnmodel fit": re.compile(r'\{\s*"format"\s*:\s*"cliquewise (?:network|mixture)"'),
    "JSON": re.compile(r'\{\s*"'),
    "Hugin, .net": re.compile(r"(?:%[^\n]*+\s*+)*+(?:net\s*\{|class\s+\w+\s*\{)"),
    "Netica, .dne": re.compile(r"bnet\b[^{},;\n]*\{"),
    "BIF": re.compile(r"(?:network|variable)\b[^{},;\n]*\s*\{|probability\s*\("),
    "dot": re.compile(r'(?:strict\s+)?(?:di)?graph\b(?:\s*"(?:[^"\\]|\\.)*"|[^{},;"\n]*)\s*\{', re.IGNORECASE),
}
_SEPARATED = re.compile(r'(?:[^\n{}<>"]|"[^"]*")*?[,;\t ]')


def kind_of_text(text: str) -> str | None:
    """What a text is, by its beginning.

    Parameters
    ----------
    text
        The whole or the first part of a file.

    Returns
    -------
    str or None
        One of `GRAPHS`, `MODELS` or `FOREIGN_MODELS`. None if it looks like none of them; a list of another program,
        without our comment lines, can also be read as a table.
    """
    listed = _LIST_HEADER.match(text.lstrip("\ufeff \t\r\n"))
    if listed:
        return _LISTS[listed[1]]
    text = _COMMENTS.sub("", text, count=1)
    return next((kind for kind, beginning in _BEGINNINGS.items() if beginning.match(text)), None)


def described(text: str) -> str | None:
    """What a text is, for a message that refuses it: `a graph (dot)`, `a table or a list (CSV)`.

    Returns
    -------
    str or None
        None if it looks like nothing that is known.
    """
    kind = kind_of_text(text)
    if kind is not None:
        return f"a graph ({kind})" if kind in GRAPHS else f"a Bayesian network ({kind})"
    return "a table or a list (CSV)" if _SEPARATED.match(text.lstrip("\ufeff")) else None
