"""How code of libraries calls compiled code, fails, and counts who holds memory: `context.call_conv`, `context.nrt` and the
like.

Absent: types and values (`rumba.context`).
"""
from llvmlite import ir

from . import cgutils, errors


class NeedsStatus(Exception):
    """The code may fail, and was begun as code that cannot."""


class Counting:
    """`context.nrt`: what keeps values' memory alive is counted."""

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        raise errors.UnsupportedError(f"a code generator uses `context.nrt.{name}`, which is not there (yet)")

    def incref(self, builder, ty, value):
        """Counts one holder more."""
        self._each(builder, ty, value, "rumba_retain")

    def decref(self, builder, ty, value):
        """Counts one holder less."""
        self._each(builder, ty, value, "rumba_release")

    def _each(self, builder, ty, value, symbol):
        from ._rumba import types as compiler

        owners = compiler.owners(ty)
        if not owners:
            return
        parts = self._context.unpacked(builder, ty, value)
        for at in owners:
            cgutils.call(builder, symbol, ir.VoidType(), [parts[at]])


class CallConvention:
    """`context.call_conv`: how code tells that it failed."""

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        raise errors.UnsupportedError(f"a code generator uses `context.call_conv.{name}`, which is not there (yet)")

    def return_status(self, builder, status):
        """Ends the code with a status that is not 0."""
        if not self._context.can_fail:
            raise NeedsStatus
        returned = builder.function.function_type.return_type
        if isinstance(returned, ir.IntType):
            builder.ret(status)
        else:
            builder.ret(builder.insert_value(ir.Constant(returned, None), status, 0))

    def return_user_exc(self, builder, exc, exc_args=None, loc=None, func_name=None):
        """Ends the code with an exception of this class."""
        api = self._context.get_python_api(builder)
        state = api.gil_ensure()
        exception = exc(*(exc_args or ()))
        api.set_exception(exception)
        api.gil_release(state)
        self.return_status(builder, cgutils.pending_status(builder))

    def return_exc(self, builder):
        """Ends the code with the exception that is set in Python."""
        self.return_status(builder, cgutils.pending_status(builder))


# How many results come back in registers: the status is one of the integers.
_INTEGERS, _FLOATS = 3, 2


def in_registers(results):
    """Whether these results come back in registers."""
    floats = sum(isinstance(part, (ir.FloatType, ir.DoubleType)) for part in results)
    return floats <= _FLOATS and len(results) - floats <= _INTEGERS


def call_at(builder, address, given, results):
    """Calls compiled code at an address: its status and its results."""
    word = cgutils.intp_t
    if not results:
        returned, room = word, None
    elif in_registers([word, *results]):
        returned, room = ir.LiteralStructType([word, *results]), None
    else:
        returned, room = word, cgutils.alloca_once(builder, ir.ArrayType(word, len(results)))
        given = [*given, builder.bitcast(room, cgutils.voidptr_t)]
    kind = ir.FunctionType(returned, [part.type for part in given])
    answer = builder.call(builder.inttoptr(word(address), kind.as_pointer()), given)
    if not results:
        return answer, []
    if room is None:
        return builder.extract_value(answer, 0), [builder.extract_value(answer, at + 1) for at in range(len(results))]
    words = [builder.load(cgutils.gep(builder, room, 0, at)) for at in range(len(results))]
    return answer, [cgutils.from_word(builder, one, part) for one, part in zip(words, results)]


def impl_ret_borrowed(context, builder, retty, value):
    """A result that somebody else holds, too."""
    context.nrt.incref(builder, retty, value)
    return value


def impl_ret_new_ref(context, builder, retty, value):
    """A result that nobody else holds."""
    return value


def impl_ret_untracked(context, builder, retty, value):
    """A result without counted memory."""
    return value
