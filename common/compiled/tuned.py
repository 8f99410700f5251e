"""Tuned kernels: numba's compiler without machine code for functions that only kernels call.

A kernel that Python calls is compiled once, together with all kernels that it calls, and cached on disk. By default
numba also compiles each of the called kernels to machine code that is never run, with everything it calls in turn: with
calls ten deep, most of the work is done ten times. So a kernel consists of two numba functions. The one that Python
calls is an ordinary one; for the one that kernels call, compilation ends before the machine code (`InnerCompiler`).

A `shared` kernel is compiled on its own, and other kernels call its machine code (`public_calls`): about ten kernels of
a learner compute scores, and the code for that would be optimised in each of them.

Most of the time is spent in numba, not in LLVM. So `QuickCompiler` leaves out the passes that kernels do not need.

* machine code is cached by `kernel_cache`, not by numba's `cache=True`. A change of this file recompiles all.
* `_nrt=False`: kernels allocate nothing, so no array is reference-counted.
* `forceinline=False`: a kernel inherits the setting from the kernel that calls it, unless it has its own. Otherwise an
  `inlined` function of three lines copied all of the scoring into every caller, which doubled the time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba import njit, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

from .compiling import KERNELS
from .kernel_cache import keep_on_disk
from .public import SETTINGS
from .public_calls import CalledByAddress, CalledType
from .quick_contexts import quick_target, quick_typing

_SKIPPED_PASSES = {  # passes for closures, array expressions, overloads to inline and loops over tuples
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "IRLegalization",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NopythonRewrites",
}


class QuickFlags(Flags):
    """numba's flags of a compilation, part of the key of each lookup of a built-in function: compared without defaults.

    numba gathers the values of all thirty flags for each comparison, a tenth of the first run's time.
    """

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuickFlags) and self._values == other._values


class QuickPasses(PassManager):
    """The passes of a compilation, without numba's checks of each pass and its records of their times."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # noqa: N802
        pss.analysis = self._analysis
        for step in pss.run_initialization, pss.run_pass, pss.run_finalizer:
            step(internal_state)


class QuickCompiler(CompilerBase):
    """numba's compiler without the passes that find nothing in kernels."""

    def __init__(self, typing_context: Any, target_context: Any, *more: Any) -> None:
        super().__init__(quick_typing(typing_context), quick_target(target_context), *more)
        self.state.flags = QuickFlags(self.state.flags)

    def define_pipelines(self) -> list:
        """The passes that are needed."""
        passes = QuickPasses("nopython")
        for one, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if one.__name__ not in _SKIPPED_PASSES:
                passes.add_pass(self.chosen(one), why)
        passes.finalize()
        return [passes]

    def chosen(self, one: type) -> type:
        """The pass that replaces a pass."""
        return OuterLowering if one is NativeLowering else one


class QuickLibrary(JITCodeLibrary):
    """The code of a kernel, optimised once when it becomes machine code, not function by function before."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


def linked(library: Any) -> list:
    """The libraries of all kernels that the code of a library calls, also through others."""
    found: dict[Any, None] = {}
    waiting = [library]
    while waiting:
        new = [one for one in waiting.pop()._linking_libraries if one not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


class OuterLibrary(QuickLibrary):
    """The machine code of a kernel, optimised once: numba's first pass is for reference counts, which kernels lack."""

    def finalize(self) -> None:
        """Link all kernels that it calls, then optimise and compile."""
        self._linking_libraries = linked(self)
        super().finalize()

    def _optimize_final_module(self) -> None:
        found = self._codegen._module_pass_manager()
        passes, *builder = found if isinstance(found, tuple) else [found]  # the oldest numba has no builder
        passes.run(self._final_module, *builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLowering(NativeLowering):
    """The last numba pass."""

    _name = "outer_lowering"

    def run_pass(self, state: Any) -> bool:
        """Write the machine code."""
        state.library = OuterLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


class InnerLibrary(QuickLibrary):
    """The code of a kernel for its callers: it is linked into machine code of theirs, and only there optimised."""

    def finalize(self) -> None:
        """Nothing is left to do: machine code links what this kernel calls, once."""
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """The last numba pass for callers, without machine code."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Write the intermediate code and register it for callers."""
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        key = [].copy  # a unique builtin instead of the machine code: it identifies the function for callers
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=key)
        return True


class InnerCompiler(QuickCompiler):
    """The compiler, up to the intermediate code."""

    def chosen(self, one: type) -> type:
        """The last pass is replaced."""
        return InnerLowering if one is NativeLowering else one


def without_literals(dispatcher: Any) -> Any:
    """The same Dispatcher, which other kernels call with a constant as with any value of its type.

    Otherwise numba compiles a kernel again for each constant, and for the first value that a variable has in a loop.
    """
    call_template = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return call_template(tuple(map(types.unliteral, args)), {name: types.unliteral(kws[name]) for name in kws})

    dispatcher.get_call_template = get_call_template
    return dispatcher


_SETTINGS = SETTINGS | {"_nrt": False, "forceinline": False, "pipeline_class": QuickCompiler}


class TunedKernel:
    """A function on arrays and numbers, compiled at the first call, from Python or from another kernel.

    Parameters
    ----------
    function
    **more
        Further numba options, besides those of the module's docstring.

    Attributes
    ----------
    outer, inner : numba's Dispatcher
        The function for calls from Python, and for calls from other kernels.
    """

    def __init__(self, function: Callable, **more: Any) -> None:
        functools.update_wrapper(self, function)
        KERNELS.add(function)
        self._options = _SETTINGS | more

    def __call__(self, *args: Any) -> Any:
        """Run the kernel, from Python."""
        return self.outer(*args)

    @functools.cached_property
    def outer(self) -> Any:
        """Created when first needed: most kernels are only called by others."""
        function = self.__wrapped__
        called = njit(**self._options)(function)
        if function.__closure__ is None:  # otherwise the source alone does not define the function
            keep_on_disk(called)
        return called

    @functools.cached_property
    def inner(self) -> Any:
        """Created when first needed: never, if all machine code is on disk."""
        alone = {"no_cpython_wrapper": True, "pipeline_class": InnerCompiler}
        return without_literals(njit(**self._options | alone)(self.__wrapped__))

    @property
    def _numba_type_(self) -> Any:
        return self.inner._numba_type_


def inlined(function: Callable) -> TunedKernel:
    """Like a kernel, for short functions that should be inlined into every caller."""
    return TunedKernel(function, forceinline=True)


class SharedKernel(CalledByAddress, TunedKernel):
    """A large kernel that many others call: by its address."""

    def __init__(self, function: Callable) -> None:
        super().__init__(function, no_cfunc_wrapper=False)

    @property
    def called(self) -> Any:
        """For calls from other kernels: the same as from Python."""
        return self.outer

    @functools.cached_property
    def _numba_type_(self) -> Any:
        return CalledType(self)
