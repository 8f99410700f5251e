"""Result files are written whole or not at all.

The content goes to a temporary file in the same folder (so that the last step is a rename inside one file
system), is forced to the disk, and then takes the target's place in one step: whoever reads the target sees
the old file or the new one, never a half. What is not a regular file (a pipe, `/dev/null`) or open already
(`/dev/stderr`, the `/dev/fd/63` of a shell's `>(...)`) is written straight.
"""

import os
import secrets
import stat
import sys
from pathlib import Path

from common.errors import DataError


def write_whole(path, content):
    """Write a result to a file, or to standard output.

    Parameters
    ----------
    path : str, Path or None
        The target; `-` or None is standard output. A symbolic link is followed.
    content : str or bytes or iterable of these
        Text is written as UTF-8 with the line ends it has. What an iterable yields is written piece by
        piece, so that a large text need never be held whole; if it fails, the target is as it was.

    Raises
    ------
    DataError
        The file cannot be written; the target is then as it was.
    """
    pieces = [content] if isinstance(content, str | bytes) else content
    pieces = (piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    if is_stdout(path):
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    check_writable(path)
    try:
        if _is_open(path) or (os.path.exists(path) and not os.path.isfile(path)):
            with open(path, "ab") as file:
                file.writelines(pieces)
        else:
            _replace(Path(path).resolve(), pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", path) from error


def check_writable(path):
    """Refuse a target that `write_whole` could not write; asked before a long computation.

    Parameters
    ----------
    path : str, Path or None
        As for `write_whole`.

    Raises
    ------
    DataError
        The folder is missing or closed, or the target is a folder or write-protected.
    """
    if is_stdout(path) or (_is_open(path) and os.path.exists(path)):
        return
    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        raise DataError("is a folder; name a file to write to", path)
    if not folder.is_dir():
        raise DataError(f"there is no folder {target.parent}; make it first", path)
    if target.exists():
        if not os.access(target, os.W_OK):
            raise DataError("is write-protected; choose another name", path)
        if not target.is_file():
            return
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataError(f"no permission to write in folder {target.parent}", path)


def is_stdout(path):
    """Whether a target names standard output (`-`, None or a name of the system's)."""
    return path is None or str(path) in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def _is_open(path):
    """Whether a path names something that this process has open already."""
    return str(path).startswith(("/dev/fd/", "/dev/stderr", "/proc/self/fd/"))


def _replace(target, pieces):
    """Write beside the target, then rename; the new file has the old one's mode, else the umask's."""
    beside = target.with_name(f".{target.name[:64]}.{secrets.token_hex(6)}.tmp")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
