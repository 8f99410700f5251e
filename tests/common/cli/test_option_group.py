"""Options that arrive as a record: their defaults and rows are described once."""

from dataclasses import MISSING, dataclass, fields

import click
import pytest

from cliquewise.common.cli.compatibility import ABSENT, ALWAYS, GIVEN, goes_with
from cliquewise.common.cli.grouped import GroupedCommand
from cliquewise.common.cli.option_group import option_group
from tests.commands import all_commands

COMMANDS = all_commands()


@dataclass(frozen=True)
class Plan:
    """A record of options."""

    kick: int = 3
    name: str = "fast"
    share: float | None = None
    quick: bool = False


KICK = click.option("--kick", type=click.IntRange(min=1), metavar="N", help="Kicks.")
NAME = click.option("--name", type=click.Choice(["fast", "slow"]), help="How.")
OTHERS = (
    click.option("--share", type=click.FloatRange(0, 1), metavar="X", help="A part."),
    click.option("--quick", is_flag=True, help="At once."),
)
ROWS = {"kick": {"quick": ABSENT}, "name": ALWAYS, "share": ALWAYS, "quick": ALWAYS, "elsewhere": ALWAYS}


def command_of(*rows, **how):
    """A command with these options, and what its function gets."""
    got = []

    @click.command(cls=GroupedCommand)
    @goes_with(*rows or [{}])
    @option_group("plan", Plan, KICK, NAME, *OTHERS, rows=ROWS, **how)
    def run(plan):
        got.append(plan)

    return run, got


def test_an_option_has_the_default_of_its_field():
    run, got = command_of()
    run.main([], standalone_mode=False)
    run.main(["--share", "0.5"], standalone_mode=False)
    assert got == [Plan(), Plan(share=0.5)]
    shown = {param.name: param.get_help_record(click.Context(run)) for param in run.params}
    assert shown["kick"][1] == "Kicks.  [default: 3; x>=1]" and shown["name"][1] == "How.  [default: fast]"
    assert "default" not in shown["share"][1] + shown["quick"][1]


def test_something_else_can_decide():
    run, got = command_of(undecided=("kick",))
    run.main([], standalone_mode=False)
    assert got == [Plan(kick=None)]


def test_rows_come_with_the_group_and_a_command_can_have_others():
    run, _ = command_of()
    assert run.callback.goes_with.rows == {name: row for name, row in ROWS.items() if name != "elsewhere"}
    with pytest.raises(Exception, match="--kick has no effect with --quick"):
        run.main(["--kick", "5", "--quick"], standalone_mode=False)
    other, got = command_of({"kick": {"share": GIVEN}})
    other.main(["--kick", "5", "--quick", "--share", "1"], standalone_mode=False)
    assert got == [Plan(5, share=1.0, quick=True)] and other.callback.goes_with.rows["name"] is ALWAYS


@pytest.mark.parametrize("name", COMMANDS)
def test_options_and_records_have_the_same_defaults(name):
    """But for formats, which are those of the command's results, and for what a header can decide."""
    params = {param.name: param for param in COMMANDS[name].params}
    for _, record, names in getattr(COMMANDS[name].callback, "option_groups", ()):
        for field in fields(record):
            unknown = field.default in (None, (), MISSING) or field.name in ("fmt", "missing")
            if field.name in names and not unknown:
                given = params[field.name].get_default(click.Context(COMMANDS[name]))
                assert given == field.default, (record.__name__, field.name)
