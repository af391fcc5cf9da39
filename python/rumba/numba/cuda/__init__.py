"""`numba.cuda`: there is no CUDA, which is what programs ask first."""
from .._missing import missing


def is_available():
    """Whether there is a device that kernels can run on."""
    return False


def is_supported_version():
    """Whether the installed CUDA can be used."""
    return False


def detect():
    """Prints what devices there are; whether one can be used."""
    print("Found 0 CUDA devices")
    return False


def jit(*args, **options):
    """Stands for a compiled kernel: the first call raises, because there is no CUDA support."""
    from ...compat.unsupported import cuda_jit

    return cuda_jit(*args, **options)


__getattr__ = missing(__name__, {"cudadrv": "rumba.numba.cuda.cudadrv:*"})
