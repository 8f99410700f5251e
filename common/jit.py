"""The one place with numba settings: the `kernel` decorator, the compiled code's place on disk, two bit
instructions.

* `cache=True`: each command is a fresh process, so compiled code lives on disk, in `CLIQUEWISE_CACHE` or the
  user's cache folder (the package folder may be read-only), under a digest of the kernel's file and of all kernel
  files that it imports, directly or not: numba itself notices only changes of the file a kernel stands in. A change
  of one file leaves the machine code of the others as it is, and all installations of one version share it.
* `nogil=True`: kernels run side by side in threads.
* `_nrt=False`: kernels allocate nothing, so no array is reference-counted. The atomic counting took half the
  time.
* no fastmath: minus infinity marks an infeasible score.
* `error_model="numpy"`: a division costs no branch; kernels divide by nothing that can be zero.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python, for coverage and bounds errors.
"""

import contextlib
import functools
import hashlib
import logging
import os
import re
import tempfile
from pathlib import Path

import numpy as np

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"
LOG = logging.getLogger("cliquewise")


ROOT = Path(__file__).resolve().parent.parent
_IMPORTED = re.compile(rb"(?m)^\s*(?:from|import) ([\w.]+_kernels)\b")


def cache_base():
    """Where compiled kernels are kept: a Path, made if need be."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    base = os.environ.get("CLIQUEWISE_CACHE") or os.path.join(home, "cliquewise")
    for parent in (base, os.path.join(tempfile.gettempdir(), f"cliquewise-{os.getuid()}")):
        folder = Path(parent)
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return Path(tempfile.mkdtemp(prefix="cliquewise-"))


@functools.cache
def digest_of(file):
    """What the machine code of a kernel file depends on: a hexadecimal digest.

    Parameters
    ----------
    file : Path
        A kernel file of this program; the kernel files that it imports count too, and what those import.
    """
    content = file.read_bytes()
    digest = hashlib.sha256(content)
    for module in sorted(set(_IMPORTED.findall(content))):
        imported = ROOT.joinpath(*module.decode().split(".")).with_suffix(".py")
        digest.update(digest_of(imported).encode())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def digest_of_all():
    """A digest of all kernel files, however deep they lie."""
    files = sorted(ROOT.glob("[a-z]*/**/*_kernels.py"))  # no hidden folder, such as an environment's
    return hashlib.sha256("".join(map(digest_of, files)).encode()).hexdigest()[:16]


@contextlib.contextmanager
def announced(what):
    """Say on the log that kernels are being compiled, if this is the first time for `what` (a file-name-like str)."""
    mark = BASE / f"{what}-{digest_of_all()}.compiled" if JIT else None
    if mark is None or mark.exists():
        yield
        return
    LOG.info("compiling kernels (%s); this happens once and takes up to a minute", what)
    yield
    with contextlib.suppress(OSError):
        mark.touch()


if JIT:
    from llvmlite import ir
    from numba import config, njit, types
    from numba.extending import intrinsic

    BASE = cache_base()
    _SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

    class KernelLocator:
        """Tells numba where to keep a kernel's machine code: by the digest alone, wherever the program is installed.

        Parameters
        ----------
        function : function
        file : str
            Where it stands.
        """

        def __init__(self, function, file):
            self._digest = digest_of(Path(file))
            self._line = function.__code__.co_firstlineno

        @classmethod
        def from_function(cls, function, file):
            """The locator of a function, its folder made."""
            locator = cls(function, file)
            os.makedirs(locator.get_cache_path(), exist_ok=True)
            return locator

        def ensure_cache_path(self):
            """Make the folder again, if it has gone."""
            os.makedirs(self.get_cache_path(), exist_ok=True)

        def get_cache_path(self):
            """The folder, str."""
            return str(BASE / self._digest)

        def get_source_stamp(self):
            """What makes older machine code out of date, str."""
            return self._digest

        def get_disambiguator(self):
            """What tells functions of one name apart, str."""
            return str(self._line)

    def kernel(function, **more):
        """Compile a function on arrays and numbers; see the module's docstring for the settings."""
        config.CACHE_DIR = str(BASE / digest_of(Path(function.__code__.co_filename)))  # for a numba without locators
        config.CACHE_LOCATOR_CLASSES = f"{KernelLocator.__module__}.{KernelLocator.__name__}"
        try:
            dispatcher = njit(**_SETTINGS, **more)(function)
        finally:
            config.CACHE_LOCATOR_CLASSES = ""
        return dispatcher

    def inlined(function):
        """Like `kernel`, for a few lines that every caller should contain."""
        return kernel(function, forceinline=True)

    @intrinsic
    def popcount(typing_context, word):
        """Number of one bits of a uint64, as int64."""

        def build(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), build

    @intrinsic
    def lowest_bit(typing_context, word):
        """Index of the lowest one bit of a non-zero uint64, as int64."""

        def build(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), build

else:

    def kernel(function):
        """Run as plain Python; words wrap and infinities cancel silently, as they do in machine code."""

        @functools.wraps(function)
        def wrapped(*args):
            with np.errstate(over="ignore", invalid="ignore"):
                return function(*args)

        return wrapped

    inlined = kernel

    def popcount(word):
        """Number of one bits of a uint64."""
        return int(word).bit_count()

    def lowest_bit(word):
        """Index of the lowest one bit of a non-zero uint64."""
        word = int(word)
        return (word & -word).bit_length() - 1
