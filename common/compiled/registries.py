"""What numba loads before it runs machine code: its registries, among them that of linear algebra.

That one looks for BLAS, for which it imports 85 modules of scipy: 0.2 s of a command that has no kernel with linear
algebra. A command of this suite says so; in other programs, which may have such kernels, numba looks for it as always.
"""

from __future__ import annotations

import sys
from typing import Any

_REGISTRY = "numba.np.arraymath"
_has_blas = True


def leave_out_blas() -> None:
    """Tell numba that there is no BLAS; for a process in which only kernels of this suite run."""
    global _has_blas
    _has_blas = False


def load_registries(target_context: Any) -> None:
    """Load what a target of numba needs."""
    if not _has_blas and _REGISTRY not in sys.modules:
        from numba.np import linalg

        looks = linalg.ensure_blas
        linalg.ensure_blas = _no_blas
        try:
            import numba.np.arraymath  # noqa: F401
        finally:
            linalg.ensure_blas = looks
    target_context.refresh()


def _no_blas() -> None:
    raise ImportError("not looked for")
