"""Operators and ufuncs on numbers with NumPy 2's rules of promotion, for functions with `promotion="numpy2"`.

NumPy itself says which loop of a ufunc serves the operands: it is told the dtypes of NumPy's numbers and arrays, and the classes of
Python's numbers. Operands are converted to the types of that loop, and the result of numbers to its type.

Absent: whose numbers the operands are, which inference knows (`overloads/numpy_promotion`).
"""
import functools

import numpy

from ... import source_text
from ...extending import Effects, register_jitable
from ...errors import TypingError
from ...types import Boolean, Literal, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_array
from ._axis import literal

# What inference asks for.
_NAME = "rumba.library.numpy.weak_scalars."

# The function of `operator` -> how it is written, and the ufunc.
_BINARY = {
    "add": ("+", numpy.add), "sub": ("-", numpy.subtract), "mul": ("*", numpy.multiply), "truediv": ("/", numpy.true_divide),
    "floordiv": ("//", numpy.floor_divide), "mod": ("%", numpy.remainder), "pow": ("**", numpy.power),
    "and_": ("&", numpy.bitwise_and), "or_": ("|", numpy.bitwise_or), "xor": ("^", numpy.bitwise_xor),
    "lshift": ("<<", numpy.left_shift), "rshift": (">>", numpy.right_shift), "builtins.pow": ("**", numpy.power)}
_COMPARISONS = {"lt": ("<", numpy.less), "le": ("<=", numpy.less_equal), "gt": (">", numpy.greater), "ge": (">=", numpy.greater_equal),
                "eq": ("==", numpy.equal), "ne": ("!=", numpy.not_equal)}
_UNARY = {"neg": ("-{}", numpy.negative), "pos": ("+{}", numpy.positive), "invert": ("~{}", numpy.invert),
          "builtins.abs": ("abs({})", numpy.absolute)}
# The same for booleans, where Python counts them.
_OF_BOOLEANS = {"add": "{} | {}", "mul": "{} & {}", "invert": "not {}", "builtins.abs": "{}"}

# Functions that take any integer of Python's: by its lowest bits, or by the closest one of the type.
_OF_ANY_INTEGER = {numpy.where: "{0}", numpy.clip: "closest_{1}({0})"}

_CLASSES = {"int64": int, "float64": float, "complex128": complex}
_EXAMPLES = {int: 0, float: 0.0, complex: 0j}
# Types that operations on numbers have by themselves.
_PLAIN = {"bool", "int64", "uint64", "float64", "complex128"}
_NAMES = ("x", "y", "z")


_INLINED = Effects(also="is_inlined")


@library(_NAME + "python_errors", prefer_literal=True, inline="always", effects=_INLINED)
def python_errors(how, x, y=None, z=None):
    return _operation(how, x, y, z)


@library(_NAME + "numpy_errors", prefer_literal=True, inline="always", effects=_INLINED, error_model="numpy")
def numpy_errors(how, x, y=None, z=None):
    return _operation(how, x, y, z)


@library(_NAME + "operand", prefer_literal=True, inline="always", effects=_INLINED)
def operand(how, x):
    """Python's number beside an array."""
    if not isinstance(how, Literal) or isinstance(unliteral(x), Boolean):
        return None
    name, weak, dtype = literal(how).split()
    at = weak.index("1")
    given = [numpy.dtype(dtype)] * 2
    given[at] = _told(x, True)
    if name in _COMPARISONS and _are_integers(given) or name == "pow" and isinstance(x, Literal) and at == 1:
        return None
    _, ufunc = _BINARY.get(name) or _COMPARISONS[name]
    converted = _converted(0, x, given[at], _loop(ufunc, given)[at], False)
    return None if converted == "x" else _function("how, x", f"return {converted}")


def _read(how, operands):
    """The name of an operation, the types of its operands, and what NumPy is told of them."""
    name, weak = literal(how).split()
    operands = operands[:len(weak)]
    return name, operands, [_told(ty, is_weak == "1") for ty, is_weak in zip(operands, weak)]


def _told(ty, is_weak):
    """The dtype of a number or an array of NumPy, the class of a number of Python."""
    if is_array(ty):
        return as_dtype(ty.dtype)
    plain = unliteral(ty)
    return _CLASSES[plain.name] if is_weak and not isinstance(plain, Boolean) else as_dtype(plain)


def _are_integers(given):
    return all(one is int or not isinstance(one, type) and one.kind in "iu" for one in given)


def _loop(ufunc, given):
    """The dtypes of the operands and of the result with which NumPy carries out an operation."""
    try:
        return ufunc.resolve_dtypes((*given, None))
    except TypeError as error:
        raise TypingError(str(error)) from None


def _operation(how, *operands):
    if not isinstance(how, Literal):
        return None
    name, operands, given = _read(how, operands)
    if name in _COMPARISONS and _are_integers(given):
        # They are compared by their values, whatever their types.
        return None
    if name in _UNARY:
        form, ufunc = _UNARY[name]
    elif name in _BINARY or name in _COMPARISONS:
        symbol, ufunc = _BINARY.get(name) or _COMPARISONS[name]
        form = f"{{}} {symbol} {{}}"
    else:
        return _call(name.removeprefix("numpy."), operands, given)
    loop = _loop(ufunc, given)
    converted = _all_converted(operands, given, loop)
    if loop[0] == bool:
        form = _OF_BOOLEANS.get(name, form)
    if ufunc is numpy.power:
        form, converted = _power(form, operands, given, loop, converted)
    return _result(form, operands, given, loop, converted)


def _power(form, operands, given, loop, converted):
    """A constant exponent stays one; NumPy refuses negative ones of integers."""
    exponent = literal(operands[1]) if given[1] is int and isinstance(operands[1], Literal) else None
    if exponent is not None and is_array(operands[0]) and loop[0].kind in "fc":
        return form, list(_NAMES[:2])
    if exponent is not None and (exponent >= 0 or loop[0].kind not in "iu"):
        return form, [converted[0], f"({exponent})"]
    return ("np.power({}, {})" if loop[0].kind in "iu" else form), converted


def _call(name, operands, given):
    """The implementation of a call of a function of NumPy."""
    function, form = getattr(numpy, name, None), f"np.{name}({', '.join(['{}'] * len(given))})"
    if isinstance(function, numpy.ufunc) and (function.nin, function.nout) == (len(given), 1):
        loop = _loop(function, given)
        return _result(form, operands, given, loop, _all_converted(operands, given, loop))
    if function not in _OF_ANY_INTEGER or len(given) < 2:
        return None
    # The condition of `where` has a type of its own.
    first = 1 if function is numpy.where else 0
    common = numpy.result_type(*(_EXAMPLES.get(one, one) for one in given[first:]))
    loop = (*given[:first], *[common] * (len(given) - first + 1))
    converted = [_NAMES[at] if at < first else _converted_anyhow(_OF_ANY_INTEGER[function], at, *one)
                 for at, one in enumerate(zip(operands, given, loop))]
    return _result(form, operands, given, loop, converted)


def _result(form, operands, given, loop, converted):
    """A function of an expression, whose value has the type of the loop; None if it has that anyhow."""
    of_arrays = any(map(is_array, operands))
    if converted == list(_NAMES[:len(given)]) and (of_arrays or loop[-1].name in _PLAIN and loop[0] != bool):
        return None
    text = form.format(*converted)
    value = text if of_arrays or loop[-1] == bool else f"np.{loop[-1].name}({text})"
    return _function("how, x, y=None, z=None", f"return {value}")


@functools.cache
def _function(parameters, statement):
    return source_text.function(f"operation({parameters})", [statement], {"np": numpy, **_CHECKS})


def _all_converted(operands, given, loop):
    narrow = any(is_array(ty) and dtype.name in ("float32", "complex64") for ty, dtype in zip(operands, given))
    return [_converted(at, *one, narrow) for at, one in enumerate(zip(operands, given, loop))]


def _converted(at, ty, given, wanted, narrow):
    """An operand in the type that a loop takes. Arrays are converted by operations on them; `narrow` says that one is in single
    precision."""
    name = _NAMES[at]
    if is_array(ty) and given.kind in "iu" and narrow and wanted.name in ("float64", "complex128"):
        # Beside single precision, integers count for no more than that.
        return f"{name}.astype(np.float64)"
    if is_array(ty) or given == wanted and given not in (int, float, complex) or given is int and wanted == numpy.int64 or _CLASSES.get(wanted.name) is given:
        return name
    if given is int and wanted.kind in "iu":
        return f"np.{wanted.name}(within_{wanted.name}({name}))"
    # Python makes a float of an integer first.
    return f"np.{wanted.name}({'float(' + name + ')' if given is int else name})"


def _converted_anyhow(form, at, ty, given, wanted):
    """The same where integers are converted that the type does not have."""
    if given is int and wanted.kind in "iu" and wanted != numpy.int64:
        return f"np.{wanted.name}({form.format(_NAMES[at], wanted.name)})"
    return _converted(at, ty, given, wanted, False)


def _check(dtype):
    """Functions of an integer that a type may have, by their names: one raises NumPy's OverflowError for others, one gives the closest."""
    info, name = numpy.iinfo(dtype), numpy.dtype(dtype).name
    least, most = int(info.min), min(int(info.max), numpy.iinfo(numpy.int64).max)

    @register_jitable
    def within(value):
        if value < least or value > most:
            raise OverflowError(f"Python integer {value} out of bounds for {name}")
        return value

    @register_jitable
    def closest(value):
        return min(max(value, least), most)
    return {f"within_{name}": within, f"closest_{name}": closest}


_CHECKS = {}
for _dtype in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"):
    _CHECKS |= _check(_dtype)
