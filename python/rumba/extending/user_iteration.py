"""Iteration over extension types: `lower_builtin("getiter", T)` creates an iterator, `lower_builtin("iternext", I)`
with `iternext_impl` its next item.

In compiled code, `iter(value)` becomes a generator over that code:

    def items(value):
        iterator = begin(value)
        while True:
            valid, item, iterator = advance(iterator)
            if not valid:
                return
            yield item

Absent: templates (`rumba.extending.templates`), iteration that an overload of `iter` implements, which needs nothing of this.
"""
import contextlib
import enum
import functools

from .. import errors, types
from . import lower_builtin, overload_registry
from ..codegen import intrinsic


class RefType(enum.Enum):
    """Who holds what `iternext` yields."""

    BORROWED = 1
    NEW = 2
    UNTRACKED = 3


def iternext_impl(ref_type=None):
    """Decorates the code `codegen(context, builder, sig, args, result)` of the next item: it says by `result` whether there is
    one, and which. With `RefType.BORROWED` somebody else holds the item, too."""
    if not isinstance(ref_type, RefType):
        raise ValueError(f"iternext_impl() takes a RefType, not {ref_type!r}: who holds what is yielded?")

    def decorate(written):
        @functools.wraps(written)
        def codegen(context, builder, sig, args):
            pair = context.make_helper(builder, sig.return_type)
            written(context, builder, sig, args, Result(context, builder, pair))
            if ref_type is RefType.BORROWED:
                context.nrt.incref(builder, sig.return_type.first_type, pair.first)
            return pair._getvalue()

        return codegen

    return decorate


class Result:
    """What `iternext` gives: an item, and whether there is one."""

    def __init__(self, context, builder, pair):
        self._context, self._builder, self._pair = context, builder, pair

    def set_exhausted(self):
        """There is no item."""
        self.set_valid(False)

    def set_valid(self, is_valid=True):
        """Says whether there is an item."""
        from ..codegen import cgutils

        self._pair.second = cgutils.bool_t(int(is_valid)) if isinstance(is_valid, bool) else is_valid

    def yield_(self, value):
        """Says what the item is."""
        self._pair.first = value

    def is_valid(self):
        """Whether there is an item."""
        return self._pair.second

    def yielded_value(self):
        """The item."""
        return self._pair.first


# For code that goes through values itself.

def call_getiter(context, builder, iterable_type, val):
    """The iterator over a value."""
    written = _begin_code(iterable_type)
    return written(context, builder, types.signature(iterator_of(iterable_type), iterable_type), [val])


def call_iternext(context, builder, iterator_type, val):
    """The next item of an iterator, as a `Result`."""
    item = item_of(iterator_type)
    sig = types.signature(types.Pair(item, types.bool_), iterator_type)
    value = _advance_code(iterator_type)(context, builder, sig, [val])
    return Result(context, builder, context.make_helper(builder, sig.return_type, value))


@contextlib.contextmanager
def for_iter(context, builder, iterable_type, val):
    """Code for each item of a value: gives the item and a function that writes the end of the loop."""
    from ..codegen import cgutils

    iterator_type = iterator_of(iterable_type)
    iterator = call_getiter(context, builder, iterable_type, val)
    head, end = builder.append_basic_block("for_iter.body"), builder.append_basic_block("for_iter.end")
    builder.branch(head)
    with builder.goto_block(head):
        result = call_iternext(context, builder, iterator_type, iterator)
        with builder.if_then(builder.not_(result.is_valid())):
            builder.branch(end)
        yield result.yielded_value(), lambda: builder.branch(end)
        if not builder.block.is_terminated:
            builder.branch(head)
    builder.position_at_end(end)
    if context.nrt is not None and not isinstance(iterator, cgutils.ir.Constant):
        context.nrt.decref(builder, iterator_type, iterator)


# Types.

def iterator_of(ty):
    """The type of the iterator over values of a type, as a template or the type says it; None if neither does."""
    stated = _stated("getiter", ty)
    return getattr(ty, "iterator_type", None) if stated is None else stated


def item_of(iterator):
    """The type of what an iterator yields; None if nobody says it."""
    stated = _stated("iternext", iterator)
    if stated is not None:
        return stated.first_type if isinstance(stated, types.Pair) else stated
    return getattr(iterator, "yield_type", None)


def _stated(key, ty):
    from ..compat.targets import cpu_target

    for one in overload_registry.registered(key):
        found = one.typed(cpu_target.typing_context, (ty,))
        if found is not None:
            return found.return_type
    return None


# Code.

def _begin_code(ty):
    written = lower_builtin.lowering_of("getiter", (ty,))
    if written is None and isinstance(ty, types.IteratorType):
        return _itself
    return written


def _itself(context, builder, sig, args):
    context.nrt.incref(builder, sig.return_type, args[0])
    return args[0]


def _advance_code(iterator):
    return lower_builtin.lowering_of("iternext", (iterator,))


def _begin(iterator):
    """What makes the iterator over a value."""
    def begin(typingctx, value):
        def codegen(context, builder, sig, args):
            return _begin_code(value)(context, builder, sig, args)

        return iterator(value), codegen

    return intrinsic.intrinsic(begin)


def _advance(iterator, item):
    """What gives whether there is a next item, the item, and the iterator as it is then."""
    result = types.Tuple([types.bool_, item, iterator])

    def advance(typingctx, at):
        def codegen(context, builder, sig, args):
            pair = types.signature(types.Pair(item, types.bool_), at)
            next_one = context.make_helper(builder, pair.return_type, _advance_code(at)(context, builder, pair, args))
            context.nrt.incref(builder, at, args[0])
            return context.make_tuple(builder, result, [next_one.second, next_one.first, args[0]])

        return result(at), codegen

    return intrinsic.intrinsic(advance)


class Iteration(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks for `iter(value)` and loops over values."""

    library = is_fallback = True

    def __init__(self):
        self.function = lower_builtin.iteration
        # Type -> the code that it was made for and the compiled function.
        self._made = {}

    def implementation(self, args, keywords):
        """The generator function for values of this type, or None."""
        if keywords or len(args) != 1 or args[0].is_internal:
            return None
        (ty,) = args
        iterator = iterator_of(ty)
        begin = _begin_code(ty)
        if iterator is None or begin is None:
            return None
        item, advance = item_of(iterator), _advance_code(iterator)
        if item is None or advance is None:
            raise errors.LoweringError(
                f"values of {ty} are gone through by {iterator}, of which no code says what comes next: register it with "
                "`lower_builtin(\"iternext\", ...)` and `iternext_impl`")
        found = self._made.get(ty)
        if found is None or found[0] != (begin, advance):
            found = self._made[ty] = (begin, advance), _generator(_begin(iterator), _advance(iterator, item))
        return found[1]

    def place(self):
        """How messages call it."""
        return "'getiter'"


def _generator(begin, advance):
    from ..decorators import njit

    def items(value):
        iterator = begin(value)
        while True:
            valid, item, iterator = advance(iterator)
            if not valid:
                return
            yield item

    return njit(items)
