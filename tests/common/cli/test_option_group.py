"""Options are described once: their defaults by the record in which they arrive, all else where they are made."""

from dataclasses import MISSING, dataclass, fields

import click
import pytest

from cliquewise.common.cli.compatibility import Table, add_conditions
from cliquewise.common.cli.from_python import arguments
from cliquewise.common.cli.grouped import GroupedCommand, help_of_all
from cliquewise.common.cli.option import ABSENT, GIVEN, LIMITS, SCORE, option
from cliquewise.common.cli.option_group import option_group, with_conditions
from cliquewise.common.cli.options import standard_options
from cliquewise.common.cli.paths import OutputPath
from tests.commands import all_commands
from tests.python_functions import LEARNERS

COMMANDS = all_commands()


@dataclass(frozen=True)
class Plan:
    """A record of options."""

    kick: int = 3
    name: str = "fast"
    share: float | None = None
    quick: bool = False


KICK = option(
    "--kick",
    first=False,
    group=LIMITS,
    conditions={"quick": ABSENT, "elsewhere": GIVEN},
    in_header=False,
    type=click.IntRange(min=1),
    metavar="N",
    help="Kicks.",
)
NAME = option("--name", first=True, type=click.Choice(["fast", "slow"]), help="How.")
OTHERS = (
    option("--share", group=SCORE, first=True, type=click.FloatRange(0, 1), metavar="X", help="A part."),
    with_conditions({"name": ("fast",)}, option("--quick", is_flag=True, in_python=False, help="At once.")),
)


def command_of(*rows, **how):
    """A command with these options, and what its function gets."""
    got = []

    @click.command(cls=GroupedCommand)
    @add_conditions(*rows or [{}])
    @option_group("plan", Plan, KICK, NAME, *OTHERS, **how)
    @option("--log", type=OutputPath(by_default=False), expose_value=False, help="A file.")
    @standard_options
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


def test_an_undecided_option_arrives_as_none():
    run, got = command_of(undecided=("kick",))
    run.main([], standalone_mode=False)
    assert got == [Plan(kick=None)]


def test_a_command_can_have_other_conditions_than_an_option_says():
    run, _ = command_of()
    assert Table.of(run).rows == {"kick": {"quick": ABSENT}, "quick": {"name": ("fast",)}}
    with pytest.raises(Exception, match="--kick has no effect with --quick"):
        run.main(["--kick", "5", "--quick"], standalone_mode=False)
    other, got = command_of({"kick": {"share": GIVEN}})
    other.main(["--kick", "5", "--quick", "--share", "1"], standalone_mode=False)
    assert got == [Plan(5, share=1.0, quick=True)]


def test_where_an_option_is_shown_follows_from_it():
    run, _ = command_of()
    context = click.Context(run, info_name="run")
    first = run.get_help(context)
    assert first.index("--share") < first.index("--name") and "--kick" not in first
    with help_of_all(context):
        titled = run.get_help(context)
    assert titled.index("Score:") < titled.index("--share") < titled.index("Limits:") < titled.index("--kick")
    assert [param.name for param in arguments(run)] == ["share", "name", "kick"]
    assert [param.name for param in run.params if getattr(param, "in_header", False)] == ["name", "share", "quick"]


@pytest.mark.parametrize("name", COMMANDS)
def test_options_and_records_have_the_same_defaults(name):
    """But for formats, which are those of the command's results, and for what a header can decide."""
    params, defaults, given = {param.name: param for param in COMMANDS[name].params}, {}, {}
    for _, record, names in getattr(COMMANDS[name].callback, "option_groups", ()):
        for field in fields(record):
            unknown = field.default in (None, (), MISSING) or field.name in ("fmt", "missing")
            if field.name in names and not unknown:
                defaults[field.name] = field.default
                given[field.name] = params[field.name].get_default(click.Context(COMMANDS[name]))
    assert given == defaults and (len(given) > 5 or name not in LEARNERS)
