"""Machine code that unboxes, boxes and converts values of extension types, written by the functions registered with
`unbox`, `box` and `lower_cast`.

Each function of a library runs once for a type. What it writes becomes a function of C that Rumba calls.
"""
import itertools
import threading

from llvmlite import ir

from . import cgutils
from .. import fork_locks
from ..extending import typeof_box
from .target_context import Context
from ..types import Type

_lock = fork_locks.lock()
_numbers = itertools.count()
# (what, type, library function) -> symbol, text, whether it needs a cleanup after the call.
_written = {}
# What that code knows by address.
_kept = []
# Types whose values a thread writes the code for, which takes them in.
_thread = threading.local()


def _context():
    """The context of code that is never given up."""
    context = Context()
    context.kept = _kept
    return context


class _Constants:
    """`c.env_manager`: Python's objects in the code, which stay alive."""

    def __init__(self, pyapi):
        self._pyapi, self._values = pyapi, []

    def add_const(self, value):
        """The index of an object."""
        self._values.append(value)
        return len(self._values) - 1

    def read_const(self, index):
        """A borrowed reference to the object of an index."""
        return self._pyapi.known_object(self._values[index])


class BoxContext:
    """What `box` and `unbox` functions get as `c`."""

    def __init__(self, builder, context=None, pyapi=None):
        self.builder, self.context = builder, context or _context()
        self.pyapi = pyapi or self.context.get_python_api(builder)
        self.env_manager = _Constants(self.pyapi)

    def box(self, ty, value):
        """A new reference to the object of a value, whose memory is given up."""
        return self.pyapi.from_native_value(ty, value)

    def unbox(self, ty, obj):
        """The value of an object."""
        return self.pyapi.to_native_value(ty, obj)


def unboxing(ty):
    """Symbol and text of the function that unboxes values of a type, and whether it needs a cleanup after the call."""
    function = typeof_box.unboxer(ty)
    if function is None:
        raise TypeError(f"can't unbox {ty} type: no function is registered with `unbox`")
    return _known("unbox", ty, function, _write_unboxing)


def unboxed(ty, obj, c):
    """The value of an object inside of the code of another one, where it has to be cleaned up with that; None where
    nothing is cleaned up."""
    if not isinstance(ty, Type) or typeof_box.unboxer(ty) is None or ty in _thread.__dict__.get("types", ()):
        return None
    if not unboxing(ty)[2]:
        return None
    native = typeof_box.unboxer(ty)(ty, obj, c)
    return typeof_box.NativeValue(native.value, _failed(c.builder, c, native), native.cleanup)


def boxing(ty):
    """Symbol and text of the function that hands values of a type out, which leaves nothing to clean up."""
    function = typeof_box.boxer(ty)
    if function is None:
        raise TypeError(f"cannot convert native {ty} to Python object: no function is registered with `box`")
    return _known("box", ty, function, _write_boxing)


def _known(what, ty, function, write):
    key = what, ty, function
    with _lock:
        found = _written.get(key)
    if found is None:
        found = write(f"{what}.{next(_numbers)}", ty, function)
        with _lock:
            found = _written.setdefault(key, found)
    return found


def _begin(symbol, returned, params):
    module = ir.Module(symbol)
    function = ir.Function(module, ir.FunctionType(returned, params), symbol)
    return module, function, ir.IRBuilder(function.append_basic_block("entry"))


def _write_unboxing(symbol, ty, function):
    """`i64 unbox(object, words, resume, context)`: not 0 with an exception set. A value that has to be cleaned up is used
    in `resume(context)`, so that the code which cleans up knows all that the code which took it in has made."""
    pointer, word = cgutils.voidptr_t, cgutils.intp_t
    module, made, builder = _begin(symbol, word, [pointer] * 4)
    c = BoxContext(builder)
    around = _thread.__dict__.setdefault("types", [])
    around.append(ty)
    try:
        native = function(ty, made.args[0], c)
    finally:
        around.pop()
    parts = c.context.unpacked(builder, ty, native.value)
    words = builder.bitcast(made.args[1], word.as_pointer())
    failed = _failed(builder, c, native)
    with builder.if_then(builder.not_(failed)):
        for at, part in enumerate(parts):
            builder.store(cgutils.to_word(builder, part), builder.gep(words, [word(at)]))
        if native.cleanup is not None:
            resume = builder.bitcast(made.args[2], ir.FunctionType(ir.VoidType(), [pointer]).as_pointer())
            builder.call(resume, [made.args[3]])
            native.cleanup()
    builder.ret(builder.zext(failed, word))
    return symbol, str(module), native.cleanup is not None


def _failed(builder, c, native):
    """Whether a value could not be taken in. Who does not say it has left an exception."""
    if native.is_error is None:
        return c.pyapi.c_api_error()
    if isinstance(native.is_error, bool):
        return cgutils.bool_t(native.is_error)
    return native.is_error


def _write_boxing(symbol, ty, function):
    """`object box(words)`: null with an exception set."""
    pointer, word = cgutils.voidptr_t, cgutils.intp_t
    module, made, builder = _begin(symbol, pointer, [pointer])
    c = BoxContext(builder)
    words = builder.bitcast(made.args[0], word.as_pointer())
    parts = [cgutils.from_word(builder, builder.load(builder.gep(words, [word(at)])), kind)
             for at, kind in enumerate(c.context.parts(ty))]
    value = c.context.packed(builder, ty, iter(parts))
    builder.ret(builder.bitcast(function(ty, value, c), pointer))
    return symbol, str(module), False


def constant(ty, value):
    """Symbol and text of the function `void constant(words)` that writes a value as a constant, and what it knows by address;
    None if no library says what constants of its type are."""
    function = typeof_box.constant(ty)
    if function is None:
        return None
    pointer, word = cgutils.voidptr_t, cgutils.intp_t
    symbol = f"constant.{next(_numbers)}"
    module, made, builder = _begin(symbol, ir.VoidType(), [pointer])
    context = Context()
    parts = context.unpacked(builder, ty, function(context, builder, ty, value))
    words = builder.bitcast(made.args[0], word.as_pointer())
    for at, part in enumerate(parts):
        builder.store(cgutils.to_word(builder, part), builder.gep(words, [word(at)]))
    builder.ret_void()
    return symbol, str(module), context.kept
