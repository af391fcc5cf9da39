"""The Untyped phase run on Python objects gives what CPython gives: value, or exception with its message,
cause and context, and what happens to the arguments."""
import copy
import importlib
import inspect
import re
import sys
import traceback
import types

import pytest
from execute_cases import CASES, Point
from execute_library import LIBRARY
from rumba import njit, testing
from rumba._rumba import execute


def outcome(call, args, kwargs):
    """What a call did, in a form that compares."""
    args, kwargs = copy_arguments(args), copy_arguments(kwargs)
    try:
        result = ("value", plain(call(*args, **kwargs)))
    except Exception as error:
        result = ("error", describe(error))
    return result, plain(args)


def copy_arguments(args):
    try:
        return copy.deepcopy(args)
    except TypeError:
        return args


def plain(value):
    """Exact types, signs of zeros, order of dicts: all that `==` does not tell."""
    return type(value).__name__, re.sub(" at 0x[0-9a-f]+", "", repr(value))


def describe(error):
    if error is None:
        return None
    lines = [line for _, line in traceback.walk_tb(error.__traceback__)]
    frames = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    start = next((index for index, name in enumerate(frames) if name == "outcome"), -1) + 1
    places = [*zip(frames, lines)][start:]
    return type(error).__name__, plain(error.args), places, describe(error.__cause__), describe(error.__context__)


def check(function, args, kwargs=None):
    kwargs = kwargs or {}
    expected = outcome(function, args, kwargs)
    got = outcome(lambda *a, **k: execute(function, "untyped", *a, **k), args, kwargs)
    assert hide_lambda(got) == hide_lambda(expected)


def hide_lambda(result):
    """Without the entry of `check`'s own lambda in tracebacks."""
    if isinstance(result, list):
        return [hide_lambda(one) for one in result if not (isinstance(one, tuple) and one[:1] == ("<lambda>",)
                                                           and one[1] in LAMBDA_LINES)]
    return tuple(map(hide_lambda, result)) if isinstance(result, tuple) else result


LAMBDA_LINES = range(check.__code__.co_firstlineno, check.__code__.co_firstlineno + 5)


@pytest.mark.parametrize("function, args", [
    pytest.param(function, args, id=f"{function.__name__}-{index}")
    for function, calls in CASES for index, args in enumerate(calls)])
def test_a_function_does_what_it_does_in_cpython(function, args):
    check(function, args)


@pytest.mark.parametrize("function, calls", [pytest.param(*row, id=f"{row[0].__module__}.{row[0].__qualname__}")
                                             for row in LIBRARY])
def test_functions_of_the_standard_library(function, calls):
    for args in calls:
        check(function, args)


def closures():
    seen, total = [], 0

    def add(x):
        nonlocal total
        total += x
        seen.append(x)
        return total, list(seen)

    def nested(x):
        return [[x + total for _ in seen] for seen in (seen, (lambda: seen)())]

    return add, nested


def test_closures_are_shared_with_the_live_function():
    add, nested = closures()
    assert execute(add, "untyped", 3) == (3, [3])
    assert add(4) == (7, [3, 4])
    assert execute(add, "untyped", 5) == (12, [3, 4, 5])
    assert execute(nested, "untyped", 1) == nested(1)


class Base:
    def greet(self, name="you"):
        return f"hello {name}"


class Derived(Base):
    def greet(self, name="me"):
        return super().greet(name) + "!", super(Derived, self).greet(), __class__.__name__


def test_methods_find_their_super():
    assert execute(Derived.greet, "untyped", Derived()) == Derived().greet()


@pytest.mark.parametrize("args, kwargs", [
    ((), {}), ((1,), {}), ((1, 2, 3, 4), {"c": 1}), ((1,), {"a": 1, "c": 2}), ((), {"b": 1, "c": 2, "a": 3}),
    ((1,), {"c": 1, "p": 5}), ((1, 2), {"c": 3, "zz": 4})])
def test_arguments_bind_as_in_a_call(args, kwargs):
    def varied(p, /, a, b=2, *rest, c, d=4, **others):
        return p, a, b, rest, c, d, others

    def strict(p, /, a, b=2, *, c, d=4):
        return p, a, b, c, d

    check(varied, args, kwargs)
    check(strict, args, kwargs)


MODULE = '''
"""A module."""
import math
from os.path import *
x: int = 1
y: "str"
total = sum(i for i in range(x + 3))
squares = [i * i for i in range(4) if i != x]

def f(a, b=x):
    return a + b + total

class C(dict):
    """A class."""
    name = "c"
    field: int = len(name)
    def method(self):
        return super().__len__(), __class__.__name__
    shadow = total
    total = [total, name]
    del field
    rows = [name for name in "ab"]

try:
    del nothing
except NameError as error:
    message = str(error)
x += 1
for k in range(3):
    pass
result = f(10), C(a=1).method(), C.total, locals() is globals(), basename("a/b")
'''


def body_names(source, run):
    names = {"__name__": "body"}
    code = compile(source, "body.py", "exec")
    run(code, names)
    return {key: value for key, value in names.items() if isinstance(value, int | str | list | tuple | dict)
            and key != "__builtins__"}


def test_a_module_s_body_runs():
    assert body_names(MODULE, lambda code, names: execute(code, "untyped", names)) == body_names(MODULE, exec)


CLASS_BODY = '''
__module__ = __name__
a: int = 1
b = a + base
def method(self): return self
values = [x for x in range(3)]
if b:
    del a
for base in values:
    pass
'''


def test_a_class_s_body_runs_in_its_namespace():
    code = compile(CLASS_BODY, "body.py", "exec")
    ours, theirs = {}, {}
    execute(code, "untyped", {"base": 5, "__name__": "body"}, ours)
    exec(code, {"base": 5, "__name__": "body"}, theirs)
    assert ours.pop("method").__name__ == theirs.pop("method").__name__
    assert ours == theirs


MODULES = ["textwrap", "statistics", "bisect", "heapq", "colorsys", "fractions", "calendar", "string", "shlex",
           "keyword", "this", "json.encoder", "json.decoder", "fnmatch", "posixpath", "dataclasses", "enum",
           "types", "functools", "operator", "contextlib", "collections", "abc", "copy", "random", "inspect",
           "argparse", "typing", "datetime", "decimal", "ast", "dis", "pprint", "queue", "threading", "logging",
           "tokenize", "difflib", "csv", "configparser", "email.message", "urllib.parse", "unittest.mock"]


@pytest.mark.parametrize("name", MODULES)
def test_modules_of_the_standard_library_run_from_their_top(name, capsys):
    module = importlib.import_module(name)
    code = compile(inspect.getsource(module), module.__file__, "exec")
    copied = types.ModuleType(name)
    copied.__dict__.update(__file__=module.__file__, __package__=module.__package__, __spec__=module.__spec__,
                           __path__=getattr(module, "__path__", None))
    expected = copy.copy(copied.__dict__)
    exec(code, expected)
    execute(code, "untyped", copied.__dict__)
    assert list(copied.__dict__) == [key for key in expected]


GENERIC = """
def generic():
    def bounded[T: (int, str), *Ts, **P, B: int](x: T) -> B: return x
    class Box[T](list[T]):
        def get[U](self, u: U) -> T: return u
    type Alias[K] = dict[K, Later]
    Later = int
    return (repr(bounded.__type_params__), [p.__bound__ for p in bounded.__type_params__ if hasattr(p, "__bound__")],
            bounded.__type_params__[0].__constraints__, bounded.__type_params__[0].__module__, Box.__orig_bases__,
            Box.__type_params__, Box[int]().get(1), repr(Alias[str]), Alias.__value__, Alias.__module__)
"""


if sys.version_info >= (3, 12):
    def test_type_parameters_and_aliases():
        names = {"__name__": "body"}
        exec(GENERIC, names)
        check(names["generic"], ())


@njit
def counts(n):
    for i in range(n):
        yield i
    return 7


def talks(n):
    try:
        got = yield n
        for _ in range(2):
            last = yield from counts(2)
            yield last
    except ValueError:
        yield 99
    finally:
        yield 5
    return got


def hands_on(log):
    def inner():
        try:
            yield 1
            yield 2
        except KeyError:
            yield 3
        finally:
            log.append(4)

    yield from inner()


def steps(generator, *moves):
    """What a generator gives for each move, `(value to send, exception to throw)`."""
    found = []
    for sent, raised in (*moves, (None, None)):
        try:
            found.append(generator.throw(raised) if raised else generator.send(sent))
        except Exception as error:
            found.append((type(error), error.args))
    try:
        generator.close()
    except RuntimeError as error:
        found.append(error.args)
    return found


def merged(x):
    return {**{"a": 0.5 if x else None}, "b": None}


@pytest.mark.parametrize("x", [0, 3])
def test_merged_dicts(x):
    assert testing.execute(njit(merged), "typed", x) == merged(x)


MOVES = {
    "sends": [(None, None), (10, None)] + [(None, None)] * 8,
    "throws": [(None, None), (10, None), (None, None), (None, ValueError("x"))] + [(None, None)] * 4,
    "throws at once": [(None, ValueError("x")), (None, None)],
    "throws to the inner one": [(None, None), (None, KeyError("x")), (None, None)],
    "closes": [(None, None)],
}


@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
def test_generators(moves):
    assert steps(execute(talks, "untyped", 3), *moves) == steps(talks(3), *moves)
    assert steps(testing.execute(njit(talks), "typed", 3), *moves) == steps(talks(3), *moves)
    if moves is not MOVES["closes"]:
        # What a compiled generator gives while it is closed is an error of its own.
        assert steps(njit(talks)(3), *moves) == steps(talks(3), *moves)
    log, other = [], []
    assert steps(execute(hands_on, "untyped", log), *moves) == steps(hands_on(other), *moves)
    assert log == other


async def awaits():
    return 1


def asks_for_its_frame():
    x = 1
    try:
        return locals()
    except Exception:
        return "a refusal is no exception of the program"


@pytest.mark.parametrize("function, what", [(awaits, "return_generator"),
                                            (asks_for_its_frame, "names of its caller")])
def test_what_cannot_run_is_refused_by_name(function, what):
    with pytest.raises(NotImplementedError, match=what):
        execute(function, "untyped")


def test_other_phases_are_an_error():
    with pytest.raises(ValueError, match="no phase 'explicit'"):
        execute(closures, "explicit")


def test_the_handled_exception_is_the_caller_s_afterwards():
    def fails():
        try:
            raise KeyError("inner")
        except KeyError:
            raise ValueError("outer")

    try:
        raise OSError("first")
    except OSError as first:
        with pytest.raises(ValueError) as caught:
            execute(fails, "untyped")
        assert sys.exc_info()[1] is first
        assert caught.value.__context__.__context__ is first


def test_constants_are_the_code_s_own_objects():
    def constant():
        return (1, 2.5, ("a", b"c")), "some text that is not interned!", 10 ** 30, 1e100

    assert all(a is b for a, b in zip(execute(constant, "untyped"), constant()))
    assert Point(1, 2) == Point(1, 2)


def one_text(n):
    yield "a" * n


@pytest.mark.parametrize("level", [0, 3])
def test_closing_a_generator_in_the_interpreter(level):
    given = njit(one_text, _opt_level=level)

    @njit(_opt_level=level)
    def closes(n):
        generator = given(n)
        generator.close()
        return n

    assert testing.interpret(closes, 2) == 2
