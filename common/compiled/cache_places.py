"""The folders in which machine code of kernels is cached, and whether their content can be trusted.

Each command is a new process, and compiling takes 10 to 50 seconds, so the code is stored on disk. There is one folder
per kernel file; its name is a digest of that file and of all kernel files that it imports, directly or indirectly
(numba itself notices only changes of the kernel's own file). So a change of one file does not affect the machine code
of unrelated files, and all installations of one version share the cache. `kernel_cache` keeps files of its own in these
folders ("tuned"), `public` those of numba's cache.

Location: `CLIQUEWISE_CACHE`, or else the user's cache folder (the program's own may be read-only). If that cannot be
written or is full, files go to a folder of the user in the temporary folder, and are read from there the next time, and
copied to the first place if that can be written now. If the temporary folder fails, too, the run continues
without a cache. Each problem is reported once.

Security: cached files are unpickled and executed, so they must have been written by the user or by root, who could as
well change the program. Folders and files must belong to one of them and must not be writable by group or others. The
folder in the temporary folder, which anybody could have created, must be owned by the user, have mode 0700 and not be a
link. New folders have mode 0700, new files 0600. Nothing else is opened, and the owner is checked on the opened file.
numba's cache checks no owner: it gets only folders of mode 0700 that belong to the user.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import logging
import os
import re
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from .compile_lock import CompileLock

LOG = logging.getLogger("cliquewise")
Result = TypeVar("Result")
_BODY = re.compile(rb"^(?:@\w|(?:def|class) \w+[(:])", re.MULTILINE)  # where the functions of a file begin


@functools.cache
def digest_of(file: Path) -> str:
    """A hexadecimal digest of everything that the machine code of a kernel file depends on.

    Parameters
    ----------
    file
        A kernel file of this program; the kernel files that it imports, directly or indirectly, are included.
    """
    content = file.read_bytes()
    digest = hashlib.sha256(content)
    for imported in sorted(_imported_kernels(file, content)):
        digest.update(digest_of(imported).encode())
    ways = "array_access", "array_value", "jit", "public", "public_calls", "quick_contexts", "records", "tuned"
    for name in ways:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def _imported_kernels(file: Path, content: bytes) -> set[Path]:
    """The kernel files that a file imports, by relative imports before its first function or class: a set of Path.

    Only that part is parsed: all files of a command would take 60 milliseconds, their beginnings take 10.
    """
    found: set[Path] = set()
    for node in ast.parse(_BODY.split(content, 1)[0]).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = (module, *(module / alias.name for alias in node.names))
            found.update(name.with_suffix(".py") for name in names if name.name.endswith("_kernels"))
    return found


class Place:
    """A folder with one subfolder of machine code per digest.

    Parameters
    ----------
    folder
        Created when the first file is written.
    private
        Whether anybody could have created it first: then it must be owned by the user, have mode 0700, and not be a
        link.
    """

    def __init__(self, folder: Path, private: bool) -> None:
        self.folder = folder
        self.private = private
        self.given_up = False
        self.takes_copies = True

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none, or it is not trusted.

        Parameters
        ----------
        name
            Digest, slash, file name.

        Returns
        -------
        bytes or None
        """
        path = self.folder / name
        try:
            self._check(path.parent)
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # neither a link nor a pipe
            with open(handle, "rb") as file:
                _check_owner(path, os.fstat(handle))
                return file.read()
        except _UntrustedError as error:
            if not self.private:  # a problem of the private one is reported when it is needed
                self._disable(error)
        except OSError:
            pass
        return None

    def write(self, name: str, content: bytes) -> bool:
        """Write a file, whole or not at all; returns whether it was written.

        Parameters
        ----------
        name
            As for `read`.
        content

        Returns
        -------
        bool
        """
        path = self.folder / name

        def write() -> bool:
            self._prepare(path.parent)
            _replace(path, content)
            return True

        return bool(self._unless_disabled(write))

    def copy(self, name: str, content: bytes) -> None:
        """Write a file that was found in another place; that this fails is not reported, since nothing is compiled.

        Parameters
        ----------
        name
            As for `read`.
        content
        """
        if not self.given_up and self.takes_copies:
            try:
                self._prepare((self.folder / name).parent)
                _replace(self.folder / name, content)
            except (_UntrustedError, OSError):
                self.takes_copies = False

    def lock(self, name: str) -> CompileLock | None:
        """The lock of a kernel's file; None if there can be none here.

        Parameters
        ----------
        name
            As for `read`.
        """
        path = self.folder / f"{name}.lock"

        def prepare() -> CompileLock:
            self._prepare(path.parent)
            return CompileLock(path)

        return self._unless_disabled(prepare)

    def private_folder(self, name: str) -> Path | None:
        """A folder that only the user can access, for a cache that does not check owners.

        Parameters
        ----------
        name
            Of the folder in this place.

        Returns
        -------
        Path or None
            None if there can be no such folder here.
        """
        path = self.folder / name

        def prepare() -> Path:
            self._prepare(path)
            _check_owner(path, path.lstat(), private=True)
            return path

        return self._unless_disabled(prepare)

    def _unless_disabled(self, task: Callable[[], Result]) -> Result | None:
        """A task's result; None after the first error, which ends all writing to this place."""
        if self.given_up:
            return None
        try:
            return task()
        except _UntrustedError as error:
            self._disable(error)
        except OSError as error:
            self.fail(error)
        return None

    def fail(self, error: OSError) -> None:
        """Stop using this place, because of a system error."""
        self._disable(f"{self.folder}: {error.strerror or error}; compiled kernels are not kept there")

    def _prepare(self, folder: Path) -> None:
        """Make this place and a folder in it, and refuse them if others may have written to them."""
        for path in (self.folder, folder):
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700, parents=True)
        self._check(folder)

    def _disable(self, trouble: object) -> None:
        """Stop using this place, with one warning."""
        if not self.given_up:
            LOG.warning("%s (CLIQUEWISE_CACHE names another folder)", trouble)
        self.given_up = True

    def _check(self, folder: Path) -> None:
        """Refuse this place, or a folder in it, if others may have written to it."""
        _check_owner(self.folder, self.folder.lstat() if self.private else self.folder.stat(), self.private)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise _UntrustedError(folder, "is not a folder")
        _check_owner(folder, status)


class _UntrustedError(Exception):
    """The content may have been written by another user."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path}: {why}; for safety compiled kernels are neither read nor kept there")


def _check_owner(path: Path, status: os.stat_result, private: bool = False) -> None:
    """Refuse a file that anyone except the user and root may have written, by its os.stat_result."""
    user, mode = os.geteuid(), status.st_mode & 0o777
    if private and (not stat.S_ISDIR(status.st_mode) or mode != 0o700):
        raise _UntrustedError(path, "is not a folder of mode 0700")
    if status.st_uid != user and (private or status.st_uid != 0):
        raise _UntrustedError(path, f"belongs to another user ({status.st_uid})")
    if mode & 0o022:
        raise _UntrustedError(path, f"can be written by others (mode {mode:04o})")


def _replace(path: Path, content: bytes) -> None:
    """Write to a temporary file, then rename; the new file is private to the user."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


@functools.cache
def places() -> list[Place]:
    """The places to read machine code from, and to store it in the first that works: a list of Place."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    found = [Place(Path(os.environ.get("CLIQUEWISE_CACHE") or os.path.join(home, "cliquewise")), False)]
    with contextlib.suppress(OSError):  # no temporary folder
        found.append(Place(Path(tempfile.gettempdir(), f"cliquewise-{os.geteuid()}"), True))
    return found
