"""`numba.experimental.jitclass._box`: objects of compiled classes in Python."""
from ...._rumba import Instance as Box


def box_get_meminfoptr(box):
    """The address of the block of an object."""
    return box._address()


def box_get_dataptr(box):
    """The address of the fields of an object."""
    return box._address() + 64 + 16
