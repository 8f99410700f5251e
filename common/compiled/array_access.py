"""The code of accesses to arrays: elements, rows of matrices, shapes.

For each `a[i]` numba writes thirty instructions, because it stores the whole array on the stack to read its fields;
LLVM removes them again. Here the fields are taken from the array, with a quarter of the instructions.
Other accesses (slices, arrays that are not C-contiguous) are numba's.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.np.arrayobj import load_item, store_item

from .array_value import array_value

_ACCESSES = operator.getitem, operator.setitem


def access_of(context: Any, function: Any, signature: Any) -> Any:
    """What writes the code of an access to an element, or reads a row; None for any other call.

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
    if not isinstance(array, types.Array) or array.layout != "C":
        return None
    if not all(isinstance(of, types.Integer) for of in indices):
        return None
    reads = operation is operator.getitem
    if array.ndim == len(indices):
        return functools.partial(_read_element if reads else _write_element, context, array, indices, signature)
    if reads and array.ndim == 2:
        return functools.partial(_read_row, context, array, indices, signature)
    return None


def shape(context: Any, builder: Any, of: Any, array: Any, _attribute: str) -> Any:
    """The shape of an array."""
    return _field(context, builder, of, array, "shape")


def _read_element(context: Any, array: Any, indices: Any, _signature: Any, builder: Any, args: Any) -> Any:
    return load_item(context, builder, array, _address(context, builder, array, indices, *args))


def _read_row(context: Any, of: Any, indices: Any, signature: Any, builder: Any, args: Any) -> Any:
    matrix, index = args
    length = builder.extract_value(_field(context, builder, of, matrix, "shape"), 1)
    index = builder.extract_value(index, 0) if isinstance(signature.args[1], types.BaseTuple) else index
    start = builder.mul(_from_start(context, builder, indices[0], index, of, matrix, 0), length)
    data = builder.gep(_field(context, builder, of, matrix, "data"), [start])
    return array_value(context, builder, signature.return_type, data, [length])


def _write_element(context: Any, array: Any, indices: Any, signature: Any, builder: Any, args: Any) -> None:
    *place, value = args
    address = _address(context, builder, array, indices, *place)
    store_item(context, builder, array, context.cast(builder, value, signature.args[2], array.dtype), address)


def _address(context: Any, builder: Any, of: Any, indices: Any, array: Any, index: Any) -> Any:
    """The address of an element."""
    lengths = _field(context, builder, of, array, "shape")
    offset = None
    for axis, kind in enumerate(indices):
        number = builder.extract_value(index, axis) if of.ndim > 1 else index
        number = _from_start(context, builder, kind, number, of, array, axis)
        if offset is not None:
            number = builder.add(builder.mul(offset, builder.extract_value(lengths, axis)), number)
        offset = number
    return builder.gep(_field(context, builder, of, array, "data"), [offset])


def _from_start(context: Any, builder: Any, kind: Any, index: Any, of: Any, array: Any, axis: int) -> Any:
    """An index, which counts from the end if it is negative, as one that counts from the start."""
    index = context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
    if not kind.signed or (isinstance(index, ir.Constant) and index.constant >= 0):
        return index
    length = builder.extract_value(_field(context, builder, of, array, "shape"), axis)
    return builder.select(builder.icmp_signed("<", index, index.type(0)), builder.add(index, length), index)


def _field(context: Any, builder: Any, of: Any, array: Any, name: str) -> Any:
    model = context.data_model_manager[of]
    return builder.extract_value(array, model.get_field_position(name))
