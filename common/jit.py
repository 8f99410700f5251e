"""The one place with numba settings: the `kernel` decorator and two bit instructions.

A kernel that Python calls is compiled together with all kernels that it calls, once, and kept on disk. By itself numba
compiles each of those kernels to machine code as well, which nobody runs, with all that it calls in turn: where calls
are ten deep, most of the work is done ten times. So a kernel is two functions of numba's. The one that Python calls is
an ordinary one; for the one that kernels call, compiling ends before the machine code (`InnerCompiler`).

* machine code is kept by `common.kernel_cache`, not by numba's `cache=True`. A change of this file compiles all anew.
* `nogil=True`: kernels run side by side in threads.
* `_nrt=False`: kernels allocate nothing, so no array is reference-counted. The atomic counting took half the
  time.
* `forceinline=False`: a kernel takes the setting over from the kernel that calls it, unless it has its own. Below an
  `inlined` function of three lines all of the scoring was copied into every caller, which doubled the time.
* no fastmath: minus infinity marks an infeasible score.
* `error_model="numpy"`: a division costs no branch; kernels divide by nothing that can be zero.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python, for coverage and bounds errors.
"""

import functools
import os

import numpy as np

from cliquewise.common.kernel_cache import KernelCache

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"

if JIT:
    from llvmlite import ir
    from numba import njit, types
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering
    from numba.extending import intrinsic

    _SETTINGS = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": False}

    class InnerLibrary(JITCodeLibrary):
        """The code of a kernel for its callers: linked into theirs, and optimised and translated only there."""

        def finalize(self):
            """Link the kernels that this one calls."""
            for library in dict.fromkeys(self._linking_libraries):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class InnerLowering(NativeLowering):
        """The last of numba's passes, without machine code."""

        _name = "inner_lowering"

        def run_pass(self, state):
            """Write the intermediate code and tell numba where callers find it."""
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            key = [].copy  # a builtin of its own, in place of the machine code: by it callers find the function
            state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
            state["cr"] = state.cr._replace(cfunc=key)
            return True

    class InnerCompiler(CompilerBase):
        """numba's compiler, up to the intermediate code."""

        def define_pipelines(self):
            """Its passes, the last one replaced."""
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.passes = [(InnerLowering if one is NativeLowering else one, why) for one, why in passes.passes]
            passes.finalize()
            return [passes]

    class Kernel:
        """A function on arrays and numbers, compiled when it is first called, from Python or from another kernel.

        Parameters
        ----------
        function : function
        **more
            Options of numba's, beside those of the module's docstring.

        Attributes
        ----------
        outer, inner : numba's Dispatcher
            The function as Python calls it, and as other kernels do.
        """

        def __init__(self, function, **more):
            functools.update_wrapper(self, function)
            self._options = _SETTINGS | more
            self.outer = njit(**self._options)(function)
            if function.__closure__ is None:  # else the source alone does not tell what it does
                self.outer._cache = KernelCache(function)

        def __call__(self, *args):
            """Run it, from Python."""
            return self.outer(*args)

        @functools.cached_property
        def inner(self):
            """Made when it is first needed: with all machine code on disk, never."""
            alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": InnerCompiler}
            return njit(**self._options, **alone)(self.__wrapped__)

        @property
        def _numba_type_(self):
            return self.inner._numba_type_

    kernel = Kernel

    def inlined(function):
        """Like `kernel`, for a few lines that every caller should contain."""
        return kernel(function, forceinline=True)

    @intrinsic
    def popcount(typing_context, word):
        """Number of one bits of a uint64, as int64."""

        def build(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), build

    @intrinsic
    def lowest_bit(typing_context, word):
        """Index of the lowest one bit of a non-zero uint64, as int64."""

        def build(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), build

else:

    def kernel(function):
        """Run as plain Python; words wrap and infinities cancel silently, as they do in machine code."""

        @functools.wraps(function)
        def wrapped(*args):
            with np.errstate(over="ignore", invalid="ignore"):
                return function(*args)

        return wrapped

    inlined = kernel

    def popcount(word):
        """Number of one bits of a uint64."""
        return int(word).bit_count()

    def lowest_bit(word):
        """Index of the lowest one bit of a non-zero uint64."""
        word = int(word)
        return (word & -word).bit_length() - 1
