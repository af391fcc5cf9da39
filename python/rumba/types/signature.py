"""Signatures: parameter and result types, and the ways to write them."""
from .base import Type


class Signature:
    """Argument types and return type. `recvr` is the type of `self` for a method."""

    __slots__ = ("_return_type", "_args", "_recvr", "_pysig")

    def __init__(self, return_type, args, recvr, pysig=None):
        self._return_type = return_type
        self._args = tuple(args)
        self._recvr = recvr
        self._pysig = pysig

    @property
    def return_type(self):
        """The type of the result, None if it is left to inference."""
        return self._return_type

    @property
    def args(self):
        """The types of the arguments."""
        return self._args

    @property
    def recvr(self):
        """The type whose method it is, or None."""
        return self._recvr

    @property
    def pysig(self):
        """The signature of the Python function, or None."""
        return self._pysig

    @property
    def is_method(self):
        """Whether it is a method's."""
        return self._recvr is not None

    def replace(self, **changes):
        """The same with some parts replaced."""
        parts = {"return_type": self._return_type, "args": self._args, "recvr": self._recvr, "pysig": self._pysig}
        unknown = set(changes) - set(parts)
        if unknown:
            raise TypeError(f"a signature has no {', '.join(sorted(unknown))}")
        return Signature(**{**parts, **changes})

    def as_method(self):
        """The first argument becomes the receiver."""
        return self if self._recvr is not None else Signature(self._return_type, self._args[1:], self._args[0])

    def as_function(self):
        """The receiver becomes the first argument."""
        if self._recvr is None:
            return self
        return Signature(self._return_type, (self._recvr, *self._args), None)

    def as_type(self):
        """The type of function values with this signature."""
        from .functions import FunctionType

        return FunctionType(self)

    def is_precise(self):
        """Whether all types are fully known."""
        return all(ty.is_precise() for ty in (*self._args, self._return_type))

    def __getstate__(self):
        return self._return_type, self._args, self._recvr, self._pysig

    def __setstate__(self, state):
        self._return_type, self._args, self._recvr, self._pysig = state

    def __hash__(self):
        return hash((self._args, self._return_type))

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return (self._args, self._return_type, self._recvr, self._pysig) == (
            other._args, other._return_type, other._recvr, other._pysig)

    def __repr__(self):
        return f"{self._args} -> {self._return_type}"


def signature(return_type, *args, recvr=None):
    """The signature of a function with these argument types."""
    return Signature(return_type, args, recvr)


def normalize_signature(written):
    """(argument types, return type or None) of a signature in any form users write.

    Forms: a Signature; a tuple of types; a string `"f8(i4, f8)"` or `"(i4, f8)"` over the names of
    `rumba.types`; a FunctionType.
    """
    value = _evaluate(written) if isinstance(written, str) else written
    if isinstance(value, tuple):
        args, return_type = value, None
    elif isinstance(value, Signature):
        args, return_type = value.args, value.return_type
    elif hasattr(value, "signature") and isinstance(value, Type):
        args, return_type = value.signature.args, value.signature.return_type
    else:
        raise TypeError(
            f"invalid signature: {written!r} (type: {type(written).__name__!r}) evaluates to "
            f"{type(value).__name__!r} instead of tuple or Signature")
    for ty in args if return_type is None else (*args, return_type):
        if not isinstance(ty, Type):
            raise TypeError(f"invalid type in signature: expected a type instance, got {ty!r}")
    return args, return_type


def _evaluate(text):
    from . import _signature_names

    names = _signature_names()
    try:
        return eval(text, {"__builtins__": {}, **names})
    except NameError as error:
        raise _invalid(text, text.find(error.name), f"there is no type {error.name!r}", error.name, names) from None
    except SyntaxError as error:
        raise _invalid(text, (error.offset or 1) - 1, error.msg) from None


def _invalid(text, at, why, word="", names=()):
    """The error of a signature that cannot be read: what is wrong, and where."""
    import difflib

    from ..errors import SignatureError

    near = difflib.get_close_matches(word, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    lines = text.splitlines() or [""]
    excerpt = f"\n    {text}\n    {' ' * at}{'^' * max(1, len(word))}" if len(lines) == 1 else ""
    return SignatureError(f"invalid signature: {why}{hint}{excerpt}")


def is_signature(value):
    """Whether a decorator's argument is a signature and not the function."""
    return isinstance(value, (str, tuple, Signature))


def signature_for(written, function):
    """The same with a type for every parameter of `function`: surplus types make up its `*args`,
    types left out are those of the defaults; `**kwargs` get what a last type says, or nothing."""
    from .containers import BaseTuple, LiteralStrKeyDict, Tuple

    args, return_type = normalize_signature(written)
    code = function.__code__
    collected = ()
    if code.co_flags & 0x08:
        has_names = bool(args) and isinstance(args[-1], LiteralStrKeyDict)
        args, collected = (args[:-1], args[-1:]) if has_names else (args, (LiteralStrKeyDict({}),))
    named = code.co_argcount + code.co_kwonlyargcount
    has_star = bool(code.co_flags & 0x04)
    if len(args) > named and not has_star or len(args) < named - _count_defaults(function):
        raise TypeError(
            f"Signature mismatch: {len(args)} argument types given, but function takes {named} arguments")
    direct, surplus = tuple(args[:named]), tuple(args[named:])
    if len(direct) < named:
        direct += _types_of_defaults(function, len(direct))
    if not has_star:
        return (*direct, *collected), return_type
    # One tuple written for `*args` is those arguments, anything else is their elements.
    packed = len(surplus) == 1 and isinstance(surplus[0], BaseTuple)
    return (*direct, surplus[0] if packed else Tuple(surplus), *collected), return_type


def _count_defaults(function):
    return len(function.__defaults__ or ()) + len(function.__kwdefaults__ or ())


def _types_of_defaults(function, given):
    from .typeof import typeof

    code = function.__code__
    defaults = dict(function.__kwdefaults__ or {})
    positional = code.co_varnames[:code.co_argcount]
    values = function.__defaults__ or ()
    defaults.update(zip(positional[len(positional) - len(values):], values))
    names = code.co_varnames[given:code.co_argcount + code.co_kwonlyargcount]
    return tuple(typeof(defaults[name]) for name in names)


def object_signature(written, function):
    """What a signature is for a function in object mode: the arguments as given, any result."""
    from .names import pyobject

    args, _ = normalize_signature(written)
    if not args:
        # Arguments are Python's anyway, so that none need to be named.
        args = (pyobject,) * (function.__code__.co_argcount + function.__code__.co_kwonlyargcount)
    args, _ = signature_for(args, function)
    return Signature(pyobject, args, None)
