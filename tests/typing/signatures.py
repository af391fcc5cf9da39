"""What a type checker makes of the decorators: checked by mypy, and run by Python.

A compiled function has the signature of the function that it was made of, in all forms of the decorator. A line
that ends with a comment `type: ignore[...]` is an error; a comment that is not needed is one, too.
"""
from collections.abc import Callable
from typing import assert_type

import rumba
from rumba import cfunc, jit, njit


@njit
def add(x: int, y: int = 2) -> int:
    """Plain."""
    return x + y


@njit(fastmath=True, nogil=True)
def half(x: float) -> float:
    """With options."""
    return x / 2


@njit("float64(float64)")
def double(x: float) -> float:
    """With a signature."""
    return 2 * x


@jit(["float64(float64)"], nopython=True)
def square(x: float) -> float:
    """With a list of signatures."""
    return x * x


@cfunc("float64(float64)")
def third(x: float) -> float:
    """A callback."""
    return x / 3


class Body:
    """A compiled function as a method."""

    @njit
    def length(self, x: float) -> float:
        """Never called."""
        return x


def typed() -> None:
    """What the results are."""
    assert_type(add(1), int)
    assert_type(add(1, y=3), int)
    assert_type(half(1.0), float)
    assert_type(double(1.0), float)
    assert_type(square(2.0), float)
    assert_type(add.py_func(1, 2), int)
    assert isinstance(add, rumba.Dispatcher)
    assert_type(third(3.0), float)
    assert_type(third.address, int)
    on_values: Callable[[float], float] = half
    assert on_values(2.0) == 1.0


def method() -> None:
    """A method does not ask for `self` again."""
    assert_type(Body().length(1.0), float)


def wrong() -> None:
    """What a type checker finds."""
    add("one")  # type: ignore[arg-type]
    add(1, 2, 3)  # type: ignore[call-arg]
    half(x="one")  # type: ignore[arg-type]
    njit(fast_math=True)  # type: ignore[call-overload]
    njit(error_model="c")  # type: ignore[call-overload]
    add.missing  # type: ignore[attr-defined]
    third("one")  # type: ignore[arg-type]
    Body().length()  # type: ignore[call-arg]


def errors() -> str:
    """Errors are exceptions with parts."""
    try:
        return str(add(1))
    except rumba.TypingError as error:
        return str(error)


if __name__ == "__main__":
    typed()
