"""Functions and classes that travel with their code, and dispatchers among them."""
import math
import multiprocessing
import pickle

import pytest
from rumba import jit, njit
from rumba.serialize.by_value import dumps, loads
from rumba.serialize.dispatcher import is_serializable

OFFSET = 100


def there(fresh_process, value, expression):
    """What an expression over `f` prints in another process."""
    return fresh_process(f"import pickle; f = pickle.loads({pickle.dumps(value)!r}); print(({expression}))").strip()


def closure(a):
    @njit
    def other(b):
        return a + b

    @njit
    def inner(b):
        return other(b) * 2 + math.floor(0.5) + OFFSET

    return inner


def test_a_closure_over_another_one(fresh_process):
    assert there(fresh_process, closure(3), "f(4), f.py_func(4)") == "(114, 114)"


def test_a_lambda_with_a_signature(fresh_process):
    f = njit("float64(float64)")(lambda x: x / 2)
    assert there(fresh_process, f, "f(3), f.signatures") == "(1.5, [(float64,)])"


def test_a_recursive_function(fresh_process):
    namespace = {"njit": njit, "__name__": "nowhere"}
    exec("@njit\ndef fac(n): return 1 if n <= 1 else n * fac(n - 1)", namespace)
    assert there(fresh_process, namespace["fac"], "f(5)") == "120"


@pytest.mark.parametrize("frozen", [False, True])
def test_functions_that_call_each_other(fresh_process, frozen):
    namespace = {"njit": njit, "__name__": "nowhere"}
    exec("@njit\ndef even(n): return n == 0 or odd(n - 1)\n"
         "@njit\ndef odd(n): return n != 0 and even(n - 1)", namespace)
    for name in ("even", "odd"):
        namespace[name].compile("(int64,)")
        namespace[name].disable_compile(frozen)
    expected = f"({int(frozen)}, True, False)"
    assert there(fresh_process, namespace["odd"], "len(f.signatures), f(7), f(8)") == expected


def test_defaults_keywords_and_attributes_stay(fresh_process):
    def f(x, y=2, *, z=3):
        """Adds."""
        return x + y + z

    f.mark = "kept"
    expression = "f(1), f(1, z=0), f.__doc__, f.mark, f.__name__, f.targetoptions['nogil']"
    assert there(fresh_process, jit(f, nogil=True), expression) == "(6, 3, 'Adds.', 'kept', 'f', True)"


def test_a_class_of_the_user_travels_with_its_function(fresh_process):
    class Wrong(ValueError):
        def __str__(self):
            return f"wrong by {self.args[0]}"

    @njit
    def f(x):
        raise Wrong(x)

    code = (f"import pickle\nf = pickle.loads({pickle.dumps(f)!r})\n"
            "try: f(3)\nexcept ValueError as error: print(type(error).__name__, error)")
    assert fresh_process(code).strip() == "Wrong wrong by 3"


def test_the_same_comes_back():
    f = closure(5)
    data = pickle.dumps(f)
    assert pickle.loads(data) is f
    gone = id(f)
    del f
    assert id(pickle.loads(data)) == gone


def test_functions_of_one_namespace_share_one():
    namespace = {"__name__": "nowhere"}
    exec("n = 0\ndef up():\n  global n\n  n += 1\ndef get(): return n", namespace)
    up, get = loads(dumps((namespace["up"], namespace["get"])))
    up()
    assert get() == 1 and namespace["n"] == 0


def test_classes_keep_what_became_of_them():
    class Base:
        count = 0

        @classmethod
        def up(cls):
            Base.count += 1
            return __class__

    class Slotted(Base):
        __slots__ = ("x",)

    data = dumps((Base, Slotted))
    Base.up()
    assert loads(data) == (Base, Slotted) and Base.count == 1


def test_classes_in_another_process(fresh_process):
    class Point:
        __slots__ = ("x", "y")
        origin = property(lambda self: (self.x, self.y) == (0, 0))

        def __init__(self, x, y):
            self.x, self.y = x, y

    data = dumps(Point(0, 0))
    code = f"import pickle; p = pickle.loads({data!r}); print(p.x, p.origin, type(p).__qualname__)"
    assert fresh_process(code).strip().startswith("0 True test_classes_in_another_process")


def test_what_is_serializable():
    import threading

    class Refuses:
        def __reduce__(self):
            raise TypeError("no")

    for value in ([1], "x", lambda: 0, type(None), closure, Refuses, math, closure(1)):
        assert is_serializable(value)
    for value in (threading.Lock(), Refuses()):
        assert not is_serializable(value)


def twice(f, x):
    return f(x) * 2


def test_a_pool_of_processes_runs_closures():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap(twice, [(closure(1), 2), (closure(2), 2)]) == [212, 216]
