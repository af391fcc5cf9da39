"""What crosses between Python and compiled code: containers that alias each other, Python code that runs meanwhile and raises, threads
with little stack, interpreters of one process."""
import array
import sys
import textwrap
import threading

import aliasing
import memory
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit, typed


@pytest.mark.parametrize("part", range(4))
def test_random_programs_over_containers_that_alias(part):
    failures = [text for seed in range(20 * part, 20 * part + 20) if (text := aliasing.check(seed))]
    assert not failures, "\n\n".join(failures)


_LEAVE = [
    ("p[1].append(4)\n    p[1] = p[0]", lambda: [[1], [2, 3]]),
    ("p[1].append(4)\n    del p[1]", lambda: [[1], [2, 3]]),
    ("p[1].append(4)\n    p[:] = [[7]]", lambda: [[1], [2, 3]]),
    ("p[1].append(4)\n    p[1] = [2]\n    p.append([7, 8])", lambda: [[1], [2, 3]]),
    ("p[1].append(4)\n    p.clear()\n    raise ValueError(1)", lambda: [[1], [2, 3]]),
    ("p[1].add(4)\n    p[1] = p[0]", lambda: [{1}, {2}]),
    ("p[1].add(4)\n    p.pop()", lambda: [{1}, {2}]),
    ("p[1][1].append(4)\n    p[1] = p[0]", lambda: [(1, [2]), (3, [4])]),
    ("p[1].append(4)\n    p[1] = p[0]", lambda: {0: [1], 1: [2, 3]}),
    ("p[1].append(4)\n    p.clear()", lambda: {0: [1], 1: [2, 3]}),
    ("p[1][0].append(4)\n    p[1] = p[0]", lambda: [[[1]], [[2, 3]]]),
]

_PROCESS = """
from rumba import njit
from rumba.nrt_stats import rtsys

@njit
def f(p):
    {body}

def run(function, values):
    try:
        function(values)
    except ValueError:
        pass
    return values

for number in range(300):
    found, expected = run(f, {values}), run(f.py_func, {values})
    assert found == expected, (found, expected)
    if number == 10:
        before = rtsys.get_allocation_stats()
after = rtsys.get_allocation_stats()
print(after.alloc - before.alloc - after.free + before.free)
"""


@pytest.mark.parametrize("body, make", _LEAVE)
def test_a_container_that_is_changed_leaves_its_container(fresh_process, body, make):
    out = fresh_process(_PROCESS.format(body=body, values=make()), MALLOC_PERTURB_="165")
    assert out.split() == ["0"]


def test_one_container_is_one_object():
    @njit
    def twice(p):
        x = [5]
        p.append(x)
        p.append(x)
        return x, x

    p = [[1]]
    first, second = twice(p)
    assert first is second and p[1] is p[2] is first and p == [[1], [5], [5]]
    both = njit(lambda: [[1]] * 2)()
    assert both[0] is both[1]
    sets = njit(lambda s: (s, s))({1})
    assert sets[0] is sets[1]


def test_what_is_not_changed_is_the_same_object():
    @njit
    def add(p):
        p.append(p[0])

    for first in (1, [2]), "a text of some length", 2.5 ** 70, 10 ** 12, np.int64(4), np.arange(3), bytearray(b"ab"), typed.List([1]):
        p = [first, first]
        add(p)
        assert len(p) == 3 and p[0] is first and p[1] is first
    mixed = [4, np.int64(3)]
    add(mixed)
    assert type(mixed[1]) is np.int64

    @njit
    def swap(p):
        p[0], p[1] = p[1], p[0]

    for first, second in (np.arange(3), np.arange(4)), (array.array("d", [1.0]), array.array("d")), ([1], [2]), ((1, [2]), (3, [4])):
        p = [first, second]
        inner = [getattr(item, "base", None) for item in p]
        swap(p)
        if isinstance(first, tuple):
            assert p[0][1] is second[1] and p[1][1] is first[1]
        else:
            assert p[0] is second and p[1] is first
        assert inner == [getattr(item, "base", None) for item in (first, second)]


def test_keys_and_values_stay_objects():
    @njit
    def change(d):
        del d[2]
        d[9] = d[1]

    values = {key: [key] for key in (1, 2, 3)}
    kept = dict(values)
    change(values)
    assert list(values) == [1, 3, 9] and values[1] is kept[1] and values[3] is kept[3] and values[9] is kept[1]
    keys = [(n, "a" * 9) for n in range(4)]
    held = dict.fromkeys(keys, 1.5)
    njit(lambda d: d.update({(7, "b"): 2.5}))(held)
    assert all(one is other for one, other in zip(held, keys))


def test_one_list_in_two_places_of_different_types():
    @njit
    def grow(a, b):
        a[0].append(2.5)
        return len(b)

    empty = []
    assert grow([empty, [1.5]], empty) == 1 and empty == [2.5]

    @njit
    def count(b, a):
        a[0].append(2.5)
        return len(b)

    empty = []
    assert count(empty, [empty, [1.5]]) == 1 and empty == [2.5]
    rows = [[]]
    with pytest.raises(TypeError, match="one object is passed in two places"):
        njit(lambda a, b: (len(a), len(b)))(rows, [rows, [[1.5]]])


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def test_exceptions_of_python_code_that_reads_arguments():
    @njit
    def cut(a, s):
        return a[s].sum()

    values = np.arange(10)
    assert cut(values, slice(Index(3), None)) == values[3:].sum()
    for number in range(3):
        with pytest.raises(KeyError, match="mine"):
            cut(values, slice(Index(KeyError("mine")), None))
        assert cut(values, slice(1, Index(3))) == 3
    with pytest.raises(OverflowError):
        cut(values, slice(2**70, None))
    with pytest.raises(TypeError, match="slice indices must be integers|object cannot be interpreted|__index__"):
        cut(values, slice("a", None))

    class Sly(int):
        def __int__(self):
            raise KeyError("mine")

        __float__ = __complex__ = __int__

    fixed = njit("float64(float64)")(lambda x: x + 1)
    whole = njit("int64(int64)")(lambda x: x + 1)
    for function in fixed, whole:
        with pytest.raises(KeyError, match="mine"):
            function(Sly(3))


def test_a_bound_that_forgets_the_code_it_is_for():
    @njit
    def start(s):
        return s.start

    class Forgets:
        def __index__(self):
            start.recompile()
            return 4

    assert [start(slice(Forgets(), None)) for _ in range(20)] == [4] * 20


def test_an_exception_of_the_stream_leaves_print(monkeypatch):
    class Stream:
        def write(self, text):
            raise KeyError(text)

        def flush(self):
            pass

    @njit
    def say(a):
        b = a + 1
        print("one", b)
        return b

    monkeypatch.setattr(sys, "stdout", Stream())
    for nogil in False, True:
        with pytest.raises(KeyError, match="one"):
            njit(nogil=nogil)(say.py_func)(np.ones(3))


def test_items_of_buffers_are_in_range():
    @njit
    def put(a, value):
        a[0] = value
        return a[0]

    buffers = [bytearray(2), *(array.array(code, [0, 0]) for code in "bBhHiIlLqQ")]
    for buffer in [*buffers, *(memoryview(one) for one in buffers)]:
        for value in 0, 1, 127, 128, 255, 256, -1, -128, -129, 2**15, 2**31, -2**31 - 1, True:
            expected = beside(put.py_func, buffer, value)
            assert beside(put, buffer, value)[0] == expected[0], (buffer, value)
    with pytest.raises(ValueError, match=r"byte must be in range\(0, 256\)"):
        put(bytearray(1), 300)
    with pytest.raises(ValueError, match="memoryview: invalid value for format 'B'"):
        put(memoryview(bytearray(1)), 300)
    with pytest.raises(OverflowError, match="unsigned byte integer is greater than maximum"):
        put(array.array("B", [1]), 300)


def beside(function, *args):
    try:
        return function(*args), None
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


_DEEP = """
    import threading
    from rumba import njit

    @njit
    def down(n):
        return 0 if n < 0 else 1 + down(n + 1)

    @njit
    def total(a):
        return sum([x * 2 for x in a]) + len(sorted(a))

    # What signatures need is imported here: under 3.12 an import alone overflows a stack of 32 KiB.
    njit("int64(int64)")(lambda x: x)

    def work():
        for known in range(2):
            try:
                down(0)
            except RecursionError:
                print("deep")
        print(total([3, 1]), njit("int64(int64)")(lambda x: x + 1)(2))

    for size in 32, 64, 128, 256, 512, 1024:
        threading.stack_size(size << 10)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
"""


def test_threads_with_little_stack(fresh_process):
    out = fresh_process(textwrap.dedent(_DEEP))
    assert out.splitlines() == ["deep", "deep", "10 3"] * 6


_SUBINTERPRETER = """
import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
import rumba

code = '''
try:
    import rumba
    rumba.njit(lambda x: x)(1)
except ImportError as error:
    print("refused:", error, flush=True)
'''
interpreters.run_string(interpreters.create(), "import sys; sys.path[:] = " + repr(sys.path) + code)
"""


def test_another_interpreter_of_the_process_refuses_the_import(fresh_process):
    out = fresh_process(_SUBINTERPRETER)
    assert out.startswith("refused:") and "subinterpreters" in out


_SHORT_OF_MEMORY = """
    import resource
    from rumba import njit

    @njit
    def numbers(n):
        a = [1]
        for i in range(n):
            a.append(i)
        return len(a)

    @njit
    def table(n):
        a = {{0: 0}}
        for i in range(n):
            a[i] = i
        return len(a)

    @njit
    def unique(n):
        a = {{0}}
        for i in range(n):
            a.add(i)
        return len(a)

    @njit
    def doubled(n):
        return len([i * 2 for i in range(n)])

    @njit
    def extended(n):
        a = [1]
        for i in range(n):
            a.extend((1, 2, 3))
        return len(a)

    for function in numbers, table, unique, doubled, extended:
        function(3)
    resource.setrlimit(resource.RLIMIT_AS, ({limit} << 20,) * 2)
    for function in numbers, table, unique, doubled, extended:
        try:
            function(10**9)
        except MemoryError:
            print(function.__name__, function(3) >= 3)
"""


@pytest.mark.parametrize("limit", [600, 900, 1300])
def test_growth_ends_where_memory_does(fresh_process, limit):
    out = fresh_process(textwrap.dedent(_SHORT_OF_MEMORY.format(limit=limit)))
    assert out.splitlines() == [f"{name} True" for name in ("numbers", "table", "unique", "doubled", "extended")]


@pytest.mark.parametrize("function", memory.CALLS, ids=lambda function: function.__name__)
def test_what_changes_hands(function):
    memory.check(function, memory.CALLS[function])
