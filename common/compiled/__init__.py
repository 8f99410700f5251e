"""Everything that touches numba: the kernel decorator, records, the cache on disk, random numbers.

numba's internals are used here alone. They can change with every version, so pyproject.toml states both ends of the
versions, and `make matrix` tries both. What is used, and what for (processor seconds on the zoo data, 2026):

* `jit.InnerCompiler`, `InnerLowering`, `InnerLibrary` (compiler passes, code library): kernels that only kernels call
  get no machine code of their own. The first run of lsmarkov takes 17 s instead of 43, that of mplearn 7 instead of 11;
* `_nrt=False`, an undocumented option: arrays are not counted by reference, which took half the time of a run;
* `kernel_cache.KernelCache` in place of a dispatcher's `_cache` (with `CompileResult._reduce` and `_rebuild`,
  `numba.core.serialize.dumps`): numba's own cache sees neither a change in an imported kernel file, nor who owns a
  file, nor damage, and a full disk ends the run. Without any cache each run would compile;
* `records` (typing templates, `lower_getattr_generic`, `populate_array`): records are passed by address. The search is
  a quarter faster, and kernels compile in four fifths of the time.

`intrinsic` and the rest of `numba.extending` are numba's documented interface.
"""
