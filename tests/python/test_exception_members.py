"""What exceptions have besides their arguments: attributes that are assigned, notes, methods and properties of their classes."""
import sys

import numpy as np
import pytest

from exception_outcomes import same
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError


class Counted(RuntimeError):
    """A class with all kinds of members."""

    kind = "counted"
    levels = (1, 2.5, "x")
    limit = None

    def __init__(self, n, text="t"):
        super().__init__(n, text)
        self.n = n
        self.text = text

    def bump(self, by=1, *, times=1):
        for _ in range(times):
            self.n += by
        return self.n

    def twice(self):
        return self.n * 2

    def name(self):
        return "counted"

    def less(self, other):
        return self.n < other.n

    @property
    def half(self):
        return self.n / 2

    @property
    def value(self):
        return self.n

    @value.setter
    def value(self, value):
        self.n = value * 10

    @classmethod
    def following(cls, n):
        return cls(n + 1)

    @staticmethod
    def added(a, b):
        return a + b

    def __str__(self):
        return f"<{self.n}:{self.text}>"


class Special(Counted):
    """One that overrides."""

    kind = "special"

    def twice(self):
        return super().twice() + 1

    def name(self):
        return "special"


def test_methods_and_properties():
    def methods(n):
        try:
            raise Counted(n)
        except Counted as e:
            first, second = e.bump(), e.bump(2, times=3)
            return first, second, e.n, e.twice(), str(e)

    def properties(n):
        try:
            raise Counted(n)
        except Counted as e:
            before = e.half
            e.value = 7
            return before, e.n, e.value

    def of_class(n):
        e = Counted.following(n)
        return e.n, e.args, e.added(1, 2), Counted.added(3, 4), Counted.kind, e.kind, e.levels, e.limit

    def inherited(n):
        try:
            raise Special(n)
        except Counted as e:
            return e.twice(), e.half, e.kind, e.bump()

    def two(n):
        return Counted(n).less(Counted(n + 1)), Counted(n).less(Counted(n))

    def raised_again(n):
        try:
            raise Counted(n)
        except Counted as e:
            e.bump(5)
            raise

    for function in (methods, properties, of_class, inherited, two, raised_again):
        same(function, (5,), (-1,))


def test_classes_that_differ_are_told_apart():
    def by_clause(n):
        found = []
        for i in range(n):
            try:
                if i % 2:
                    raise Counted(i)
                raise Special(i)
            except Special as e:
                found.append((e.kind, e.twice()))
            except Counted as e:
                found.append((e.kind, e.twice()))
        return found

    def together(n):
        try:
            if n:
                raise Counted(n)
            raise Special(n)
        except Counted as e:
            return e.twice()

    same(by_clause, (4,), (1,))
    with pytest.raises(TypingError, match="different members `twice`"):
        njit(together)(1)


def test_a_class_that_inference_does_not_know_is_no_wrong_answer():
    def fail(special):
        raise Special(3) if special else Counted(3)

    from rumba import objmode

    @njit
    def method(special):
        try:
            with objmode():
                fail(special)
            return ""
        except Counted as e:
            return e.name()

    assert method(False) == "counted"
    with pytest.raises(TypeError, match="of a class that the function was not compiled for"):
        method(True)


def test_attributes_are_assigned():
    def known(n):
        e = Counted(n)
        e.n = n + 2
        return e.n, e.twice(), str(e)

    def new(n):
        e = ValueError("a")
        e.where, e.count, e.pair, e.array = "here", n, (1, "x"), np.arange(n)
        return e.where, e.count, e.pair, e.array.tolist()

    def leaves(n):
        e = ValueError("a")
        e.code = (n, "x", 2.5, None)
        raise e

    def added_up(n):
        e = ValueError("a")
        e.count = 0
        for i in range(n):
            e.count += i
        return e.count

    def arguments(n):
        e = ValueError("a", n)
        e.args = ("b",)
        return str(e), e.args

    def later(n):
        try:
            try:
                raise KeyError(n)
            except KeyError as e:
                e.extra = n * 2
                raise
        except KeyError as e:
            return e.extra

    def kept(n):
        last = None
        for i in range(n):
            try:
                if i:
                    raise Counted(i)
            except Counted as e:
                last = e
        if last is not None:
            return last.bump(), last.n, last.kind
        return 0, 0, ""

    def listed(n):
        found = [Counted(i) for i in range(n)]
        for e in found:
            e.bump(10)
        return [e.n for e in found]

    for function in (known, new, leaves, added_up, arguments, later, kept, listed):
        same(function, (3,), (0,))


def test_notes():
    def read(n):
        try:
            try:
                raise ValueError("x")
            except ValueError as e:
                e.add_note("one" * n)
                raise
        except ValueError as e:
            e.add_note("two")
            total = 0
            for note in e.__notes__:
                total += len(note)
            return total, len(e.__notes__), e.__notes__[0], e.__notes__

    def leaves(n):
        try:
            raise ValueError("x")
        except ValueError as e:
            e.add_note("one" * n)
            raise KeyError(n) from e

    def without(n):
        try:
            raise ValueError(n)
        except ValueError as e:
            return e.__notes__

    for function in (read, leaves, without):
        same(function, (2,), (0,))


def test_hasattr_and_getattr():
    def asked(n):
        e = Counted(n)
        return hasattr(e, "n"), hasattr(e, "nope"), hasattr(e, "args"), hasattr(e, "twice"), hasattr(e, "__notes__")

    def read(n):
        e = Counted(n)
        return getattr(e, "n"), getattr(e, "bump")(4), getattr(e, "nope", None), getattr(e, "n", 3), getattr(e, "args")

    def guarded(n):
        e = Counted(n)
        return e.n if hasattr(e, "n") else 0

    for function in (asked, read, guarded):
        same(function, (3,))


def test_attributes_that_only_some_classes_have():
    @njit
    def raised(n):
        if n == 0:
            raise Counted(3, "three")
        if n == 1:
            raise OSError(2, "two")
        raise ValueError("x")

    def read(n):
        try:
            raised(n)
        except Exception as e:
            return e.text

    def absent(n):
        try:
            raised(n)
        except Exception as e:
            try:
                return e.n
            except AttributeError as error:
                return -len(str(error))

    def defaults(n):
        try:
            raised(n)
        except Exception as e:
            return getattr(e, "text", "none"), getattr(e, "n", None), getattr(e, "errno", -1), hasattr(e, "n")

    def assigned(n):
        try:
            raised(n)
        except Exception as e:
            before = getattr(e, "text", "none")
            if n:
                e.text = "set"
            return before, getattr(e, "text", "none")

    for function in (read, absent, defaults, assigned):
        same(function, (0,), (1,), (2,))


def test_defaults_of_other_types():
    @njit
    def mixed(n):
        try:
            if n:
                raise Counted(n)
            raise ValueError("x")
        except Exception as e:
            return getattr(e, "text", 5)

    with pytest.raises(TypingError, match="the attribute is unicode_type, the default int64"):
        mixed(1)


def test_what_builtin_classes_have():
    def undecodable(data):
        try:
            return data.decode("utf8")
        except UnicodeDecodeError as e:
            return f"{e.start} {e.end} {e.reason} {e.encoding} {e.object == data}"

    def unencodable(text):
        try:
            return len(text.encode("ascii"))
        except UnicodeEncodeError as e:
            return e.start + 10 * e.end + 100 * len(e.object)

    def named(n):
        found = []
        try:
            raise NameError("x", name="q")
        except NameError as e:
            found.append(f"{e} {e.name} {e.args}")
        try:
            raise ImportError("x", name="q", path="p")
        except ImportError as e:
            found.append(f"{e} {e.name} {e.path} {e.msg}")
        try:
            raise AttributeError("x")
        except AttributeError as e:
            found.append(f"{e} {e.name} {e.obj}")
        return found

    def lists(n):
        try:
            raise ValueError([1, n], 2)
        except ValueError as e:
            return e.args

    def empty(n):
        d = {}
        try:
            d[n]
        except KeyError as e:
            return e.args

    same(undecodable, (b"\xff",), (b"abc",), (b"ab\xc3",))
    same(unencodable, ("é",), ("abcé",))
    for function in (named, lists, empty):
        same(function, (3,))


def test_no_reference_is_lost():
    @njit
    def assigned(array, n):
        e = Counted(n)
        e.array, e.text = array, "text" * n
        return e.array.sum(), e.text, e

    array = np.arange(100.0)
    before = sys.getrefcount(array)
    for _ in range(10):
        assigned(array, 3)
    assert sys.getrefcount(array) == before


def test_generators_are_compared_by_identity():
    def compared(n):
        def numbers():
            yield n
            yield n + 1

        a, b = numbers(), numbers()
        first, c = a is b, a
        return first, c is a, a is not b, next(c), next(a), next(b)

    same(compared, (1,))


def test_exception_groups_are_refused():
    @njit
    def groups(n):
        raise ExceptionGroup("several", [ValueError(n)])

    with pytest.raises(TypingError, match="compiled code has no exception groups"):
        groups(1)


def test_isinstance_narrows_an_exception():
    def code(x):
        try:
            if x > 1:
                raise Counted(x)
            if x:
                raise ValueError("small", x)
            raise KeyError("none")
        except Exception as error:
            if isinstance(error, Counted):
                return error.n
            if isinstance(error, (ValueError, ZeroDivisionError)) and error.args[1] == x:
                return 10 * error.args[1]
            return -1 if isinstance(error, KeyError) else -2

    def conditional(x):
        try:
            if x:
                raise Counted(x)
            raise IndexError("i")
        except (Counted, IndexError) as error:
            return str(error.n) if isinstance(error, Counted) else error.args[0]

    def excluded(x):
        try:
            if x:
                raise Counted(x)
            raise IndexError("i")
        except Exception as error:
            if not isinstance(error, IndexError):
                return error.n
        return 0

    same(code, (0,), (1,), (5,))
    same(conditional, (0,), (3,))
    same(excluded, (0,), (3,))
    shadowed = 3

    def named(x):
        def isinstance(error, kind):
            return shadowed > 2
        try:
            raise IndexError(x)
        except IndexError as error:
            if isinstance(error, KeyError):
                return error.args[0]
        return 0

    same(named, (7,))
