"""Functions that the benchmarks compile."""
