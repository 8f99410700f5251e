"""The interface of numba by which kernels are compiled: "tuned", "public", or "plain" for none.

"tuned" uses parts of numba that may change with any version; "public" uses only what numba's manual describes.
`CLIQUEWISE_NUMBA` chooses one of the two. The default is "tuned" with versions of numba that were tried, else "public".
With `NUMBA_DISABLE_JIT=1` kernels run as plain Python.
"""

from __future__ import annotations

import functools
import logging
import os
import re

LOG = logging.getLogger("cliquewise")
TRIED_VERSIONS = (0, 61), (0, 68)  # the first and the last numba whose internals `make matrix` has tried
CHOICES = ("tuned", "public")


@functools.cache
def mode() -> str:
    """The interface in this process: "tuned", "public" or "plain".

    Raises
    ------
    ValueError
        `CLIQUEWISE_NUMBA` names none.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "1":
        return "plain"
    chosen = os.environ.get("CLIQUEWISE_NUMBA", "")
    if chosen and chosen not in CHOICES:
        raise ValueError(f"CLIQUEWISE_NUMBA={chosen!r} in the environment: not {' or '.join(CHOICES)}")
    return chosen or ("tuned" if _was_tried(_installed()) else "public")


@functools.cache
def log_mode() -> None:
    """Log, once, that the public interface is used because this version of numba was not tried."""
    if not os.environ.get("CLIQUEWISE_NUMBA") and mode() == "public":
        first, last = (".".join(map(str, version)) for version in TRIED_VERSIONS)
        LOG.warning(
            "numba %s is not among those tried (%s to %s): its public interface alone is used, which compiles more "
            "slowly (CLIQUEWISE_NUMBA=public avoids this message)",
            _installed(),
            first,
            last,
        )


def _installed() -> str:
    """The version of numba."""
    import numba

    return numba.__version__


def _was_tried(version: str) -> bool:
    """Whether a version as in "0.68.1" lies between those tried."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and TRIED_VERSIONS[0] <= tuple(map(int, numbers.groups())) <= TRIED_VERSIONS[1]
