"""Reference counts and iterator lengths, for compiled code that inspects itself."""
from ..extending import intrinsic, register_jitable


@intrinsic
def get_refcount(typingctx, value):
    """How many hold the counted memory of a value: of an array, a list, a dict and the like. Code is made by llvmlite.

    >>> import numpy as np
    >>> from rumba import njit
    >>> njit(lambda n: get_refcount(np.zeros(n)) >= 1)(3)
    True
    """
    from .. import types

    def codegen(context, builder, signature, args):
        from llvmlite import ir

        from .. import errors
        from ..codegen import cgutils

        held = context.nrt.get_meminfos(builder, value, args[0])
        if len(held) != 1:
            raise errors.TypingError(f"a value of type {value} does not hold one piece of counted memory, but {len(held)}")
        count = cgutils.call(builder, "NRT_MemInfo_refcount", cgutils.intp_t, [held[0][1]])
        return builder.trunc(count, ir.IntType(32))

    return types.int32(value), codegen


@register_jitable
def length_of_iterator(values):
    """How many values an iterator has left. They are used up.

    >>> length_of_iterator(iter(range(3, 10, 2)))
    4
    """
    count = 0
    for _ in values:
        count += 1
    return count
