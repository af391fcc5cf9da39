"""Support for tests: the reference interpreter behind a dispatcher, tags."""

# Seconds that a test may take.
TIMEOUT = 1200


def interpret(dispatcher, *args):
    """Runs the function's Explicit phase in the reference interpreter.

    `dispatcher` is compiled for the types of `args` as a call would compile it. Returns what the
    call would return and raises what it would raise.

        >>> import rumba, rumba.testing
        >>> add = rumba.njit(lambda a, b: a + b)
        >>> rumba.testing.interpret(add, 1, 2)
        3
    """
    from . import _rumba

    return _rumba.interpreter.run(dispatcher, *args)


def execute(function, phase, *args):
    """Runs a phase of a function on Python objects, op by op.

    `phase` is "untyped" (`function` is a plain or compiled function, `args` are any Python values)
    or "typed" (`function` is compiled for the types of `args`).

        >>> import rumba, rumba.testing
        >>> rumba.testing.execute(lambda a, b: a + b, "untyped", [1], [2])
        [1, 2]
        >>> rumba.testing.execute(rumba.njit(lambda a, b: a / b), "typed", 1, 2)
        0.5
    """
    from . import _rumba

    if phase == "typed":
        return _rumba.interpreter.run_typed(function, *args)
    return _rumba.execute(getattr(function, "py_func", function), phase, *args)


class SerialMixin:
    """Marks test classes that must not run concurrently with others."""

    _numba_parallel_test_ = False


def skip_on_cudasim(reason):
    """A decorator of tests that the simulator of CUDA cannot run: there is none, so they run."""
    return lambda test: test


def skip_unless_cudasim(reason):
    """A decorator of tests for the simulator of CUDA: there is none, so they are skipped."""
    import unittest

    return unittest.skip(reason)


def make_tag_decorator(known_tags):
    """A decorator that notes tags on tests: `tag("slow")` sets `function.tags`."""
    known = set(known_tags)

    def tag(*tags):
        if not known.issuperset(tags):
            raise ValueError(f"unknown tags: {sorted(set(tags) - known)}")

        def decorate(test):
            test.tags = set(tags) | getattr(test, "tags", set())
            return test

        return decorate

    return tag


def load_testsuite(loader, folder):
    """A suite of the tests in a folder, `test_*.py` in it and in packages below: what a package's `load_tests` gives.

        >>> import unittest, rumba.testing
        >>> rumba.testing.load_testsuite(unittest.TestLoader(), ".").countTestCases() >= 0
        True
    """
    import os
    import unittest

    top = os.path.abspath(folder)
    while os.path.exists(os.path.join(os.path.dirname(top), "__init__.py")):
        top = os.path.dirname(top)
    return unittest.TestSuite(loader.discover(folder, "test_*.py", os.path.dirname(top)))
