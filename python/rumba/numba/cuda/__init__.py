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


# What needs a device: each raises CudaSupportError when it is called.
_OF_DEVICES = ("close", "current_context", "default_stream", "device_array", "device_array_like", "event", "get_current_device", "list_devices",
               "managed_array", "mapped_array", "mapped_array_like", "pinned", "pinned_array", "pinned_array_like", "select_device", "stream",
               "synchronize", "to_device")


def _without_device(*args, **options):
    """Raises CudaSupportError: there is no device."""
    from .cudadrv.driver import _raise_driver_not_found

    _raise_driver_not_found()


__getattr__ = missing(__name__, {
    "cudadrv": "rumba.numba.cuda.cudadrv:*", "gpus": "rumba.numba.cuda.cudadrv.devices",
    "CudaSupportError": "rumba.numba.cuda.cudadrv.error"})

globals().update(dict.fromkeys(_OF_DEVICES, _without_device))
