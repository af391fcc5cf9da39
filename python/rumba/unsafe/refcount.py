"""Reference counts and iterator lengths, for compiled code that inspects itself."""
from ..extending import intrinsic, overload, register_jitable
from ..intrinsics import literal_unroll


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


def dump_refcount(obj):
    """Prints how many hold the counted memory of a value and of the items of a tuple: for compiled code, which counts.

    >>> import numpy as np
    >>> from rumba import njit
    >>> njit(lambda n: dump_refcount(np.zeros(n)))(3)
    dump refct of array(float64, 1d, C)
     | array(float64, 1d, C) refct = 1
    """
    import sys

    print(f"dump refct of {type(obj).__name__}\n | {type(obj).__name__} refct = {sys.getrefcount(obj) - 1}")


@overload(dump_refcount)
def _dump_refcount(obj):
    from .. import types

    heading = f"dump refct of {obj}"
    if isinstance(obj, types.BaseTuple):
        def dump(obj):
            print(heading)
            for item in literal_unroll(obj):
                _dump_item(item)
        return dump

    def dump(obj):
        print(heading)
        _dump_item(obj)
    return dump


def _dump_item(item):
    """One line."""


@overload(_dump_item)
def _print_item(item):
    row = f" | {item} refct ="

    def dump(item):
        print(row, get_refcount(item))
    return dump
