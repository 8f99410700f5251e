"""Resources of this machine: cores, memory, disk space."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import stat
import sys
from typing import TYPE_CHECKING

from ..errors import LimitError
from ..files.atomic_write import is_stdout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..data.dataset import Dataset

GIGABYTE = 1e9
ROW = 64  # bytes of working arrays, for each row of a pass over data
_bounds: list[float | None] = []  # bytes, of the contexts `memory_bound` that are open


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int | None:
    """Bytes of memory that can be used without swapping, at least 1, or None; also within the limits of a batch system.

    These are the limit of a control group, of this process or above it, and that on the addresses of a process
    (`ulimit -v`).
    """
    found = []
    with contextlib.suppress(OSError, ValueError, StopIteration):
        found.append(1024 * _number_after("MemAvailable:", "/proc/meminfo"))
    for folder, limit, used in _control_groups():
        with contextlib.suppress(OSError, ValueError, StopIteration):  # no limit: no such file, or the word `max`
            bound = int(_text(f"{folder}/{limit}"))
            found.append(max(1, bound - _number_after(used, f"{folder}/memory.stat")))
    addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
    with contextlib.suppress(OSError, ValueError, StopIteration):
        if addresses != resource.RLIM_INFINITY:
            found.append(max(1, addresses - _of_process("VmSize:")))
    return min(found, default=None)


def _control_groups() -> Iterator[tuple[str, str, str]]:
    """The folder of each control group that this process is in, and its names of the limit and of the memory in use.

    A line of the list is `0::/path`, or `4:memory:/path` in version 1. A container sees its own group as the root, and
    perhaps a path that it does not have.
    """
    lines = ["0::/"]
    with contextlib.suppress(OSError):
        lines += _text("/proc/self/cgroup").splitlines()
    for line in dict.fromkeys(lines):
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        root = "/sys/fs/cgroup/memory" if kinds else "/sys/fs/cgroup"
        names = ("memory.limit_in_bytes", "total_rss ") if kinds else ("memory.max", "anon ")
        parts = path.strip("/").split("/") if path != "/" else []
        for k in range(len(parts) + 1):
            yield ("/".join([root, *parts[:k]]), *names)


def _number_after(word: str, path: str) -> int:
    """The number after a word that begins a line of a file; StopIteration if there is none."""
    return next(int(line.split()[1]) for line in _text(path).splitlines() if line.startswith(word))


def _of_process(word: str) -> int:
    """The memory of this process in bytes, by a line of its status; StopIteration if there is none."""
    return 1024 * _number_after(word, "/proc/self/status")


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def resident_memory() -> tuple[int, int]:
    """Current and peak memory of this process in bytes: (int, int); zeros if unknown."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        return _of_process("VmRSS:"), _of_process("VmHWM:")
    return 0, 0


@contextlib.contextmanager
def memory_bound(count: float | None) -> Iterator[None]:
    """A context, the run of a command, in which tables may take `count` bytes; None is the free memory."""
    _bounds.append(count)
    try:
        yield
    finally:
        _bounds.pop()


def usable_memory() -> float:
    """Bytes that tables may take: those of `memory_bound`, or else the free memory; infinite if that is unknown."""
    return _bounds and _bounds[-1] or available_memory() or math.inf


def bytes_of_pass(data: Dataset) -> int:
    """Bytes of a pass over the rows of a Dataset: three copies of them, and the working arrays."""
    return data.n_stored * (12 * data.n + ROW)


def check_rows(data: Dataset) -> None:
    """Refuse data if there is no memory to pass over their rows: for three copies of them, and the working arrays.

    Raises
    ------
    LimitError
    """
    rows = data.n_stored
    check_fits(bytes_of_pass(data), None, f"{rows} rows of {data.n} variables", "use fewer rows or columns")


def check_fits(need: float, memory: float | None, what: str, advice: str) -> None:
    """Refuse tables that do not fit into memory.

    Parameters
    ----------
    need
        Bytes.
    memory
        Bytes; None is `usable_memory`.
    what, advice
        The purpose of the memory, and advice to need less, for the message.

    Raises
    ------
    LimitError
    """
    memory = memory or usable_memory()
    if need > memory:
        # an integer may be too large for a float
        needed = f"{need / GIGABYTE:.3g}" if need < 1e300 else f"about 10^{math.log10(need) - 9:.0f}"
        message = f"{what} need {needed} GB, {memory / GIGABYTE:.3g} GB may be used (--memory)"
        raise LimitError(f"{message}; {advice}" if advice else message)


def available_space(path: str | os.PathLike[str] | None) -> int | None:
    """Free disk space in bytes for a path (its folder) or standard output (None, `-`: the file it goes to).

    None for a pipe, a terminal or a device.
    """
    with contextlib.suppress(OSError, ValueError):
        if is_stdout(path):
            target: int | str = sys.stdout.fileno()
            if not stat.S_ISREG(os.stat(target).st_mode):
                return None
        else:
            assert path is not None
            if os.path.exists(path) and not os.path.isfile(path):
                return None
            target = os.path.dirname(os.path.realpath(path))
        free = os.statvfs(target)
        return free.f_bavail * free.f_frsize
    return None


def megabytes(count: float) -> str:
    """A number of bytes as text.

    >>> megabytes(21_000_000)
    '21 MB'
    """
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
