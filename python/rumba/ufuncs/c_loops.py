"""C loops around compiled functions, and the NumPy ufuncs created from them.

NumPy calls a loop with the addresses of its operands, their lengths and their steps. Each loop is a callback
(`rumba.c_interop.callbacks`) that is generated as Python source over the compiled function; what NumPy does with
it (broadcasting, conversions, `out=`, `reduce`, `at`) is NumPy's. A loop has two bodies: one for rows
that are contiguous, which goes onto vectors, and one for all others.
"""
import ctypes

from .. import _rumba, source_text, types
from ..decorators import always_njit
from ..c_interop.pointer_arrays import carray
from ..intrinsics import array_at, array_view
from ..types import Signature

_WORDS = types.CPointer(types.intp)
LOOP = Signature(types.void, (_WORDS, _WORDS, _WORDS, types.voidptr), None)


class _UFuncHead(ctypes.Structure):
    """The beginning of NumPy's `PyUFuncObject`, as its header `ufuncobject.h` has it since 1.7."""

    _fields_ = [
        ("head", ctypes.c_byte * object.__basicsize__),
        *((name, ctypes.c_int) for name in ("nin", "nout", "nargs", "identity")),
        *((name, ctypes.c_void_p) for name in ("functions", "data")),
        *((name, ctypes.c_int) for name in ("ntypes", "reserved1")),
        *((name, ctypes.c_void_p) for name in ("name", "types", "doc", "ptr", "obj", "userloops")),
        *((name, ctypes.c_int) for name in ("core_enabled", "core_num_dim_ix")),
        *((name, ctypes.c_void_p) for name in (
            "core_num_dims", "core_dim_ixs", "core_offsets", "core_signature", "type_resolver", "dict", "vectorcall",
            "reserved3")),
        ("op_flags", ctypes.POINTER(ctypes.c_uint32)),
    ]


# NPY_ITER_READWRITE | NPY_ITER_ALIGNED | NPY_ITER_UPDATEIFCOPY: where an operand is converted, its items go into the copy
# first, and come back.
_READ_AND_WRITTEN = 0x00010000 | 0x00100000 | 0x00800000
# NPY_ITER_ALLOCATE | NPY_ITER_NO_SUBTYPE | NPY_ITER_NO_BROADCAST: what NumPy has for results.
_RESULT = 0x01000000 | 0x02000000 | 0x08000000

# What a ufunc begins with: NumPy's numbers for it.
IDENTITIES = {None: -1, 0: 0, 1: 1, "reorderable": -2}


def dtype_of(ty):
    """NumPy's type for the items of a loop's operand."""
    from ..types.typeof import as_dtype

    return as_dtype(getattr(ty, "dtype", ty))


def _made(name, body, kernel, dtypes):
    function = source_text.function("loop(addresses, lengths, steps, data)", body, {
        "carray": carray, "array_at": array_at, "array_view": array_view, "kernel": kernel,
        **{f"T{at}": dtype for at, dtype in enumerate(dtypes)}})
    # Exceptions that leave a function of this name are for NumPy to raise.
    function.__name__ = function.__qualname__ = f"<ufunc {name}>"
    function.__code__ = function.__code__.replace(co_name=function.__name__, co_qualname=function.__name__)
    return Loop(function, kernel.targetoptions.get("cache", False))


class Loop:
    """A loop of C. Its code stays for ever: ufuncs hold its address alone."""

    objectmode = False

    def __init__(self, function, cache):
        self.function = always_njit(function, cache=cache)
        unit = self.function._unit_callback(LOOP)
        self.address, _ = unit.callback()
        self.data = None
        unit.keep_alive()

    def share(self, operands, lengths, written):
        """The loop, which several threads run from now on; `written`: the places of operands that it writes."""
        self.address, self.data = _rumba.shared_loop(self.address, operands, lengths, sum(1 << at for at in written))
        return self


def elementwise(name, kernel, dtypes, is_parallel=False):
    """The loop of a function of numbers, with one result: `dtypes` of the arguments and of the result."""
    every = range(len(dtypes))
    call = f"x{every[-1]}[i] = kernel({', '.join(f'x{at}[i]' for at in every[:-1])})"
    rows = [f"x{at} = array_at(a[{at}], T{at}, (n,), 'C')" for at in every]
    strided = [f"x{at} = array_view(array_at(a[{at}], T{at}, (n,), 'C'), T{at}, 0, (n,), (s[{at}],), 'A')" for at in every]
    lines = [f" a = carray(addresses, {len(dtypes)})", f" s = carray(steps, {len(dtypes)})", " n = carray(lengths, 1)[0]",
             " if " + " and ".join(f"s[{at}] == {dtype.itemsize}" for at, dtype in enumerate(dtypes)) + ":",
             *("  " + row for row in rows), "  for i in range(n):", "   " + call,
             " else:", *("  " + row for row in strided), "  for i in range(n):", "   " + call]
    loop = _made(name, lines, kernel, dtypes)
    return loop.share(len(dtypes), 1, [len(dtypes) - 1]) if is_parallel else loop


def of_rows(name, kernel, operands, letters, written=()):
    """The loop of a function of whole rows. `operands`: types; `letters`: the names of each one's dimensions; `written`: the places
    of operands that several threads may write, if they are to run the loop.
    """
    order = list(dict.fromkeys(letter for names in letters for letter in names))
    dtypes = [dtype_of(ty) for ty in operands]
    count, at_step, tests, rows, strided = len(operands), len(operands), [], [], []
    for at, (ty, names) in enumerate(zip(operands, letters)):
        place = f"a[{at}] + i * s[{at}]"
        steps = [f"s[{at_step + number}]" for number in range(len(names))]
        at_step += len(names)
        if not names:
            whole = f"array_at({place}, T{at}, (1,), 'C')"
            rows.append(whole if isinstance(ty, types.Array) else f"{whole}[0]")
            strided.append(rows[-1])
            continue
        lengths = [f"d[{1 + order.index(letter)}]" for letter in names]
        shape = f"({', '.join(lengths)},)"
        rows.append(f"array_at({place}, T{at}, {shape}, 'C')")
        strided.append(f"array_view({rows[-1]}, T{at}, 0, {shape}, ({', '.join(steps)},), 'A')")
        tests += [f"{step} == {' * '.join([str(dtypes[at].itemsize), *lengths[number + 1:]])}"
                  for number, step in enumerate(steps)]
    lines = [f" a = carray(addresses, {count})", f" d = carray(lengths, {1 + len(order)})", f" s = carray(steps, {at_step})",
             f" if {' and '.join(tests) or 'True'}:", "  for i in range(d[0]):", f"   kernel({', '.join(rows)})"]
    if tests:
        lines += [" else:", "  for i in range(d[0]):", f"   kernel({', '.join(strided)})"]
    loop = _made(name, lines, kernel, dtypes)
    return loop.share(count, 1 + len(order), written) if written else loop


def ufunc(name, doc, loops, inputs, outputs, identity, signature=None, changed=()):
    """A ufunc of NumPy's. `loops`: (dtypes of all operands, callback), in the order in which they are tried;
    `changed`: the places of operands that the loops read and write."""
    from numpy._core import _multiarray_umath

    pointer = ctypes.c_void_p
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(address(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(pointer))
    functions = (pointer * len(loops))(*(loop.address for _, loop in loops))
    data = (pointer * len(loops))(*(loop.data for _, loop in loops))
    numbers = bytes(dtype.num for dtypes, _ in loops for dtype in dtypes)
    kinds = (ctypes.c_char * max(1, len(numbers))).from_buffer(bytearray(numbers or b"\0"))
    name, doc = name.encode(), (doc or "").encode()
    # NumPy's table of functions: 1 is PyUFunc_FromFuncAndData, 31 the one with a signature.
    kind = [ctypes.py_object, pointer, pointer, pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int,
            ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    arguments = [functions, data, kinds, len(loops), inputs, outputs, IDENTITIES[identity], name, doc, 0]
    number = 1
    if signature is not None:
        number, signature = 31, signature.encode()
        kind.append(ctypes.c_char_p)
        arguments.append(signature)
    made = ctypes.PYFUNCTYPE(*kind)(table[number])(*arguments)
    flags = _UFuncHead.from_address(id(made)).op_flags
    for at in changed:
        flags[at] = _READ_AND_WRITTEN | (_RESULT if at >= inputs else 0)
    # The ufunc points into these, and nobody knows when it ends: they stay.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object((functions, data, kinds, name, doc, signature)))
    return made
