"""Kernels by numba's public interface: nothing else is imported, and its cache runs nothing that others wrote."""

import ast
import errno
import os
import sys

import pytest

from cliquewise.common.compiled import cache_places, compiling, mode, public
from tests.commands import ROOT, run_process
from tests.common.compiled.test_kernel_cache import TINY, Tiny, as_root, log, planted, run_without_a_place  # noqa: F401

PUBLIC = TINY.replace("tuned import TunedKernel", "public import PublicKernel")
DOCUMENTED = {"numba", "numba.extending", "numba.core.event"}
ASKED_FOR = {"numba.core.typing.templates"}  # by `numba.extending.infer_getattr`: its AttributeTemplate
pytestmark = pytest.mark.skipif(mode.mode() == "plain", reason="nothing is compiled")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.setattr(public, "_folders", {})
    compiling.announce()  # which happens once
    yield Tiny(tmp_path, monkeypatch, PUBLIC)
    cache_places.places.cache_clear()


def files(tiny, kind):
    """Those of numba's cache that end in "nbi" (its index) or "nbc" (machine code)."""
    return sorted(tiny.folder.rglob(f"*.{kind}"))


def test_nothing_but_what_numbas_manual_describes_is_imported():
    """By the files that the public mode runs; `tuned` and its cache are imported only by the tuned one."""
    for name in ("mode", "compiling", "cache_places", "public", "jit", "records", "array_value"):
        for node in ast.walk(ast.parse((ROOT / f"common/compiled/{name}.py").read_text())):
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                joined = [f"{node.module}.{alias.name}" for alias in node.names]
                found = [one if one in DOCUMENTED else node.module for one in joined]
            assert {one for one in found if one.split(".")[0] == "numba"} <= DOCUMENTED | ASKED_FOR, name
            assert not (isinstance(node, ast.Attribute) and node.attr in ("_cache", "_reduce", "_rebuild")), name


def test_machine_code_is_found_again_in_a_folder_of_the_user_alone(tiny, log):  # noqa: F811
    old = os.umask(0)
    try:
        assert not tiny.loaded() and tiny.loaded() and log == []
    finally:
        os.umask(old)
    (folder,) = tiny.folder.iterdir()
    assert [path.stat().st_mode & 0o777 for path in (tiny.folder, folder)] == [0o700, 0o700]
    assert folder.name.endswith("-public") and not tiny.temporary.exists()
    tiny.file.write_text(PUBLIC + "# changed\n")
    assert not tiny.loaded()


def test_numbas_own_settings_stay(tiny, monkeypatch):
    """A process may use numba for more, with a folder of its own."""
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "/somewhere/else")
    assert not tiny.loaded() and numba.config.CACHE_DIR == "/somewhere/else"


def test_kernels_in_kernels_are_compiled_once_and_without_wrappers():
    """They were compiled again for each constant that is an argument, each with a wrapper for Python and one for C."""

    @public.PublicKernel
    def larger(x, by, doubled):
        return 2 * (x + by) if doubled else x + by

    @public.PublicKernel
    def total(x):
        return larger(x, 1, True) + larger(x, by=-2, doubled=False) + larger(x, x, x > 2)

    assert total(3) == 8 + 1 + 12
    (compiled,) = larger.inner.overloads.values()
    assert [f.name for f in compiled.library.get_defined_functions()] == [compiled.fndesc.mangled_name]
    assert larger(3, 1, True) == 8  # from Python too


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_files_that_this_program_recorded_are_trusted(tiny, tmp_path, kind):
    """That planted code would run at all, or the tests below show nothing."""
    tiny.loaded()
    (file,) = files(tiny, kind)
    file.write_bytes(planted(tmp_path / "mark"))
    public._record_files()
    with pytest.raises((TypeError, ValueError, EOFError)) if kind == "nbc" else pytest.raises(EOFError):
        tiny.loaded()
        raise EOFError
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_what_was_planted_or_damaged_is_deleted(tiny, tmp_path, kind):
    tiny.loaded()
    (file,) = files(tiny, kind)
    content = file.read_bytes()
    for other in (planted(tmp_path / "mark"), content[:-1], b"", content[:50] + b"x" + content[51:]):
        file.write_bytes(other)
        public._folders.clear()  # as in a new process
        assert not tiny.loaded() and not (tmp_path / "mark").exists()
        public._folders.clear()
        assert tiny.loaded()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_no_link_is_followed(tiny, tmp_path, what):
    tiny.loaded()
    (code,) = files(tiny, "nbc")
    linked = code if what == "file" else code.parent
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    public._folders.clear()
    assert not tiny.loaded() and not linked.is_symlink()


@pytest.mark.parametrize("bits", [0o755, 0o777, 0o770, 0o720, 0o1777])
@pytest.mark.parametrize("depth", [0, 1])
def test_a_folder_that_others_can_write_is_not_used(tiny, log, bits, depth):  # noqa: F811
    """Also not one that others can only read: numba does not look at the modes of its files."""
    tiny.loaded()
    refused = [tiny.folder, *tiny.folder.iterdir()][depth]
    refused.chmod(bits)
    public._folders.clear()
    if depth == 0 and bits == 0o755:  # what is in it is still private
        assert tiny.loaded() and log == []
        return
    assert not tiny.loaded() and log[0].startswith(f"{refused}: ")
    assert tiny.temporary.stat().st_mode & 0o777 == 0o700 and tiny.loaded()


@as_root
@pytest.mark.parametrize("depth", [0, 1])
def test_a_folder_of_another_user_is_not_used(tiny, log, depth):  # noqa: F811
    tiny.loaded()
    refused = [tiny.folder, *tiny.folder.iterdir()][depth]
    os.chown(refused, 12345, 12345)
    public._folders.clear()
    assert not tiny.loaded() and log[0].startswith(f"{refused}: belongs to another user (12345)")


def test_a_full_disk_sends_machine_code_elsewhere(tiny, log, monkeypatch):  # noqa: F811
    """numba raises the error; the kernel runs all the same."""
    opened = open

    def full(path, mode="r", *args, **more):
        if mode == "wb" and str(path).startswith(str(tiny.folder)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, mode, *args, **more)

    monkeypatch.setattr("builtins.open", full)
    assert not tiny.loaded()
    (message,) = log
    assert message.startswith(f"{tiny.folder}: No space left on device; ")
    assert public.places()[0].given_up


@pytest.mark.slow
def test_kernels_run_where_nothing_can_be_kept(tmp_path):
    """Neither beside the program nor anywhere else, where numba would look by itself."""
    run_without_a_place(tmp_path, PUBLIC, HOME=str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "version, chosen, expected",
    [
        ("0.61.0", "", "tuned"),
        ("0.68.1", "", "tuned"),
        ("0.60.0", "", "public"),
        ("0.69.0rc1", "", "public"),
        ("1.0.0", "", "public"),
        ("0.68.1", "public", "public"),
        ("1.0.0", "tuned", "tuned"),
    ],
)
def test_a_numba_that_was_not_tried_gets_the_public_mode(version, chosen, expected, monkeypatch, log):  # noqa: F811
    """And says so in one line, once, unless it was asked for."""
    monkeypatch.setattr("numba.__version__", version)
    monkeypatch.setenv("CLIQUEWISE_NUMBA", chosen)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    mode.mode.cache_clear()
    mode.log_mode.cache_clear()
    try:
        assert mode.mode() == expected
        mode.log_mode()
        mode.log_mode()
    finally:
        mode.mode.cache_clear()
    message = f"numba {version} is not among those tried (0.61 to 0.68): its public interface alone is used"
    assert [text[: len(message)] for text in log] == ([message] if expected == "public" and not chosen else [])


def test_an_unknown_mode_is_refused():
    done = run_process(
        [sys.executable, "-c", "import cliquewise.common.compiled.jit"], env={"CLIQUEWISE_NUMBA": "fast"}
    )
    assert done.code == 1 and done.stderr.endswith("CLIQUEWISE_NUMBA='fast' in the environment: not tuned or public\n")
