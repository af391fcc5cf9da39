"""`stencil` beside the same kernel in plain Python: random kernels, dimensions, layouts, options; errors."""
import itertools
import random

import numpy as np
import pytest
import rumba.numba as numba
from rumba import errors, njit, stencil

NUMBER = 0.25
OFFSET = 1


class Point:
    """An array seen from an item, for a kernel that Python runs."""

    def __init__(self, array, at):
        self.array, self.at = array, at
        self.shape, self.ndim = array.shape, array.ndim

    def __len__(self):
        return len(self.array)

    def __getitem__(self, offsets):
        offsets = offsets if isinstance(offsets, tuple) else (offsets,)
        places = tuple(slice(at + by.start, at + by.stop) if isinstance(by, slice) else at + by for at, by in zip(self.at, offsets))
        item = self.array[places]
        # Compiled code computes with integers of 64 bits.
        return np.int64(item) if isinstance(item, np.integer) else item


def plain(kernel, reach, args, out=None, cval=None, standard=()):
    """What a stencil gives, item by item."""
    first = args[0]
    ranges = [range(max(0, -low), max(first.shape[axis] - max(0, high), 0)) for axis, (low, high) in enumerate(reach)]
    inside = list(itertools.product(*ranges))

    def at(place):
        return kernel(*(Point(arg, place) if isinstance(arg, np.ndarray) and number not in standard else arg
                        for number, arg in enumerate(args)))

    values = [at(place) for place in inside]
    if out is None:
        sample = values[0] if values else np.float64(0)
        out = np.full(first.shape, 0 if cval is None else cval, np.asarray(sample).dtype)
    elif cval is not None:
        edge = np.ones(first.shape, bool)
        if inside:
            edge[np.ix_(*ranges)] = False
        out[tuple(slice(0, length) for length in first.shape)][edge] = cval
    for place, value in zip(inside, values):
        out[place] = value
    return out


def same(found, wanted):
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.dtype, wanted.dtype, found.shape)
    assert found.tobytes() == wanted.tobytes(), (found, wanted)


def check(kernel, reach, *args, out=None, **options):
    """A stencil from Python, in compiled code, and made in compiled code."""
    standard = options.get("standard_indexing", ())
    numbers = [kernel.__code__.co_varnames.index(name) for name in standard]
    made = stencil(kernel, **options)
    wanted = plain(kernel, reach, args, None if out is None else out.copy(), options.get("cval"), numbers)

    def inside(args):
        return made(*args)

    def into(out, args):
        return made(*args, out=out)

    if out is None:
        same(made(*args), wanted)
        same(njit(inside)(args), wanted)
    else:
        for call in (lambda given: made(*args, out=given)), (lambda given: njit(into)(given, args)):
            given = out.copy()
            assert call(given) is given
            same(given, wanted)


def array(shape, dtype=np.float64, seed=0):
    values = np.random.default_rng(seed).random(shape) * 100 - 50
    return values > 0 if dtype is np.bool_ else values.astype(dtype)


def test_usual_kernels():
    check(lambda a: a[-1] + a[0] + a[1], [(-1, 1)], array(20))
    check(lambda a: NUMBER * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0]), [(-1, 1)] * 2, array((7, 9)))
    check(lambda a: a[0, 0, 1] + a[0, -1, 0] * a[2, 0, 0], [(0, 2), (-1, 0), (0, 1)], array((5, 6, 7)))
    check(lambda a: a[0, 0, 0, 1] - a[0, -1, 0, 0] + a[1, 0, 2, 0], [(0, 1), (-1, 0), (0, 2), (0, 1)], array((3, 4, 5, 6)))
    check(lambda a: a[-1, -1] ^ a[0, 0] ^ a[1, 1], [(-1, 1)] * 2, array((5, 6), np.bool_))
    check(lambda a: a[0, 1] + 1j, [(0, 0), (0, 1)], array((5, 6)))
    check(lambda a, w, b: w * a[1] - b[-1], [(-1, 1)], array(9), 0.5, array(12, np.float64, 1))


def test_constant_offsets():
    """Offsets are found by way of names, globals, captured values and arithmetic."""
    k = 2

    def names(a):
        c = 2
        here = (-c + 1, OFFSET)
        return a[-c + OFFSET, k] + a[here] + a[+k - c, c // 3] - a[7 % 4 - 3, -c * OFFSET]

    check(names, [(-1, 0), (-2, 2)], array((6, 8)))
    helper = njit(lambda a: a[k] + a[-OFFSET])
    python = helper.py_func
    made = stencil(lambda a: helper(a) * 2.0)
    same(made(array(9)), plain(lambda a: python(a) * 2.0, [(-1, 2)], (array(9),)))


def branches(a, w):
    """Several returns, a branch, an unused item that still counts."""
    unused = a[0, 2]  # noqa: F841
    if a[0, 1] > w:
        return 10
    elif a[-1, 0] < 0.0:
        return a[0, 0]
    return w * len(a) + a.shape[1] + a.ndim


def window(a):
    total = 0.0
    for i in range(-3, 1):
        for j in range(-1, 3):
            total += a[i, j]
    return total


def test_control_flow_and_neighborhoods():
    def branches_as_floats(a, w):
        return np.float64(branches(a, w))

    made = stencil(branches)
    wanted = plain(branches_as_floats, [(-1, 0), (0, 2)], (array((6, 7)), 3.0))
    same(made(array((6, 7)), 3.0), wanted)
    check(window, [(-3, 0), (-1, 2)], array((7, 9)), neighborhood=((-3, 0), (-1, 2)))
    check(window, [(-4, 2), (-2, 3)], array((9, 9)), neighborhood=((-4, 2), (-2, 3)))
    check(window, [(-3, 0), (-1, 2)], array((7, 9)), neighborhood=((-3, 0), (-1, 2)), cval=1.5)
    positive = stencil(lambda a: a[5] + a[7], neighborhood=((5, 7),))
    same(positive(array(12)), plain(lambda a: a[5] + a[7], [(5, 7)], (array(12),)))


def test_slices():
    a = array((6, 7), np.uint32, 3) + np.uint32(1)
    made = stencil(lambda a: np.sum(a[-1:2, -1:2]), neighborhood=((-1, 1), (-1, 1)))
    wanted = np.zeros((6, 7), np.uint64)
    for i, j in itertools.product(range(1, 5), range(1, 6)):
        wanted[i, j] = a[i - 1:i + 2, j - 1:j + 2].sum()
    same(made(a), wanted)
    found = stencil(lambda a: np.median(a[-1:3]))(array(9))
    assert found[1] == np.median(array(9)[:4]) and found[0] == 0 and found[-2] == 0


def test_borders():
    kernel = lambda a: a[0, 0] - a[1, -1]  # noqa: E731
    ints = array((5, 6), np.int64)
    for cval in (7, 7.0, True, np.float32(2.5), -3):
        check(kernel, [(0, 1), (-1, 0)], ints, cval=cval if cval != 2.5 else 2)
        check(kernel, [(0, 1), (-1, 0)], ints, out=np.ones((5, 6), np.int64), cval=cval if cval != 2.5 else 2)
    for cval in (np.nan, np.inf, -np.inf, 3):
        check(kernel, [(0, 1), (-1, 0)], array((5, 6)), cval=cval)
    check(kernel, [(0, 1), (-1, 0)], ints, out=np.ones((5, 6), np.float32))
    check(kernel, [(0, 1), (-1, 0)], ints, out=np.ones((7, 8), np.float64))
    check(kernel, [(0, 1), (-1, 0)], ints, out=np.ones((8, 5), np.int64).T)
    check(kernel, [(0, 1), (-1, 0)], array((5, 6)), cval=4, out=np.ones((7, 8)))


def test_standard_indexing():
    a, b = array((5, 6)), array((3, 3))
    check(lambda a, b: a[0, 1] * b[0, 1] + a[-1, 0] * b[-1, -1], [(-1, 0), (0, 1)], a, b, standard_indexing=("b",))
    same(stencil(lambda a, b: a[0, 1] + b[2, 0], standard_indexing="b")(a, b),
         plain(lambda a, b: a[0, 1] + b[2, 0], [(0, 0), (0, 1)], (a, b), standard=[1]))
    check(lambda a, t: a[-1] * t[0] + a[0] * t[1], [(-1, 0)], array(8), (3.0, 7.0), standard_indexing=("t",))

    @njit
    def with_list():
        return weighted(np.arange(6.0), [3.0, 7.0])

    weighted = stencil(lambda a, t: a[-1] * t[0] + a[0] * t[1], standard_indexing=("t",))
    same(with_list(), plain(lambda a, t: a[-1] * t[0] + a[0] * t[1], [(-1, 0)], (np.arange(6.0), [3.0, 7.0])))


LAYOUTS = (
    lambda a: a,
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=0)[::2],
    lambda a: a[::-1].copy()[::-1],
    lambda a: np.repeat(a, 3, axis=-1)[..., ::3],
    lambda a: np.ascontiguousarray(a.T).T,
)


def random_kernel(chance, ndim, count):
    """The text of a kernel over `count` arrays, and how far it looks."""
    terms, reach = [], [[0, 0] for _ in range(ndim)]
    for _ in range(chance.randint(2, 6)):
        offsets = [chance.randint(-2, 2) for _ in range(ndim)]
        for bounds, offset in zip(reach, offsets):
            bounds[:] = min(bounds[0], offset), max(bounds[1], offset)
        terms.append(f"{chance.choice('abc'[:count])}[{', '.join(map(str, offsets))}]")
    text = terms[0]
    for term in terms[1:]:
        text = f"({text} {chance.choice('+-*')} {term})"
    if not any(term.startswith("a") for term in terms):
        text = f"({text} + a[{', '.join('0' * ndim)}])"
    return text, [tuple(bounds) for bounds in reach]


@pytest.mark.parametrize("seed", range(28))
def test_random(seed):
    """The bits of kernels of random offsets, over arrays of several layouts and lengths, from none on."""
    chance = random.Random(seed)
    ndim, count = chance.choice((1, 1, 2, 2, 3, 4)), chance.randint(1, 3)
    dtype = chance.choice((np.float64, np.float32, np.int64, np.int32, np.complex128))
    text, reach = random_kernel(chance, ndim, count)
    kernel = eval(f"lambda {', '.join('abc'[:count])}: {text}")
    options = {"cval": chance.choice((1, -2))} if chance.random() < 0.5 else {}
    if chance.random() < 0.3:
        options["neighborhood"] = reach = [(low - chance.randint(0, 2), high + chance.randint(0, 2)) for low, high in reach]
    made = stencil(kernel, **options)
    for turn in range(4):
        shape = [chance.randint(0, 4 + 2 * turn) if turn else 9 for _ in range(ndim)]
        shapes = [shape] + [[length + chance.randint(0, 1) for length in shape] for _ in range(count - 1)]
        layout = chance.choice(LAYOUTS) if turn < 2 else layout
        args = [layout(array(one, dtype, seed + number)) for number, one in enumerate(shapes)]
        with np.errstate(all="ignore"):
            wanted = plain(kernel, reach, args, None, options.get("cval"))
        found = made(*args)
        same(found, wanted if wanted.size and np.prod([max(n - max(0, h) + min(0, w), 0) for n, (w, h) in zip(shape, reach)])
             else wanted.astype(found.dtype))


def test_made_in_compiled_code():
    @njit
    def by_call(a, w):
        def kernel(a, w):
            total = a[-w]
            for i in range(-w + 1, w + 1):
                total += a[i]
            return 0.5 * total
        return numba.stencil(kernel, neighborhood=((-w, w),), cval=2.0)(a, w)

    def kernel(a, w):
        total = a[-w]
        for i in range(-w + 1, w + 1):
            total += a[i]
        return 0.5 * total

    for w in 1, 2, 5:
        same(by_call(array(14), w), plain(kernel, [(-w, w)], (array(14), w), cval=2.0))

    @njit
    def decorated(a, factor):
        @stencil
        def kernel(a):
            c = 2
            return a[-c + 1] * factor
        out = np.zeros(a.shape)
        kernel(a, out=out)
        return out, stencil("constant")(lambda a: a[0] + a[1])(a)

    first, second = decorated(array(9), 3.0)
    same(first, plain(lambda a: a[-1] * 3.0, [(-1, 0)], (array(9),)))
    same(second, plain(lambda a: a[0] + a[1], [(0, 1)], (array(9),)))

    @njit(parallel=True)
    def shifted(a, by):
        return stencil(lambda a: a[1] + a[2], neighborhood=((0, 1),), index_offsets=(-by,))(a)

    same(shifted(array(9), 1), plain(lambda a: a[0] + a[1], [(0, 1)], (array(9),)))


def test_offsets_outside_of_the_neighborhood():
    """Nothing is read outside of an array."""
    made = stencil(lambda a: a[-3], neighborhood=((-1, 1),))
    with pytest.raises(IndexError, match="index -2 is out of bounds for axis 0 with size 6"):
        made(array(6))
    far = stencil(lambda a, n: a[0, n], neighborhood=((0, 0), (0, 1)))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 1 with size 5"):
        far(array((4, 5)), 2)


def refused(match, kernel, *args, out=None, **options):
    with pytest.raises(errors.TypingError, match=match) as caught:
        made = stencil(kernel, **options)
        made(*args) if out is None else made(*args, out=out)
    return caught.value


def test_errors():
    a = array((4, 5))
    b = a.copy()
    both = lambda a, b: a[0, 0] + b[0, 0]  # noqa: E731
    item = lambda a: a[0, 0]  # noqa: E731
    value = errors.NumbaValueError
    refused("index is not constant, 'neighborhood' option required", lambda a, c: a[0, c], a, 1)
    refused("index is not constant", lambda a, b: a[0, b[0, 1]], a, array((4, 5), np.int64), standard_indexing="b")
    assert isinstance(refused("cval type does not match stencil return type", item, a, cval=1j), value)
    refused("cval type does not match", item, array((4, 5), np.int64), cval=np.nan)
    refused("cval type does not match", item, a, out=b, cval="x")
    assert isinstance(refused("Unknown stencil option 'bad'", item, a, bad=1), value)
    refused("Unsupported mode style 'wrap'", "wrap", a)
    refused("2 dimensional input array", item, a, neighborhood=((-1, 1),))
    refused("name not present in the stencil kernel", both, a, b, standard_indexing="c")
    refused("first argument to a stencil kernel must use relative indexing", both, a, b, standard_indexing=["a", "b"])
    refused("first argument to a stencil kernel must be the primary", item, 1.0)
    refused("reserved word 'out'", lambda a, out: a[0, 0] * out, a, 1.0)
    refused("looks at no item", lambda a: 1.0, a)
    refused("must return a scalar and not a numpy array", lambda a: a[0:1, 0:1] * 2.0, a)
    refused("does not have same number of dimensions", both, a, array(5))
    refused("other dimensions", item, a, out=array(5))
    refused("operator.getitem.stencil_point", lambda a: a[0] + 1.0, a)
    assert isinstance(refused("Assignments to arrays passed to stencil kernels are not allowed", setting, a), value)
    with pytest.raises(ValueError, match="some dimension smaller"):
        stencil(both)(a, array((4, 4)))
    with pytest.raises(ValueError, match="result is smaller"):
        stencil(item)(a, out=array((4, 4)))

    made = stencil(lambda a, c: a[0, c])
    with pytest.raises(errors.TypingError, match="'neighborhood' option required"):
        njit(lambda a, c: made(a, c))(a, 1)


def setting(a):
    a[0, 0] = 1.0
    return a[0, 1]


def test_the_object():
    @stencil("constant", cval=2)
    def kernel(a):
        """Its own words."""
        return a[0] + a[1]

    assert kernel.__name__ == "kernel" and kernel.__doc__ == "Its own words." and kernel.neighborhood is None
    assert isinstance(kernel, numba.stencils.stencil.StencilFunc) and numba.stencil is stencil
    same(kernel(a=array(5)), kernel(array(5)))
    compiled = njit(lambda a: a[0] + a[1])
    same(stencil(compiled, cval=2)(array(5)), kernel(array(5)))
