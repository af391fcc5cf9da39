"""Operations of Python on generators of compiled code that themselves need compiled code.

Absent: the generators themselves (`_rumba`).
"""
from ..decorators import njit
from ..errors import NumbaError


@njit
def _put(generator, value):
    generator._put(value)


def put(generator, value):
    """Puts a value where a generator looks when it goes on."""
    try:
        _put(generator, value)
    except NumbaError:
        raise TypeError(f"{type(value).__name__} cannot be sent to this generator, which waits for values of another type") from None
