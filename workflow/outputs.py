"""The picture, the page and the report of a study, as files of its folder."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..common.drawing.page import write_page
from ..common.files.atomic_write import write_whole
from ..mnmodel.page import ModelPageOptions, page_of_model
from .preparation import STATES
from .report import report_html
from .steps import LEDGER, CommandStep
from .study import HELD_OUT_ROWS, MODEL, NETWORK, PROBABILITIES, PROVED, SEARCHED, TABLE, Study, report_of

PICTURE, PAGE, REPORT = "network.svg", "page.html", "report.html"
FILES = (TABLE, STATES, SEARCHED, PROVED, NETWORK, PROBABILITIES, MODEL, HELD_OUT_ROWS, PICTURE, PAGE, REPORT, LEDGER)


def write_outputs(study: Study, folder: Path) -> tuple[CommandStep, ...]:
    """Write picture, page and report into the folder of a study; returns all steps.

    Raises
    ------
    CliquewiseError
        A file that cannot be written, or matplotlib is not installed.
    """
    drawn = study.picture()
    write_whole(str(folder / PICTURE), drawn)
    model, edges = str(folder / MODEL), str(folder / PROBABILITIES)
    widths = ["--probabilities", edges]
    write_page(str(folder / PAGE), page_of_model(model, ModelPageOptions(probabilities=edges)))
    steps = (
        *study.steps,
        CommandStep(
            "the picture",
            shlex.join(["mntools", "draw", str(folder / NETWORK), *widths, "-o", str(folder / PICTURE)]),
        ),
        CommandStep(
            "a page for a browser",
            shlex.join(["mnmodel", "page", model, *widths, "-o", str(folder / PAGE)]),
        ),
    )
    write_whole(str(folder / REPORT), report_html(report_of(study, drawn, steps, folder)))
    return steps
