"""Types derived from `types.Array`, with a data model of their own: those of subclasses of `numpy.ndarray`.

Functions, attributes and methods take such a value as the array that it is. The result of a ufunc is of the class that
`__array_ufunc__` of the type names, in memory from `_allocate` of that class (`overload_classmethod`), where it has one. An array
that indexing, an attribute or a method gives is of the type that `copy` of the type makes: a plain array unless that is overridden.
Every such value has the members `meminfo`, `data`, `shape` and `strides`; what else its model has is zero.

Absent: plain arrays, and values that become arrays by `lower_builtin("__array__", ...)` (`rumba.extending.implicit_conversion`).
"""
import functools

import numpy

from .. import source_text, types
from ..codegen import arrayobj, cgutils
from ..codegen.intrinsic import intrinsic
from . import overload_registry, typeof_box

# Function of `operator` -> the ufunc that it is of arrays.
_UFUNCS = {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "truediv": numpy.true_divide,
    "floordiv": numpy.floor_divide, "mod": numpy.remainder, "pow": numpy.power, "matmul": numpy.matmul,
    "and_": numpy.bitwise_and, "or_": numpy.bitwise_or, "xor": numpy.bitwise_xor, "lshift": numpy.left_shift,
    "rshift": numpy.right_shift, "lt": numpy.less, "le": numpy.less_equal, "gt": numpy.greater, "ge": numpy.greater_equal,
    "eq": numpy.equal, "ne": numpy.not_equal, "neg": numpy.negative, "pos": numpy.positive, "invert": numpy.invert,
    "abs": numpy.absolute}
_INPLACE = {f"i{name.rstrip('_')}" for name in _UFUNCS}


def is_subclass(ty):
    """Whether a type is one of those.

    >>> from rumba import types
    >>> is_subclass(types.float64[:])
    False
    """
    return isinstance(ty, types.Array) and not ty.is_internal


def plain_type(ty):
    """The type of the array that a value is."""
    return types.Array(ty.dtype, ty.ndim, ty.layout, readonly=not ty.mutable, aligned=ty.aligned)


def _converted(context, builder, value, source, target, meminfo=None):
    """A value with the members of an array that another one has, over the same memory, or over counted memory."""
    given = cgutils.create_struct_proxy(source)(context, builder, value=value)
    made = cgutils.create_struct_proxy(target)(context, builder)
    data = given.data if meminfo is None else context.nrt.meminfo_data(builder, meminfo)
    owner = given.meminfo if meminfo is None else meminfo
    item_size = arrayobj.get_itemsize(context, source)
    return arrayobj.populate_array(made, data, given.shape, given.strides, item_size, owner)._getvalue()


@intrinsic
def as_array(typingctx, value):
    """The array that a value is."""
    if not is_subclass(value):
        return None

    def codegen(context, builder, signature, args):
        array = _converted(context, builder, args[0], value, signature.return_type)
        context.nrt.incref(builder, signature.return_type, array)
        return array

    return plain_type(value)(value), codegen


# Python's objects.

def _unbox(ty, obj, c):
    native = c.unbox(plain_type(ty), obj)
    value = _converted(c.context, c.builder, native.value, plain_type(ty), ty)
    return typeof_box.NativeValue(value, is_error=native.is_error, cleanup=native.cleanup)


def to_object(ty, value, c):
    """A new reference to the object of a value, which is given up: the one that it came from, or a view of the class of the type."""
    array = value if ty.is_internal else _converted(c.context, c.builder, value, ty, plain_type(ty))
    made, builder = c.box(plain_type(ty), array), c.builder
    place = cgutils.alloca_once_value(builder, made)
    if ty.box_type is not numpy.ndarray:
        api = c.pyapi
        with builder.if_then(cgutils.is_not_null(builder, made)):
            wanted = api.unserialize(api.serialize_object((_view, ty.box_type)))
            function, cls = (api.sequence_getitem(wanted, at) for at in (0, 1))
            builder.store(api.call_function_objargs(function, (made, cls)), place)
            for done in (made, function, cls, wanted):
                api.decref(done)
    return builder.load(place)


def _view(array, cls):
    return array if type(array) is cls else array.view(cls)


# Calls.

class _Made(overload_registry.Candidate):
    """A candidate whose implementations are kept by the types of the arguments and the names of keywords."""

    is_fallback = True

    def __init__(self, function):
        self.function, self._made = function, {}

    def implementation(self, args, keywords):
        """The compiled function, or None."""
        key = args, tuple(keywords)
        if key not in self._made:
            self._made[key] = self._compiled(args, list(keywords))
        return self._made[key]


class OfArrays(_Made):
    """What `overload_registry` asks for a call of a function, by its name, with such values."""

    def __init__(self, name, called):
        super().__init__(called)
        self._name = name

    def _compiled(self, args, keywords):
        from ..decorators import njit

        if keywords or not any(map(is_subclass, args)):
            return None
        names = [f"x{at}" for at in range(len(args))]
        given = [f"as_array({name})" if is_subclass(ty) else name for name, ty in zip(names, args)]
        result, scope = f"called({', '.join(given)})", {"called": self.function, "as_array": as_array}
        plain = self._name.rpartition(".")[2]
        if self._name == "builtins.iter":
            # Iterators are not returned: this one is a generator.
            return njit(source_text.function("items(x0)", ["for item in as_array(x0): yield item"], scope))
        if self._name.startswith("operator.") and plain in _INPLACE:
            return njit(source_text.function(f"call({', '.join(names)})", [result, "return x0"], scope))
        ufunc = self.function if self._name.startswith("numpy.") else _UFUNCS.get(plain)
        if isinstance(ufunc, numpy.ufunc):
            told = next(getattr(ty, "__array_ufunc__", None) for ty in args if is_subclass(ty))
            cls = told(ufunc, "__call__", *args) if told else types.Array
            if cls is NotImplemented:
                return None
            if cls is not types.Array:
                result, scope["wrapped"] = f"wrapped({result})", _made_by(cls)
        elif self._name == "operator.getitem" and is_subclass(args[0]):
            result, scope["wrapped"] = f"wrapped({result})", _like(args[0])
        return njit(source_text.function(f"call({', '.join(names)})", [f"return {result}"], scope))

    def place(self):
        """How messages call it."""
        return f"'{self._name}' of the arrays that the arguments are"


def _made_by(cls):
    """The function that gives the result of a ufunc as a value of a class of types."""
    return _wrapper(cls, lambda array: cls(dtype=array.dtype, ndim=array.ndim, layout=array.layout), True)


def _like(ty):
    """The function that gives an array as a value of a type like `ty`, over the same memory."""
    def type_of(array):
        try:
            return ty.copy(dtype=array.dtype, ndim=array.ndim, layout=array.layout, readonly=not array.mutable)
        except NotImplementedError:
            return array

    return _wrapper(ty, type_of, False)


_wrappers = {}


def _wrapper(key, type_of, allocates):
    found = _wrappers.get((key, allocates))
    if found is None:
        def wrapped(array):
            raise NotImplementedError("only compiled code calls it")

        overload_registry.add_function(wrapped, _Wrapping(wrapped, type_of, allocates))
        found = _wrappers.setdefault((key, allocates), wrapped)
    return found


class _Wrapping(_Made):
    """What `overload_registry` asks for a call of a wrapper: `type_of` gives the type of the result for that of an array."""

    def __init__(self, function, type_of, allocates):
        super().__init__(function)
        self._type_of, self._allocates = type_of, allocates

    def _compiled(self, args, keywords):
        from ..decorators import njit

        # Of anything else than an array, it is a function that gives it back.
        array, = args
        ty = self._type_of(array) if isinstance(array, types.Array) else array
        if not is_subclass(ty):
            return njit(lambda array: array)
        if not self._allocates or not overload_registry.has_member("method", types.NumberClass(ty), "_allocate"):
            seen_as = _seen_as(ty)
            return njit(lambda array: seen_as(array))
        placed, align = _placed(ty), numpy.uint32(arrayobj.ALIGNMENT)

        def allocated(array):
            made = placed(array, ty._allocate(array.nbytes, align))
            as_array(made)[...] = array
            return made

        return njit(allocated)

    def place(self):
        """How messages call it."""
        return "an array as a value of a library's type"


def _seen_as(ty):
    @intrinsic
    def seen_as(typingctx, array):
        """The array as a value of the type."""
        def codegen(context, builder, signature, args):
            made = _converted(context, builder, args[0], array, ty)
            context.nrt.incref(builder, ty, made)
            return made

        return ty(array), codegen

    return seen_as


def _placed(ty):
    @intrinsic
    def placed(typingctx, array, memory):
        """A value of the type with the shape of the array, over counted memory."""
        def codegen(context, builder, signature, args):
            made = _converted(context, builder, args[0], array, ty, meminfo=args[1])
            context.nrt.incref(builder, ty, made)
            return made

        return ty(array, memory), codegen

    return placed


# Attributes and methods.

class _Member(_Made):
    """What `overload_registry` asks for an attribute or a method."""

    def __init__(self, kind, name):
        super().__init__(self.implementation)
        self._kind, self._name = kind, name

    def _compiled(self, args, keywords):
        from ..decorators import njit

        names = [f"x{at}" for at in range(len(args))]
        given = [*names[1:], *(f"{name}={name}" for name in keywords)]
        call = f"({', '.join(given)})" if self._kind == "method" else ""
        return njit(source_text.function(f"member({', '.join([*names, *keywords])})",
                                         [f"return wrapped(as_array(x0).{self._name}{call})"],
                                         {"as_array": as_array, "wrapped": _like(args[0])}))

    def place(self):
        """How messages call it."""
        return f"'{self._name}' of the array that a value is"


class _Members:
    """The attributes and methods of arrays."""

    def candidate(self, kind, owner, name):
        """The candidate for an attribute or a method of values of a type, or None."""
        if not is_subclass(owner) or not hasattr(numpy.ndarray, name):
            return None
        if callable(getattr(numpy.ndarray, name)) != (kind == "method"):
            return None
        return _member(kind, name)


_member = functools.cache(_Member)


@functools.cache
def _of_arrays(name, called):
    return OfArrays(name, called)


def last(name, called):
    """What is asked for a call when nobody else takes it."""
    return [_of_arrays(name, called)] if called is not None else []


@functools.cache
def provide(cls):
    """Lets values of a class of types be used as the arrays that they are."""
    typeof_box.register_default(cls, _unbox, to_object)
    overload_registry.add_provider(cls, _Members())
