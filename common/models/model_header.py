"""The header of a model's file: how it was fitted, and the header of the network behind it.

JSON has it as an object; in the other formats it is in comments, `// key value`, `<!-- key value -->`, `% key value`
or `# key value`, which other programs skip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..files.xml_text import xml_characters

NETWORK_PREFIX = "network-"  # of the lines that a network's own file had
_LINE = re.compile(r"^(?P<begin>//|#|%|<!--) (?P<key>[a-z][a-z0-9-]*) (?P<value>.*?)(?: -->)?\s*$", re.MULTILINE)
_NAMES = ("name", "state", "variable")  # comments that contain names
_HYPHEN = "&#45;"  # one after another in a comment of XML, which must not contain two


def network_lines(kind: str, header: dict[str, str]) -> dict[str, str]:
    """Header lines about the network that a model was fitted to.

    Parameters
    ----------
    kind : str
        chordal or directed.
    header : dict of str to str
        Of the network's file.

    Returns
    -------
    dict of str to str
        Each value on one line.
    """
    lines = {f"{NETWORK_PREFIX}{key}": " ".join(str(value).split()) for key, value in header.items()}
    return {"network": kind, **lines}


def header_of(text: str) -> dict[str, str]:
    """The header lines in the text of a model's file: dict of str to str; empty if it has none."""
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            header = json.loads(text, parse_float=str, parse_int=str).get("header", {})
            return {str(key): str(value) for key, value in header.items()}
        except (ValueError, AttributeError, RecursionError):
            return {}
    lines = (match.groups() for match in _LINE.finditer(text))
    return {
        key: value.replace(_HYPHEN, "-") if begin == "<!--" else value
        for begin, key, value in lines
        if key not in _NAMES
    }


def xml_lines(header: dict[str, str]) -> Iterator[str]:
    """Header lines as comments of XML, each with its line break."""
    for key, value in header.items():
        yield f"<!-- {key} {xml_characters(value).replace('--', f'-{_HYPHEN}')} -->\n"
