"""`numpy.linalg` over borrowed LAPACK kernels."""
