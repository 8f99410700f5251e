"""`make peers` and the bench name what cannot be had, and why, and go on."""

import subprocess
import sys

import pytest

from tests.bench import install_peers, peers, running


def test_a_program_that_cannot_be_installed(monkeypatch, tmp_path, capsys):
    """Another one still can; without R there is no bnlearn."""

    def run(line, **_):
        if "absent" in line:
            return subprocess.CompletedProcess(line, 1, "", "ERROR: one\nERROR: No matching distribution found\n")
        return subprocess.CompletedProcess(line, 0, "1.2.3\n", "")

    monkeypatch.setattr(install_peers, "PEERS", ("absent", "there"))
    monkeypatch.setattr(install_peers, "python", lambda: tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("PATH", str(tmp_path))
    install_peers.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["absent: skipped: ERROR: No matching distribution found", "there: 1.2.3"]
    assert lines[2].startswith("bnlearn: skipped: no Rscript on the path; install R")


def test_a_missing_or_failing_program_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "python", lambda: tmp_path / "python")
    assert peers.asked("states", "t.csv") == (None, "not installed: make peers", 0.0)
    (tmp_path / "python").symlink_to(sys.executable)
    program, reason, _ = peers.asked("no_such_thing")
    assert program is None and reason.startswith("KeyError: 'no_such_thing'")


def test_the_resources_of_our_commands_are_measured(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n0,1\n1,1\n")
    done = running.ours("mnmodel", "states", tmp_path / "t.csv", "-q")
    assert done.text.splitlines() == ["column,state", "a,0", "a,1", "b,1"] and 0 < done.processor < 60
    with pytest.raises(SystemExit, match=r"^mnmodel states: mnmodel: gone: cannot be read"):
        running.ours("mnmodel", "states", "gone", "-q")


def test_a_network_found_in_r(monkeypatch, tmp_path):
    """Version, score and arcs are read, and parents are joined for its treewidth."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert peers.climbed_in_r("t.csv") == (None, "no Rscript", 0.0)
    (tmp_path / "Rscript").write_text("#!/bin/sh\nprintf '4.9 -10.50\\na c\\nb c\\nc d\\n'\n")
    (tmp_path / "Rscript").chmod(0o755)
    program, (score, arcs), _ = peers.climbed_in_r("t.csv")
    assert (program, score, arcs) == ("bnlearn 4.9", -10.5, [["a", "c"], ["b", "c"], ["c", "d"]])
    assert peers.shown_treewidth(arcs) == "2" and peers.shown_treewidth(arcs[1:]) == "1"
