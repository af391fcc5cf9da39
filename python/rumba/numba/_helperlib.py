"""`numba._helperlib`: the states of random numbers, which are called by pointers there and by names here, and the file
whose functions of C programs load."""
from .. import _rumba
from ..rng_state import get_state as rnd_get_state
from ..rng_state import refill as rnd_shuffle
from ..rng_state import seed as rnd_seed
from ._missing import missing

__all__ = ["rnd_get_np_state_ptr", "rnd_get_py_state_ptr", "rnd_get_state", "rnd_seed", "rnd_set_state", "rnd_shuffle"]

__getattr__ = missing(__name__)

# Programs open the library of helpers by this name.
__file__ = _rumba.__file__


def rnd_get_np_state_ptr():
    """The state of `np.random` on this thread."""
    return "numpy"


def rnd_get_py_state_ptr():
    """The state of `random` on this thread."""
    return "random"


def rnd_set_state(state, content):
    """Sets a state to the number of the next word and its 624 words."""
    from ..rng_state import set_state

    set_state(state, *content)
