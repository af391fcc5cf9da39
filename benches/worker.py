"""One sample: imports a compiler in this fresh process, measures, prints a JSON object.

    worker.py rumba|numba

Times are in milliseconds, call overheads in nanoseconds.
"""
import json
import sys
import time
import timeit

now = time.perf_counter

SUM_LOOP = """
def total(n):
    acc = 0
    for i in range(n):
        acc += i * {k}
    return acc
"""


def function(source, name):
    namespace = {}
    exec(source, namespace)
    return namespace[name]


def milliseconds(work):
    start = now()
    work()
    return (now() - start) * 1e3


def overhead(call, *args):
    """Nanoseconds of a call less those of the empty loop; minimum of nine runs."""
    names = ", ".join(f"a{i}" for i in range(len(args)))
    scope = {"f": call, **{f"a{i}": value for i, value in enumerate(args)}}
    count = 100_000
    best = min(timeit.repeat(f"f({names})", globals=scope, number=count, repeat=9))
    empty = min(timeit.repeat("pass", globals=scope, number=count, repeat=9))
    return (best - empty) / count * 1e9


def main(which):
    import numpy  # noqa: F401  the compilers' imports are measured beyond NumPy's

    figures = {}
    start = now()
    if which == "rumba":
        from rumba import njit
        import rumba._rumba  # noqa: F401  loaded by the first decoration: part of the import
    else:
        from numba import njit
    figures["import"] = (now() - start) * 1e3

    compiled = []

    def first_call(source, name, *args):
        plain = function(source, name)

        def work():
            dispatcher = njit(plain)
            dispatcher(*args)
            compiled.append(dispatcher)

        return milliseconds(work)

    figures["first add"] = first_call("def add(a, b):\n    return a + b\n", "add", 1, 2)
    add = compiled[-1]
    figures["next add"] = min(
        first_call(f"def add(a, b):\n    return a + b * {k}\n", "add", 1, 2) for k in range(2, 7))
    first_call(SUM_LOOP.format(k=1), "total", 10)
    figures["sum loop"] = min(first_call(SUM_LOOP.format(k=k), "total", 10) for k in range(2, 7))
    figures["call ints"] = overhead(add, 1, 2)
    add(1.5, 2.5)
    figures["call floats"] = overhead(add, 1.5, 2.5)
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1])
