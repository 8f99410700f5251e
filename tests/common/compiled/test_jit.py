"""Compilation of a kernel: machine code only for functions that Python calls, and inlining only on request."""

import pytest

from cliquewise.common.compiled import jit
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
