"""Result files are written whole or not at all.

The content goes to a temporary file in the same folder (so that the last step is a rename inside one file
system), is forced to the disk, and then replaces the target in one step: a reader of the target sees the old file or
the new one, never a partial one. If the system supports it, the temporary file has no name until it is complete, so
that even a process that is killed leaves nothing behind. Targets that are not regular files (a pipe, `/dev/null`) or
are already open (`/dev/stderr`, the `/dev/fd/63` of a shell's `>(...)`) are written directly.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .streams import check_stdout, discard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

GZIP = 31  # zlib's number of bits of a window in a gzip file; its header has no time, so equal content is equal bytes
WRITTEN_FILES: list[str] = []  # where this process has written results, in order


def write_whole(
    path: str | PathLike[str] | None,
    content: str | bytes | Iterable[str] | Iterable[bytes],
    claim: Callable[[int], None] | None = None,
) -> None:
    """Write a result to a file, or to standard output.

    Parameters
    ----------
    path : str, path or None
        The target; `-` or None is standard output. A symbolic link is followed.
    content : str or bytes or iterable of these
        Text is written as UTF-8 with its line ends unchanged; what is not Unicode, as in names of old files, is escaped
        as in messages. An iterable is written item by item, so that a large text is never held whole; if it fails, the
        target is unchanged.
    claim : callable taking a descriptor, optional
        Called with the complete new file before it replaces the target; not called if the target is written directly.

    Raises
    ------
    DataError
        The file cannot be written; the target is then unchanged.
    """
    pieces = [content] if isinstance(content, str | bytes) else content
    pieces = (piece.encode(errors="backslashreplace") if isinstance(piece, str) else piece for piece in pieces)
    _refuse(path)
    printed = is_stdout(path)
    try:
        if printed:
            _print(pieces)
        elif _is_written_directly(str(path)):
            with open(str(path), "ab") as file:
                file.writelines(pieces)
        else:
            with _temporary_file(str(path)) as file:
                file.writelines(pieces)
                if claim is not None:
                    claim(file.fileno())
        WRITTEN_FILES.append("standard output" if printed else str(path))
    except BrokenPipeError:
        raise
    except OSError as error:
        if printed:
            discard_output(sys.stdout)
        raise _unwritable(error, "standard output" if printed else str(path)) from error


def compressed(path: str | None, pieces: Iterable[str]) -> Iterable[str] | Iterable[bytes]:
    """The pieces of a text, compressed by gzip if the name of its file ends in `.gz`."""
    return _gzipped(pieces) if is_compressed(path) else pieces


def is_compressed(path: str | None) -> bool:
    """Whether a file of this name is compressed."""
    return path is not None and path.endswith(".gz")


def _gzipped(pieces: Iterable[str]) -> Iterator[bytes]:
    import zlib

    zipped = zlib.compressobj(wbits=GZIP)
    for piece in pieces:
        yield zipped.compress(piece.encode())
    yield zipped.flush()


def check_writable(path: str | None) -> None:
    """Refuse a target that `write_whole` could not write; called before a long computation.

    Parameters
    ----------
    path : str, path or None
        As for `write_whole`.

    Raises
    ------
    DataError
        The folder is missing or not writable, the target is a folder or write-protected, the file system does not
        accept the name, or standard output is closed.
    """
    _refuse(path)
    if path is not None and not is_stdout(path) and not _is_written_directly(path):
        try:
            handle, beside = _new_file(os.path.realpath(path))
            try:
                os.close(handle)
            finally:
                os.unlink(beside)
        except OSError as error:
            raise _unwritable(error, path) from error


def _refuse(path: str | os.PathLike | None) -> None:
    """Refuse a target that cannot be written, as far as can be detected without writing."""
    if path is None or is_stdout(path):
        check_stdout()
        return
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # to be created, or reported below
    except OSError as error:  # the name is too long, or links form a cycle
        raise _unwritable(error, path) from error
    if _is_open(path) and os.path.exists(path):
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or os.path.basename(path) in ("", ".", ".."):
        raise DataError("is a folder; name a file to write to", path)
    shown = folder if os.path.islink(path) else os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        is_file = os.path.exists(folder)
        found = f"{shown} is a file; name a folder" if is_file else f"there is no folder {shown}; make it first"
        raise DataError(found, path)
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise DataError("is write-protected; choose another name", path)
        if not os.path.isfile(path):
            return
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataError(f"no permission to write in folder {shown}", path)


def is_stdout(path: str | os.PathLike | None) -> bool:
    """Whether a target names standard output (`-`, None or a system name for it)."""
    return path is None or str(path) in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def _is_open(path: str | os.PathLike) -> bool:
    """Whether a path names something that this process already has open."""
    return str(path).startswith(("/dev/fd/", "/dev/stderr", "/proc/self/fd/"))


def _is_written_directly(path: str | os.PathLike) -> bool:
    """Whether a target cannot be replaced: a pipe, a device, an open file."""
    return _is_open(path) or (os.path.exists(path) and not os.path.isfile(path))


def _unwritable(error: OSError, path: str | os.PathLike) -> DataError:
    return DataError(f"cannot be written: {error.strerror or error}", path)


def _print(pieces: Iterator) -> None:
    """Write to standard output."""
    sys.stdout.flush()
    given = sys.stdout.buffer
    # with PYTHONUNBUFFERED standard output would write a part on a full disk, without an error
    unbuffered = isinstance(given, io.FileIO)
    with open(given.fileno(), "wb", closefd=False) if unbuffered else contextlib.nullcontext(given) as output:
        output.writelines(pieces)
        output.flush()


def _temporary_name(target: str) -> str:
    """An unused file name."""
    folder, name = os.path.split(target)
    beginning = os.fsencode(name)[:64].decode(errors="ignore")  # names are limited in bytes, not characters
    return os.path.join(folder, f".{beginning}.{os.urandom(6).hex()}.tmp")


def _new_file(target: str) -> tuple[int, str]:
    """Create a file with a unique name in the target's folder: a descriptor, and its path."""
    beside = _temporary_name(target)
    return os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), beside


def _nameless_file(folder: str | os.PathLike) -> int | None:
    """A descriptor of a new file that is in no folder yet; None if the (file) system does not support it."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE, 0o666)
    except OSError:  # the error is reported when a file with a name is created
        return None


def _give_name(handle: int, beside: str | os.PathLike) -> None:
    """Put a nameless file into a folder."""
    root = os.open("/", os.O_RDONLY)
    try:  # Python follows the link in /proc only if a descriptor is given, though it is not needed
        os.link(f"/proc/self/fd/{handle}", beside, src_dir_fd=root)
    finally:
        os.close(root)


@contextlib.contextmanager
def _temporary_file(path: str | os.PathLike) -> Iterator[Any]:
    """A new file that replaces the target when all is written; it has the old file's mode, or that of the umask."""
    target = os.path.realpath(path)
    handle, beside = _nameless_file(os.path.dirname(target)), _temporary_name(target)
    nameless = handle is not None
    if handle is None:
        handle, beside = _new_file(target)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            if os.path.exists(target):
                os.chmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            os.fsync(file.fileno())
            if nameless:
                _give_name(file.fileno(), beside)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise
