"""`import` statements in compiled functions: modules are imported when the function compiles."""
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError
from support import check


def names(x):
    from math import pi, sqrt
    return sqrt(x) + pi


def renamed(x):
    import math as m
    import numpy.linalg as la
    from numpy import linalg
    return m.floor(x), float(la.norm(np.ones(4) * x)), float(linalg.norm(np.ones(3)))


def dotted(x):
    import numpy
    import numpy.random
    return float(numpy.linalg.norm(numpy.ones(4) * x)), numpy.e


def in_a_loop(x):
    total = 0.0
    for i in range(5):
        import math
        total += math.sqrt(i + x)
    return total


def in_inner_functions(x):
    import math

    def root(y):
        return math.sqrt(y)

    return root(x) + sum(math.sqrt(i) for i in range(3))


def with_a_handler(x):
    try:
        import math
    except ImportError:
        return -1.0
    return math.sin(x)


def on_one_branch(x):
    if x > 2.0:
        from math import sin
        return sin(x)
    return x


@pytest.mark.parametrize("function", [names, renamed, dotted, in_a_loop, in_inner_functions, with_a_handler, on_one_branch])
def test_imports(function):
    check(function, 2.25)
    check(function, 1.0)


def test_a_module_that_is_not_there():
    @njit
    def f():
        import no_such_module
        return no_such_module.x

    with pytest.raises(TypingError, match="No module named 'no_such_module'"):
        f()


def test_a_name_that_is_not_there():
    @njit
    def f():
        from math import sine
        return sine(1.0)

    with pytest.raises(TypingError, match="cannot import name 'sine' from 'math'"):
        f()


def test_modules_of_the_functions_package(tmp_path, monkeypatch):
    package = tmp_path / "imports_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "constants.py").write_text("STEPS = 3\n")
    (package / "functions.py").write_text(
        "from rumba import njit\n\n@njit\ndef f():\n    from .constants import STEPS\n    from . import constants\n"
        "    return STEPS + constants.STEPS\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from imports_package import functions
    assert functions.f() == 6
    for name in [name for name in sys.modules if name.startswith("imports_package")]:
        del sys.modules[name]
