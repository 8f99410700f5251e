"""Writes each command's help into its manual page, its function, and READMEs between the markers that ask for it.

    <!-- help: mntools check -->
    (replaced by a block with the output of `mntools check --help`)
    <!-- end -->

`python -m tests.readme_sync` rewrites them (`make docs`); with `--check` it only says what is out of step, and exits 1
(`make check`).
"""

import difflib
import io
import os
import re
import sys
from contextlib import redirect_stdout
from unittest.mock import patch

from cliquewise.common.cli.grouped import GroupedCommand
from tests.commands import ROOT, command_module
from tests.man_pages import pages
from tests.python_functions import modules

# in this order their examples can be run one after another
READMES = [
    ROOT / name
    for name in (
        "README.md",
        *(f"{learner}/README.md" for learner in ("lsmarkov", "junctor", "coarsen", "mplearn", "twlearn")),
        *(f"{tool}/README.md" for tool in ("mnposterior", "dmscore", "mntools", "mnmodel", "workflow")),
        *(f"common/{name}README.md" for name in ("", "bounds/", "certify/", "data/", "files/", "scores/")),
        "tests/bench/README.md",
        "data/README.md",
        "data/papers/README.md",
        "data/batch/README.md",
        "data/benchpress/README.md",
        "data/packages/README.md",
    )
]
_SECTION = re.compile(r"(?m)^<!-- help: (?P<words>.+?) -->\n(?P<body>(?:.*\n)*?)<!-- end -->$")


def documented(text):
    """The commands whose help a text asks for, as strings like "mntools check"."""
    return [section["words"] for section in _SECTION.finditer(text)]


def updated(text):
    """The text with every help section as the programs print it now."""
    return _SECTION.sub(_section, text)


def _section(match):
    """One section, filled in."""
    name, *rest = match["words"].split()
    command, printed = getattr(command_module(name), name), io.StringIO()
    # click wraps to the terminal's width
    with patch.dict(os.environ, {"COLUMNS": "90", "NO_COLOR": "1"}), redirect_stdout(printed):
        whole = "--help-all" if isinstance(command, GroupedCommand) else "--help"
        command.main([*rest, whole], prog_name=name, standalone_mode=False)
    help_text = "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())
    return f"<!-- help: {match['words']} -->\n```text\n{help_text}\n```\n<!-- end -->"


def documents():
    """The path of each README and manual page, what it holds and what it should hold."""
    for path in READMES:
        before = path.read_text(encoding="utf-8")
        yield path, before, updated(before)
    for path, after in (pages() | modules()).items():
        yield path, path.read_text(encoding="utf-8") if path.exists() else "", after


def main(arguments):
    """Rewrite READMEs and manual pages, or with `--check` print a diff and return 1 if that would change one."""
    changed = False
    for path, before, after in documents():
        if before == after:
            continue
        changed = True
        if "--check" in arguments:
            old, new, name = before.splitlines(), after.splitlines(), str(path.relative_to(ROOT))
            print("\n".join(difflib.unified_diff(old, new, name, "make docs", lineterm="")))
        else:
            path.write_text(after, encoding="utf-8")
    if "--check" in arguments and not changed:
        print("help texts are up to date")
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
