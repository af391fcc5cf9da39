"""`fallback=True`: what does not compile is done with Python objects, with a warning at each such line."""
import gc
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from rumba import errors, jit, njit


def noted(function, *args):
    """What a call gives, and the warnings of it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args)
    return result, [note for note in found if issubclass(note.category, errors.NumbaPerformanceWarning)]


def test_what_compiles_is_compiled():
    @njit(fallback=True)
    def f(x):
        return x + 1

    assert noted(f, 3) == (4, []) and noted(f, 2.5) == (3.5, [])
    assert f.nopython_signatures == [unit.signature for unit in f.overloads.values()] and len(f.signatures) == 2
    assert not any(unit.objectmode for unit in f.overloads.values())


def test_lines_that_do_not_compile_run_on_objects():
    class Thing:
        items = [1, 2, 3]

    @njit(fallback=True)
    def f(x, *more, scale=2):
        text = f"{x!r:>4}".encode().decode("ascii")
        t = 0
        for i in range(10):
            t += i * scale
        return text.upper(), str(type(x)), t, more

    first = f.py_func.__code__.co_firstlineno
    result, notes = noted(f, Thing.items, 1)
    assert result == ("[1, 2, 3]", "<class 'list'>", 90, (1,))
    assert [note.lineno - first for note in notes] == [6]
    assert notes[0].filename == __file__ and "'f' runs this on Python objects: R0" in str(notes[0].message)
    # Told once.
    assert noted(f, Thing.items, 1)[1] == []
    [unit] = f.overloads.values()
    assert not unit.objectmode and len(f.nopython_signatures) == 1

    @njit(fallback=True)
    def g(o):
        return o.items[0]

    result, notes = noted(g, Thing())
    assert result == 1 and len(notes) == 1 and "`o` is a Python object" in str(notes[0].message)


def test_functions_that_do_not_compile_at_all_run_in_object_mode():
    @njit(fallback=True)
    def f(x):
        t = 0
        for i in range(10):
            t += i * x
        with open(os.devnull) as file:
            return t, file.read()

    result, notes = noted(f, 2)
    assert result == (90, "") and len(notes) == 1 and "'f' runs in object mode" in str(notes[0].message)
    [result] = f.overloads.values()
    assert result.objectmode and [len(loop.signatures) for loop in result.lifted] == [1]
    assert f.nopython_signatures == []


def test_both_in_one_function():
    @njit(fallback=True)
    def f(x):
        return x * 2

    assert noted(f, 4)[0] == 8
    big, notes = noted(f, 2**70)
    assert big == 2**71 and len(notes) == 1
    assert f(4) == 8 and [str(signature[0]) for signature in f.signatures] == ["int64", "pyobject"]


def test_errors_of_the_program_are_those_of_python():
    @njit(fallback=True)
    def f(a, i):
        a[0] += 1
        return a[i]

    a = np.zeros(3)
    with pytest.raises(IndexError):
        f(a, 5)
    assert a[0] == 1.0

    @njit(fallback=True)
    def g(x):
        return x.missing

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AttributeError, match="'object' object has no attribute 'missing'"):
            g(object())
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            g()


def test_calls_of_functions_that_fall_back():
    @njit(fallback=True)
    def inner(x):
        return [x, globals()][0]

    @njit(fallback=True)
    def outer(x):
        return inner(x) + 1

    result, notes = noted(outer, 2)
    assert result == 3 and len(notes) == 2

    @njit
    def strict(x):
        return inner(x) + 1

    with pytest.raises(errors.NumbaError):
        strict(2)


@pytest.mark.filterwarnings("ignore::rumba.errors.NumbaPerformanceWarning")
def test_what_outlives_the_call_keeps_its_objects():
    class Thing:
        alive = 0

        def __init__(self, x):
            self.x = x
            Thing.alive += 1

        def __del__(self):
            Thing.alive -= 1

    @njit(fallback=True)
    def closure(o):
        def inner(k):
            return o.x, k
        return inner

    @njit(fallback=True)
    def generator(o):
        yield o.x
        yield [o.x, o]

    function, values = closure(Thing("a")), generator(Thing("b"))
    assert function(1) == ("a", 1)
    first, (second, thing) = values
    assert (first, second, thing.x, Thing.alive) == ("b", "b", "b", 2)
    del function, values, thing
    gc.collect()
    assert Thing.alive == 0


def test_signatures_that_do_not_compile():
    def f(x):
        return {x: object}[x] and x + 1

    f, notes = noted(jit("int64(int64)", fallback=True), f)
    assert f(2) == 3 and len(notes) == 1 and not f.overloads[f.signatures[0]].objectmode

    def h(x):
        return len(globals()) and x + 1

    result, notes = noted(jit("int64(int64)", fallback=True)(h), 2)
    assert result == 3 and len(notes) == 1 and "runs in object mode" in str(notes[0].message)

    @jit("int64(int64)", fallback=True)
    def g(x):
        return x + 1

    assert g(2.0) == 3 and not g.overloads[g.signatures[0]].objectmode


def test_the_variable_of_the_environment():
    program = "import rumba\n@rumba.njit\ndef f(x): return type(x).__name__ + str(object)\nprint(f(1))"
    environment = {**os.environ, "RUMBA_FALLBACK": "1"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("int<class 'object'>"), done.stderr
