"""One measurement in a process of its own: `python child.py rumba|numba BENCH` prints seconds as JSON.

Everything is timed inside the process, so that starting Python does not count. Imports only what it measures.
"""
import gc
import json
import sys
import time

clock = time.perf_counter


def small_function(number):
    """A new function of the size of `add`."""
    namespace = {}
    exec(f"def add{number}(a, b):\n    return a + b + {number}", namespace)
    return namespace[f"add{number}"]


def summing_loop(number):
    """A new function with a loop that cannot be replaced by a formula."""
    namespace = {}
    exec(f"def total{number}(n):\n    s = {number}\n    for i in range(n):\n        s += i & s\n    return s", namespace)
    return namespace[f"total{number}"]


def mandel(x, y, limit):
    """The kernel of examples/mandelbrot.py."""
    re = 0.0
    im = 0.0
    for count in range(limit):
        re_squared = re * re
        im_squared = im * im
        if re_squared + im_squared > 4.0:
            return count
        im = 2.0 * re * im + y
        re = re_squared - im_squared + x
    return limit


def collatz(start):
    """The longest chain of n -> n // 2 or 3 * n + 1 that starts below `start`."""
    best = 0
    for first in range(1, start):
        n = first
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > best:
            best = steps
    return best


def first_call(njit, function, *args):
    """Seconds to decorate a function and call it."""
    started = clock()
    njit(function)(*args)
    return clock() - started


def per_call(function, *args):
    """Seconds of one call, from Python code that does nothing else; the best of many rounds."""
    names = ", ".join("abcd"[: len(args)])
    body = "\n        ".join([f"f({names})"] * 20)
    namespace = {"clock": clock}
    exec(f"def rounds(f, {names}, n):\n    started = clock()\n    for _ in range(n):\n        {body}\n"
         "    return (clock() - started) / (20 * n)", namespace)
    rounds = namespace["rounds"]
    return min(rounds(function, *args, 2000) for _ in range(60))


def best_of(count, function, *args):
    """Seconds of the fastest of some calls."""
    best = float("inf")
    for _ in range(count):
        started = clock()
        function(*args)
        best = min(best, clock() - started)
    return best


def measure(package, bench):
    """Seconds of a bench."""
    import numpy  # noqa: F401  Its import is part of no figure.

    gc.disable()
    started = clock()
    module = __import__(package)
    if bench == "import":
        return clock() - started
    njit = module.njit
    if bench == "import_first":
        first_call(njit, small_function(0), 1, 2)
        return clock() - started
    if bench == "first":
        return first_call(njit, small_function(0), 1, 2)
    first_call(njit, small_function(0), 1, 2)
    if bench == "next":
        return min(first_call(njit, small_function(number), 1, 2) for number in range(1, 6))
    if bench == "loop":
        return min(first_call(njit, summing_loop(number), 10) for number in range(5))
    if bench in ("call_int", "call_float"):
        add = njit(small_function(9))
        args = (1, 2) if bench == "call_int" else (1.0, 2.0)
        add(*args)
        return per_call(add, *args)
    kernel, args = {"mandel": (njit(mandel), (-0.5, 0.5, 2_000_000)), "collatz": (njit(collatz), (20_000,))}[bench]
    kernel(*(type(arg)(1) for arg in args))
    return best_of(7, kernel, *args)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
