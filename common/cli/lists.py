"""Kinds of option: finite numbers, and lists of numbers or indices."""

import math
import re
from typing import Any

import click

from ..files.header_words import SEPARATORS


class FiniteFloat(click.FloatRange):
    """A float in a range; `nan` and `inf` are refused."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse one value."""
        try:
            float(value)
        except ValueError:
            unit = f" of {param.metavar.lower()}" if param is not None and param.metavar == "SECONDS" else ""
            self.fail(f"'{value}' is not a number{unit}", param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number

    def _describe_range(self) -> str:
        """For the help and messages, with numbers as 1,000,000; empty without a range."""
        if self.min is None and self.max is None:
            return ""
        return re.sub(r"[0-9.]+", lambda found: f"{float(found[0]):,.10g}", super()._describe_range())


class Separator(click.Choice):
    """The separator of the cells of a CSV: its name, or the character itself."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse one value."""
        names = {sign: name for name, sign in SEPARATORS.items()} | {"\\t": "tab"}
        return super().convert(names.get(value, value), param, ctx)


class Numbers(FiniteFloat):
    """Numbers in a range, separated by commas: a tuple of different float, with one result per number."""

    has_several_values = True  # of the results, see `common.cli.paths`

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse a list."""
        return tuple(
            dict.fromkeys(super(Numbers, self).convert(part.strip(), param, ctx) for part in str(value).split(","))
        )


class Sizes(FiniteFloat):
    """A number, or several with commas between: a float, or an ascending tuple of different ones."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse one value."""
        if not isinstance(value, str):
            return super().convert(value, param, ctx)
        values = {super(Sizes, self).convert(part.strip(), param, ctx) for part in value.split(",")}
        return tuple(sorted(values)) if len(values) > 1 else values.pop()


class Parts(click.IntRange):
    """A number of parts, each written to a separate file: the tuple of their numbers, from 1."""

    name = "parts"
    has_several_values = True  # of the results, see `common.cli.paths`

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse one number."""
        return tuple(range(1, super().convert(value, param, ctx) + 1))


MAX_INDICES = 100_000  # indices in a list


class Indices(click.ParamType):
    """Indices from 0 and ranges of them, `0-99,120`: an ascending tuple of int, at most `MAX_INDICES`."""

    name = "indices"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse a list."""
        chosen: set = set()
        for part in value.split(","):
            match = re.fullmatch(r"\s*([0-9]{1,9})(?:-([0-9]{1,9}))?\s*", part)
            if match is None or int(match[2] or match[1]) < int(match[1]):
                self.fail(f"'{part}' is neither an index nor a range like 0-99", param, ctx)
            numbers = range(int(match[1]), int(match[2] or match[1]) + 1)
            if len(numbers) <= MAX_INDICES:
                chosen.update(numbers)
            if max(len(chosen), len(numbers)) > MAX_INDICES:
                self.fail(f"'{part}' makes more than {MAX_INDICES:,} numbers; give fewer at a time", param, ctx)
        return tuple(sorted(chosen))


class Variables(Indices):
    """Variables by indices and ranges of them, a tuple of int, or by names, the text of a list of columns."""

    name = "variables"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse indices; names need the data."""
        return super().convert(value, param, ctx) if re.fullmatch(r"[-0-9,\s]*", value) else value
