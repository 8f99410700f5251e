"""Writes the manual pages of the commands, data/man, from their help texts; a part of `make docs`.

A page is what `--help-all` prints, in the macros of man(7): click's own help goes through a formatter that writes them
instead of text, and the subcommands of a command are sections of its page. The wheel installs the pages under
share/man/man1, where `man` looks for them if the environment's bin is on PATH.
"""

import re
from contextlib import contextmanager

import click

from cliquewise.common.cli.grouped import GroupedCommand, help_of_all
from tests.commands import ROOT, command_module, console_scripts

FOLDER = ROOT / "data/man"
WIDTH = 90  # of the first words about a subcommand
EXIT_CODES = {
    "0": "the result is written",
    "1": "the data, a file or a limit is at fault; one line on standard error says which",
    "2": "the command line is at fault",
    "130": "ended by Ctrl-C or SIGTERM; a learner has written the best network so far",
}


def pages():
    """The text of each page, by its path."""
    return {FOLDER / f"{name}.1": _page(name) for name in sorted(console_scripts())}


def _page(name):
    command = getattr(command_module(name), name)
    context = click.Context(command, info_name=name, **command.context_settings)
    summary = " ".join(command.help.split("\n\n")[0].split()).rstrip(".")
    summary = summary[0].lower() + summary[1:]
    text = _Macros(width=WIDTH)
    text.write(f'.TH {name.upper()} 1 "" "cliquewise" "cliquewise"\n.SH NAME\n{name} \\- {_plain(summary)}\n')
    _describe(text, command, context, "SH")
    for key, below in getattr(command, "commands", {}).items():
        text.write(f".SH {name} {key}\n")
        _describe(text, below, click.Context(below, info_name=key, parent=context, **below.context_settings), "SS")
    text.write(".SH EXIT STATUS\n")
    text.write_dl(EXIT_CODES.items())
    others = ", ".join(f"\\fB{other}\\fR(1)" for other in sorted(console_scripts()) if other != name)
    text.write(f".SH SEE ALSO\n{others}\n")
    return text.getvalue()


def _describe(text, command, context, level):
    """Usage, description and options of a command; sections of this level."""
    text.level = level
    context.formatter_class = lambda: text
    if isinstance(command, GroupedCommand):
        with help_of_all(context):
            command.format_help(context, text)
    else:
        command.format_help(context, text)


class _Macros(click.HelpFormatter):
    """What click's commands write their help into, as macros of man(7)."""

    level = "SH"

    def write_usage(self, prog, args="", prefix=None):
        self.write(f".{self.level} SYNOPSIS\n\\fB{_plain(prog)}\\fR {_plain(args)}\n")
        self.write(f".{self.level} DESCRIPTION\n")

    def write_heading(self, heading):
        self.write(f".{self.level} {_plain(heading).upper() if self.level == 'SH' else _plain(heading)}\n")

    def write_paragraph(self):
        pass

    def write_text(self, text):
        for paragraph in filter(None, re.split(r"\n\s*\n", text.strip())):
            if paragraph.startswith("\b\n"):  # click's mark of lines that stay as they are
                lines = paragraph.splitlines()[1:]
                self.write(".PP\n.nf\n" + "".join(f"{_plain(line)}\n" for line in lines) + ".fi\n")
            else:
                self.write(f".PP\n{_plain(' '.join(paragraph.split()))}\n")

    def write_dl(self, rows, col_max=30, col_spacing=2):
        for first, second in rows:
            bold = re.sub(r"(?<![\w-])(-{1,2}[A-Za-z][\w-]*)", lambda found: f"\0B{found[1]}\0R", first)
            shown = _plain(bold).replace("\0", "\\f")
            self.write(f".TP\n{shown}\n{_plain(' '.join(second.split()))}\n")

    @contextmanager
    def section(self, name):
        self.write_heading(name)
        yield

    @contextmanager
    def indentation(self):
        yield


def _plain(text):
    """Text as roff writes it: no backslash, hyphen or leading dot is taken for an order."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return f"\\&{text}" if text.startswith(".") else text
