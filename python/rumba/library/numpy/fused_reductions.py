"""Reductions of array expressions over all elements, or along the rows of a matrix: `np.sum(a * b)`, `((a - b) **
2).sum(axis=1)`.

The compiler asks for `<function>.of_expression` where a call reduces an expression whose result nobody else uses. It gives the expression's text
and its operands. What is here reads items of the expression in the order in which the function reads those of an array, so that results have the
same bits. That is done for arrays of one shape in rows; where shapes turn out to differ, the array of the expression is made and reduced.
Other arguments than the array are left to the functions of arrays.

Sums of floats are those of a tree whose lower parts are sums of arrays (`_kernels`): a part's items are computed into a buffer that stays in
the cache, and what adds up an array adds up these.
"""
import numpy

from ... import source_text
from ...extending import Effects, register_jitable
from ...intrinsics import arrayexpr, expression_item, prange, raise_if, rarely
from ...types import BaseTuple, Boolean, Complex, Float, Integer, Literal, Number, float16, unliteral
from .. import library
from .._predicates import is_absent, is_array
from ..in_parallel import LOOPS, asking, is_asked, name_of, note
from . import _kernels, parallel_rows

_BLOCK = 1024
_BUFFER = 1024
_TYPED = "axis=None, dtype=None, out=None, keepdims=False"
_PLAIN = "axis=None, out=None, keepdims=False"
_PARTLY = ", initial=None, where=True"


class _Expression:
    """An expression: its text, the operand that has its shape, and what gives an item."""

    def __init__(self, text, operands):
        self.text, self.operands = text, operands
        self.arrays = [at for at, ty in enumerate(operands) if is_array(ty) and ty.ndim]
        self.array = self._type()
        # Of how few items a launch does not pay: an item takes as long as it has functions.
        self.few = parallel_rows.FEW // (1 + sum(not word.isdigit() for word in text.split()))

        self.get = register_jitable(boundscheck=False)(source_text.function(
            "get(at, more)", [f"return expression_item({text!r}, at, ({', '.join(self.values('more'))},))"],
            {"expression_item": expression_item}))

    def values(self, tuple_name):
        """The texts of the operands; what is a literal stays one."""
        return [repr(ty.literal_value) if isinstance(ty, Literal) and isinstance(ty.literal_value, int) else f"{tuple_name}[{at}]"
                for at, ty in enumerate(self.operands)]

    def made(self, tuple_name):
        """The text that makes the array."""
        return f"arrayexpr({self.text!r}, {', '.join(self.values(tuple_name))})"

    def _type(self):
        from ..._rumba import stencils

        names = [f"x{at}" for at in range(len(self.operands))]
        values = ", ".join(f"x{at}" if value.startswith("x[") else value for at, value in enumerate(self.values("x")))
        probe = source_text.function(f"probe({', '.join(names)})", [f"return arrayexpr({self.text!r}, {values})"], {"arrayexpr": arrayexpr})
        return stencils.inspect(probe, [unliteral(ty) for ty in self.operands])[0]


def _expression(text, operands):
    """The expression, if it is one of arrays of numbers in rows."""
    text = getattr(text, "literal_value", None)
    if text is None or not isinstance(operands, BaseTuple):
        return None
    arrays = [ty for ty in operands if is_array(ty) and ty.ndim]
    if not arrays or any(ty.layout != "C" or ty.ndim != arrays[0].ndim or not ty.aligned for ty in arrays):
        return None
    found = _Expression(text, tuple(operands))
    # Halves are added up in another precision than the loops here have.
    return found if isinstance(found.array.dtype, (Number, Boolean)) and found.array.dtype != float16 else None


def _goes_over_rows(expression, axis):
    """Whether a call reduces the rows of a matrix; None if it does neither that nor reduces all."""
    if is_absent(axis):
        return False
    axis = getattr(axis, "literal_value", axis)
    return True if expression.array.ndim == 2 and axis in (1, -1) and not isinstance(axis, bool) else None


def _reducing(names, parameters, find):
    """Registers the reduction of expressions of a function and of the method, by its name. `find` gives what reduces the
    items from an index on, given the operands, the index and their number, and the class of the result."""
    signature = source_text.signature(f"text, operands, {parameters}", {})
    defaults = {name: one.default for name, one in signature.parameters.items()}

    def overload(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        given = {name: ty for name, ty in bound.arguments.items() if not (isinstance(ty, (bool, type(None))) and ty is defaults[name])}
        text, operands, axis = given.pop("text"), given.pop("operands"), given.pop("axis", None)
        expression = _expression(text, operands) if all(map(is_absent, given.values())) else None
        rows = expression and _goes_over_rows(expression, axis)
        kernel, made = expression and rows is not None and find(expression) or (None, None)
        return kernel and _implementation(names[0], parameters, expression, kernel, made if rows else None)

    overload.__signature__ = signature
    overload.__name__ = f"{names[0]}_of_expression"
    effects = Effects(mutates="out" if "out" in signature.parameters else "", also="keeps_constants")
    for name in names:
        library(f"numpy.{name}.of_expression", effects=effects)(overload)
        library(name_of(f"numpy.{name}.of_expression"), effects=effects)(asking(overload))


def _implementation(name, parameters, expression, kernel, rows):
    """The function: over all items, or the rows if a class is given for the results."""
    first, *rest = (f"operands[{at}]" for at in expression.arrays)
    body = []
    if rest:
        # NumPy's shapes, or its exception.
        differ = " or ".join(f"{other}.shape != {first}.shape" for other in rest)
        body = [f"if {differ}:", " rarely()", f" return function({expression.made('operands')}{', 1' if rows else ''})"]
    reduce_rows = rows and _rows_reducer(kernel, rows, expression.few)
    body.append(f"return reduce_rows(operands, {first}.shape[0], {first}.shape[1])" if rows else f"return kernel(operands, 0, {first}.size)")
    space = {"function": getattr(numpy, name), "arrayexpr": arrayexpr, "kernel": kernel, "rarely": rarely, "reduce_rows": reduce_rows}
    return source_text.function(f"reduce(text, operands, {parameters})", body, space)


def _rows_reducer(kernel, made, few):
    dtype = numpy.dtype(made)

    @register_jitable
    def reduce_rows(more, number, count):
        result = numpy.empty(number, dtype)
        for at in range(number):
            result[at] = kernel(more, at * count, count)
        return result

    @register_jitable(parallel=LOOPS)
    def reduce_in_parallel(more, number, count):
        if number * count < few:
            return reduce_rows(more, number, count)
        result = numpy.empty(number, dtype)
        for at in prange(number):
            result[at] = kernel(more, at * count, count)
        return result
    if not is_asked():
        return reduce_rows
    note()
    return reduce_in_parallel


def _in_parts(reduce, made, expression, of_results=None):
    """The same reduction, on several threads where that is asked for; `of_results` reduces what comes of parts."""
    return parallel_rows.in_parts(reduce, of_results, made, expression.few) if is_asked() else reduce


# What reduces `count` items from the place `start` on.

def _adder(expression):
    item, get = expression.array.dtype, expression.get
    made = _kernels.sum_type(item)
    if isinstance(item, (Float, Complex)):
        return _pairwise_adder(made, 4 if isinstance(item, Complex) else 8, expression), made

    @register_jitable
    def add_all(more, start, count):
        total = made(0)
        for at in range(start, start + count):
            total += made(get(at, more))
        return total
    return _in_parts(add_all, made, expression, numpy.sum), made


def _filler(get):
    @register_jitable(boundscheck=False)
    def fill(buffer, more, start, count):
        for at in range(count):
            buffer[numpy.uintp(at)] = get(start + at, more)
    return fill


def _pairwise_adder(made, few, expression):
    """What adds up items in NumPy's order: halves of many, sums of arrays of few."""
    dtype, fill = numpy.dtype(made), _filler(expression.get)

    @register_jitable
    def add_part(buffer, more, start, count):
        if count <= _BUFFER:
            fill(buffer, more, start, count)
            return numpy.sum(buffer[:count])
        half = count // 2
        half -= half % few
        return add_part(buffer, more, start, half) + add_part(buffer, more, start + half, count - half)

    @register_jitable
    def add_all(more, start, count):
        return add_part(numpy.empty(min(count, _BUFFER), dtype), more, start, count)
    if not is_asked():
        return add_all
    add_some = register_jitable(lambda row, more, start, count: add_all(more, start, count))
    add_tree = parallel_rows.in_tree(add_some, few, made, expression.few)
    return register_jitable(lambda more, start, count: add_tree(None, more, start, count))


def _averager(expression):
    if not isinstance(expression.array.dtype, (Float, Complex)):
        return None
    add_all, made = _adder(expression)
    divide = _kernels.make_divide(made)
    return register_jitable(lambda more, start, count: divide(add_all(more, start, count), count)), made


def _multiplier(expression):
    get, made = expression.get, _kernels.sum_type(expression.array.dtype)

    @register_jitable
    def multiply_all(more, start, count):
        total = made(1)
        for at in range(start, start + count):
            total *= made(get(at, more))
        return total
    return _in_parts(multiply_all, made, expression, numpy.prod), made


def _counter(expression):
    get = expression.get

    @register_jitable
    def count_true(more, start, count):
        total = 0
        for at in range(start, start + count):
            total += bool(get(at, more))
        return total
    return _in_parts(count_true, numpy.int64, expression, numpy.sum), numpy.int64


def _finder(wanted):
    """Whether an item's truth is `wanted` decides: the first block with such an item ends the search."""
    def find(expression):
        get = expression.get

        @register_jitable
        def is_in(more, start, end):
            found = False
            for at in range(start, end):
                found |= bool(get(at, more)) == wanted
            return found

        @register_jitable
        def search(more, start, count):
            end = start + count
            for block in range(start, end, _BLOCK):
                if is_in(more, block, min(end, block + _BLOCK)):
                    return wanted
            return not wanted
        if is_asked():
            return parallel_rows.searching_parts(search, wanted, expression.few), numpy.bool_
        return search, numpy.bool_
    return find


def _extreme(function):
    """The least or the greatest item: that of the parts' ones, which keeps the first NaN."""
    def find(expression):
        if not isinstance(expression.array.dtype, (Float, Integer)):
            return None
        made, fill = _kernels.class_of(expression.array.dtype), _filler(expression.get)
        dtype = numpy.dtype(made)

        @register_jitable
        def extreme(more, start, count):
            parts = numpy.empty((count + _BUFFER - 1) // _BUFFER, dtype)
            buffer = numpy.empty(min(count, _BUFFER), dtype)
            for at in range(parts.size):
                few = min(count - at * _BUFFER, _BUFFER)
                fill(buffer, more, start + at * _BUFFER, few)
                parts[at] = function(buffer[:few])
            return function(parts)
        return _in_parts(extreme, made, expression, function), made
    return find


class _Squares:
    """The squared distances of an expression's items from a number, which stands in front of the operands."""

    def __init__(self, expression, made):
        get = expression.get
        self.few = expression.few

        @register_jitable(boundscheck=False)
        def square(at, more):
            distance = made(get(at, more[1])) - more[0]
            return distance * distance
        self.get = square


def _spread(is_root):
    """The variance, or its root, of which an item is computed twice: for the mean, and for its distance from that."""
    def find(expression):
        if not isinstance(expression.array.dtype, Float):
            return None
        average, made = _averager(expression)
        divide, add_squares = _kernels.make_divide(made), _pairwise_adder(made, 8, _Squares(expression, made))

        @register_jitable
        def spread(more, start, count):
            variance = divide(add_squares((average(more, start, count), more), start, count), count)
            return made(numpy.sqrt(variance)) if is_root else variance
        return spread, made
    return find


def _position(function, name):
    """Where the least or the greatest item is first, or the first NaN."""
    refusal = f"attempt to get {name} of an empty sequence"

    def find(expression):
        if not isinstance(expression.array.dtype, (Float, Integer)):
            return None
        dtype, get, fill, few = numpy.dtype(_kernels.class_of(expression.array.dtype)), expression.get, _filler(expression.get), expression.few

        @register_jitable
        def index(more, start, count):
            raise_if(count == 0, "ValueError", refusal)
            number = (count + _BUFFER - 1) // _BUFFER
            indices, items, buffer = numpy.empty(number, numpy.int64), numpy.empty(number, dtype), numpy.empty(min(count, _BUFFER), dtype)
            for at in range(number):
                size = min(count - at * _BUFFER, _BUFFER)
                fill(buffer, more, start + at * _BUFFER, size)
                found = function(buffer[:size])
                indices[at], items[at] = at * _BUFFER + found, buffer[found]
            return indices[function(items)]

        @register_jitable(parallel=LOOPS)
        def place_in_parts(more, start, count):
            if count < few:
                return index(more, start, count)
            number = parallel_rows.parts_of(count)
            indices, items = numpy.empty(number, numpy.int64), numpy.empty(number, dtype)
            for at in prange(number):
                first = count * at // number
                indices[at] = first + index(more, start + first, count * (at + 1) // number - first)
                items[at] = get(start + indices[at], more)
            return indices[function(items)]
        if not is_asked():
            return index, numpy.int64
        note()
        return place_in_parts, numpy.int64
    return find


_reducing(["sum", "ndarray.sum"], _TYPED + _PARTLY, _adder)
_reducing(["prod", "ndarray.prod"], _TYPED + _PARTLY, _multiplier)
_reducing(["mean", "ndarray.mean"], _TYPED, _averager)
_reducing(["min", "ndarray.min"], _PLAIN + _PARTLY, _extreme(numpy.min))
_reducing(["max", "ndarray.max"], _PLAIN + _PARTLY, _extreme(numpy.max))
_reducing(["any", "ndarray.any"], _PLAIN, _finder(True))
_reducing(["all", "ndarray.all"], _PLAIN, _finder(False))
_reducing(["count_nonzero"], "axis=None, keepdims=False", _counter)
_reducing(["var", "ndarray.var"], "axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True", _spread(False))
_reducing(["std", "ndarray.std"], "axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True", _spread(True))
_reducing(["argmin", "ndarray.argmin"], _PLAIN, _position(numpy.argmin, "argmin"))
_reducing(["argmax", "ndarray.argmax"], _PLAIN, _position(numpy.argmax, "argmax"))
