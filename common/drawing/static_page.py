"""A page without program and without outside resources: one HTML file, whose style is in it."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files
from string import Template


def static_page(package: str, name: str, title: str, **parts: str) -> str:
    """The text of the HTML file.

    Parameters
    ----------
    package, name
        Its folder `web` has the page's body and its style, `name`.html and `name`.css.
    title
        Text, above the body.
    **parts
        HTML, for the places in the body.
    """
    web = files(package).joinpath("web")
    style = web.joinpath(f"{name}.css").read_text(encoding="utf-8")
    frame = files(__package__).joinpath("web", "static.html").read_text(encoding="utf-8")
    return Template(frame).substitute(
        TITLE=escape(title),
        STYLE=style,
        STYLE_HASH="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        BODY=Template(web.joinpath(f"{name}.html").read_text(encoding="utf-8")).substitute(parts),
    )
