"""Parts of a result that are made separately (`--shard`), and put together again.

A part is a text file that begins with comment lines `# key value`, among them `# shard I/N` and `# data DIGEST`; the
other lines of all parts, in the order of their numbers, are those of the whole. Its comment lines are those of the
parts but these two. So the whole has the same bytes as if it had been made at one go.
"""

from cliquewise.common.errors import DataError
from cliquewise.common.files.shard import Shard

OF_PARTS = ("shard", "data")  # keys that a part has and the whole has not


def check_parts(heads, what="# {}"):
    """Refuse parts that do not make one whole.

    Parameters
    ----------
    heads : dict of str to dict
        By path: the keys and values that a part begins with.
    what : str
        How a key is called in messages.

    Returns
    -------
    list of str
        The paths by the parts' numbers.

    Raises
    ------
    DataError
        What is no part; one that is missing, or there twice; one of something else; one that is not finished.
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
            raise DataError(f"part {shard} is there twice, in {paths[shard.number]} too", path)
        paths[shard.number] = path
    missing = [str(number) for number in range(1, shard.count + 1) if number not in paths]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"part {missing[0]}/{shard.count}{more} is missing; there are {len(paths)} of {shard.count}")
    return [paths[number] for number in sorted(paths)]


def merged_text(texts):
    """The whole of which these texts are parts.

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
