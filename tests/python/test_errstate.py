"""`np.errstate` in compiled code, which computes without floating-point errors."""
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit


def silenced(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(x) / x
    with np.errstate(all="ignore"):
        for value in x:
            if value == 0:
                return logs, 1 / x, np.sqrt(x)
    return logs, x, x


@pytest.mark.parametrize("values", [[1.0, 0.0, -1.0], [2.0, 3.0], []])
def test_what_is_ignored_changes_nothing(values):
    x = np.array(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for found, expected in zip(njit(silenced)(x), silenced(x)):
            np.testing.assert_array_equal(found, expected)


def test_exceptions_pass():
    @njit
    def fail(n):
        with np.errstate(over="warn"):
            if n > 2:
                raise ValueError("too many")
        return n
    assert fail(1) == 1
    with pytest.raises(ValueError, match="too many"):
        fail(3)


@pytest.mark.parametrize("keyword, value", [("divide", "raise"), ("all", "print"), ("invalid", "call")])
def test_what_asks_for_errors_is_refused(keyword, value):
    space = {"np": np}
    exec(f"def ask(x):\n    with np.errstate({keyword}={value!r}):\n        return 1 / x", space)
    with pytest.raises(errors.TypingError, match="computes without floating-point errors"):
        njit(space["ask"])(np.ones(2))
