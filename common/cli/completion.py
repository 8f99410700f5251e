"""Completion in a shell: columns of the CSV, and variables and states of the MODEL, that are already on the line.

The functions are for click's `shell_complete`; types of files complete themselves (`common.cli.paths`). Whatever cannot
be read completes nothing, without a message. Names with a comma, a quote or a line break, which would have to be
quoted, are left out.

Unlike click: Bash takes `=` and `:` for ends of words, so that `--given A=` arrives as three words. They
are joined again, and only the part of a completion after the last such sign is returned.
"""

from __future__ import annotations

import functools
import itertools
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from .paths import InputPath

MODEL, TABLE = "model", "table"
_HEAD = 1 << 16  # bytes of a table in which its first row is looked for
_QUOTED = re.compile(r"[,\"\n\r]").search
_BREAKS = "=:"  # characters that end a word in Bash


def _quietly(complete: Callable) -> Callable:
    """A completion that completes nothing where it would fail, and logs nothing."""

    @functools.wraps(complete)
    def quiet(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        logging.disable()
        try:
            return list(complete(ctx, incomplete))
        except Exception:
            return []
        finally:
            logging.disable(logging.NOTSET)

    return quiet


@_quietly
def column(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    """A column of the first table on the line."""
    return _items(_names(ctx, (TABLE,)), incomplete)


@_quietly
def variable(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    """A variable of the first model or table on the line."""
    return _items(_names(ctx, (MODEL, TABLE)), incomplete)


@_quietly
def variables(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    """The next of several variables with commas between, `A,B`: each once."""
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    return _items([name for name in _names(ctx, (MODEL, TABLE)) if name not in named], last, before + comma)


@_quietly
def evidence(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    """The next of several `NAME=STATE`, with commas between, by the first model on the line."""
    before, comma, last = incomplete.rpartition(",")
    named = [pair.partition("=")[0] for pair in before.split(",")]
    name, is_named, state = last.partition("=")
    states = _states_of(_first(ctx, (MODEL,)))
    if not is_named:
        return _items([f"{one}=" for one in states if one not in named], name, before + comma)
    return _items(states[name], state, f"{before}{comma}{name}=")


@_quietly
def likelihood(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    """`NAME=1,1`: a number for each state of a variable of the first model on the line; the states are the help."""
    name, is_named, numbers = incomplete.partition("=")
    states = _states_of(_first(ctx, (MODEL,)))
    if not is_named:
        return _items([f"{one}=" for one in states], name)
    return iter(
        [] if numbers else [CompletionItem(f"{name}={','.join('1' for _ in states[name])}", help=str(states[name]))]
    )


def _items(words: Iterable[str], incomplete: str, before: str = "") -> Iterator[CompletionItem]:
    """The words that begin with the typed text, with the part of the line's word before it."""
    return (CompletionItem(before + word) for word in words if word.startswith(incomplete) and not _QUOTED(word))


def _first(ctx: click.Context, kinds: tuple[str, ...]) -> str:
    """The first file on the line that is to be read and is of one of these kinds.

    Raises
    ------
    LookupError
        There is none.
    """
    files = [ctx.params.get(param.name or "") for param in ctx.command.params if isinstance(param.type, InputPath)]
    words = itertools.chain(*(value if isinstance(value, tuple) else (value,) for value in files))
    for path in (*ctx.args, *words):  # before an option that lacks its value, click leaves all arguments in `args`
        if isinstance(path, str) and _kind(path) in kinds:
            return path
    raise LookupError


def _kind(path: str) -> str | None:
    """The kind of a file; None for graphs and scores, or without a file."""
    from ..files.input_stream import kind_of_file
    from ..files.parentsets import looks_like_parent_sets
    from ..files.scorefile import looks_like_scores
    from ..models.model_file import looks_like_model

    if not os.path.isfile(path):  # a pipe would wait
        return None
    if looks_like_model(path):
        return MODEL
    others = kind_of_file(path), looks_like_scores(path), looks_like_parent_sets(path)
    return None if any(others) else TABLE


def _names(ctx: click.Context, kinds: tuple[str, ...]) -> Iterable[str]:
    """The names in the first file of these kinds."""
    path = _first(ctx, kinds)
    return _states_of(path) if _kind(path) == MODEL else _columns_of(path, ctx.params)


def _states_of(path: str) -> dict[str, tuple[str, ...]]:
    """The states of each variable of a model."""
    from ..models.model_file import read_model

    model: Any = read_model(path)
    return dict(zip(model.names, model.states, strict=True))


def _columns_of(path: str, options: dict[str, Any]) -> list[str]:
    """The names of the columns of a table."""
    from ..data.csvtext import clean, records
    from ..data.preamble import preamble
    from ..files.input_stream import opened, unzipped

    with opened(path) as stream, unzipped(stream, path) as content:
        head = content.read(_HEAD)
    if len(head) == _HEAD:
        head = head[: head.rindex(b"\n") + 1]
    text = clean(head, path)
    raw = preamble(text, path, options.get("separator") or "auto").raw(text, path)
    _, cells = next(row for row in records(raw) if row is not None)
    return [f"V{v}" for v in range(len(cells))] if options.get("header") == "no" else cells


@add_completion_class
class BashWords(BashComplete):
    """Completion in Bash of words that contain `=` or `:`."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and that; parts at `=` and `:` are one word."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in (*args, incomplete):
            if words and words[-1] and (word.startswith(tuple(_BREAKS)) or words[-1][-1] in _BREAKS):
                words[-1] += word
            else:
                words.append(word)
        self._typed = words[-1] if words else ""
        return words[:-1], self._typed

    def format_completion(self, item: CompletionItem) -> str:
        """The type and the text that replaces Bash's word, with blanks and other special characters quoted."""
        begun = max(map(self._typed.rfind, _BREAKS)) + 1
        value = item.value
        if begun and item.type == "plain":
            typed = self._typed[:begun]
            name = re.match(r"--[\w-]+=", typed)
            value = value[len(typed) - (name.end() if name else 0) :]
        quoted = re.sub(r"([^-\w.,=:/@%+])", r"\\\\\1", value)  # click's function reads one of two backslashes
        return f"{item.type},{quoted}"
