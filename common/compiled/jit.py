"""The `kernel` decorator and two bit instructions.

A kernel is compiled at its first call, with all kernels that it calls, and cached on disk; a `shared` one is compiled
on its own, for large kernels that many others call. `mode` is the interface of numba that is used: `tuned`, or
`public`, which compiles all but short ones on their own. In both:

* `nogil=True`: kernels run in parallel in threads.
* no fastmath: minus infinity marks an infeasible score.
* `error_model="numpy"`: a division needs no branch; kernels never divide by a value that can be zero.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python, for coverage and bounds errors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .mode import mode

JIT = mode() != "plain"

if JIT:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    from .compiling import follow

    follow()
    if mode() == "tuned":
        from .tuned import SharedKernel as shared
        from .tuned import TunedKernel as kernel
        from .tuned import inlined
    else:
        from .public import PublicInlined as inlined
        from .public import PublicKernel as kernel
        from .public import PublicShared as shared

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

    inlined = shared = kernel

    def popcount(word: Any) -> Any:
        """Number of one bits of a uint64."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> Any:
        """Index of the lowest one bit of a non-zero uint64."""
        word = int(word)
        return (word & -word).bit_length() - 1
