"""The exceptions a user may see; `common.cli.command` prints each as one line and chooses the exit code.

A message says where the problem is, what was found, and what to do.
"""

import os
from collections.abc import Iterable, Sequence

MAX_MESSAGE_LENGTH, MAX_VALUE_LENGTH = 600, 100  # characters of a message, and of a value in one
MAX_WORD_LENGTH = 200  # of a word in a list: names of columns can be whole questions


class CliquewiseError(Exception):
    """Base of every error that is shown to the user as one line (exit code 1)."""

    exit_code = 1


class DataError(CliquewiseError):
    """Bad input in a file: `path:line, column 'name': message`, with the parts that are known.

    Parameters
    ----------
    message
        The problem and advice.
    path
        File name as the user gave it; `-` for standard input.
    line
        1-based line of the file.
    column
        Name (or 1-based number) of the column.
    """

    def __init__(
        self,
        message: str,
        path: str | os.PathLike | None = None,
        line: int | None = None,
        column: str | int | None = None,
    ) -> None:
        where = "" if path is None else shown_path(path)
        in_memory = getattr(path, "line", None)  # of a list, which is no file
        if line is not None and in_memory is not None:
            where += f", '{in_memory(line)}'"
        elif line is not None:
            where += f":{line}" if where else f"line {line}"
        if column is not None:
            where += (", " if where else "") + f"column '{column}'"
        message = " ".join(message.splitlines())  # it may quote a name with a line break
        message = shortened(message, MAX_MESSAGE_LENGTH)  # it quotes from the file; the advice is at its end
        super().__init__(f"{where}: {message}" if where else message)


def shown_path(path: str | os.PathLike) -> str:
    """How messages name a file: `-` is standard input."""
    return "standard input" if path == "-" else str(path)


class UsageError(CliquewiseError):
    """Options that contradict each other or the data (exit code 2)."""

    exit_code = 2


class LimitError(CliquewiseError):
    """Something is too large for the memory or the method; the message has the number."""


def abridged(words: Sequence[object], most: int = 8) -> str:
    """A list for a message, of which only the first words are shown, without the middle of very long ones."""
    shown = (shortened(str(word), MAX_WORD_LENGTH) for word in words[:most])
    return ", ".join(shown) + (", ..." if len(words) > most else "")


def shortened(text: str, most: int) -> str:
    """A text without its middle, if it has more characters than `most`, an even number."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def shown_value(value: object) -> str:
    """A value of Python for a message; the type of what does not fit in a line, as a table in memory."""
    text = repr(value)
    return text if len(text) <= MAX_VALUE_LENGTH and "\n" not in text else f"<{type(value).__name__}>"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'zoo'?` for a word that is nearly one of those known, otherwise nothing."""
    found = closest(word, known)
    return f"; did you mean '{found}'?" if found else ""


def closest(word: str, known: Iterable[str]) -> str:
    """The one of some words that a wrong one may mean, ignoring case; empty if none is near."""
    import difflib

    folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.strip().casefold(), folded, n=1, cutoff=0.66)
    return folded[found[0]] if found else ""
