"""Functions as values with a signature: `types.FunctionType`, called by their address."""
import gc
import math
import sys
import threading
import weakref

import numpy as np
import pytest
from rumba import _rumba, cfunc, errors, njit, types
from rumba.types import boolean, complex64, complex128, float32, float64, int8, int16, int64, uint8, uint16
from support import check

IntToInt = types.FunctionType(int64(int64))
FloatToFloat = types.FunctionType(float64(float64))


def increment(x):
    return x + 1


def double(x):
    return x * 2


LEVELS = pytest.mark.parametrize("level", [0, 2, 3])


def applier(level=2):
    @njit(int64(IntToInt, int64), _opt_level=level)
    def apply(f, x):
        return f(x)

    return apply


class Wrapped(types.WrapperAddressProtocol):
    """Another function of C."""

    def __init__(self, callback):
        self.callback = callback

    def __wrapper_address__(self):
        return self.callback.address

    def signature(self):
        return self.callback._sig


def kinds(function, signature):
    """The same function as everything that is a function value."""
    callback = cfunc(signature)(function)
    return [njit(function), njit(signature)(function), callback, Wrapped(callback), callback.ctypes]


@LEVELS
def test_all_kinds_are_called(level):
    apply = applier(level)
    for function in (increment, double):
        for value in kinds(function, int64(int64)):
            assert [apply(value, x) for x in (3, -7, 2**62)] == [function(x) - (2**64 if function(x) >= 2**63 else 0) for x in (3, -7, 2**62)]
    assert len(apply.signatures) == 1, "one compilation serves all functions of the signature"


def test_the_signature_is_shown():
    apply = applier()
    assert apply.signatures == [(IntToInt, int64)]
    assert str(IntToInt) == "FunctionType[int64(int64)]"
    assert types.FunctionType(int64(types.literal(3))) is IntToInt
    assert IntToInt.nargs == 1 and IntToInt.signature == int64(int64) and IntToInt.is_precise()
    assert int64(int64).as_type() is IntToInt
    assert types.FunctionType(types.none(IntToInt)).name == "FunctionType[none(FunctionType[int64(int64)])]"


def test_signatures_in_texts():
    @njit("int64(FunctionType(int64(int64)), int64)")
    def apply(f, x):
        return f(f(x))

    assert apply(njit(increment), 1) == 3


@LEVELS
def test_exceptions_come_through(level):
    class Own(Exception):
        pass

    @njit
    def picky(x):
        if x > 100:
            raise Own(x, "too big")
        if x < 0:
            raise ValueError("negative")
        return 10 // x

    apply = applier(level)
    assert apply(picky, 5) == 2
    with pytest.raises(Own) as caught:
        apply(picky, 101)
    assert caught.value.args == (101, "too big")
    with pytest.raises(ValueError, match="^negative$") as caught:
        apply(picky, -1)
    assert caught.traceback[-1].name.endswith("picky")
    with pytest.raises(ZeroDivisionError):
        apply(picky, 0)
    assert apply(picky, 1) == 10, "a failure leaves nothing behind"


NUMBERS = [
    (boolean, [True, False]), (int8, [-128, 127, -1]), (uint8, [0, 200, 255]), (int16, [-300]), (uint16, [65535]),
    (types.int32, [-2**31]), (types.uint32, [2**32 - 1]), (int64, [-2**63]), (types.uint64, [2**64 - 1]),
    (float32, [1.5, -0.0]), (float64, [1e300, math.inf]), (complex64, [1.5 - 2j]), (complex128, [1e200 + 3j]),
]


@LEVELS
@pytest.mark.parametrize("kind, values", NUMBERS, ids=str)
def test_every_number_passes_both_ways(level, kind, values):
    """Natively and, negated or not, by the rules of C."""
    flip = {boolean: lambda x, y: not x}.get(kind, lambda x, y: x)
    signature = kind(kind, kind)

    @njit(kind(types.FunctionType(signature), kind), _opt_level=level)
    def program(f, x):
        return f(x, x)

    callback = cfunc(signature, _opt_level=level)(flip)
    functions = [njit(_opt_level=level)(flip), callback, Wrapped(callback)]
    for value in values:
        wanted = flip(value, value)
        for function in functions:
            got = program(function, value)
            assert got == wanted and type(got) is type(wanted)


@LEVELS
def test_many_arguments_and_results(level):
    """More than there are registers: results go through memory."""
    def many(a, b, c, d, e, f, g, h, i, j):
        return a + j, b * i, c, d, e - f, (g, h)

    result = types.Tuple((float64, float64, float64, float64, int64, types.UniTuple(int64, 2)))
    args = (*[float64] * 4, *[int64] * 4, float64, float64)

    @njit(result(types.FunctionType(result(*args)), float64), _opt_level=level)
    def program(f, x):
        return f(x, x + 1, x + 2, x + 3, 5, 6, 7, 8, x + 4, x + 5)

    numbers = (0.5, 1.5, 2.5, 3.5, 5, 6, 7, 8, 4.5, 5.5)
    assert program(njit(many), 0.5) == many(*numbers)


def test_functions_of_functions():
    outer = types.FunctionType(int64(IntToInt, int64))

    @njit(int64(outer, IntToInt, int64))
    def program(f, g, x):
        return f(g, x) + g(x)

    @njit
    def twice(g, x):
        return g(g(x))

    by_c = cfunc(int64(IntToInt, int64))(lambda g, x: g(g(x)))
    for f in (twice, by_c):
        for g in kinds(double, int64(int64)):
            assert program(f, g, 5) == 30


@LEVELS
def test_chosen_in_compiled_code(level):
    callback = cfunc(int64(int64))(double)
    plain = njit(increment)

    @njit(_opt_level=level)
    def program(k, f, x):
        if k == 0:
            g = plain
        elif k == 1:
            g = callback
        else:
            g = f
        return g(x)

    assert [program(k, callback, 10) for k in range(3)] == [11, 20, 20]

    @njit(_opt_level=level)
    def either(k):
        g = plain
        if k:
            g = callback
        return g

    assert either(False) is plain and either(True) is callback


@LEVELS
def test_tuples(level):
    callback, plain = cfunc(int64(int64))(double), njit(increment)
    others = tuple(njit(lambda x, k=k: x * k, ) for k in range(5))

    @njit(_opt_level=level)
    def program(functions, i, x):
        total = functions[i](x)
        for f in functions:
            total = f(total)
        for f in functions[::-1]:
            total += f(x)
        return total

    for functions in [(callback, plain), (plain, callback, plain), (callback,) * 7 + (plain,)]:
        expected = [f.py_func if f is plain else f for f in functions]
        for i in (0, -1):
            assert program(functions, i, 5) == program.py_func(expected, i, 5)
        assert program.signatures[-1][0] == types.UniTuple(IntToInt, len(functions))
    assert program(others, 2, 3) == program.py_func(others, 2, 3), "defaults are of dispatchers alone"

    @njit(_opt_level=level)
    def mixed(f, x):
        total = 0
        for g in (plain, f, callback):
            total += g(x)
        return total

    assert mixed(callback, 4) == 5 + 8 + 8


def test_functions_of_different_signatures_in_a_tuple():
    halve = cfunc(float64(float64))(lambda x: x / 2)
    twice = cfunc(int64(int64))(double)

    @njit
    def program(pair, x):
        return pair[0](float(x)), pair[1](x)

    assert program((halve, twice), 3) == (1.5, 6)

    @njit
    def loop(pair, x):
        total = 0.0
        for f in pair:
            total += f(x)
        return total

    with pytest.raises(errors.TypingError):
        loop((halve, twice), 1.5)


def test_a_function_with_one_signature_tells_it_in_a_tuple():
    fixed = njit(int64(int64))(increment)
    free = njit(double)

    @njit
    def program(functions, x):
        for f in functions:
            x = f(x)
        return x

    assert program((fixed, free), 3) == 8
    assert program.signatures == [(types.UniTuple(IntToInt, 2), int64)]
    assert free.nopython_signatures == [int64(int64)]
    assert fixed.get_function_type() == IntToInt and free.get_function_type() is None


def test_calls_fit_the_signature():
    callback = cfunc(int64(int64))(increment)

    def fails(program, *args):
        with pytest.raises((errors.TypingError, errors.UnsupportedError)) as caught:
            njit(program)(*args)
        return str(caught.value)

    assert "mismatch of arguments number: 2 vs 1" in fails(lambda f: f(1, 2), callback)
    assert "mismatch of argument types: float64 vs int64" in fails(lambda f: f(1.5), callback)
    assert "first-class function call cannot use keyword arguments" in fails(lambda f: f(x=1), callback)
    assert njit(lambda f, x: f(x))(callback, True) == 2, "a truth value becomes a number safely"

    def chooses(k, f, g):
        # CPython 3.13 may write the call out for both branches of an expression.
        for _ in range(1):
            f = f if k else g
        return f(1)

    assert "Cannot unify FunctionType[int64(int64)] and FunctionType[float64(float64)]" in fails(
        chooses, True, callback, cfunc(float64(float64))(increment))


def test_values_that_do_not_fit():
    apply = applier()
    with pytest.raises(TypeError, match="No matching definition"):
        apply(cfunc(float64(float64))(increment), 1)
    with pytest.raises(TypeError, match="No matching definition"):
        apply(3, 3)
    with pytest.raises(TypeError, match="compiles no more"):
        apply(njit(float64(float64))(increment), 3)
    with pytest.raises(TypeError, match="takes 2 arguments"):
        apply(njit(lambda x, y: x + y), 3)

    @njit
    def text(x):
        return x, x

    with pytest.raises(errors.TypingError):
        apply(text, 3)
    text(3)
    with pytest.raises(TypeError, match="mismatch of return type"):
        apply(text, 3)


def test_the_result_is_that_of_the_signature():
    @njit(float64(types.FunctionType(float64())))
    def program(f):
        return f()

    seven = njit(lambda: 7)
    assert program(seven) == 7.0 and seven.nopython_signatures == [float64()]

    callback = cfunc(float64())(lambda: 2.5)

    @njit
    def chosen(k):
        f = callback if k else seven
        return f()

    assert (chosen(True), chosen(False)) == (2.5, 7.0)


def test_addresses_of_other_objects():
    class Zero(Wrapped):
        def __wrapper_address__(self):
            return 0

    class Late(Wrapped):
        asked = 0

        def __wrapper_address__(self):
            self.asked += 1
            return 0 if self.asked == 1 else self.callback.address

    callback = cfunc(int64())(lambda: 42)
    zero, late = Zero(callback), Late(callback)

    @njit(int64(types.FunctionType(int64())))
    def apply(f):
        return f()

    with pytest.raises(ValueError, match="wrapper address of <.*> instance must be a positive"):
        apply(zero)
    with pytest.raises(RuntimeError, match=r"FunctionType\[int64\(\)\] function address is null"):
        njit(lambda: zero())()
    assert njit(lambda: late())() == 42

    class Broken(Wrapped):
        def __wrapper_address__(self):
            return "here"

    with pytest.raises(TypeError, match="must be integer"):
        apply(Broken(callback))


def test_functions_of_ctypes():
    import ctypes

    library = ctypes.CDLL(None)
    absolute = library.labs
    absolute.restype, absolute.argtypes = ctypes.c_long, [ctypes.c_long]
    assert applier()(absolute, -5) == 5
    assert njit(lambda x: absolute(x) + 1)(-3) == 4
    prototype = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_int8)
    narrow = prototype(lambda x: x)
    assert njit(lambda f, x: f(x))(narrow, int8(-5)) == -5
    no_types = library.abs
    with pytest.raises(errors.TypingError, match="argument types"):
        njit(lambda f: f(1))(no_types)
    keeps_errno = ctypes.CDLL(None, use_errno=True).abs
    keeps_errno.argtypes = [ctypes.c_int]
    with pytest.raises(errors.TypingError, match="errno"):
        njit(lambda f: f(1))(keeps_errno)


def test_functions_of_pythonapi_are_called():
    import ctypes

    identity = ctypes.pythonapi.PyThread_get_thread_ident
    identity.restype, identity.argtypes = ctypes.c_ulong, []
    assert njit(lambda: identity())() == threading.get_ident()


def test_functions_of_ctypes_that_take_objects_are_called_by_python():
    import ctypes

    count = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object)(len)
    same = ctypes.CFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_double)(lambda x, y: x)
    double = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.py_object)(lambda a: a.sum() * 2)

    @njit(nogil=True)
    def run(names, numbers, repeat):
        total = 0.0
        for _ in range(repeat):
            total += count(names) + double(numbers)
        return total

    names, numbers = ("a", "b"), np.arange(4.0)
    assert run(names, numbers, 3) == 3 * (2 + 12)
    threads = [threading.Thread(target=run, args=(names, numbers, 100)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = sys.getrefcount(numbers)
    assert njit(lambda x: same(x, 1.0))(numbers) is numbers
    assert sys.getrefcount(numbers) == before


def test_arguments_of_functions_that_the_source_names_become_what_they_take():
    import ctypes

    def function(result, *args):
        return ctypes.CFUNCTYPE(result, *args)(lambda *values: sum(values))

    whole = function(ctypes.c_int, ctypes.c_int, ctypes.c_ubyte)
    broken = function(ctypes.c_float, ctypes.c_float)
    assert njit(lambda: whole(-7, 8))() == 1
    assert njit(lambda x, y: whole(x, y))(2**32 + 5, 257) == whole(2**32 + 5, 257) == 6
    assert njit(lambda x: broken(x))(4) == broken(4) == 4
    assert njit(lambda x: broken(x))(0.1) == broken(0.1) != 0.1
    for program, value in ((lambda x: whole(x, 1), 1.5), (lambda x: broken(x), 1j), (lambda x: broken(x), "1")):
        with pytest.raises(errors.TypingError, match="mismatch of argument types"):
            njit(program)(value)
    with pytest.raises(errors.TypingError, match="mismatch of argument types: int64 vs int32"):
        njit(lambda f, x: f(x, x))(whole, 1)


def test_addresses_from_functions_of_ctypes_are_numbers():
    import ctypes

    import numpy as np

    where = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: 2**63 + 5)

    @njit
    def f(a):
        found = where()
        a[0] = found
        return found

    numbers = np.zeros(1, np.uintp)
    assert f(numbers) == 2**63 + 5 == numbers[0]
    same = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda place: place)
    assert njit(lambda a: same(a.ctypes.data))(numbers) == numbers.ctypes.data
    no_types = ctypes.CDLL(None).abs
    with pytest.raises(errors.TypingError, match="'no_types'.*'abs' doesn't define its argument types"):
        njit(lambda x: no_types(x))(1)


class Slot(types.WrapperAddressProtocol):
    """The function whose address is filled in later."""

    address = 0

    def __wrapper_address__(self):
        return self.address

    def signature(self):
        return int64(int64)


def unraisable(monkeypatch):
    """What is printed as ignored, as it comes."""
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda told: seen.append((told.object, told.exc_type, told.exc_value)))
    return seen


def test_recursion_through_a_value(monkeypatch):
    seen = unraisable(monkeypatch)
    slot = Slot()

    @cfunc(int64(int64))
    def down(n):
        return 0 if n == 0 else slot(n - 1) + 1

    slot.address = down.address
    assert down.ctypes(100) == 100 and not seen
    assert down.ctypes(10**9) < 10**9
    assert {(name.rpartition(".")[2], kind) for name, kind, _ in seen} == {("down", RecursionError)}


def test_threads():
    """Calls while the function is compiled anew, and threads that make the values at once."""
    function = njit(lambda x: x * 3)

    @njit(int64(IntToInt, int64, int64), nogil=True)
    def repeat(f, n, x):
        for _ in range(n):
            x = f(x) & 1023
        return x

    wanted = repeat(function, 100_000, 1)
    results, end = [], threading.Event()

    def call():
        while not end.is_set():
            results.append(repeat(function, 100_000, 1))

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        function.recompile()
    end.set()
    for thread in threads:
        thread.join()
    assert results and set(results) == {wanted}


def test_code_goes_away_with_its_function():
    gc.collect()
    before = _rumba.session.live_units()
    apply = applier()
    made = _rumba.session.live_units()
    for _ in range(5):
        assert apply(njit(increment), 1) == 2
        assert apply(cfunc(int64(int64))(double), 4) == 8
        gc.collect()
    assert _rumba.session.live_units() == made
    callback = cfunc(int64(int64))(double)
    user = njit(lambda x: callback(x))
    assert user(4) == 8
    seen = weakref.ref(callback)
    del callback
    gc.collect()
    assert user(5) == 10, "compiled code keeps what it calls"
    del user, apply
    gc.collect()
    assert seen() is None and _rumba.session.live_units() == before


def test_references_are_given_back():
    import sys

    apply, callback = applier(), cfunc(int64(int64))(double)
    give = njit(lambda f: f)
    assert give(callback) is callback
    counts = sys.getrefcount(callback)
    for _ in range(100):
        apply(callback, 1), give(callback)
    assert sys.getrefcount(callback) == counts


def test_a_value_of_compile_results():
    add = njit(lambda x, y: x + y)
    assert add(1, 2) == 3 and add(1.5, 2.5) == 4.0
    whole, real = (types.CompileResultWAP(result) for result in add.overloads.values())
    program = njit(lambda f, x, y: f(x, y))
    assert program(whole, 3, 4) == 7 and program(real, 0.5, 0.25) == 0.75 and whole(1, 1) == 2
    assert list(program.signatures)[0][0] == types.FunctionType(int64(int64, int64))


def test_functions_in_globals_and_defaults():
    callback = cfunc(int64(int64))(double)
    functions = (callback, njit(increment))

    @njit
    def program(x, f=callback):
        total = f(x)
        for g in functions:
            total += g(x)
        return total

    assert program(5) == 10 + 10 + 6
    assert program(5, callback) == 26


def test_closures_call_values():
    callback = cfunc(int64(int64))(double)

    @njit
    def program(f, x):
        def inner(y):
            return f(y) + x

        return inner(x) + (lambda g: g(x))(f)

    assert program(callback, 5) == 15 + 10

    @njit
    def make(f):
        return lambda x: f(x) + 1

    assert make(callback)(4) == 9


def test_typeof():
    callback = cfunc(int64(int64))(double)
    assert types.typeof(callback) is IntToInt
    assert types.typeof(callback.ctypes) is IntToInt
    assert types.typeof((callback, njit(increment))) == types.UniTuple(IntToInt, 2)
    assert isinstance(types.typeof(njit(increment)), types.Dispatcher)


@LEVELS
def test_the_interpreter_agrees(level):
    """About functions that become values in compiled code: fixed signatures of the callee make them such."""
    @njit(float64(FloatToFloat, float64, int64), _opt_level=level)
    def iterate(f, x, n):
        for _ in range(n):
            x = f(x)
        return x

    @njit
    def half(x):
        return x / 2

    @njit
    def root(x):
        return math.sqrt(x - 1)

    @njit
    def whole(x):
        return 3 if x > 2 else 4

    @njit(_opt_level=level)
    def program(k, x, n):
        return iterate(half, x, n) + iterate(root if k else half, x, n) + iterate(whole, x, n)

    def plain(k, x, n):
        def repeat(f, x):
            for _ in range(n):
                x = float(f.py_func(x))
            return x

        return repeat(half, x) + repeat(root if k else half, x) + repeat(whole, x)

    for args in [(True, 50.0, 2), (False, 1e300, 60), (True, 1.5, 3), (True, 0.5, 1), (False, -3.0, 0)]:
        check(program, *args, expected=plain)


def test_pointers_to_and_from_ctypes():
    import ctypes

    kind = ctypes.POINTER(ctypes.c_double)
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, kind, ctypes.c_int64)
    total = prototype(lambda items, count: sum(items[:count]))
    assert types.typeof(total) == types.FunctionType(float64(types.CPointer(float64), int64))

    @cfunc(float64(types.CPointer(float64), int64))
    def program(items, count):
        items[0] = 10.0
        return total(items, count)

    assert program.ctypes((ctypes.c_double * 3)(1, 2, 3), 3) == 15.0


def test_library_functions_call_values():
    """`map`, `filter`, `reduce`, `min` and `max` with a key take function values."""
    import functools

    callback, odd = cfunc(int64(int64))(double), cfunc(boolean(int64))(lambda x: x % 2 == 1)
    add = cfunc(int64(int64, int64))(lambda a, b: a + b)

    @njit
    def mapped(f, g, x):
        total = 0
        for y in map(f, (1, 2, x)):
            total += g(y)
        for y in filter(odd, range(x)):
            total += y
        return total + sum(tuple(map(f, (x, x))))

    assert mapped(callback, njit(lambda y: y * y), 5) == 4 + 16 + 100 + 1 + 3 + 20
    assert njit(lambda f, x: functools.reduce(f, (1, 2, x)))(add, 5) == 8
    assert njit(lambda f, x: max((3, -7, x), key=f))(cfunc(int64(int64))(lambda x: x * x), 5) == -7


def test_recursion_through_native_values():
    """A function that passes itself on as a value: deep is fine, without end is an exception."""
    @njit(int64(IntToInt, int64))
    def helper(f, n):
        return f(n - 1) + 1

    @njit
    def free(n):
        return 0 if n <= 0 else helper(free, n)

    @njit(int64(int64))
    def fixed(n):
        return 0 if n <= 0 else helper(fixed, n)

    callback = cfunc(int64(int64))(lambda x: -x)

    @njit
    def chosen(n, f):
        g = fixed
        if n == 5:
            g = f
        return g(n)

    for program in (free, fixed, lambda n: chosen(n, callback)):
        assert program(1000) == 1000
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            program(10**9)
    assert chosen(5, callback) == -5


def test_types_are_copied_as_themselves():
    import copy
    import pickle

    nested = types.FunctionType(types.none(IntToInt))
    for kind in (IntToInt, nested, types.UniTuple(nested, 2)):
        assert pickle.loads(pickle.dumps(kind)) is kind and copy.deepcopy(kind) is kind
