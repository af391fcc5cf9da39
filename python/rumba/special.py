"""Functions that mean something to the compiler alone; in plain Python they return what they are given."""


def literally(obj):
    """The value, which the function around must know when it compiles: a call with another value compiles
    the function anew."""
    return obj


def literal_unroll(container):
    """The items of a tuple, for a loop that is written out once for each of them, so that they may have
    different types."""
    return container


# Rooms are for Rumba's own library: memory for as many values of one type as a tuple has items. A room must
# not leave the function that makes it, and places are not checked.

def room(items):
    """A room with the items of a tuple, which are of one type."""
    return list(items)


def room_like(items, value):
    """A room for as many values of the type of `value` as a tuple has items."""
    return [value] * len(items)


def room_get(room, index):
    """What stands at a place of a room."""
    return room[index]


def room_set(room, index, value):
    """Puts a value to a place of a room."""
    room[index] = value


def room_items(room):
    """All that stands in a room, as a list."""
    return list(room)
