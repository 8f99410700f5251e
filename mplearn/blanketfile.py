"""Files of blankets, which need not be consistent: comment lines `# key value`, then one line per variable.

    # score-type mpl
    # ess 1
    # prior uniform
    # max-blanket none
    # format blankets
    # variables 4
    # names A,B,C,D
    0: 1,3
    1: 0
    2:
    3: 0

Variables are numbered from 0. Files for different variables (`--variables`), written on different machines, can be
concatenated in any order: header lines may be repeated, and so may equal lines.

The names must be those of the data, and so must the rows that were used (`ROWS_BY`), if the file says so. The lines
that say how blankets were found (`FOUND_WITH`) must agree with the options for combining them; if one is
missing, as in files written by hand, the option is assumed, with a log message. Blankets by regression (`# blankets
l1lr`) are not found by a score, and may be combined with any.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.counted import counted
from ..common.errors import DataError, UsageError, shown_path
from ..common.files.atomic_write import write_whole
from ..common.files.graph_lists import name_fields, name_line, shows_names
from ..common.files.input_stream import opened
from ..common.files.parts import OF_PARTS, check_bodies
from .blanket import Blanket

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset

LOG = logging.getLogger("cliquewise")
FOUND_WITH = {  # the option of each line
    "score-type": "--score",
    "ess": "--ess",
    "prior": "--prior",
    "penalty": "--penalty",
    "threshold": "--threshold",
    "max-blanket": "--max-blanket",
    "resample": "--resample",
}
ROWS_BY = ("missing", "counts", "weights", "weight-scale")  # treatment of missing cells, and numbers of rows
_MAY_DIFFER = ("version", "status", "command", *OF_PARTS)  # lines that may differ between parts
_LINE = re.compile(r"\s*([0-9]{1,9})\s*:\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)?\s*")


class BlanketFile(NamedTuple):
    """The content of a file.

    blankets : list of Blanket, by variable, each once; scores and steps are 0
    header : dict of str to str
    """

    blankets: list
    header: dict


def write_blankets(path: str | None, blankets: Sequence[Blanket], data: Dataset, header: dict[str, str]) -> None:
    """Write a file of blankets, whole or not at all.

    Parameters
    ----------
    path
        None or `-` is standard output.
    blankets : sequence of Blanket
    data
        Its names are written, unless it has none.
    header : dict of str to str
    """
    top = {**header, "format": "blankets", "variables": str(data.n)}
    if shows_names(None, data.names, not data.has_names):
        top["names"] = name_line(data.names)
    write_whole(path, "".join([*(f"# {key} {value}\n" for key, value in top.items()), *blanket_lines(blankets)]))


def blanket_lines(blankets: Sequence[Blanket]) -> list[str]:
    """The lines of a file after its header: list of str.

    Parameters
    ----------
    blankets : sequence of Blanket
    """
    return [f"{one.variable}: {','.join(map(str, one.members))}".rstrip() + "\n" for one in blankets]


def read_blankets(path: str, n: int) -> BlanketFile:
    """Read a file of blankets, or several that were concatenated.

    Parameters
    ----------
    path
        `-` is standard input.
    n
        Number of variables of the data.

    Returns
    -------
    BlanketFile

    Raises
    ------
    DataError
        Malformed, for other data, inconsistent, or incomplete.
    """
    with opened(path) as stream:
        lines = stream.read().decode("utf-8-sig", "replace").splitlines(keepends=True)
    check_bodies(lines, path)
    found: dict[int, tuple[Blanket, int]] = {}
    keys: dict[str, str] = {}
    for at, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, _, value = line[1:].strip().partition(" ")
            _check_header(key, value, keys.setdefault(key, value), n, path, at)
        elif line.strip():
            variable, members = _parse(line, n, path, at)
            if found.setdefault(variable, members) != members:
                raise DataError(f"variable {variable} has another blanket above", path, at)
    missing = [v for v in range(n) if v not in found]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"no blanket of variable {missing[0]}{more}; find it with --variables", path)
    return BlanketFile([Blanket(v, found[v], 0.0) for v in range(n)], keys)


def check_data(header: dict[str, str], data: Dataset, rows_by: dict[str, str], path: str) -> None:
    """Refuse blankets of other columns, or of rows that were treated in another way.

    Parameters
    ----------
    header : dict of str to str
        Of the file.
    rows_by : dict of str to str
        The lines of `ROWS_BY` of a file made with the current options.
    path
        For messages.

    Raises
    ------
    DataError, UsageError
    """
    names = name_fields(header["names"], path) if "names" in header else data.names
    if len(names) != data.n:
        raise DataError(f"{counted(len(names), 'name')} in '# names', the data have {counted(data.n, 'column')}", path)
    if names != data.names:
        first, own = next(pair for pair in zip(names, data.names, strict=True) if pair[0] != pair[1])
        raise DataError(f"blankets of other columns: '{first}' where the data have '{own}'", path)
    if "program" in header:
        pairs = [(key, header.get(key, "none"), rows_by.get(key, "none")) for key in ROWS_BY]
        differing = [f"--{key} {found} (here {wanted})" for key, found, wanted in pairs if found != wanted]
        _refuse(differing, path)


def check_found_with(header: dict[str, str], wanted: dict[str, str], path: str) -> None:
    """Refuse blankets that were found with other options; log what is assumed.

    Parameters
    ----------
    header : dict of str to str
        Of the file.
    wanted : dict of str to str
        The lines of `FOUND_WITH` of a file made with the current options.
    path
        For messages.

    Raises
    ------
    UsageError
        Each option that differs, with both values.
    """
    if "blankets" in header:
        return
    differing = [key for key in FOUND_WITH if key in header and not _same(header[key], wanted.get(key))]
    if "score-type" in differing:  # the other lines depend on it
        differing = ["score-type"]
    _refuse([f"{FOUND_WITH[key]} {header[key]} (here {wanted.get(key, 'none')})" for key in differing], path)
    missing = [f"{FOUND_WITH[key]} {value}" for key, value in wanted.items() if key not in header]
    if missing:
        LOG.info("%s has no record of how its blankets were found; assumed: %s", shown_path(path), ", ".join(missing))


def words_of_options(header: dict[str, str], usual: dict[str, str]) -> list[str]:
    """The words of a command line by whose options blankets were found.

    Parameters
    ----------
    header : dict of str to str
        Of their file.
    usual : dict of str to str
        The lines of `FOUND_WITH` of a file made with the default options, which are left out.
    """
    return [f"{FOUND_WITH[key]}={header[key]}" for key in FOUND_WITH if header.get(key) not in (None, usual.get(key))]


def _refuse(differing: list[str], path: str) -> None:
    """Refuse blankets that were found with other options, if there are any: each with both values."""
    if differing:
        settings = ", ".join(differing)
        raise UsageError(
            f"{shown_path(path)}: blankets found with {settings}; give the same options, or find them again"
        )


def _same(found: str, wanted: str | None) -> bool:
    """Whether two values are the same word or number."""
    try:
        return wanted is not None and float(found) == float(wanted)
    except (TypeError, ValueError):
        return found == wanted


def _check_header(key: str, value: str, first: str, n: int, path: str, at: int) -> None:
    """Refuse a file that does not contain blankets of these data, and parts that were found in different ways."""
    if key == "format" and value != "blankets":
        raise DataError(f"'# format {value}': not a file of blankets", path, at)
    if key == "variables" and value != str(n):
        raise DataError(f"blankets of {value} variables; the data have {n}", path, at)
    if value != first and key not in _MAY_DIFFER:
        raise DataError(
            f"'# {key} {value}', but '# {key} {first}' above; parts must be made with the same options", path, at
        )


def _parse(line: str, n: int, path: str, at: int) -> tuple[int, Any]:
    """Variable and members (tuple of int) of one line."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise DataError(f"'{line.strip()[:40]}': expected `variable: member,member,...`", path, at)
    variable = int(match[1])
    listed = [int(member) for member in (match[2] or "").split(",") if member]
    members = tuple(sorted(set(listed)))
    if len(members) < len(listed):
        raise DataError(f"a variable is twice in the blanket of variable {variable}", path, at)
    for v in (variable, *members):
        if v >= n:
            raise DataError(f"unknown variable {v}; the data have {n}", path, at)
    if variable in members:
        raise DataError(f"variable {variable} is in its own blanket", path, at)
    return variable, members
