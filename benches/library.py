"""First calls and run times of 60 functions of the array library beside Numba and NumPy, and which of them the image lacks.

    .venv/bin/python benches/library.py --numba PYTHON     first calls: one warm process of each side, an empty store
    ... --run                                              run times over 10^6 items
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

FIRST = """
np.sum(a)|np.sum(m,axis=0)|np.sum(m,axis=1)|np.mean(a)|np.mean(m)|np.max(a)|np.min(a)|np.argmax(a)|np.argmin(a)|np.any(b)|np.all(b)|np.std(a)|np.var(a)
np.prod(a)|np.cumsum(a)|np.cumprod(a)|np.ptp(a)|np.median(a)|np.percentile(a,30.0)|np.quantile(a,0.3)|np.nansum(a)|np.nanmean(a)|np.nanmax(a)|np.nanmin(a)
np.sort(a)|np.argsort(a)|np.unique(a)|np.searchsorted(a,a)|np.digitize(a,a)|np.bincount(i)|np.histogram(a,10)|np.where(b,a,a)|np.nonzero(a)|np.flatnonzero(b)
np.concatenate((a,a))|np.stack((a,a))|np.hstack((a,a))|np.vstack((a,a))|np.repeat(a,2)|np.roll(a,2)|np.append(a,a)|np.diff(a)|np.interp(a,o,a)|np.convolve(a,a)
np.clip(a,0.0,1.0)|np.round(a,2)|np.isclose(a,a)|np.allclose(a,a)|np.linspace(0.0,1.0,9)|np.eye(3)|np.diag(a)|np.tril(m)|np.triu(m)|np.take(a,i)|np.delete(a,2)
np.array([1.0,2.0])|np.full_like(a,1.0)|np.array_equal(a,a)|np.trapezoid(a)|np.cov(m)|np.flip(a)|np.expand_dims(a,0)|np.ascontiguousarray(m.T)|np.isin(i,i)|np.partition(a,3)
"""
RUN = """
np.sum(a)|np.sum(m,axis=0)|np.sum(m,axis=1)|np.mean(a)|np.max(a)|np.argmax(a)|np.std(a)|np.cumsum(a)|np.median(a)|np.percentile(a,30.0)|np.nansum(a)|np.nanmean(a)
np.sort(a)|np.argsort(a)|np.unique(a)|np.searchsorted(o,a)|np.digitize(a,o[::100])|np.bincount(i)|np.histogram(a,10)|np.where(b,a,o)|np.flatnonzero(b)
np.concatenate((a,o))|np.repeat(a,2)|np.roll(a,2)|np.diff(a)|np.interp(a,o[::100],a[::100])|np.convolve(a,k)|np.clip(a,-0.5,0.5)|np.round(a,2)|np.isclose(a,o)
np.take(a,i)|np.partition(a,1000)|np.sum(a*o)|np.any(a>9.0)|np.count_nonzero(a>0.0)|np.sum(np.abs(a-o))|np.trapezoid(a)|np.nan_to_num(a)
"""


def calls(text):
    return [call for line in text.strip().splitlines() for call in line.split("|")]


def inputs(size):
    import numpy as np

    random = np.random.default_rng(1)
    side = int(size ** 0.5)
    a = random.normal(size=size)
    return {"a": a, "m": random.normal(size=(side, side)), "b": a > 0, "i": random.integers(0, size, size), "o": np.sort(a),
            "k": random.normal(size=25)}


def function_of(call, pool, jit):
    import numpy as np

    used = [name for name in pool if name in compile(call, call, "eval").co_names]
    return jit(eval(f"lambda {', '.join(used)}: {call}", {"np": np})), [pool[name] for name in used]


def measure(side, what):
    """Milliseconds of each call in this process, and whether the store got something new."""
    import numpy as np

    if side == "numba":
        from numba import njit
    elif side == "rumba":
        from rumba import njit
    else:
        def njit(function):
            return function
    np.seterr(all="ignore")
    pool = inputs(100 if what == "first" else 10**6)
    njit(lambda x: x + 1)(pool["a"])
    found = {}
    for call in calls(FIRST if what == "first" else RUN):
        function, args = function_of(call, pool, njit)
        before = stored()
        start = time.perf_counter()
        try:
            function(*args)
        except Exception as error:
            found[call] = type(error).__name__, False
            continue
        took = time.perf_counter() - start
        if what == "run":
            took = min(timed(function, args) for _ in range(7))
        found[call] = took * 1e3, stored() > before
    print(json.dumps(found))


def timed(function, args):
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start


def stored():
    folder = pathlib.Path(os.environ.get("RUMBA_CACHE_DIR", "/nowhere"))
    return sum(1 for one in folder.rglob("*") if one.is_file()) if folder.is_dir() else 0


def side_of(python, side, what):
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run([python, __file__, "--child", side, "--what", what], capture_output=True, text=True, check=True,
                              env=dict(os.environ, RUMBA_CACHE_DIR=folder)).stdout
    return json.loads(text.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", help="a Python that has Numba")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--what", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(options.child, options.what)
        return
    what = "run" if options.run else "first"
    sides = {"rumba": side_of(sys.executable, "rumba", what)}
    if options.numba:
        sides["numba"] = side_of(options.numba, "numba", what)
    if options.run:
        sides["numpy"] = side_of(sys.executable, "numpy", what)
    print(f"{'call':32}" + "".join(f"{side:>14}" for side in sides) + "   ms")
    for call, (took, missed) in sides["rumba"].items():
        shown = [sides[side][call][0] for side in sides]
        text = "".join(f"{one:14.3f}" if isinstance(one, float) else f"{one:>14}" for one in shown)
        print(f"{call:32}{text}{'   not in the image' if missed else ''}")
    for side, found in sides.items():
        times = [took for took, _ in found.values() if isinstance(took, float)]
        print(f"{side}: median {statistics.median(times):.3f} ms, worst {max(times):.3f} ms of {len(times)}")
    print("not in the image:", sum(missed for _, missed in sides["rumba"].values()))


if __name__ == "__main__":
    main()
