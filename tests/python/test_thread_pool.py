"""The pool of threads: settings of threads, loops that run on it, forks, exceptions."""
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import rumba.numba as numba
from rumba import config, njit, prange
from rumba.numba.np.ufunc import parallel


@njit(parallel=True)
def note(rows):
    """Counts iterations, and says which thread ran them and what it knew."""
    for i in prange(len(rows)):
        rows[i, 0] += 1
        rows[i, 1] = numba.get_thread_id()
        rows[i, 2] = numba.get_num_threads()
        rows[i, 3] = numba.get_parallel_chunksize()


def noted(iterations, size=20):
    rows = np.zeros((iterations, 4), np.int64)
    with numba.parallel_chunksize(size):
        note(rows)
    return rows


@pytest.fixture(autouse=True)
def all_threads():
    yield
    numba.set_num_threads(config.NUMBA_NUM_THREADS)


@pytest.mark.parametrize("iterations, size", [(0, 1), (1, 1), (10_000, 10_000), (10_000, 7), (9_999, 0), (5, 1), (5, 1 << 40)])
def test_every_iteration_runs_once(iterations, size):
    rows = noted(iterations, size)
    assert (rows[:, 0] == 1).all() and (rows[:, 3] == 0).all()
    assert (rows[:, 1] < config.NUMBA_NUM_THREADS).all()
    assert (rows[:, 2] == config.NUMBA_NUM_THREADS).all()


@njit
def limits(n):
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    return before, numba.get_num_threads(), numba.get_thread_id(), parallel.get_thread_count()


def test_limits_of_threads():
    most = config.NUMBA_NUM_THREADS
    assert parallel.get_thread_count() == numba.get_num_threads() == most
    assert limits(1) == (most, 1, 0, most) and numba.get_num_threads() == 1
    assert (noted(1000)[:, 1:3] == [0, 1]).all()
    numba.set_num_threads(np.int64(most))
    for bad in 0, most + 1, 1 << 70, -1:
        with pytest.raises(ValueError, match=f"between 1 and {most}"):
            numba.set_num_threads(bad)
    for bad in 0, most + 1:
        with pytest.raises(ValueError, match=f"between 1 and {most}"):
            limits(bad)
    with pytest.raises(TypeError, match="must be an integer"):
        numba.set_num_threads("2")
    with pytest.raises(numba.TypingError, match="The number of threads specified must be an integer"):
        limits("2")


def test_limits_belong_to_their_thread():
    most, seen = config.NUMBA_NUM_THREADS, []
    numba.set_num_threads(1)
    other = threading.Thread(target=lambda: seen.append(numba.get_num_threads()))
    other.start()
    other.join()
    assert seen == [most] and numba.get_num_threads() == 1


def test_chunk_sizes():
    get, put = numba.get_parallel_chunksize, numba.set_parallel_chunksize
    with numba.parallel_chunksize(4):
        assert get() == njit(lambda: numba.get_parallel_chunksize())() == 4
        assert njit(lambda n: numba.set_parallel_chunksize(n))(8) == 4
        assert get() == 8 and put(3) == 8
    assert get() == 0
    for bad in put, njit(lambda n: numba.set_parallel_chunksize(n)):
        with pytest.raises(ValueError, match="chunksize must be greater than or equal to zero"):
            bad(-1)
    with pytest.raises(TypeError, match="must be an integer"):
        put("x")


@njit
def sizes(n, fails):
    before = numba.get_parallel_chunksize()
    with numba.parallel_chunksize(n):
        inside = numba.get_parallel_chunksize()
        with numba.parallel_chunksize(n + 1):
            deeper = numba.get_parallel_chunksize()
            if fails:
                raise ValueError("inside", n)
        back = numba.get_parallel_chunksize()
    return before, inside, deeper, back, numba.get_parallel_chunksize()


def test_blocks_with_a_chunk_size_in_compiled_code():
    with numba.parallel_chunksize(2):
        assert sizes(5, False) == sizes.py_func(5, False) == (2, 5, 6, 5, 2)
        with pytest.raises(ValueError, match="inside"):
            sizes(5, True)
        with pytest.raises(ValueError, match="chunksize must be greater"):
            sizes(-1, False)
        assert numba.get_parallel_chunksize() == 2
    with pytest.raises(numba.TypingError):
        sizes(1.5, False)


def test_several_threads_run_loops_at_once():
    wrong = []

    def loops():
        for round in range(200):
            rows = noted(100 + round, 5)
            if not (rows[:, 0] == 1).all():
                wrong.append(rows)

    threads = [threading.Thread(target=loops) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class Refused(Exception):
    """An exception of a user."""


@njit
def inner(i, text):
    if i == 70:
        return float(text)
    if i == 71:
        try:
            raise Refused(text, i, (1.5, text))
        except Refused as error:
            raise error
    return 1.0


def through_calls(n, first, text):
    out = np.zeros(n)
    for i in prange(n):
        if i >= first:
            out[i] = inner(i, text)
            if i == 72:
                raise KeyError(text, np.full(2, i).sum())
    return out


def test_exceptions_of_other_threads_keep_what_they_know():
    serial, several = njit(through_calls), njit(parallel=True)(through_calls)
    for first, kind, args in ((70, ValueError, ("could not convert string to float: 'word'",)),
                              (71, Refused, ("word", 71, (1.5, "word"))), (72, KeyError, ("word", 144))):
        with pytest.raises(kind) as wanted:
            serial(100, first, "word")
        for _ in range(20):
            with numba.parallel_chunksize(1), pytest.raises(kind) as raised:
                several(100, first, "word")
            assert type(raised.value) is kind and raised.value.args == wanted.value.args == args
            assert [(entry.name, entry.lineno) for entry in raised.traceback[1:]] == [
                (entry.name, entry.lineno) for entry in wanted.traceback[1:]]
    assert several(70, 0, "1.5").tolist() == [1.0] * 70


@njit(parallel=True)
def draws(n):
    first = np.random.random()
    both = np.zeros((n, 2))
    for i in prange(n):
        both[i, 0] = np.random.normal()
        both[i, 1] = random.random()
    return first, both, np.random.random()


@njit
def seed(number):
    np.random.seed(number)
    random.seed(number)


def test_random_numbers_follow_from_the_seed():
    found = []
    for threads in (1, 2, config.NUMBA_NUM_THREADS):
        numba.set_num_threads(min(threads, config.NUMBA_NUM_THREADS))
        seed(3)
        found.append(draws(2000) + draws(2000))
    for other in found[1:]:
        for one, same in zip(found[0], other):
            np.testing.assert_array_equal(one, same)
    every = np.concatenate([np.ravel(part) for part in found[0]])
    assert len(np.unique(every)) == len(every)
    normal = found[0][1][:, 0]
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1


def run(source, **environment):
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(__file__), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


STARTS = """
import os, threading, time
import rumba.numba as numba
from rumba import config
from test_thread_pool import noted
try:
    numba.threading_layer()
except ValueError as error:
    print("none")
config.NUMBA_NUM_THREADS = 3
print(numba.get_num_threads())
assert (noted(1000)[:, 0] == 1).all()
def workers():
    names = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
    return ",".join(sorted(name for name in names if name.startswith("rumba-")))
# A thread names itself.
deadline = time.monotonic() + 10
while workers() != "rumba-1,rumba-2" and time.monotonic() < deadline:
    time.sleep(0.001)
print(workers(), numba.threading_layer())
os.environ["NUMBA_NUM_THREADS"] = "5"
try:
    config.reload_config()
except RuntimeError as error:
    print("once the threads have been launched" in str(error))
def child_is_fine():
    child = os.fork()
    if child == 0:
        os._exit(0 if (noted(1000)[:, 0] == 1).all() else 1)
    return os.waitpid(child, 0)[1] == 0
print(child_is_fine())
stop = False
def loops():
    while not stop:
        noted(1000)
threads = [threading.Thread(target=loops) for _ in range(2)]
for thread in threads:
    thread.start()
print(all(child_is_fine() for _ in range(8)))
stop = True
"""


def test_a_process_and_its_children():
    assert run(STARTS, NUMBA_NUM_THREADS="2") == ["none", "3", "rumba-1,rumba-2", "tbb", "True", "True", "True"]


INTERRUPT = """
import os, signal, threading
import numpy as np
from rumba import njit, prange
@njit(parallel=True)
def long(n):
    found = 0.0
    for i in prange(n):
        for k in range(1000):
            found += np.sin(i + k)
    return found
short = long(100)
# A process of the background may begin with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begins")
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        long(20_000)
except KeyboardInterrupt:
    print(long(100) == short)
"""


def test_an_interrupt_arrives_behind_the_loop():
    assert run(INTERRUPT) == ["begins", "True"]


LAYERS = """
import warnings
import rumba.numba as numba
from rumba import config
def layer():
    numba.vectorize(["int64(int64)"], target="parallel")(lambda x: x)
    return numba.threading_layer()
for name, priority in ("nonsense", "tbb omp workqueue"), ("default", "tbb omp workqueue omp"):
    config.THREADING_LAYER, config.THREADING_LAYER_PRIORITY = name, priority.split()
    try:
        layer()
    except ValueError as error:
        print("is unknown" in str(error) or "It must be a permutation of" in str(error))
for name, priority in ("omp", "tbb omp workqueue"), ("default", "workqueue tbb omp"), ("safe", "workqueue tbb omp"):
    config.THREADING_LAYER, config.THREADING_LAYER_PRIORITY = name, priority.split()
    print(layer())
"""


def test_layers_that_are_asked_for():
    assert run(LAYERS) == ["True", "True", "omp", "workqueue", "tbb"]


def test_a_process_ends_while_threads_run_loops():
    ends = "\n".join([
        "import threading", "from test_thread_pool import noted", "noted(1000)", "def loops():", " while True:",
        "  noted(1000)", "threading.Thread(target=loops, daemon=True).start()", "print('end')"])
    assert run(ends, NUMBA_NUM_THREADS="3", NUMBA_THREADING_LAYER="omp") == ["end"]


def test_a_short_stress():
    script = os.path.join(os.path.dirname(__file__), "parallel_stress.py")
    done = subprocess.run([sys.executable, script, "--seconds", "0.5"], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "NUMBA_NUM_THREADS": "3"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forks" in done.stdout
