"""Kernels as separate machine code, which other kernels call by a symbol.

numba compiles all that a kernel calls into its machine code. About ten kernels of a learner compute scores, and the
code for that would be optimised in each of them. The symbol of a kernel is made of its name and signature, so that
machine code of earlier runs finds it: `kernel_cache` stores with each kernel the others that it calls, and these are
loaded, or compiled, before it.

Cost: a call that the compiler cannot see into, a few nanoseconds.
"""

from __future__ import annotations

import copy
import hashlib
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary

KernelId = tuple[str, str, tuple]  # module, name and argument types of a kernel


class SharedLibrary(JITCodeLibrary):
    """No code: the kernel is elsewhere.

    Attributes
    ----------
    kernel_id : KernelId
    """

    kernel_id: KernelId

    def finalize(self) -> None:
        """Nothing is left to do."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class SharedCode:
    """The object that numba uses as the cache of a kernel that others call: it has every signature.

    Parameters
    ----------
    kernel : TunedKernel
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for a signature, as a declaration."""
        function, args = self._kernel.__wrapped__, tuple(sig)
        kernel_id = function.__module__, function.__name__, args
        symbol = _provide(self._kernel, kernel_id)
        done = self._kernel.outer.overloads[args]
        declared = copy.copy(done.fndesc)
        declared.mangled_name = symbol
        library = SharedLibrary(target_context.codegen(), symbol)
        library.kernel_id = kernel_id
        library.finalize()
        key: Any = [].copy  # as in `tuned`
        return done._replace(entry_point=key, fndesc=declared, library=library, metadata={})

    def save_overload(self, sig: Any, data: Any) -> None:
        """The machine code is in the kernel's own cache."""


def linked(library: Any) -> list:
    """The libraries of all kernels that the code of a library calls, also through others."""
    found: dict[Any, None] = {}
    waiting = [library]
    while waiting:
        new = [one for one in waiting.pop()._linking_libraries if one not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


def called_by(library: Any) -> list[KernelId]:
    """The shared kernels that the code of a library calls."""
    return sorted((one.kernel_id for one in linked(library) if isinstance(one, SharedLibrary)), key=repr)


def provide(kernel_ids: list[KernelId]) -> None:
    """Load or compile shared kernels, before machine code that calls them."""
    for kernel_id in kernel_ids:
        module, name, _ = kernel_id
        _provide(getattr(import_module(module), name), kernel_id)


def _provide(kernel: Any, kernel_id: KernelId) -> str:
    """Register a kernel's machine code under its symbol; returns the symbol."""
    module, name, args = kernel_id
    symbol = f"{module}.{name}.{hashlib.sha256(repr(args).encode()).hexdigest()[:16]}"
    kernel.outer.compile(args)
    done = kernel.outer.overloads[args]
    llvm.add_symbol(symbol, done.library.get_pointer_to_function(done.fndesc.llvm_func_name))
    return symbol
