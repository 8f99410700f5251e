"""The kind of a file, by its beginning: for readers that detect a format, and for messages about unexpected files.

A `GRAPH` is read by `common.files.graphfile`, a `MODEL` (a Bayesian network) by `common.models.model_file`. `FOREIGN`
files are recognised, so that a message can name them, but not read.
"""

import re

GRAPHS = ("clique list", "edge list", "arc list", "list of blankets", "dot", "GraphML", "JSON")
MODELS = ("BIF", "XMLBIF", "GeNIe, .xdsl", "Hugin, .net", "Netica, .dne", "UAI", "JSON of mnmodel fit")
FOREIGN_MODELS = (
    *("Elvira, .elv", "OpenMarkov, .pgmx", "MSBNx, .dsc", "MSBNx, .xbn", "GeNIe's old .dsl"),
    *("UnBBayes' own XML", "UAI of a credal network, H-CREDAL, V-CREDAL or INTERVAL"),
)
FOREIGN_GRAPHS = ("GEXF", "XGMML", "GML", "Pajek, .net", "dagitty")
TABLES = ("JSON lines", "JSON of columns")
FOREIGN = {
    **dict.fromkeys(FOREIGN_MODELS, "a Bayesian network"),
    **dict.fromkeys(FOREIGN_GRAPHS, "a graph"),
    **dict.fromkeys(TABLES, "a table"),
    "HTML": "a page",
    "SVG": "a picture",
}
READ_AS_GRAPH = "a graph is a clique, edge or arc list, dot, GraphML or JSON, or a model (BIF, .xdsl, ...)"
READ_AS_MODEL = "a model is BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of mnmodel fit"
_LISTS = {"cliques": "clique list", "edges": "edge list", "arcs": "arc list", "blankets": "list of blankets"}
_LIST_HEADER = re.compile(r"(?:#[^\n]*\n)*?# *format +(cliques|edges|arcs|blankets) *\r?\n")
# possessive (`*+`, `(?>`): with backtracking a text of many # and blanks took minutes to be rejected
_COMMENTS = re.compile(r"(?:\s|\ufeff|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
# Strings, since a beginning is compiled when a text is first compared with it. Of several that fit the first counts.
_PROLOG = r"(?s)(?:<\?(?>.*?\?>)|<!--(?>.*?-->)|\s)*+"
_AFTER_PROLOG = {
    "XMLBIF": r"<!DOCTYPE\s+BIF\b|<BIF\b",
    "GeNIe, .xdsl": r"<smile\b",
    "OpenMarkov, .pgmx": r"<ProbModelXML\b",
    "MSBNx, .xbn": r"<!DOCTYPE\s+ANALYSISNOTEBOOK\b|<ANALYSISNOTEBOOK\b",
    "UnBBayes' own XML": r"<\w+:(?:XML)?BIF\b",
    "GEXF": r"<(?:\w+:)?gexf\b",
    "XGMML": r"(?i)<!DOCTYPE\s+graph\b|<(?:\w+:)?graph\b[^>]*XGMML",
    "HTML": r"(?i)<!DOCTYPE\s+html\b|<html\b",
    "SVG": r"<!DOCTYPE\s+svg\b|<svg\b",
}
_BEGINNINGS = {
    "BIF": r"(?:network|variable)\b[^{},;\n]*\s*\{|probability\s*\(",
    "GraphML": r"<\?xml\b|<graphml\b",  # or another XML, whose reader names it
    "UAI": r"(?:#[^\n]*+\s*+)*+(?:BAYES|MARKOV)(?:[ \t\r]*\n|\s+[0-9]+\s)",
    "UAI of a credal network, H-CREDAL, V-CREDAL or INTERVAL": r"(?:INTERVAL|[HV]-CREDAL)\s+[0-9]+\s",
    "JSON of mnmodel fit": r'\{\s*"format"\s*:\s*"cliquewise (?:network|mixture)"',
    "JSON lines": r'\{"[^\n]*\}[ \t\r]*\n\{"',
    # as pandas writes it, and lists; a network has objects in its lists, or lists of names
    "JSON of columns": r'\{\s*"(?!(?:nodes|vertices|variables)")(?:[^"\\\n]|\\.)*"\s*:\s*'
    r'(?:\{\s*"0"\s*:|\[\s*(?:-?[0-9]|null|true|false|"(?:[^"\\\n]|\\.)*"\s*[],]))',
    "JSON": r'\{\s*"',
    "Hugin, .net": r"(?:%[^\n]*+\s*+)*+(?:net\s*\{|class\s+\w+\s*\{)",
    "GeNIe's old .dsl": r"net\s+\w+\s*\{",
    "MSBNx, .dsc": r"belief\s+network\b",
    "Elvira, .elv": r"(?i)(?:bnet|idiagram|bnet\w+)\b[^{},;\n]*\{[^{}]{0,4000}?\bkindofgraph\b",
    "GML": r"(?:(?:Creator|Version|comment)\b[^\n]*\n\s*)*+graph\s*\[",
    "Pajek, .net": r"(?i)\*(?:vertices|network)\b",
    "dagitty": r"(?:dag|pdag|mag|pag)\s*\{",
    "Netica, .dne": r"bnet\b[^{},;\n]*\{",
    "dot": r'(?i)(?:strict\s+)?(?:di)?graph\b(?:\s*"(?:[^"\\]|\\.)*"|[^{},;"\n]*)\s*\{',
}
_SEPARATED = re.compile(r'(?:[^\n{}<>"]|"[^"]*")*?[,;\t ]')


def kind_of_text(text: str) -> str | None:
    """The kind of a text, by its beginning.

    Parameters
    ----------
    text
        The whole or the first part of a file.

    Returns
    -------
    str or None
        One of `GRAPHS`, `MODELS` or `FOREIGN`. None if it looks like none of them; a list of another program,
        without our comment lines, can also be read as a table.
    """
    listed = _LIST_HEADER.match(text.lstrip("\ufeff \t\r\n"))
    if listed:
        return _LISTS[listed[1]]
    text = _COMMENTS.sub("", text, count=1)
    if text.startswith("<"):
        content = re.sub(_PROLOG, "", text, count=1)
        for kind, beginning in _AFTER_PROLOG.items():
            if re.match(beginning, content):
                return kind
    return next((kind for kind, beginning in _BEGINNINGS.items() if re.match(beginning, text)), None)


def described(text: str) -> str | None:
    """A description of a text, for a message that refuses it: `a graph (dot)`, `a table or a list (CSV)`.

    Returns
    -------
    str or None
        None if it looks like nothing that is known.
    """
    kind = kind_of_text(text)
    if kind is not None:
        what = "a graph" if kind in GRAPHS else "a Bayesian network"
        return f"{FOREIGN.get(kind, what)} ({kind}){', which is not read' if kind in FOREIGN else ''}"
    return "a table or a list (CSV)" if _SEPARATED.match(text.lstrip("\ufeff")) else None
