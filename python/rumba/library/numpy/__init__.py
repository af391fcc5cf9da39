"""NumPy's functions, as overloads over arrays."""
