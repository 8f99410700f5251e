"""The manual pages are the help of the commands, whole, and `man` shows them without a complaint."""

import shutil
import subprocess

import click
import pytest

from tests.commands import all_commands, console_scripts
from tests.man_pages import FOLDER, pages

PAGES = pages()


def test_the_pages_are_up_to_date():
    """`make docs` writes them; the wheel installs what lies there."""
    assert {path: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == PAGES, "run `make docs`"


def test_every_option_is_described():
    for name, command in all_commands().items():
        if name.split()[0] not in console_scripts():
            continue
        text = PAGES[FOLDER / f"{name.split()[0]}.1"].replace("\\-", "-")
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert f"\\fB{max(param.opts, key=len)}\\fR" in text, (name, param.opts)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_man_shows_a_page(path):
    if not (shutil.which("groff") and shutil.which("man")):
        pytest.skip("needs man and groff")
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and f"{path.stem.upper()}(1)" in done.stdout
