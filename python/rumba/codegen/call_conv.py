"""The calling convention, failures and reference counts, for code of extensions: `context.call_conv`, `context.nrt`
and the like.

Absent: types and values (`rumba.codegen.target_context`).
"""
from llvmlite import ir

from . import cgutils
from .. import errors


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
        self._each(builder, ty, value, "rumba_incref")

    def decref(self, builder, ty, value):
        """Counts one holder less."""
        self._each(builder, ty, value, "rumba_decref")

    def _require_nrt(self):
        """Memory is always counted."""

    def allocate(self, builder, size):
        """Allocates raw memory of a given size in bytes; null if that fails."""
        return cgutils.call(builder, "NRT_Allocate", cgutils.voidptr_t, [size])

    def free(self, builder, memory):
        """Frees plain memory."""
        cgutils.call(builder, "NRT_Free", ir.VoidType(), [memory])

    def meminfo_alloc(self, builder, size):
        """Allocates reference-counted memory of a given size in bytes, with one reference; MemoryError if that fails."""
        return self._checked(builder, self.meminfo_alloc_unchecked(builder, size))

    def meminfo_alloc_unchecked(self, builder, size):
        """Allocates reference-counted memory of a given size in bytes, with one reference; null if that fails."""
        return cgutils.call(builder, "NRT_MemInfo_alloc_safe", cgutils.voidptr_t, [size])

    def meminfo_alloc_dtor(self, builder, size, dtor):
        """The same, with a function that is called before the memory is freed."""
        return self._checked(builder, self.meminfo_alloc_dtor_unchecked(builder, size, dtor))

    def meminfo_alloc_dtor_unchecked(self, builder, size, dtor):
        """The same; null if there is no memory."""
        return cgutils.call(builder, "NRT_MemInfo_alloc_dtor_safe", cgutils.voidptr_t, [size, dtor])

    def meminfo_alloc_aligned(self, builder, size, align):
        """Counted memory whose items begin at a multiple of `align` bytes; MemoryError if there is none."""
        return self._checked(builder, self.meminfo_alloc_aligned_unchecked(builder, size, align))

    def meminfo_alloc_aligned_unchecked(self, builder, size, align):
        """The same; null if there is no memory."""
        align = cgutils.int32_t(align) if isinstance(align, int) else align
        return cgutils.call(builder, "NRT_MemInfo_alloc_safe_aligned", cgutils.voidptr_t, [size, align])

    def meminfo_data(self, builder, meminfo):
        """Where the items of counted memory begin."""
        return cgutils.call(builder, "NRT_MemInfo_data_fast", cgutils.voidptr_t, [meminfo])

    def get_nrt_api(self, builder):
        """The address of the table of functions for code written in C."""
        return cgutils.call(builder, "NRT_get_api", cgutils.voidptr_t, [])

    def get_meminfos(self, builder, ty, value):
        """The types and addresses of the counted memory that a value holds."""
        from .._rumba import types as compiler

        owners = compiler.owners(ty)
        parts = self._context.unpacked(builder, ty, value) if owners else []
        return [(ty, builder.inttoptr(parts[at], cgutils.voidptr_t)) for at in owners]

    def _checked(self, builder, meminfo):
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, meminfo)):
            self._context.call_conv.return_user_exc(builder, MemoryError, ("Allocation failed",))
        return meminfo

    def _each(self, builder, ty, value, symbol):
        from .._rumba import types as compiler

        owners = compiler.owners(ty)
        if not owners:
            return
        parts = self._context.unpacked(builder, ty, value)
        for at in owners:
            cgutils.call(builder, symbol, ir.VoidType(), [parts[at]])


class CallConvention:
    """`context.call_conv`: how compiled code reports that it failed."""

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
