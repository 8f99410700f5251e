"""Resources of this machine: cores, memory, disk space."""

import contextlib
import os
import stat
import sys
from pathlib import Path

from cliquewise.common.errors import LimitError
from cliquewise.common.files.atomic_write import is_stdout

GIGABYTE = 1e9


def available_cores():
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory():
    """Bytes of memory that can be used without swapping, or None; the limit of a control group is included."""
    found = []
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")))
    with contextlib.suppress(OSError, ValueError, StopIteration):  # no limit: no such file, or the word `max`
        group = Path("/sys/fs/cgroup")
        bound = int((group / "memory.max").read_text())
        lines = (group / "memory.stat").read_text().splitlines()
        found.append(max(0, bound - next(int(line.split()[1]) for line in lines if line.startswith("anon "))))
    return min(found, default=None)


def resident_memory():
    """Current and peak memory of this process in bytes: (int, int); zeros if unknown."""
    with contextlib.suppress(OSError, KeyError, ValueError):
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        now, most = (1024 * int(lines[key].split()[0]) for key in ("VmRSS", "VmHWM"))
        return now, most
    return 0, 0


def check_fits(need, memory, what, advice):
    """Refuse what does not fit into memory.

    Parameters
    ----------
    need, memory : float
        Bytes.
    what, advice : str
        What needs them, and how to need less, for the message.

    Raises
    ------
    LimitError
    """
    if need > memory:
        told = f"{what} need {need / GIGABYTE:.3g} GB, {memory / GIGABYTE:.3g} GB may be used (--memory)"
        raise LimitError(f"{told}; {advice}" if advice else told)


def available_space(path):
    """Free disk space in bytes for a path (its folder) or standard output (None, `-`: the file it goes to).

    None for a pipe, a terminal or a device.
    """
    with contextlib.suppress(OSError, ValueError):
        if is_stdout(path):
            target = sys.stdout.fileno()
            if not stat.S_ISREG(os.fstat(target).st_mode):
                return None
        else:
            target = Path(path).resolve()
            if target.exists() and not target.is_file():
                return None
            target = target.parent
        free = os.statvfs(target)
        return free.f_bavail * free.f_frsize
    return None


def megabytes(count):
    """A number of bytes as text.

    >>> megabytes(21_000_000)
    '21 MB'
    """
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
