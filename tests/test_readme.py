"""The README is true: its help texts are the programs' own, its examples run, its make targets exist."""

import re
import shlex
import shutil
import subprocess
import sys

import click
import pytest

from tests.commands import ROOT, command_line, console_scripts, entry_point, run_process
from tests.readme_sync import README, documented, updated

TEXT = README.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"(?ms)^```sh\n(.*?)^```$", TEXT)


def command_names():
    """Every command and subcommand, like "mntools" and "mntools check"."""
    names = []
    for script in console_scripts():
        names.append(script)
        module = sys.modules[entry_point(script).__module__]
        for group in [thing for thing in vars(module).values() if isinstance(thing, click.Group)]:
            names += [f"{script} {name}" for name in group.list_commands(click.Context(group))]
    return names


def test_help_texts_are_the_programs_own():
    assert updated(TEXT) == TEXT, "run `make docs`"


def test_every_command_is_documented():
    assert sorted(documented(TEXT)) == sorted(command_names())


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder with a copy of data/ where the examples run one after another, and the commands for a PATH."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "data", folder / "data")
    (folder / "bin").mkdir()
    for name in console_scripts():
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(command_line(name))} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(workshop, monkeypatch, number):
    monkeypatch.setenv("PATH", str(workshop / "bin"), prepend=":")
    script = re.sub(r"--time-limit \S+", "--time-limit 1", EXAMPLES[number])
    done = run_process(["bash", "-euo", "pipefail", "-c", script], cwd=workshop)
    assert done.code == 0, f"{script}\n{done.stderr}"


def test_there_are_examples_of_every_command():
    words = set(re.findall(r"[\w-]+", " ".join(EXAMPLES)))
    assert set(console_scripts()) <= words


def test_make_targets_exist():
    code = "\n".join(re.findall(r"`[^`\n]+`|(?ms:^```.*?^```$)", TEXT))
    targets = set(re.findall(r"\bmake ([a-z-]+)", code))
    assert {"demo", "test"} <= targets
    listed = subprocess.run(["make", "-qp"], cwd=ROOT, capture_output=True, text=True).stdout
    assert targets <= set(re.findall(r"(?m)^([a-z-]+):", listed))


def test_linked_files_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_version_is_in_the_changelog():
    version = re.search(r'(?m)^version = "(.+)"', (ROOT / "pyproject.toml").read_text())[1]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
