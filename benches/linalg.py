"""Linear algebra and sorting beside Numba and NumPy: first calls and run times, each in a process of its own.

    .venv/bin/python benches/linalg.py --numba PYTHON      a Python that has Numba and SciPy

The least of some rounds counts. BLAS runs on one thread: its threads wait for each other where the machine is busy.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

BENCHES = {
    "matmul 4": ("a @ b", "m4 m4"), "matmul 64": ("a @ b", "m64 m64"), "matmul 512": ("a @ b", "m512 m512"),
    "matmul 512, columns": ("a @ b.T", "m512 m512"), "matrix times vector 512": ("a @ b", "m512 v512"),
    "dot 100": ("np.dot(a, b)", "v100 v100"), "dot 10^6": ("np.dot(a, b)", "v1000000 v1000000"),
    "solve 4": ("np.linalg.solve(a, b)", "m4 v4"), "solve 200": ("np.linalg.solve(a, b)", "m200 v200"),
    "inv 4": ("np.linalg.inv(a)", "m4"), "inv 200": ("np.linalg.inv(a)", "m200"), "det 4": ("np.linalg.det(a)", "m4"),
    "cholesky 200": ("np.linalg.cholesky(a)", "s200"), "qr 100": ("np.linalg.qr(a)", "m100"),
    "svd 100": ("np.linalg.svd(a)", "m100"), "eigh 100": ("np.linalg.eigh(a)", "s100"),
    "norm 100": ("np.linalg.norm(a)", "v100"), "norm 10^6": ("np.linalg.norm(a)", "v1000000"),
    "sort 1000": ("np.sort(a)", "v1000"), "sort 10^6": ("np.sort(a)", "v1000000"), "argsort 10^6": ("np.argsort(a)", "v1000000"),
}


def value(name):
    import numpy as np

    size = int(name[1:])
    random = np.random.default_rng(size)
    if name[0] == "v":
        return random.standard_normal(size)
    made = random.standard_normal((size, size))
    return made @ made.T + np.eye(size) if name[0] == "s" else made


def measure(jit):
    """First call and least time of each, in seconds."""
    import numpy as np

    found = {}
    for title, (text, names) in BENCHES.items():
        values = [value(name) for name in names.split()]
        parameters = "a, b"[:3 * len(values) - 2]
        function = jit(eval(f"lambda {parameters}: {text}", {"np": np}))
        started = time.perf_counter()
        function(*values)
        first = time.perf_counter() - started
        once = time.perf_counter()
        function(*values)
        once = time.perf_counter() - once
        calls = max(1, min(5000, int(0.02 / max(once, 1e-7))))
        least = float("inf")
        for _ in range(7):
            started = time.perf_counter()
            for _ in range(calls):
                function(*values)
            least = min(least, (time.perf_counter() - started) / calls)
        found[title] = first, least
    return found


def child(side):
    if side == "numpy":
        jit = lambda function: function  # noqa: E731
    else:
        jit = __import__(side).njit
        jit(lambda a: a + 1)(1)
    json.dump(measure(jit), sys.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numba", default=sys.executable)
    parser.add_argument("--child")
    args = parser.parse_args()
    if args.child:
        return child(args.child)
    found = {}
    for side, python in (("rumba", sys.executable), ("numba", args.numba), ("numpy", sys.executable)):
        done = subprocess.run([python, pathlib.Path(__file__), "--child", side], capture_output=True, text=True,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        found[side] = json.loads(done.stdout) if done.returncode == 0 else {}
        if done.returncode:
            print(f"{side}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    print(f"{'':26}{'first call, ms':>24}{'':8}{'a call, microseconds':>30}")
    print(f"{'':26}{'rumba':>12}{'numba':>12}{'rumba':>14}{'numba':>12}{'numpy':>12}")
    for title in BENCHES:
        first = [found[side].get(title, (float('nan'),) * 2)[0] * 1e3 for side in ("rumba", "numba")]
        least = [found[side].get(title, (float('nan'),) * 2)[1] * 1e6 for side in ("rumba", "numba", "numpy")]
        print(f"{title:26}{first[0]:12.2f}{first[1]:12.1f}{least[0]:14.2f}{least[1]:12.2f}{least[2]:12.2f}")
    return None


if __name__ == "__main__":
    main()
