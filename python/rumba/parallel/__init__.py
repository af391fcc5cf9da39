"""Parallel loops in Python: the threads (`thread_pool`), and the report on loops (`loop_diagnostics`).

Absent: the loops themselves (the crates `lower` and `parallel`), `rumba.atomic`, `prange` (`rumba.intrinsics`).
"""
