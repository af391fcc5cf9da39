"""`numba.cuda.cudadrv`: the driver of CUDA, which is not there. Programs ask it in order to be told so."""
from . import devices, driver, error
