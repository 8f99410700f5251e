"""The picture, the page and the report of a study, as files of its folder."""

from __future__ import annotations

import platform
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.drawing.page import write_page
from ..common.drawing.picture import picture
from ..common.files.atomic_write import write_whole
from ..common.version import version
from ..mnmodel.page import ModelPageOptions, page_of_model
from . import words
from .learn import MODEL, NETWORK, PROBABILITIES, TABLE, Study
from .report import Report, report_html
from .steps import CommandStep

if TYPE_CHECKING:
    from collections.abc import Sequence

PICTURE, PAGE, REPORT = "network.svg", "page.html", "report.html"
SHOWN = "probability of the edge"


def picture_of(study: Study) -> bytes:
    """The network as an SVG image, with widths by probability."""
    known = {link.ends: link.probability or 0.0 for link in study.links}
    graph: Any = study.network.graph
    names = study.network.names
    widths = [known[names[u], names[v]] for u, v in graph.edges]
    return picture("svg", graph, widths, f"{graph.n} variables, {len(graph.edges)} edges", SHOWN)


def report_of(study: Study, drawn: bytes, steps: Sequence[CommandStep], folder: Path | None) -> Report:
    """The content of the report.

    Parameters
    ----------
    drawn
        The picture, an SVG image.
    steps
        All that was done.
    folder
        Of the files that the commands name.
    """
    table, network = study.preparation.data, study.network
    linked = {name for link in study.links if link.gain is not None for name in link.ends}
    cliques = sorted((one for one in network.cliques if len(one) > 2), key=lambda one: (-len(one), one))
    sentences = [
        words.links_sentence(study.links, table.n, table.n_rows),
        words.doubt_sentence(study.links),
        words.prediction_sentence(study.predictions),
    ]
    certainty = [
        words.proof_sentence(network),
        words.convergence_sentence(study.probabilities.header),
    ]
    left_out = study.preparation.left_out
    if left_out:
        sentences.append(f"Left out of the {table.n + len(left_out)} columns: {', '.join(left_out)}.")
    return Report(
        f"What goes together in {Path(study.source).name}",
        [sentence for sentence in sentences if sentence],
        study.preparation.columns,
        study.links,
        cliques,
        [name for name in table.names if name not in linked],
        certainty,
        study.predictions,
        [(step.what, step.command) for step in steps],
        _further(study, folder),
        [("cliquewise", version()), ("Python", platform.python_version())],
        drawn,
    )


def write_outputs(study: Study, folder: Path) -> tuple[CommandStep, ...]:
    """Write picture, page and report into the folder of a study; returns all steps.

    Raises
    ------
    CliquewiseError
        A file that cannot be written, or matplotlib is not installed.
    """
    drawn = picture_of(study)
    write_whole(str(folder / PICTURE), drawn)
    model, edges = str(folder / MODEL), str(folder / PROBABILITIES)
    write_page(str(folder / PAGE), page_of_model(model, ModelPageOptions(probabilities=edges)))
    steps = (
        *study.steps,
        CommandStep("the picture", shlex.join(["mntools", "draw", edges, "-o", str(folder / PICTURE)])),
        CommandStep(
            "a page that answers in a browser",
            shlex.join(["mnmodel", "page", model, "--probabilities", edges, "-o", str(folder / PAGE)]),
        ),
    )
    write_whole(str(folder / REPORT), report_html(report_of(study, drawn, steps, folder)))
    return steps


def _further(study: Study, folder: Path | None) -> list[tuple[str, str]]:
    """What can be done next, and how."""

    def at(name: str) -> str:
        return name if folder is None else str(folder / name)

    table = at(TABLE) if study.preparation.changes else study.source
    found = []
    if study.links:
        first, second = study.links[0].ends
        place = study.network.names.index(second)
        state = study.preparation.data.states[place][0]
        asked = ["mnmodel", "query", at(MODEL), "--of", first, "--given", f"{second}={state}"]
        found.append((f"How probable are the states of {first}, given one of {second}?", shlex.join(asked)))
    missing = ["--missing", "em"] if "missing" in study.model.header else []
    longer = ["mnposterior", table, *missing, "--time-limit", "600", "--names", "-o", at(PROBABILITIES)]
    found.append(("Probabilities of links from longer chains:", shlex.join(longer)))
    checked = ["mntools", "check", at(NETWORK), "--data", table]
    found.append(("Is the network what it claims to be? Everything is computed anew:", shlex.join(checked)))
    return found
