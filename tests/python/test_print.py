"""`print` in compiled code writes what Python's would."""
import contextlib
import io
import subprocess
import sys
import textwrap
from collections import namedtuple

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError, UnsupportedError

Point = namedtuple("Point", "x y")


def written(capsys, function, *args):
    function(*args)
    return capsys.readouterr().out


def check(capsys, function, *args):
    compiled = njit(function)
    assert written(capsys, compiled, *args) == written(capsys, function, *args)


def test_values(capsys):
    def numbers(i, f, c, b):
        print(i, f, c, b, 1, 2.5, True, None, ...)
        print(i + 1, -f, i > 2, "text", "it's", "ü")
        print()
        print("a\nb", f * 0.1)

    check(capsys, numbers, 3, 1.5, 2 - 1j, True)
    check(capsys, numbers, -2**62, float("inf"), complex("nan"), False)

    def any_value(x):
        print(x)
        print(x, x)

    values = [np.int8(-3), np.uint8(200), np.uint64(2**64 - 1), np.float32(0.1), np.float64(1e300), np.complex64(0.1j), np.bool_(True),
              2**63, (), (1,), (1, 2.5, (True, None)), Point(1, 2.5), slice(1, 2), slice(None, None, 2), b"bytes",
              np.arange(5), np.arange(6.0).reshape(2, 3).T, np.zeros((0, 2)), np.array(5), np.arange(10)[::-2], np.array([True]),
              np.datetime64("2020-01-02"), np.timedelta64(5, "s")]
    for value in values:
        check(capsys, any_value, value)


def test_strings_in_tuples(capsys):
    def f(x):
        print((x, "a"), ("b", ("c", x)))

    check(capsys, f, 5)


def test_keywords(capsys):
    def f(x):
        print(x, 2, sep="-", end="!\n")
        print(x, x, sep="")
        print(x, end="")
        print(sep="a")
        print(x, sep=None, end=None, flush=True)
        print(*(x, "b"), sep=", ")

    check(capsys, f, 5)
    for source in ("print(x, file=x)", "print(x, sep=x)", "print(x, ends='')", "print(x, f)"):
        space = {}
        exec(f"def f(x): {source}", space)
        with pytest.raises((UnsupportedError, TypingError)):
            njit(space["f"])(1)


def test_streams(capsys):
    @njit
    def f(x):
        print(x, "error", sep="-", file=sys.stderr)
        print(x, file=sys.stdout, end=";")
        print(x, file=None)
        print(file=sys.stderr)

    for function in (f, f.py_func):
        function(5)
        assert capsys.readouterr() == ("5;5\n", "5-error\n\n")
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        f(6)
    assert text.getvalue() == "6-error\n\n"
    assert capsys.readouterr() == ("6;6\n", "")

    @njit
    def written(text):
        sys.stdout.flush()
        return sys.stdout.write(text), sys.stderr.write(text + "!")

    for function in (written, written.py_func):
        assert function("aü\n") == (3, 4)
        assert capsys.readouterr() == ("aü\n", "aü\n!")


def test_streams_by_other_names():
    text = textwrap.dedent("""
        from sys import stderr
        import rumba

        @rumba.njit
        def f(x):
            print(x, file=stderr)
            stderr.write("written")

        f(5)
    """)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "5\nwritten")


def test_optional_values(capsys):
    def f(x, flag):
        y = x if flag else None
        print(y)

    check(capsys, f, 5, True)
    check(capsys, f, 5, False)


def test_order(capsys):
    @njit
    def inner(i):
        print("compiled", i)

    @njit(nogil=True)
    def released(i):
        print("released", i)

    for i in range(3):
        print("python", i)
        inner(i)
        released(i)
    expected = "".join(f"python {i}\ncompiled {i}\nreleased {i}\n" for i in range(3))
    assert capsys.readouterr().out == expected


def test_new_arrays(capsys):
    def f(n):
        for i in range(n):
            a = np.arange(i)
            print(a, a[:1], (a, i))

    check(capsys, f, 4)


def test_output_goes_where_python_says():
    @njit
    def f():
        print("x", 1)

    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        f()
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = out
    assert text == "x 1\n"


@pytest.mark.parametrize("value", [
    [1, 2], [1.5], [(1, 2.5)], [[1], [2, 3]], ["a", "b"], {1: 2.5}, {"a": [1]}, {3}, ([1], {2: 3}), [None], []], ids=str)
def test_containers(value, capfd):
    @njit
    def shown(value):
        print(value, [1, "a"], sep="|")

    shown(value)
    compiled = capfd.readouterr().out
    shown.py_func(value)
    assert compiled == capfd.readouterr().out


def test_containers_are_shown_as_they_are(capfd):
    @njit
    def shown(items, table):
        items[0].append(5)
        table[1] = 7
        print(items, table)

    shown([[1]], {2: 3})
    assert capfd.readouterr().out == "[[1, 5]] {2: 3, 1: 7}\n"
