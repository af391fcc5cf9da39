"""Threads that decorate, compile, call, look at and recompile functions at the same time."""
import gc
import os
import pickle
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest
from stress import even, odd

from rumba import njit
from rumba.numba import guvectorize, types, vectorize


@pytest.fixture
def eager_switches():
    """Threads switch as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work, count=8):
    """Runs `work(seed)` in threads; what went wrong in them."""
    failures = []

    def guarded(seed):
        try:
            work(seed)
        except BaseException as error:
            failures.append((seed, repr(error)))

    threads = [threading.Thread(target=guarded, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    return failures


@njit
def shared(a, b):
    for i in range(10):
        a = a + b * i
    return a


@njit(nogil=True)
def spin(n, x):
    total = x
    for i in range(n):
        total += x * i
    return total


def test_everything_at_once(eager_switches):
    def work(seed):
        rng = random.Random(seed)
        values = [1, 2.5, 1j, -3, 0.5]
        for step in range(24):
            a, b = rng.choice(values), rng.choice(values)
            assert njit(lambda x: x + seed)(step) == step + seed
            assert shared(a, b) == shared.py_func(a, b)
            assert even(10) and not odd(10)
            assert spin(20, a) == spin.py_func(20, a)
            shared.recompile()
            for result in shared.overloads.values():
                assert result.metadata["symbol"] and result.signature.args
            assert pickle.loads(pickle.dumps(shared)) is shared
            if step % 8 == 0:
                gc.collect()

    assert in_threads(work) == []


def test_pickles_of_several_threads_are_whole(eager_switches):
    local = njit(lambda x: x + 1)

    def work(seed):
        for _ in range(300):
            assert b"_restore_later" not in pickle.dumps(local)

    assert in_threads(work) == []


def test_recompiling_keeps_what_fixed_signatures_serve(eager_switches):
    f = njit("int64(int64)")(lambda x: x + 1)
    stop = threading.Event()

    def recompile():
        while not stop.is_set():
            f.recompile()

    thread = threading.Thread(target=recompile)
    thread.start()
    try:
        assert all(f(step) == step + 1 and len(f.signatures) == 1 for step in range(3000))
    finally:
        stop.set()
        thread.join()


def test_a_result_stays_what_it_is_when_the_function_is_recompiled():
    f = njit(lambda x: x)
    f(1)
    f(2.5)
    first = f.overloads[f.signatures[0]]
    text = first.library.get_llvm_str()
    f.recompile()
    assert first.library.get_llvm_str() == text and first.entry_point(3) == 3


def test_an_argument_that_recompiles_while_it_is_read():
    f = njit("int64(int64)")(lambda x: x + 1)

    class Sly(int):
        def __int__(self):
            f.recompile()
            gc.collect()
            return 41

    assert [f(Sly(1)) for _ in range(3)] == [42] * 3


def pair(threshold):
    """Two new functions that call each other, and as plain ones."""
    scope = {"njit": njit, "threshold": threshold}
    source = (
        "{0}\ndef ping(n, x):\n    return x if n == 0 else pong(n - 1, x + threshold)\n"
        "{0}\ndef pong(n, x):\n    return x if n == 0 else ping(n - 1, x * 2)\n")
    plain = dict(scope)
    exec(source.format("@njit"), scope)
    exec(source.format(""), plain)
    return scope["ping"], scope["pong"], plain["ping"], plain["pong"]


def test_threads_compile_functions_that_call_each_other(eager_switches):
    for threshold in range(6):
        ping, pong, plain_ping, plain_pong = pair(threshold)
        barrier = threading.Barrier(4)

        def work(seed):
            compiled, plain = ((ping, plain_ping), (pong, plain_pong))[seed % 2]
            barrier.wait(60)
            for x in (1, 1.5, 2j):
                assert compiled(9, x) == plain(9, x)

        assert in_threads(work, 4) == []


def test_threads_register_while_others_compile(eager_switches):
    from rumba.extending import overload
    from support import forgotten_overloads

    with forgotten_overloads():
        def function(x):
            raise NotImplementedError

        overload(function)(lambda x: lambda x: x + 1)

        def work(seed):
            for number in range(20):
                if seed % 2:
                    overload(function)(lambda x: lambda x: x + 1000)
                    overload(lambda x: x)(lambda x: lambda x: x)
                else:
                    assert njit(lambda x: function(x) + number)(1) == 2 + number

        assert in_threads(work, 4) == []


def ends_well(child, seconds=30):
    """Whether a child process ends by itself with status 0."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def compiles_and_calls():
    """Compiles what no other thread was compiling, with a loop, a ufunc and a gufunc."""
    f = njit(lambda a: (a * 2 + 1).sum())
    shared.recompile()
    return f(np.arange(4.0)) == 16 and shared(2, 3) == 137 and by_rows(np.ones((2, 3))).tolist() == [3, 3] and thirds(6) == 2


@vectorize
def thirds(x):
    return x / 3


@guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def by_rows(row, out):
    out[0] = row.sum()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_of_a_fork_compiles_while_threads_of_the_parent_do(eager_switches):
    stop = threading.Event()

    def work(seed):
        while not stop.is_set():
            f = njit(lambda a, n: [a * n + seed for _ in range(n)], cache=bool(seed % 2))
            assert f(2, 3) == [6 + seed] * 3
            shared.recompile()
            thirds.add((types.int64,))
            assert by_rows(np.ones(seed)) == seed

    failures = []
    threads = [threading.Thread(target=lambda seed=seed: failures.extend(in_threads(lambda _: work(seed), 1)))
               for seed in range(4)]
    for thread in threads:
        thread.start()
    ended = []
    try:
        for _ in range(12):
            child = os.fork()
            if child == 0:
                try:
                    os._exit(0 if compiles_and_calls() else 1)
                finally:
                    os._exit(2)
            ended.append(ends_well(child))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert all(ended) and failures == []
