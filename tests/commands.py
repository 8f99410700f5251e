"""How tests start the project's commands, by the names in pyproject.toml."""

import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import click

ROOT = Path(__file__).resolve().parent.parent
# the variable with which a process can import the project, and what could be imported before
IMPORTABLE = {"PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}


_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# the folders of the program, like "common/sets"
FOLDERS = [
    name.replace(".", "/").removeprefix("cliquewise/") for name in _PROJECT["tool"]["setuptools"]["packages"][1:]
]
PAPERS = {"papers": "cliquewise.data.papers.__main__:main"}  # a command that is not installed


def console_scripts():
    """The installed commands: {name: "module:function"}."""
    return _PROJECT["project"]["scripts"]


def program_files():
    """Every Python file of the program, with the reruns of the papers: paths from the project's folder."""
    folders = [Path("."), *map(Path, FOLDERS), Path("data/papers")]
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).glob("*.py"))


def entry_point(name):
    """The function that a console script calls."""
    module, function = (console_scripts() | PAPERS)[name].split(":")
    return getattr(importlib.import_module(module), function)


def command_module(name):
    """The module with the click command of a console script, which has the script's name."""
    return importlib.import_module((console_scripts() | PAPERS)[name].split(":")[0].replace("__main__", "cli"))


def all_commands():
    """Every command that does something, also those of the reruns: {"mntools score": click.Command}."""
    found = {}
    for name in console_scripts() | PAPERS:
        program = getattr(command_module(name), name)
        if isinstance(program, click.Group):
            found |= {f"{name} {key}": program.get_command(None, key) for key in program.list_commands(None)}
        else:
            found[name] = program
    return found


def command_line(name):
    """The words that start a command as a process: the installed script where there is one."""
    script = Path(sys.executable).parent / name
    if script.exists():
        return [str(script)]
    module, function = console_scripts()[name].split(":")
    return [sys.executable, "-c", f"import sys, {module}; sys.argv[0] = {name!r}; {module}.{function}()"]


def run_process(words, input=b"", timeout=300, cwd=None, env=None):
    """Runs a process that can import the project; a record of `code`, `stdout` and `stderr` (text).

    Parameters
    ----------
    words : list of str
        Program and arguments.
    input : bytes
        Its standard input.
    timeout : float
        Seconds.
    cwd : str or Path, optional
        Where it runs.
    env : dict, optional
        Environment variables to add.
    """
    done = subprocess.run(
        list(map(str, words)),
        input=input,
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, **IMPORTABLE, **(env or {})},
    )
    return SimpleNamespace(code=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())


def peak_memory(*words):
    """Standard output of a command line, and its largest resident memory in bytes.

    It is started from a small process, since a child is charged with the memory of the one that starts it.
    """
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    *lines, kilobytes = done.stdout.splitlines()
    return lines, 1024 * int(kilobytes)
