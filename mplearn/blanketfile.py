"""Files of blankets, which need not agree with each other: comment lines `# key value`, then a line a variable.

    # format blankets
    # variables 4
    0: 1,3
    1: 0
    2:
    3: 0

Variables are counted from 0. Files of some of the variables each (`--variables`), written on different machines, make
one file when they are concatenated, in any order: header lines may be repeated, and so may equal lines.
"""

import re

from cliquewise.common.errors import DataError
from cliquewise.common.files.atomic import write_whole
from cliquewise.common.files.source import opened
from cliquewise.mplearn.blankets import Blanket

_LINE = re.compile(r"\s*([0-9]+)\s*:\s*([0-9]+(?:\s*,\s*[0-9]+)*)?\s*")


def write_blankets(path, blankets, n, header):
    """Write a file of blankets, whole or not at all.

    Parameters
    ----------
    path : str or None
        None or `-` is standard output.
    blankets : sequence of Blanket
    n : int
        Number of variables of the data.
    header : dict of str to str
    """
    top = {**header, "format": "blankets", "variables": str(n)}
    lines = [f"# {key} {value}" for key, value in top.items()]
    lines += [f"{one.variable}: {','.join(map(str, one.members))}".rstrip() for one in blankets]
    write_whole(path, "\n".join(lines) + "\n")


def read_blankets(path, n):
    """Read a file of blankets, or several that were concatenated.

    Parameters
    ----------
    path : str
        `-` is standard input.
    n : int
        Number of variables of the data.

    Returns
    -------
    list of Blanket
        By variable, each once; scores and steps are 0.

    Raises
    ------
    DataError
        Malformed, for other data, contradicting itself, or without some variable.
    """
    with opened(path) as stream:
        lines = stream.read().decode("utf-8-sig", "replace").splitlines()
    found, keys = {}, {}
    for at, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, _, value = line[1:].strip().partition(" ")
            _check_header(key, value, keys.setdefault(key, value), n, path, at)
        elif line.strip():
            variable, members = _parse(line, n, path, at)
            if found.setdefault(variable, members) != members:
                raise DataError(f"variable {variable} has another blanket further up", path, at)
    missing = [v for v in range(n) if v not in found]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"no blanket of variable {missing[0]}{more}; find it with --variables", path)
    return [Blanket(v, found[v], 0.0) for v in range(n)]


def _check_header(key, value, first, n, path, at):
    """Refuse what is no file of blankets of such data, and parts that were found in different ways."""
    if key == "format" and value != "blankets":
        raise DataError(f"'# format {value}': not a file of blankets", path, at)
    if key == "variables" and value != str(n):
        raise DataError(f"blankets of {value} variables; the data have {n}", path, at)
    if value != first and key != "status":
        raise DataError(f"'# {key} {value}', but '# {key} {first}' further up; parts must be made alike", path, at)


def _parse(line, n, path, at):
    """Variable and members (tuple of int) of one line."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise DataError(f"'{line.strip()[:40]}': expected `variable: member,member,...`", path, at)
    variable = int(match[1])
    members = tuple(sorted({int(member) for member in (match[2] or "").split(",") if member}))
    for v in (variable, *members):
        if v >= n:
            raise DataError(f"unknown variable {v}; the data have {n}", path, at)
    if variable in members:
        raise DataError(f"variable {variable} is in its own blanket", path, at)
    return variable, members
