"""The READMEs are true: their help texts are the programs' own, their examples run, what they name exists."""

import re
import shlex
import shutil
import subprocess

import click
import pytest

from tests.commands import ROOT, command_line, command_module, console_scripts, run_process
from tests.readme_sync import READMES, documented, updated

TEXTS = {path: path.read_text(encoding="utf-8") for path in READMES}
TEXT = "\n".join(TEXTS.values())
EXAMPLES = {path: re.findall(r"(?ms)^```sh\n(.*?)^```$", text) for path, text in TEXTS.items()}


def command_names():
    """Every command and subcommand, like "mntools" and "mntools check"."""
    names = []
    for script in console_scripts():
        names.append(script)
        module = command_module(script)
        for group in [thing for thing in vars(module).values() if isinstance(thing, click.Group)]:
            names += [f"{script} {name}" for name in group.list_commands(click.Context(group))]
    return names


@pytest.mark.parametrize("path", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_help_texts_are_the_programs_own(path):
    assert updated(TEXTS[path]) == TEXTS[path], "run `make docs`"


def test_every_readme_is_listed():
    hidden = (".venv", ".pytest_cache", "build", "results")
    found = {path for path in ROOT.rglob("README.md") if not {*hidden} & {*path.relative_to(ROOT).parts}}
    assert found == {*READMES}


def test_the_first_page_is_short():
    assert len(TEXTS[ROOT / "README.md"].splitlines()) <= 150


def test_every_command_is_documented():
    assert sorted(documented(TEXT)) == sorted(command_names())


@pytest.fixture
def workshop(tmp_path):
    """A folder with a copy of data/ where examples run one after another, and the commands for a PATH."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "bin").mkdir()
    for name in console_scripts():
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(command_line(name))} "$@"\n')
        script.chmod(0o755)
    return tmp_path


# The tools' own pages always; commands of these have tests of their own, and together they take minutes of a core.
LONG = {
    f"{folder}/README.md"
    for folder in (
        *("common/bounds", "common/data", "common/dmscore", "common/mntools", "common/models"),
        *("data/batch", "data/papers"),
    )
}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (name in LONG), id=name)
        for path, name in ((path, path.relative_to(ROOT).as_posix()) for path in READMES)
        if EXAMPLES[path]
    ],
)
def test_examples_run(path, workshop, monkeypatch):
    """Those of a README one after another: some take up files that others have written. Each README stands alone."""
    monkeypatch.setenv("PATH", str(workshop / "bin"), prepend=":")
    for example in EXAMPLES[path]:
        script = re.sub(r"--time-limit \S+", "--time-limit 0.3", example)
        done = run_process(["bash", "-euo", "pipefail", "-c", script], cwd=workshop)
        assert done.code == 0, f"{script}\n{done.stderr}"


def test_there_are_examples_of_every_command():
    words = set(re.findall(r"[\w-]+", " ".join(example for examples in EXAMPLES.values() for example in examples)))
    assert set(console_scripts()) <= words


def test_make_targets_exist():
    code = "\n".join(re.findall(r"`[^`\n]+`|(?ms:^```.*?^```$)", TEXT))
    targets = set(re.findall(r"\bmake ([a-z0-9-]+)", code))
    assert {"demo", "test"} <= targets
    listed = subprocess.run(["make", "-qp"], cwd=ROOT, capture_output=True, text=True).stdout
    assert targets <= set(re.findall(r"(?m)^([a-z0-9-]+):", listed))


def test_linked_files_exist():
    for path, text in TEXTS.items():
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (path.parent / target).exists(), f"{path}: {target}"


def test_version_is_in_the_changelog():
    version = re.search(r'(?m)^version = "(.+)"', (ROOT / "pyproject.toml").read_text())[1]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
