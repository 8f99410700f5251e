"""Parts of a result that are computed separately (`--shard`) and then merged.

A part is a text file that begins with comment lines `# key value`, among them `# shard I/N` and `# data DIGEST`; the
whole consists of the other lines of all parts, in the order of their numbers. Its comment lines are those of the parts
except these two. So the whole has the same bytes as a result computed in one run.
"""

from cliquewise.common.errors import DataError
from cliquewise.common.files.shard import Shard

OF_PARTS = ("shard", "data")  # keys of a part that the whole does not have


def check_parts(heads, what="# {}"):
    """Refuse parts that do not form one whole.

    Parameters
    ----------
    heads : dict of str to dict
        By path: the keys and values at the beginning of a part.
    what : str
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
    paths, (first, wanted) = {}, next(iter(heads.items()))
    for path, head in heads.items():
        shard = Shard.read(str(head.get("shard", "")))
        if shard is None:
            raise DataError(f"'{what.format('shard')} I/N' is missing: no part that --shard made", path)
        if head.get("status") == "interrupted":
            raise DataError(f"part {shard} was interrupted; run it again, with --resume if it has a checkpoint", path)
        keys = [key for key in {**wanted, **head} if key != "shard" and head.get(key) != wanted.get(key)]
        if keys:
            told = what.format(f"{keys[0]} {head.get(keys[0], 'none')}")
            raise DataError(f"'{told}', but '{wanted.get(keys[0], 'none')}' in {first}: parts of different runs", path)
        if shard.count != Shard.read(str(wanted["shard"])).count:
            raise DataError(f"part {shard}, but {first} is part {wanted['shard']}", path)
        if shard.number in paths:
            raise DataError(f"part {shard} is repeated, also in {paths[shard.number]}", path)
        paths[shard.number] = path
    missing = [str(number) for number in range(1, shard.count + 1) if number not in paths]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"part {missing[0]}/{shard.count}{more} is missing; there are {len(paths)} of {shard.count}")
    return [paths[number] for number in sorted(paths)]


def merged_text(texts):
    """The whole result from the texts of its parts.

    Parameters
    ----------
    texts : dict of str to str
        By path, in any order.

    Returns
    -------
    str

    Raises
    ------
    DataError
        See `check_parts`.
    """
    heads, bodies = {}, {}
    for path, text in texts.items():
        lines = text.splitlines(keepends=True)
        size = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        heads[path] = dict(line[1:].strip().partition(" ")[::2] for line in lines[:size])
        bodies[path] = lines[size:]
    paths = check_parts(heads)
    head = [f"# {key} {value}\n" for key, value in heads[paths[0]].items() if key not in OF_PARTS]
    return "".join([*head, *(line for path in paths for line in bodies[path])])
