"""Calls through function values beside calls through pointers to functions in C (clang -O3).

    .venv/bin/python benches/function_values.py [--rounds 25]

Every loop of kernels/function_values.c runs with the same small callees three ways: C calls C, compiled code calls a
compiled function, compiled code calls a callback (by the rules of C). Where code happens to lie costs such loops up
to half of their time, so every pair is linked and compiled anew at several places, and the minimum of each counts; the
geometric mean over the loops is the figure.
"""
import argparse
import ctypes
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from rumba import cfunc, njit, types
from rumba.types import float64, int64

N = 2_000_000
PLACES = 8
INT, FLOAT = types.FunctionType(int64(int64)), types.FunctionType(float64(float64))


def mix(x):
    return x * 3 + 1


def step(x):
    return (x ^ (x >> 7)) + (x << 3)


def half(x):
    return x * 0.5 + 1.0


def chain(f, n):
    x = 1
    for i in range(n):
        x = f(x)
    return x


def total(f, n):
    s = 0
    for i in range(n):
        s += f(i)
    return s


def iterate(f, n):
    x = 3.0
    for i in range(n):
        x = f(x)
    return x


def integrate(f, n):
    s = 0.0
    for i in range(n):
        s += f(float(i))
    return s


def alternate(f, g, n):
    s = 0
    for i in range(n):
        h = g if i & 1 else f
        s += h(i)
    return s


CALLEES = {mix: (int64(int64), ctypes.c_int64), step: (int64(int64), ctypes.c_int64),
           half: (float64(float64), ctypes.c_double)}
LOOPS = [(chain, (mix,)), (chain, (step,)), (total, (mix,)), (total, (step,)), (iterate, (half,)), (integrate, (half,)),
         (alternate, (mix, step))]


def build(clang, folder, place):
    """The library of the loops and that of the callees, moved by some bytes."""
    source = pathlib.Path(__file__).parent / "kernels" / "function_values.c"
    made = []
    for name, flags in (("loops", []), ("callees", ["-DCALLEES"])):
        path = pathlib.Path(folder) / f"{name}{place}.so"
        padding = f'__attribute__((used)) static void pad{place}(void) {{ __asm__(".fill {16 * place}, 1, 0x90"); }}'
        text = padding + "\n" + source.read_text()
        subprocess.run([clang, "-O3", "-march=native", "-ffp-contract=off", "-fwrapv", "-shared", "-fPIC", "-xc", "-", "-o",
                        path, *flags], input=text, text=True, check=True)
        made.append(ctypes.CDLL(str(path)))
    return made


def theirs(clang, folder, place):
    """The loops in C, as functions without arguments, by loop."""
    loops, callees = build(clang, folder, place)
    found = []
    for loop, functions in LOOPS:
        made = getattr(loops, loop.__name__)
        kind = CALLEES[functions[0]][1]
        made.restype, made.argtypes = kind, [ctypes.c_void_p] * len(functions) + [ctypes.c_int64]
        addresses = [ctypes.cast(getattr(callees, f.__name__), ctypes.c_void_p) for f in functions]
        found.append(lambda made=made, addresses=addresses: made(*addresses, N))
    return found


def ours(as_value, place):
    """The same compiled here. Functions that are compiled before move the code."""
    for number in range(place):
        njit(lambda x, number=number: x + number)(1)
    found = []
    for loop, functions in LOOPS:
        signature = CALLEES[functions[0]][0]
        kind = INT if signature.return_type is int64 else FLOAT
        made = njit(signature.return_type(*[kind] * len(functions), int64))(loop)
        values = [as_value(function) for function in functions]
        found.append(lambda made=made, values=values: made(*values, N))
    return found


def seconds(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    clang = shutil.which("clang-19") or shutil.which("clang")
    if clang is None:
        sys.exit("no clang here")
    ways = {"C": lambda folder, place: theirs(clang, folder, place),
            "compiled": lambda folder, place: ours(njit, place),
            "callback": lambda folder, place: ours(lambda f: cfunc(CALLEES[f][0])(f), place)}
    best = {way: [math.inf] * len(LOOPS) for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        for place in range(PLACES):
            made = {way: make(folder, place) for way, make in ways.items()}
            for _ in range(rounds):
                for way, loops in made.items():
                    for index, loop in enumerate(loops):
                        best[way][index] = min(best[way][index], seconds(loop))
    print(f"{'nanoseconds per call':32}{'C':>8}{'compiled':>16}{'callback':>16}")
    for index, (loop, functions) in enumerate(LOOPS):
        name = f"{loop.__name__}({', '.join(f.__name__ for f in functions)})"
        figures = [best[way][index] / N * 1e9 for way in ways]
        ratios = "".join(f"{figure:9.2f} ({figure / figures[0]:.2f})" for figure in figures[1:])
        print(f"{name:32}{figures[0]:8.2f}{ratios}")
    means = [math.exp(sum(math.log(a / b) for a, b in zip(best[way], best["C"])) / len(LOOPS)) for way in ways]
    print(f"{'geometric mean of the ratios':32}{'':8}{means[1]:16.2f}{means[2]:16.2f}")


if __name__ == "__main__":
    main()
