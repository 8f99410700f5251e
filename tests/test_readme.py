"""READMEs and handbook are true: their examples run, what they name exists, every command has a page and an example."""

import re
import shlex
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

import click
import pytest

from tests.commands import PAPERS, ROOT, command_line, command_module, console_scripts, run_process

HIDDEN = {".venv", ".pytest_cache", "build", "results"}
READMES = sorted(path for path in ROOT.rglob("README.md") if not HIDDEN & {*path.relative_to(ROOT).parts})
# their blocks are run here, those with an output when the site is built
GUIDES = sorted((ROOT / "docs").rglob("*.md"))
TEXTS = {path: path.read_text(encoding="utf-8") for path in [*READMES, *GUIDES]}
TEXT = "\n".join(TEXTS.values())
INSTALLS = re.compile(r"(?m)^(?:pip install|make) .*\n")  # an environment, the tables of the papers: hours
EXAMPLES = {
    path: [INSTALLS.sub("", block) for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", text)]
    for path, text in TEXTS.items()
}
IN_PYTHON = {
    path.relative_to(ROOT).as_posix(): blocks
    for path, text in TEXTS.items()
    if (blocks := re.findall(r"(?ms)^```python\n(.*?)^```$", text))
}


def command_names():
    """Every command and subcommand, like "mntools" and "mntools check"."""
    names = []
    for script in console_scripts() | PAPERS:
        names += [script] if script in console_scripts() else []
        module = command_module(script)
        for group in [thing for thing in vars(module).values() if isinstance(thing, click.Group)]:
            names += [f"{script} {name}" for name in group.list_commands(click.Context(group))]
    return names


def test_every_command_is_in_the_reference():
    reference = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r":prog: (\S+)", reference)) == set(console_scripts())
    manual = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "data/man").glob("*.1"))
    for name in command_names():
        assert name.split()[0] in PAPERS or f".SH {name}\n" in manual or f"\n{name} \\- " in manual, name


# Commands of these have tests of their own, and together they take minutes of a core.
LONG = {
    *(
        "docs/index.md",
        "docs/tables.md",
        "docs/models.md",
        "docs/networks.md",
        "docs/how/mixtures.md",
        "docs/how/cutting-planes.md",
    ),
    *("docs/how/score-files.md", "docs/how/pseudo-likelihood.md", "docs/how/posterior.md"),
    *(
        "docs/how/bounded-treewidth.md",
        "docs/how/coarsening.md",
        "docs/running.md",
        "data/batch/README.md",
        "data/papers/README.md",
    ),
}
NAMES = {path.relative_to(ROOT).as_posix(): path for path in TEXTS if EXAMPLES[path]}


def in_short(example):
    """An example whose searches end at once, each command on one line."""
    return re.sub(r"(--time-limit |time_limit=)[\d.]+", r"\g<1>0.3", example.replace("\\\n", ""))


def run_line(line, run):
    """Runs a line of words, pipes and `>`: our commands in this process, others (cat, cut) in their own."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    words, content = [], b""
    for word in [*lexer, "|"]:
        if word != "|":
            words.append(word)
            continue
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if target else words
        if words[:3] == ["python", "-m", "cliquewise.data.papers"]:
            words[:3] = ["papers"]
        if words[0] in console_scripts() | PAPERS:
            done = run(*words, input=content)
            assert done.code == 0, f"{line}\n{done.stderr}"
            content = done.stdout.encode()
        else:
            content = subprocess.run(words, input=content, capture_output=True, check=True).stdout
        if target:
            Path(target).write_bytes(content)
        words = []


@pytest.fixture
def workshop(here, monkeypatch):
    """A folder with a copy of data/ and the reader's table, where examples run one after another; no browser opens."""
    shutil.copytree(ROOT / "data", here / "data")
    shutil.copy(ROOT / "data/zoo.csv", here / "table.csv")
    monkeypatch.setenv("BROWSER", "true")  # the command
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    return here


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("name", sorted({*NAMES} - LONG))
def test_examples_run(name, workshop, run):
    """Those of a page one after another: some take up files that others have written. Each page stands alone."""
    for example in EXAMPLES[NAMES[name]]:
        for line in in_short(example).splitlines():
            if not line.startswith("#"):
                run_line(line, run)


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PYTHON)
def test_examples_in_python_run(name, workshop):
    """The blocks of a page one after another, with what they need of other packages; prints say what stands behind."""
    for package in ("pgmpy", "pyagrum", "pandas"):
        pytest.importorskip(package)
    example = "\n".join(IN_PYTHON[name])
    done = run_process([sys.executable, "-c", in_short(example)], cwd=workshop)
    assert done.code == 0, done.stderr
    assert all(expected in done.stdout for expected in re.findall(r"(?m)^print\(.*\)  # (.+)$", example))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_examples_run_in_a_shell(name, workshop, monkeypatch):
    (workshop / "bin").mkdir()
    lines = {script: command_line(script) for script in console_scripts()}
    lines["python"] = [sys.executable]  # a link would not find what its environment has
    for script, words in lines.items():
        path = workshop / "bin" / script
        path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(workshop / "bin"), prepend=":")
    for example in EXAMPLES[NAMES[name]]:
        done = run_process(["bash", "-euo", "pipefail", "-c", in_short(example)], cwd=workshop)
        assert done.code == 0, f"{example}\n{done.stderr}"


def test_every_command_has_an_example():
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
