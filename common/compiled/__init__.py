"""Everything that touches numba: the kernel decorator, records, the cache on disk, random numbers."""
