"""The exceptions of operations that Python does not have for some types, whatever the values are."""
import importlib
import operator

import numpy

from . import types

_BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "**": operator.pow,
           "%": operator.mod, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
           "^": operator.xor}
_INPLACE = {sign: getattr(operator, "i" + function.__name__.rstrip("_")) for sign, function in _BINARY.items()}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "in": lambda x, y: x in y,
            "not_in": lambda x, y: x not in y}
_UNARY = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert}
#: Functions that go through their only argument first.
_ITERATING = frozenset(f"builtins.{name}" for name in ("sum", "min", "max", "sorted", "list", "tuple", "set", "any", "all", "enumerate"))
#: Functions for which the types of the arguments decide.
_BY_TYPE = frozenset(f"builtins.{name}" for name in ("len", "abs", "round", "reversed", "float", "int", "hash", "chr", "ord", "range"))


class _Unknown(Exception):
    """There is no sample of a type."""


def _sample(ty):
    """A value of a type."""
    if isinstance(ty, types.Boolean):
        return True
    if isinstance(ty, types.Integer):
        return 1
    if isinstance(ty, types.Float):
        return 1.0
    if isinstance(ty, types.Complex):
        return 1j
    if isinstance(ty, types.UnicodeType):
        return "a"
    if isinstance(ty, types.Bytes):
        return b"a"
    if isinstance(ty, types.Array):
        return numpy.empty(0)
    if isinstance(ty, types.NoneType):
        return None
    if isinstance(ty, types.List):
        return [_sample(ty.dtype)]
    if isinstance(ty, types.DictType):
        return {_sample(ty.key_type): _sample(ty.value_type)}
    if isinstance(ty, types.BaseTuple) and not hasattr(ty, "instance_class"):
        return tuple(_sample(item) for item in ty)
    raise _Unknown


def _call(operation, values):
    """Performs an operation on samples, if the types of the operands decide whether it raises."""
    kind, _, name = operation.partition(" ")
    first, containers = values[0], [value for value in values if isinstance(value, (list, tuple, dict))]
    if kind == "attribute":
        return getattr(first, name)
    if any(isinstance(value, numpy.ndarray) for value in values):
        raise _Unknown
    if kind in ("binary", "inplace"):
        if name == "%" and isinstance(first, (str, bytes)):
            raise _Unknown
        return (_BINARY if kind == "binary" else _INPLACE)[name](*values)
    if kind == "compare":
        # Containers are equal, or one is shorter, before their items are compared.
        if len(containers) == 2 and type(first) is type(values[1]):
            raise _Unknown
        return _COMPARE[name](*values)
    if kind == "unary":
        return _UNARY[name](first)
    if kind == "iterate" or kind == "call" and name in _ITERATING and len(values) == 1:
        return iter(first)
    if kind == "unpack" and not hasattr(first, "__iter__"):
        one, two = first
        return one, two
    if kind == "item":
        return first[values[1]]
    if kind == "call" and (name in _BY_TYPE or name.startswith("math.") and not containers):
        module, _, function = name.rpartition(".")
        return getattr(importlib.import_module(module), function)(*values)
    raise _Unknown


def raised(operation, args):
    """The class and the message of the exception that an operation raises for all values of these types; None where it may not.

    >>> from rumba import types
    >>> raised("binary +", (types.int64, types.unicode_type))
    ('TypeError', "unsupported operand type(s) for +: 'int' and 'str'")
    >>> raised("binary *", (types.int64, types.unicode_type))
    """
    try:
        _call(operation, [_sample(ty) for ty in args])
    except (TypeError, AttributeError) as error:
        return (type(error).__name__, str(error)) if type(error) in (TypeError, AttributeError) else None
    except Exception:  # noqa: BLE001
        return None
    return None
