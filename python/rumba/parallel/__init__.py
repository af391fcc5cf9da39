"""Parallel loops as Python sees them: the threads (`thread_pool`), and what became of the loops (`loop_diagnostics`).

Absent: the loops themselves (the crates `lower` and `parallel`), `rumba.atomic`, `prange` (`rumba.intrinsics`).
"""
