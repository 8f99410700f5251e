"""Values of options, over all options of all commands: what they do not take is refused, and lists are joined."""

import click
import pytest

from tests.commands import all_commands

COMMANDS = all_commands()
STEP = 1e-9  # below the least decimal number that is taken
NUMBERS = click.IntRange | click.FloatRange


def options_of(command):
    return [param for param in command.params if isinstance(param, click.Option)]


def refused(command, param, value, message):
    with pytest.raises(click.UsageError, match=message) as caught:
        command.make_context("command", [max(param.opts, key=len), value], help_option_names=["-h", "--help"])
    shown = caught.value.format_message()
    assert shown.startswith("Invalid value for") and value in shown, param.name


def outside(kind):
    """The numbers next to the ends of a range, as text."""
    whole = isinstance(kind, click.IntRange)
    for end, is_open, way in ((kind.min, kind.min_open, -1), (kind.max, kind.max_open, 1)):
        if end is not None:
            yield str(end + way) if whole else repr(float(end) + (0.0 if is_open else way * max(STEP, abs(end) * STEP)))


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_out_of_range_are_refused(name):
    for param in options_of(COMMANDS[name]):
        if isinstance(param.type, NUMBERS):
            for value in outside(param.type):
                refused(COMMANDS[name], param, value, "is not in the range")
            for value in ("two", "1_0", "\uff11\uff10"):  # Python reads the last two as 10
                refused(COMMANDS[name], param, value, "is not a")
        if isinstance(param.type, click.FloatRange):
            refused(COMMANDS[name], param, "nan", "nan is not a finite number")


@pytest.mark.parametrize("name", COMMANDS)
def test_unknown_choices_are_refused(name):
    for param in options_of(COMMANDS[name]):
        if isinstance(param.type, click.Choice):
            refused(COMMANDS[name], param, "none-of-these", "'none-of-these' is not (one of )?'")


@pytest.mark.parametrize("name", COMMANDS)
def test_lists_that_are_given_one_by_one_are_joined(name):
    for param in options_of(COMMANDS[name]):
        if param.metavar in ("NAMES", "WORDS") and not param.multiple:
            flag = max(param.opts, key=len)
            parsed, *_ = (
                COMMANDS[name]
                .make_parser(click.Context(COMMANDS[name]))
                .parse_args([flag, "A", f"{flag}=B:C", flag, '"D,E"'])
            )
            assert parsed[param.name] == 'A,B:C,"D,E"', param.name


def test_most_options_take_a_number_or_a_choice():
    """So the tests above are about some."""
    params = [param for command in COMMANDS.values() for param in options_of(command)]
    assert sum(param.metavar in ("NAMES", "WORDS") for param in params) > 50
    assert sum(isinstance(param.type, NUMBERS) for param in params) > 150
    assert sum(isinstance(param.type, click.Choice) for param in params) > 150
