"""Records of arrays and numbers that are passed to kernels by address.

numba passes a NamedTuple by value, each array in it as five or more words: the dozen records of a search are hundreds
of words, stored and loaded again at every call that is not inlined. Here a record is in memory once, as constant words:
the address and shape of an array, the bits of a number, the address of a nested record. A call passes one address, and
a field is loaded where it is used. This makes the search a quarter faster, and kernels compile in four fifths of the
time.

Kernels can read records but not create them. The arrays are C-contiguous; their content may change. With
`NUMBA_DISABLE_JIT=1` a record is a plain NamedTuple.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from .mode import mode

if TYPE_CHECKING:
    from typing import Any

JIT = mode() != "plain"

if JIT:
    from llvmlite import ir
    from numba import typeof, types
    from numba.core.typing.templates import AttributeTemplate
    from numba.extending import (
        NativeValue,
        infer_getattr,
        lower_getattr_generic,
        models,
        register_model,
        typeof_impl,
        unbox,
    )

    from .array_value import array_value

    WORD = ir.IntType(64)

    def by_address(named_tuple: type) -> Any:
        """A class decorator: kernels take the NamedTuple class by address.

        Parameters
        ----------
        named_tuple
            Its fields are arrays, int, float, bool, other such records, or tuples of int.

        Returns
        -------
        class
            Like it, with the record's `address` for kernels.
        """

        class Record(named_tuple):
            __doc__ = named_tuple.__doc__

            @functools.cached_property
            def in_memory(self) -> np.ndarray:
                """The record's words, int64[any]."""
                return np.array([word for value in self for word in _words(value)], np.int64)

            @functools.cached_property
            def address(self) -> int:
                """The address of the words, int; valid while the record exists."""
                return _address(self.in_memory)

            @functools.cached_property
            def numba_type(self) -> RecordType:
                """The type that kernels are compiled for."""
                return RecordType(named_tuple.__name__, tuple(zip(self._fields, map(typeof, self), strict=True)))

        for name in ("__module__", "__name__", "__qualname__"):
            setattr(Record, name, getattr(named_tuple, name))
        typeof_impl.register(Record)(lambda record, _: record.numba_type)
        return Record

    def _address(array: np.ndarray) -> int:
        return array.__array_interface__["data"][0]

    def _words(value: Any) -> list[int]:
        """A field's value as words: a list of int."""
        if isinstance(value, np.ndarray):
            return [_address(value), *value.shape]
        if isinstance(value, float):
            return [int(np.float64(value).view(np.int64))]
        if hasattr(value, "address"):
            return [value.address]
        return list(value) if isinstance(value, tuple) else [int(value)]

    class RecordType(types.Type):
        """numba's type of a record.

        Parameters
        ----------
        title
        fields : tuple of (str, numba type)

        Raises
        ------
        TypeError
            A field that kernels could not read.
        """

        def __init__(self, title: str, fields: tuple[tuple[str, Any], ...]) -> None:
            self.fields = fields
            super().__init__(f"{title}({', '.join(f'{name}: {of}' for name, of in fields)})")
            for name, of in fields:
                contiguous = isinstance(of, types.Array) and of.layout == "C"
                number = of in (types.int64, types.float64, types.boolean)
                numbers = isinstance(of, types.UniTuple) and of.dtype is types.int64
                if not (contiguous or number or numbers or isinstance(of, RecordType)):
                    raise TypeError(f"{title}.{name} cannot be {of}")

        def find(self, attribute: str) -> tuple[Any, int | None]:
            """A field's type, and its first word; or (None, None)."""
            place = 0
            for name, of in self.fields:
                if name == attribute:
                    return of, place
                place += 1 + of.ndim if isinstance(of, types.Array) else getattr(of, "count", 1)
            return None, None

    register_model(RecordType)(models.OpaqueModel)  # an address

    def load(builder: Any, record: Any, place: int, kind: Any = WORD) -> Any:
        """A word of a record, as a value of LLVM."""
        words = builder.bitcast(record, WORD.as_pointer())
        word = builder.gep(words, [WORD(place)], inbounds=True)
        value = builder.load(builder.bitcast(word, kind.as_pointer()))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))  # one load for several uses
        return value

    @infer_getattr
    class _Fields(AttributeTemplate):
        """The types of fields, for numba."""

        key = RecordType

        def generic_resolve(self, record: RecordType, attribute: str) -> Any:
            """The type of a field."""
            return record.find(attribute)[0]

    @lower_getattr_generic(RecordType)
    def load_field(context: Any, builder: Any, record_type: Any, record: Any, attribute: str) -> Any:
        """The code that reads a field."""
        of, place = record_type.find(attribute)
        if isinstance(of, types.Array):
            shape = [load(builder, record, place + 1 + d) for d in range(of.ndim)]
            data = load(builder, record, place, context.get_data_type(of.dtype).as_pointer())
            return array_value(context, builder, of, data, shape)
        if isinstance(of, types.UniTuple):
            return context.make_tuple(builder, of, [load(builder, record, place + i) for i in range(of.count)])
        if of is types.boolean:
            return builder.trunc(load(builder, record, place), ir.IntType(1))
        return load(builder, record, place, context.get_value_type(of))

    @unbox(RecordType)
    def _unbox(_type: Any, record: Any, c: Any) -> Any:
        number = c.pyapi.object_getattr_string(record, "address")
        address = c.pyapi.long_as_voidptr(number)
        c.pyapi.decref(number)
        failed = c.builder.icmp_unsigned("!=", c.pyapi.err_occurred(), ir.Constant(c.pyapi.pyobj, None))
        return NativeValue(address, is_error=failed)

else:

    def by_address(named_tuple: type) -> Any:
        """Return the NamedTuple class unchanged."""
        return named_tuple
