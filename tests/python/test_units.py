"""Machine code lives as long as somebody holds it: a dispatcher, or a call under way.

What could crash runs in a process of its own, so that a crash is one failed test.
"""
import gc
import os
import textwrap

import rumba
from rumba import _rumba

session = _rumba.session


def units():
    gc.collect()
    return session.live_units()


def test_a_unit_goes_with_its_dispatcher():
    before = units()

    @rumba.njit
    def add(a, b):
        return a + b

    assert units() == before, "nothing is compiled before the first call"
    assert add(1, 2) == 3
    assert units() == before + 1
    assert add(1.5, 2) == 3.5
    assert units() == before + 2
    del add
    assert units() == before


def test_a_hundred_dispatchers_leave_nothing_behind():
    def make(number):
        @rumba.njit
        def scaled(x):
            return x * number + 1

        return scaled

    before = units()
    for number in range(100):
        assert make(number)(3) == 3 * number + 1
    assert units() == before


def test_a_caller_keeps_what_it_calls():
    @rumba.njit
    def inner(x):
        return x + 1

    @rumba.njit
    def outer(x):
        return inner(x) * 2

    before = units()
    assert outer(4) == 10
    assert units() > before
    del inner
    gc.collect()
    assert outer(5) == 12
    del outer
    assert units() <= before


def test_recompile_replaces_the_code():
    @rumba.njit
    def add(a, b):
        return a + b

    before = units()
    assert add(1, 2) == 3
    for _ in range(5):
        add.recompile()
        assert add(1, 2) == 3
        assert units() == before + 1


LOOP = """
import threading
import time
import rumba

@rumba.njit(nogil=True)
def spin(n):
    acc = 0.0
    for i in range(n):
        acc = acc * 0.5 + i
    return acc

spin(10)
expected = spin.py_func(1000)
"""


def in_thread(fresh_process, source):
    return fresh_process(LOOP + textwrap.dedent(source))


def test_recompile_while_another_thread_runs(fresh_process):
    out = in_thread(fresh_process, """
        stop = threading.Event()
        wrong = []
        calls = 0

        def work():
            global calls
            while not stop.is_set():
                if spin(1000) != expected:
                    wrong.append(1)
                calls += 1

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(60):
            spin.recompile()
        stop.set()
        for thread in threads:
            thread.join()
        print(len(wrong), calls > 0)
    """)
    assert out.split() == ["0", "True"]


def test_a_call_under_way_keeps_its_code(fresh_process):
    out = in_thread(fresh_process, """
        import gc
        results = []
        function = spin
        threads = []
        for _ in range(2):
            thread = threading.Thread(target=lambda f: results.append(f(200_000_000)), args=(spin,))
            thread.start()
            threads.append(thread)
        time.sleep(0.05)
        spin.recompile()
        del spin, function
        gc.collect()
        for thread in threads:
            thread.join()
        print(len(set(results)), len(results))
        del thread, threads
        gc.collect()
        print(rumba._rumba.session.live_units())
    """)
    first, last = out.strip().splitlines()
    assert first.split() == ["1", "2"]
    assert int(last) == 0


def test_many_threads_make_the_first_call(fresh_process):
    out = fresh_process(textwrap.dedent("""
        import sys
        import threading
        import rumba

        sys.setswitchinterval(1e-5)
        for round in range(10):
            @rumba.njit(nogil=bool(round % 2))
            def total(n, x):
                acc = x
                for i in range(n):
                    acc += i
                return acc

            start = threading.Barrier(8)
            results = []

            def work(number):
                start.wait()
                x = number if number % 2 else float(number)
                results.append(total(100, x) - number)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert results == [4950] * 8, results
            assert len(total.signatures) == 2, total.signatures
        print("done")
    """))
    assert out.strip() == "done"


def test_threads_compile_different_functions_at_once(fresh_process):
    out = fresh_process(textwrap.dedent("""
        import threading
        import rumba

        def make(number):
            @rumba.njit
            def f(x):
                for i in range(number):
                    x = x * 2 % 1000003
                return x

            return f

        results = {}

        def work(first):
            for number in range(first, first + 25):
                function = make(number)
                results[number] = function(7) == function.py_func(7)

        threads = [threading.Thread(target=work, args=(25 * index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        del threads, thread
        import gc
        gc.collect()
        print(len(results), all(results.values()), rumba._rumba.session.live_units())
    """))
    assert out.split() == ["100", "True", "0"]


def test_callers_without_the_gil_under_recompilation(fresh_process):
    folder = os.path.dirname(os.path.abspath(__file__))
    out = fresh_process(f"import sys; sys.path.insert(0, {folder!r}); sys.argv[1:] = ['--minutes', '0.15']; import stress; stress.main()")
    assert out.strip().endswith("no failures")


PASSED_ON = """
import gc
from rumba import njit

@njit
def outer(items):
    for item in items:
        yield item + 1

def make(n):
    @njit
    def inner(n):
        try:
            for i in range(n):
                yield i
        finally:
            n += 1
    return inner(n)

for rounds in range(3):
    whole, begun, untouched = outer(make(3)), outer(make(3)), outer(make(3))
    gc.collect()
    assert list(whole) == [1, 2, 3] and next(begun) == 1
    del begun, untouched
    gc.collect()
print("fine")
"""


def test_the_code_of_a_generator_that_was_passed_on_stays(fresh_process):
    assert fresh_process(PASSED_ON, MALLOC_PERTURB_="153") == "fine\n"
