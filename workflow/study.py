"""The results for a table: the network, its probabilities and model, and the report in words."""

from __future__ import annotations

import base64
import os
import platform
import shlex
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.counted import counted
from ..common.data.csvwriter import cell_text
from ..common.drawing.picture import Drawing
from ..common.drawing.picture import picture as drawn_picture
from ..common.errors import abridged
from ..common.files.atomic_write import write_whole
from ..common.graphs.size_text import size_text
from ..common.version import version
from ..mnmodel.evidence import evidence_of, split_names
from . import sentences
from .config import FOR_LEARNERS, WorkflowOptions, words_of
from .report import Link, Prediction, Report, report_html
from .steps import path_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from ..common.networks.network import Network
    from ..mnmodel.python_model import Model
    from .preparation import Preparation
    from .steps import CommandStep

# files of a folder
TABLE, SEARCHED, PROVED, NETWORK = "table.csv", "search.cliques", "proof.cliques", "network.cliques"
PROBABILITIES, MODEL, HELD_OUT_ROWS = "probabilities.edges", "model.bif", "held-out.json"
WIDTH_MEANING = "probability of the edge"
EM = ("--missing", "em")
SHOWN_COLUMNS = 5  # columns


@dataclass(frozen=True, eq=False)
class Study:
    """The results for a table.

    Attributes
    ----------
    source
        Name of the table.
    preparation
        The table that was learned from, and the decision on each column.
    network
        The best network found; its status says whether it is proved to be the best.
    probabilities
        The network of all links that occurred, with their probabilities.
    model
        The network with fitted probabilities.
    links : tuple of Link
        Those of the network and all more probable than not, strongest first.
    predictions : tuple of Prediction
    steps : tuple of CommandStep
        The steps of the work, with their commands.
    words : tuple of str
        Words of commands that read the table: its name, and the options by which it is read.
    options : WorkflowOptions
    """

    source: str
    preparation: Preparation
    network: Network
    probabilities: Network
    model: Model
    links: tuple[Link, ...]
    predictions: tuple[Prediction, ...]
    steps: tuple[CommandStep, ...]
    words: tuple[str, ...]
    options: WorkflowOptions

    def picture(self) -> bytes:
        """The network as an SVG image, with widths by probability."""
        known = {link.ends: link.probability for link in self.links}
        graph: Any = self.network.graph
        names = self.network.names
        widths = [known[names[u], names[v]] for u, v in graph.edges]
        return drawn_picture("svg", Drawing(graph, widths, size_text(graph), WIDTH_MEANING))

    def sentences(self) -> list[str]:
        """The results, in a few sentences."""
        table, left_out = self.preparation.data, self.preparation.left_out
        found = [
            sentences.links_sentence(self.links, self.network, table.n_rows),
            sentences.doubt_sentence(self.links),
            sentences.outweighed_sentence(self.links),
            sentences.prediction_sentence(self.predictions),
        ]
        if left_out:
            found.append(f"Left out of the {table.n + len(left_out)} columns: {', '.join(left_out)}.")
        if table.n_rows < sentences.FEW_ROWS:
            found.append(sentences.few_rows_sentence(table.n_rows))
        tally = self.preparation.tally
        if tally is not None:
            found.append(sentences.tally_sentence(*tally))
        odd = [row.name for row in self.preparation.columns if row.odd and row.name not in (tally or ())[1:]]
        if odd:
            named = abridged(odd, SHOWN_COLUMNS)
            found.append(f"Odd columns, which the report's table explains: {named}.")
        if self.preparation.odd_rows:
            found.append(f"The table has {self.preparation.odd_rows}.")
        found += [f"Cells are {sentence}." for sentence in self.preparation.skipped]
        return [sentence for sentence in found if sentence]

    def methods(self) -> str:
        """How the network was learned, in a paragraph for the methods section of a paper."""
        ready = self.preparation
        return sentences.methods_paragraph(self.network, self.probabilities, ready.data.n_rows, len(ready.cut))

    def report(self) -> str:
        """The report, as the text of an HTML file. matplotlib must be installed."""
        return report_html(report_of(self, self.picture(), self.steps, None))

    def write_report(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, whole or not at all."""
        write_whole(os.fspath(path), self.report())

    def _repr_html_(self) -> str:
        """The picture and a few sentences, for a notebook."""
        image = base64.b64encode(self.picture()).decode()
        paragraphs = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences())
        return f'<div><img alt="the network" src="data:image/svg+xml;base64,{image}">{paragraphs}</div>'

    def __repr__(self) -> str:
        found = sum(link.gain is not None for link in self.links)
        size = f"{counted(found, 'link')} among {counted(self.network.graph.n, 'variable')}"
        return f"<Study of {self.source}: {size}, {self.network.status}>"


def report_of(study: Study, drawn: bytes, steps: Sequence[CommandStep], folder: Path | None) -> Report:
    """The content of the report.

    Parameters
    ----------
    drawn
        The picture, an SVG image.
    steps
        All steps that were done.
    folder
        Of the files that the commands name.
    """
    table, network = study.preparation.data, study.network
    linked = {name for link in study.links if link.gain is not None for name in link.ends}
    cliques = sorted((one for one in network.cliques if len(one) > 2), key=lambda one: (-len(one), one))
    certainty = [
        sentences.proof_sentence(network),
        sentences.convergence_sentence(study.probabilities.header),
    ]
    return Report(
        f"Dependences in {Path(study.source).name}",
        study.sentences(),
        study.preparation.columns,
        study.links,
        cliques,
        [name for name in table.names if name not in linked],
        certainty,
        study.predictions,
        study.methods(),
        [(step.description, step.command) for step in steps],
        _further(study, folder),
        [("cliquewise", version()), ("Python", platform.python_version())],
        drawn,
    )


def _further(study: Study, folder: Path | None) -> list[tuple[str, str]]:
    """Further steps, with their commands."""
    found = []
    if study.preparation.corrected and folder is not None:
        words = [*words_of(study.options.changed()), *study.preparation.corrected]
        again = ["cliquewise", "learn", study.source, *words, "-o", f"{folder}-corrected"]
        found.append(("Learn again with the corrections of the odd columns, if they are right:", shlex.join(again)))
    if study.links:
        first, second = study.links[0].ends
        place = study.network.names.index(second)
        state = study.preparation.data.states[place][0]
        given = f"{second}={state}"
        of = first if split_names(first) == [first] else cell_text(first)
        given = given if evidence_of([given]) == [given] else cell_text(given)
        asked = ["mnmodel", "query", path_in(folder, MODEL), "--of", of, "--given", given]
        found.append((f"How probable are the states of {first}, given one of {second}?", shlex.join(asked)))
    if "r-hat-edges" in study.probabilities.header:
        options = words_of(study.options.changed(*FOR_LEARNERS) | {"time_limit": 600})
        longer = ["mnposterior", *study.words, *options, "-o", path_in(folder, PROBABILITIES)]
        found.append(("Probabilities of links from longer chains:", shlex.join(longer)))
    reading = study.words[: -len(EM)] if study.words[-len(EM) :] == EM else study.words  # it is in the header
    known = words_of(study.options.changed("edge_priors"))
    checked = ["mntools", "check", path_in(folder, NETWORK), *reading, *known]
    found.append(("Check the network; everything is recomputed:", shlex.join(checked)))
    return found
