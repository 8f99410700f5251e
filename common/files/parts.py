"""Parts of a result that are computed separately (`--shard`) and then merged.

A part is a text file that begins with comment lines `# key value`. Those of a part alone are `# shard I/N`, `# data
DIGEST`, `# of 0,3,9` (the variables of the whole, if these are not all), and `# sha256 DIGEST` of its other lines. It
has a line `V: ...` for each variable V of its block. The whole consists of these lines of all parts, in the order of
their numbers; its comment lines are the others of the parts. So the whole has the same bytes as a result computed in
one run.
"""

import hashlib
import io
from collections.abc import Sequence

from ..errors import DataError
from .shard import Shard

OF_PARTS = ("shard", "data", "of", "sha256")  # keys of a part that the whole does not have


def check_parts(heads: dict[str, dict], what: str = "# {}") -> list[str]:
    """Refuse parts that do not form one whole.

    Parameters
    ----------
    heads
        By path: the keys and values at the beginning of a part.
    what
        Format of a key in messages.

    Returns
    -------
    list of str
        The paths by the parts' numbers.

    Raises
    ------
    DataError
        A file is not a part; a part is missing, repeated, from another run, or not finished.
    """
    paths: dict = {}
    first, wanted = next(iter(heads.items()))
    count = _part(wanted, first, what).count
    for path, head in heads.items():
        shard = _part(head, path, what)
        if head.get("status") == "interrupted":
            raise DataError(f"part {shard} was interrupted; run it again, with --resume if it has a checkpoint", path)
        keys = [key for key in {**wanted, **head} if key != "shard" and head.get(key) != wanted.get(key)]
        if keys:
            line = what.format(f"{keys[0]} {head.get(keys[0], 'none')}")
            raise DataError(f"'{line}', but '{wanted.get(keys[0], 'none')}' in {first}: parts of different runs", path)
        if shard.count != count:
            raise DataError(f"part {shard}, but {first} is part {wanted['shard']}", path)
        if shard.number in paths:
            raise DataError(f"part {shard} is repeated, also in {paths[shard.number]}", path)
        paths[shard.number] = path
    missing = [str(number) for number in range(1, count + 1) if number not in paths]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"part {missing[0]}/{count}{more} is missing; there are {len(paths)} of {count}")
    return [paths[number] for number in sorted(paths)]


def body_digest(lines: Sequence[str]) -> str:
    """The fingerprint of the lines after the header, for `# sha256`: 64 hexadecimal digits."""
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def check_bodies(lines: list[str], path: str) -> None:
    """Refuse a file of one or several parts, one after the other, that is cut or of which a line was changed.

    Parameters
    ----------
    lines
        With their line ends.
    path
        For messages.

    Raises
    ------
    DataError
    """
    ours = any(line.startswith("# program ") for line in lines)  # those of others may end as they like
    if ours and not lines[-1].endswith(("\n", "\r")):
        raise DataError(
            "the last line has no end: the file is cut off; make it again, or end the line", path, len(lines)
        )
    body: list[str] = []
    digest = None
    for line in [*lines, "# sha256 none"]:
        if line.startswith("#") and body:
            if digest not in (None, body_digest(body)):
                raise DataError("a damaged part: its content is not that written by --shard; make it again", path)
            digest, body = None, []
        if line.startswith("# sha256 "):
            digest = line.split()[2]
        elif not line.startswith("#"):
            body.append(line)


def merged_text(texts: dict[str, str]) -> str:
    """The whole result from the texts of its parts.

    Parameters
    ----------
    texts
        By path, in any order.

    Raises
    ------
    DataError
        A damaged part; see also `check_parts`.
    """
    heads, bodies = {}, {}
    for path, text in texts.items():
        lines = io.StringIO(text, newline="\n").readlines()
        size = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        heads[path] = dict(line[1:].strip().partition(" ")[::2] for line in lines[:size])
        bodies[path] = lines[size:]
        if text and not text.endswith("\n"):
            raise DataError("a damaged part: its last line is cut off; make it again", path)
    wholes = {path: _head_of_whole(head) for path, head in heads.items()}
    paths = check_parts({path: {**wholes[path], **_compared(head)} for path, head in heads.items()})
    for path in paths:
        _check_body(heads[path], bodies[path], path)
    head = [f"# {key} {value}\n" for key, value in wholes[paths[0]].items()]
    return "".join([*head, *(line for path in paths for line in bodies[path])])


def _head_of_whole(head: dict[str, str]) -> dict[str, str]:
    """The keys of the whole; its command is that of the part without `--shard I/N`, which is the first option."""
    whole = {key: value for key, value in head.items() if key not in OF_PARTS}
    if "command" in whole:
        whole["command"] = whole["command"].replace(f" --shard {head.get('shard')} ", " ", 1)
    return whole


def _compared(head: dict[str, str]) -> dict[str, str]:
    """Those keys of a part alone that are the same in all parts, and its number."""
    return {key: head[key] for key in OF_PARTS if key in head and key != "sha256"}


def _part(head: dict, path: str, what: str = "# {}") -> Shard:
    """Which part a file is; `what` as in `check_parts`."""
    shard = Shard.read(str(head.get("shard", "")))
    if shard is None:
        raise DataError(f"'{what.format('shard')} I/N' is missing: no part written by --shard", path)
    return shard


def _check_body(head: dict[str, str], lines: list[str], path: str) -> None:
    """Refuse a part whose lines are not those of its block."""
    try:
        items = [int(one) for one in head["of"].split(",")] if "of" in head else range(int(head["variables"]))
    except (KeyError, ValueError):
        raise DataError(
            "a part without '# variables N': damaged, or not made by --shard; make it again", path
        ) from None
    wanted = [str(item) for item in _part(head, path).block(items)]
    if [line.partition(":")[0] for line in lines] != wanted or head.get("sha256") not in (None, body_digest(lines)):
        raise DataError("a damaged part: its content is not that written by --shard; make it again", path)
