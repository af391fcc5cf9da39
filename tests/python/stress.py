"""Threads that run machine code without the GIL while others recompile, make, delete and collect functions, and compile code that is
compiled when it first runs. `python stress.py --minutes 60` says every minute how far each thread is, and fails where one stands still.
"""
import argparse
import faulthandler
import gc
import random
import sys
import threading
import time

import numpy as np
from rumba import njit


@njit(nogil=True)
def spin(n):
    total = 0.0
    for i in range(n):
        total = total * 0.5 + i
    return total


@njit(nogil=True)
def added(a, b):
    return (a + b).sum()


@njit(nogil=True)
def lists(n):
    rows = [[i, i + 1] for i in range(n)]
    return sum([sum(row) for row in rows]) + sorted(rows)[0][0]


@njit
def even(n):
    return n == 0 or odd(n - 1)


@njit
def odd(n):
    return n != 0 and even(n - 1)


@njit(nogil=True)
def mutual(n):
    return even(n)


@njit(nogil=True)
def texts(d, n):
    for i in range(n):
        d[str(i)] = i
    return ",".join(sorted(d))


SHARED = [spin, added, lists, even, odd, mutual, texts]
ROW, SQUARE, ONE = np.arange(5.0), np.ones((5, 5)), np.ones(1)
# The second operand is broadcast in code that is compiled when it first runs.
CALLS = [
    (spin, lambda: (1000,)), (added, lambda: (ROW, ROW)), (added, lambda: (SQUARE, ROW)), (added, lambda: (ROW, ONE)), (lists, lambda: (20,)),
    (mutual, lambda: (41,)), (texts, lambda: ({"a": 1}, 9)),
]
EXPECTED = [function.py_func(*args()) for function, args in CALLS]


class Stress:
    """The threads, how far each is, and what went wrong."""

    def __init__(self, seed, interval):
        self.seed, self.stop = seed, threading.Event()
        self.steps, self.failures = {}, []
        sys.setswitchinterval(interval)

    def _thread(self, name, step):
        def work():
            rng = random.Random(f"{self.seed} {name}")
            while not self.stop.is_set():
                try:
                    step(rng)
                except BaseException as error:
                    self.failures.append(f"{name}: {error!r}")
                    return
                self.steps[name] += 1

        self.steps[name] = 0
        return threading.Thread(target=work, name=name, daemon=True)

    def _call(self, rng):
        for _ in range(20):
            number = rng.randrange(len(CALLS))
            function, args = CALLS[number]
            found = function(*args())
            if found != EXPECTED[number]:
                raise AssertionError(f"{function.__name__}: {found!r}, not {EXPECTED[number]!r}")

    @staticmethod
    def _recompile(rng):
        rng.choice(SHARED).recompile()
        time.sleep(rng.random() * 0.004)

    @staticmethod
    def _make(rng):
        number = rng.randrange(1000)
        made = njit(nogil=True)(lambda a, b: (a * number + b).sum())
        if made(ROW, ROW) != (ROW * number + ROW).sum() or made(ROW, ONE) != (ROW * number + ONE).sum():
            raise AssertionError("a new function is wrong")
        del made

    @staticmethod
    def _collect(rng):
        gc.collect()
        time.sleep(0.02)

    def run(self, seconds, patience):
        """Runs the threads for so long; what went wrong, and whether all of them came to their end."""
        threads = [self._thread(f"caller {number}", self._call) for number in range(4)]
        threads += [self._thread("recompiler", self._recompile), self._thread("maker", self._make), self._thread("collector", self._collect)]
        for thread in threads:
            thread.start()
        last, since, shown = dict(self.steps), dict.fromkeys(self.steps, time.monotonic()), time.monotonic()
        end = shown + seconds
        while time.monotonic() < end and not self.failures:
            time.sleep(0.5)
            now = time.monotonic()
            for name, steps in self.steps.items():
                if steps != last[name]:
                    last[name], since[name] = steps, now
                elif now - since[name] > patience:
                    self.failures.append(f"{name} stands still after {steps} steps")
                    faulthandler.dump_traceback(all_threads=True)
            if now - shown > 60:
                shown = now
                print(int(end - now), "s left", self.steps, flush=True)
        self.stop.set()
        for thread in threads:
            thread.join(patience)
            if thread.is_alive():
                self.failures.append(f"{thread.name} does not end")
        return self.failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--patience", type=float, default=120, help="seconds in which each thread must do a step")
    parser.add_argument("--interval", type=float, default=1e-5, help="seconds after which Python switches threads")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    stress = Stress(options.seed, options.interval)
    failures = stress.run(options.minutes * 60, options.patience)
    print(sys.version.split()[0], options.minutes, "minutes", stress.steps, failures or "no failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
