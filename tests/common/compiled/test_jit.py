"""Compilation of a kernel: machine code only for functions that Python calls, and inlining only on request."""

import numpy as np
import pytest

from cliquewise.common.compiled import jit
from cliquewise.common.compiled.cache_places import places
from cliquewise.common.compiled.mode import mode

pytestmark = pytest.mark.skipif(mode() != "tuned", reason="numba compiles as it always does, or nothing")


@pytest.fixture
def chain():
    """A kernel that calls an inlined one that calls a kernel; of functions in a function no machine code is kept."""

    @jit.kernel
    def doubled(x):
        return 2.0 * x

    @jit.inlined
    def handed_on(x):
        return doubled(x)

    @jit.kernel
    def doubled_and_more(x):
        return handed_on(x) + 1.0

    return doubled_and_more, handed_on, doubled


def test_only_what_python_calls_becomes_machine_code(chain, monkeypatch):
    """Machine code of each kernel inside was more than half of the first run's time."""
    from numba.core.codegen import JITCPUCodegen

    modules = []
    add = JITCPUCodegen._add_module
    monkeypatch.setattr(JITCPUCodegen, "_add_module", lambda self, code: modules.append(code.name) or add(self, code))
    assert chain[0](3.0) == 7.0
    assert [name for name in modules if "chain" in name] == [chain[0].__qualname__]
    assert chain[2](3.0) == 6.0  # which compiles it for Python too
    assert len([name for name in modules if "chain" in name]) == 2


def test_a_kernel_below_an_inlined_one_is_not_forced_into_its_callers(chain):
    """All of the scoring was copied into each place that looks up a score."""
    assert chain[0](3.0) == 7.0
    forced = {}
    for kernel in chain[1:]:
        (compiled,) = kernel.inner.overloads.values()
        (function,) = [f for f in compiled.library.get_defined_functions() if f.name == compiled.fndesc.mangled_name]
        forced[kernel.__name__] = "alwaysinline" in {a.decode() for a in function.attributes}
    assert forced == {"handed_on": True, "doubled": False}


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    """Where no kernel of this file is yet."""
    monkeypatch.setenv("CLIQUEWISE_CACHE", str(tmp_path))
    places.cache_clear()
    yield
    places.cache_clear()


@jit.shared
def mixed(x):
    return x ^ 123457


@jit.kernel
def mixed_and_one(x):
    return mixed(x) + 1


@jit.kernel
def mixed_twice(x):
    return mixed(mixed(x))


@pytest.mark.usefixtures("empty_cache")
def test_a_shared_kernel_becomes_machine_code_once(monkeypatch):
    """Computing a score was optimised again in each of ten kernels."""
    from numba.core.codegen import JITCPUCodegen

    texts = {}
    add = JITCPUCodegen._add_module
    monkeypatch.setattr(
        JITCPUCodegen, "_add_module", lambda self, code: texts.update({code.name: str(code)}) or add(self, code)
    )
    assert mixed_and_one(9) == (9 ^ 123457) + 1 and mixed_twice(16) == 16
    assert [name for name, text in texts.items() if "123457" in text] == [mixed.__qualname__]
    assert mixed(0) == 123457 and len(texts) == 3  # for Python it is the same code


def test_constant_arguments_cause_no_further_compilation():
    """Kernels were compiled again for each constant that is an argument."""

    @jit.kernel
    def larger(x, by, doubled):
        return 2 * (x + by) if doubled else x + by

    @jit.kernel
    def total(x):
        return larger(x, 1, True) + larger(x, by=-2, doubled=False) + larger(x, x, x > 2)

    assert total(3) == 8 + 1 + 12
    assert len(larger.inner.overloads) == 1


def test_the_code_of_a_kernel_is_only_its_own_until_it_becomes_machine_code(chain):
    """Each caller had a copy of all kernels below, which its own callers copied again."""
    assert chain[0](3.0) == 7.0
    for kernel in chain[1:]:
        (compiled,) = kernel.inner.overloads.values()
        assert [f.name for f in compiled.library.get_defined_functions()] == [compiled.fndesc.mangled_name]


def test_functions_are_optimised_only_as_machine_code(chain, monkeypatch):
    """numba simplified each function of each kernel by itself before, a twelfth of the first run's time."""
    from numba.core.codegen import JITCPUCodegen

    monkeypatch.setattr(JITCPUCodegen, "_function_pass_manager", None)
    assert chain[0](3.0) == 7.0


@pytest.mark.usefixtures("empty_cache")
def test_a_built_in_function_is_resolved_once_for_the_same_types(monkeypatch):
    """For each sum numba went through all that `+` can mean."""
    from numba import njit, types
    from numba.core.types.functions import BaseFunction

    resolved = []
    resolve = BaseFunction.get_call_type
    monkeypatch.setattr(
        BaseFunction,
        "get_call_type",
        lambda function, context, args, kws: resolved.append(args) or resolve(function, context, args, kws),
    )

    def three_sums(x, y):
        return (x + y) + (x + y)

    two = types.float32, types.float32  # no other test adds up such
    x, y = np.float32(1.5), np.float32(2.0)
    assert jit.kernel(three_sums)(x, y) == 7.0 and resolved.count(two) == 1
    assert njit(three_sums)(x, y) == 7.0 and resolved.count(two) > 3  # other functions are compiled as always


def test_the_size_of_a_type_is_measured_once(monkeypatch):
    """LLVM parsed a module for each variable."""
    from llvmlite import ir

    def repeated(factor):
        def total(x):
            found = x
            for _ in range(factor):
                found += x
            return found

        return jit.kernel(total)

    assert repeated(2)(3.0) == 9.0
    for of in (ir.IntType, ir.DoubleType):
        monkeypatch.setattr(of, "get_abi_size", None)
    assert repeated(3)(3.0) == 12.0
