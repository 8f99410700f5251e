"""The tokens of a text in sequence, with their lines: shared by the readers of Hugin's .net and Netica's .dne."""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import DataError


class Tokens:
    """Tokens of a text.

    Parameters
    ----------
    text
    path
        For messages.
    form
        A token: its first group is the text in quotes, its second a sign.
    comments
        How comments begin, which are left out.
    """

    def __init__(self, text: str, path: str, form: re.Pattern[str], comments: tuple[str, ...]) -> None:
        self.text, self.path, self.at = text, path, 0
        self.found = [match for match in form.finditer(text) if not match[0].startswith(comments)]

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise a DataError at the line of a token, by default the last one."""
        at = min(self.at, len(self.found)) - 1 if at is None else at
        start = self.found[at].start() if self.found else 0
        raise DataError(message, self.path, self.text.count("\n", 0, start) + 1)

    def word(self, match: re.Match[str]) -> str:
        """A token, a string without its quotes."""
        return match[0] if match[1] is None else match[1]

    def next(self) -> str:
        """The next token."""
        if self.at >= len(self.found):
            self.fail("the file ends inside a block; is it complete?")
        self.at += 1
        return self.word(self.found[self.at - 1])

    def expect(self, token: str) -> None:
        """Skip this token."""
        if (found := self.next()) != token:
            self.fail(f"found '{found}', expected '{token}'")
