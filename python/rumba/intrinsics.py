"""Compiler intrinsics. In plain Python they return their argument."""
import functools

from . import _rumba


def literally(obj):
    """Requests that the enclosing function knows the value at compile time: a call with another value compiles the
    function again."""
    return obj


def literal_unroll(container):
    """The items of a tuple, for a loop that is unrolled over them, so that they may have different types."""
    return container


class prange:
    """A range whose iterations may run concurrently: a `for` over it is a parallel loop in a function with
    `parallel=True`, and like one over `range` elsewhere."""

    def __new__(cls, *args):
        return range(*args)


# Scratch arrays are for Rumba's own library: memory for as many values of one type as a tuple has items. A scratch array must
# not leave the function that makes it, and places are not checked.

def scratch(items):
    """A scratch array with the items of a tuple, which have one type."""
    return list(items)


def scratch_like(items, value):
    """A scratch array for as many values of the type of `value` as a tuple has items."""
    return [value] * len(items)


def scratch_get(scratch, index):
    """An item of a scratch array, by index."""
    return scratch[index]


def scratch_set(scratch, index, value):
    """Stores a value in a scratch array, by index."""
    scratch[index] = value


def scratch_items(scratch):
    """The items of a scratch array, as a list."""
    return list(scratch)


def new_object(ty):
    """An object of a type whose fields are not set yet."""
    return _maker(ty)()


@functools.cache
def _maker(ty):
    from .decorators import njit

    return njit(lambda: new_object(ty))


def set_field(obj, name, value):
    """Sets a field of a compiled object by name, bypassing its class."""
    object.__setattr__(obj, name, value)


def cell_contents(variable):
    """What a variable of a function that has returned holds."""
    raise NotImplementedError("variables that outlive their function are read by compiled code only")


# Strings are immutable for everybody else: the characters of a new one are written before anybody reads it.

def string_new(width, length):
    """A string of zeros with 1, 2 or 4 bytes per character."""
    raise NotImplementedError("only compiled code makes strings whose characters are written later")


def string_write(text, index, code_point):
    """Writes a character of a string that `string_new` made."""
    raise NotImplementedError("only compiled code writes the characters of a string")


# For Rumba's own library: arrays over memory that is there. Nothing is checked.

def array_view(array, dtype, offset, shape, strides, layout):
    """An array over the memory of another one, starting `offset` bytes after its first element. The layout is "C",
    "F" or "A"; strides are only used with "A"."""
    import numpy

    strides = tuple(strides) if layout == "A" else None
    return numpy.ndarray(shape, dtype, array, offset, strides, "F" if layout == "F" else "C")


def array_at(address, dtype, shape, layout):
    """An array at an address; the array does not own the memory."""
    from .c_interop.pointer_arrays import array_at

    return array_at(address, dtype, shape, layout)


def array_copy(array, dtype, layout):
    """The elements converted to another type in new memory, in C or Fortran order ("C" or "F")."""
    return array.astype(dtype, order=layout)


def array_readonly(array):
    """The same array, read-only."""
    view = array.view()
    view.flags.writeable = False
    return view


def array_bytes(array):
    """The elements of a contiguous vector of bytes as `bytes` over the same memory, which must not be written any
    more."""
    return array.tobytes()


def array_bytearray(array):
    """The elements of a contiguous vector of bytes as a `bytearray` over the same memory."""
    return bytearray(array.tobytes())


def array_address(array):
    """The address of an array's first element."""
    return array.ctypes.data


def ufunc_loop(name, addresses, lengths, steps, *operands):
    """Calls the inner loop of a ufunc in C, by `module:ufunc:types`, with NumPy's convention: the addresses of its operands, the number
    of calls and the core dimensions, the strides along the calls and along the core dimensions, as vectors of int64. Operands are
    arrays that must live until then."""
    raise NotImplementedError("inner loops are called by compiled code")


def ufunc_call(name, *values):
    """Calls the inner loop of a C ufunc, by `module:ufunc:types`, for scalars of its argument types: a number, or the
    tuple of its results."""
    raise NotImplementedError("inner loops are called by compiled code")


def expression_item(text, index, operands):
    """The element of an array expression at an index. The text is the program of `arrayexpr`; the arrays are
    C-contiguous and have one shape."""
    raise NotImplementedError("expressions of arrays are compiled code's")


def arrayexpr(text, *operands):
    """The array that an array expression computes. The text is in postfix order: `0 1 numpy.multiply`."""
    raise NotImplementedError("expressions of arrays are compiled code's")


def rarely():
    """At the beginning of a branch: marks it as rarely executed, so that it is compiled lazily."""


def stencil_point(array, indices):
    """An array relative to one element: indices are offsets from there."""
    raise NotImplementedError("a stencil's kernel is compiled code")


def count_true(mask):
    """How many items of an array of booleans without gaps are true."""
    return int(mask.sum())


def raise_if(condition, name, text, *values):
    """Raises an exception with values in its message if the condition holds."""
    import builtins

    import numpy

    if condition:
        raise (getattr(builtins, name, None) or getattr(numpy.exceptions, name))(text.format(*values))


def present(value):
    """The content of an optional value; raises TypeError if it is None."""
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
    """Whether two items are identical or equal, as containers compare."""
    return a is b or bool(a == b)


# For Rumba's own library: lists by places that are not checked. Items change hands: what is taken is not
# there any more, and what is written to a place that was taken, or in a gap, replaces nothing.

def list_new(like, capacity):
    """An empty list of the type of another one, with the given capacity."""
    return []


def list_room(items):
    """The capacity of a list."""
    return len(items)


def list_change(items):
    """Called before a modification: raises ValueError if the list is immutable."""


def list_freeze(items):
    """Makes a `typed.List` immutable."""


def list_frozen(items):
    """Whether a list was made immutable."""
    return False


def list_item(items, index):
    """An item, unchecked."""
    return items[index]


def list_take(items, index):
    """Moves an item out of the list."""
    return items[index]


def list_write(items, index, value):
    """Stores a value in an empty place."""
    items[index] = value


def list_push(items, value):
    """Appends a value within the capacity."""
    items.append(value)


def list_gap(items, index, count):
    """Opens a gap of the given number of items before an index, to be written next."""
    items[index:index] = [None] * count


def list_close(items, index, count):
    """Closes a gap of moved-out items."""
    del items[index:index + count]


def list_sort(items):
    """Sorts numbers."""
    items.sort()


def list_arrange(keys, order):
    """Sorts indices by the keys at these indices, stably."""
    order.sort(key=lambda place: keys[place])


# For Rumba's own library: dicts and sets by the numbers of their entries, in the order in which they were put in. The last
# entry is never a removed one; others may be.

def table_new(like, capacity):
    """An empty dict or set of the type of another one, with the given capacity."""
    return type(like)()


def frozen_set(items):
    """The same items as a frozen set; nobody changes the set afterwards."""
    return frozenset(items)


def deque_bound(items):
    """One more than the `maxlen` of a deque, 0 if it has none."""
    return 0 if items.maxlen is None else items.maxlen + 1


def set_deque_bound(items, bound):
    """Gives a deque without items a `maxlen`, told in the same way."""
    raise NotImplementedError


def default_factory(table):
    """The factory of a `defaultdict`."""
    return table.default_factory


def table_find(table, key):
    """The number of a key's entry, -1 if there is none."""
    return next((number for number, known in enumerate(table) if known == key), -1)


def is_same_key(one, other):
    """Whether two keys of one type are one object, or tuples of the same objects and equal values."""
    return all(map(is_same_key, one, other)) if isinstance(one, tuple) else one is other


def table_of_keys(view):
    """The dict of which `d.keys()` is a view."""
    return view.mapping


def table_find_hash(table, hashed, after):
    """Of the entries whose keys have a hash, the number of the next one after a slot, where -1 begins, and its slot; -1 if there are
    no more."""
    same = [number for number, known in enumerate(table) if hash(known) == hashed and number > after]
    return (same[0], same[0]) if same else (-1, after)


def table_insert(table, hashed, key, *value):
    """Adds an entry for a key that is not there, whose hash is given; to a dict with its value."""
    if value:
        table[key] = value[0]
    else:
        table.add(key)


def table_replace(table, number, value):
    """Changes the value of an entry."""
    table[list(table)[number]] = value


def table_end(table):
    """The number of entries, including removed ones."""
    return len(table)


def table_next(table, number):
    """The first entry that is not removed, starting at a number, or the number of entries."""
    return min(number, len(table))


def table_key(table, number):
    """The key of an entry."""
    return list(table)[number]


def table_value(table, number):
    """The value of an entry."""
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
    """Whether BLAS and LAPACK with 64-bit integers are available."""
    return False


def blas(name, *args):
    """Calls a BLAS routine by its Fortran name, without the underscore. Letters are strings or character codes; an
    array is passed as the address of its first element."""
    raise NotImplementedError(f"{name} is for compiled code")


def lapack(name, *args):
    """Calls a LAPACK routine without its last argument, `info`, and returns `info`."""
    raise NotImplementedError(f"{name} is for compiled code")


def sort_items(items, kind):
    """Sorts a contiguous vector of numbers in place: "quick" or "stable"."""
    items.sort(kind=kind)


def argsort_items(items, places, kind):
    """Sorts indices by the elements of a contiguous vector."""
    places[:] = places[items[places].argsort(kind=kind)]


# For Rumba's own library: random numbers. A state is a pointer; nothing is checked.

def random_numpy():
    """The state of `np.random` on this thread."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_python():
    """The state of `random` on this thread."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_unit(state):
    """A float in [0, 1), from a state of `np.random` or `random`."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_word(state):
    """An integer in [0, 2**32), from a state of `np.random` or `random`."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_float(name, state, *values):
    """A float drawn by the runtime function of this name."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_count(name, state, *values):
    """An integer drawn by the runtime function of this name."""
    raise NotImplementedError("the states of random numbers are compiled code's")


def random_generator(generator):
    """The state of a `numpy.random.Generator`: its bit generator in C form."""
    raise NotImplementedError("the states of random numbers are compiled code's")


# Threads and clocks, for Rumba's own library.

def thread_count():
    """The maximum number of threads of the process."""
    return _rumba.thread_count()


def thread_limit():
    """The number of threads that parallel loops of the calling thread may use."""
    return _rumba.get_num_threads()


def set_thread_limit(n):
    """Sets the number of threads; False if it is invalid."""
    return _rumba.set_num_threads(n)


def thread_id():
    """The id of the calling thread in its parallel loop."""
    return _rumba.get_thread_id()


def chunk_size():
    """How many iterations the calling thread asked to be done at a time; 0 leaves it open."""
    return _rumba.get_parallel_chunksize()


def set_chunk_size(n):
    """Sets the chunk size and returns the previous one."""
    return _rumba.set_parallel_chunksize(n)


def clock_ns(clock):
    """The time of a clock in nanoseconds: 0 since 1970, 1 monotonic, 2 and 3 the processor time of the process and of
    the thread."""
    import time

    return (time.time_ns, time.monotonic_ns, time.process_time_ns, time.thread_time_ns)[clock]()
