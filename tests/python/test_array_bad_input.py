"""What is wrong with arrays and sizes: the exception and message of NumPy, or of Numba where types are wrong."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture
from test_arrays import same

import rumba
from rumba import njit
from rumba.errors import TypingError
from rumba.nrt_stats import rtsys


def readonly(a):
    a.setflags(write=False)
    return a


def define(body, count):
    """A function of a given number of arguments with this body."""
    space = {"np": np}
    parameters = ", ".join("abcd"[:count])
    exec(f"def f({parameters}):\n    " + body.replace("; ", "\n    "), space)
    return space["f"]


def outcome(function, args):
    given = [arg.copy() if isinstance(arg, np.ndarray) and arg.flags.writeable else arg for arg in args]
    try:
        return function(*given), None, given
    except Exception as error:
        return None, (type(error).__name__, str(error)), given


Z = np.zeros
GRID = np.arange(6.0).reshape(2, 3)
BIG = 2**62

# The body of a function, and its arguments. What NumPy does with them is what compiled code does.
AT_RUN_TIME = [
    # Places that are outside.
    ("return a[3]", Z(3)),
    ("return a[-4]", Z(3)),
    ("return a[b]", Z(3), BIG),
    ("return a[b]", Z(3), -BIG),
    ("return a[b]", Z(3), np.uint8(200)),
    ("return a[0]", Z(0)),
    ("return a[0]", Z((0, 3))),
    ("return a[0, 0]", Z((3, 0))),
    ("return a[1, 3]", GRID),
    ("return a[2, 3]", GRID),
    ("return a[..., -9]", GRID),
    ("a[5] = 1; return a", Z(3)),
    ("a[1, 9] = 1; return a", GRID),
    ("a[7] += 1; return a", Z(3)),
    ("return a[:, b]", GRID, 4),
    ("return a[b]", GRID, np.array([0, 2])),
    ("return a[b, b]", GRID, np.array([1, 2])),
    ("a[b] = 5; return a", GRID, np.array([1, -3])),
    # Steps, shapes.
    ("return a[::b]", Z(3), 0),
    ("a[::b] = 1; return a", Z(3), 0),
    ("a[:] = b; return a", Z(3), Z(2)),
    ("a[:] = b; return a", Z(3), Z(0)),
    ("a[:] = b; return a", Z(0), Z(3)),
    ("a[:] = b; return a", Z((2, 3)), Z((3, 2))),
    ("a[:] = b; return a", Z((2, 3)), Z((2, 2, 3))),
    ("a[:] = b; return a", Z((2, 3)), Z((1, 1, 3))),
    ("a[:] = b; return a", Z((2, 3)), Z((1, 3, 2))),
    ("a[None, 1:] = b; return a", Z(4), Z((1, 2, 2))),
    ("a[0] = b; return a", Z((2, 3)), Z(2)),
    ("a[...] = b; return a", Z(()), Z(2)),
    ("a += b; return a", Z(3), Z(2)),
    ("a[1:] -= b; return a", Z(3), Z(3)),
    ("a[b] = c; return a", Z(3), np.array([0, 1]), Z(3)),
    ("a[b] = c; return a", Z(3), np.array([True, False, True]), Z(3)),
    ("a[b] = 1; return a", Z(3), np.array([True, False])),
    ("return a[b]", Z(3), np.array([True] * 4)),
    ("return a[b, c]", GRID, np.array([0, 1]), np.array([0, 1, 2])),
    # Sizes.
    ("return np.zeros(a)", -1),
    ("return np.empty((2, a))", -1),
    ("return np.full(a, 1.5)", -BIG),
    ("return np.ones((a, 0))", -1),
    ("return np.zeros(a)", BIG),
    ("return np.empty((a, a))", 2**40),
    ("return np.empty((a, 2))", BIG),
    ("return np.empty((0, a))", BIG),
    ("return np.zeros((a, 0)).shape", 2**40),
    ("return np.zeros(a).shape", 0),
    ("return np.zeros((0, a, 0)).shape", 5),
    ("return np.arange(a)", BIG),
    ("return np.arange(a)", -3),
    ("return np.arange(1, 2, a)", 0),
    ("return np.zeros(a)[:2]", 0),
    # Nothing at all.
    ("a[:] = 1; return a[::-1]", Z(0)),
    ("return a[1:1], a[5:], a[:-9]", Z(3)),
    ("return a[b]", Z(0), np.array([], int)),
    ("return a[b]", Z((3, 0)), np.array([0, 2])),
    ("a[b] = 3; return a", Z((0, 2)), Z((0, 2), bool)),
    ("a += b; return a", Z((0, 3)), Z(3)),
    # No dimension.
    ("return a[...]", Z(())),
    ("return a[None], a[None, ...]", np.array(2.5)),
    ("a[()] = 3; return a", Z(())),
    ("a[...] = b; return a", Z(()), np.array(5)),
    ("a += 2; return a", Z(())),
    ("a[0] = b; return a", Z(3), np.array(2)),
]


@pytest.mark.parametrize("case", AT_RUN_TIME, ids=lambda case: case[0].replace("return ", "") + str(np.shape(case[1])))
def test_at_run_time(case):
    body, *args = case
    function = define(body, len(args))
    wanted, raised, changed = outcome(function, args)
    got, error, found = outcome(njit(function), args)
    assert error == raised
    same(got, wanted)
    for one, other in zip(found, changed):
        same(one, other)


# The same where types alone tell that it is wrong: the function does not compile, and says why.
DOES_NOT_COMPILE = [
    ("return a[0]", "too many indices for array: array is 0-dimensional, but 1 were indexed", Z(())),
    ("return a[0, 1]", "too many indices for array: array is 1-dimensional, but 2 were indexed", Z(3)),
    ("return a[None, 0, ..., 1, :]", "too many indices for array: array is 2-dimensional, but 3 were indexed", GRID),
    ("return a[b]", "too many indices for array: array is 1-dimensional, but 2 were indexed", Z(3), Z((3, 1), bool)),
    ("a[0, 1] = 1", "too many indices for array: array is 1-dimensional, but 2 were indexed", Z(3)),
    ("return a[..., ...]", "an index can only have a single ellipsis ('...')", GRID),
    ("return a[1.5]", "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays", Z(3)),
    ("return a['x']", "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays", Z(3)),
    ("return a[b]", "arrays used as indices must be of integer (or boolean) type", Z(3), Z(2)),
    ("for x in a: pass", "iteration over a 0-d array", Z(())),
    ("return len(a)", "len() of unsized object", Z(())),
    ("a[0] = 1", "Cannot modify readonly array of type: readonly array(float64, 1d, C)", readonly(Z(3))),
    ("a[:] = 1", "Cannot modify readonly array", readonly(Z(3))),
    ("a[b] = 1", "Cannot modify readonly array", readonly(Z(3)), np.array([0])),
    ("a += 1", "Cannot modify readonly array", readonly(Z(3))),
    ("a[0] = 1j", "operator.setitem", Z(3)),
    ("a[0] = b", "operator.setitem", Z(3), Z(1)),
    ("a[()] = b", "the index names one place", Z(()), Z(1)),
    ("a[:] = 'x'", "operator.setitem", Z(3)),
    ("a += 1.5", "operator.iadd", np.arange(3)),
    ("a /= 2", "operator.itruediv", np.arange(3)),
    ("a += b", "operator.iadd", np.arange(3), Z((2, 3), int)),
    ("a += 300", "operator.iadd", np.arange(3, dtype="u1")),
    ("return np.zeros(a)", "numpy.zeros", 2.5),
    ("return np.zeros((a, 1.5))", "numpy.zeros", 2),
    ("return a.nothing", "nothing", Z(3)),
    ("return a[0].x", "x", Z(3)),
]


@pytest.mark.parametrize("case", DOES_NOT_COMPILE, ids=lambda case: case[0] + case[1][:30])
def test_at_compile_time(case):
    body, message, *args = case
    with pytest.raises(TypingError) as error:
        njit(define(body, len(args)))(*args)
    assert message in str(error.value)


def test_sizes_beyond_memory():
    """An error, no crash, and nothing is left behind."""
    for body in ("return np.empty(a).size", "return np.zeros((a, 2)).size", "return np.ones(a, np.int8).size"):
        with pytest.raises(MemoryError):
            njit(define(body, 1))(2**46)


WRONG_ARGUMENTS = [Z((2, 2)), Z(3, "i4"), Z(3, "f4"), 1.5, None, [object()], "a", readonly(Z(3)), Z(3, ">f8"), Z(2, object), Z(())]


@pytest.mark.parametrize("value", WRONG_ARGUMENTS, ids=lambda value: str(np.shape(value)) + type(value).__name__)
def test_arguments_of_an_explicit_signature(value):
    called = []
    function = njit("f8(f8[:])")(lambda a: a[0])
    assert function(Z(3)[::2]) == 0
    for _ in range(2):
        with pytest.raises(TypeError) as error:
            function(value)
        called.append(str(error.value))
    try:
        name = str(rumba.typeof(value))
    except Exception:
        name = "pyobject"
    first_lines = [text.partition("\n")[0] for text in called]
    assert first_lines == [f"error[R0310]: No matching definition for argument type(s) {name}"] * 2


def test_layouts_of_an_explicit_signature():
    rows = njit("f8(f8[:,::1])")(lambda a: a[0, 0])
    assert rows(GRID) == 0
    for value, name in [(GRID.T, "array(float64, 2d, F)"), (GRID[:, ::2], "array(float64, 2d, A)")]:
        with pytest.raises(TypeError, match="No matching definition for argument type"):
            rows(value)
    writable = njit("void(f8[:])")(lambda a: None)
    with pytest.raises(TypeError, match="readonly array"):
        writable(readonly(Z(3)))
    unaligned = np.zeros(3, dtype=[("a", "i1"), ("b", "f8")])["b"]
    with pytest.raises(TypeError, match="No matching definition"):
        writable(unaligned)


def test_results_of_an_explicit_signature():
    with pytest.raises(TypingError):
        njit("f8[:,:](f8[:])")(lambda a: a)
    with pytest.raises(TypingError):
        njit("f4[:](f8[:])")(lambda a: a)


def test_errors_leave_nothing_behind():
    """Every block that a failing function made is freed, whatever came before."""
    @njit
    def fails(n, index, value):
        a = np.zeros(n)
        b = a[1:]
        c = np.arange(n)[index]
        b[index] = value
        a[index] += c
        return a, b, c

    before = rtsys.get_allocation_stats()
    for index, value in [(np.array([0, 50]), 1.0), (np.array([0, 1]), Z(3)), (np.array([True] * 3), 2.0),
                         (np.array([0, -60]), Z(2)), (np.array([0, 9]), 1.0)]:
        with pytest.raises((IndexError, ValueError)):
            fails(10, index, value)
    with pytest.raises(ValueError):
        fails(-1, np.array([0]), 1.0)
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
