"""Functions made inside of compiled functions: they share variables, and CPython is the oracle."""
import math

import numpy as np
import pytest
from rumba import errors, njit
from support import check


def counts_up(x):
    c = 0

    def add(y):
        nonlocal c
        c += y
        return c

    add(x)
    add(x)
    return c


def calls_itself(n):
    def factorial(k):
        return 1 if k < 2 else k * factorial(k - 1)

    return factorial(n)


def sees_the_loop_variable(x):
    total = 0
    for i in range(5):
        times = lambda y: y * i + x  # noqa: E731
        total += times(2)
    return total


def sees_a_later_value(x):
    def add(y):
        return y + c

    c = 10
    first = add(x)
    c = 20
    return first, add(x)


def has_defaults(x):
    add = lambda y, z=x * 2: y + z  # noqa: E731
    return add(1) + add(1, 5) + add(y=3) + add(z=4, y=x)


def has_named_defaults(x):
    def collect(a, b=x + 1, *, k=3, m=x * 0.5):
        return a + b * k + m

    return collect(x) + collect(1, 2, k=x) + collect(x, m=1, b=7)


def makes_a_maker(x):
    def maker(a):
        def add(b):
            return a + b + x

        return add

    return maker(3)(4) + maker(x)(x)


def takes_starred_and_named(x):
    def collect(*rest, k):
        return rest[0] + rest[1] * k

    return collect(x, 2, k=3)


def grows_to_float(x):
    c = 1

    def step(y):
        nonlocal c
        c = c * 1.5 + y
        return c

    step(x)
    return step(x)


def mutual(x):
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    return even(x)


def in_a_tuple(x):
    functions = (lambda y: y + x, lambda y: y * x)
    return functions[0](3) + functions[1](4)


def in_a_loop(x):
    total = 0

    def add(v):
        nonlocal total
        total += v

    for i in range(x):
        add(i)
    return total


def two_deep(x):
    level = 1

    def outer(y):
        def inner(z):
            nonlocal level
            level += z
            return level * y

        return inner(y) + inner(1)

    return outer(x) + level


def unbound(x):
    if x > 100:
        c = x

    def read():
        return c

    return read()


@njit
def apply(function, x):
    return function(x)


@njit
def twice(function, x):
    return apply(function, apply(function, x))


def passed_on(x):
    def add(y):
        return y + x

    return twice(add, x) + apply(lambda y: y * 2.5, x)


PROGRAMS = [counts_up, calls_itself, sees_the_loop_variable, sees_a_later_value, has_defaults,
            has_named_defaults, makes_a_maker,
            takes_starred_and_named, grows_to_float, mutual, in_a_tuple, in_a_loop, two_deep]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("level", [0, 2, 3])
def test_against_cpython(program, level):
    compiled = njit(_opt_level=level)(program)
    for x in (0, 1, 3, 7):
        wanted = program(x)
        assert compiled(x) == wanted
        assert type(compiled(x)) is type(wanted)


def test_closures_are_passed_on():
    compiled = njit(passed_on)
    for x in (0, 1, 3, 7):
        assert compiled(x) == x + x + x + x * 2.5


def test_a_variable_without_a_value():
    assert njit(unbound)(101) == 101
    with pytest.raises(NameError) as wanted:
        unbound(1)
    with pytest.raises(NameError) as got:
        njit(unbound)(1)
    assert (type(got.value), str(got.value)) == (type(wanted.value), str(wanted.value))


def test_a_shared_variable_has_one_type():
    @njit
    def program(x):
        c = x

        def change():
            nonlocal c
            c = slice(1, 2)

        change()
        return c

    with pytest.raises(errors.TypingError, match="Cannot unify .* for 'c'"):
        program(1)


def returned(x, factor):
    c = x

    def scale(y, shift=x * 0.5):
        return y * factor + c + shift

    return scale


def test_a_returned_closure_takes_its_values_along():
    compiled = njit(returned)
    for arguments in ((2, 3), (2.5, 1j), (True, 4)):
        mine, wanted = compiled(*arguments), returned(*arguments)
        assert (mine(7), mine(7, 1)) == (wanted(7), wanted(7, 1))
        assert mine.py_func.__code__ is wanted.__code__
        assert [cell.cell_contents for cell in mine.py_func.__closure__] == [
            cell.cell_contents for cell in wanted.__closure__]


def test_defaults_come_along():
    def outer(x):
        def collect(a, b=x, c=2, *, k=3, m=x * 0.5):
            return a + b * k + m * c

        return collect

    mine, wanted = njit(outer)(4), outer(4)
    assert mine.py_func.__defaults__ == wanted.__defaults__
    assert mine.py_func.__kwdefaults__ == wanted.__kwdefaults__
    assert mine(1) == wanted(1)
    assert mine(1, 2, k=5) == wanted(1, 2, k=5)


def test_returned_closures_are_called_in_compiled_code():
    make = njit(returned)

    @njit
    def program(x):
        scale, other = make(x, 2), make(1.5, 3)
        return scale(1) + other(2, 0.25)

    for x in (1, 2.5):
        assert program(x) == returned(x, 2)(1) + returned(1.5, 3)(2, 0.25)


def test_closures_come_out_of_tuples_and_do_not_leak():
    import gc
    import sys

    @njit
    def program(x):
        return (lambda y: x + y), x

    function, x = program(5)
    assert function(3) == 8 and x == 5
    value = 12345678901
    before = sys.getrefcount(value)
    for _ in range(100):
        program(value)
    gc.collect()
    assert sys.getrefcount(value) <= before + 1


def test_random_programs():
    from tests.differential import closures

    assert sum(closures.check(seed) for seed in range(60)) >= 57


def of_one(k):
    a = lambda x: x + k  # noqa: E731
    return lambda x: a(x)


def of_three(k):
    a = lambda x: x + k  # noqa: E731
    b = lambda x: a(x) * 2  # noqa: E731
    c = lambda x: b(x) + a(x)  # noqa: E731
    return lambda x: c(b(x))


def of_a_choice(k):
    a = lambda x: x + k  # noqa: E731
    b = lambda x: x - k  # noqa: E731
    f = a if k > 2 else b
    return lambda x: f(x)


def of_a_default(k):
    a = lambda x: x + k  # noqa: E731

    def g(x, f=a):
        return f(x)
    return g


def of_a_tuple(k):
    t = (lambda x: x + k, k)
    return lambda x: t[0](x) + t[1]


def one_of_two(k):
    a = lambda x: x + k  # noqa: E731
    b = lambda x: a(x) * 2  # noqa: E731
    if k > 2:
        return lambda x: a(x)
    return lambda x: b(x)


def of_a_variable_that_changes(k):
    n = k
    a = lambda x: x + n  # noqa: E731
    n = k + 0.5
    return lambda x: a(x)


def of_nested_functions(k):
    def outer(x):
        def inner(y):
            return y + k
        return inner(x) + k
    return lambda x: outer(x)


@pytest.mark.parametrize("make", [
    of_one, of_three, of_a_choice, of_a_default, of_a_tuple, one_of_two, of_a_variable_that_changes, of_nested_functions,
])
def test_returned_functions_capture_functions(make):
    compiled = njit(make)

    def used(k, x):
        return compiled(k)(x)
    for k, x in ((3, 1), (1, 5), (2.5, 1)):
        wanted = make(k)(x)
        for result in (compiled(k)(x), njit(used)(k, x)):
            assert result == wanted and type(result) is type(wanted)


@pytest.mark.parametrize("value", [4, "xyz", b"xyz", (4, "xyz"), ("xyz", (2.5, "a")), None, True, 2.5])
def test_returned_functions_return_functions(value):
    def outer(p):
        return lambda a: lambda b: (p, a, b)

    def around(p):
        return njit(lambda a: lambda b: (p, a, b))

    @njit
    def deeper(p):
        return lambda a: lambda b: lambda c: (p, a, b, c)

    assert njit(outer)(value)("a")(5) == around(value)("a")(5) == (value, "a", 5)
    assert deeper(value)("a")(5)(value) == (value, "a", 5, value)


def assigned_later(p1):
    v5 = (lambda x4: lambda x3: p1)(p1)
    p1 = 0
    return v5


def read_twice(p1):
    v = (lambda a: lambda b: p1 + a + b)(2)
    p1 = 10
    r = v(1)
    p1 = 100
    return lambda q: r + v(q)


def assigned_before(k):
    n = k
    if k > 2:
        n = k + 1
    f = (lambda a: lambda b: n + a + b)(1)
    return lambda q: f(q) + n


def in_a_tuple(k):
    n = 0
    fs = ((lambda a: lambda b: n + a + b)(1), (lambda a: lambda b: n * a + b)(2))
    for i in range(k):
        n += i
    t = fs[0](1) + fs[1](2)
    return lambda q: t + fs[0](q)


def changed_by_what_is_returned(k):
    n = 0
    def bump(a):
        def inner(b):
            nonlocal n
            n += a * b
            return n
        return inner
    g = bump(3)
    g(1)
    g(k)
    r = n
    return lambda q: q + r


def one_of_two_with_cells(k):
    n = 0
    def pick(a):
        if a > 2:
            return lambda b: n + a + b
        return lambda b: n - a - b
    f = pick(k)
    n = 7
    return lambda q: f(q)


def through_recursion(k):
    n = k
    def rec(d):
        if d > 3:
            return lambda b: n + d + b
        return rec(d + 1)
    f = rec(0)
    n = 50
    return lambda q: f(q)


def three_deep(k):
    n = k
    def deep(a):
        return lambda b: lambda c: n + a + b + c
    g = deep(1)
    n += 1
    h = g(2)
    n += 1
    return lambda q: h(q)


def a_string(k):
    n = "a"
    f = (lambda a: lambda b: n + a + b)("x")
    n += "b" * k
    return lambda q: f("z") * q


def out_of_a_generator(k):
    n = k
    def gen(a):
        yield lambda b: n + a + b
        yield lambda b: n + a + b
    t = 0
    for f in gen(1):
        n += 5
        t += f(2)
    return lambda q: q + t


@pytest.mark.parametrize("make", [
    assigned_later, read_twice, assigned_before, in_a_tuple, changed_by_what_is_returned,
    one_of_two_with_cells, through_recursion, three_deep, a_string, out_of_a_generator,
])
def test_what_inner_functions_return_sees_later_values(make):
    for k in (1, 5):
        wanted, found = make(k), njit(make)(k)
        assert [found(3), found(4)] == [wanted(3), wanted(4)]


def test_what_other_functions_return_sees_later_values():
    @njit
    def twice(f):
        return lambda x: f(f(x))

    @njit
    def changed(k):
        n = k
        g = twice(lambda x: x + n)
        n = 20
        return lambda q: g(q)
    assert changed(1)(3) == 43


def test_returned_functions_capture_functions_over_memory():
    for make in (of_one, of_three, of_a_default, of_a_tuple, of_nested_functions):
        for k, x in ((np.arange(3.0), 1.5), ("ab", "c")):
            if make is of_three and isinstance(k, str):
                continue
            np.testing.assert_array_equal(njit(make)(k)(x), make(k)(x))


def test_functions_that_are_passed_on_are_captured():
    @njit
    def twice(f):
        return lambda x: f(f(x))

    @njit
    def make(k):
        a = lambda x: x + k  # noqa: E731
        return twice(twice(a))
    assert make(3)(1) == 13 and make(0.5)(1) == 3.0


def test_tuples_of_functions_that_capture_functions():
    @njit
    def make(k):
        a = lambda x: x + k  # noqa: E731
        return a, lambda x: a(a(x)), k
    one, two, k = make(3)
    assert (one(1), two(1), k) == (4, 7, 3)


def test_a_shared_variable_that_no_path_binds_raises():
    def of_itself(n):
        while n > 5:
            k += 1
            shares = lambda: k == k
        return n

    def bound_behind(n):
        for i in range(n):
            seen = k
            k = i
            shares = lambda: k
        return n

    def in_an_inner_function(n):
        def inner():
            return k

        if n > 5:
            return inner()
        while n < 0:
            k = 1
        return n

    for function in (of_itself, bound_behind, in_an_inner_function):
        compiled = njit(function)
        assert compiled(0) == function(0)
        with pytest.raises(NameError) as wanted:
            function(6)
        with pytest.raises(type(wanted.value)) as found:
            compiled(6)
        assert found.value.args == wanted.value.args


def test_captured_constants_decide_branches():
    def make(width, function, limit=0.0):
        @njit
        def drawn(x):
            thick = 0
            if width > limit:
                thick = function(x)
            if not width:
                return thick, -x
            return thick, function(x)

        return drawn

    one_more = njit(lambda x: x + 1)
    for width in (0, 0.0, -0.0):
        assert make(width, None)(3) == (0, -3)
    for width in (1, 2.5, math.inf):
        assert make(width, one_more)(3) == (4, 4)
    # NaN is true, and greater than nothing.
    assert make(math.nan, one_more)(3) == (0, 4)
    assert make(2**53 + 1, one_more, 2.0**53)(3) == (4, 4)
    compared = njit(lambda: (1.5 < 2, 2 == 2.0, 1.5 != 1.5, 3 >= 3.5, bool(0.5), not 0.0))
    assert compared() == compared.py_func()


@pytest.mark.parametrize("n", [0, 1])
def test_an_unbound_name_of_the_function_around(n):
    def comprehension(n):
        if n == 0:
            y = 3
        return [y + i for i in range(2)]

    def function(n):
        if n == 0:

            def add(x):
                return x + 1

        return [add(i) for i in range(2)]

    def generator(n):
        if n == 0:
            y = 3
        return sum(y + i for i in range(2))

    def own(n):
        if n == 0:
            y = 3
        total = sum(y for i in range(2)) if n == 0 else 0
        return total + y

    for f in (comprehension, function, generator, own):
        check(f, n)


def test_lists_in_captured_tuples():
    """They are constants with the items that they have when the function compiles."""
    axes, widths = ([0, 1], [0, 1]), ([1, 2], [3, 4])
    matrix = np.arange(9.0).reshape(3, 3)
    for function in (lambda a: np.tensordot(a, a, axes=axes), lambda a: np.pad(a, widths), lambda a: (axes[0][1], len(widths), widths[1][0] + a[0, 1])):
        compiled = njit(function)
        np.testing.assert_array_equal(np.asarray(compiled(matrix)), np.asarray(function(matrix)))
