"""Characters that XML cannot hold, for all that write it."""

import re

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_characters(text: str) -> str:
    """A text with question marks for the characters that XML cannot hold."""
    return NOT_XML.sub("?", text)
