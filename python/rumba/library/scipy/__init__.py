"""Functions of SciPy that compiled code has, whether or not SciPy is installed."""
