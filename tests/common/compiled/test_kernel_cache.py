"""The cache of tuned kernels: its places and digests, and that nothing is executed that others could have written."""

import ast
import errno
import hashlib
import importlib.util
import logging
import os
import pickle
import resource
import shutil
import sys
import threading
from pathlib import Path

import pytest

from cliquewise.common.compiled import cache_places, compile_lock, compiling, kernel_cache
from cliquewise.common.compiled.compile_lock import CompileLock
from cliquewise.common.compiled.mode import mode
from tests.commands import ROOT, program_files, run_process

TINY = (
    "from cliquewise.common.compiled.tuned import TunedKernel as kernel\n\n\n@kernel\ndef twice(x):\n    return 2 * x\n"
)
CALLING = (
    "from cliquewise.common.compiled.tuned import SharedKernel as shared, TunedKernel as kernel\n\n\n"
    "@shared\ndef product(x, y):\n    return x * y\n\n\n@kernel\ndef twice(x):\n    return product(2, x)\n"
)
tuned = pytest.mark.skipif(mode() != "tuned", reason="numba's own cache is used")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def tree(tmp_path):
    """Kernel files at several depths: a/deep/top imports a/deep/middle, which imports base; beside stands apart."""
    files = {
        "a/deep/top_kernels.py": "from . import middle_kernels\n\n\n@middle_kernels.middle\ndef top():\n    pass\n",
        "a/deep/middle_kernels.py": '"""Its use."""\n\nfrom ...base.base_kernels import (\n    base,\n)\n',
        "base/base_kernels.py": "base = 1\n",
        "base/beside_kernels.py": "beside = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    cache_places.digest_of.cache_clear()
    yield tmp_path
    cache_places.digest_of.cache_clear()


def digests(tree):
    """The digest of each kernel file, by its name."""
    cache_places.digest_of.cache_clear()
    return {file.stem: cache_places.digest_of(file) for file in tree.rglob("*_kernels.py")}


@pytest.mark.parametrize(
    "changed, depending",
    [
        ("base/base_kernels.py", {"base_kernels", "middle_kernels", "top_kernels"}),
        ("base/beside_kernels.py", {"beside_kernels"}),
        ("a/deep/middle_kernels.py", {"middle_kernels", "top_kernels"}),
        ("a/deep/top_kernels.py", {"top_kernels"}),
    ],
)
def test_a_digest_changes_with_what_a_kernel_imports(tree, changed, depending):
    before = digests(tree)
    (tree / changed).write_text((tree / changed).read_text() + "# changed\n")
    after = digests(tree)
    assert {name for name in before if before[name] != after[name]} == depending


def test_every_import_of_a_kernel_file_is_seen():
    """Of the program; the names with which modules were imported tell which files that are."""
    paths = [path for path in program_files() if path.name.endswith("_kernels.py")]
    assert len(paths) > 20
    for path in paths:
        name = "cliquewise." + ".".join(path.with_suffix("").parts)
        tree = ast.parse((ROOT / path).read_bytes())
        package, expected = name.rpartition(".")[0], set()
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Import) or not any("_kernels" in one.name for one in node.names), path
            if isinstance(node, ast.ImportFrom):
                module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                expected.update(one for one in (module, *(f"{module}.{alias.name}" for alias in node.names)))
        files = {ROOT.joinpath(*one.split(".")[1:]).with_suffix(".py") for one in expected if one.endswith("_kernels")}
        found = cache_places._imported_kernels(ROOT / path, (ROOT / path).read_bytes())
        assert found == files and all(file.is_file() for file in found), path


class Tiny:
    """A kernel file of its own with its places: `folder`, and `temporary` for what that does not take."""

    def __init__(self, base, monkeypatch, text=TINY):
        self.file = base / "tiny_kernels.py"
        self.file.write_text(text)
        self.folder, self.temporary = base / "mine", base / f"cliquewise-{os.geteuid()}"
        self.monkeypatch = monkeypatch
        monkeypatch.setenv("CLIQUEWISE_CACHE", str(self.folder))
        monkeypatch.setattr("tempfile.tempdir", str(base))

    def loaded(self):
        """Calls the kernel like a new process; returns whether its machine code was found."""
        cache_places.places.cache_clear()
        cache_places.digest_of.cache_clear()
        kernel_cache._warn_of_numba.cache_clear()
        spec = importlib.util.spec_from_file_location("tiny_kernels", self.file)
        module = importlib.util.module_from_spec(spec)
        self.monkeypatch.setitem(sys.modules, "tiny_kernels", module)
        spec.loader.exec_module(module)
        assert module.twice(4) == 8
        return sum(module.twice.outer.stats.cache_hits.values()) == 1

    def code(self, folder=None):
        """The one file of machine code."""
        (file,) = (folder or self.folder).glob("*/*.code")
        return file


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    if mode() != "tuned":
        pytest.skip("numba's own cache is used")
    import cliquewise.common.compiled.jit  # noqa: F401  then numba tells of its compilations

    compiling.announce()  # which happens once
    yield Tiny(tmp_path, monkeypatch)
    cache_places.places.cache_clear()


@pytest.fixture
def log(monkeypatch):
    """The log messages, one text per record."""
    messages, handler = [], logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    monkeypatch.setattr(kernel_cache.LOG, "handlers", [handler])
    before = kernel_cache.LOG.level
    kernel_cache.LOG.setLevel(logging.INFO)  # not by monkeypatch: a logger remembers what it has decided
    yield messages
    kernel_cache.LOG.setLevel(before)


class Planted:
    """Makes a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def planted(mark):
    """A pickle that makes `mark`."""
    return pickle.dumps(Planted(mark))


def plant(file, mark):
    """Put such a pickle instead of machine code."""
    content = planted(mark)
    file.write_bytes(hashlib.sha256(content).digest() + content)


def test_machine_code_is_kept_for_the_user_alone(tiny, log):
    old = os.umask(0)
    try:
        assert not tiny.loaded() and tiny.loaded() and log == []
    finally:
        os.umask(old)
    modes = [path.stat().st_mode & 0o777 for path in (tiny.folder, tiny.code().parent, tiny.code())]
    assert modes == [0o700, 0o700, 0o600] and not tiny.temporary.exists()
    tiny.file.write_text(TINY + "# changed\n")
    assert not tiny.loaded()


def test_a_kernel_whose_machine_code_another_calls_is_found_or_compiled(tiny):
    """Each is in a file of its own; that of the caller is no use without the other."""
    tiny.file.write_text(CALLING)
    assert not tiny.loaded() and tiny.loaded()
    product, twice = sorted(tiny.folder.glob("*/*.code"))
    assert product.name.startswith("product-") and twice.name.startswith("twice-")
    product.unlink()
    assert tiny.loaded() and product.exists()
    product.write_bytes(b"damaged")
    assert tiny.loaded() and product.read_bytes() != b"damaged"


def test_a_kernel_that_another_process_compiles_is_waited_for(tiny):
    """It is not compiled twice, and the lock is gone then."""
    tiny.loaded()
    code = tiny.code()
    content, lock = code.read_bytes(), CompileLock(code.with_name(f"{code.name}.lock"))
    code.unlink()
    lock.take()

    def end():
        code.write_bytes(content)
        lock.release()

    threading.Timer(0.3, end).start()
    assert tiny.loaded() and not list(tiny.folder.glob("*/*.lock"))


@pytest.mark.parametrize("text", [TINY, CALLING])
def test_a_compilation_that_fails_leaves_no_lock(tiny, text):
    """Others would wait for it."""
    tiny.file.write_text(text.replace("return 2", "return x.nothing").replace("return x *", "return x.nothing *"))
    with pytest.raises(Exception, match="nothing"):
        tiny.loaded()
    assert list(tiny.folder.glob("*")) and not list(tiny.folder.glob("*/*"))
    tiny.file.write_text(text)
    assert not tiny.loaded() and tiny.loaded()


def test_a_process_that_compiles_for_too_long_is_not_waited_for(tiny, monkeypatch):
    tiny.loaded()
    code = tiny.code()
    lock = CompileLock(code.with_name(f"{code.name}.lock"))
    lock.take()
    code.unlink()
    monkeypatch.setattr(compile_lock, "MAX_WAIT", 0.1)
    assert not tiny.loaded() and code.exists()
    lock.release()


def test_files_of_the_user_are_trusted(tiny, tmp_path):
    """That planted code would run at all, or the tests below show nothing."""
    tiny.loaded()
    plant(tiny.code(), tmp_path / "mark")
    tiny.loaded()
    assert (tmp_path / "mark").exists()


@pytest.mark.fast_cases(9)
@pytest.mark.parametrize("bits", [0o777, 0o770, 0o707, 0o720, 0o1777])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_nothing_is_read_that_others_can_write(tiny, log, tmp_path, bits, depth):
    tiny.loaded()
    plant(tiny.code(), tmp_path / "mark")
    refused = [tiny.folder, tiny.code().parent, tiny.code()][depth]
    refused.chmod(bits)
    assert not tiny.loaded() and not (tmp_path / "mark").exists()
    assert log[0].startswith(f"{refused}: can be written by others (mode {bits & 0o777:04o})")
    if depth < 2:  # kept elsewhere
        assert tiny.temporary.stat().st_mode & 0o777 == 0o700 and tiny.loaded()


@as_root
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_nothing_is_read_that_belongs_to_others(tiny, log, tmp_path, depth):
    tiny.loaded()
    plant(tiny.code(), tmp_path / "mark")
    refused = [tiny.folder, tiny.code().parent, tiny.code()][depth]
    os.chown(refused, 12345, 12345)
    assert not tiny.loaded() and not (tmp_path / "mark").exists()
    assert log[0].startswith(f"{refused}: belongs to another user (12345)")


@as_root
def test_a_folder_that_root_has_filled_for_all_is_read(tiny, log, tmp_path, monkeypatch):
    tiny.loaded()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert tiny.loaded() and log == []


@pytest.mark.parametrize("depth", [1, 2])
def test_no_link_is_followed(tiny, tmp_path, depth):
    tiny.loaded()
    plant(tiny.code(), tmp_path / "mark")
    linked = [tiny.folder, tiny.code().parent, tiny.code()][depth]
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    assert not tiny.loaded() and not (tmp_path / "mark").exists()


@pytest.mark.parametrize("how", ["link", "mode", "owner", "file"])
def test_a_folder_planted_in_the_temporary_folder(tiny, log, tmp_path, monkeypatch, how):
    tiny.loaded()
    plant(tiny.code(), tmp_path / "mark")
    if how == "file":
        tiny.temporary.write_text("")
    elif how == "link":
        tiny.temporary.symlink_to(tiny.folder)
    else:
        tiny.folder.rename(tiny.temporary)
    if how == "mode":
        tiny.temporary.chmod(0o755)
    if how == "owner":
        tiny.temporary.rename(tmp_path / f"cliquewise-{os.geteuid() + 1}")
        other = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)
    monkeypatch.setenv("CLIQUEWISE_CACHE", "/dev/null/none")
    assert not tiny.loaded() and not (tmp_path / "mark").exists()
    assert [message.split(":")[0] for message in log] == ["/dev/null/none", str(cache_places.places()[1].folder)]


def test_a_full_disk_sends_machine_code_elsewhere(tiny, log, monkeypatch):
    """And it is found there, without a further message."""
    replace = cache_places._replace

    def full(path, content):
        if path.is_relative_to(tiny.folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(path, content)

    monkeypatch.setattr(cache_places, "_replace", full)
    assert not tiny.loaded()
    (message,) = log
    assert message.startswith(f"{tiny.folder}: No space left on device; ")
    assert tiny.code(tiny.temporary).exists() and tiny.loaded() and len(log) == 1


@pytest.mark.parametrize("text", [TINY, CALLING])
def test_machine_code_in_the_temporary_folder_is_copied_to_a_folder_that_is_named_later(tiny, log, monkeypatch, text):
    """A run without a folder of its own leaves it there; a folder named then is the place of all that it needs."""
    tiny.file.write_text(text)
    monkeypatch.setenv("CLIQUEWISE_CACHE", "/dev/null/none")
    assert not tiny.loaded() and tiny.loaded() and len(log) == 1
    monkeypatch.setenv("CLIQUEWISE_CACHE", str(tiny.folder))
    assert tiny.loaded() and len(log) == 1
    names = [sorted(path.name for path in base.glob("*/*")) for base in (tiny.folder, tiny.temporary)]
    assert names[0] == names[1] != []
    shutil.rmtree(tiny.temporary)
    assert tiny.loaded() and not tiny.temporary.exists()


@pytest.mark.slow
@tuned
def test_a_run_goes_on_without_space_for_its_kernels(tmp_path):
    """A run that may write only files of 1000 bytes goes on, and leaves none behind."""
    (tmp_path / "tiny_kernels.py").write_text(TINY)
    code = "import tiny_kernels as t; print(t.twice(4), t.twice(4.0))"
    env = {"CLIQUEWISE_CACHE": str(tmp_path / "mine"), "TMPDIR": str(tmp_path)}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        done = run_process([sys.executable, "-Bc", code], cwd=tmp_path, env=env)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (done.code, done.stdout) == (0, "8 8.0\n"), done.stderr
    mine, temporary = done.stderr.splitlines()
    assert mine.startswith(f"{tmp_path}/mine: File too large; ")
    assert temporary.startswith(f"{tmp_path}/cliquewise-{os.geteuid()}: File too large; ")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "tiny_kernels.py"]


@pytest.mark.parametrize("kept", [0, 10, 32, 500, -1])
def test_a_file_cut_off_is_compiled_again_and_replaced(tiny, log, kept):
    tiny.loaded()
    whole = tiny.code().read_bytes()
    tiny.code().write_bytes(whole[:kept])
    assert not tiny.loaded() and tiny.code().stat().st_size > 1000 and tiny.loaded() and log == []


def test_a_damaged_file_is_compiled_again(tiny):
    tiny.loaded()
    content = bytearray(tiny.code().read_bytes())
    for at in (5, 40, len(content) // 2, len(content) - 1):
        damaged = content.copy()
        damaged[at] ^= 1
        tiny.code().write_bytes(damaged)
        assert not tiny.loaded() and tiny.loaded()


def test_a_file_of_another_kernel_is_not_taken(tiny):
    """Not even where it has the right name."""
    tiny.loaded()
    content = tiny.code().read_bytes()
    key, parts = pickle.loads(content[32:])
    other = pickle.dumps(((*key[:-1], "another Python"), parts))
    tiny.code().write_bytes(hashlib.sha256(other).digest() + other)
    assert not tiny.loaded() and tiny.loaded()


@pytest.mark.parametrize("hook", ["_reduce", "_rebuild"])
def test_kernels_run_uncached_with_an_unknown_numba(tiny, log, monkeypatch, hook):
    """Nothing is kept, or nothing is read, and kernels run as before."""
    from numba.core.compiler import CompileResult

    tiny.loaded()
    if hook == "_reduce":
        tiny.code().unlink()
    monkeypatch.delattr(CompileResult, hook)
    assert not tiny.loaded()
    assert len(log) == (hook == "_reduce") and all("with this version of numba" in text for text in log)


def test_compilation_is_announced_once(tiny, log):
    for expected in (
        ["compiling kernels, up to a minute: once for each command, and for options or data that need others"],
        [],
    ):
        compiling.announce.cache_clear()
        assert tiny.loaded() == (not expected)
        assert log == expected and not compiling.is_compiling()
        log.clear()


def test_the_cache_folder_can_be_chosen(tmp_path):
    code = (
        "from cliquewise.common.compiled.cache_places import places\n"
        "print(*[place.folder for place in places()], sep='\\n')"
    )
    temporary = {"TMPDIR": str(tmp_path)}
    for env, first in (
        ({"CLIQUEWISE_CACHE": str(tmp_path / "mine"), **temporary}, tmp_path / "mine"),
        ({"CLIQUEWISE_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "xdg"), **temporary}, tmp_path / "xdg/cliquewise"),
        ({"CLIQUEWISE_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/h", **temporary}, Path("/h/.cache/cliquewise")),
    ):
        done = run_process([sys.executable, "-c", code], env=env)
        second = tmp_path / f"cliquewise-{os.geteuid()}"
        assert done.stdout.splitlines() == [str(first), str(second)], done.stderr


def run_without_a_place(folder, text, **env):
    """A kernel runs in a process that can keep nothing, and says where it has tried."""
    (folder / "tiny_kernels.py").write_text(text)
    env = {"CLIQUEWISE_CACHE": "/dev/null/none", "TMPDIR": "/dev/null/none", **env}
    code = "import tempfile; tempfile.tempdir = '/dev/null/none'; import tiny_kernels; print(tiny_kernels.twice(4))"
    done = run_process([sys.executable, "-Bc", code], cwd=folder, env=env)
    assert (done.code, done.stdout) == (0, "8\n"), done.stderr
    places = [line.split(":")[0] for line in done.stderr.splitlines()]
    assert places == ["/dev/null/none", f"/dev/null/none/cliquewise-{os.geteuid()}"]


@pytest.mark.slow
@tuned
def test_nothing_is_written_beside_the_program(tmp_path):
    """Also when no cache folder can be written."""
    before = files_beside_the_program()
    run_without_a_place(tmp_path, TINY)
    assert files_beside_the_program() == before and len(list(tmp_path.iterdir())) == 1


def files_beside_the_program():
    """Paths under the packages' folders, Python's own compiled files left out."""
    found = [path for name in ("common", "lsmarkov") for path in (ROOT / name).rglob("*")]
    return {path for path in found if path.suffix != ".pyc" and path.name != "__pycache__"}
