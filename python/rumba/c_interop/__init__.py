"""C functions and memory: callbacks (`callbacks`), `cffi` (`cffi_support`), arrays at addresses (`pointer_arrays`).
"""
