"""`cross2d`: the cross product of vectors in a plane, in plain Python.

In compiled code it is of the library (`rumba.library.numpy.roll_repeat_tile`).
"""
NOT_FLAT = "Incompatible dimensions for 2D cross product\n(dimension must be 2 for both inputs)"


def cross2d(a, b):
    """`a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]` as an array: of two vectors one number, of arrays of vectors, which
    may broadcast, one for each pair. ValueError where vectors do not have two parts."""
    import numpy

    a, b = numpy.asarray(a), numpy.asarray(b)
    if not a.ndim or not b.ndim or a.shape[-1] != 2 or b.shape[-1] != 2:
        raise ValueError(NOT_FLAT)
    return numpy.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
