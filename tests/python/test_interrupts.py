"""Ctrl-C and other signals while compiled code runs: what comes where, in a process of its own."""
import json
import subprocess
import sys
import time

import numpy as np
import pytest

from rumba import njit

RUNNER = """
import gc, json, os, signal, subprocess, textwrap, threading, time, traceback, warnings
import numpy as np
from rumba import njit, typeof
from rumba.nrt_stats import rtsys

# A process of the background may begin with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def later(seconds=0.03):
    "A KeyboardInterrupt after some time."
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)

def send(number, *waits):
    "Signals of another process: this one may have no time for its threads."
    command = "; ".join(f"sleep {wait}; kill -{int(number)} {os.getpid()}" for wait in waits)
    return subprocess.Popen(["sh", "-c", command], start_new_session=True)

def interrupted(function, *args, start=later):
    "Calls until the signal comes: the lines of the traceback, the innermost last. Nothing leaks."
    if hasattr(function, "compile"):
        function.compile(tuple(map(typeof, args)))
    gc.collect()
    before = rtsys.get_allocation_stats()
    began = time.perf_counter()
    start()
    try:
        function(*args)
    except KeyboardInterrupt as error:
        lines = [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)[1:]]
        del error
    else:
        raise AssertionError("it was not interrupted")
    assert time.perf_counter() - began < 20
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free, (before, after)
    return lines

def run(programs):
    "What went wrong in each program."
    helpers = dict(globals())
    for name, source in programs.items():
        try:
            with warnings.catch_warnings():
                exec(compile(textwrap.dedent(source), f"<{name}>", "exec"), dict(helpers))
            wrong = ""
        except BaseException:
            wrong = traceback.format_exc()
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in (signal.SIGUSR1, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        print(json.dumps([name, wrong]), flush=True)
"""

# The outermost line of the traceback is one that is marked.
LOOPS = {
    "range": """
        def f(a):
            s = 0
            for i in range(1 << 62):
                s ^= i * s + 1  # here
            return s
    """,
    "steps": """
        def f(a):
            s = 0
            for i in range(1 << 62, 0, -3):
                s ^= i * s + 1  # here
            return s
    """,
    "while": """
        def f(a):
            s = 1
            while s != 0:  # here
                s = s * 3 | 1  # here
            return s
    """,
    "counting_while": """
        def f(a):
            i = s = 0
            while i < 1 << 62:  # here
                s ^= s * i + 1
                i += 1  # here
            return s
    """,
    "bits_of_a_negative_number": """
        def f(a):
            c = 0
            for i in range(3):
                v = i + len(a) * -2
                while v:  # here
                    c += v & 1  # here
                    v >>= 1  # here
            return c
    """,
    "digits_of_a_negative_number": """
        def f(a):
            c = 0
            for i in range(3):
                v = i + len(a) * -20
                while v != 0:  # here
                    c += v % 10  # here
                    v //= 10  # here
            return c
    """,
    "two_ends": """
        def f(a):
            s = 0
            for k in range(3):
                i = 1 << 62
                while i >= 0 and a[0] < 9.0:  # here
                    s ^= s * i + 1  # here
                    i -= 1  # here
            return s
    """,
    "forever": """
        def f(a):
            while True:  # here
                pass  # here
    """,
    "nested": """
        def f(a):
            s = 0.0
            for k in range(1 << 62):  # here
                for i in range(a.shape[0]):  # here
                    s += a[i]  # here
            return s
    """,
    "short_inside": """
        def f(a):
            s = 0
            for i in range(1 << 62):
                for j in range(3):  # here
                    s ^= i * s + j  # here
            return s
    """,
    "lists": """
        def f(a):
            words = [[i] for i in range(10)]  # here
            s = 0
            while s >= 0:  # here
                other = words.copy()
                for word in other:  # here
                    s += word[0] & 1  # here
                words = other  # here
            return s
    """,
    "dicts": """
        def f(a):
            found = {i: str(i) for i in range(10)}  # here
            s = 0
            while s >= 0:  # here
                for key, text in found.items():  # here
                    s ^= key + len(text)  # here
                found[3] = "x" * (s & 3)  # here
            return s
    """,
    "generators": """
        def counted(n):
            for i in range(n):
                yield [i]

        def f(a):
            s = 0
            for item in counted(1 << 62):  # here
                s ^= item[0] * s + 1  # here
            return s
    """,
    "callee": """
        def g(a, i):
            return a[i % a.shape[0]] * 2

        def f(a):
            s = 0.0
            for i in range(1 << 62):
                s += g(a, i)  # here
            return s
    """,
    "own_arrays": """
        def f(a):
            s = 0.0
            for i in range(1 << 62):  # here
                b = a + i  # here
                s += b[3]  # here
            return s
    """,
    "sums": """
        def f(a):
            return sum(i & 3 for i in range(1 << 62))  # here
    """,
    "filters": """
        def g(x):
            return x < 0

        def f(a):
            s = 0
            for x in filter(g, range(1 << 62)):  # here
                s += x
            return s
    """,
    "any": """
        def f(a):
            return any(i < 0 for i in range(1 << 62))  # here
    """,
    "continue": """
        def f(a):
            s = 0
            for i in range(1 << 62):
                if i & s & 1:
                    continue  # here
                if s & 2:
                    s += 3
                    continue  # here
                s ^= i  # here
            return s
    """,
}


# A loop that polls aside and one that does not, since it holds a list.
CACHED = """
        @njit(cache=True)
        def f(log):
            while log[0] == 0:
                log[1] += 1
            held = [log[0]]
            while log[0] == 1:
                held[0] += 1
            return held[0]

        for state in range(2):
            interrupted(f, np.array([state, 0]))
        print(json.dumps(["cache", f.get_metadata(f.signatures[0])["cache"]]))
"""


def loops(options, names):
    """A program that interrupts these loops."""
    return f"""
        wrong = []
        for name, source in { {name: LOOPS[name] for name in names}!r}.items():
            lines = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# here")]
            space = {{}}
            exec(compile(textwrap.dedent(source), "<loops>", "exec"), space)
            for function in ("g", "counted", "f"):
                if function in space:
                    space[function] = njit({options})(space[function])
            found = interrupted(space["f"], np.arange(100.0))
            if found[0][0] != "f" or found[0][1] not in lines:
                wrong.append((name, found))
        assert not wrong, wrong
    """


PROGRAMS = {
    "loops": loops("", LOOPS),
    "loops_without_the_gil": loops("nogil=True", ["range", "while", "nested", "lists", "callee"]),
    "loops_without_optimization": loops("_opt_level=0", LOOPS),
    "sigint": """
        @njit
        def f(log):
            while log[0] == 0:
                log[1] += 1

        interrupted(f, np.zeros(2), start=lambda: send(signal.SIGINT, 0.03))
    """,
    # Another process finds the code.
    "cached": CACHED,
    # Over much memory, and over rows.
    "array_expressions": """
        @njit
        def f(a, b):
            while True:
                b[:] = a * 2 + b

        @njit
        def g(a, b):
            while True:
                b = a * 2 + b[:, ::-1]

        @njit
        def h(a):
            while True:
                a = a[a > 0]

        interrupted(f, np.ones(3_000_000), np.ones(3_000_000))
        interrupted(g, np.ones((1000, 1000)), np.ones((1000, 1000)))
        interrupted(h, np.ones(1_000_000))
    """,
    "recursion": """
        @njit
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        @njit
        def odd(n):
            return n > 0 and even(n - 1) | even(n - 2)

        @njit
        def even(n):
            return n == 0 or odd(n - 1) | odd(n - 2)

        @njit
        def listed(n, found):
            found.append([n])
            s = 0
            for i in range(3):
                s += listed(n - 1, found) if n > 0 else 1
            found.pop()
            return s

        @njit
        def outer(n):
            return listed(n, [[1]])

        assert fib(20) == 6765
        assert {name for name, _ in interrupted(fib, 80)} == {"fib"}
        assert fib(20) == 6765
        assert {name for name, _ in interrupted(even, 90)} <= {"odd", "even"}
        assert {name for name, _ in interrupted(outer, 60)} == {"outer", "listed"}
    """,
    "it_is_caught_in_compiled_code": """
        @njit
        def f(log):
            s = 0
            try:
                for i in range(1 << 62):
                    s ^= i * s + 1
            except KeyboardInterrupt as error:
                log[0] = 1
            else:
                log[0] = 2
            return s

        @njit
        def g(log):
            try:
                while True:
                    pass
            finally:
                log[1] += 1

        @njit
        def h(log):
            text = "x" * log[1]
            while log[2] < 3:
                try:
                    while True:
                        text += "y"
                        if len(text) > 1000:
                            text = ""
                except KeyboardInterrupt:
                    log[2] += 1
            return len(text) < 1002

        log = np.zeros(4, np.int64)
        for function in (f, h):
            function.compile((typeof(log),))
        later()
        f(log)
        assert log[0] == 1
        interrupted(g, log)
        assert log[1] == 1
        sender = send(signal.SIGINT, 0.03, 0.05, 0.05)
        assert h(log) and log[2] == 3
        sender.wait()
    """,
    # Lists of the caller have what was done to them before, as with any other exception.
    "what_was_passed_is_written_back": """
        @njit
        def f(items):
            items.append(1)
            items[0] = 5
            while True:
                items[1] += 1
                items[1] -= 1

        items = [1, 2, 3]
        interrupted(f, items)
        assert len(items) == 4 and items[0] == 5 and items[3] == 1
    """,
    "generators_that_python_goes_through": """
        @njit
        def f(log):
            try:
                for i in range(5):
                    yield [i]
                s = 0
                while True:
                    s ^= s * 3 + 1
            finally:
                log[0] += 1

        def through(log):
            for item in f(log):
                pass

        log = np.zeros(1, np.int64)
        f.compile((typeof(log),))
        interrupted(through, log)
        assert log[0] == 1
    """,
    # A handler that returns lets the loop go on; what it raises comes out of it.
    "handlers_run": """
        @njit
        def f(log):
            s = 0
            while log[0] < 3:
                s = s * 3 | 1
            return s & 1

        @njit(nogil=True)
        def g(log):
            s = 0
            while log[0] < 6:
                s = s * 3 | 1
            return s & 1

        log = np.zeros(1, np.int64)
        seen = []

        def count(number, frame):
            seen.append((number, frame.f_code.co_name, threading.current_thread() is threading.main_thread()))
            log[0] += 1

        for function in (f, g):
            function.compile((typeof(log),))
        signal.signal(signal.SIGUSR1, count)
        sender = send(signal.SIGUSR1, 0.03, 0.05, 0.05)
        assert f(log) == 1
        sender.wait()
        assert log[0] == 3 and seen == [(signal.SIGUSR1, "<module>", True)] * 3
        sender = send(signal.SIGUSR1, 0.03, 0.05, 0.05)
        assert g(log) == 1
        sender.wait()

        class Stop(Exception):
            pass

        def stop(number, frame):
            raise Stop("now", number)

        log[0] = 0
        for number in (signal.SIGUSR1, signal.SIGALRM):
            signal.signal(number, stop)
        for function in (f, g):
            sender = send(signal.SIGUSR1, 0.03)
            try:
                function(log)
            except Stop as error:
                assert error.args == ("now", signal.SIGUSR1)
                names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
                assert names[:2] == ["<module>", function.__name__] and names[-1] == "stop", names
            else:
                raise AssertionError
            sender.wait()
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        try:
            f(log)
        except Stop as error:
            assert error.args[1] == signal.SIGALRM
    """,
    # Loops of others go on, with and without the GIL, also while they are many.
    "only_the_main_thread_is_interrupted": """
        from concurrent.futures import ThreadPoolExecutor

        @njit(nogil=True)
        def f(n):
            s = 0
            while n > 0:
                s = s * 3 | 1
                n -= s & 1
            return s

        @njit(nogil=True)
        def counted(n):
            s = 0
            for k in range(n // 1000):
                for i in range(1000):
                    s ^= s * i + 1
            return s

        wanted = [f(60_000_000), counted(60_000_000)]
        pool = ThreadPoolExecutor(4)
        futures = [pool.submit((f, counted)[at & 1], 60_000_000) for at in range(4)]
        later()
        try:
            time.sleep(20)
        except KeyboardInterrupt:
            pass
        interrupted(f, 1 << 62)
        interrupted(counted, 1 << 62)
        assert [future.result() for future in futures] == wanted * 2
        pool.shutdown()

        # A thread that has the GIL keeps the main thread from running; the interrupt waits until it ends.
        @njit
        def held(n):
            s = 0
            for i in range(n):
                s ^= s * i + 1
            return s | 1

        done = []
        held(1)
        thread = threading.Thread(target=lambda: done.append(held(100_000_000)))
        later(0.05)
        try:
            thread.start()
            thread.join()
        except KeyboardInterrupt:
            while not done:
                time.sleep(0.01)
        assert len(done) == 1
    """,
    # The thread that called looks for signals, the others end with their chunks.
    "chunks_of_other_threads": """
        from rumba import prange

        @njit(parallel=True)
        def endless(n, which):
            found = np.zeros(n)
            for i in prange(n):
                if i == which:
                    value, text = 1.0, str(i)
                    while value > 0.0:
                        value = value * 0.5 + 1.0
                    found[i] = value + len(text)
            return found.sum()

        @njit(parallel=True)
        def guarded(n, log):
            for i in prange(n):
                try:
                    k = i | 1
                    while k != 0:
                        k = k * 3 | 1
                except Exception:
                    log[i] = 1
                finally:
                    log[i] += 2
            return n

        assert endless(8, 8) == 0.0
        for which in range(8):
            assert {name for name, _ in interrupted(endless, 8, which)} == {"endless"}
            assert endless(8, 8) == 0.0
        log = np.zeros(8)
        assert {name for name, _ in interrupted(guarded, 8, log)} == {"guarded"}
        assert set(log) <= {0.0, 2.0} and log.any()
    """,
    "parallel_loops": """
        from rumba import prange

        @njit(parallel=True)
        def f(n):
            s = 0
            for i in prange(n):
                k = i | 1
                for j in range(10000):
                    k = k * 3 | 1
                s ^= k
            return s

        wanted = f(1000)
        for round in range(2):
            assert {name for name, _ in interrupted(f, 2_000_000)} == {"f"}
            assert f(1000) == wanted
    """,
    # (More items than anybody waits for, all in one place.)
    "parallel_array_code": """
        from numpy.lib.stride_tricks import as_strided
        from rumba import stencil

        @stencil
        def around(a):
            return np.sqrt(a[-1] + a[1])

        def change(x, y):
            x += np.exp(y)

        def choose(x, y):
            x[:] = np.where(y > 0.5, y, 2.0)

        many = as_strided(np.ones(1), (1 << 40,), (0,))
        functions = change, choose, lambda x, y: x.sum(), lambda x, y: np.max(y), lambda x, y: np.dot(x, y), lambda x, y: around(x, out=y)
        for function in functions:
            compiled = njit(parallel=True)(function)
            interrupted(compiled, many, many)
            found, wanted = (of(np.ones(100_000), np.ones(100_000)) for of in (compiled, njit(function)))
            assert np.array_equal(found, wanted) if found is not None else wanted is None
    """,
    # The exception comes when the call has ended, also in loops of functions that it calls.
    "polls_can_be_turned_off": """
        @njit(interrupts=False)
        def g(n):
            s = 1
            while n > 0:
                s = s * 3 | 1
                n -= 1
            return s | 1

        @njit(interrupts=False)
        def f(a, log):
            s = g(60_000_000)
            for i in range(30):
                a *= 1.5
                s += a[0] > 0
            for i in range(60_000_000):
                s ^= i * s + 1
            log[0] = 1
            return s

        log = np.zeros(1, np.int64)
        f(np.ones(10), log)
        log[0] = 0
        numbers = np.ones(1000)
        later(0.05)
        try:
            f(numbers, log)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError
        assert log[0] == 1
        assert "rumba_poll" not in f.inspect_llvm(f.signatures[0])
    """,
    # Parent and child are interrupted, and there is no thread more when Python forks.
    "forks_and_threads": """
        warnings.simplefilter("error")

        @njit
        def f(log):
            s = 0
            while log[0] == 0:
                s = s * 3 | 1
            return s

        log = np.zeros(1, np.int64)
        interrupted(f, log)
        for round in range(2):
            child = os.fork()
            if child == 0:
                try:
                    interrupted(f, log)
                except BaseException:
                    traceback.print_exc()
                    os._exit(1)
                os._exit(7)
            interrupted(f, log)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

        # The thread that forks is the main thread of the child.
        def fork():
            child = os.fork()
            if child == 0:
                done = 1
                try:
                    later()
                    f(log)
                except KeyboardInterrupt:
                    done = 7
                os._exit(done)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

        f.compile((typeof(log),))
        codes = []
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        assert codes == [7], codes
    """,
    # A handler is not run between an exception and who catches it; loops in cleanup go on.
    "exceptions_that_are_on_their_way_stay": """
        @njit
        def f(n):
            found = [0]
            try:
                if n > 0:
                    raise ValueError("first", n)
            finally:
                for i in range(60_000_000):
                    found[0] ^= found[0] * i + 1
            return found[0]

        f(0)
        later(0.02)
        try:
            f(1)
        except KeyboardInterrupt as error:
            assert isinstance(error.__context__, ValueError), error.__context__
        else:
            raise AssertionError
    """,
}


def run(programs, before=""):
    """What went wrong in each program, and what else they print."""
    end = 'print(json.dumps(["end", time.time()]), flush=True)'
    command = [sys.executable, "-X", "faulthandler", "-c", f"{before}{RUNNER}\nrun({programs!r})\n{end}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = dict(map(json.loads, done.stdout.splitlines()))
    # Nothing waits for the thread that makes loops look for signals.
    assert time.time() - found.pop("end") < 5
    return found


@pytest.fixture(scope="module")
def wrong():
    """What went wrong in each program."""
    return run(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(wrong, name):
    assert not wrong[name], wrong[name]


# Takes all memory below 2 GiB that the system gives. Where it begins to look for some is random in the lowest 32 MiB.
NO_LOW_MEMORY = """
import ctypes
mmap = ctypes.CDLL(None).mmap
mmap.restype, mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
PRIVATE, ANONYMOUS, LOW, NO_RESERVE, NO_REPLACE = 0x2, 0x20, 0x40, 0x4000, 0x100000
for power in range(30, 11, -1):
    while mmap(None, 1 << power, 0, PRIVATE | ANONYMOUS | LOW | NO_RESERVE, -1, 0) != ctypes.c_void_p(-1).value:
        pass
for page in range(0x40000000, 0x42001000, 0x1000):
    mmap(page, 0x1000, 0, PRIVATE | ANONYMOUS | NO_RESERVE | NO_REPLACE, -1, 0)
"""


def test_code_that_was_kept_polls(wrong):
    """Also in a process that cannot have a byte where that code looks: there it is compiled anew, without polls aside."""
    programs = {"cached": CACHED}
    assert run(programs) == {"cache": "hit", "cached": ""}
    programs["library"] = """
        @njit
        def f(a):
            while True:
                a[0] += np.median(a)

        interrupted(f, np.arange(10.0))
        assert "rumba.poll" not in f.inspect_llvm(f.signatures[0])
    """
    assert run(programs, before=NO_LOW_MEMORY) == {"cache": "miss", "cached": "", "library": ""}


def test_stages():
    """Loops that end soon look for no signals, nor do functions without loops. What counts does not as long as it is short: there is
    another function for the case that it is long, and another version of all for large arguments."""
    def code(function, *args, **options):
        compiled = njit(**options)(function)
        compiled(*args)
        return compiled.inspect_llvm(compiled.signatures[0])

    def short(a):
        s = 0
        for i in range(10):
            for j in range(3):
                s += a * i + j
        return s

    def straight(a):
        return a * 2

    def counted(a):
        s = 0
        for i in range(a):
            s ^= i * i
        return s

    def counted_by_another(a):
        s = 0
        for i in range(a ^ 1):
            s ^= i * i
        return s

    def uncounted(a):
        while a != 1:
            a = a * 3 + 1 if a & 1 else a >> 1
        return a

    for function in (short, straight, counted):
        assert not any(name in code(function, 3) for name in ("rumba_poll", "rumba_late")), function
    assert "rumba_late" in code(counted_by_another, 3) and "rumba_poll" not in code(counted_by_another, 3)
    assert "rumba.poll" in code(uncounted, 8)
    for function in (counted, counted_by_another, uncounted):
        names = ("rumba_poll", "rumba.poll", "rumba_late")
        assert not any(name in code(function, 1, interrupts=False) for name in names), function


def test_long_loops_give_what_short_ones_give():
    """Around the length from which on another function runs, in steps up and down, also where the counter wraps."""
    def up(first, last, step):
        s = n = 0
        for i in range(first, last, step):
            s ^= i * 7
            n += 1
        return s, n

    def while_up(first, last, step):
        s = n = 0
        while first < last:
            s ^= first * 7
            n += 1
            first += 3
        return s, n

    def while_down(first, last, step):
        s = n = 0
        while first >= last:
            s ^= first * 7
            n += 1
            first -= 2
        return s, n

    def expected(first, last, step):
        numbers = np.arange(first, last, step, dtype=np.int64)
        return int(np.bitwise_xor.reduce(numbers * 7)), len(numbers)

    top = (1 << 63) - 1
    compiled = [njit(function) for function in (up, while_up, while_down)]
    for count in (0, 1, 65535, 65536, 65537, (1 << 21) - 1, 1 << 21, (1 << 21) + 1):
        for first in (-5, top - 3 * count - 20):
            assert compiled[0](first, first + count, 1) == expected(first, first + count, 1)
            wanted = expected(first, first + 3 * count, 3)
            assert compiled[0](first, first + 3 * count, 3) == wanted == compiled[1](first, first + 3 * count, 3)
        last = top - 2 * count - 9
        assert compiled[2](last + 2 * count, last, -2) == expected(last + 2 * count, last - 1, -2), count
    for step in (-1, -4):
        assert compiled[0](4_300_000, -7, step) == expected(4_300_000, -7, step)
    assert compiled[0](-(1 << 63) + 9, -(1 << 63) + 80_000, 1) == expected(-(1 << 63) + 9, -(1 << 63) + 80_000, 1)
    assert compiled[0](5, -7, 1) == (0, 0) and compiled[1](5, -7, 3) == (0, 0)
