"""One measurement in a process of its own: `python child.py rumba|numba|numpy BENCH` prints seconds as JSON.

Everything is timed inside the process, so that starting Python does not count. Imports only what it measures.
"""
import ctypes
import gc
import importlib
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


def first_call(njit, function, *args):
    """Seconds to decorate a function and call it."""
    started = clock()
    njit(function)(*args)
    return clock() - started


def with_library(number):
    """A new function that calls three of the library."""
    import bisect
    import statistics

    namespace = {"bisect_left": bisect.bisect_left, "median": statistics.median}
    exec(f"def f{number}(t, x):\n    s = sorted(t)\n    return s[0] + {number}, median(t), bisect_left(t, x)", namespace)
    return namespace[f"f{number}"]


def count_words(text):
    """A list of words, counted in a dict."""
    counts = {"": 0}
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    longest = [word for word in counts if len(word) > 1]
    longest.append(text)
    return len(longest) + counts[""]


def over_the_border(package, njit, bench):
    """Seconds until compiled code has a large container of Python's, and until what it changed of it is back."""
    if bench == "list_in_out":
        def change(items):
            items[0] += 1.0
            return len(items)

        change = njit(change)
        change([1.0])
        return best_of(3, change, [float(number) for number in range(1_000_000)])
    size = njit(lambda items: len(items))
    numbers = {number * 7: number * 0.5 for number in range(100_000)}
    if package == "rumba":
        size(numbers)
        return best_of(5, size, numbers)
    from numba import types
    from numba.typed import Dict

    def filled():
        # Numba takes no dict of Python's.
        items = Dict.empty(types.int64, types.float64)
        for key, value in numbers.items():
            items[key] = value
        return size(items)

    filled()
    return best_of(3, filled)


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
    """Seconds of the fastest of so many calls, or of as many as take a twentieth of a second."""
    best, end = float("inf"), clock() + 0.05
    while count > 0 or clock() < end:
        started = clock()
        function(*args)
        best = min(best, clock() - started)
        count -= 1
    return best


def kernels(njit, module):
    """Seconds of the first call (best of three, each of a new function) and of a call, by kernel."""
    found = {}
    for name, (make, args, small) in importlib.import_module(f"kernels.{module}").KERNELS.items():
        first = float("inf")
        for _ in range(3):
            inputs = made(small)
            started = clock()
            kernel = make(njit)
            kernel(*inputs)
            first = min(first, clock() - started)
        found[name] = (first, best_of(9, kernel, *made(args)))
    return found


def first_calls(njit):
    """Seconds of the first call of each array expression and use of the array library, at the median and at the worst."""
    found = []
    for module in ("expressions", "array_library"):
        for make, _, small in importlib.import_module(f"kernels.{module}").KERNELS.values():
            inputs = made(small)
            started = clock()
            make(njit)(*inputs)
            found.append(clock() - started)
    found.sort()
    return [found[len(found) // 2], found[-1]]


def made(args):
    """Arguments, made anew where a function makes them."""
    return tuple(aligned(arg) for arg in (args() if callable(args) else args))


def aligned(arg):
    """An array at a multiple of 64 bytes, as vectors like it: where NumPy puts one is chance, and a loop over vectors takes
    up to half as long again where each of them lies across two lines of the cache."""
    if type(arg).__module__ != "numpy" or not getattr(arg, "ndim", 0) or arg.base is not None or not arg.nbytes:
        return arg
    import numpy

    room = numpy.empty(arg.nbytes + 64, numpy.uint8)
    begin = -room.ctypes.data % 64
    order = "C" if arg.flags.c_contiguous else "F"
    moved = numpy.ndarray(arg.shape, arg.dtype, room[begin:begin + arg.nbytes], order=order)
    moved[...] = arg
    return moved


def c_kernels(library, module):
    """Seconds of a call of the same kernels, compiled from C or Rust."""
    found = {}
    library = ctypes.CDLL(library)
    for name, (_, args, _) in importlib.import_module(f"kernels.{module}").KERNELS.items():
        kernel = getattr(library, name)
        kernel.restype = ctypes.c_double
        inputs = made(args)
        found[name] = (0.0, best_of(9, kernel, *[part for arg in inputs for part in c_parts(arg)]))
    return found


def c_parts(arg):
    """An argument for C: an array as its address and its lengths, and its stride if it is a view; text as UTF-8 and its length."""
    if isinstance(arg, tuple):
        arg = " ".join(arg)
    if isinstance(arg, str):
        text = arg.encode()
        return [ctypes.c_char_p(text), ctypes.c_int64(len(text))]
    if isinstance(arg, float):
        return [ctypes.c_double(arg)]
    if isinstance(arg, int):
        return [ctypes.c_int64(arg)]
    stride = () if arg.flags.c_contiguous else arg.strides
    return [ctypes.c_void_p(arg.ctypes.data), *map(ctypes.c_int64, (*arg.shape, *stride))]


def measure(package, bench):
    """Seconds of a bench. The package may be C, then the bench is a library and a module of kernels."""
    if package == "c":
        return c_kernels(*bench.split(":"))
    if package == "numpy":
        return kernels(lambda function: function, bench)
    import numpy  # Its import is part of no figure.

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
    if bench in ("scalar", "arrays", "expressions", "long_expressions", "mathematics", "array_library", "containers", "text",
                 "draws"):
        return kernels(njit, bench)
    if bench == "unchecked":
        return kernels(lambda function: njit(function, boundscheck=False), "arrays")
    if bench == "next":
        return min(first_call(njit, small_function(number), 1, 2) for number in range(1, 6))
    if bench == "loop":
        return min(first_call(njit, summing_loop(number), 10) for number in range(5))
    if bench in ("library", "library_miss"):
        return first_call(njit, with_library(0), (3.0, 1.0, 2.5, 4.0), 2.0)
    if bench == "first_calls":
        return first_calls(njit)
    if bench in ("call_int", "call_float"):
        add = njit(small_function(9))
        args = (1, 2) if bench == "call_int" else (1.0, 2.0)
        add(*args)
        return per_call(add, *args)
    if bench == "call_arrays":
        add = njit(lambda a, b: a[0] + b[0])
        args = (numpy.ones(10), numpy.ones(10))
        add(*args)
        return per_call(add, *args)
    if bench == "new_array":
        make = njit(lambda n: numpy.empty(n))
        make(10)
        return per_call(make, 10)
    if bench == "three_containers":
        return first_call(njit, count_words, "a b c a b")
    if bench in ("list_in_out", "dict_in"):
        return over_the_border(package, njit, bench)
    raise SystemExit(f"no bench {bench}")


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
