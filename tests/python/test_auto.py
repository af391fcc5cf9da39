"""`@njit(auto=True)`: callees without a decorator of their own are compiled, too. Attributes of classes are constants without it."""
import dataclasses
import functools

import numpy as np
import pytest
from rumba import errors, njit


def plain(x):
    return x + 1


def three(a, b, c=1):
    return a * 100 + b * 10 + c


class Scale:
    FACTOR = 5

    def __init__(self):
        self.own = 3

    @staticmethod
    def double(x):
        return x * 2

    @classmethod
    def scaled(cls, x):
        return cls.double(x) + cls.FACTOR

    def method(self, x, extra=0):
        return self.double(x) + self.FACTOR + Scale.double(1) + extra

    def uses_itself(self, x):
        return x + self.own

    @property
    def computed(self):
        return self.own

    @njit
    def compiled(self, x):
        return x - 1


class Part(Scale):
    FACTOR = 50


scale, part = Scale(), Part()
bound = part.method
first = functools.partial(three, 1)
last = functools.partial(first, c=7)
on_compiled = functools.partial(njit(three), 2, b=3)
of_method = functools.partial(scale.method, extra=4)
LIST = [lambda x: x + 1, lambda x: x * 2, plain]
TABLE = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "own": plain}
FUNCTIONS = (lambda x: x + 1, lambda x: x * 2, plain)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


EXPRESSIONS = [
    "plain(x)", "Scale.double(x)", "Scale.scaled(x)", "Part.scaled(x)", "scale.method(x)", "part.method(x, extra=1)",
    "bound(x)", "scale.FACTOR + Part.FACTOR", "first(x)", "first(x, c=2)", "last(x)",
    "last(b=x)", "last(x, c=2)", "on_compiled(c=x)", "of_method(x)", "FUNCTIONS[1](x)", "FUNCTIONS[0](x) + FUNCTIONS[2](x)",
    "LIST[1](x) + LIST[x - 2](x)", "TABLE['add'](x, 1) * TABLE['sub'](x, 1)",
    "TABLE['own'](x) + len(LIST)", "'none' in TABLE or len(TABLE) == 3",
    "factorial(x)", "is_even(x)", "(lambda y: plain(y))(x)",
]


def function_of(expression):
    scope = dict(globals())
    exec(f"def f(x):\n    return {expression}", scope)
    return scope["f"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_callees_are_compiled(expression):
    function = function_of(expression)
    assert njit(auto=True)(function)(4) == function(4)


def test_tables_of_functions_are_looped_over():
    def totals(x):
        total = 0
        for function in LIST:
            total += function(x)
        for name, function in TABLE.items():
            if name == "own":
                total += function(x) * 100
            else:
                total += function(x, 1)
        return total

    assert njit(auto=True)(totals)(4) == totals(4)


def test_a_compiled_method_gets_its_object():
    assert njit(auto=True)(function_of("scale.compiled(x)"))(4) == 3


def test_a_method_is_one_callee_however_often_it_is_named():
    @njit(auto=True)
    def twice(x):
        return scale.method(x) + scale.method(x) + part.method(x)

    assert twice(1) == scale.method(1) * 2 + part.method(1)


@pytest.mark.parametrize("expression, message", [
    ("scale.own", "'Scale.own' is an attribute of the object"),
    ("scale.uses_itself(x)", "'Scale.own' is an attribute of the object"),
    ("scale.computed", "'Scale.computed' is a property"),
    ("scale.nothing", "nothing"),
    ("Scale()", "cannot make objects of the class 'Scale'"),
])
def test_what_depends_on_the_object_is_an_error_that_says_so(expression, message):
    with pytest.raises(errors.TypingError, match=message):
        njit(auto=True)(function_of(expression))(4)


@pytest.mark.parametrize("expression", [
    "plain(x)", "Scale.double(x)", "scale.method(x)", "bound(x)", "first(x)", "FUNCTIONS[0](x)"])
def test_without_the_option_the_error_names_it(expression):
    with pytest.raises(errors.TypingError, match="auto=True"):
        njit(function_of(expression))(4)


class Settings:
    STEPS, NAME, WEIGHTS = 3, "fast", (1, 2.5)
    TABLE = np.arange(4)

    class Limits:
        LOW = -1

    @staticmethod
    @njit
    def halved(x):
        return x / 2


@dataclasses.dataclass(frozen=True)
class Options:
    steps: int = 2
    rate: float = 0.5


class Faster(Settings):
    STEPS = 7


options = Options(rate=0.25)
AS_CONSTANTS = {
    "numbers, texts and tuples": lambda x: (Settings.STEPS + x, Settings.NAME + "!", Settings.WEIGHTS[1]),
    "inherited": lambda x: (Faster.STEPS, Faster.NAME),
    "arrays": lambda x: int(Settings.TABLE.sum()) + int(Settings.TABLE[x]),
    "inner classes": lambda x: [Settings.Limits.LOW] * x,
    "compiled functions": lambda x: Settings.halved(x),
    "frozen dataclasses": lambda x: options.steps * x + options.rate,
    "branches": lambda x: x if Settings.NAME == "fast" and options.steps else -x,
}


@pytest.mark.parametrize("name", AS_CONSTANTS)
def test_attributes_of_classes_are_constants(name):
    function = AS_CONSTANTS[name]
    assert repr(njit(function)(3)) == repr(function(3))


def test_classes_of_functions_around():
    class Local:
        SCALE = 4

    assert njit(lambda x: x * Local.SCALE)(5) == 20


@pytest.mark.parametrize("function, message", [
    (lambda x: Settings(), "cannot make objects of the class 'Settings'"),
    (lambda x: Settings.MISSING, "Unknown attribute 'MISSING' of type class Settings"),
    (lambda x: Scale.double(x), "decorate it with `@njit`"),
    (lambda x: Scale.computed, "is a property"),
])
def test_what_a_class_does_not_have_as_a_constant(function, message):
    with pytest.raises(errors.TypingError, match=message):
        njit(function)(1)


def test_a_kept_function_sees_another_constant(tmp_path):
    import subprocess
    import sys

    text = """
from rumba import njit
class Settings:
    STEPS = {}
@njit(cache=True)
def steps(x):
    return x + Settings.STEPS
print(steps(1))
"""
    for value in (3, 3, 8):
        path = tmp_path / "program.py"
        path.write_text(text.format(value))
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, env={"RUMBA_CACHE_DIR": str(tmp_path / "cache")})
        assert done.stdout == f"{value + 1}\n", done.stderr
