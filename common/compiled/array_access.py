"""The code of accesses to arrays: an element is read or written, the shape is read.

For each `a[i]` numba writes thirty instructions, because it stores the whole array on the stack to read its fields;
LLVM removes them again. Here the fields are taken from the array, with a quarter of the instructions.
Other accesses (slices, rows, arrays that are not C-contiguous) are numba's.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.np.arrayobj import load_item, store_item

_ACCESSES = operator.getitem, operator.setitem


def access_of(context: Any, function: Any, signature: Any) -> Any:
    """What writes the code of an access to an element; None for any other call.

    Parameters
    ----------
    context : numba's target context
    function : numba's type of a function
    signature : numba's Signature

    Returns
    -------
    callable or None
        Of a builder and a tuple of arguments, as numba calls it.
    """
    operation = getattr(function, "typing_key", None)
    if operation not in _ACCESSES or context.enable_boundscheck:
        return None
    array, index, *_ = signature.args
    indices = getattr(index, "types", (index,))  # of a tuple
    is_element = isinstance(array, types.Array) and array.layout == "C" and array.ndim == len(indices)
    if not is_element or not all(isinstance(of, types.Integer) for of in indices):
        return None
    write = _read_element if operation is operator.getitem else _write_element
    return functools.partial(write, context, array, indices, signature)


def shape(context: Any, builder: Any, of: Any, array: Any, _attribute: str) -> Any:
    """The shape of an array."""
    return _field(context, builder, of, array, "shape")


def _read_element(context: Any, array: Any, indices: Any, _signature: Any, builder: Any, args: Any) -> Any:
    return load_item(context, builder, array, _address(context, builder, array, indices, *args))


def _write_element(context: Any, array: Any, indices: Any, signature: Any, builder: Any, args: Any) -> None:
    *place, value = args
    address = _address(context, builder, array, indices, *place)
    store_item(context, builder, array, context.cast(builder, value, signature.args[2], array.dtype), address)


def _address(context: Any, builder: Any, of: Any, indices: Any, array: Any, index: Any) -> Any:
    """The address of an element; a negative index counts from the end."""
    lengths = _field(context, builder, of, array, "shape")
    offset = None
    for axis, kind in enumerate(indices):
        number = builder.extract_value(index, axis) if of.ndim > 1 else index
        length = functools.partial(builder.extract_value, lengths, axis)
        number = context.cast(builder, number, kind, types.intp if kind.signed else types.uintp)
        if kind.signed and not (isinstance(number, ir.Constant) and number.constant >= 0):
            is_negative = builder.icmp_signed("<", number, number.type(0))
            number = builder.select(is_negative, builder.add(number, length()), number)
        offset = number if offset is None else builder.add(builder.mul(offset, length()), number)
    return builder.gep(_field(context, builder, of, array, "data"), [offset])


def _field(context: Any, builder: Any, of: Any, array: Any, name: str) -> Any:
    model = context.data_model_manager[of]
    return builder.extract_value(array, model.get_field_position(name))
