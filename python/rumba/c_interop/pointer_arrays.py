"""`carray` and `farray` in plain Python: arrays at an address.

In compiled code they are of the library (`rumba.library.numpy.copy_eye`).
"""
import ctypes


def carray(ptr, shape, dtype=None):
    """An array of rows over the memory that a pointer leads to. The pointer is typed, or `dtype` says what it points to.
    The memory must live as long as the array."""
    return _array(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """The same with an array of columns."""
    return _array(ptr, shape, dtype, "F")


def array_at(address, dtype, shape, layout):
    """An array at an address."""
    import numpy

    dtype = numpy.dtype(dtype)
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    count = int(numpy.prod(lengths, dtype=numpy.int64))
    if not count:
        return numpy.empty(lengths, dtype, order=layout)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return numpy.ndarray(lengths, dtype, memory, order=layout)


def _array(ptr, shape, dtype, layout):
    import numpy

    if isinstance(ptr, ctypes.c_void_p):
        if dtype is None:
            raise TypeError("explicit dtype required for void* argument")
        return array_at(ptr.value, dtype, shape, layout)
    if not isinstance(ptr, ctypes._Pointer):
        raise TypeError(f"expected a ctypes pointer, got {ptr!r}")
    own = numpy.dtype(ptr._type_)
    if dtype is not None and numpy.dtype(dtype) != own:
        raise TypeError(f"mismatching dtype '{numpy.dtype(dtype)}' for pointer {ptr!r}")
    return array_at(ctypes.cast(ptr, ctypes.c_void_p).value, own, shape, layout)
