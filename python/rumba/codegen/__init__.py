"""Numba's code generation interfaces on top of llvmlite, which no other package needs."""
