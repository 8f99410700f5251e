"""Reading XML as a stream of elements, for graphs (GraphML) and models (XMLBIF, .xdsl)."""

from __future__ import annotations

from typing import Any, NoReturn
from xml.parsers import expat

from ..errors import DataError


class XmlReader:
    """A reader whose methods are called at the start and end of each element, and for text.

    Attributes
    ----------
    path
        For messages.
    namespaces
        Whether the tag of an element is `NAMESPACE TAG` if it has a namespace.
    """

    namespaces = False

    def __init__(self, path: str) -> None:
        self.path = path

    def parse(self, text: str) -> None:
        """Parse a whole text.

        Raises
        ------
        DataError
            Broken XML, with the line.
        """
        self.parser = expat.ParserCreate("UTF-8", " " if self.namespaces else None)
        self.parser.StartDoctypeDeclHandler = self.on_doctype
        self.parser.EntityDeclHandler = self.on_entity
        self.parser.StartElementHandler = self.on_start
        self.parser.EndElementHandler = self.on_end
        self.parser.CharacterDataHandler = self.on_text
        try:
            self.parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            raise DataError(f"broken XML: {expat.ErrorString(error.code)}", self.path, error.lineno) from error

    def fail(self, message: str) -> NoReturn:
        """Raise a DataError at the current line."""
        raise DataError(message, self.path, self.parser.CurrentLineNumber)

    def on_doctype(self, *_: Any) -> None:
        """At a document type, which is accepted if it declares no entities."""

    def on_entity(self, *_: Any) -> None:
        """Refuse an entity."""
        self.fail("a document type that declares entities is not accepted; remove it")

    def on_start(self, tag: str, attributes: dict[str, str]) -> None:
        """At the start of an element."""
        raise NotImplementedError

    def on_end(self, tag: str) -> None:
        """At the end of an element."""
        raise NotImplementedError

    def on_text(self, text: str) -> None:
        """At a piece of text."""
        raise NotImplementedError
