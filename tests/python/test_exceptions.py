"""Exceptions as values: what they hold, their classes, how they are kept, passed on and raised, against CPython."""
import traceback

import numpy as np
import pytest

from exception_outcomes import same
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError, UnsupportedError


class Failed(Exception):
    """A class with a constructor and attributes of its own."""

    level = 3
    ratio: float

    def __init__(self, code, why="unknown", *, where=0):
        super().__init__(code, why)
        self.code, self.why = code, why
        self.where = where
        self.text = f"{code}: {why}"
        self.ratio = code / 2


class Worse(Failed):
    """One that inherits them."""

    level = 4


class Quiet(ValueError):
    """One whose constructor passes nothing on."""

    def __init__(self, *parts):
        self.first = parts[0]


class Shown(KeyError):
    """One with a text of its own."""

    def __str__(self):
        return "shown " + repr(self.args)


SOME = (ValueError, KeyError)


def test_arguments():
    def whole(x):
        try:
            raise ValueError("a", x)
        except ValueError as error:
            return error.args

    def parts(x):
        try:
            raise ValueError("a", x, 2.5, (x, "b"))
        except ValueError as error:
            first, second, third, (fourth, fifth) = error.args
            return len(error.args), error.args[1] + 1, first + fifth, second, third * 2, fourth, error.args[-1][0]

    def looped(x):
        try:
            raise KeyError(x, x + 1)
        except KeyError as error:
            return sum([y for y in error.args])

    def none():
        try:
            raise RuntimeError
        except RuntimeError as error:
            return error.args, len(error.args)

    def of_two(x):
        try:
            if x:
                raise ValueError("value", x)
            raise KeyError(2.5)
        except ValueError as error:
            return error.args[1] / 2
        except KeyError as error:
            return error.args[0]

    same(whole, (0,), (7,))
    same(parts, (3,))
    same(looped, (3,))
    same(none, ())
    same(of_two, (0,), (3,))


def test_arguments_of_what_the_runtime_raises():
    def index(values, x):
        try:
            return str(values[x])
        except IndexError as error:
            return error.args[0]

    def key(table, x):
        try:
            return table[x]
        except KeyError as error:
            return error.args[0] + 100

    def division(x):
        try:
            return str(1 // x)
        except ZeroDivisionError as error:
            return error.args[0] + str(len(error.args))

    def exhausted(x):
        items = iter((x,))
        next(items)
        try:
            return (next(items) - x, "none")
        except StopIteration as error:
            return len(error.args), str(error)

    def unbound(x):
        try:
            if x:
                y = 1
            return str(y)
        except UnboundLocalError as error:
            return error.args[0]

    def converted(text):
        try:
            return str(int(text))
        except ValueError as error:
            return error.args[0]

    def overflowed(x):
        try:
            return str(10.0 ** x)
        except OverflowError as error:
            return str(error)

    same(index, ([1], 0), ([1], 4), ([1], -3))
    same(key, ({1: 2}, 1), ({1: 2}, 7))
    same(division, (1,), (0,))
    same(exhausted, (1,))
    same(unbound, (True,), (False,))
    same(converted, ("1",), ("x",))
    same(overflowed, (2.0,), (1e9,))


def test_arguments_in_called_functions():
    @njit
    def fails(x):
        if x > 2:
            raise ValueError("too large", x)
        return x

    def caught(x):
        try:
            return fails(x), 0
        except ValueError as error:
            text, number = error.args
            return len(text), number

    def inner(x):
        def check(y):
            if y > 2:
                raise KeyError(y)
            return y

        try:
            return check(x)
        except KeyError as error:
            return error.args[0] * 10

    compiled = njit(caught)
    assert [compiled(x) for x in (1, 3)] == [(1, 0), (9, 3)]
    same(inner, (1,), (5,))


def test_arguments_of_different_types_are_told_apart():
    @njit
    def differ(x):
        try:
            if x:
                raise ValueError("a")
            raise ValueError(1)
        except ValueError as error:
            return error.args[0]

    with pytest.raises(TypingError, match="no one type") as caught:
        differ(1)
    assert "(int64)" in str(caught.value) and "(unicode_type)" in str(caught.value)

    @njit
    def unexpected(values, x):
        try:
            if x:
                raise LookupError(2, x)
            return values[5], 0
        except LookupError as error:
            return error.args

    assert unexpected(np.arange(2), 3) == (2, 3)
    with pytest.raises(TypeError, match="`args` of this IndexError is"):
        unexpected(np.arange(2), 0)


def test_classes():
    def named(x):
        try:
            if x == 1:
                raise Worse(x)
            return str(1 // x)
        except Exception as error:
            return type(error).__name__ + f" {type(error)} {type(error).__module__}"

    def exactly(x):
        try:
            if x == 1:
                raise Worse(x)
            if x == 2:
                raise Shown(x)
            return (1 // x > 5,) * 5, False
        except Exception as error:
            kind = type(error)
            tests = kind is Failed, kind is Worse, kind == ZeroDivisionError, kind is not KeyError, kind != Shown
            return tests, issubclass(kind, Failed)

    def matched(x):
        try:
            if x:
                raise Worse(x)
            raise KeyError(x)
        except Exception as error:
            match error:
                case Failed():
                    return "failed"
                case KeyError() | IndexError():
                    return "lookup"

    same(named, (0,), (1,))
    same(exactly, (0,), (1,), (2,))
    same(matched, (0,), (1,))
    def kind(x):
        try:
            raise Worse(x)
        except Exception as error:
            return type(error)

    same(kind, (1,))


def test_identity_equality_and_truth():
    def compared(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            kept = error
        other = ValueError(x)
        return kept is kept, kept is other, kept == other, kept != other, bool(kept), kept is None, not other

    same(compared, (1,))


def test_kept_and_passed_on():
    @njit
    def told(error):
        return str(error) + repr(error)

    @njit
    def again(error):
        raise error

    def kept(n):
        found = []
        for i in range(n):
            try:
                raise ValueError("text" * i, i)
            except ValueError as error:
                found.append(error)
        return [str(error) for error in found], [error.args[1] for error in found]

    def returned(n):
        found = []
        for i in range(n):
            try:
                raise ValueError(i)
            except ValueError as error:
                found.append((error, i))
        return found

    def optional(x):
        failure = None
        try:
            x = 10 // x
        except ZeroDivisionError as error:
            failure = error
        if failure is not None:
            if x > -1:
                raise failure
            raise KeyError("later" + failure.args[0]) from failure
        raise KeyError(x) from failure

    def passed(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            return told(error)

    def raised(x):
        try:
            again(KeyError(x))
        except KeyError as error:
            return str(error)

    same(kept, (0,), (3,))
    same(optional, (0,), (5,), (-3,))
    assert [(type(error), error.args, i) for error, i in njit(returned)(2)] == [(ValueError, (0,), 0), (ValueError, (1,), 1)]
    assert njit(passed)(3) == "3ValueError(3)" and njit(raised)(3) == "3"


def test_made_before_they_are_raised():
    def chosen(x):
        if x == 1:
            error = ValueError("a", x)
        else:
            error = KeyError("b" * x)
        if x == 3:
            return str(error)
        raise error

    def of_a_class(x):
        kind = ValueError if x == 1 else KeyError if x == 2 else Worse
        if x == 4:
            raise kind
        raise kind(x)

    def listed(x):
        errors = [ValueError("a"), KeyError("b"), Failed(x)]
        raise errors[x]

    def shown(x):
        error = ValueError("a", x)
        return str(error), repr(error), error.args

    def twice(x):
        error = ValueError(x)
        try:
            raise error
        except ValueError:
            pass
        raise error

    same(chosen, (1,), (2,), (3,))
    same(of_a_class, (1,), (2,), (3,))
    same(listed, (0,), (1,), (2,))
    same(shown, (2,))
    same(twice, (2,))
    assert repr(njit(lambda x: ValueError("a", x))(1)) == "ValueError('a', 1)"


def test_classes_of_users():
    def attributes(x):
        try:
            raise Failed(x, "that" * x)
        except Failed as error:
            return error.code + 1, error.why + "!", error.where, error.text, error.ratio, error.level, error.args[0]

    def inherited(x):
        try:
            if x:
                raise Worse(x)
            raise Failed(x, where=7)
        except Failed as error:
            return error.code, error.why, error.where, error.level

    def by_name(x):
        raise Worse(code=x, where=x + 1, why="named")

    def nothing_passed_on(x):
        try:
            raise Quiet(x, "rest")
        except Quiet as error:
            return error.first * 2, error.args, str(error)

    def own_text(x):
        try:
            raise Shown(x, "b")
        except KeyError as error:
            return str(error), f"{error}"

    def missing():
        raise Failed()

    def missing_and_caught():
        try:
            raise Failed()
        except Failed:
            return "Failed"
        except TypeError as error:
            return str(error)

    same(attributes, (0,), (4,))
    same(inherited, (0,), (4,))
    same(by_name, (4,))
    same(nothing_passed_on, (4,))
    same(own_text, (4,))
    same(missing, ())
    same(missing_and_caught, ())


class Computed(Exception):
    def __init__(self, code, why="b", *rest, where=None):
        if where is None:
            where = "here"
        self.where = where
        half = code / 2
        super().__init__(why.upper(), code * 2)
        self.half, self.negative = half, -code
        self.code = code + 1
        self.code += len(rest)
        self.both = (self.code, half)
        self.large = code > 3
        self.text = f"{code}" + why
        self.kind = "many" if code else "none"
        if code:
            why = why + "!"
        self.why = why
        self.first = why[0]


def test_classes_that_are_raised_without_a_call():
    def needs_arguments(n):
        try:
            if n == 0:
                raise Failed
            if n == 1:
                raise Worse(4)
            raise ValueError
        except TypeError as error:
            return str(error)
        except Failed as error:
            return error.text
        except ValueError as error:
            return str(len(error.args))

    def needs_none(n):
        try:
            raise Quiet if n else Shown
        except Shown as error:
            return str(error)

    def leaves(n):
        if n:
            raise Worse from ValueError("cause")
        raise Shown

    for function in (needs_arguments, needs_none, leaves):
        same(function, (0,), (1,), (2,))


def test_attributes_that_are_computed():
    def numbers(x):
        try:
            raise Computed(x, "a", x, x)
        except Computed as error:
            return error.half + 0.25, error.negative * 2, error.code + 1, error.both, error.large, error.args

    def texts(x):
        try:
            raise Computed(x)
        except Computed as error:
            return error.text + error.kind + error.why + error.first + error.where, error.args[1] + 1

    def float_code(x):
        try:
            raise Computed(x / 2)
        except Computed as error:
            return error.code, error.both

    same(numbers, (0,), (4,))
    same(texts, (0,), (4,))
    same(float_code, (1,))


def test_unknown_attributes_are_refused():
    @njit
    def unknown(x):
        try:
            raise Failed(x)
        except Failed as error:
            return error.nothing

    with pytest.raises(TypingError, match="nothing"):
        unknown(1)


def test_attributes_of_python():
    def system(x):
        try:
            raise OSError(x, "text")
        except OSError as error:
            return error.errno + 1, error.strerror, error.filename

    def stop(x):
        try:
            raise StopIteration(x)
        except StopIteration as error:
            return error.value

    def end(x):
        try:
            raise SystemExit(x)
        except SystemExit as error:
            return error.code

    same(system, (2,))
    same(stop, (2,))
    same(end, (2,))


def test_causes_contexts_and_notes():
    def linked(x):
        try:
            try:
                raise ValueError(x)
            except ValueError as error:
                if x:
                    raise KeyError(x) from error
                raise KeyError(x)
        except KeyError as error:
            cause, context = error.__cause__, error.__context__
            texts = ("no" if cause is None else str(cause)), ("no" if context is None else repr(context))
            return texts, error.__suppress_context__

    def noted(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            error.add_note("a note")
            error.add_note("of " + str(x))
            raise

    @njit
    def fails(x):
        if x > 1:
            raise IndexError(x)

    def inner(x):
        try:
            return 1 // x > 0, False, ""
        except ZeroDivisionError as outer:
            try:
                fails(x + 2)
            except IndexError as error:
                context = error.__context__
                return type(context) is ZeroDivisionError, context is outer, repr(context)

    def innermost(x):
        try:
            raise ValueError(x)
        except ValueError:
            try:
                raise KeyError(x)
            except KeyError:
                try:
                    raise IndexError(x)
                except IndexError as error:
                    return error

    def raised_again(x):
        try:
            raise ValueError(x)
        except ValueError as outer:
            try:
                raise
            except ValueError as error:
                return error is outer, error.__context__ is None

    same(linked, (0,), (1,))
    same(noted, (1,))
    same(inner, (0,))
    same(raised_again, (1,))
    error = njit(innermost)(3)
    assert [repr(one) for one in (error, error.__context__, error.__context__.__context__)] \
        == ["IndexError(3)", "KeyError(3)", "ValueError(3)"]
    assert error.__context__.__context__.__context__ is None


def test_an_exception_that_was_handled_is_no_context():
    def passed(x):
        try:
            try:
                raise ValueError(x)
            except ValueError:
                pass
            raise IndexError(x)
        finally:
            x += 1

    def left(x):
        try:
            for at in range(3):
                try:
                    raise ValueError(at)
                except ValueError:
                    if at == x:
                        break
            raise IndexError(x)
        except KeyError:
            return 0

    def contexts(function):
        try:
            return function(1)
        except IndexError as error:
            return error.__context__

    assert [contexts(njit(function)) for function in (passed, left)] == [None, None]
    assert [contexts(function) for function in (passed, left)] == [None, None]


def test_classes_in_names():
    kind = Failed

    def of_closure(x):
        try:
            raise kind(x)
        except kind as error:
            return error.code

    def of_global(x):
        try:
            if x:
                raise KeyError(x)
            raise ValueError(x)
        except SOME as error:
            return error.args[0]

    def of_parameter(x):
        def guarded(wanted):
            try:
                return 1 // x
            except wanted:
                return -1

        return guarded(ZeroDivisionError), guarded((KeyError, ArithmeticError))

    same(of_closure, (1,))
    same(of_global, (0,), (1,))
    same(of_parameter, (0,), (2,))


def test_arguments_of_any_type():
    def contained(x):
        raise ValueError([x, 2], {"a": x}, (1, [2.5]), "text")

    def array(x):
        raise ValueError("array", np.full(2, x))

    def caught(x):
        count = 0
        for i in range(x):
            try:
                raise ValueError([i], np.ones(2), "t" * i)
            except ValueError:
                count += 1
        return count

    same(contained, (1,))
    same(array, (1.5,))
    same(caught, (5,))


def test_the_name_is_unbound_behind_its_handler():
    def read(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            text = str(error)
        return text + str(error)

    same(read, (1,))


def frames(function, *args):
    with pytest.raises(Exception) as caught:
        function(*args)
    entries = traceback.extract_tb(caught.value.__traceback__)
    return [(entry.name, entry.lineno, entry.colno, entry.end_colno) for entry in entries if entry.filename == __file__][1:]


def raised_later(x):
    error = ValueError(x)
    if x:
        raise error
    try:
        raise error
    except ValueError as same:
        raise same


def badly_made(x):
    if x:
        raise Failed()


@pytest.mark.parametrize(("function", "x"), [(raised_later, 0), (raised_later, 1), (badly_made, 1)])
def test_tracebacks_show_where_they_were_raised(function, x):
    assert frames(njit(function), x) == frames(function, x)


def test_groups_are_refused_where_they_stand():
    source = "def grouped(x):\n    try:\n        return 1 // x\n    except* ZeroDivisionError:\n        pass\n    return 2\n"
    space = {}
    exec(compile(source, __file__, "exec"), space)
    with pytest.raises(UnsupportedError, match="except\\*"):
        njit(space["grouped"])(0)


def test_without_the_lock_of_python():
    @njit(nogil=True)
    def free(x):
        try:
            raise Failed(x, "free")
        except Failed as error:
            return error.why, str(error), type(error).__name__

    assert free(1) == ("free", "(1, 'free')", "Failed")


def test_exceptions_are_arguments():
    def text(error):
        return str(error), isinstance(error, LookupError), type(error).__name__

    def arguments(error):
        return error.args

    def raised(error):
        raise error

    def raised_from(error):
        raise KeyError("x") from error

    def caught(error, n):
        for i in range(n):
            try:
                raise error
            except Exception as again:
                if again is not error:
                    return -1
        return n

    def in_a_tuple(pair):
        return str(pair[1]), pair[0]

    def noted(error, text):
        error.add_note(text)
        return error

    errors = [ValueError("x"), KeyError("a"), IndexError(), Failed(3), Failed(4, where=1), OSError(2, "no"), ValueError(1, 2.5)]
    for function in (text, arguments):
        same(function, *((error,) for error in errors))
    for error in errors:
        # Each raise changes the exception.
        for function in (raised, raised_from):
            same(function, (error,))
    same(caught, *((error, 3) for error in errors))
    same(in_a_tuple, ((1, errors[0]),))
    for error in errors:
        assert njit(noted)(error, "a note") is error and error.__notes__ == ["a note"]
    with pytest.raises(TypeError, match="exceptions are not taken out"):
        njit(lambda all: len(all))([ValueError("x")])


def test_tracebacks_are_replaced():
    def none(x):
        raise ValueError(x).with_traceback(None)

    def own(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            raise error.with_traceback(error.__traceback__)

    def other(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            raise KeyError(x).with_traceback(error.__traceback__)

    def has(x):
        made = ValueError(x)
        try:
            raise ValueError(x)
        except ValueError as error:
            before = error.__traceback__ is None
            return made.__traceback__ is None, before, error.with_traceback(None).__traceback__ is None

    for function in (none, own, other, has):
        same(function, (1,))

    def lines(function):
        with pytest.raises(Exception) as info:
            function(1)
        return [entry.lineno for entry in traceback.extract_tb(info.value.__traceback__)][1:]

    for function in (none, own, other):
        assert lines(njit(function)) == lines(function)


def test_circles_of_causes_are_freed():
    def from_what_is_handled(x):
        try:
            raise ValueError(x)
        except ValueError as first:
            try:
                raise KeyError(x) from first
            finally:
                if x:
                    raise first

    def from_each_other(x):
        try:
            raise ValueError(x)
        except ValueError as first:
            try:
                raise KeyError(x) from first
            except KeyError as second:
                raise first from second

    def caught(x):
        count = 0
        for i in range(x):
            try:
                try:
                    raise ValueError(i)
                except ValueError as first:
                    try:
                        raise KeyError(i) from first
                    except KeyError as second:
                        raise first from second
            except ValueError as error:
                if error.__cause__ is not None:
                    count += 1
        return count

    for function in (from_what_is_handled, from_each_other):
        same(function, (0,), (1,))
        for _ in range(3):
            with pytest.raises((ValueError, KeyError)):
                njit(function)(1)
    same(caught, (5,))


def test_long_chains_of_causes():
    @njit
    def last(count, leaves):
        before = ValueError("first")
        for _ in range(count):
            try:
                raise ValueError("later") from before
            except ValueError as error:
                before = error
        if leaves:
            raise before
        return count

    assert last(200_000, False) == 200_000
    with pytest.raises(ValueError, match="later"):
        last(200_000, True)
