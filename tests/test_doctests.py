"""The examples in docstrings are true."""

import doctest
import importlib

import pytest

from tests.commands import ROOT, program_files

FILES = [path for path in program_files() if ">>>" in (ROOT / path).read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_examples_in_docstrings(file):
    module = importlib.import_module(".".join(("cliquewise", *file.with_suffix("").parts)))
    done = doctest.testmod(module)
    assert done.attempted and not done.failed


def test_there_are_some():
    assert len(FILES) > 3
