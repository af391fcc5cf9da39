"""What it costs that Ctrl-C stops compiled loops, and how soon it does.

    .venv/bin/python benches/interrupts.py                     times of the twenty loops of kernels/interrupts.py
    .venv/bin/python benches/interrupts.py --instructions      instructions of the same, counted by valgrind
    .venv/bin/python benches/interrupts.py --latency           from the signal to the exception, in several loops
    .venv/bin/python benches/interrupts.py --calls             calls and first calls

Each loop is compiled twice, with `interrupts=False` as the base. Times are minima over rounds in turns. A limit is one part in a
hundred for loops that count (instructions), three for others (time).
"""
import argparse
import ctypes
import mmap
import os
import pathlib
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

from kernels import interrupts as kernels
from rumba import njit

N = 1_000_000
# Requests to callgrind (callgrind.h).
CALLGRIND = ord("C") << 24 | ord("T") << 16
ZERO, DUMP_AT, START, STOP = 1, 3, 4, 5


def compiled(function, args):
    """The function with and without polls, called once."""
    both = njit(function), njit(interrupts=False)(function)
    for one in both:
        one(*args)
    return both


def measure_times(rounds):
    """The time of each loop over the time without polls."""
    for group in kernels.arguments(N):
        for function, args in group.items():
            best = [float("inf")] * 2
            both = compiled(function, args)
            for _ in range(rounds):
                for at, one in enumerate(both):
                    start = time.perf_counter()
                    one(*args)
                    best[at] = min(best[at], time.perf_counter() - start)
            print(f"{function.__name__:14} {best[1] * 1e3:8.3f} ms   {best[0] / best[1]:6.3f}", flush=True)


def count_instructions():
    """Starts this program under valgrind, which writes what each call of a loop took to a file of its own; the lesser of two."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "counts")
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", sys.executable,
                   __file__, "--counted"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONMALLOC": "malloc"})
        names = done.stdout.split()
        if done.returncode or not names:
            raise SystemExit(done.stderr[-3000:])
        totals = {}
        for path in sorted(out.parent.glob("counts.*")):
            text = path.read_text()
            trigger = re.search(r"desc: Trigger: .*?(\w+:\d)", text)
            if trigger:
                count = int(re.search(r"(?:totals|summary): (\d+)", text)[1])
                totals[trigger[1]] = min(count, totals.get(trigger[1], count))
        for name in names:
            on, off = totals[f"{name}:0"], totals[f"{name}:1"]
            print(f"{name:14} {off:12,}   {on / off:7.4f}")


def valgrind_request():
    """A function that asks the valgrind around this process: the number of the request, and an argument."""
    # mov rax, rdi; xor edx, edx; rol rdi, 3; rol rdi, 13; rol rdi, 61; rol rdi, 51; xchg rbx, rbx; ret
    code = bytes.fromhex("4889f8 31d2 48c1c703 48c1c70d 48c1c73d 48c1c733 4887db c3")
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    start = ctypes.c_char.from_buffer(memory)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(start))

    def request(number, argument=0):
        words = (ctypes.c_size_t * 6)(CALLGRIND + number, argument)
        call(ctypes.addressof(words))

    # It keeps the memory.
    request.code = start
    return request


def run_counted():
    """Under valgrind: each loop, once to compile and twice to count."""
    request = valgrind_request()

    def count(name, function, args):
        text = ctypes.create_string_buffer(name.encode())
        request(START)
        request(ZERO)
        function(*args)
        request(DUMP_AT, ctypes.addressof(text))
        request(STOP)

    for group in kernels.arguments(N // 4):
        for function, args in group.items():
            for at, one in 2 * list(enumerate(compiled(function, args))):
                count(f"{function.__name__}:{at}", one, args)
            print(function.__name__, flush=True)


def measure_latency(trials):
    """Milliseconds from a signal to the exception."""
    def while_loop(x):
        s = 1
        while s != 0:
            s = s * 3 | 1
        return s

    def counted(x):
        s = 0
        for i in range(1 << 62):
            s ^= i * s + 1
        return s

    def vectors(x):
        for k in range(1 << 62):
            for i in range(x.shape[0]):
                x[i] += 1.0

    def expressions(x):
        while True:
            x = x * 0.5 + 1.0

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    fib = njit(fib)

    def recursion(x):
        return fib(90)

    for function in (while_loop, counted, vectors, expressions, recursion):
        for options in ({}, {"nogil": True}):
            one, found = njit(**options)(function), []
            for trial in range(trials):
                sent, out = os.pipe()
                # From a process of its own: this one may have no time for its threads.
                child = os.fork()
                if child == 0:
                    time.sleep(0.03 + 0.001 * (trial % 23))
                    os.write(out, struct.pack("d", time.perf_counter()))
                    os.kill(os.getppid(), signal.SIGINT)
                    os._exit(0)
                try:
                    one(np.ones(1_000_000))
                except KeyboardInterrupt:
                    now = time.perf_counter()
                    found.append((now - struct.unpack("d", os.read(sent, 8))[0]) * 1e3)
                os.waitpid(child, 0)
                os.close(sent)
                os.close(out)
            print(f"{function.__name__:14} {'nogil' if options else '':6} median {statistics.median(found):6.2f} ms, "
                  f"most {max(found):6.2f} ms of {len(found)}", flush=True)


def measure_calls(rounds):
    """Nanoseconds of a call that loops three times, with and without polls, and milliseconds of first calls."""
    def small(n):
        s = 0
        i = 0
        while i < n:
            s += i
            i += 1
        return s

    both = compiled(small, (3,))
    best = [float("inf")] * 2
    for _ in range(rounds):
        for at, one in enumerate(both):
            start = time.perf_counter()
            for _ in range(10000):
                one(3)
            best[at] = min(best[at], (time.perf_counter() - start) / 1e4)
    print(f"call of a small loop: {best[0] * 1e9:.1f} ns, {best[1] * 1e9:.1f} ns without polls")
    sums = [0.0] * 2
    counted, others = kernels.arguments(1000)
    for function, args in list({**counted, **others}.items())[::2]:
        best = [float("inf")] * 2
        for _ in range(rounds):
            for at, options in enumerate(({}, {"interrupts": False})):
                one = njit(**options)(function)
                start = time.perf_counter()
                one(*args)
                best[at] = min(best[at], time.perf_counter() - start)
        sums = [known + new for known, new in zip(sums, best)]
        print(f"first call of {function.__name__:14} {best[1] * 1e3:7.2f} ms   {best[0] / best[1]:6.3f}")
    print(f"all of them {sums[0] / sums[1]:.3f}")


def main():
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--instructions", "--latency", "--calls", "--counted"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--trials", type=int, default=50)
    given = parser.parse_args()
    if given.counted:
        run_counted()
    elif given.instructions:
        count_instructions()
    elif given.latency:
        measure_latency(given.trials)
    elif given.calls:
        measure_calls(given.rounds)
    else:
        measure_times(given.rounds)


if __name__ == "__main__":
    main()
