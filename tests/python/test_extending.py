"""Types that libraries add, values that compilations ask for, extensions that load themselves."""
import subprocess
import sys
import typing

import pytest
from rumba import errors, njit, types
from rumba.extending import datamodel
from rumba.extending import SentryLiteralArgs, overload, overload_classmethod, overload_method
from rumba.extending.templates import infer_global
from rumba.extending.typeof_box import NativeValue, register_model, typeof_impl, unbox
from rumba.intrinsics import literally
from rumba.types.hints import as_numba_type
from support import forgotten_overloads


class Token:
    pass


class TokenType(types.Opaque):
    pass


token_type = TokenType("token")
token = Token()
typeof_impl.register(Token)(lambda value, context: token_type)
register_model(TokenType)(datamodel.OpaqueModel)
unbox(TokenType)(lambda typ, value, c: NativeValue(c.context.get_dummy_value()))


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


def test_text_of_values_of_own_types():
    def texts(x):
        return str(x), repr(x)

    assert njit(texts)(token) == ("<object type:token>", "<object type:token>")

    @overload_method(TokenType, "__repr__")
    def repr_of_token(x):
        return lambda x: "Token()"

    assert njit(texts)(token) == ("Token()", "Token()")

    @overload_method(TokenType, "__str__")
    def str_of_token(x):
        return lambda x: "a token"

    assert njit(texts)(token) == ("a token", "Token()")


def test_values_of_own_types():
    @overload(len)
    def len_of_token(x):
        return (lambda x: 13) if isinstance(x, TokenType) else None

    @overload_method(TokenType, "shifted")
    def shifted(x, by, *more):
        return lambda x, by, *more: (len(x) + by, more)

    @njit
    def calls(x, *args):
        return len(x), x.shifted(*args), len(token)

    assert calls(token, 1) == (13, (14, ()), 13)
    assert calls(token, 1, 2.5) == (13, (14, (2.5,)), 13)
    assert types.typeof(token) is token_type
    assert calls.signatures[0] == (token_type, types.UniTuple(types.int64, 1))


def test_own_types_that_cannot_be_held():
    class Struct:
        pass

    class StructType(types.Type):
        pass

    typeof_impl.register(Struct)(lambda value, context: StructType("struct"))
    with pytest.raises(TypeError, match="can't unbox struct type"):
        njit(lambda x: 1)(Struct())

    class Odd(datamodel.DataModel):
        pass

    register_model(StructType)(Odd)
    with pytest.raises(errors.UnsupportedError, match="held by the model Odd, .*derive it from StructModel"):
        types.typeof(Struct())._parts()

    class Content(TokenType):
        pass

    typeof_impl.register(Struct)(lambda value, context: Content("content"))
    unbox(Content)(lambda typ, value, c: NativeValue(c.pyapi.no_such_function(value)))
    with pytest.raises(errors.UnsupportedError, match="`pyapi.no_such_function`, which is not there"):
        njit(lambda x: 1)(Struct())


def test_methods_of_classes_of_types():
    class Own(TokenType):
        pass

    @overload_classmethod(Own, "make")
    def make(cls, x):
        return lambda cls, x: x + 1

    assert njit(lambda x: Own.make(x))(1) == 2
    with pytest.raises(errors.TypingError, match="Unknown attribute 'make'"):
        njit(lambda x: TokenType.make(x))(1)


def test_literally_compiles_for_each_value():
    @njit
    def f(x, y):
        return literally(x) * y

    assert [f(2, 3), f(4, 3), f(2, 5)] == [6, 12, 10]
    assert [sig[0].literal_value for sig in f.signatures] == [2, 4]
    assert f.signatures[0][1] is types.int64


def test_literally_goes_up_to_the_caller():
    @njit
    def inner(x, y):
        return x + literally(y)

    @njit
    def outer(a, b, c):
        return inner(a, c) + inner(b, 5)

    assert outer(1, b=2, c=3) == 11
    assert [isinstance(ty, types.Literal) for ty in outer.signatures[0]] == [False, False, True]


def test_literally_chooses_a_branch_and_an_element():
    @njit
    def f(i, of):
        return of[literally(i)]

    assert (f(0, (1, 2.5)), f(1, (1, 2.5))) == (1, 2.5)


def test_mutual_recursion_with_literals():
    @njit
    def outer(n, value):
        return value if n < 1 else n * inner(n - 1, value)

    @njit
    def inner(n, value):
        return literally(value) if n < 1 else n * outer(n - 1, value)

    assert outer(10, 12) == 43545600
    assert outer.signatures == [(types.int64, types.literal(12))]


def test_the_value_of_a_shared_variable_can_be_asked_for():
    @njit
    def inner(x, y):
        return x + literally(y)

    @njit
    def outer(a, b, c):
        def closure(d):
            return literally(d) + 10 * inner(a, b)
        return closure(c)

    assert outer(1, 2, 3) == 33
    assert outer.signatures == [(types.int64, types.literal(2), types.literal(3))]


def test_constants_of_a_function_are_known_in_closures():
    def f(t, k):
        at = 1

        def item():
            return t[at] + k

        return item()

    assert njit(f)((1, 2.5), 3) == 5.5


def test_what_cannot_be_known():
    @njit
    def computed(a):
        return literally(a + 1)

    with pytest.raises(errors.TypingError, match="Cannot request literal type"):
        computed(1)

    @njit
    def floats(a):
        return literally(a)

    with pytest.raises(errors.LiteralTypingError, match="class 'float'"):
        floats(1.5)


def test_overloads_ask_for_values():
    def function(x, y):
        raise NotImplementedError

    @overload(function)
    def asks(x, y):
        SentryLiteralArgs(["x"]).for_function(asks).bind(x, y)
        value = x.literal_value * 100
        return lambda x, y: value + y

    @njit
    def f(a, b):
        return function(a, b)

    assert (f(1, 2), f(3, 4)) == (102, 304)
    assert [ty for ty, _ in f.signatures] == [types.literal(1), types.literal(3)]


def test_as_numba_type():
    assert as_numba_type(int) is types.int64
    assert as_numba_type(typing.Optional[float]) is types.Optional(types.float64)
    assert as_numba_type(typing.Tuple[int, complex]) is types.Tuple((types.int64, types.complex128))
    assert as_numba_type(types.int8) is types.int8
    for bad in (typing.Any, typing.Union[int, float], typing.Union[int, float, str]):
        with pytest.raises(errors.TypingError):
            as_numba_type(bad)


_PROGRAM = """
import warnings
warnings.simplefilter("error")
import rumba
f = rumba.njit(lambda x: own(x))
def own(x): raise NotImplementedError
try:
    print(f(1))
except Warning as warning:
    print(warning)
print(f(1))
"""

# The type of the argument is the extension's.
_FIRST_CALL = """
import rumba
class Own: pass
print(rumba.njit(lambda x: 42)(Own()))
"""

_EXTENSION = """
def init():
    from __main__ import own
    from rumba.extending import overload
    overload(own)(lambda x: lambda x: x + 41)

def broken():
    raise ValueError("no luck")

def a_type():
    from __main__ import Own
    from rumba import types
    from rumba.extending import datamodel
    from rumba.numba.core import cgutils
    from rumba.extending.typeof_box import NativeValue, register_model, typeof_impl, unbox

    class OwnType(types.Type):
        pass

    typeof_impl.register(Own)(lambda value, context: OwnType("Own"))

    @register_model(OwnType)
    class Model(datamodel.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("part", types.int64)])

    @unbox(OwnType)
    def unbox_own(ty, obj, c):
        return NativeValue(cgutils.create_struct_proxy(ty)(c.context, c.builder)._getvalue())
"""


@pytest.mark.parametrize("function, source, prints", [
    ("init", _PROGRAM, ["42", "42"]),
    ("broken", _PROGRAM, ["Numba extension module 'extension_of_test' failed to load due to 'ValueError(no luck)'."]),
    ("a_type", _FIRST_CALL, ["42"]),
])
def test_extensions_load_before_the_first_compilation(tmp_path, function, source, prints):
    (tmp_path / "extension_of_test.py").write_text(_EXTENSION)
    metadata = tmp_path / "extension_of_test-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: extension_of_test\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[numba_extensions]\ninit = extension_of_test:{function}\n")
    program = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{source}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == prints, ran.stderr


def test_addresses_of_functions_that_cython_exports():
    from rumba.extending import get_cython_function_address

    with pytest.raises(ImportError, match="fakemodule"):
        get_cython_function_address("fakemodule", "f")
    module = type(pytest)("exports")
    module.__pyx_capi__ = {}
    sys.modules["exports"] = module
    try:
        with pytest.raises(ValueError, match="No function 'foo' found in __pyx_capi__ of 'exports'"):
            get_cython_function_address("exports", "foo")
        import datetime

        # Any capsule does: the pointer is what the capsule says.
        module.__pyx_capi__ = {"api": datetime.datetime_CAPI}
        assert get_cython_function_address("exports", "api") > 0
    finally:
        del sys.modules["exports"]


def test_calls_of_a_value_are_told_by_overloads_of_the_class_of_its_type():
    class Scale:
        pass

    class ScaleType(types.Callable):
        def __init__(self):
            super().__init__("Scale")

    infer_global(Scale, ScaleType())

    @overload(ScaleType)
    def of_number(x):
        return (lambda x: x * 2.5) if isinstance(x, types.Number) else None

    @overload(ScaleType)
    def of_text(x):
        return (lambda x: x + "!") if isinstance(x, types.UnicodeType) else None

    assert njit(lambda a, b: (Scale(a), Scale(b)))(2, "a") == (5.0, "a!")
    with pytest.raises(errors.TypingError):
        njit(lambda a: Scale(a))((1, 2))
