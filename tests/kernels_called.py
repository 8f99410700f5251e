"""The kernels that a process has called, in the tuned mode."""

import sys

from cliquewise.common.compiled.tuned import SharedKernel, TunedKernel


def called():
    """Names and types of the kernels that were called or compiled.

    Without shared ones, which are compiled with those that call them, and loaded when these first call them.
    """
    found = set()
    for name in [name for name in sys.modules if name.endswith("_kernels")]:
        for kernel in vars(sys.modules[name]).values():
            if isinstance(kernel, TunedKernel) and not isinstance(kernel, SharedKernel) and "outer" in vars(kernel):
                found |= {(kernel.__name__, str(types)) for types in kernel.outer.overloads}
    return found
