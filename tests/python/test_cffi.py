"""Functions of C that cffi found or compiled, called from compiled code."""
import array
import ctypes
import math
import sys

import cffi
import numpy as np
import pytest
from rumba import njit
from rumba.c_interop.callbacks import to_ctypes
from rumba.errors import TypingError
from rumba.numba import cfunc, types
from rumba.numba.core.typing import cffi_utils

CDEF = """
typedef struct { double real; double imag; } pair;
typedef struct { int8_t kind; double values[3]; } entry;
enum colour { RED, GREEN = 7 };
int add(int a, int b);
bool is_odd(unsigned char x);
double apply(double (*f)(double), double x);
void halve(int n, double *x);
void real_parts(pair *c, double *out, int n);
enum colour next_colour(enum colour c);
entry *nothing(void);
double by_value(pair p);
int many(int n, ...);
"""
SOURCE = """
#include <stdbool.h>
#include <stdint.h>
typedef struct { double real; double imag; } pair;
typedef struct { int8_t kind; double values[3]; } entry;
enum colour { RED, GREEN = 7 };
static int add(int a, int b) { return a + b; }
static bool is_odd(unsigned char x) { return x & 1; }
static double apply(double (*f)(double), double x) { return f(x) + 1; }
static void halve(int n, double *x) { for (int i = 0; i < n; i++) x[i] /= 2; }
static void real_parts(pair *c, double *out, int n) { for (int i = 0; i < n; i++) out[i] = c[i].real; }
static enum colour next_colour(enum colour c) { return c == RED ? GREEN : RED; }
static entry *nothing(void) { return 0; }
static double by_value(pair p) { return p.real; }
static int many(int n, ...) { return n; }
"""

inline = cffi.FFI()
inline.cdef("double sin(double x); double pow(double x, double y); int abs(int x);")
mathematics = inline.dlopen(None)
sine, power, absolute = mathematics.sin, mathematics.pow, mathematics.abs


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A module that cffi compiled."""
    folder = tmp_path_factory.mktemp("cffi")
    builder = cffi.FFI()
    builder.cdef(CDEF)
    builder.set_source("rumba_cffi_example", SOURCE)
    builder.compile(tmpdir=str(folder))
    sys.path.insert(0, str(folder))
    try:
        import rumba_cffi_example
    finally:
        sys.path.remove(str(folder))
    cffi_utils.register_type(rumba_cffi_example.ffi.typeof("pair"), types.complex128)
    return rumba_cffi_example


def test_functions_of_an_opened_library():
    @njit
    def f(x):
        return sine(x) * 2 + power(x, 2.0) + absolute(-3)

    assert [f(x) for x in (0.5, 2)] == [math.sin(x) * 2 + x ** 2 + 3 for x in (0.5, 2)]


def test_functions_of_a_compiled_module(compiled):
    add, is_odd, following, by_value = (getattr(compiled.lib, name) for name in ("add", "is_odd", "next_colour", "by_value"))

    @njit
    def f(a, b):
        return add(a, b), is_odd(a), following(0), following(7), by_value(complex(a, b))

    assert f(3, 4) == (7, True, 7, 0, 3.0) and f(2, -4) == (-2, False, 7, 0, 2.0)


def test_libraries_have_functions(compiled):
    lib = compiled.lib

    @njit
    def f(x):
        return mathematics.pow(x, 2.0) + lib.add(3, 4) + lib.GREEN

    assert f(1.5) == 2.25 + 7 + 7
    with pytest.raises(TypingError, match="Unknown attribute 'nothing_such'"):
        njit(lambda: lib.nothing_such)()


def test_functions_are_arguments(compiled):
    @njit
    def f(first, second, x):
        return first(x) - second(x)

    half = inline.cast("double(*)(double)", cfunc("float64(float64)")(lambda x: x / 2).address)
    assert f(sine, half, 2.0) == math.sin(2) - 1 and f(half, sine, 2.0) == 1 - math.sin(2)
    assert len(f.signatures) == 1


def test_callbacks_go_to_c(compiled):
    apply = compiled.lib.apply

    @cfunc("float64(float64)")
    def triple(x):
        return x * 3

    @njit
    def f(x):
        return apply(triple, x)

    assert f(4.0) == 13.0 and compiled.lib.apply(inline.cast("double(*)(double)", triple.cffi), 4.0) == 13.0


def test_arrays_and_buffers_are_pointers(compiled):
    ffi, halve, real_parts = compiled.ffi, compiled.lib.halve, compiled.lib.real_parts

    @njit
    def f(x):
        halve(len(x), inline.from_buffer(x))

    @njit
    def g(c, out):
        real_parts(ffi.from_buffer(c), ffi.from_buffer(out), len(c))

    for x in (np.arange(4.0), array.array("d", range(4))):
        f(x)
        assert list(x) == [0, 0.5, 1, 1.5]
    out = np.zeros(3)
    g(np.array([1 + 2j, 3j, -2.5]), out)
    assert out.tolist() == [1, 0, -2.5]
    for wrong, why in ((np.arange(8.0)[::2], "non-contiguous"), (np.zeros((2, 3)).T, "C layout"), (3, "takes an array")):
        with pytest.raises(TypingError, match=why):
            f(wrong) if why != "takes an array" else njit(lambda x: inline.from_buffer(x))(wrong)
    with pytest.raises(TypingError):
        f(np.zeros(3, np.float32))


def test_types_of_c(compiled):
    ffi = compiled.ffi
    known = {
        "signed char": types.int8, "unsigned long long": types.uint64, "size_t": types.uint64, "int16_t": types.int16, "float": types.float32,
        "bool": types.bool, "void *": types.voidptr, "double *": types.CPointer(types.float64), "enum colour": types.uint32,
        "double[4]": types.NestedArray(types.float64, (4,)), "void": types.none}
    assert {name: cffi_utils.map_type(ffi.typeof(name)) for name in known} == known
    record = cffi_utils.map_type(ffi.typeof("entry"), use_record_dtype=True)
    assert record.size == 32 and record.offset("values") == 8
    assert to_ctypes(types.CPointer(record)) is ctypes.c_void_p
    bits = cffi.FFI()
    bits.cdef("typedef struct { int a : 3; } flags;")
    with pytest.raises(ValueError, match="field 'a' has bitshift"):
        cffi_utils.map_type(bits.typeof("flags"), use_record_dtype=True)
    with pytest.raises(TypeError, match="is a struct"):
        cffi_utils.map_type(ffi.typeof("entry"))
    assert cffi_utils.map_type(ffi.typeof(sine)) == types.float64(types.float64)


def test_what_c_has_and_compiled_code_does_not(compiled):
    for function in (compiled.lib.many, compiled.lib.nothing):
        with pytest.raises(TypingError, match="cannot be called from compiled code"):
            njit(lambda: function())()
    with pytest.raises(ValueError, match="Not a module"):
        cffi_utils.register_module(math)
    assert cffi_utils.get_pointer(sine) == int(inline.cast("uintptr_t", sine))
