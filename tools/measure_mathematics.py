"""Prints the table of docs/mathematics.md: how far each function is from the exact value, and what it costs. `--write` puts it there."""
import math
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "benches"), str(ROOT)]

import numpy as np  # noqa: E402
import rumba  # noqa: E402
import test_mathematics as cases  # noqa: E402
from report import processor  # noqa: E402

warnings.simplefilter("ignore")
COUNT = 4096
START = {"arccosh": 1.0}
WIDTH = {"arccos": 0.9, "arcsin": 0.9, "arctanh": 0.9}


def worst(name, kind):
    """The largest error in units of the last place."""
    if name == "erf":
        x = np.random.default_rng(1).uniform(-6, 6, 3000).astype(kind)
        return cases.units(cases.over("erf", x), np.array([cases.exact_erf(float(one)) for one in x]), kind).max()
    largest = 0.0
    for args in cases.points(name, kind):
        with np.errstate(all="ignore"):
            exact = getattr(np, name)(*(arg.astype(np.longdouble) for arg in args))
        largest = max(largest, float(cases.units(cases.over(name, *args), exact, kind).max()))
    return largest


def best(call):
    """Seconds of the fastest of some runs."""
    call()
    times = []
    for _ in range(200):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def arguments(name, kind):
    x = np.linspace(0.01, WIDTH.get(name, 12.0), COUNT) + START.get(name, 0.0)
    return [x.astype(kind)] * (2 if name in cases.RANGES_OF_TWO else 1)


def over_array(name, kind):
    args = arguments(name, kind)
    out = np.empty_like(args[0])
    return best(lambda: cases.compiled(name)(*args, out)) / COUNT * 1e9


def one_by_one(name, kind):
    args = arguments(name, kind)
    call = {"erf": "math.erf(a[i])", "power": "math.pow(a[i], b[i])"}.get(name, f"np.{name}({'a[i], b[i]'[:None if len(args) > 1 else 4]})")
    space = {"np": np, "math": math}
    # A sum in order: nothing here runs on vectors.
    exec(f"def total(a, b):\n s = 0.0\n for i in range(len(a)): s += {call}\n return s", space)
    total = rumba.njit(error_model="numpy")(space["total"])
    return best(lambda: total(args[0], args[-1])) / COUNT * 1e9


def main():
    rows = ["| function | ulp, float64 | ns | one by one | ulp, float32 | ns | one by one |", "|---|---|---|---|---|---|---|"]
    for name in sorted([*cases.RANGES, "erf", *cases.RANGES_OF_TWO]):
        cells = [name]
        for kind in cases.KINDS:
            cells += [f"{worst(name, kind):.3f}", f"{over_array(name, kind):.2f}", f"{one_by_one(name, kind):.1f}"]
        rows.append("| " + " | ".join(cells) + " |")
        print(rows[-1], flush=True)
    rows += ["", f"Measured on {processor()}."]
    print(rows[-1])
    if "--write" in sys.argv:
        page = ROOT / "docs" / "mathematics.md"
        before, rest = page.read_text().split("<!-- TABLE: begin -->\n")
        after = rest.split("<!-- TABLE: end -->")[1]
        page.write_text(before + "<!-- TABLE: begin -->\n" + "\n".join(rows) + "\n<!-- TABLE: end -->" + after)


if __name__ == "__main__":
    main()
