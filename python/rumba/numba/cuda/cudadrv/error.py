"""`numba.cuda.cudadrv.error`."""


class CudaDriverError(Exception):
    """The driver refuses something."""


class CudaSupportError(ImportError):
    """There is no driver."""
