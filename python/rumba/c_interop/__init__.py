"""Functions and memory of C: callbacks (`callbacks`), `cffi` (`cffi_support`), arrays over addresses (`pointer_arrays`)."""
