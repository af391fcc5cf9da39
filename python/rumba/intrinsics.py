"""Compiler intrinsics. In plain Python they return their argument."""
from . import _rumba


def literally(obj):
    """The value, which the function around must know when it compiles: a call with another value compiles
    the function anew."""
    return obj


def literal_unroll(container):
    """The items of a tuple, for a loop that is written out once for each of them, so that they may have
    different types."""
    return container


class prange:
    """A range whose iterations may run at the same time: a `for` over it is a parallel loop in a function with
    `parallel=True`, and like one over `range` elsewhere."""

    def __new__(cls, *args):
        return range(*args)


# Scratch arrays are for Rumba's own library: memory for as many values of one type as a tuple has items. A scratch array must
# not leave the function that makes it, and places are not checked.

def scratch(items):
    """A scratch array with the items of a tuple, which are of one type."""
    return list(items)


def scratch_like(items, value):
    """A scratch array for as many values of the type of `value` as a tuple has items."""
    return [value] * len(items)


def scratch_get(scratch, index):
    """What stands at a place of a scratch array."""
    return scratch[index]


def scratch_set(scratch, index, value):
    """Puts a value to a place of a scratch array."""
    scratch[index] = value


def scratch_items(scratch):
    """All that stands in a scratch array, as a list."""
    return list(scratch)


def new_object(ty):
    """An object of a type whose fields are not set yet. Only compiled code can call it."""
    raise NotImplementedError("an object without values for its fields is made by compiled code only")


def set_field(obj, name, value):
    """Sets a field of an object of compiled code, by its name, whatever its class says of assignments."""
    raise NotImplementedError("fields are set by compiled code only")


# For Rumba's own library: arrays over memory that is there. Nothing is checked.

def array_view(array, dtype, offset, shape, strides, layout):
    """An array over the memory of another one, from `offset` bytes behind its first item on. The layout is "C", "F" or
    "A"; only with "A" do the strides matter."""
    import numpy

    strides = tuple(strides) if layout == "A" else None
    return numpy.ndarray(shape, dtype, array, offset, strides, "F" if layout == "F" else "C")


def array_at(address, dtype, shape, layout):
    """An array at an address, of memory that somebody else keeps alive."""
    from .c_interop.pointer_arrays import array_at

    return array_at(address, dtype, shape, layout)


def array_copy(array, dtype, layout):
    """The items as another type in new memory, in the order of rows ("C") or of columns ("F")."""
    return array.astype(dtype, order=layout)


def array_readonly(array):
    """The same array, which cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def array_bytes(array):
    """Bytes of the items of a vector of bytes in rows, on its memory: nobody writes to it any more."""
    return array.tobytes()


def array_address(array):
    """The address of an array's first item."""
    return array.ctypes.data


def ufunc_loop(name, addresses, lengths, steps, *operands):
    """Calls the inner loop of a ufunc in C, by `module:ufunc:types`, with NumPy's convention: the addresses of its operands, the number
    of calls and the core dimensions, the strides along the calls and along the core dimensions, as vectors of int64. Operands are
    arrays that must live until then."""
    raise NotImplementedError("inner loops are called by compiled code")


def ufunc_call(name, *values):
    """What the inner loop of a ufunc in C, by `module:ufunc:types`, gives for numbers of the types that it takes: a number, or the
    tuple of its results."""
    raise NotImplementedError("inner loops are called by compiled code")


def expression_item(text, index, operands):
    """The item of an expression of arrays at a place. The text is the program of `arrayexpr`; arrays lie in rows and have one shape."""
    raise NotImplementedError("expressions of arrays are compiled code's")


def arrayexpr(text, *operands):
    """The array that an expression of arrays gives. The text is in postfix order: `0 1 numpy.multiply`."""
    raise NotImplementedError("expressions of arrays are compiled code's")


def rarely():
    """First in a branch: it hardly ever runs, and is compiled when it does."""


def stencil_point(array, indices):
    """An array seen from an item: indices are distances from there."""
    raise NotImplementedError("a stencil's kernel is compiled code")


def raise_if(condition, name, text, *values):
    """An exception with values in its message, if the condition holds."""
    import builtins

    import numpy

    if condition:
        raise (getattr(builtins, name, None) or getattr(numpy.exceptions, name))(text.format(*values))


def present(value):
    """What a value is that may be None; TypeError if it is None."""
    if value is None:
        raise TypeError("expected a value, got None")
    return value


def setitem(a, b, c):
    """`operator.setitem`, whose name the statement has."""
    a[b] = c


def delitem(a, b):
    """`operator.delitem`, whose name the statement has."""
    del a[b]


def items_equal(a, b):
    """Whether two items are one or equal, as containers ask."""
    return a is b or bool(a == b)


# For Rumba's own library: lists by places that are not checked. Items change hands: what is taken is not
# there any more, and what is written to a place that was taken, or in a gap, replaces nothing.

def list_new(like, capacity):
    """An empty list of the type of another one, with room for so many items."""
    return []


def list_room(items):
    """How many items a list has room for."""
    return len(items)


def list_change(items):
    """Stands in front of a change: ValueError if the list was made immutable."""


def list_freeze(items):
    """Makes a `typed.List` immutable."""


def list_frozen(items):
    """Whether a list was made immutable."""
    return False


def list_item(items, index):
    """An item."""
    return items[index]


def list_take(items, index):
    """An item, which is taken out of its place."""
    return items[index]


def list_write(items, index, value):
    """Puts a value to a place that holds none."""
    items[index] = value


def list_push(items, value):
    """Appends a value where there is room for it."""
    items.append(value)


def list_gap(items, index, count):
    """Makes room for so many items in front of one, to be written next."""
    items[index:index] = [None] * count


def list_close(items, index, count):
    """Removes places that were taken."""
    del items[index:index + count]


def list_sort(items):
    """Sorts numbers."""
    items.sort()


def list_arrange(keys, order):
    """Puts places into the order of the keys that stand there; places of equal keys keep their order."""
    order.sort(key=lambda place: keys[place])


# For Rumba's own library: dicts and sets by the numbers of their entries, in the order in which they were put in. The last
# entry is never a removed one; others may be.

def table_new(like, capacity):
    """An empty dict or set of the type of another one, with room for so many items."""
    return type(like)()


def table_find(table, key):
    """The number of a key's entry, -1 if there is none."""
    return next((number for number, known in enumerate(table) if known == key), -1)


def table_end(table):
    """How many entries there are, with those that are removed."""
    return len(table)


def table_next(table, number):
    """The first entry from a number on that is not removed, or how many entries there are."""
    return min(number, len(table))


def table_key(table, number):
    """The key of an entry."""
    return list(table)[number]


def table_value(table, number):
    """What a dict holds in an entry."""
    return list(table.values())[number]


def table_remove(table, number):
    """Removes an entry."""
    key = list(table)[number]
    if isinstance(table, dict):
        del table[key]
    else:
        table.remove(key)


# For Rumba's own library: routines of others on the memory of arrays, which must be aligned. Nothing is checked.

def has_lapack():
    """Whether BLAS and LAPACK are there, with integers of 64 bits."""
    return False


def blas(name, *args):
    """Calls a routine of BLAS by its name in Fortran, without the underscore. Letters are strings or their numbers; an array
    is the address of its first item."""
    raise NotImplementedError(f"{name} is for compiled code")


def lapack(name, *args):
    """Calls a routine of LAPACK without its last argument, `info`, and returns that."""
    raise NotImplementedError(f"{name} is for compiled code")


def sort_items(items, kind):
    """Sorts a vector of numbers that follow each other in place: "quick" or "stable"."""
    items.sort(kind=kind)


def argsort_items(items, places, kind):
    """Puts places in the order of the items of a vector that follow each other."""
    places[:] = places[items[places].argsort(kind=kind)]


# For Rumba's own library: random numbers. A state is a pointer; nothing is checked.

def random_numpy():
    """The state of `np.random` on this thread."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_python():
    """The state of `random` on this thread."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_unit(state):
    """A float from 0 on and below 1, of a state of `np.random` or `random`."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_float(name, state, *values):
    """A float that the runtime's function of this name draws."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_count(name, state, *values):
    """An integer that the runtime's function of this name draws."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_generator(generator):
    """The state of a `numpy.random.Generator`: its bit generator, as C sees it."""
    raise NotImplementedError("the states of random numbers are compiled code's")


# Threads and clocks, for Rumba's own library.

def thread_count():
    """How many threads the process may use."""
    return _rumba.thread_count()


def thread_limit():
    """How many threads the calling thread's parallel loops may use."""
    return _rumba.get_num_threads()


def set_thread_limit(n):
    """Sets that; False for a number that it cannot be."""
    return _rumba.set_num_threads(n)


def thread_id():
    """Which of its loop's threads the calling one is."""
    return _rumba.get_thread_id()


def chunk_size():
    """How many iterations the calling thread asked to be done at a time; 0 leaves it open."""
    return _rumba.get_parallel_chunksize()


def set_chunk_size(n):
    """Sets that: the number before."""
    return _rumba.set_parallel_chunksize(n)


def clock_ns(clock):
    """What a clock shows, in nanoseconds: 0 the time since 1970, 1 a clock that only goes forward, 2 and 3 the processor time
    of the process and of the thread."""
    import time

    return (time.time_ns, time.monotonic_ns, time.process_time_ns, time.thread_time_ns)[clock]()
