"""`literal_unroll`: loops written out for the items of tuples and of lists of constants."""
import pytest

from rumba import errors, njit, intrinsics, types
from rumba.extending import overload
from rumba.intrinsics import literal_unroll, literally
from support import forgotten_overloads


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


class TestUnroll:
    def test_items_of_several_types(self):
        def first(x):
            raise NotImplementedError

        overload(first)(lambda x: (lambda x: x[0]) if isinstance(x, types.BaseTuple) else (lambda x: x))

        @njit
        def f(t):
            total = 0.0
            for x in literal_unroll(t):
                total += first(x)
            return total

        assert f((1, 2.5, (3, 4), (5.5,))) == 12.0

    def test_breaks_continues_else_and_values_behind_the_loop(self):
        def f(t, stop):
            seen, last, n = (), -1, 0
            for x in literal_unroll(t):
                if x == 0:
                    continue
                n += 1
                if x == stop:
                    last = n * 100
                    break
                last = n
            else:
                n += 1000
            return last, n

        compiled = njit(f)
        for t in ((1, 2.5, 0, 3), (0, 1.5), (), (True, 2)):
            for stop in (2.5, 3, 99):
                assert compiled(t, stop) == f(t, stop), (t, stop)

    def test_the_variable_behind_the_loop_is_the_last_item(self):
        def f(t):
            for x in literal_unroll(t):
                pass
            return x

        assert njit(f)((1, 2, 7)) == 7
        with pytest.raises(UnboundLocalError):
            njit(f)(())

    def test_nested_and_one_after_the_other(self):
        def f(a, b):
            total = 0
            for x in literal_unroll(a):
                for y in literal_unroll(b):
                    for i in range(2):
                        total += x * y + i
                if total > 100:
                    return total
            for z in literal_unroll(b):
                total -= z
            return total

        compiled = njit(f)
        for a, b in (((1, 2.5), (3, 4.5)), ((1, 200), (2, True, 1.5)), ((), (1,)), ((1,), ())):
            assert compiled(a, b) == f(a, b)

    def test_a_loop_that_never_repeats(self):
        def f(t):
            for x in literal_unroll(t):
                return x
            return -1

        assert (njit(f)((5, (1, 2))), njit(f)(())) == (5, -1)

    def test_literal_items_stay_literal(self):
        @njit
        def f(t):
            total = 0
            for i in literal_unroll((0, 2)):
                total += t[i]
            return total

        assert f((1, (2, 3), 10.5)) == 11.5

    def test_overloads_and_literals_in_the_body(self):
        def size(x):
            raise NotImplementedError

        @overload(size)
        def size_of(x):
            count = len(x) if isinstance(x, types.BaseTuple) else 1
            return lambda x: count

        @njit
        def f(t, k):
            total = 0
            for x in literal_unroll(t):
                total += size(x) * literally(k)
            return total

        assert f((1, (2, 3), (4, 5, 6), 2.5), 10) == 70

    def test_places_of_a_tuple(self):
        def f(z):
            t = (12, 12.7, 3j, z, (1, 2)[0])
            total = 0
            for i in range(len(literal_unroll(t))):
                if i == 4:
                    break
                total += t[i] * i
            return total

        assert njit(f)(9) == f(9)

    def test_mixed_constants(self):
        def f(z):
            total = 0
            for x in literal_unroll(("a", 1, 2.5, "b", z, (1, 2))):
                if isinstance(x, str):
                    if x == "a":
                        total += 10
                elif isinstance(x, tuple):
                    total += x[1]
                else:
                    total += x
            return total

        assert njit(f)(9) == f(9)

    def test_elsewhere_it_is_refused(self):
        @njit
        def f(t):
            u = literal_unroll(t)
            return u

        with pytest.raises(errors.UnsupportedError, match="the iterable of one `for` loop"):
            f((1, 2))
        with pytest.raises(errors.UnsupportedError, match="with a function argument that is int64"):
            f(1)

    def test_lists_of_constants(self):
        def f(z):
            total = 0
            names = ["one", 2, 0.5, None, -3, (1, "x")]
            for x in literal_unroll(names):
                if isinstance(x, str):
                    total += len(x)
                elif isinstance(x, tuple):
                    total += x[0]
                elif x is not None:
                    total += x * z
            places = [1, 2.5, 4j]
            for i in range(len(literal_unroll(places))):
                total += places[i]
            for x in literal_unroll([5, 6]):
                total += x
            for x in intrinsics.literal_unroll([True, "y"]):
                total += x is True
            return total + names[1], x

        assert njit(f)(9) == f(9)

    def test_lists_that_are_refused(self):
        def of_argument(x):
            for i in literal_unroll(x):
                pass

        def with_a_variable(x):
            for i in literal_unroll([10, x]):
                pass

        def sliced(x):
            y = [1, 2, 3]
            for i in literal_unroll(y[:2]):
                pass

        def changed(x):
            y = [1, 2, 3]
            for i in literal_unroll(y):
                pass
            y.append(4)

        def text(x):
            for i in literal_unroll("abc"):
                pass

        def two(x):
            for i in literal_unroll((1, 2), (3, 4)):
                pass

        for function, argument, kind, message in (
            (of_argument, [1, 2], errors.UnsupportedError, "literal_unroll with a function argument"),
            (with_a_variable, 1, errors.UnsupportedError, "Found non-constant value at position 1 in a list argument"),
            (sliced, 1, errors.UnsupportedError, "should be a tuple or a list of constant values"),
            (changed, 1, errors.TypingError, "Unknown attribute 'append' of type UniTuple"),
            (text, 1, errors.UnsupportedError, "should be a tuple or a list of constant values"),
            (two, 1, errors.UnsupportedError, "literal_unroll takes one argument, found 2"),
        ):
            with pytest.raises(kind) as raised:
                njit(function)(argument)
            assert message in str(raised.value), function

    def test_loops_that_always_leave_inside_loops_that_are_written_out(self):
        def f(p):
            for x in (p, (p[1], ["a"])):
                for a, b in ((p, 1), (p, 2.5)):
                    raise KeyError("a")
                else:
                    break
            return 1

        with pytest.raises(KeyError, match="a"):
            njit(f)((1, ["a"]))

    def test_loops_inside_that_lead_out(self):
        def returned(n):
            for k, name in ((1, "a"), (0, "bb"), (2.5, "c")):
                for y in (x * k for x in range(4)):
                    if y > n:
                        return f"{name}{int(y)}"
            return "none"

        def broken(n):
            total = 0.0
            for k, name in ((1, "a"), (0, "bb"), (2.5, "c")):
                for y in (x * k for x in range(4)):
                    if y > n:
                        total = y
                        break
                else:
                    continue
                total += len(name)
                break
            else:
                return -1.0
            return total

        def raised(n):
            try:
                for k, name in ((1, "a"), (0, "bb"), (2.5, "c")):
                    for c, x in ((c, k) for c in name * 2):
                        if x > n:
                            raise KeyError(name)
            except KeyError as error:
                return str(error)
            return "none"

        for function in (returned, broken, raised):
            for n in (0, 1, 2, 5, 9):
                assert njit(function)(n) == function(n), (function, n)

    def test_in_python_it_is_nothing(self):
        assert list(literal_unroll((1, 2))) == [1, 2]

    def test_generators_of_several_types_are_closed_behind_the_loop(self):
        """As generators of one type are. Python closes the last of them later, as the variable still names it."""
        @njit
        def noted(log, x):
            try:
                yield x
            finally:
                log.append(-x)

        @njit
        def whole(log):
            for generator in [noted(log, 1), noted(log, 2.5)]:
                log.append(next(generator) * 10)
            log.append(100)
            return log

        @njit
        def broken(log):
            for generator in (noted(log, 1), noted(log, 2.5), noted(log, 3)):
                log.append(next(generator) * 10)
                if len(log) > 1:
                    break
            log.append(100)
            return log

        assert whole([0.5]) == [0.5, 10, 25, -1, -2.5, 100]
        assert broken([0.5]) == [0.5, 10, -1, 100]
