"""Ufunc loops that Python runs: `forceobj=True`, for functions that do not compile.

NumPy calls a loop without the GIL and takes no exception from it, so a loop keeps the first one that its function raised until
the ufunc's call is over (`raised`). Items become Python's numbers, rows arrays over NumPy's memory.
"""
import ctypes
import threading

from .. import types

_WORDS = ctypes.POINTER(ctypes.c_ssize_t)
_LOOP = ctypes.CFUNCTYPE(None, _WORDS, _WORDS, _WORDS, ctypes.c_void_p)

_thread = threading.local()


class ObjectLoop:
    """A loop of C that Python runs; like those that are compiled it stays for ever."""

    objectmode = True
    data = None

    def __init__(self, run):
        def loop(addresses, lengths, steps, data):
            try:
                run(addresses, lengths, steps)
            except BaseException as error:
                _keep(error)

        self._callback = _LOOP(loop)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._callback))
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value


def _keep(error):
    if getattr(_thread, "error", None) is None:
        _thread.error = error


def raised(call, *args, **keywords):
    """What a call of a ufunc returns; raises what a function raised meanwhile."""
    _thread.error = None
    found = call(*args, **keywords)
    error, _thread.error = _thread.error, None
    if error is not None:
        raise error
    return found


class _Memory:
    """Items at an address, for NumPy to make an array of."""

    def __init__(self, address, dtype, shape, strides):
        self.__array_interface__ = {
            "version": 3, "data": (address, False), "typestr": dtype.str, "shape": shape, "strides": strides}


def _array(address, dtype, shape, strides):
    import numpy

    array = numpy.asarray(_Memory(address, dtype, shape, strides))
    # The interface names no unit of a time.
    return array if array.dtype == dtype else array.view(dtype)


def elementwise(function, dtypes):
    """The loop of a function of numbers; it goes on behind items for which the function raises."""
    def run(addresses, lengths, steps):
        count = lengths[0]
        *operands, result = (
            _array(addresses[at], dtype, (count,), (steps[at],)) for at, dtype in enumerate(dtypes))
        for at in range(count):
            try:
                result[at] = function(*(operand[at].item() for operand in operands))
            except Exception as error:
                _keep(error)
    return ObjectLoop(run)


def of_rows(function, operands, dtypes, letters):
    """The loop of a function of whole rows. `operands`: types; `letters`: the names of each one's dimensions."""
    order = list(dict.fromkeys(letter for names in letters for letter in names))

    def run(addresses, lengths, steps):
        for place in range(lengths[0]):
            values, inner = [], len(operands)
            for at, (ty, names) in enumerate(zip(operands, letters)):
                shape = tuple(lengths[1 + order.index(letter)] for letter in names)
                strides = tuple(steps[inner:inner + len(names)])
                inner += len(names)
                one = isinstance(ty, types.Array) and not names
                row = _array(addresses[at] + place * steps[at], dtypes[at], (1,) if one else shape, None if one else strides)
                values.append(row if isinstance(ty, types.Array) else row.item())
            function(*values)
    return ObjectLoop(run)
