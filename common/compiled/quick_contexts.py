"""Copies of numba's contexts that keep what they have found: signatures of functions, their code, sizes of types.

For each `a + b` of a kernel numba goes through all that `+` can mean, twice, and for each variable it has LLVM parse a
module to learn the size of its type. Kernels are compiled with these copies, which share all registrations with numba's
contexts; other functions in the same process are compiled as always.
"""

from __future__ import annotations

import copy
import functools
from types import BuiltinFunctionType
from typing import Any

from numba import types
from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack
from numba.core.typing import Context
from numba.extending import models, register_model

from .array_access import access_of, shape

_NUMBERS = types.Number, types.Boolean
_NOT_OF_ARRAYS = "__array__", "static_getitem", "static_setitem"  # functions of other classes
_sizes: dict[str, int] = {}  # bytes of LLVM types, by their text


class QuickFunction(types.Function):
    """numba's type of a built-in function, which keeps the signatures that it has found."""

    def __init__(self, templates: tuple) -> None:
        super().__init__(templates)
        self._kept: dict[tuple, Any] = {}
        self._prefers_literals = any(one.prefer_literal for one in templates)

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if kws or not all(isinstance(of, types.Type) for of in args):
            return super().get_call_type(context, args, kws)
        if not self._prefers_literals:
            plain = tuple(map(types.unliteral, args))
            if all(isinstance(of, _NUMBERS) for of in plain):  # numba tries these first, and they are enough
                args = plain
        key = tuple(args), ConfigStack.top_or_none()
        if (found := self._kept.get(key)) is None:
            found = self._kept[key] = super().get_call_type(context, args, kws)
        return found


register_model(QuickFunction)(models.OpaqueModel)
_quick_function = functools.cache(QuickFunction)


class QuickTyping(Context):
    """The typing context: built-in functions are `QuickFunction`."""

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a constant; of operators without trying what else they may be."""
        found = self._lookup_global(value) if isinstance(value, BuiltinFunctionType) else None
        found = super().resolve_value_type(value) if found is None else found
        return _quick_function(found.templates) if type(found) is types.Function else found

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if isinstance(function, BuiltinFunctionType):
            function = self.resolve_value_type(function)
        if isinstance(function, QuickFunction):
            return function.get_call_type(self, args, kws)
        return super().resolve_function_type(function, args, kws)


class QuickTarget(CPUContext):
    """The target context: it looks up each function once in a kernel, and measures each LLVM type once."""

    _kept: dict[tuple, Any]

    def subtarget(self, **more: Any) -> Any:
        """The context of one kernel."""
        found = super().subtarget(**more)
        found._kept = {}
        return found

    def get_function(self, function: Any, signature: Any, _firstcall: bool = True) -> Any:
        """What writes the code of a call."""
        if type(function) is str and function in _NOT_OF_ARRAYS and isinstance(signature.args[0], types.Array):
            raise NotImplementedError  # numba would look everywhere, at each access to an array
        key = function, signature
        if (found := self._kept.get(key)) is None:
            found = access_of(self, function, signature) or super().get_function(function, signature, _firstcall)
            self._kept[key] = found
        return found

    def get_getattr(self, of: Any, attribute: str) -> Any:
        """What writes the code that reads an attribute."""
        if attribute == "shape" and isinstance(of, types.Array):
            return shape
        return super().get_getattr(of, attribute)

    def get_abi_sizeof(self, of: Any) -> int:
        """The size of an LLVM type, in bytes."""
        text = str(of)
        if text not in _sizes:
            _sizes[text] = super().get_abi_sizeof(of)
        return _sizes[text]


@functools.cache
def quick_typing(context: Any) -> QuickTyping:
    """A copy of numba's typing context."""
    return _copy(context, QuickTyping)


def quick_target(context: Any) -> QuickTarget:
    """A copy of numba's target context."""
    quick = _copy(context, QuickTarget)
    quick.typing_context = quick_typing(context.typing_context)
    return quick


def _copy(context: Any, kind: type) -> Any:
    quick = copy.copy(context)
    quick.__class__ = kind
    return quick
