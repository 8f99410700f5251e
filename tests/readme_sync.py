"""Writes each command's `--help` into README.md, between the markers that ask for it.

    <!-- help: mntools check -->
    (replaced by a block with the output of `mntools check --help`)
    <!-- end -->

`python -m tests.readme_sync` rewrites the README (`make docs`); with `--check` it only says what is out of
step, and exits 1 (`make check`).
"""

import difflib
import re
import sys

from tests.commands import ROOT, command_line, run_process

README = ROOT / "README.md"
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
    # click wraps to the terminal's width
    done = run_process([*command_line(name), *rest, "--help"], env={"COLUMNS": "90", "NO_COLOR": "1"})
    if done.code != 0:
        raise SystemExit(f"{match['words']} --help ended with {done.code}: {done.stderr.strip()}")
    help_text = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    return f"<!-- help: {match['words']} -->\n```text\n{help_text}\n```\n<!-- end -->"


def main(arguments):
    """Rewrite README.md, or with `--check` print a diff and return 1 if that would change it."""
    before = README.read_text(encoding="utf-8")
    after = updated(before)
    if "--check" not in arguments:
        README.write_text(after, encoding="utf-8")
        return 0
    old, new = before.splitlines(), after.splitlines()
    changes = "\n".join(difflib.unified_diff(old, new, "README.md", "make docs", lineterm=""))
    print(changes or "README.md: help texts are up to date")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
