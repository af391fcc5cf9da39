"""Numba's target contexts, options and cost models under its own names."""
