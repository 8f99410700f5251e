"""Kernels that public kernels call by an address: every kind of argument and result arrives, and it is always found."""

import ctypes
import sys

import numba
import numpy as np
import pytest

from cliquewise.common.compiled import mode
from tests.commands import run_process
from tests.common.compiled.test_records import Inner, Outer, outer

if mode.mode() == "plain":
    pytest.skip("nothing is compiled", allow_module_level=True)

from cliquewise.common.compiled import public, public_calls


@public.PublicShared
def several(record, table, yes, x, n):
    table[1] += record.number
    return not yes, x + n, table[0], table.shape[0], record.inner.words[1]


@public.PublicInlined
def handed_on(record, table, yes, x, n):
    return several(record, table, yes, x, n)


@public.PublicShared
def nothing(table):
    table[0] = 7


@public.PublicShared
def rows_of(table, v):
    return table[v]


@public.PublicKernel
def everything(record, table, matrix):
    """Constants are arguments as any other; the second is of another type."""
    no, total, first, length, word = handed_on(record, table, yes=True, x=0.5, n=2)
    nothing(table)
    row = rows_of(matrix, 1)
    row[0] = 5
    yes, more, _, _, _ = several(record, table, False, 1, 2)
    return (0.0 if no else total) + first + 10 * length + 100 * word + (more if yes else -1) + rows_of(matrix, 2)[1]


def test_every_kind_of_argument_and_result_arrives():
    record, table, matrix = outer(True), np.array([3, 4], np.int64), np.arange(6).reshape(3, 2)
    assert isinstance(record, Outer) and isinstance(record.inner, Inner)
    assert everything(record, table, matrix) == 2.5 + 3 + 20 + 2000 + 3 + 5
    assert table.tolist() == [7, 4 - 7 - 7] and matrix.tolist() == [[0, 1], [5, 3], [4, 5]]
    assert len(several.called.overloads) == 2 and len(rows_of.called.overloads) == 1


def test_the_code_of_callers_does_not_include_what_is_called_by_address():
    fresh = numba.njit(**public.SETTINGS)(everything.__wrapped__)  # of code from disk nothing can be seen
    fresh(outer(True), np.array([3, 4], np.int64), np.arange(6).reshape(3, 2))
    (text,) = fresh.inspect_llvm().values()
    assert "address of several" in text and "test_public_calls7several" not in text


CALLING = """
from cliquewise.common.compiled.jit import kernel, shared

@shared
def product(x, y):
    return x * y

@kernel
def twice(x):
    return product(2, x)
"""


@pytest.mark.slow
def test_machine_code_from_disk_finds_what_it_calls(tmp_path):
    """Loaded, or compiled where the file is gone; the caller is not compiled again."""
    (tmp_path / "called_kernels.py").write_text(CALLING)
    env = {"CLIQUEWISE_CACHE": str(tmp_path / "cache"), "CLIQUEWISE_NUMBA": "public"}
    hits = "sum(c.twice.outer.stats.cache_hits.values()), sum(c.product.called.stats.cache_hits.values())"
    code = f"import called_kernels as c; print(c.twice(4), {hits})"
    printed = []
    for _ in range(3):
        done = run_process([sys.executable, "-Bc", code], cwd=tmp_path, env=env)
        printed.append(done.stdout.split())
        if len(printed) == 2:
            (gone,) = (tmp_path / "cache").glob("*-called/*/called_kernels.product-*.nbi")
            gone.unlink()
    assert printed == [["8", "0", "0"], ["8", "1", "1"], ["8", "1", "0"]], done.stderr


@pytest.fixture
def kernel_id():
    """That of `nothing` for an array, as machine code knows it."""
    nothing(np.zeros(1, np.int64))
    (args,) = nothing.outer.overloads
    return public_calls.id_of(nothing.__module__, "nothing", args)


def test_an_interrupt_comes_after_the_answer(kernel_id, monkeypatch):
    """Machine code cannot raise it: it asks again, and then the main thread is interrupted."""
    interrupted = []
    monkeypatch.setattr(public_calls, "interrupt_main", lambda: interrupted.append(True))
    monkeypatch.setattr(public_calls.threading, "Timer", ImmediateTimer)
    load = public_calls.import_module

    def interrupted_once(name):
        monkeypatch.setattr(public_calls, "import_module", load)
        raise KeyboardInterrupt

    monkeypatch.setattr(public_calls, "import_module", interrupted_once)
    ask = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint8)(public_calls._address_of)
    assert ask(kernel_id, 0) == 0 and not interrupted
    assert ask(kernel_id, 1) == nothing.address(tuple(nothing.outer.overloads)[0]) and interrupted


class ImmediateTimer:
    """A timer without waiting."""

    def __init__(self, _seconds, function):
        self.start = function
