"""The one place with numba settings: the `kernel` decorator and two bit instructions.

* machine code is kept by `common.kernel_cache`, not by numba's `cache=True`. A change of this file compiles all anew.
* `nogil=True`: kernels run side by side in threads.
* `_nrt=False`: kernels allocate nothing, so no array is reference-counted. The atomic counting took half the
  time.
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
    from numba.extending import intrinsic

    _SETTINGS = {"nogil": True, "error_model": "numpy", "_nrt": False}

    def kernel(function, **more):
        """Compile a function on arrays and numbers; see the module's docstring for the settings."""
        dispatcher = njit(**_SETTINGS, **more)(function)
        if function.__closure__ is None:  # else the source alone does not tell what it does
            dispatcher._cache = KernelCache(function)
        return dispatcher

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
