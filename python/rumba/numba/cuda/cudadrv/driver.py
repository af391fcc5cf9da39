"""`numba.cuda.cudadrv.driver`."""
from .error import CudaSupportError


def _raise_driver_not_found():
    raise CudaSupportError("CUDA driver library cannot be found: Rumba compiles for the processor")
