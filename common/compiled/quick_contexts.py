"""Caches for numba's repeated look-ups while it compiles kernels: signatures of functions, sizes of types.

For each `a + b` of a kernel numba goes through all that `+` can mean, and for each variable it has LLVM parse a module
to learn the size of its type. Kernels are compiled with copies of numba's contexts, which keep the answers; other
functions in the same process are compiled as always.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

from numba import types
from numba.core.targetconfig import ConfigStack

_sizes: dict[str, int] = {}  # bytes of LLVM types, by their text


@functools.cache
def quick_typing(context: Any) -> Any:
    """A copy of numba's typing context that keeps the signatures it has found for built-in functions.

    They share their registrations.
    """
    kept: dict[tuple, Any] = {}
    quick, resolve = copy.copy(context), context.resolve_function_type

    def resolve_function_type(function: Any, args: Any, kws: Any) -> Any:
        is_builtin = isinstance(function, types.Function) or not isinstance(function, types.Type)
        if kws or not is_builtin or not all(isinstance(of, types.Type) for of in args):
            return resolve(function, args, kws)
        key = function, tuple(args), ConfigStack.top_or_none()
        if (found := kept.get(key)) is None:
            found = kept[key] = resolve(function, args, kws)
        return found

    quick.resolve_function_type = resolve_function_type
    return quick


def quick_target(context: Any) -> Any:
    """A copy of numba's target context that measures each LLVM type once."""
    quick, measure = copy.copy(context), context.get_abi_sizeof

    def size_of(of: Any) -> int:
        text = str(of)
        if text not in _sizes:
            _sizes[text] = measure(of)
        return _sizes[text]

    quick.get_abi_sizeof = size_of
    return quick
