"""Calls from kernels to others that are compiled on their own: to `shared` ones, in the public mode to all long ones.

numba puts all that a kernel calls into its machine code, which is optimised there again. With calls ten deep that is
most of a first run. Here a kernel is compiled once and called by its address, which the caller's code keeps in a word.
The word is zero until the first call, which asks `_address_of`, a function in Python: so machine code from disk can run
whatever was loaded before it.

Cost: a call that the compiler cannot see into, a few nanoseconds. So short kernels are not called in this way: with all
of them a search with cliques of at most 5 took a quarter longer.
"""

from __future__ import annotations

import base64
import ctypes
import functools
import inspect
import os
import pickle
import sys
import threading
import traceback
from _thread import interrupt_main
from collections.abc import Callable
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model

_SYMBOL = "cliquewise_address_of_kernel"
_BYTE, _WORD = ir.IntType(8), ir.IntType(64)


class CalledByAddress:
    """A kernel that other kernels call by its address.

    Attributes
    ----------
    called : numba's Dispatcher
        With a wrapper for C.
    """

    called: Any

    def compiled(self, args: tuple) -> Any:
        """The kernel for types of arguments."""
        self.called.compile(args)
        return self.called.overloads[args]

    def address(self, args: tuple) -> int:
        """The address of the kernel for types of arguments, called as from C."""
        found = self.compiled(args)
        return found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)


class CalledType(types.Callable, types.Opaque):
    """numba's type of a kernel that is called by its address; a constant is an argument as any other.

    Parameters
    ----------
    kernel : CalledByAddress
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.python = inspect.signature(kernel.__wrapped__)
        super().__init__(f"kernel {kernel.__module__}.{kernel.__name__}")

    @property
    def key(self) -> Any:
        """What makes two types equal: the kernel, of which a process may load another one of the same name."""
        return self.kernel

    def get_call_type(self, _context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, also that of the compiled kernel."""
        of = tuple(map(types.unliteral, self.python.bind(*args, **kws).args))
        return self.kernel.compiled(of).signature.replace(pysig=self.python)

    def get_call_signatures(self) -> tuple:
        """The signatures, for messages."""
        return self.kernel.called.nopython_signatures, True

    def get_impl_key(self, signature: Any) -> Callable:
        """What numba finds the code of a call by."""
        return _call_of(self.kernel.__module__, self.kernel.__name__, signature.args)


register_model(CalledType)(models.OpaqueModel)


@functools.cache
def _call_of(module: str, name: str, args: tuple) -> Callable:
    """What writes the code of a call, registered with numba."""
    kernel_id = id_of(module, name, args) + b"\0"

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        value_type = context.get_value_type
        kind = ir.FunctionType(value_type(signature.return_type), list(map(value_type, signature.args)))
        address = _constant(builder.module, f"address of {name}", _WORD(0), changes=True)
        text = ir.Constant(ir.ArrayType(_BYTE, len(kernel_id)), bytearray(kernel_id))
        words = _constant(builder.module, f"id of {name}", text).bitcast(_BYTE.as_pointer())
        before = builder.block
        look, ask, call = map(builder.append_basic_block, ("look", "ask", "call"))
        builder.branch(look)
        builder.position_at_end(look)
        again = builder.phi(_BYTE)
        again.add_incoming(_BYTE(0), before)
        again.add_incoming(_BYTE(1), ask)
        found = builder.load(address)
        builder.cbranch(builder.icmp_unsigned("==", found, _WORD(0)), ask, call)
        builder.position_at_end(ask)
        asked = ir.FunctionType(_WORD, [_BYTE.as_pointer(), _BYTE])
        asks = builder.module.globals.get(_SYMBOL) or ir.Function(builder.module, asked, _SYMBOL)
        builder.store(builder.call(asks, [words, again]), address)
        builder.branch(look)
        builder.position_at_end(call)
        return builder.call(builder.inttoptr(found, kind.as_pointer()), values)

    lower_builtin(build, *args)(build)
    return build


def id_of(module: str, name: str, args: tuple) -> bytes:
    """A kernel for types of arguments, in machine code: text of one line."""
    return base64.b64encode(pickle.dumps((module, name, args)))


def _constant(module: Any, name: str, value: Any, changes: bool = False) -> Any:
    """A variable of a module."""
    found = ir.GlobalVariable(module, value.type, module.get_unique_name(name))
    found.initializer, found.linkage, found.global_constant = value, "internal", not changes
    return found


def _address_of(kernel_id: bytes, again: int) -> int:
    """The address of a kernel's machine code, loaded or compiled; machine code calls this.

    No exception can pass through machine code. A signal can raise one before the first line here; then the same is
    asked `again`, and the main thread is interrupted once more, soon.
    """
    if again:
        threading.Timer(0.1, interrupt_main).start()
    try:
        module, name, args = pickle.loads(base64.b64decode(kernel_id))
        return getattr(import_module(module), name).address(args)
    except KeyboardInterrupt:
        return 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


_function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint8)(_address_of)
llvm.add_symbol(_SYMBOL, ctypes.cast(_function, ctypes.c_void_p).value)
