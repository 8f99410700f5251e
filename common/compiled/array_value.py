"""An array in a kernel, from an address and a shape: a field of a record, or a row of a matrix."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba import types


def array_value(context: Any, builder: Any, of: Any, data: Any, shape: list) -> Any:
    """A C-contiguous array that no one counts references of.

    Parameters
    ----------
    of : numba's type of the array
    data : LLVM value, the address of the first element
    shape : list of LLVM value

    Returns
    -------
    LLVM value
    """
    word = context.get_value_type(types.intp)
    size = context.get_abi_sizeof(context.get_data_type(of.dtype))
    of_words = functools.partial(context.make_tuple, builder, types.UniTuple(types.intp, of.ndim))
    strides = [word(size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length, flags=["nsw"]))
    count = functools.reduce(lambda one, more: builder.mul(one, more, flags=["nsw"]), shape)
    fields = {"nitems": count, "itemsize": word(size), "data": data}
    fields |= {"shape": of_words(shape), "strides": of_words(strides)}
    model = context.data_model_manager[of]
    array = ir.Constant(context.get_value_type(of), None)
    for name, value in fields.items():
        array = builder.insert_value(array, value, model.get_field_position(name))
    return array
