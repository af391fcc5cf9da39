"""`piecewise`: a function of one array by conditions."""
import numpy

from ...extending import register_jitable
from ...types import Boolean, Number, unliteral
from .. import library
from .._predicates import is_array, length


def _is_condition(ty):
    return is_array(ty) and isinstance(ty.dtype, Boolean)


@library(numpy.piecewise, strict=False, array_like="x")
def piecewise(x, condlist, funclist):
    if not is_array(x) or not isinstance(x.dtype, (Number, Boolean)) or length(funclist) is None:
        return None
    if _is_condition(condlist):
        return lambda x, condlist, funclist: numpy.piecewise(x, (condlist,), funclist)
    count, given = length(condlist), length(funclist)
    if count is None or not all(_is_condition(one) and one.ndim == x.ndim for one in condlist):
        return None
    if given not in (count, count + 1):
        misfit = f"with {count} condition(s), either {count} or {count + 1} functions are expected"

        def refused(x, condlist, funclist):
            raise ValueError(misfit)
        return refused
    fill = _filler(list(funclist), count - 1)
    if given == count:
        return lambda x, condlist, funclist: fill(x, condlist, funclist, numpy.zeros_like(x))
    put = _putter(list(funclist)[count], count)

    def with_the_rest(x, condlist, funclist):
        made, rest = numpy.zeros_like(x), numpy.ones(x.shape, numpy.bool_)
        for condition in condlist:
            rest &= ~condition
        put(x, rest, funclist, made)
        return fill(x, condlist, funclist, made)
    return with_the_rest


def _filler(functions, number):
    """What fills the results of the first functions in; where several conditions hold, the last one counts."""
    if number < 0:
        return register_jitable(lambda x, conditions, functions, made: made)
    before, put = _filler(functions, number - 1), _putter(functions[number], number)

    @register_jitable
    def fill(x, conditions, functions, made):
        before(x, conditions, functions, made)
        put(x, conditions[number], functions, made)
        return made
    return fill


def _putter(function, number):
    @register_jitable
    def put_value(x, condition, functions, made):
        made[condition] = functions[number]

    @register_jitable
    def put_results(x, condition, functions, made):
        taken = x[condition]
        if taken.size:
            made[condition] = functions[number](taken)
    return put_value if isinstance(unliteral(function), (Number, Boolean)) else put_results
