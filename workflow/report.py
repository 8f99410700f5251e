"""The report of a learned network: one HTML file with text, tables and the picture, and no outside resource.

The report is made of a record of plain values (`Report`), so that it can be written from a result alone. All text from
the data is escaped, and the page has no script. The same record gives the same bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from ..common.counted import percent
from ..common.drawing.static_page import static_page

MAX_LINKS = 25  # rows of the table of links; the others are in `probabilities.edges`
MAX_NAMED = 12  # cliques and isolated variables that are written out


@dataclass(frozen=True)
class ColumnRow:
    """The decision on a column of the table.

    Attributes
    ----------
    name
    kind
        `states`, `number`, `identifier`, `date`, `text` or `constant`.
    content
        Its states, or its range, as text.
    missing
        Share of missing cells, in [0, 1].
    decision
        `used`, `left out`, or how it was cut.
    odd : tuple of str
        Oddities that were not corrected, each with the option that corrects it.
    """

    name: str
    kind: str
    content: str
    missing: float
    decision: str
    odd: tuple[str, ...] = ()


@dataclass(frozen=True)
class Link:
    """A pair of variables.

    Attributes
    ----------
    ends
        The two names.
    probability
        That a network has the edge, given the data.
    error
        Its standard error.
    gain
        Score that the network loses without the edge, in nats; None if it does not have the edge.
    is_required
        Whether its prior probability is 1.
    example
        From the rows; see `workflow.link_example`.
    """

    ends: tuple[str, str]
    probability: float
    error: float | None
    gain: float | None
    is_required: bool = False
    example: str = ""


@dataclass(frozen=True)
class Prediction:
    """The mean log probability of held-out rows under a model.

    Attributes
    ----------
    model
        Name of the model.
    mean, error
        Mean of ln p(row) and its standard error, in nats.
    """

    model: str
    mean: float
    error: float


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes
    ----------
    title
    summary
        Sentences at the top.
    columns
        The decisions on the columns of the table.
    links
        Pairs of variables, the strongest first.
    cliques, isolated
        Of the network, as names.
    certainty
        Sentences: proof, gap, convergence.
    predictions
        The simplest model first.
    methods
        How the network was learned, a paragraph.
    steps
        Pairs of a description of a step and its command.
    further
        The same for possible next steps.
    versions
        Pairs of name and version.
    picture
        An SVG image.
    """

    title: str
    summary: Sequence[str]
    columns: Sequence[ColumnRow]
    links: Sequence[Link]
    cliques: Sequence[Sequence[str]]
    isolated: Sequence[str]
    certainty: Sequence[str]
    predictions: Sequence[Prediction]
    methods: str
    steps: Sequence[tuple[str, str]]
    further: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]
    picture: bytes


def report_html(report: Report) -> str:
    """The text of the HTML file.

    Parameters
    ----------
    report

    Returns
    -------
    str
    """
    return static_page(
        str(__package__),
        "report",
        report.title,
        SUMMARY=_paragraphs(report.summary),
        PICTURE="data:image/svg+xml;base64," + base64.b64encode(report.picture).decode(),
        LINKS=_links(report.links),
        STRUCTURE=_structure(report),
        CERTAINTY=_list(report.certainty),
        PREDICTIONS=_predictions(report.predictions),
        COLUMNS=_columns(report.columns),
        METHODS=_paragraphs([report.methods]),
        STEPS=_commands(report.steps),
        FURTHER=_commands(report.further),
        VERSIONS=escape(", ".join(f"{name} {version}" for name, version in report.versions)),
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>\n" for sentence in sentences)


def _list(sentences: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{escape(sentence)}</li>\n" for sentence in sentences) + "</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int) -> str:
    """A table whose last columns contain numbers; cells are HTML."""
    first = len(head) - numbers

    def line(cells: Sequence[str], tag: str) -> str:
        parts = (f"<{tag}{' class=n' * (k >= first)}>{cell}</{tag}>" for k, cell in enumerate(cells))
        return f"<tr>{''.join(parts)}</tr>\n"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="wide"><table>\n<thead>{line(head, "th")}</thead>\n<tbody>\n{body}</tbody>\n</table></div>'


def _links(links: Sequence[Link]) -> str:
    if not links:
        return "<p>The network has no link, and no pair of variables is probably linked.</p>"
    rows = []
    for link in links[:MAX_LINKS]:
        error = "" if link.error is None else "below 0.001" if link.error < 0.001 else f"{link.error:.3f}"
        gain = "not in the network" if link.gain is None else f"{link.gain:.1f}"
        ends = " <span>and</span> ".join(f"<b>{escape(name)}</b>" for name in link.ends)
        ends += f"<br><small>{escape(link.example)}</small>" if link.example else ""
        rows.append((ends, _bar(link.probability), _probability(link), error, gain))
    more = len(links) - MAX_LINKS
    head = ("variables", "", "probability", "standard error", "gain, nats")
    rest = f"<p>Not shown here: {more}. They are in network.cliques and probabilities.edges.</p>" if more > 0 else ""
    return _table(head, rows, 3) + rest


def _bar(share: float) -> str:
    """A bar whose length shows a share."""
    whole, part = (f'<rect{look} width="{width:.1f}" height="8" rx="4"/>'
                   for look, width in ((' class="all"', 100.0), ("", 100 * share)))  # fmt: skip
    return f'<svg class="bar" viewBox="0 0 100 8" aria-hidden="true">{whole}{part}</svg>'


def _probability(link: Link) -> str:
    """A link's probability with three decimals, or that it is above 0.999, if its standard error allows to say so."""
    is_certain = link.probability > 0.9995 and (link.error is None or link.error < 0.001)
    return "above 0.999" if is_certain else f"{link.probability:.3f}"


def _structure(report: Report) -> str:
    def named(items: Sequence[str]) -> str:
        more = f", and {len(items) - MAX_NAMED} more" if len(items) > MAX_NAMED else ""
        return ", ".join(items[:MAX_NAMED]) + more

    text, cliques = "", report.cliques
    if cliques:
        which = f"The {MAX_NAMED} largest of {len(cliques)}" if len(cliques) > MAX_NAMED else "The"
        text += f"<p>{which} groups of variables that are all linked with each other (cliques):</p>"
        text += _list(map(", ".join, cliques[:MAX_NAMED]))
    if report.isolated:
        text += f"<p>Without any link: {escape(named(report.isolated))}.</p>"
    return text or "<p>Every variable has a link, and no three are all linked with each other.</p>"


def _predictions(predictions: Sequence[Prediction]) -> str:
    if not predictions:
        return "<p>Too few rows to hold some out.</p>"
    rows = ((escape(one.model), f"{one.mean:.4f}", f"{one.error:.4f}") for one in predictions)
    note = "Held-out rows, by networks learned from the others; larger is better."
    compared = "Independent variables and the best forest are for comparison."
    return _table(("model", "mean ln p(row)", "standard error"), rows, 2) + f'<p class="note">{note} {compared}</p>'


def _columns(columns: Sequence[ColumnRow]) -> str:
    head = ["column", "kind", "content", "in the network"]
    rows = [[escape(text) for text in (one.name, one.kind, one.content, one.decision)] for one in columns]
    if any(one.odd for one in columns):
        head.append("oddities, with the options that correct them")
        for row, one in zip(rows, columns, strict=True):
            row.append(escape("; ".join(one.odd)))
    for row, one in zip(rows, columns, strict=True):
        row.append(percent(one.missing, 1) if one.missing else "")
    return _table([*head, "missing"], rows, 1)


def _commands(pairs: Sequence[tuple[str, str]]) -> str:
    parts = (
        f'<div class="step"><p>{escape(description)}</p>\n<pre><code>{escape(command)}</code></pre></div>\n'
        for description, command in pairs
    )
    return "".join(parts)
