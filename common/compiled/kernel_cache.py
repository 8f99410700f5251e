"""The cache of machine code behind tuned kernels, in place of numba's own.

There is one file per kernel and signature. A file begins with the SHA-256 of the rest, so that a truncated or damaged
file is detected, recompiled and replaced. It is written whole or not at all. numba has its own cache, but it checks
neither owner nor damage, and a full disk ends the run. Reading takes about 0.2 milliseconds per kernel, most of it in
numba. Which files are trusted: `cache_places`.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import pickle
import sys
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from .cache_places import digest_of, places
from .compile_lock import CompileLock
from .registries import load_registries

LOG = logging.getLogger("cliquewise")
_CHECKSUM = 32  # bytes


class KernelCache:
    """The cache object that numba reads machine code from and writes it to.

    Parameters
    ----------
    dispatcher : numba's Dispatcher
        The kernel.
    """

    def __init__(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        code = function.__code__
        self.cache_path = str(places()[0].folder / digest_of(Path(code.co_filename)))
        self._name = f"{digest_of(Path(code.co_filename))}/{function.__name__}-{code.co_firstlineno}"
        self._lock: CompileLock | None = None
        self._compile = dispatcher.compile

    def compile(self, sig: Any) -> Any:
        """Load or compile the kernel for a signature; the lock is released even if that fails."""
        with global_compiler_lock:  # one thread at a time, as in numba's compile
            try:
                return self._compile(sig)
            finally:
                if self._lock is not None:
                    self._lock.release()
                    self._lock = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for a signature, or None: then this process has to compile it."""
        load_registries(target_context)
        key = _key(sig, target_context.codegen())
        found = self._kept(key, target_context)
        if found is None:
            self._wait(self._file(key))
            found = self._kept(key, target_context)  # perhaps by another process
        return found

    def _kept(self, key: tuple, target_context: Any) -> Any:
        """The compiled kernel cached in some place, or None; places before that one get it, too."""
        for number, place in enumerate(places()):
            content = place.read(self._file(key))
            if content is None:
                continue
            try:
                found = _rebuilt(content, key, target_context)
            except Exception as error:  # any error from a damaged pickle or another version of numba
                LOG.debug("%s/%s is recompiled: %r", place.folder, self._file(key), error)
                continue
            for before in places()[:number]:
                before.copy(self._file(key), content)
            return found
        return None

    def _wait(self, name: str) -> None:
        """Take the lock of a kernel, after waiting for a process that compiles it."""
        self._lock = next(filter(None, (place.lock(name) for place in places())), None)
        if self._lock is not None:
            self._lock.take()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a kernel compiled for a signature, if possible."""
        from numba.core.serialize import dumps

        try:
            if data.lifted or data.library.has_dynamic_globals:  # code that is valid only in this process
                return
            key = _key(sig, data.codegen)
            content = dumps((key, data._reduce()))
        except Exception as error:
            _warn_of_numba(repr(error))
            return
        content = hashlib.sha256(content).digest() + content
        any(place.write(self._file(key), content) for place in places())

    def flush(self) -> None:
        """Nothing is buffered."""

    def _file(self, key: tuple) -> str:
        return f"{self._name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.code"


def keep_on_disk(dispatcher: Any) -> None:
    """Let a kernel, numba's Dispatcher, use a KernelCache from now on."""
    cache = KernelCache(dispatcher)
    dispatcher._cache, dispatcher.compile = cache, cache.compile


@functools.cache
def _warn_of_numba(error: str) -> None:
    """A warning, the first time."""
    LOG.warning("compiled kernels cannot be kept with this version of numba (%s); each run compiles again", error)


def _key(sig: Any, codegen: Any) -> tuple:
    """The key of machine code from one source: signature, processor, versions of numba and Python."""
    import numba

    return sig, codegen.magic_tuple(), numba.__version__, sys.implementation.cache_tag


def _rebuilt(content: bytes, key: tuple, target_context: Any) -> Any:
    """The compiled kernel in a file's content, for numba."""
    from numba.core.compiler import CompileResult

    if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        raise ValueError("damaged")
    kept, parts = pickle.loads(content[_CHECKSUM:])
    if kept != key:
        raise ValueError("for another signature")
    return CompileResult._rebuild(target_context, *parts)
