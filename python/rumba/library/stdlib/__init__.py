"""Modules of Python's standard library."""
