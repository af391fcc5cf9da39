"""The random number generator states of this thread: one for `np.random`, one for `random`.

They are no states of NumPy's or CPython's: seeding those changes nothing here. A thread begins with a seed from the
operating system, and so does the child of a fork.
"""
import ctypes

from ._rumba import random_refill as refill
from ._rumba import random_seed, random_set_state
from ._rumba import random_state as get_state

__all__ = ["get_state", "refill", "seed", "set_state"]


def set_state(stream, at, words):
    """Goes on at word number `at` of a state of MT19937 of 624 words. `stream` is "numpy" or "random"."""
    random_set_state(stream, int(at), [int(word) for word in words])


def seed(stream, value=None):
    """Seeds as `np.random.seed` does: by an integer of 32 bits, by several, by bytes, or by chance."""
    if isinstance(value, (bytes, bytearray)):
        padded = bytes(value) + bytes(-len(value) % 4)
        value = memoryview(padded).cast("I").tolist()
    if value is None:
        random_seed(stream)
    else:
        random_seed(stream, list(value) if hasattr(value, "__len__") else [int(value)])


def address(library, name):
    """The address of a function of a library of C."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
