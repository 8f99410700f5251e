"""Everything that touches numba: the kernel decorator, records, the cache on disk, random numbers.

There are two modes (`mode`). The public one uses what numba's manual describes, and two things more: the class
`AttributeTemplate`, which `numba.extending.infer_getattr` asks for (`records`); and the address of a function's wrapper
for C, which numba finds in this way for its first-class functions (`public_calls.CalledByAddress`). The tuned one uses
numba's internals, which can change with every version: so only with those that `make matrix` has tried. They are in
four files:

* `tuned`: `InnerCompiler`, `InnerLowering`, `InnerLibrary` (compiler passes, code library): kernels that only kernels
  call get no machine code of their own. `QuickPasses`: passes without numba's checks. `_nrt=False`, an undocumented
  option: arrays are not counted by reference;
* `quick_contexts`: copies of numba's contexts that cache its look-ups;
* `array_access`: the code of an access to an array, in place of numba's;
* `kernel_cache.keep_on_disk` in place of a dispatcher's `_cache` and around its `compile` (with `CompileResult._reduce`
  and `_rebuild`, `numba.core.serialize.dumps`, `global_compiler_lock`): numba's own cache notices neither a change in
  an imported kernel file, nor the owner of a file, nor damage, and a full disk ends the run; `public` guards it.
"""
