"""Everything that touches numba: the decorator of kernels, records by address, the cache of machine code."""
