"""Compilations and deletions in one process: memory and time of each at the end as at the start.

    .venv/bin/python tests/python/soak.py --compilations 100000

A round makes a function, compiles it for a number and an array, calls it, and lets go of it. What a tenth of the rounds took is
printed for each tenth: time per compilation, resident memory, units of machine code in memory. The exit status is 1 where the
last tenth took more than 1.25 of the time of the second, or memory grew by more than 200 bytes a compilation since then.
"""
import argparse
import gc
import os
import sys
import time

import numpy as np

from rumba import _rumba, njit

TENTHS = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compilations", type=int, default=100_000)
    count = parser.parse_args().compilations // TENTHS
    values = np.arange(10.0)
    rows = []
    for tenth in range(TENTHS):
        began = time.process_time()
        for number in range(count // 2):
            _round(tenth * count + number, values)
        spent = (time.process_time() - began) / (count // 2 * 2)
        gc.collect()
        rows.append((spent, _resident()))
        print(f"{(tenth + 1) * count:7} compilations: {spent * 1e3:.3f} ms each, {rows[-1][1] / 1e6:.1f} MB, "
              f"{_rumba.session.live_units()} units", flush=True)
    (second, before), (last, after) = rows[1], rows[-1]
    growth = (after - before) / (count * (TENTHS - 2))
    print(f"time of the last tenth: {last / second:.3f} of that of the second; memory: {growth:.1f} bytes a compilation")
    return 1 if last > 1.25 * second or growth > 200 else 0


def _round(number, values):
    scope = {}
    exec(f"def f(x, n):\n    for i in range(n):\n        x = x + {number} * i\n    return x\n", scope)
    compiled = njit(scope["f"])
    assert compiled(1, 3) == 1 + 3 * number
    assert compiled(values, 2)[1] == 1.0 + number


def _resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(main())
