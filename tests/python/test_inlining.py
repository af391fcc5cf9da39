"""`inline=`: bodies that go into their callers, and cost models that decide it call by call."""
import re

import pytest
from rumba import njit, types
from rumba.extending import overload


def long(x):
    total = 0
    for i in range(x):
        if i % 2:
            total += i
        elif i % 3:
            total -= i * x
        else:
            total += i // (x + 1)
    return total


def functions_of(function):
    """How many functions the machine code of the only specialization has."""
    text = function.inspect_llvm(function.signatures[0])
    return len(re.findall(r"^define", text, re.M))


def caller_of(callee):
    @njit
    def caller(x):
        return callee(x) + callee(x + 1) + callee(x + 2) + callee(x + 3) + callee(x * 2) + callee(x * 3)

    return caller


def expected(x):
    return sum(map(long, (x, x + 1, x + 2, x + 3, x * 2, x * 3)))


@pytest.mark.parametrize("option, functions", [
    ("always", 1), (lambda expr, caller, callee: True, 1), (lambda expr, caller, callee: False, 2), ("never", 2)])
def test_the_option_decides_about_long_functions(option, functions):
    caller = caller_of(njit(inline=option)(long))
    assert caller(7) == expected(7)
    assert functions_of(caller) == functions


def test_a_recursive_function_stays_a_function():
    @njit(inline="always")
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @njit
    def caller(n):
        return factorial(n) + factorial(n + 1)

    assert caller(5) == 120 + 720


def test_a_cost_model_is_shown_each_call():
    seen = []

    def cost(expr, caller, callee):
        seen.append((
            caller.func_id.func_name, callee.func_id.func_name, expr.op, [arg.name for arg in expr.args],
            [(name, value.name) for name, value in expr.kws], expr.vararg is not None))
        assert caller.get_definition(expr.func).value is added
        assert callee.arg_names == ("x", "y") and len(callee.blocks) == 1
        return True

    @njit(inline=cost)
    def added(x, y=1):
        return x + y

    @njit
    def caller(x):
        total = 0
        for i in range(3):
            total += added(x, y=i)
        return total + added(*(x, 2))

    assert caller(3) == 12 + 5
    assert seen == [
        ("caller", "added", "call", ["x"], [("y", "i")], False),
        ("caller", "added", "call", [], [], True),
    ]


def test_constants_of_a_callee_can_be_read():
    seen = []

    def cost(expr, caller, callee):
        for block in callee.blocks.values():
            seen.extend(one.value.value for one in block.body if type(getattr(one, "value", None)).__name__ == "Const")
        return False

    @njit(inline=cost)
    def callee():
        return 12345

    @njit
    def caller():
        return callee()

    assert caller() == 12345 and seen == [12345]


def test_what_a_cost_model_raises_ends_the_compilation():
    def cost(expr, caller, callee):
        raise ZeroDivisionError("the model failed")

    callee = njit(inline=cost)(lambda x: x)

    @njit
    def caller(x):
        return callee(x)

    with pytest.raises(ZeroDivisionError, match="the model failed"):
        caller(1)


def test_the_cost_model_of_an_overload_is_told_the_signature():
    seen = []

    def cost(expr, caller, callee):
        seen.append((callee.func_ir.func_id.func_name, callee.signature, caller.func_ir.func_id.func_name))
        return True

    def tripled(x):
        raise NotImplementedError

    @overload(tripled, inline=cost)
    def tripled_of(x):
        def implementation(x):
            return x * 3
        return implementation

    @njit
    def caller(x):
        return tripled(x)

    assert caller(2.5) == 7.5
    assert seen == [("implementation", types.float64(types.float64), "caller")]


def test_options_as_objects():
    from rumba.numba.core.cpu import InlineOptions

    def model(expr, caller, callee):
        return True

    flags = [(one.is_always_inline, one.is_never_inline, one.has_cost_model)
             for one in map(InlineOptions, ("always", "never", model))]
    assert flags == [(True, False, False), (False, True, False), (False, False, True)]
    with pytest.raises(ValueError, match="inline is"):
        InlineOptions("sometimes")


def test_a_function_may_call_more_than_500_others():
    added = {f"add{k}": njit(eval(f"lambda x: x + {k}")) for k in range(600)}
    source = "def total(x):\n    s = 0\n" + "".join(f"    s += {name}(x)\n" for name in added) + "    return s\n"
    exec(source, added)
    assert njit(added["total"])(2) == added["total"](2) == 600 * 2 + sum(range(600))
