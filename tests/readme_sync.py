"""Writes what is made from the options of commands: manual pages (data/man) and the functions of `from_python.py`.

`python -m tests.readme_sync` rewrites them (`make docs`); with `--check` it only says what is out of step, and exits 1
(`make check`).
"""

import difflib
import sys

from tests.commands import ROOT
from tests.man_pages import pages
from tests.python_functions import modules


def documents():
    """The path of each manual page and module, what it holds and what it should hold."""
    for path, after in (pages() | modules()).items():
        yield path, path.read_text(encoding="utf-8") if path.exists() else "", after


def main(arguments):
    """Rewrite manual pages and modules, or with `--check` print a diff and return 1 if that would change one."""
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
