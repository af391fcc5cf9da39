"""An extension type (the Interval of docs/guide/extending.md) whose code is written with llvmlite, under Numba and under Rumba, and in
Rumba's own form; in turns.

    .venv/bin/python benches/extension_forms.py            5 rounds
    .venv/bin/python benches/extension_forms.py --docs     and the section of docs/benchmarks.md

A process defines the type and calls a function that takes an interval, makes one and returns it. "First" is the first such call of the
process, with llvmlite imported and a function of numbers compiled before; "next" is the least of four further types. Calls are from Python.
"""
import sys

import report
import rounds
from run import ensure_numba

COMMON = '''
import json, time
from PACKAGE import njit, types
from PACKAGE.extending import models, overload_attribute
from NUMBA.extending import (
    NativeValue, box, lower_builtin, make_attribute_wrapper, register_model, type_callable, typeof_impl, unbox)
IMPORTS

def interval():
    class Interval:
        def __init__(self, low, high):
            self.low, self.high = low, high

    class IntervalType(types.Type):
        def __init__(self):
            super().__init__(name="Interval")

    @typeof_impl.register(Interval)
    def typeof_interval(value, context):
        return IntervalType()

    @register_model(IntervalType)
    class IntervalModel(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("low", types.float64), ("high", types.float64)])

    make_attribute_wrapper(IntervalType, "low", "low")
    make_attribute_wrapper(IntervalType, "high", "high")

    @type_callable(Interval)
    def type_interval(context):
        return lambda low, high: IntervalType() if isinstance(low, types.Float) and isinstance(high, types.Float) else None

    @overload_attribute(IntervalType, "width")
    def interval_width(interval):
        return lambda interval: interval.high - interval.low

CODE

    @njit
    def widened(interval, by):
        return Interval(interval.low - by, interval.high + by), interval.width

    one = Interval(1.0, 4.0)
    started = time.perf_counter()
    widened(one, 0.5)
    return time.perf_counter() - started, widened, one

njit(lambda x: x + 1)(1)
first, *_ = interval()
further = []
for _ in range(4):
    seconds, widened, one = interval()
    further.append(seconds)
call = 1.0
for _ in range(20):
    started = time.perf_counter()
    for _ in range(1000):
        widened(one, 0.5)
    call = min(call, (time.perf_counter() - started) / 1000)
print(json.dumps({"first": first, "next": min(further), "call": call}))
'''
LLVMLITE = '''
    @lower_builtin(Interval, types.Float, types.Float)
    def make_interval(context, builder, sig, args):
        made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        made.low, made.high = args
        return made._getvalue()

    @unbox(IntervalType)
    def unbox_interval(typ, obj, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        for name in ("low", "high"):
            part = c.pyapi.object_getattr_string(obj, name)
            setattr(made, name, c.unbox(types.float64, part).value)
            c.pyapi.decref(part)
        return NativeValue(made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))

    @box(IntervalType)
    def box_interval(typ, value, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
        parts = [c.box(types.float64, made.low), c.box(types.float64, made.high)]
        kind = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
        result = c.pyapi.call_function_objargs(kind, parts)
        for part in (*parts, kind):
            c.pyapi.decref(part)
        return result
'''
OWN = '''
    @lower_builtin(Interval, types.Float, types.Float)
    @explicit
    def make_interval(b, sig, args):
        return b.struct(sig.return_type, low=args[0], high=args[1])

    @unbox(IntervalType)
    @explicit
    def unbox_interval(b, ty, obj):
        return b.attribute(obj, "low", types.float64), b.attribute(obj, "high", types.float64)

    @box(IntervalType)
    @explicit
    def box_interval(b, ty, interval):
        return b.construct(Interval, (interval.low, types.float64), (interval.high, types.float64))
'''
FORMS = {
    "numba": ("numba", "numba", "from numba.core import cgutils", LLVMLITE),
    "llvmlite": ("rumba", "rumba.numba", "from rumba.numba.core import cgutils", LLVMLITE),
    "own": ("rumba", "rumba.numba", "from rumba.extending import explicit", OWN),
}
NAMES = {"first": "first type of a process, ms", "next": "a further type, ms", "call": "a call from Python, us"}


def child(form):
    """The program of a process."""
    package, facade, imports, code = FORMS[form]
    text = COMMON.replace("PACKAGE", package).replace("NUMBA", facade).replace("IMPORTS", imports)
    return text.replace("CODE", code)


def main():
    """Runs the rounds and prints the table."""
    options = rounds.parser(__doc__).parse_args()
    numba = ensure_numba()
    pythons = {"numba": numba, "llvmlite": sys.executable, "own": sys.executable}
    best = rounds.least(options.rounds, pythons, lambda python, form: rounds.figures(
        str(python), child(form), PYTHONDONTWRITEBYTECODE=""))
    lines = [("what", "Numba", "Rumba, llvmlite", "Rumba, `explicit`", "times faster than Numba", "than with llvmlite")]
    for name, shown in NAMES.items():
        scale = 1e6 if name == "call" else 1e3
        found = [best[form][name] for form in ("numba", "llvmlite", "own")]
        ratios = found[0] / found[2], found[1] / found[2]
        lines.append((shown, *(report.number(scale * one) for one in found), *map(report.number, ratios)))
    about = ("An extension type that is boxed, unboxed, constructed and read in compiled code: [its code](../benches/extension_forms.py) is "
             "written with llvmlite, or with the builder of `rumba.extending.explicit`.")
    rounds.show("Extension types", about, lines, f"The least of {options.rounds} processes each.", numba, options.docs)


if __name__ == "__main__":
    main()
