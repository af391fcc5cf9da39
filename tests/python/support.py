"""One way to compare compiled functions with plain Python, for all tests of behaviour."""
import contextlib
import math
import struct

import rumba
import rumba.testing


def bits(value):
    """The type and the bits of a value; all NaN are one."""
    if isinstance(value, tuple):
        return type(value).__name__, tuple(bits(item) for item in value)
    kind = type(value).__name__
    if isinstance(value, float):
        return kind, "nan" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, complex):
        return kind, bits(value.real), bits(value.imag)
    return kind, value


def outcome(function, *args):
    """What a call gives or raises, in a form that compares."""
    try:
        value = function(*args)
    except Exception as error:
        return type(error).__name__, error.args
    return bits(value)


def check(function, *args, expected=None):
    """Compares the compiled function with plain Python for these arguments: value to the bit, type,
    exception with its arguments. The interpreter must agree with both. `function` may be compiled
    already, so that one compilation serves many checks."""
    compiled = function if hasattr(function, "py_func") else rumba.njit(function)
    wanted = outcome(expected or compiled.py_func, *args)
    found = outcome(compiled, *args)
    assert found == wanted, f"{compiled.__name__}{args}: compiled {found}, expected {wanted}"
    found = outcome(rumba.testing.interpret, compiled, *args)
    assert found == wanted, f"{compiled.__name__}{args}: interpreted {found}, expected {wanted}"


def check_all(function, table, **options):
    """`check` for each tuple of arguments; all that differ are told at once."""
    compiled = function if hasattr(function, "py_func") else rumba.njit(function)
    wrong = []
    for args in table:
        try:
            check(compiled, *args, **options)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong[:20])


def define(source, **names):
    """A function from the text of an expression over a, b, c: `define("a + b")`."""
    parameters = [name for name in ("a", "b", "c", "d") if name in _names(source)]
    space = dict(names)
    text = source if "\n" in source else f"def f({', '.join(parameters)}): return {source}"
    exec(compile(text, f"<{source}>", "exec"), space)
    return space["f"]


def _names(source):
    return compile(source, "<expression>", "eval").co_names if "\n" not in source else ()


@contextlib.contextmanager
def forgotten_overloads():
    """What libraries register in here for builtins and operators is not seen by other tests."""
    from rumba.extending import overload_registry
    # It registers when it is imported, which must not be in here.
    import rumba.ufuncs.overloads  # noqa: F401

    functions = {name: list(known) for name, known in overload_registry._functions.items()}
    members = {key: list(known) for key, known in overload_registry._members.items()}
    providers = list(overload_registry._providers)
    yield
    for name, known in overload_registry._functions.items():
        # Rumba's own library registers once per process.
        before = functions.setdefault(name, [])
        before.extend(one for one in known if one.library and one not in before)
    overload_registry._functions.clear()
    overload_registry._functions.update(functions)
    overload_registry._members.clear()
    overload_registry._members.update(members)
    overload_registry._providers[:] = providers
    overload_registry._failures.clear()


def overloaded(*implementations, **options):
    """A function that is known by these overloads alone, in this order."""
    from rumba.extending import overload

    def function(*args):
        raise NotImplementedError

    for one in implementations:
        overload(function, **options)(one)
    return function


def caller(function):
    """A compiled function that calls another one."""
    from rumba import njit

    @njit
    def call(x):
        return function(x)

    return call
