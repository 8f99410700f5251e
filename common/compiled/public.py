"""Kernels by numba's public interface, and its own cache in folders that only the user can reach.

numba's cache unpickles and runs any file that it finds, damaged or not, and checks no owner. So it gets a folder of
`cache_places` that is the user's and has mode 0700, and there only files whose SHA-256 was recorded in `checksums`
after this program had written them: others are deleted before numba sees them. Without such a folder kernels are
compiled in each run. (A folder that root has filled for all is not used: numba wants to write.)
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.extending import models, register_model, typeof_impl

from .cache_places import Place, digest_of, places
from .compiling import KERNELS, ended
from .public_calls import CalledByAddress, CalledType

SETTINGS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_CALLED = SETTINGS | {"no_cfunc_wrapper": False, "no_cpython_wrapper": True}
_CHECKSUMS = "checksums"
_LOCK = threading.Lock()
_folders: dict[Path, Place] = {}  # those that numba has been given
_recorded = [0]  # the compilations whose files are in the checksums


class PublicKernel(CalledByAddress):
    """A function on arrays and numbers, compiled at the first call, from Python or from another kernel.

    Parameters
    ----------
    function
    """

    included = 450  # bytes of Python's code up to which machine code of callers includes it

    def __init__(self, function: Callable) -> None:
        functools.update_wrapper(self, function)
        KERNELS.add(function)

    def __call__(self, *args: Any) -> Any:
        """Run the kernel, from Python."""
        try:
            return self.outer(*args)
        except OSError as error:  # of numba's cache: kernels have nothing to do with the system
            _disable(self.outer, error)
            self.outer = numba.njit(**SETTINGS)(self.__wrapped__)
            return self.outer(*args)
        finally:
            if ended[0] > _recorded[0]:
                _record_files()

    @functools.cached_property
    def outer(self) -> Any:
        """For calls from Python: numba's Dispatcher, with a cache if there can be one."""
        return _dispatcher(self.__wrapped__, "public", SETTINGS)

    @functools.cached_property
    def called(self) -> Any:
        """For calls from other kernels, by an address."""
        return _dispatcher(self.__wrapped__, "called", _CALLED)

    def compiled(self, args: tuple) -> Any:
        """The kernel for types of arguments, for calls by an address.

        What numba has written is recorded at once: another process may load a caller now, and would miss this kernel.
        """
        before = ended[0]
        try:
            found = super().compiled(args)
        except OSError as error:
            _disable(self.called, error)
            self.called = numba.njit(**_CALLED)(self.__wrapped__)
            found = super().compiled(args)
        folder = _folder_of(self.called)
        if ended[0] > before and folder is not None:
            with _LOCK:
                _record_files_in(folder)
        return found

    @functools.cached_property
    def inner(self) -> Any:
        """For calls from other kernels, whose machine code includes it."""
        return numba.njit(no_cpython_wrapper=True, **SETTINGS)(self.__wrapped__)

    @functools.cached_property
    def numba_type(self) -> Any:
        """Called by its address if it is long, and if that can be asked for by its name."""
        long = len(self.__wrapped__.__code__.co_code) > self.included
        named = getattr(sys.modules.get(self.__module__), self.__name__, None)
        return CalledType(self) if long and named is self else KernelType(self.inner)


class PublicInlined(PublicKernel):
    """A short function: machine code of kernels that call it includes it."""

    included = sys.maxsize


class PublicShared(PublicKernel):
    """A large kernel that many others call: by its address."""

    included = 0


class KernelType(types.Dispatcher):
    """numba's type of a kernel in a kernel, where a constant is an argument as any other: not compiled for each."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, also that of the compiled kernel."""
        named = {name: types.unliteral(of) for name, of in kws.items()}
        return super().get_call_type(context, tuple(map(types.unliteral, args)), named)


register_model(KernelType)(models.OpaqueModel)
typeof_impl.register(PublicKernel)(lambda kernel, _: kernel.numba_type)


def _dispatcher(function: Callable, use: str, settings: dict) -> Any:
    """A Dispatcher, with a cache if there can be one: otherwise the source alone does not define the function."""
    kept = _cached(function, use, settings) if function.__closure__ is None else None
    return kept or numba.njit(**settings)(function)


def _cached(function: Callable, use: str, settings: dict) -> Any:
    """A Dispatcher whose machine code is kept in the first place that can have a private folder; None without one."""
    name = f"{digest_of(Path(function.__code__.co_filename))}-{use}"
    with _LOCK:
        for place in places():
            folder = place.private_folder(name)
            if folder is None:
                continue
            if folder not in _folders:
                try:
                    _delete_unknown(folder)
                except OSError as error:
                    place.fail(error)
                    continue
                _folders[folder] = place
            before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
            try:
                kept = numba.njit(cache=True, **settings)(function)
            finally:
                numba.config.CACHE_DIR = before
            if Path(kept.stats.cache_path).is_relative_to(folder):  # numba looks for another one if it cannot write
                return kept
    return None


def _disable(dispatcher: Any, error: OSError) -> None:
    """Stop using the place of a dispatcher's cache; an error without a cache is raised again."""
    folder = _folder_of(dispatcher)
    if folder is None:
        raise error
    _folders[folder].fail(error)


def _folder_of(dispatcher: Any) -> Path | None:
    """The folder of a dispatcher's cache; None without a cache."""
    path = Path(getattr(dispatcher.stats, "cache_path", None) or "/")
    return next((folder for folder in _folders if path.is_relative_to(folder)), None)


def _files(folder: Path) -> Iterator[Path]:
    """All files in a folder and its subfolders; links are not followed."""
    for base, folders, files in os.walk(folder):
        links = [name for name in folders if Path(base, name).is_symlink()]
        yield from (Path(base, name) for name in [*files, *links] if name != _CHECKSUMS)


def _digest(path: Path) -> str | None:
    """The SHA-256 of a regular file of the user; None of anything else."""
    status = path.lstat()
    regular = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    return hashlib.sha256(path.read_bytes()).hexdigest() if regular else None


def _known(folder: Path) -> set[str]:
    """The checksums of a folder."""
    path = folder / _CHECKSUMS
    return set(path.read_text(errors="replace").split()) if path.exists() and _digest(path) else set()


def _delete_unknown(folder: Path) -> None:
    """Delete files that this program has not written, and those damaged since."""
    known = _known(folder)
    for path in _files(folder):
        if _digest(path) not in known:
            path.unlink()


def _record_files() -> None:
    """Add the files that numba has written to the checksums; without them they are compiled again."""
    with _LOCK:
        _recorded[0] = ended[0]
        for folder in _folders:
            _record_files_in(folder)


def _record_files_in(folder: Path) -> None:
    try:
        new = sorted({_digest(path) or "" for path in _files(folder)} - _known(folder))
        if new:
            with open(folder / _CHECKSUMS, "a") as file:
                file.write("".join(f"{one}\n" for one in new))
    except OSError as error:  # also of a file that another run has just replaced
        _folders[folder].fail(error)
