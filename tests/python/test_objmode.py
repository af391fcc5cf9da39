"""Python code that compiled code runs: `with objmode(...)` blocks and functions of a declared type."""
import contextlib
import functools
import gc
import sys
import traceback
import weakref

import rumba.numba as nb
import numpy as np
import pytest
import rumba
from rumba import errors, njit, objmode, types
from rumba.nrt_stats import rtsys

gv_type = types.intp
array_type = types.int32[:]
undefined_here = "float64[:]"
renamed = objmode


def agrees(function, *args):
    compiled = njit(function)
    expected, got = function(*args), compiled(*args)
    np.testing.assert_equal(got, expected)
    assert type(got) is type(expected)
    assert compiled.nopython_signatures
    return got


def test_a_block_gives_what_it_declares():
    def scalar(x):
        with objmode(y="float64"):
            y = float(str(x) + "5")
        return x + y

    def several(x):
        with objmode(a="unicode_type", b="int64", c=types.Tuple((types.float64, types.boolean)), d="complex128"):
            a, b, c, d = repr(x), int(x), (x / 2, x > 1), x * 1j
        return a + "!", b, c, d

    def array(n):
        a = np.arange(n)
        with objmode(b="int64[:]"):
            b = np.asarray(list(reversed(a.tolist()))) + a
            a[0] = 77
        return a, b, b.sum()

    def nothing(x):
        with objmode():
            unused = {"x": [x]}
            unused["x"].append(unused)
        return x

    agrees(scalar, 3)
    agrees(several, 2.5)
    agrees(array, 5)
    agrees(nothing, 1)


def test_it_is_known_by_its_value_under_any_name():
    import rumba as other

    captured, kept = objmode, types.float64

    @njit
    def f(x):
        with renamed(a=gv_type):
            a = 1.0 * x
        with captured(b=kept):
            b = x * 2
        with other.objmode(c=array_type):
            c = np.arange(3).astype(np.int32)
        with nb.objmode(d=types.float64[::1]):
            d = np.ones(2)
        with nb.objmode:
            str(x)
        return a, b, c.sum(), d.sum()

    assert f(3) == (3, 6.0, 3, 2.0)
    assert [type(value) for value in f(3)] == [int, float, int, float]


def test_what_runs_in_it_is_python():
    def f(x, y):
        z = 3
        with objmode(a="int64", b="unicode_type"):
            import decimal
            a = sum(i + x for i in range(z)) + int(decimal.Decimal(2) ** 3)
            a += sum([i * x for i in range(3)])

            def inner(q=x):
                return q * z

            class Local:
                value = inner()

            try:
                b = str(1 // y)
            except ZeroDivisionError as error:
                b = str(error)
            with contextlib.suppress(KeyError):
                {}[1]
            for i in range(5):
                if i == x:
                    break
            else:
                b += "!"
            a += Local.value
        return a, b

    for args in ((1, 2), (1, 0), (9, 0)):
        agrees(f, *args)


def test_blocks_in_loops_and_after_each_other():
    def f(n):
        total, text = 0, ""
        for i in range(n):
            for j in range(i):
                with objmode(total="int64", text="unicode_type"):
                    total += int(f"{i}{j}")
                    text = text + hex(j)
                total *= 3
                with objmode(total="int64"):
                    total = total % 1009
        while n > 2:
            with objmode(n="int64"):
                n -= 1
        return total, text, n

    agrees(f, 6)


def test_variables_that_inner_functions_share():
    def f(x):
        k = x + 1

        def inner(a):
            with objmode(z="int64"):
                z = [i + k + a for i in range(3)][-1]
            return z

        with objmode(y="int64"):
            y = sum((lambda q: q * x)(i) for i in range(5))
        return inner(2) + y + k

    agrees(f, 3)
    seen = []

    def make(offset):
        def g(x):
            with objmode(y="int64"):
                seen.append(x)
                y = x + offset
            return y
        return g

    assert njit(make(5))(1) == 6 and njit(make(7))(1) == 8 and seen == [1, 1]


def test_generators_and_star_arguments():
    def f(*args):
        for item in args:
            with objmode(shown="unicode_type"):
                shown = f"{item:>3}"
            yield shown

    assert list(njit(f)(1, 2)) == ["  1", "  2"]


def test_exceptions_leave_it_as_they_are():
    made = []

    class Own(Exception):
        pass

    @njit
    def f(x):
        before = np.arange(100.0)
        with objmode(y="float64"):
            try:
                {}[x]
            except KeyError as error:
                made.append(Own("text", [x]))
                made[-1].extra = before
                raise made[-1] from error
            y = 1.0
        return y + before[0]

    with pytest.raises(Own) as raised:
        f(5)
    assert raised.value is made[0] and raised.value.args == ("text", [5])
    assert isinstance(raised.value.__cause__, KeyError) and raised.value.extra.shape == (100,)
    lines = [(entry.name, entry.line) for entry in traceback.extract_tb(raised.value.__traceback__)]
    assert ("f", "raise made[-1] from error") in lines


def test_exceptions_are_caught_around_it():
    def f(x):
        r = 0
        try:
            with objmode(r=types.intp):
                if x > 2:
                    raise KeyError("no", x)
                if x > 1:
                    [][x]
                r = int(x) + 1
        except KeyError:
            return -1
        except IndexError as error:
            return -len(str(error))
        finally:
            r += 100
        return r

    for x in (1, 2, 3):
        agrees(f, x)

    @njit
    def raises(x):
        if x == 0:
            raise ValueError("of compiled code")
        return x

    @njit
    def g(x):
        try:
            with objmode(y="int64"):
                y = raises(x)
        except ValueError as error:
            return str(error)
        return str(y)

    assert (g(0), g(1)) == ("of compiled code", "1")


def test_a_single_handler_around_it():
    def raising(x):
        if x > 2:
            raise KeyError("no", x)
        return x

    def one(x):
        r = 0
        try:
            with objmode(r=types.intp):
                r = raising(x)
        except KeyError:
            return -1
        return r

    def other(x):
        r = 0
        try:
            with objmode(r=types.intp):
                r = raising(x)
        except ValueError:
            return -1
        return r

    for x in (1, 3):
        agrees(one, x)
    compiled = njit(other)
    assert compiled(1) == 1
    with pytest.raises(KeyError) as raised:
        compiled(3)
    assert raised.value.args == ("no", 3)


def test_a_result_of_another_type_says_what_came():
    @njit
    def f(kind):
        with objmode(first="unicode_type", y="float64[:]", n="int8"):
            first, y, n = "owned" + str(kind), np.ones(3), 1
            if kind == 1:
                y = np.ones(3) * 1j
            if kind == 2:
                y = None
            if kind == 3:
                n = object()
        return y.sum()

    assert f(0) == 3.0
    for kind, expected in (
        (1, r"`y` of an objmode block is declared to be array\(float64, 1d, A\) and is array\(complex128, 1d, C\)"),
        (2, r"`y` of an objmode block is declared to be array\(float64, 1d, A\) and is none"),
        (3, r"`n` of an objmode block is declared to be int8 and is an object of class 'object'"),
    ):
        with pytest.raises(TypeError, match=expected):
            f(kind)


def test_numbers_convert_as_those_of_arguments():
    @njit
    def f(x):
        with objmode(i=types.intp, d="float64", b="boolean"):
            i, d, b = 12.3, x, 1
        return i, d, b

    assert f(7) == (12, 7.0, True) and [type(value) for value in f(7)] == [int, float, bool]


def test_names_that_are_not_bound():
    @njit
    def f(x):
        with objmode(y="int64"):
            if x:
                y = x
        return y

    assert f(3) == 3
    with pytest.raises(UnboundLocalError, match="y"):
        f(0)


def one_error(function, *args):
    with pytest.raises(errors.NumbaError) as raised:
        njit(function)(*args)
    return raised.value


def test_what_is_refused():
    def early_break(x):
        for _ in range(3):
            with objmode():
                if x:
                    break
        return x

    def early_continue(x):
        for _ in range(3):
            with objmode():
                if x:
                    continue
                str(x)
            x += 1
        return x

    def early_return(x):
        with objmode(y="int64"):
            y = x
            if x:
                return y
        return y

    def yields(x):
        with objmode():
            yield x

    def missing(x):
        with objmode():
            t = {"a": x}
            u = 3
        return t, u

    def needless(x):
        with objmode(k="float64[:]"):
            str(x)
        return x

    def bound(x):
        with objmode() as y:
            str(y)
        return x

    for function, message, code in (
        (early_break, "`break` leaves an `objmode` block", "R0205"),
        (early_continue, "`continue` leaves an `objmode` block", "R0205"),
        (early_return, "`return` leaves an `objmode` block", "R0205"),
        (yields, "`yield` inside of an `objmode` block", "R0205"),
        (bound, "`with objmode(...) as` is not supported", "R0205"),
        (missing, "Missing type annotation on outgoing variable(s): ['t', 'u']", "R0206"),
        (needless, "Invalid type annotation on non-outgoing variables: ['k']", "R0206"),
    ):
        error = one_error(function, 1)
        assert message in str(error) and code in str(error), error
        assert "test_objmode.py:" in str(error)


def test_types_that_are_none():
    reflected = types.List(types.int64, reflected=True)

    def unknown_global(x):
        with objmode(val=not_there):  # noqa: F821
            val = x
        return val

    def unknown_attribute(x):
        with objmode(val=types.THIS_IS_NO_TYPE):
            val = x
        return val

    def no_type(x):
        with objmode(val=1 + 1):
            val = x
        return val

    def no_name(x):
        with objmode(val="int65"):
            val = x
        return val

    def of_a_variable(x):
        ty = gv_type
        with objmode(val=ty):
            val = x
        return val

    def copied(x):
        with objmode(val=reflected):
            val = [x]
        return val

    for function, message in (
        (unknown_global, "Error handling objmode argument 'val'. Global 'not_there' is not defined."),
        (unknown_attribute, "Error handling objmode argument 'val'. Getattr cannot be resolved at compile-time"),
        (no_type, "Error handling objmode argument 'val'. The value must be a compile-time constant"),
        (of_a_variable, "Error handling objmode argument 'val'. The value must be a compile-time constant"),
        (no_name, "Error handling objmode argument 'val'. 'int65' is no type"),
        (copied, "Argument 'val' is declared as an unsupported type: reflected list(int64)"),
    ):
        assert message in str(one_error(function, 1))


def test_what_python_code_cannot_be_given():
    def of_a_set(x):
        items = {x}
        with objmode():
            items.add(2)
        return len(items)

    def of_an_iterator(x):
        items = zip(range(x), range(x))
        with objmode():
            str(items)
        return x

    for function, message in ((of_a_set, "`items` is reflected set(int64)"), (of_an_iterator, "`items` is zip(")):
        error = one_error(function, 1)
        assert message in str(error) and "R0311" in str(error)

    @njit
    def of_a_dict(d):
        with objmode():
            d[2] = 3
        return d[2]

    with pytest.raises(TypeError, match="pass a container of rumba.typed"):
        of_a_dict({1: 2})


def test_lists_are_changed_in_it():
    def own(n):
        items = [n]
        alias = items
        total = 0
        for i in range(4):
            with objmode(total="int64"):
                items.append(i * 10)
                assert alias is items
                items[0] = i
                total += sum(alias)
            items.append(len(alias))
        return items, total

    def texts(words):
        with objmode():
            words.extend(["x" * 3, words[0] + "!"])
            del words[0]
        words.append(words[-1] + "?")
        return len(words)

    def emptied(n):
        pairs = [(n, 1.5), (n + 1, 2.5)]
        with objmode(first="int64"):
            first = pairs[0][0]
            pairs.clear()
        pairs.append((first, 0.5))
        return pairs

    agrees(own, 3)
    agrees(emptied, 4)
    given, expected = ["a", "b"], ["a", "b"]
    kept = given[1]
    assert njit(texts)(given) == texts(expected) and given == expected and given[0] is kept

    @njit
    def fails(items):
        try:
            with objmode():
                items.append(1)
                raise KeyError
        except KeyError:
            items.append(2)
        with objmode():
            items.append("text")

    items = [0]
    with pytest.raises(TypeError):
        fails(items)
    assert items[:3] == [0, 1, 2]


def test_a_dict_of_compiled_code_is_shared():
    @njit
    def f(n):
        d = {n: 1.5}
        with objmode():
            d[n + 1] = 2.5
        return d[n + 1] + len(d)

    assert f(3) == 4.5


def test_a_block_runs_without_the_compiler_as_it_is():
    with objmode(x="int64"):
        x = 1
    with rumba.objmode:
        x += 1
    assert x == 2 and repr(objmode) == "objmode"
    with pytest.raises(ValueError, match="positional"):
        objmode("int64")


def test_random_generators_that_python_makes():
    make = rumba.typed_call(lambda seed: np.random.default_rng(seed), types.FunctionType(types.npy_rng(types.int64)).signature)
    make_two = rumba.typed_call(lambda seed: (np.random.default_rng(seed), np.random.default_rng(seed + 1)),
                                types.FunctionType(types.UniTuple(types.npy_rng, 2)(types.int64)).signature)

    @njit
    def one(seed):
        return make(seed).random(2)

    @njit
    def two(seed):
        first, second = make_two(seed)
        return first, second.random()

    assert one(3).tobytes() == np.random.default_rng(3).random(2).tobytes()
    for _ in range(20):
        first, number = two(3)
        assert first.random() == np.random.default_rng(3).random() and number == np.random.default_rng(4).random()


def test_functions_of_a_declared_type():
    calls = []

    @rumba.python("float64(float64, int64)")
    def plain(x, n):
        """What it does."""
        calls.append((x, n))
        return x ** n

    backwards = rumba.typed_call(lambda a: a[::-1] * 2, "float64[:](float64[:])")
    method = rumba.typed_call(calls.append, "void(unicode_type)")
    partial = rumba.typed_call(functools.partial(max, 3), types.int64(types.int64))

    @njit
    def f(a, x):
        method("called")
        return plain(x, 2) + backwards(a).sum() + partial(int(x))

    assert f(np.arange(4.0), 3) == 9 + 12 + 3
    assert calls == ["called", (3.0, 2)] and type(calls[1][0]) is float
    assert plain(2.0, 3) == 8.0 and plain.__doc__ == "What it does."
    wrong = rumba.typed_call(str, "int64(int64)")
    with pytest.raises(TypeError, match="`str` is declared to return int64 and returned unicode_type"):
        njit(lambda x: wrong(x))(1)
    with pytest.raises(errors.TypingError, match="mismatch of arguments number"):
        njit(lambda x: plain(x))(1.0)
    with pytest.raises(errors.TypingError, match="mismatch of argument types"):
        njit(lambda x: plain(x, 1))("text")
    with pytest.raises(TypeError, match="does not say what the function returns"):
        rumba.typed_call(str, "(int64,)")


def test_typed_containers_are_shared():
    from rumba.numba.typed import List

    @njit
    def f(items):
        with objmode(n="int64"):
            items.append(7)
            n = len(items)
        return n + items[-1]

    items = List([1, 2])
    assert f(items) == 10 and list(items) == [1, 2, 7]


def test_typed_containers_come_out():
    from rumba.numba.typed import Dict, List

    dict_type, list_type = types.DictType(types.unicode_type, types.int64), types.ListType(types.int64)

    @njit
    def f(x):
        with objmode(d=dict_type, items=list_type):
            d = Dict.empty(types.unicode_type, types.int64) if x else {"a": 1}
            d["a"] = x
            items = List([x, 2])
        d["b"] = 2
        return d["a"] + len(d) + items[0] + len(items)

    assert f(5) == 14
    with pytest.raises(TypeError, match="`d` of an objmode block is declared to be DictType"):
        f(0)


def test_without_the_gil():
    import threading

    @njit(nogil=True)
    def f(x):
        total = 0
        for i in range(200):
            with objmode(y="int64"):
                y = len(str(i)) + x
            total += y
        return total

    f(1)
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [f(2)] * 4


def test_in_parallel_loops():
    from rumba import prange

    @njit(parallel=True)
    def f(n, without):
        total = 0
        for i in prange(n):
            with objmode(y="int64"):
                y = len(str(i)) + 10 // (i - without)
            total += y
        return total

    assert f(200, -1) == sum(len(str(i)) + 10 // (i + 1) for i in range(200))
    with pytest.raises(ZeroDivisionError):
        f(200, 50)


def test_references_and_memory():
    kept, texts = object(), []

    @njit
    def f(a, s, kind):
        own = a * 2
        t = s + "!"
        try:
            with objmode(b="float64[:]", u="unicode_type"):
                b, u = own[1:], t * 2
                texts.append(kept)
                texts.clear()
                if kind == 1:
                    raise KeyError(kind)
                if kind == 2:
                    b = 1j
                if kind == 3:
                    u = kept
        except KeyError:
            return own, t
        return b, u + t

    def run(kind):
        with contextlib.suppress(TypeError):
            return f(array, "text" * 3, kind)

    array = np.arange(50.0)
    for kind in range(4):
        run(kind)
    gc.collect()
    counts = [sys.getrefcount(array), sys.getrefcount(kept)]
    before = rtsys.get_allocation_stats()
    for _ in range(50):
        for kind in range(4):
            run(kind)
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert [sys.getrefcount(array), sys.getrefcount(kept)] == counts
    assert after.alloc - before.alloc == after.free - before.free > 0


@njit(cache=True)
def cached(x):
    with objmode(y="float64"):
        y = float(str(x))
    return y / 2


def test_cached_functions():
    assert cached(3) == 1.5
    again = njit(cache=True)(cached.py_func)
    assert again(5) == 2.5 and sum(again.stats.cache_hits.values()) == 1


def test_code_without_source():
    namespace = {"objmode": objmode, "njit": njit}
    exec("@njit\ndef f(x):\n  with objmode(y='int64'):\n    y = x + 1\n    if y > 5:\n      y = [y][1]\n  return y\n",
         namespace)
    assert namespace["f"](1) == 2
    with pytest.raises(IndexError) as raised:
        namespace["f"](9)
    assert traceback.extract_tb(raised.value.__traceback__)[-1].lineno == 6


def test_a_function_that_is_always_left_by_an_exception():
    @njit
    def f(x):
        if x:
            with objmode():
                raise RuntimeError("always")
        return 1

    assert f(0) == 1
    with pytest.raises(RuntimeError, match="always"):
        f(1)


def test_a_block_within_a_block_is_python_code():
    def f(x):
        with objmode(y="int64"):
            with objmode(z="float64"):
                z = x + 1
            y = z * 2
        return y

    agrees(f, 3)


def test_assignments_to_variables_of_the_function_around():
    def f(x):
        k = 1

        def inner():
            nonlocal k
            with objmode():
                k = x
            return k

        return inner() + k

    assert "assigns to a variable of the function around" in str(one_error(f, 1))


def test_a_function_whose_block_refers_to_it_is_freed():
    def recursive():
        @njit
        def f(x):
            with objmode(y="int64"):
                y = 0 if x <= 0 else f(x - 1) + 1
            return y

        assert f(3) == 3
        return weakref.ref(f), weakref.ref(f.py_func)

    found = recursive()
    gc.collect()
    assert [ref() for ref in found] == [None, None]


class Counter:
    """An object of a class that compiled code knows nothing of."""

    def __init__(self):
        self.count = 0


def test_objects_are_kept_between_blocks():
    @rumba.python("pyobject(int64)")
    def made(n):
        return [n, None, Counter()][n]

    told = []
    tell = rumba.typed_call(told.append, "void(pyobject)")

    @njit
    def counted(n):
        with objmode(counter="pyobject", text="unicode_type"):
            counter, text = Counter(), "counted"
        for i in range(n):
            with objmode():
                counter.count += i
        with objmode(total="int64"):
            total = counter.count
        tell(counter)
        return counter, (text, total, counter)

    counter, (text, total, again) = counted(4)
    assert (text, total, type(counter)) == ("counted", 6, Counter) and counter is again is told[0]

    @njit
    def chosen(n, last):
        found = made(0)
        if n > 0:
            found = made(n)
        if last:
            tell(found)
        return found

    assert chosen(0, False) == 0 and chosen(1, True) is None and type(chosen(2, True)) is Counter
    assert told[1] is None and type(told[2]) is Counter

    @njit
    def through(n):
        return counted(n)[0], made(1)

    assert through(3)[0].count == 3


def test_objects_as_arguments():
    @njit("pyobject(pyobject, int64)")
    def f(o, n):
        with objmode(m="int64"):
            m = len(o)
        return o if m > n else o

    for value in ([1, 2], {"a": 1}, (1, "x"), "text", np.ones(3), bytearray(b"abc")):
        assert f(value, 1) is value
    with pytest.raises(TypeError, match=r"object of type 'Counter' has no len\(\)"):
        f(Counter(), 1)
    with pytest.raises(TypeError, match="No matching definition"):
        f([1], "text")

    @njit(types.Tuple((types.pyobject, types.int64))(types.pyobject))
    def pair(o):
        return o, 3

    kept = Counter()
    assert pair(kept)[0] is kept and pair(2**80) == (2**80, 3) and pair(None) == (None, 3)


def test_what_only_python_knows_of_objects_is_refused():
    def is_none(o):
        return o is None

    def truth(o):
        return 1 if o else 2

    def attribute(o):
        return o.count

    def compared(o):
        return o == o

    def instance(o):
        return isinstance(o, int)

    def called(o):
        return callable(o)

    def stored(o):
        return [o]

    def added(o):
        return o + 1

    for function in (is_none, truth, attribute, compared, instance, called, stored, added):
        with pytest.raises(errors.NumbaError, match="pyobject"):
            njit(types.Tuple(())(types.pyobject))(function)


def test_references_of_objects():
    kept = Counter()
    failing = rumba.typed_call(lambda o: [][1], "void(pyobject)")

    @njit
    def f(kind):
        with objmode(o="pyobject", other="pyobject"):
            o, other = kept, Counter()
        pair = (o, other)
        for i in range(3):
            with objmode(o="pyobject"):
                o = [kept, other][i % 2]
                if kind == 1 and i == 2:
                    raise KeyError(kind)
                if kind == 2 and i == 1:
                    del o
        try:
            if kind == 3:
                failing(o)
        except IndexError:
            return pair[0]
        if kind == 4:
            raise ValueError("of compiled code")
        return o

    @njit("pyobject(pyobject, int64)")
    def g(o, kind):
        p = o
        for _ in range(3):
            with objmode(p="pyobject"):
                p = [p, o][0]
        if kind:
            raise ValueError(kind)
        return p

    def run():
        for kind in range(5):
            with contextlib.suppress(KeyError, UnboundLocalError, ValueError):
                f(kind)
            with contextlib.suppress(ValueError):
                g(kept, kind % 2)

    run()
    gc.collect()
    count, alive = sys.getrefcount(kept), len([o for o in gc.get_objects() if type(o) is Counter])
    before = rtsys.get_allocation_stats()
    for _ in range(200):
        run()
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(kept) == count
    assert len([o for o in gc.get_objects() if type(o) is Counter]) == alive
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_errors_in_blocks_of_callees_are_typing_errors():
    def made():
        missing = types.float64[:]

        def inner():
            with objmode(out=missing):
                out = np.arange(3.0)
            return out

        del missing
        return inner

    inner = njit(made())
    with pytest.raises(errors.CompilerError, match="Freevar 'missing' is not defined"):
        inner()
    with pytest.raises(errors.TypingError, match="Freevar 'missing' is not defined"):
        njit(lambda: inner())()


def test_lists_are_no_types_of_variables_of_blocks():
    @njit
    def f():
        with objmode(y="List(int64)"):
            y = [1, 2, 3]
        return y

    with pytest.raises(errors.TypingError, match="Does not support list type: argument 'y' is declared as"):
        f()


def test_more_variables_than_a_call_has_room_for():
    @njit
    def many():
        with objmode(v0='int64', v1='int64', v2='int64', v3='int64', v4='int64', v5='int64', v6='int64', v7='int64', v8='int64',
                     v9='int64', v10='int64', v11='int64', v12='int64', v13='int64', v14='int64', v15='int64', v16='int64', v17='int64'):
            (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17) = range(18)
        return v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17

    assert many() == sum(range(18))


def test_loops_and_conditions_at_the_end_of_a_block():
    def first(x):
        with objmode(a="int64"):
            a = 0
            for i in range(5):
                if i == x:
                    break
                if i == x + 1 and x or i > 40:
                    continue
                a += i
            else:
                a += 7
            while a < 30 and x < 9:
                a += 4
                if a == 20:
                    break
        return a

    for x in (1, 3, 9):
        agrees(first, x)
