"""The registries that numba loads before it runs machine code, without that of linear algebra.

That registry looks for BLAS, for which it imports 85 modules of scipy: 0.2 s, although no kernel here uses linear
algebra. Commands leave it out; in other programs, which may have such kernels, numba loads it as always.
"""

from __future__ import annotations

import sys
from typing import Any

_REGISTRY = "numba.np.arraymath"
_has_blas = True


def leave_out_blas() -> None:
    """Make numba behave as without BLAS; for a process in which only kernels of this suite run."""
    global _has_blas
    _has_blas = False


def are_loaded() -> bool:
    """Whether the registries have been loaded in this process."""
    return _REGISTRY in sys.modules


def load_registries(target_context: Any) -> None:
    """Load the registries of a target of numba."""
    if not _has_blas and not are_loaded():
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
