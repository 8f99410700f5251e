"""Files are written whole or not at all; what cannot be written is refused early."""

import os

import pytest

from cliquewise.common.errors import CliquewiseError, DataError
from cliquewise.common.files import atomic_write


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.write_text("old")
    target.chmod(0o640)
    atomic_write.write_whole(target, "new\n")
    assert target.read_text() == "new\n" and target.stat().st_mode & 0o777 == 0o640

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="out: cannot be written: No space left on device"):
        atomic_write.write_whole(target, b"newer")
    assert target.read_text() == "new\n" and os.listdir(tmp_path) == ["out"]


def test_links_and_devices_are_written_through(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    atomic_write.write_whole(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "x"
    atomic_write.write_whole(os.devnull, "x")
    assert not os.path.isfile(os.devnull)


def test_targets_that_cannot_be_written_are_refused_early(tmp_path, monkeypatch):
    atomic_write.check_writable(None)
    atomic_write.check_writable("-")
    atomic_write.check_writable(tmp_path / "new")
    with pytest.raises(DataError, match="is a folder; name a file"):
        atomic_write.check_writable(tmp_path)
    with pytest.raises(DataError, match="there is no folder .*missing; make it first"):
        atomic_write.check_writable(tmp_path / "missing" / "out")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DataError, match="no permission to write in folder"):
        atomic_write.check_writable(tmp_path / "new")
    (tmp_path / "old").touch()
    with pytest.raises(CliquewiseError, match="old: is write-protected"):
        atomic_write.check_writable(tmp_path / "old")


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "温" * 85, "𝄞" * 60, "\udcff" * 240, "温" * 21 + "\udcff" * 99])
def test_any_legal_name_will_do(tmp_path, name):
    """Of up to 255 bytes, whatever their characters; nothing else is left in the folder."""
    target = tmp_path / name
    atomic_write.check_writable(target)
    assert os.listdir(tmp_path) == []
    for text in ("new", "newer"):
        atomic_write.write_whole(target, text)
        assert os.listdir(tmp_path) == [name] and target.read_text() == text


def test_names_that_the_system_refuses_are_refused_early(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    refusals = {"x" * 256: "File name too long", "é" * 128: "File name too long", "circle": "Too many levels"}
    for name, reason in refusals.items():
        for refused in (atomic_write.check_writable, lambda path: atomic_write.write_whole(path, "x")):
            with pytest.raises(DataError, match=f"{name}: cannot be written: {reason}"):
                refused(tmp_path / name)
    deep = "x" * 200 + "/"
    (tmp_path / "f").write_text("")
    with pytest.raises(DataError, match="is a file; name a folder"):
        atomic_write.check_writable(tmp_path / "f" / deep)
    assert sorted(os.listdir(tmp_path)) == ["circle", "f"]


def test_what_the_system_refuses_only_on_trial_is_refused_early(tmp_path, monkeypatch):
    """A file system without free inodes, say."""

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DataError, match="out: cannot be written: No space left on device"):
        atomic_write.check_writable(tmp_path / "out")
