"""The commands as Python functions: `cliquewise.lsmarkov(data, time_limit=5)` does the same as the command line.

The functions (`lsmarkov/from_python.py` and so on) have the options of the commands as keyword-only arguments, with
their types and defaults. The same ranges and refusals apply. The result is that which the command writes: certified,
with its header. Only requested files are written, and nothing in the process is changed: signal handlers,
garbage collection, logging.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown_value
from ..python_words import with_python_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from threading import Event

    import click

    from ..data.dataset import Dataset
    from ..files.graphfile import GraphFile
    from ..learning.task import Certified
    from ..networks.network import Network, States
    from ..run.signals import StopFlag
    from .option import Option
    from .typed import TypedOptions

    Data = Any  # what `read_csv` takes or returns


def learner(name: str) -> click.Command:
    """The command of a learner."""
    return getattr(import_module(f"...{name}.cli", __package__), name)


def arguments(command: click.Command) -> list[Option]:
    """The options that a function has: those of output files and of several results are left out."""
    from .option import GROUPS, Option

    found = [param for param in command.params if isinstance(param, Option) and param.in_python and param.expose_value]
    return sorted(found, key=lambda param: GROUPS.index(param.group))


def keyword(param: click.Parameter) -> str:
    """The argument of a function for a parameter of its command: the long option with `_` in place of `-`."""
    name = max(param.opts, key=len).lstrip("-").replace("-", "_")
    return f"{name}_" if name == "lambda" else name


def default(param: click.Parameter) -> Any:
    """The default of a parameter; None if it has none."""
    if getattr(param, "is_flag", False):
        return param.default is True
    return param.default if isinstance(param.default, bool | int | float | str) else None


def _is_default(param: click.Parameter, value: Any) -> bool:
    """Whether a value is equal to the default; True is not 1."""
    known = default(param)
    is_plain = isinstance(value, bool | int | float | str)
    return is_plain and value == known and isinstance(value, bool) == isinstance(known, bool)


@with_python_messages
def learned(name: str, values: dict[str, Any]) -> Network:
    """The network of a learner.

    Parameters
    ----------
    name
        Of its command.
    values
        `data`: what `read_csv` returns, a table in memory, or the name of a file; `stop`, which may be absent; all
        others by `keyword`.

    Raises
    ------
    UsageError, DataError
        As the command, with the same message.
    KeyboardInterrupt
        Ctrl-C before the search has begun.
    """
    from ..arguments import stop_event
    from ..data.frame import library_of
    from ..networks.network import Network
    from ..run.signals import StopFlag

    stop = stop_event(values.get("stop"))
    given = _given(learner(name), values)
    results: list[Certified] = []
    with StopFlag(has_begun=lambda: bool(results)):  # a signal after the search does not lose its result
        for result in _results(given, host_signals(stop)):
            results.append(result)
        file = _as_read(results[-1], name)
        return Network(file.network, dict(file.header), library_of(values["data"]))


def _given(command: click.Command, values: dict[str, Any]) -> TypedOptions:
    """The options of a call as if they were typed, but for those that have their default; `values` as for `learned`."""
    from ..data.frame import data_or_frame
    from .paths import has_several_values

    data: Any = values["data"]
    data = os.fspath(data) if isinstance(data, str | os.PathLike) else data_or_frame(data)
    by_keyword = {keyword(param): param for param in arguments(command)}
    changed = {
        key: value for key, value in values.items() if key in by_keyword and not _is_default(by_keyword[key], value)
    }
    raw = raw_values(command, changed)
    for key, value in changed.items():
        if has_several_values(by_keyword[key]) and "," in str(raw.get(by_keyword[key].name or "")):
            raise UsageError(f"{key}={shown_value(value)}: give one number, and call the function once for each")
    return _with_data(options_of(command, raw), data)


def raw_values(command: click.Command, values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as click takes the values of options, by parameter name; those that are None are left out.

    Raises
    ------
    UsageError, DataError
        An option that the command does not have; a value of another kind.
    """
    import click

    known = {keyword(param): param for param in command.params if param.expose_value and param.name != "data"}
    raw = {}
    with _usage_errors():
        for key, value in values.items():
            if key not in known:
                raise click.NoSuchOption(key, possibilities=get_close_matches(key, known))
            if value is not None:
                raw[known[key].name or ""] = _raw(known[key], value)
    return raw


def options_of(command: click.Command, raw: Mapping[str, Any]) -> TypedOptions:
    """The options of a learner as if they were typed, without data; `raw` as `raw_values` returns it."""
    from .typed import TypedOptions

    with _usage_errors():
        params = {
            param.name or "": param.type_cast_value(None, raw.get(param.name or "", default(param)))  # type: ignore[arg-type]
            for param in command.params
            if param.expose_value and param.name != "data"
        }
    texts = {
        name: value if isinstance(value, bool) else str(getattr(value, "source", value)) for name, value in raw.items()
    }
    by_name = {param.name: param for param in command.params}
    return TypedOptions(command, params, {*raw}, texts, [by_name[name] for name in raw])


def _with_data(given: TypedOptions, data: Any) -> TypedOptions:
    """The options with the data of a learner, or the name of their file; the result is not written."""
    given = replace(given, params={**given.params, "data": data, "fmt": "json"})
    if not isinstance(data, str):
        return given
    (argument,) = (param for param in given.command.params if param.name == "data")
    return replace(given, texts={**given.texts, "data": data}, order=[*given.order, argument])


def host_signals(stop: Event | None = None) -> Callable[..., StopFlag]:
    """Signals of a run in a process of others: the network so far, or before there is one KeyboardInterrupt.

    Parameters
    ----------
    stop
        Another thread may set it to end the run.
    """
    from ..run.signals import StopFlag

    return lambda interrupt, has_begun, before_exit=None: StopFlag(interrupt, has_begun=has_begun, event=stop)


def learned_with(given: TypedOptions, data: Dataset, handling_signals: Callable) -> GraphFile:
    """The network of a learner.

    Parameters
    ----------
    given
        The options of its command, except data and output.
    data
        The result of `read_csv`.
    handling_signals
        How it is stopped; see `Host`.

    Raises
    ------
    UsageError, DataError, KeyboardInterrupt
        As `learned`.
    """
    *_, found = _results(_with_data(given, data), handling_signals)
    return _as_read(found, str(given.command.name))


@contextlib.contextmanager
def _usage_errors() -> Iterator[None]:
    """A context in which errors of click become UsageError."""
    import click

    try:
        yield
    except click.UsageError as error:
        message = re.sub(r"('--[a-z-]+') / '-\w'", r"\1", error.format_message())
        raise UsageError(" ".join(message.split())) from None


def _raw(param: click.Parameter, value: Any) -> Any:
    """A value as click takes it: several numbers are one text, 0.1,1,10; edges in memory are the text of a file.

    Raises
    ------
    UsageError, DataError
        A value of another kind.
    """
    import click

    from ..data.frame import list_as_text
    from ..networks.edges_in_memory import file_or_memory
    from .paths import InputPath, OutputPath

    if isinstance(param.type, InputPath) and param.type.holds is not None:
        return file_or_memory(keyword(param), value, param.type.holds)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    named = f"{keyword(param)}={shown_value(value)}"
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value  # of numpy
    is_flag = isinstance(param, click.Option) and param.is_flag
    if is_flag != isinstance(value, bool):
        raise UsageError(f"{named}: give {'True or False' if is_flag else 'a value'}")
    if isinstance(param.type, click.types.IntRange) and isinstance(value, float):
        if not value.is_integer():
            raise UsageError(f"{named}: not a whole number")
        return int(value)
    if isinstance(param.type, InputPath | OutputPath) and not isinstance(value, str):
        raise UsageError(f"{named}: give the name of a file")
    if isinstance(value, str | bool | int | float):
        return value
    if not isinstance(value, Iterable):
        raise UsageError(f"{named}: of the type {type(value).__name__}; expected {_kind_of_value(param)}")
    return list_as_text(value)


def _kind_of_value(param: click.Parameter) -> str:
    """What an argument takes, for messages."""
    import click

    return "a number" if isinstance(param.type, click.FloatRange | click.IntRange) else "a text"


def _results(given: TypedOptions, handling_signals: Callable) -> Iterator[Certified]:
    """The results of a learner."""
    from ..data.completed import CompletedData
    from ..data.frame import Frame
    from ..data.incomplete import IncompleteData
    from ..files.header_words import READ_BY
    from ..learning.choice import planned
    from ..learning.host import Host
    from .compatibility import check
    from .option_group import records_of
    from .paths import check_files
    from .provenance import command_line

    command = given.command
    data = given.params["data"]
    name = str(given.command.name)
    if not isinstance(data, str | Frame):
        _refuse_reading(given)
        if data.reading is not None:  # for the header
            read = {name: getattr(data.reading, name) for name in READ_BY if name not in given.typed}
            given = replace(given, params={**given.params, **read})
    if isinstance(data, IncompleteData | CompletedData):
        given = replace(given, params={**given.params, "missing": "em"}, typed={*given.typed, "missing"})
    check(given)
    check_files(command, given.params)
    records = records_of(command, given.params)
    choose = records.pop("choose", None)
    options = import_module(f"...{name}.config", __package__).Options(**records)
    prepare = import_module(f"...{name}.learner", __package__).prepare
    host = Host(handling_signals, partial(check, given), partial(command_line, given))
    return planned(prepare, options, choose, host).results()


def _as_read(result: Certified, name: str) -> GraphFile:
    """A result of a learner as it would be read from a file."""
    from ..files.graphfile import raw_of, resolved

    return resolved(raw_of(result.graph, result.header), name)


def _refuse_reading(given: TypedOptions) -> None:
    """Refuse options for reading a file if the data were read already; missing='em' is allowed."""
    from ..files.header_words import READ_BY

    for name in READ_BY:
        value = given.params[name]
        if name in given.typed and value != "em":
            message = f"{name}={shown_value(value)} has no effect on data that were read already"
            raise UsageError(f"{message}; give it where they are read, to read_csv, or give the name of a file")


@with_python_messages
def read_csv(
    path: Any,
    header: str = "auto",
    missing: str = "refuse",
    counts: str | None = None,
    separator: str = "auto",
    arities: str = "auto",
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    states: States | None = None,
    na: str | Sequence[str] | None = None,
    same_states: str = "auto",
    sheet: str | None = None,
    weights: str | None = None,
    weight_scale: str | None = None,
    decimal: str = "auto",
) -> Dataset:
    """The data in a CSV, .arff, Excel, Parquet or Arrow file, or in memory, read as by the options of the commands.

    Parameters
    ----------
    path
        A file; `-` is standard input. Or a table of pandas, polars or pyarrow, a dict of columns, a list of rows, an
        array of numpy (see `common.data.frame`).
    header
        auto, yes or no: whether the first row of a file contains names.
    missing
        refuse, state, drop or em: what to do with missing cells.
    counts
        Column that gives the number of rows that each row stands for.
    separator
        auto, tab, semicolon, comma, pipe or blank.
    arities
        auto, yes or no: whether the row above the data has the number of states of each column.
    columns, drop
        The columns to use, and those to leave out: "A,B", "A:F", "sym_*", or a list.
    states
        The states of columns, including those that no row has: a dict {name: [state, ...]}, or a file, a CSV
        (column,state) or JSON, or a model.
    na
        Further words for missing cells: "-99,unknown", or "AGE=999" in one column; or a list.
    same_states
        auto: equal numbers are one state; fold: also labels that differ in case and blanks; exact: as written.
    sheet
        Of a workbook: its name, or its number from 1; None is the first that has cells.
    weights
        Column of the weights of rows, which need not be whole.
    weight_scale
        rows: the weights are scaled so that their sum is the number of rows, the default; none: they are as they are.
    decimal
        auto, point or comma: what separates the decimals of numbers, so that the other sign separates thousands.

    Returns
    -------
    Dataset
        `IncompleteData` by em, if cells are missing; learners and `fit` then treat them as missing values.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line, or by em a column without any known cell.
    """
    from ..data import csvfile
    from ..data.frame import Frame, reading_of_arguments
    from ..data.incomplete import without_missing_state
    from ..data.reading import TO_LEARN
    from ..models.model_states import with_declared

    reading = reading_of_arguments(locals())
    table = path if isinstance(path, str | os.PathLike | Frame) else Frame(path)
    reading = with_declared(reading)
    data = csvfile.read_csv(table, reading, TO_LEARN)
    return replace(without_missing_state(data) if missing == "em" else data, origin=path, reading=reading)
