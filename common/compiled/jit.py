"""All numba settings: the `kernel` decorator and two bit instructions.

A kernel that Python calls is compiled once, together with all kernels that it calls, and cached on disk. By default
numba also compiles each of the called kernels to machine code that is never run, with everything it calls in turn: with
calls ten deep, most of the work is done ten times. So a kernel consists of two numba functions. The one that Python
calls is an ordinary one; for the one that kernels call, compilation ends before the machine code (`InnerCompiler`).

* machine code is cached by `common.compiled.kernel_cache`, not by numba's `cache=True`. A change of this file
  recompiles all.
* `nogil=True`: kernels run in parallel in threads.
* `_nrt=False`: kernels allocate nothing, so no array is reference-counted. The atomic counting took half the
  time.
* `forceinline=False`: a kernel inherits the setting from the kernel that calls it, unless it has its own. Otherwise an
  `inlined` function of three lines copied all of the scoring into every caller, which doubled the time.
* no fastmath: minus infinity marks an infeasible score.
* `error_model="numpy"`: a division needs no branch; kernels never divide by a value that can be zero.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python, for coverage and bounds errors.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import numpy as np

from .kernel_cache import KernelCache, compiling

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"

if JIT:
    from llvmlite import ir
    from numba import njit, types
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.event import Event, Listener, register
    from numba.core.typed_passes import NativeLowering
    from numba.extending import intrinsic

    _SETTINGS = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": False}

    class Compilations(Listener):
        """Keeps the compilations that go on, of all threads; also those that fail come to an end."""

        def on_start(self, event: Event) -> None:
            """One begins; numba holds its lock."""
            compiling.append(event)

        def on_end(self, event: Event) -> None:
            """It ends."""
            compiling.pop()

    register("numba:compile", Compilations())

    class InnerLibrary(JITCodeLibrary):
        """The code of a kernel for its callers: it is linked into theirs, and only there optimised and compiled."""

        def finalize(self) -> None:
            """Link the kernels that this one calls."""
            for library in dict.fromkeys(self._linking_libraries):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class InnerLowering(NativeLowering):
        """The last numba pass, without machine code."""

        _name = "inner_lowering"

        def run_pass(self, state: Any) -> bool:
            """Write the intermediate code and register it for callers."""
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            key = [].copy  # a unique builtin instead of the machine code: it identifies the function for callers
            state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
            state["cr"] = state.cr._replace(cfunc=key)
            return True

    class InnerCompiler(CompilerBase):
        """numba's compiler, up to the intermediate code."""

        def define_pipelines(self) -> list:
            """The passes, with the last one replaced."""
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.passes = [(InnerLowering if one is NativeLowering else one, why) for one, why in passes.passes]
            passes.finalize()
            return [passes]

    class Kernel:
        """A function on arrays and numbers, compiled at the first call, from Python or from another kernel.

        Parameters
        ----------
        function
        **more
            Further numba options, besides those of the module's docstring.

        Attributes
        ----------
        outer, inner : numba's Dispatcher
            The function for calls from Python, and for calls from other kernels.
        """

        def __init__(self, function: Callable, **more: Any) -> None:
            functools.update_wrapper(self, function)
            self._options = _SETTINGS | more
            self.outer = njit(**self._options)(function)
            if function.__closure__ is None:  # otherwise the source alone does not define the function
                self.outer._cache = KernelCache(function)

        def __call__(self, *args: Any) -> Any:
            """Run the kernel, from Python."""
            return self.outer(*args)

        @functools.cached_property
        def inner(self) -> Any:
            """Created when first needed: never, if all machine code is on disk."""
            alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": InnerCompiler}
            return njit(**self._options, **alone)(self.__wrapped__)

        @property
        def _numba_type_(self) -> Any:
            return self.inner._numba_type_

    kernel = Kernel

    def inlined(function: Callable) -> Kernel:
        """Like `kernel`, for short functions that should be inlined into every caller."""
        return kernel(function, forceinline=True)

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:
        """Number of one bits of a uint64, as int64."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), build

    @intrinsic
    def lowest_bit(typing_context: Any, word: Any) -> Any:
        """Index of the lowest one bit of a non-zero uint64, as int64."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), build

else:

    def kernel(function: Callable) -> Callable:
        """Run as plain Python; words wrap and infinities cancel silently, as in machine code."""

        @functools.wraps(function)
        def wrapped(*args: Any) -> Any:
            with np.errstate(over="ignore", invalid="ignore"):
                return function(*args)

        return wrapped

    inlined = kernel

    def popcount(word: Any) -> Any:
        """Number of one bits of a uint64."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> Any:
        """Index of the lowest one bit of a non-zero uint64."""
        word = int(word)
        return (word & -word).bit_length() - 1
