"""Ordinary functions that `test_execute.py` runs twice: `CASES` pairs each with argument lists."""
import contextlib
import dataclasses
import io

CASES = []


def case(*calls):
    """Registers a function with the argument tuples it is called with."""

    def register(function):
        CASES.append((function, calls))
        return function

    return register


LIMIT = 10


class Point:
    """A class with positional patterns."""

    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    __hash__ = None

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Manager:
    """Records how it is entered and left; suppresses the exceptions that it is set to suppress."""

    def __init__(self, log, swallow=()):
        self.log, self.swallow = log, swallow

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(("exit", kind and kind.__name__, str(value), traceback is not None))
        return kind is not None and issubclass(kind, self.swallow)


# ---- arithmetic, comparisons, branches, loops ----


@case((7, 3), (-7, 3), (7.5, -2), (7, 0), ("a", 3))
def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a ** b, -a, +a


@case((12, 10), (-1, 3), (1.5, 1))
def bits(a, b):
    return a & b, a | b, a ^ b, a << b, a >> b, ~a


@case(([1], [2]), (3, 4), ((1,), (2,)), ({1}, {2}))
def in_place(a, b):
    c = a
    a += b
    a *= 2
    return a, c, c is a


@case((1, 2, 3), (3, 2, 1), (2, 2, 2), (1, "a", 2))
def chained(a, b, c):
    return a < b < c, a == b == c, a < b > c, not a <= b, a != b is not c


@case((0, 5), (5, 0), ("", None), ([], "x"))
def boolean(a, b):
    return a and b, a or b, not a, a and b or 7, bool(a if b else not b)


@case((10,), (0,), (1,), (-3,))
def sums(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 7:
            break
        total += i
    else:
        total = -total
    return total


@case((27,), (1,), (12,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 1000:
            break
    else:
        return steps, "end"
    return steps


@case((20,))
def primes(n):
    found = []
    for candidate in range(2, n):
        for divisor in found:
            if candidate % divisor == 0:
                break
        else:
            found.append(candidate)
    return found


@case(([3, 1, 2],), ([],), ("hello",), (5,))
def walrus(items):
    if (n := len(items)) > 2:
        return n, [y for x in items if (y := x * 2)], y
    return n


@case((3,), (10,), (0,))
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@case((None,), (0,), ("x",))
def nothing(value):
    if value is None:
        return "none"
    if value is not None and value in (0, 1):
        return "zero or one"
    return value not in {"x": 1}


@case((1,), (100,), ("a",))
def constants(x):
    return (1, 2.5, 3j, "text", b"bytes", None, ..., True, 2 ** 70, -(2 ** 70), "\ud800",
            x in {1, "a", 3}, x in ("a", 100), -0.0, 1e400)


@case((3,))
def iterator_loses_its_next(n):
    class Odd:
        def __iter__(self):
            return self

        def __next__(self):
            del Odd.__next__
            return n
    for _ in Odd():
        pass


# ---- names ----


@case((1,), (0,), (-1,))
def unbound(x):
    if x > 0:
        y = x
    elif x < 0:
        del x
        return x
    return y


@case((3,), (0,))
def loop_variable(n):
    for i in range(n):
        pass
    return i


@case((1,))
def deleted(x):
    y = x
    del y
    try:
        return y
    except UnboundLocalError as error:
        return str(error)


@case(())
def missing_global():
    return no_such_name  # noqa: F821


@case(())
def uses_globals():
    global LIMIT
    before = LIMIT
    LIMIT = 11
    try:
        return before, LIMIT, globals()["LIMIT"], len.__name__
    finally:
        LIMIT = before


@case(())
def deletes_global():
    global passing
    passing = 1
    del passing
    del passing


@case((5,))
def counter(start):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step(), step(2), step(by=3), count


@case((1,), (0,))
def empty_cell(flag):
    def show():
        return value

    if flag:
        value = 1
    return show(), value


@case((0,))
def empty_own_cell(flag):
    if flag:
        value = 1
    return value, lambda: value


@case((1,))
def deleted_cell(x):
    def read():
        return x

    first = read()
    del x
    try:
        read()
    except NameError as error:
        message = str(error)
    try:
        del x
    except NameError as error:
        return first, message, str(error), error.name


@case((4,))
def late_binding(n):
    return [f() for f in [lambda: i for i in range(n)]], [f() for f in [lambda i=i: i for i in range(n)]]


@case((3,))
def decorated(n):
    def twice(function):
        def call(*args, **kwargs):
            return function(*args, **kwargs), function(*args, **kwargs)
        return call

    @twice
    def inner(a, *, b: int = 2) -> int:
        return a + b + n

    return inner(1), inner(1, b=5)


@case(())
def annotated():
    def inner(a: int, b: "text" = 1, *, c: float = 2.0) -> str:  # noqa: F821
        """A text."""

    return (inner.__annotations__, inner.__defaults__, inner.__kwdefaults__, inner.__doc__,
            inner.__qualname__, inner.__module__)


# ---- containers ----


@case(([1, 2, 3],), ((),), ({"a": 1},), ("ab",), (3,))
def building(items):
    return [*items, 0, *items], (*items,), {*items, 1}, [0, *items][0], {"k": items, **{"j": 1}}


@case(({"a": 1}, {"b": 2}), ({"a": 1}, {"a": 2}), ({}, [("a", 1)]), ({}, 3))
def merging(a, b):
    return {**a, **b, "z": 1}, list({**b, **a})


@case(([1, 2],), ((1, 2, 3),), ("a",), (5,), (iter([1, 2]),), ({1: 2, 3: 4},), (None,))
def unpack_two(value):
    a, b = value
    return b, a


@case(([1, 2, 3, 4],), ((1, 2),), ("a",), (5,), (range(3),), ([],))
def unpack_star(value):
    first, *middle, last = value
    return first, middle, last


@case(([1, (2, [3, 4])],), ([1, (2,)],), ([1, 2],))
def unpack_nested(value):
    a, (b, [c, d]) = value
    (a, b), c = (b, a), [d, c]
    return a, b, c


@case(([],), ([1],), (3,))
def unpack_head(value):
    head, *tail = value
    *start, end = value
    return head, tail, start, end


@case(([3, 1, 2],), ((),))
def comprehensions(items):
    squares = [x * x for x in items]
    evens = {x for x in items if x % 2 == 0}
    table = {x: [y for y in range(x)] for x in items if x > 1}
    pairs = [(x, y) for x in items for y in items if x < y]
    return squares, evens, table, pairs, sum(x for x in items), [[x for x in items] for _ in items]


@case((5,))
def comprehension_scope(x):
    values = [x for x in range(3)]
    y = [x + z for z in values if z]
    return x, values, y


@case((2,))
def comprehension_unbound(n):
    a = [k for k in range(n)]
    try:
        return k  # noqa: F821
    except NameError as error:
        return a, type(error).__name__


@case((2,))
def comprehension_restores_unbound(n):
    if n > 2:
        k = 1
    a = [k for k in range(n)]
    return a, k


@case(([1, 2, 3, 4, 5],), ("abcdef",), ({},))
def slices(s):
    return s[1], s[-1], s[1:3], s[::2], s[:-1], s[2:], s[::-1]


@case(([1, 2, 3, 4],))
def slice_stores(s):
    s = list(s)
    s[1:3] = "xyz"
    s[0] += 10
    del s[-1]
    s[::2] = [0] * len(s[::2])
    del s[:1]
    return s


@case(({"a": [1, 2]}, "a"), ({}, "a"), ([1], 0), (None, 0))
def items(container, key):
    container[key] = container[key] * 2
    value = container[key]
    del container[key]
    return value, container


@case(((1, 2), 3))
def attributes(position, extra):
    point = Point(*position)
    point.x += 10
    point.z = extra
    del point.y
    try:
        return point.y
    except AttributeError as error:
        return point.x, point.z, str(error)


@case((5,))
def store_attribute_fails(x):
    x.name = 1


# ---- strings ----


@case((3.14159, "name"), (7, None))
def strings(value, name):
    width = 10
    return (f"{value}", f"{value!r:>{width}}", f"{name!s}-{name!a}", f"{value:.2f}|{value:{width}.3}",
            f"{{}}{value=}", "a" "b", f"", f"{'é'!a}", "%s %r" % (value, name))


@case((object(),), ([],), ("x",))
def bad_format(value):
    return f"{value:d}"


# ---- calls ----


def target(a, b=2, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs


@case(((1,), {"c": 3}), ((1, 2, 3), {"c": 1, "e": 5}), ((), {}), ((1,), {"a": 1, "c": 2}), (3, {"c": 1}),
      ((1,), 3), ([1, 2], {"c": 1}), ((1,), [("c", 2)]), ((1,), {1: 2}))
def calls(args, kwargs):
    return target(*args, **kwargs), target(0, *args, c=5), target(*args, c=1, d=2, z=3)


@case(({"c": 1},), ({"x": 1},), (5,))
def merged_keywords(extra):
    return target(1, c=3, **extra), target(1, **{"c": 1}, **{"d": 2})


@case((1,))
def wrong_calls(n):
    messages = []
    for attempt in (lambda: target(), lambda: target(1, c=1, a=2), lambda: n(), lambda: len(1, 2),
                    lambda: Point(1), lambda: [].append(), lambda: print(*n), lambda: print(**n)):
        try:
            attempt()
        except TypeError as error:
            messages.append(str(error))
    return messages


@case((3,))
def not_callable(n):
    return n(1)


@case(((1, 2),), (5,))
def star_not_iterable(n):
    return len(*n)


@case((1, 2), (1,), (), (1, 2, 3, 4))
def parameters(a, b=5, /, *rest):
    return a, b, rest


@case(([3, 1, 2],), ([],))
def methods(values):
    values = list(values)
    values.sort(reverse=True)
    text = ",".join(map(str, values)).replace("1", "one")
    return values, text.upper().split(","), sorted(values, key=lambda v: -v), max(values, default=None)


# ---- exceptions ----


@case((0,), (1,), (2,), (3,), (4,))
def handlers(n):
    log = []
    try:
        log.append("try")
        if n == 0:
            raise ValueError("zero")
        if n == 1:
            raise KeyError
        if n == 2:
            [][1]
        if n == 3:
            raise OSError(2, "nothing")
        log.append("body")
    except ValueError as error:
        log.append(("value", str(error)))
    except (KeyError, IndexError) as error:
        log.append((type(error).__name__, error.args))
    else:
        log.append("else")
    finally:
        log.append("finally")
    log.append("end")
    return log


@case((0,), (1,), (2,), (3,))
def finally_wins(n):
    for i in range(3):
        try:
            if n == 0:
                return "try"
            if n == 1:
                raise ValueError
            if n == 2:
                continue
        finally:
            if i == 1:
                break
    return i


@case((0,), (1,))
def finally_returns(n):
    try:
        return 1 // n
    finally:
        return "finally"  # noqa: B012


@case((1,), (0,), ("a",))
def nested_handlers(n):
    try:
        try:
            return 1 / n
        except ZeroDivisionError as error:
            raise ValueError("inner") from error
        finally:
            n = "seen"
    except ValueError as error:
        return n, repr(error), repr(error.__cause__), repr(error.__context__)


@case(())
def context():
    try:
        try:
            {}["a"]
        except KeyError:
            undefined_name  # noqa: F821, B018
    except NameError as error:
        first = error
    try:
        raise first from None
    except NameError as error:
        return repr(error.__context__), error.__suppress_context__, error.__cause__


@case((0,), (1,), (2,))
def reraised(n):
    try:
        try:
            if n == 2:
                raise
            raise ValueError(n)
        except ValueError:
            if n:
                raise
            raise TypeError("other")
    except Exception as error:
        return repr(error), repr(error.__context__)


@case((0,))
def no_active_exception(n):
    raise


@case((5,), (ValueError,), (ValueError("x"),), (int,))
def raise_anything(what):
    raise what


@case((5,), (None,), (KeyError,), (int,))
def raise_from(cause):
    raise ValueError("x") from cause


@case((5,), ((ValueError, 3),), (int,), ((),), (Exception,))
def catch_anything(what):
    try:
        raise ValueError("raised")
    except what:
        return "caught"


@case((5,), (ValueError,))
def handled_after_a_bad_handler(what):
    import sys
    seen = []
    try:
        raise OSError("first")
    except OSError:
        try:
            try:
                raise ValueError("second")
            except what:
                seen.append("caught")
            except no_such_class:  # noqa: F821
                pass
        except (TypeError, NameError) as error:
            seen.append(repr(error.__context__))
        seen.append(repr(sys.exc_info()[1]))
    return seen, sys.exc_info()


@case(())
def name_is_gone():
    try:
        raise ValueError
    except ValueError as error:
        kept = error  # noqa: F841
    return error  # noqa: F821


@case(())
def handled_exception():
    import sys
    seen = [sys.exc_info()[0]]
    try:
        raise ValueError
    except ValueError:
        seen.append(sys.exc_info()[0])
        try:
            raise KeyError
        except KeyError:
            seen.append(sys.exc_info()[0])
        seen.append(sys.exc_info()[0])
    seen.append(sys.exc_info()[0])
    return seen


@case((1, 2), (2, 1), (0, 0))
def asserts(a, b):
    assert a < b, f"{a} is not below {b}"
    assert a
    return True


@case((0,), (1,), (2,))
def loops_and_handlers(n):
    log = []
    for i in range(4):
        value = i
        try:
            value = "in try"
            if i == n:
                raise ValueError(i)
            value = "behind"
            if i == 3:
                break
        except ValueError:
            log.append((i, value))
            continue
        finally:
            log.append(("finally", i, value))
    return log, value


# ---- with ----


@case((0,), (1,), (2,), (3,))
def managers(n):
    log = []
    try:
        with Manager(log, ValueError) as outer, Manager(log) as inner:
            log.append(outer is inner)
            if n == 0:
                raise ValueError("swallowed")
            if n == 1:
                raise KeyError("passes")
            if n == 2:
                return log
        log.append("behind")
    except KeyError as error:
        log.append(repr(error))
    return log


@case((5,), (None,))
def no_manager(value):
    with value:
        pass


@case(())
def half_manager():
    class Half:
        def __enter__(self):
            return self
    with Half():
        pass


@case((0,), (1,))
def library_managers(n):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(ZeroDivisionError):
        print("before")
        print(1 // n)
    return out.getvalue()


# ---- exception groups ----


@case((0,), (1,), (2,), (3,), (4,), (5,))
def groups(n):
    log = []
    try:
        try:
            if n == 0:
                raise ExceptionGroup("many", [ValueError(1), KeyError(2), TypeError(3)])
            if n == 1:
                raise ValueError("naked")
            if n == 2:
                raise ExceptionGroup("nested", [ExceptionGroup("in", [OSError(1), ValueError(2)]), OSError(3)])
            if n == 3:
                raise ExceptionGroup("all", [ValueError(1), ValueError(2)])
            if n == 4:
                raise OSError("not matched")
        except* ValueError as group:
            log.append(("values", [str(e) for e in group.exceptions]))
            if n == 3:
                raise RuntimeError("from a handler")
        except* KeyError as group:
            log.append(("keys", repr(group)))
    except Exception as error:
        log.append(repr(error))
        log.append(repr(getattr(error, "exceptions", None)))
    return log


@case(())
def group_class():
    try:
        raise ValueError
    except* ExceptionGroup:
        pass


# ---- match ----


@dataclasses.dataclass
class Shape:
    kind: str
    size: int = 0


@case((0,), ("a",), ([],), ([1, 2],), ([1, 2, 3],), ({"k": 1, "z": 2},), ({"k": []},), (Point(0, 5),), (Point(1, 1),),
      (Point(3, 4),), (Shape("square", 2),), (Shape("line"),), (2.5,), (None,), ((1, (2, 3)),), (True,), ("abc",))
def matching(subject):
    match subject:
        case 0 | None:
            return "zero"
        case True:
            return "true"
        case str() as text if len(text) > 1:
            return "text", text
        case []:
            return "empty"
        case [a, (b, c)]:
            return "nested", a, b, c
        case [x, y]:
            return "two", x, y
        case [first, *rest]:
            return "more", first, rest
        case {"k": int(k), **others}:
            return "mapping", k, others
        case Point(0, y):
            return "axis", y
        case Point(x=x, y=y) if x == y:
            return "diagonal", x
        case Point():
            return "point"
        case Shape("square", size=s):
            return "square", s
        case float(f):
            return "float", f
    return "other"


@case((Point(1, 2),), (5,))
def wrong_pattern(subject):
    match subject:
        case Point(1, 2, 3):
            return 1
        case int(1, 2):
            return 2


@case((Point(1, 2),))
def doubled_pattern(subject):
    match subject:
        case Point(1, x=1):
            return 1


@case(({"a": 1},))
def doubled_key(subject):
    class Names:
        A = "a"
    match subject:
        case {"a": 1, Names.A: 2}:
            return 1


@case((5,))
def pattern_of_no_class(subject):
    kind = 3
    match subject:
        case kind():
            return 1


# ---- classes, imports ----


@case((3,))
def makes_class(n):
    class Base:
        """A text."""
        size = n
        table = {size: "size"}

        def __init__(self, extra):
            self.extra = extra

        def total(self):
            return self.size + self.extra

    class Derived(Base):
        def total(self):
            return super().total() * 10 + (__class__ is Derived)

    return Derived(4).total(), Base.__doc__, Base.table, Derived.__mro__[1].__name__, Base.__qualname__


@case(())
def imports():
    import collections.abc
    import os.path as path
    from math import floor, sqrt as root
    return collections.abc.__name__, path.basename("a/b"), floor(2.5), root(9.0)


@case(())
def missing_module():
    import no_such_module  # noqa: F401


@case(())
def missing_member():
    from math import no_such_name  # noqa: F401


@case(())
def missing_submodule():
    import os.no_such_name  # noqa: F401


@case((0,), (1,))
def import_fallback(n):
    try:
        if n:
            from os import nothing as found
        else:
            from os import path as found
    except ImportError as error:
        return type(error).__name__, error.name
    return found.__name__
