"""Numba's code generation interfaces over llvmlite: nothing else here needs it."""
