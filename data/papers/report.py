"""`papers report`: all tables and figures of a rerun on one page, in Markdown and as self-contained HTML."""

from __future__ import annotations

import html
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...common.version import version
from .cells import make_table, read_records
from .plot import embedded
from .table import heads, lines, sentence, to_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import ReportTable
    from .spec import Spec


LIBRARIES = ("numpy", "numba", "scipy", "highspy", "pyscipopt", "scikit-learn", "matplotlib")
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #16233a; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid #d5dbe4; padding-top: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 12.5px; white-space: nowrap; }
th { text-align: right; white-space: normal; vertical-align: bottom; background: #f3f6fb; max-width: 7rem; }
td { text-align: right; font-variant-numeric: tabular-nums; } th, td { border: 1px solid #dfe4ec; padding: 2px 7px; }
td:first-child, th:first-child { text-align: left; position: sticky; left: 0; } td:first-child { background: #fff; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
.better { background: #e2f3e6; } .worse { background: #fae3df; } .conditions { color: #4a5567; }
nav a { margin-right: .8rem; white-space: nowrap; }
"""


@dataclass(frozen=True)
class PagePart:
    """A table or figure on the page.

    Attributes
    ----------
    spec
    table
        None for a figure.
    picture
        Without its ending; .svg is embedded in the page, .png is linked from the Markdown.
    """

    spec: Spec
    table: ReportTable | None
    picture: Path | None


def parts_of(specs: Sequence[Spec], folder: str) -> list[PagePart]:
    """The parts of the page, in order: list of PagePart.

    Parameters
    ----------
    specs
    folder
        Of records and pictures.
    """
    made = []
    for spec in specs:
        table = None if spec.figure else make_table(spec, folder)
        made.append(PagePart(spec, table, Path(folder, spec.name) if spec.figure else None))
    return made


def circumstances(parts: Sequence[PagePart], folder: str) -> dict[str, str]:
    """Machine, versions and date of the records: dict of str to str.

    Parameters
    ----------
    parts
    folder
    """
    records = [record for part in parts for record in read_records(part.spec, folder)]
    seeds = sorted({int(one["seed"]) for one in records if one.get("seed", "").isdigit()})
    versions = sorted({one["version"] for one in records if one.get("version")}) or [version()]
    return {
        "Date": time.strftime("%Y-%m-%d %H:%M %Z"),
        "Machine": f"{_processor()}, {os.cpu_count()} cores, {_memory()} of memory; {_system()}",
        "Versions": f"cliquewise {', '.join(versions)}; Python {platform.python_version()}; {_libraries()}",
        "Seeds": ", ".join(map(str, seeds)) or "none",
        "Records": f"{len(records)} in {folder}",
    }


def to_markdown_page(title: str, facts: dict[str, str], parts: Sequence[PagePart], beside: Path) -> str:
    """The page in Markdown: str.

    Parameters
    ----------
    title
    facts : dict of str to str
    parts
    beside
        The folder of the page; links to pictures are relative to it.
    """
    text = [f"# {title}", "\n".join(f"* {key}: {value}" for key, value in facts.items())]
    for part in parts:
        if part.table is not None:
            text.append(to_markdown(part.table).rstrip())
            continue
        text += [f"## {part.spec.title}", f"*{part.spec.paper}.* {' '.join(part.spec.conditions.split())}".strip()]
        assert part.picture is not None
        picture = part.picture.with_suffix(".png")
        link = os.path.relpath(picture, beside)
        text.append(f"![{part.spec.title}]({link})" if picture.exists() else "No picture was drawn.")
    return "\n\n".join(text) + "\n"


def to_html_page(title: str, facts: dict[str, str], parts: Sequence[PagePart]) -> str:
    """The page in HTML, with styles and pictures in it: str.

    Parameters
    ----------
    title
    facts : dict of str to str
    parts
    """
    body = [f"<h1>{html.escape(title)}</h1>"]
    body.append("<ul>" + "".join(f"<li>{html.escape(f'{k}: {v}')}</li>" for k, v in facts.items()) + "</ul>")
    links = (f'<a href="#{part.spec.name}">{html.escape(part.spec.name)}</a>' for part in parts)
    body.append(f"<nav>{' '.join(links)}</nav>")
    for part in parts:
        spec = part.spec
        conditions = html.escape(" ".join(spec.conditions.split()))
        body.append(f'<h2 id="{spec.name}">{html.escape(spec.title)}</h2>')
        body.append(f'<p class="conditions"><em>{html.escape(spec.paper)}.</em> {conditions}</p>')
        if part.table is not None:
            body += [_html_table(part.table), f"<p>{html.escape(sentence(part.table))}</p>"]
        else:
            assert part.picture is not None
            body.append(f"<figure>{embedded(part.picture.with_suffix('.svg')) or 'No picture was drawn.'}</figure>")
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n' + "\n".join(
        [*body, "</body></html>\n"]
    )


def _html_table(table: ReportTable) -> str:
    """A table; values better or worse than published are coloured."""
    head = "".join(f"<th>{html.escape(one)}</th>" for one in heads(table.spec))
    rows = []
    for line, (_, cells) in zip(lines(table), table.rows, strict=True):
        verdicts = [""] * len(table.spec.keys)
        for column, cell in zip(table.spec.columns, cells, strict=True):
            verdicts += ["", cell.verdict] if column.published else [""]
            verdicts += [cell.verdict] if column.published and column.better else []
        verdicts += [""] * len(table.spec.shown)
        marked = zip(line, verdicts, strict=True)
        rows.append("".join(f'<td class="{mark}">{html.escape(text)}</td>' for text, mark in marked))
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _system() -> str:
    """The operating system and its version."""
    return f"{platform.system()} {platform.release()}"


def _processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
        return next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    """The machine's memory, in GB."""
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
    except (ValueError, OSError):
        return "unknown size"


def _libraries() -> str:
    """The versions of the libraries that are installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of_package

    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {of_package(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
