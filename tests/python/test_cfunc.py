"""Callbacks: functions of C made of Python functions."""
import ctypes
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest
from rumba import _rumba, cfunc, errors, njit, types
from rumba.numba import carray
from rumba.types import complex64, complex128, float64, int32, int64, none

LEVELS = pytest.mark.parametrize("level", [0, 2, 3])


def unraisable(monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda told: seen.append((told.object, repr(told.exc_value))))
    return seen


@LEVELS
def test_ctypes_calls_it(level):
    @cfunc("float64(float64, int64)", _opt_level=level)
    def program(x, n):
        total = 0.0
        for i in range(n):
            total += x / (i + 1)
        return total

    assert program.ctypes(3.0, 4) == program(3.0, 4) == program.__wrapped__(3.0, 4)
    made = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)(program.address)
    assert made(3.0, 4) == program(3.0, 4)


def test_attributes():
    def program(x, y):
        """Says what it does."""
        return x + y

    made = cfunc(int64(int64, int64))(program)
    assert made.__wrapped__ is program and made.__doc__ == program.__doc__
    assert made.__name__ == "program" and made.__qualname__.endswith("program") and made.__module__ == __name__
    assert made.signature() == int64(int64, int64)
    assert isinstance(made.address, int) and made.address > 0 and made.__wrapper_address__() == made.address
    assert "program" in made.native_name and made.native_name in made.inspect_llvm()
    assert made.ctypes is made.ctypes and ctypes.cast(made.ctypes, ctypes.c_void_p).value == made.address
    assert repr(made).startswith("<Numba C callback ") and made.cache_hits == 0
    assert made(y=2, x=1) == 3, "Python calls the plain function"


@LEVELS
def test_qsort(level):
    """A function of C calls back."""
    @cfunc(int32(types.CPointer(int64), types.CPointer(int64)), _opt_level=level)
    def compare(a, b):
        return (a[0] > b[0]) - (a[0] < b[0])

    numbers = (ctypes.c_int64 * 7)(5, -3, 99, 0, 5, -(2**62), 1)
    qsort = ctypes.CDLL(None).qsort
    qsort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    qsort(numbers, len(numbers), 8, compare.address)
    assert list(numbers) == sorted(numbers)


@LEVELS
def test_exceptions_are_printed_and_ignored(level, monkeypatch):
    seen = unraisable(monkeypatch)

    class Own(Exception):
        pass

    @njit
    def inner(x):
        if x == 7:
            raise Own("seven", x)
        return 100 // x

    @cfunc(int64(int64), _opt_level=level)
    def program(x):
        return inner(x) + 1

    @cfunc(complex128(int64), _opt_level=level)
    def pair(x):
        return complex(100 // x, 1)

    assert program.ctypes(5) == 21 and not seen
    assert program.ctypes(0) == 0 and program.ctypes(7) == 0
    names = [name.rpartition(".")[2] for name, _ in seen]
    assert names == ["program"] * 2
    assert [text for _, text in seen] == [
        "ZeroDivisionError('integer division or modulo by zero')", "Own('seven', 7)"]
    assert njit(lambda x: pair(x))(0) == 0 and "ZeroDivisionError" in seen[-1][1]
    assert njit(lambda x: program(x))(0) == 0, "the exception does not come through C"


def test_the_text_of_an_ignored_exception():
    source = (
        "from rumba import cfunc\n"
        "@cfunc('float64(int64, int64)')\n"
        "def div(a, b):\n"
        "    return a / b\n"
        "print(div.ctypes(5, 2), div.ctypes(5, 0))\n")
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert ran.stdout == "2.5 0.0\n"
    assert ran.stderr.startswith("Exception ignored in: 'div'\nTraceback (most recent call last):\n")
    assert "line 4, in div\n" in ran.stderr and ran.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


def test_threads_that_python_does_not_know(monkeypatch):
    """Threads that C starts call it, also where an exception needs Python."""
    seen = unraisable(monkeypatch)

    @cfunc(int64(int64))
    def program(x):
        return 100 // x

    pthreads = ctypes.CDLL(None)
    threads = (ctypes.c_ulong * 4)()
    for index in range(4):
        assert pthreads.pthread_create(
            ctypes.byref(threads, index * 8), None, ctypes.c_void_p(program.address), ctypes.c_void_p(index)) == 0
    results = []
    for thread in threads:
        result = ctypes.c_int64()
        pthreads.pthread_join(ctypes.c_ulong(thread), ctypes.byref(result))
        results.append(result.value)
    assert results == [0, 100, 50, 33]
    assert len(seen) == 1 and "ZeroDivisionError" in seen[0][1]


def test_without_the_lock(monkeypatch):
    seen = unraisable(monkeypatch)
    program = cfunc(int64(int64))(lambda x: 100 // x)

    @njit(nogil=True)
    def outer(n):
        total = 0
        for i in range(n):
            total += program(i % 5)
        return total

    results = []
    threads = [threading.Thread(target=lambda: results.append(outer(1000))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200 * (100 + 50 + 33 + 25)] * 3 and len(seen) == 600


@LEVELS
def test_complex_numbers(level):
    """By C's rules for `float _Complex` and `double _Complex`, checked with a compiler of C."""
    compiler = next(filter(shutil.which, ("cc", "clang-19", "gcc")), None)
    assert compiler, "the tests need a compiler of C"
    library = build(compiler, """
        #include <complex.h>
        #include <stdbool.h>
        #include <stdint.h>
        float complex mix(float complex a, double complex b, double c) { return conjf(a) + b * c; }
        double complex widen(float complex a, double complex b, double c) { return a - b / c; }
        int64_t narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, bool e) { return a + 2 * b + 3 * c + 4 * d + 5 * e; }
        int8_t negate(int8_t a) { return -a; }
        bool both(bool a, bool b) { return a && b; }
        int8_t call8(int8_t (*f)(int8_t), int a) { return f(a); }
        int call_bool(bool (*f)(bool, bool), int a, int b) { return f(a, b) ? 10 : 20; }
        double call_mix(float complex (*f)(float complex, double complex, double)) {
            float complex z = f(1.5f + 2.5f * I, 3.0 - 4.0 * I, 0.5);
            return crealf(z) * 100 + cimagf(z);
        }
        double call_widen(double complex (*f)(float complex, double complex, double)) {
            double complex z = f(1.5f + 2.5f * I, 3.0 - 4.0 * I, 0.5);
            return creal(z) * 100 + cimag(z);
        }
    """)

    class C(types.WrapperAddressProtocol):
        def __init__(self, name, signature):
            self.name, self.sig = name, signature

        def __wrapper_address__(self):
            return ctypes.cast(getattr(library, self.name), ctypes.c_void_p).value

        def signature(self):
            return self.sig

    both_ways = complex64(complex64, complex128, float64), complex128(complex64, complex128, float64)
    mix, widen = C("mix", both_ways[0]), C("widen", both_ways[1])
    a, b, c = 1.5 + 2.5j, 3 - 4j, 0.5
    program = njit(both_ways[0])(lambda a, b, c: mix(a, b, c))
    assert program(a, b, c) == a.conjugate() + b * c
    assert njit(both_ways[1])(lambda a, b, c: widen(a, b, c))(a, b, c) == a - b / c
    for name, signature in (("call_mix", both_ways[0]), ("call_widen", both_ways[1])):
        call = getattr(library, name)
        call.restype = ctypes.c_double
        made = cfunc(signature, _opt_level=level)(lambda a, b, c: a.conjugate() - b * c)
        wanted = a.conjugate() - b * c
        assert call(ctypes.c_void_p(made.address)) == wanted.real * 100 + wanted.imag

    i8, u8, i16, u16 = types.int8, types.uint8, types.int16, types.uint16
    narrow = C("narrow", int64(i8, u8, i16, u16, types.boolean))
    assert njit(narrow.sig)(lambda a, b, c, d, e: narrow(a, b, c, d, e))(-128, 200, -300, 60000, True) == (
        -128 + 400 - 900 + 240000 + 5)
    negate, both = C("negate", i8(i8)), C("both", types.boolean(types.boolean, types.boolean))
    assert njit(i8(i8))(lambda a: negate(a))(100) == -100
    assert [njit(lambda a, b: both(a, b))(a, b) for a in (True, False) for b in (True, False)] == [True] + [False] * 3
    identity = cfunc(i8(i8), _opt_level=level)(lambda a: a)
    library.call8.restype = ctypes.c_int8
    assert [library.call8(ctypes.c_void_p(identity.address), x) for x in (-128, 127)] == [-128, 127]
    either = cfunc(types.boolean(types.boolean, types.boolean), _opt_level=level)(lambda a, b: a or b)
    assert [library.call_bool(ctypes.c_void_p(either.address), a, b) for a, b in ((0, 0), (1, 0))] == [20, 10]


_built = {}


def build(compiler, source):
    """A library out of a source, once."""
    if source not in _built:
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "source.c")
        with open(path, "w") as file:
            file.write(source)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", path, "-o", path + ".so", "-lm"], check=True)
        _built[source] = ctypes.CDLL(path + ".so")
    return _built[source]


def test_functions_as_arguments_are_pointers_to_functions():
    @cfunc(float64(types.FunctionType(float64(float64)), float64))
    def twice(f, x):
        return f(f(x))

    half = cfunc(float64(float64))(lambda x: x / 2)
    assert twice.ctypes(ctypes.cast(half.ctypes, twice.ctypes.argtypes[0]), 8.0) == 2.0
    assert njit(lambda x: twice(half, x))(8.0) == 2.0


def test_none():
    @cfunc(none(int64))
    def nothing(x):
        x + 1

    assert nothing.ctypes(3) is None
    assert njit(lambda: nothing(3))() is None


def test_locals_and_other_options():
    rounded = cfunc("float64(int64, int64)", locals={"c": int64})
    program = rounded(lambda a, b: a / b)
    assert program.ctypes(8, 3) == 8 / 3

    @rounded
    def cut(a, b):
        c = a / b
        return c

    assert cut.ctypes(8, 3) == 2.0
    assert cfunc("int64(int64)", nopython=True, fastmath=True, error_model="numpy")(lambda x: x // 0).ctypes(3) == 0


def test_what_is_refused():
    with pytest.raises(NotImplementedError):
        cfunc("int64(int64)", forceobj=True)(lambda x: x)
    with pytest.raises(TypeError, match="explicit return type"):
        cfunc((int64,))(lambda x: x)
    with pytest.raises(TypeError, match="invalid signature"):
        cfunc(lambda x: x)
    with pytest.raises(errors.UnsupportedError, match="cannot pass to or from functions of C"):
        cfunc(int64(types.UniTuple(int64, 2)))(lambda pair: pair[0])
    with pytest.raises(errors.UnsupportedError, match="optional|Optional"):
        cfunc(int64(types.Optional(int64)))(lambda x: 1)
    with pytest.raises(TypeError, match="Signature mismatch"):
        cfunc(int64(int64, int64))(lambda x: x)
    with pytest.raises(errors.TypingError):
        cfunc(int64(int64))(lambda x: x.nothing)
    with pytest.raises(KeyError):
        cfunc(int64(int64), nothing=True)(lambda x: x)


def test_an_address_stays_valid():
    """A number cannot keep the function alive; the function stays."""
    address = cfunc(int64(int64))(lambda x: x + 5).address
    gc.collect()
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1) == 6
    function = cfunc(int64(int64))(lambda x: x + 6).ctypes
    gc.collect()
    assert function(1) == 7


def test_code_goes_away_without_an_address():
    gc.collect()
    before = _rumba.session.live_units()
    made = cfunc(int64(int64))(lambda x: x)
    assert _rumba.session.live_units() == before + 1, "there is no code for Python"
    del made
    gc.collect()
    assert _rumba.session.live_units() == before


def test_recursion_and_calls_of_other_functions():
    @njit
    def even(n):
        return True if n == 0 else odd(n - 1)

    @njit
    def odd(n):
        return False if n == 0 else even(n - 1)

    assert [cfunc("boolean(int64)")(lambda n: even(n)).ctypes(n) for n in (10, 11)] == [True, False]
    fib = cfunc("int64(int64)")(fibonacci)
    assert fib.ctypes(20) == 6765


def fibonacci(n):
    return inner_fibonacci(n)


@njit
def inner_fibonacci(n):
    return n if n < 2 else inner_fibonacci(n - 1) + inner_fibonacci(n - 2)


def test_facade():
    from rumba import numba
    from rumba.numba.core import ccallback
    from rumba.numba.core.typing import ctypes_utils
    from rumba.numba.experimental import function_type

    assert numba.cfunc is cfunc and ccallback.CFunc is type(cfunc(int64())(lambda: 1))
    assert function_type.FunctionType is types.FunctionType
    assert ctypes_utils.to_ctypes(int64) is ctypes.c_int64 and ctypes_utils.from_ctypes(ctypes.c_uint8) is types.uint8
    assert ctypes_utils.to_ctypes(types.CPointer(float64)) == ctypes.POINTER(ctypes.c_double)


KINDS = [types.boolean, types.int8, types.uint16, types.int32, int64, types.float32, float64, complex64, complex128]


@LEVELS
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_pointers(level, kind):
    """A callback reads and writes what C points to."""
    import numpy

    values = numpy.array([0, 1, 7, 100], dtype=kind.name)

    @cfunc(none(types.CPointer(kind), int64), _opt_level=level)
    def reverse(items, count):
        for i in range(count // 2):
            j = count - 1 - i
            first = items[i]
            items[i] = items[j]
            items[j] = first

    wanted = values[::-1].copy()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(reverse.address)
    call(values.ctypes.data, len(values))
    assert (values == wanted).all()


def test_pointers_pass_through():
    @cfunc(none(types.voidptr, types.CPointer(types.CPointer(int64))))
    def nothing(anything, table):
        table[0][1] = 5

    numbers = (ctypes.c_int64 * 2)(1, 2)
    table = (ctypes.POINTER(ctypes.c_int64) * 1)(numbers)
    nothing.ctypes(None, ctypes.cast(table, nothing.ctypes.argtypes[1]))
    assert list(numbers) == [1, 5]
    with pytest.raises(errors.UnsupportedError, match="assignment to an item"):
        cfunc(none(types.voidptr))(assigns)


def assigns(p):
    p[0] = 1


def test_an_array_lives_while_a_call_uses_its_address():
    @njit(types.float64(types.CPointer(types.float64), types.intp))
    def total(address, n):
        other = np.full(n, 7.0)
        return carray(address, n).sum() + 0 * other[0]

    @njit
    def at_once(n):
        return total(np.ones(n).ctypes, n)

    @njit
    def later(n):
        items = np.ones(n)
        address = items.ctypes
        other = np.full(n, 9.0)
        return total(address, n) + other[0]

    assert at_once(5) == 5 and later(5) == 14


def test_arrays_are_passed_as_numba_passes_them():
    """Block, parent, count and size of items, address, lengths, strides: one argument each."""
    from rumba.numba.experimental.function_type import _get_wrapper_address

    def address_of(array):
        return None, None, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides

    def prototype(ndim, *others):
        head = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
        return ctypes.CFUNCTYPE(ctypes.c_double, *head, *[ctypes.c_int64] * (2 * ndim), *others)

    table = np.arange(6.0).reshape(2, 3)
    scaled = njit(lambda a, k: a.sum() * k)
    address = _get_wrapper_address(scaled, types.float64(types.float64[:, ::1], int64))
    assert prototype(2, ctypes.c_int64)(address)(*address_of(table), 10) == 150.0
    last = cfunc(types.float64(types.float64[:], types.float32))(lambda v, x: v[-1] + x)
    strided = np.arange(10.0)[::3]
    assert prototype(1, ctypes.c_float)(last.address)(*address_of(strided), 0.5) == 9.5
    with pytest.raises(errors.UnsupportedError, match="cannot pass to or from functions of C"):
        cfunc(types.float64[::1](int64))(lambda n: np.zeros(n))


@pytest.mark.parametrize("shape", [(6,), (2, 3), ()])
def test_an_array_of_an_address_is_returned_to_python(shape):
    """It shows the memory of its owner, which nothing but the owner keeps alive."""
    kept = np.arange(6.0)

    @njit((types.CPointer(types.float64),))
    def at(address):
        return carray(address, shape)

    found = njit(lambda array: at(array.ctypes))(kept)
    assert found.base is None and found.shape == shape and (found == kept[:found.size].reshape(shape)).all()
    kept[:] = -1
    assert (found == -1).all()
