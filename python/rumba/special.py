"""Functions that mean something to the compiler alone; in plain Python they return what they are given."""


def literally(obj):
    """The value, which the function around must know when it compiles: a call with another value compiles
    the function anew."""
    return obj


def literal_unroll(container):
    """The items of a tuple, for a loop that is written out once for each of them, so that they may have
    different types."""
    return container
