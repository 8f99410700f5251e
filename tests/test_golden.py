"""Commands print what they printed before: `tests/golden/<tool>/<case>/args.txt` and `expected.txt`.

`args.txt` holds the arguments as a shell would split them, with paths from the project's folder; lines that
start with # say what the case is about. `expected.txt` holds standard output, and after a failure also the
exit code and standard error. `make golden` rewrites what was expected. The version in a header is not compared.
"""

import difflib
import re
import shlex

import pytest

from tests.commands import ROOT

VERSION = re.compile(r'(?m)(^(?:#|//) version |"version": ")[^\s"]+')  # a release changes no case
CASES = sorted((ROOT / "tests/golden").glob("*/*/args.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: "/".join(case.parts[-3:-1]))
def test_golden(case, run, request, monkeypatch):
    monkeypatch.chdir(ROOT)
    done = run(case.parts[-3], *shlex.split(case.read_text(), comments=True))
    found = done.stdout if done.code == 0 else f"{done.stdout}exit {done.code}\n{done.stderr}"
    found = VERSION.sub(r"\1ANY", found)
    expected = case.with_name("expected.txt")
    if request.config.getoption("--update-golden"):
        expected.write_text(found)
        return
    assert expected.exists(), "run `make golden` and read what it wrote"
    old, new = expected.read_text().splitlines(), found.splitlines()
    changes = "\n".join(difflib.unified_diff(old, new, "expected", "found", lineterm=""))
    assert not changes, f"\n{changes}\nif that is right: make golden"
