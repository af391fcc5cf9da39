"""`random` and `numpy.random`."""
