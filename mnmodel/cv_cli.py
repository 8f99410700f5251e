"""The subcommand `mnmodel cv`: parses, calls the cross-validation, writes."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command, completion
from ..common.cli.data_options import fitted_data_options
from ..common.cli.from_python import learner, options_of, raw_values
from ..common.cli.grouped import GroupedCommand
from ..common.cli.long_runs import shard_option
from ..common.cli.memory import bounded_memory
from ..common.cli.option import LONG_RUNS, OUTPUT, option
from ..common.cli.options import standard_options, table_output_option
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.provenance import option_words
from ..common.cli.seed import seed_option
from ..common.cli.typed import TypedOptions
from ..common.errors import UsageError
from ..common.files.header_words import READ_BY

if TYPE_CHECKING:
    from ..common.files.shard import Shard
    from ..common.learning.sources import InputOptions
    from .cross_validation import Setting

LEARNERS = ("lsmarkov", "junctor", "coarsen", "mplearn", "twlearn")
MESSAGES = ("quiet", "verbose")  # messages of a learner are no part of a setting
OF_DATA = tuple(READ_BY)


def settings_of_values(name: str, values: Mapping[str, Any]) -> tuple[Setting, ...]:
    """A learner's options from Python: each combination of the values of options that have several, `"ess": [1, 10]`.

    None among them leaves the option out.

    Raises
    ------
    UsageError, DataError
        As `settings_of`, or a value of another kind.
    """
    from .cross_validation import Setting

    command = learner(name)
    params = {param.name: param for param in command.params}
    try:
        given = [_with_none_apart(key, value) for key, value in values.items() if key not in MESSAGES]
        found = []
        for options in itertools.product(*given):
            raw = raw_values(command, dict(options))
            several = [[(key, text) for text in _several(params[key], raw[key], "choose" in raw)] for key in raw]
            found += [options_of(command, dict(chosen)) for chosen in itertools.product(*several)]
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    for one in found:
        _refuse_outputs(one)
    words = [[option_words(param, one.texts[str(param.name)]) for param in one.order] for one in found]
    lines = [shlex.join([name, *itertools.chain(*each)]) for each in words]
    return tuple(map(Setting, lines, found))


def settings_of(words: Sequence[str]) -> tuple[Setting, ...]:
    """A learner's command lines: each combination of the values of options that have several, `--max-clique 3,4`.

    Raises
    ------
    UsageError
        No learner; an option that it does not have, or that a cross-validation decides.
    """
    from .cross_validation import Setting

    if not words or words[0] not in LEARNERS:
        found = f"'{words[0]}'" if words else "nothing"
        raise UsageError(f"expected a learner after -- ({', '.join(LEARNERS)}) and its options; found {found}")
    program, command = words[0], learner(words[0])
    known = {flag: param for param in command.params for flag in param.opts}
    choosing = any(word.partition("=")[0] == "--choose" for word in words)
    choices: list[list[list[str]]] = []
    others: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        flag, equals, value = word.partition("=")
        param = known.get(flag)
        if param is not None and param.name in MESSAGES:
            continue
        if param is None and (word == "-" or not word.startswith("-")):
            others.append(word)
            continue
        if not isinstance(param, click.Option) or param.is_flag or param.count:
            choices.append([[word]])
            continue
        value = value if equals else next(rest, "")
        several = _several(param, value, choosing)
        choices.append([[flag, one] for one in several])
    lines = [list(itertools.chain(*chosen)) for chosen in itertools.product(*choices)]
    settings = tuple(Setting(shlex.join([program, *line]), _parsed(command, program, line)) for line in lines)
    if others:
        raise UsageError(f"{program}: only options come after the learner; DATA comes before --")
    return settings


def _with_none_apart(key: str, value: Any) -> list[tuple[str, Any]]:
    """An option with each of its values, if None is among them, else with all."""
    apart = isinstance(value, list | tuple) and any(one is None for one in value)
    return [(key, one) for one in value] if apart else [(key, value)]


def _several(param: Any, value: Any, choosing: bool) -> list[Any]:
    """The values, if an option that takes one has several, or if the command would make several networks of them."""
    if not isinstance(value, str) or "," not in value:
        return [value]
    if getattr(param.type, "has_several_values", False) or (param.name == "ess" and not choosing):
        return value.split(",")
    try:
        param.type.convert(value, param, None)
    except click.UsageError:
        return value.split(",")
    return [value]


def _parsed(command: click.Command, name: str, words: list[str]) -> TypedOptions:
    """The options in a command line."""
    try:
        with command.make_context(name, [*words, "--", "-"]) as context:
            given = TypedOptions.of(context)
    except click.UsageError as error:
        raise UsageError(f"{name}: {' '.join(error.format_message().split())}") from None
    _refuse_outputs(given)
    return given


def _refuse_outputs(given: TypedOptions) -> None:
    """Refuse options that a cross-validation decides, before any work is done."""
    for param in given.command.params:
        if param.name not in given.typed:
            continue
        if param.name in OF_DATA:
            raise UsageError(f"{param.opts[0]}: give it to mnmodel cv, before --")
        is_written = isinstance(param.type, OutputPath) or getattr(param, "group", None) in (LONG_RUNS, OUTPUT)
        if is_written or param.name == "dry_run":
            raise UsageError(f"{param.opts[0]} has no effect in a cross-validation; leave it out")


@click.command(cls=GroupedCommand)
@fitted_data_options
@click.argument("words", metavar="-- LEARNER [OPTIONS]", nargs=-1, type=click.UNPROCESSED)
@option("--folds", type=click.IntRange(min=2), default=10, show_default=True, metavar="K", help="Number of parts.")
@seed_option
@option(
    "--target",
    metavar="NAME",
    shell_complete=completion.variable,
    help="Also the log loss and accuracy of predictions of this variable.",
)
@option("--ml", is_flag=True, help="Fit by maximum likelihood: relative frequencies, without a prior.")
@option(
    "--from",
    "others",
    type=InputPath(),
    multiple=True,
    metavar="FILE",
    help="A result of the same command, with --shard or interrupted, whose folds are not learned again; can be given "
    "several times.",
)
@shard_option("the folds", "; --from puts the parts together")
@table_output_option
@bounded_memory
@standard_options
def cv(
    source: InputOptions,
    words: tuple[str, ...],
    folds: int,
    seed: int,
    target: str | None,
    ml: bool,
    others: tuple[str, ...],
    shard: Shard | None,
    path: str | None,
) -> None:
    """Cross-validate a learner: the log probability of held-out rows of DATA.

    After -- comes the learner's command line without DATA. An option that has several values there is tried with each.
    The result is a CSV with a row for each setting and fold, and for all folds: the mean of ln p(row) with its standard
    error, the mean difference from the first setting, and with --target the log loss and accuracy.

    Example: mnmodel cv table.csv -- lsmarkov --ess 1,10 --time-limit 5
    """
    from ..common.files.atomic_write import write_whole
    from .cross_validation import CrossValidation
    from .fit import FitOptions

    settings = settings_of(words)
    data = source.load_data()
    run = CrossValidation(data, folds, seed, settings, target, FitOptions(ml=ml))
    run.check()
    done = run.read(others)
    every = range(1, folds + 1)
    wanted = every if shard is None else shard.stride(every)
    made: list[Any] = []

    def save() -> None:
        if made:  # finished folds of an interrupted run, for --from
            write_whole(path, run.text(made, shard))

    try:
        with command.before_exit(save):
            for rows in run.rows(wanted, done):
                made.append(rows)
    except BaseException:
        save()
        raise
    write_whole(path, run.text(made, shard))
