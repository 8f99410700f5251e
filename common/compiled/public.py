"""Kernels by numba's public interface, and its own cache in folders that only the user can reach.

numba's cache unpickles and runs any file that it finds, damaged or not, and checks no owner. So it gets a folder of
`cache_places` that is the user's and has mode 0700, and there only files whose SHA-256 was noted in `checksums` after
this program had written them: others are deleted before numba sees them. Without such a folder kernels are compiled in
each run. (A folder that root has filled for all is not used: numba wants to write.)
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.extending import models, register_model, typeof_impl

from .cache_places import Place, digest_of, places
from .compiling import KERNELS, ended

SETTINGS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_CHECKSUMS = "checksums"
_LOCK = threading.Lock()
_folders: dict[Path, Place] = {}  # those that numba has been given
_noted = [0]  # the compilations whose files are in the checksums


class PublicKernel:
    """A function on arrays and numbers, compiled at the first call, from Python or from another kernel.

    Parameters
    ----------
    function
    """

    def __init__(self, function: Callable) -> None:
        functools.update_wrapper(self, function)
        KERNELS.add(function)

    def __call__(self, *args: Any) -> Any:
        """Run the kernel, from Python."""
        try:
            return self.outer(*args)
        except OSError as error:  # of numba's cache: kernels have nothing to do with the system
            _disable(self.outer, error)
            self.outer = self._uncached()
            return self.outer(*args)
        finally:
            if ended[0] > _noted[0]:
                _note_files()

    @functools.cached_property
    def outer(self) -> Any:
        """For calls from Python: numba's Dispatcher, with a cache if there can be one."""
        function = self.__wrapped__
        return (_cached(function) if function.__closure__ is None else None) or self._uncached()

    def _uncached(self) -> Any:
        return numba.njit(**SETTINGS)(self.__wrapped__)

    @functools.cached_property
    def inner(self) -> Any:
        """For calls from other kernels: machine code of theirs includes it."""
        return numba.njit(no_cpython_wrapper=True, **SETTINGS)(self.__wrapped__)


class KernelType(types.Dispatcher):
    """numba's type of a kernel in a kernel, where a constant is an argument as any other: not compiled for each."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, also that of the compiled kernel."""
        named = {name: types.unliteral(of) for name, of in kws.items()}
        return super().get_call_type(context, tuple(map(types.unliteral, args)), named)


register_model(KernelType)(models.OpaqueModel)
typeof_impl.register(PublicKernel)(lambda kernel, _: KernelType(kernel.inner))


def _cached(function: Callable) -> Any:
    """A Dispatcher whose machine code is kept in the first place that can have a private folder; None without one."""
    name = f"{digest_of(Path(function.__code__.co_filename))}-public"
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
                kept = numba.njit(cache=True, **SETTINGS)(function)
            finally:
                numba.config.CACHE_DIR = before
            if Path(kept.stats.cache_path).is_relative_to(folder):  # numba looks for another one if it cannot write
                return kept
    return None


def _disable(dispatcher: Any, error: OSError) -> None:
    """Stop using the place of a dispatcher's cache; an error without a cache is raised again."""
    path = Path(getattr(dispatcher.stats, "cache_path", None) or "/")
    for folder, place in _folders.items():
        if path.is_relative_to(folder):
            place.fail(error)
            return
    raise error


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


def _note_files() -> None:
    """Add the files that numba has written to the checksums; without them they are compiled again."""
    with _LOCK:
        _noted[0] = ended[0]
        for folder, place in _folders.items():
            try:
                new = sorted({_digest(path) or "" for path in _files(folder)} - _known(folder))
                if new:
                    with open(folder / _CHECKSUMS, "a") as file:
                        file.write("".join(f"{one}\n" for one in new))
            except OSError as error:  # also of a file that another run has just replaced
                place.fail(error)
