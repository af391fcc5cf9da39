"""`numba.cuda.cudadrv.devices`: the list of devices; each use of it raises, because there is no driver."""
from .driver import _raise_driver_not_found


class _Devices:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _raise_driver_not_found()

    def __len__(self):
        _raise_driver_not_found()

    def __getitem__(self, number):
        _raise_driver_not_found()

    def __iter__(self):
        _raise_driver_not_found()


gpus = _Devices()


def get_context(devnum=None):
    """Would give the context of a device."""
    _raise_driver_not_found()
