"""What tests of readers share."""

import logging

import pytest

from tests.reading import read_csv


@pytest.fixture
def read(tmp_path):
    r"""Reads text or bytes as a file: `read("a,b\n0,1\n", missing="drop")`; the file is called t.csv."""

    def invoke(content, **options):
        path = tmp_path / "t.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_csv(path, **options)

    return invoke


@pytest.fixture
def all_messages(caplog):
    """Messages are kept from the level of information on."""
    caplog.set_level(logging.INFO, "cliquewise")
