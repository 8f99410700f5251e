"""A text that a caller in Python has in place of a file; every reader of a file takes it, by `read_text`."""

from __future__ import annotations


class TextInMemory(str):
    """The name of an argument in brackets, for messages, with the text that its file would contain.

    Parameters
    ----------
    name
        Such as `<required_edges>`.
    text
        Its lines are those of a file.
    """

    text: str

    def __new__(cls, name: str, text: str = "") -> TextInMemory:
        """The name, with its text; copies and pickles set the text later."""
        made = super().__new__(cls, name)
        made.text = text
        return made

    def line(self, at: int) -> str:
        """A line of the text, by its number from 1."""
        return self.text.splitlines()[at - 1]
