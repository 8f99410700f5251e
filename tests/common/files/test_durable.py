"""The system calls of writing a result, and their order."""

import os
import stat

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.atomic_write import check_writable, write_whole


def test_the_content_is_on_the_disk_before_the_file_takes_its_place(tmp_path, monkeypatch):
    """Otherwise a power cut could leave an empty file instead of the old result."""
    target = tmp_path / "out"
    target.write_text("old")
    forced = []

    def fsync(handle):
        forced.append(os.fstat(handle))
        assert target.read_text() == "old"

    replace = os.replace

    def checked_replace(source, to):
        if os.fspath(to) == os.fspath(target):
            there = os.stat(source)
            assert [(there.st_ino, len("the new one"))] == [(one.st_ino, one.st_size) for one in forced]
        replace(source, to)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", checked_replace)
    write_whole(target, ["the new", " one"])
    assert target.read_text() == "the new one" and len(forced) == 1


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o024)
    try:
        write_whole(tmp_path / "out", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o642


def test_what_comes_before_the_error_is_not_left(tmp_path):
    def pieces():
        yield "half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_whole(tmp_path / "out", pieces())
    assert os.listdir(tmp_path) == []


def test_a_folder_must_be_open_to_writing_and_to_entering(tmp_path, monkeypatch):
    """Asked of the system, since the superuser may write anywhere."""
    asked = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append((str(path), mode)))
    with pytest.raises(DataError, match="no permission to write in folder"):
        check_writable(tmp_path / "out")
    assert asked == [(str(tmp_path), os.W_OK | os.X_OK)]


def test_what_the_shell_has_opened_is_written_on_and_stays_the_same_file(tmp_path):
    """As `-o /dev/fd/3 3>>log`, which names a regular file."""
    target = tmp_path / "log"
    with open(target, "ab") as file:
        file.write(b"first\n")
        file.flush()
        number = target.stat().st_ino
        write_whole(f"/dev/fd/{file.fileno()}", "second\n")
    assert target.read_text() == "first\nsecond\n" and target.stat().st_ino == number
