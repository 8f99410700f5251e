"""What an interrupted command says: what it has written, and how to continue."""

import click
import pytest

from cliquewise.common.cli import command
from cliquewise.common.cli.compatibility import add_conditions
from cliquewise.common.cli.grouped import GroupedCommand
from cliquewise.common.cli.option import ABSENT, option
from cliquewise.common.cli.options import output_option, standard_options
from cliquewise.common.cli.paths import FolderPath, OutputPath
from cliquewise.common.files.atomic_write import write_whole

AGAIN = "the same command begins again"
KEEPING = (
    option("--checkpoint", type=OutputPath(by_default=False), conditions={"quick": ABSENT}),
    option("--resume", is_flag=True),
    option("--quick", is_flag=True),
)
FROM = (option("--from", "others"),)


def interrupted(args, options=(), writes=(), returns=False):
    """A command that writes files and is interrupted, or returns what an interrupted one does; its last line."""

    @add_conditions({})
    @output_option
    @standard_options
    def work(**_):
        for name in writes:
            write_whole(name, "some text\n")
        if not returns:
            raise KeyboardInterrupt
        return 130

    for one in options:
        work = one(work)
    assert command.run(click.command(cls=GroupedCommand)(work), "prog", args.split()) == 130


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize(
    "args, options, writes, message",
    [
        ("-o net", (), (), f"nothing is written; {AGAIN}"),
        ("-o net", (), ("net",), f"written so far: net; {AGAIN}"),
        ("", (), (None,), f"written so far: standard output; {AGAIN}"),
        ("-o net", KEEPING, ("net",), f"written so far: net; {AGAIN}; with --checkpoint FILE it could continue"),
        ("-o net --quick", KEEPING, ("net",), f"written so far: net; {AGAIN}"),
        ("-o net --checkpoint c", KEEPING, (), f"nothing is written; {AGAIN}"),
        ("--checkpoint c", KEEPING, ("c",), "written so far: c; the same command continues from c with --resume"),
        ("--checkpoint c --resume", KEEPING, ("c",), "written so far: c; the same command continues from c"),
        (
            "-o a.csv",
            FROM,
            ("a.csv",),
            "written so far: a.csv; the same command with --from a.csv and another -o continues",
        ),
        ("-o a.csv", FROM, (), f"nothing is written; {AGAIN}"),
    ],
)
def test_the_last_line(args, options, writes, message, returns, workplace, capsys):
    workplace({})
    interrupted(args, options, writes, returns)
    assert capsys.readouterr().err.splitlines()[-1] == f"prog: interrupted; {message}"


@pytest.mark.parametrize("kept", [(), ("table.csv",)])
def test_a_folder_keeps_what_is_done(kept, workplace, capsys):
    place = workplace({})
    (place / "results").mkdir()
    folder = click.argument("folder", type=FolderPath())
    interrupted("results", (folder,), [f"results/{name}" for name in kept])
    message = (
        "finished steps are kept in results; the same command continues from there"
        if kept
        else f"nothing is written; {AGAIN}"
    )
    assert capsys.readouterr().err.splitlines()[-1] == f"prog: interrupted; {message}"
