"""Index expressions made at random, with several arrays, masks, slices, None and `...`, against NumPy."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from leaks import nothing_leaks  # noqa: F401  the fixture
from test_arrays import same

from rumba import njit
from rumba.errors import TypingError

MANY = settings(max_examples=250, deadline=None, derandomize=True)
PLACES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@njit
def get(a, index):
    return a[index]


@njit
def put(a, index, value):
    a[index] = value


@njit
def add(a, index, value):
    a[index] += value


def outcome(function, *args):
    """What a call gives or raises, and its arguments behind it."""
    try:
        found = function(*args)
    except (IndexError, ValueError) as error:
        return (type(error).__name__, str(error)), args
    return found, args


def agree(function, a, *others):
    expected, (wanted, *_) = outcome(function.py_func, a.copy(order="K"), *others)
    got, (changed, *_) = outcome(function, a.copy(order="K"), *others)
    if isinstance(expected, np.ndarray):
        same(got, expected)
    else:
        assert got == expected
    same(changed, wanted)


@st.composite
def arrays(draw, dtype="i8"):
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    a = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    layout = draw(st.sampled_from(["C", "F", "back", "step"]))
    if layout == "F":
        return np.asfortranarray(a)
    if layout == "back":
        return a[::-1]
    return np.repeat(a, 2, axis=-1)[..., ::2] if layout == "step" else a


def places(draw, length, shape):
    """Places of a dimension, as an array of any integer type."""
    count = int(np.prod(shape, dtype=int))
    low = -length if length else 0
    items = draw(st.lists(st.integers(low, max(length - 1, 0)), min_size=count, max_size=count))
    unsigned = all(item >= 0 for item in items)
    dtype = draw(st.sampled_from(PLACES if unsigned else PLACES[:4]))
    return np.array(items, dtype).reshape(shape)


def slices(draw, length):
    bound = st.none() | st.integers(-length - 2, length + 2)
    step = draw(st.none() | st.integers(-3, 3).filter(bool))
    return slice(draw(bound), draw(bound), step)


@st.composite
def indices(draw, shape, basic=False):
    """An index for an array of this shape, mostly one that fits."""
    common = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 3), (3, 1), (0,)]))
    kinds = ["place", "slice", "all", "none", "rest"] + ([] if basic else ["places", "places", "row", "mask"])
    parts, axis, rest = [], 0, False
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6)):
        if kind == "none":
            parts.append(None)
        elif kind == "rest" and not rest:
            rest = True
            parts.append(...)
        elif kind == "mask":
            ndim = draw(st.integers(1, 2))
            if axis + ndim <= len(shape) and not rest:
                size = shape[axis:axis + ndim]
                count = int(np.prod(size, dtype=int))
                items = draw(st.lists(st.booleans(), min_size=count, max_size=count))
                parts.append(np.array(items, bool).reshape(size))
                axis += ndim
        elif axis < len(shape) and not (rest and len(set(shape)) > 1):
            length = shape[axis]
            if kind == "place":
                parts.append(draw(st.integers(-length, max(length - 1, 0))))
            elif kind in ("slice", "all"):
                parts.append(slices(draw, length) if kind == "slice" else slice(None))
            elif kind == "places":
                parts.append(places(draw, length, common))
            elif kind == "row":
                parts.append(places(draw, length, common[-1:]))
            else:
                continue
            axis += 1
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


@MANY
@given(st.data())
def test_reading(data):
    a = data.draw(arrays())
    agree(get, a, data.draw(indices(a.shape)))


@MANY
@given(st.data())
def test_reading_views(data):
    a = data.draw(arrays())
    agree(get, a, data.draw(indices(a.shape, basic=True)))


def value_for(data, a, index):
    """A number, or an array that fits what the index selects, or hardly."""
    try:
        shape = a[index].shape
    except IndexError:
        return -1
    if data.draw(st.booleans()):
        return -1
    shape = shape[data.draw(st.integers(0, len(shape))):]
    shape = tuple(1 if data.draw(st.integers(0, 3)) == 0 else length for length in shape)
    if data.draw(st.integers(0, 9)) == 0:
        shape = shape[:-1] + (7,)
    return -1 - np.arange(np.prod(shape, dtype=int)).reshape(shape)


def is_whole_mask(a, index):
    one = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    return isinstance(one, np.ndarray) and one.dtype == bool and one.ndim == a.ndim


def is_item(a, index):
    parts = index if isinstance(index, tuple) else (index,)
    return len(parts) == a.ndim and all(np.ndim(part) == 0 and isinstance(part, (int, np.ndarray)) for part in parts)


@MANY
@given(st.data())
def test_writing(data):
    a = data.draw(arrays())
    index = data.draw(indices(a.shape))
    value = value_for(data, a, index)
    if is_whole_mask(a, index) and np.ndim(value) > 1 or is_item(a, index) and np.ndim(value) > 0:
        return
    agree(put, a, index, value)


@MANY
@given(st.data())
def test_changing_in_place(data):
    a = data.draw(arrays())
    index = data.draw(indices(a.shape))
    if is_item(a, index):
        return
    try:
        shape = a[index].shape
    except IndexError:
        return
    value = data.draw(st.sampled_from([3, np.arange(np.prod(shape, dtype=int)).reshape(shape)]))
    agree(add, a, index, value)


def test_repeated_places_are_changed_once():
    a = np.zeros(4)
    add(a, np.array([1, 1, 2]), 1.0)
    assert a.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("index", [
    (np.array([0, 1]), np.array([0, 1, 2])), (np.array([0, 1]), slice(None), np.array([0, 1, 2])),
    (np.array([[0, 1]]), np.array([[0], [1], [2]])), (np.array([True, False]), np.array([0, 1, 2])),
    (np.array([True, True]), np.array([0, 1, 2])), (slice(None), np.array([True, True])),
    (np.array([0, 5]), 0), (0, np.array([9])), (slice(None), np.array([-5])), (np.array([], int), np.array([9])),
    (np.array([0]), 9), (..., np.array([7], "u8")), (np.ones((3, 3), bool), 0), np.ones((2, 2), bool),
    (np.array([9]), ...),
], ids=str)
def test_messages(index):
    a = np.arange(24).reshape(2, 3, 4)
    agree(get, a, index)
    agree(put, a, index, 5)


def test_places_are_looked_at_where_nothing_is_selected():
    places = np.array([0])
    for shape in ((0, 0), (0, 3), (3, 0), (0, 0, 2)):
        a = np.zeros(shape, int)
        for index in [(slice(None), places), places, (slice(None), places + 5), (places, slice(None)), (slice(0, 0), places + 9)]:
            agree(get, a, index)
            agree(put, a, index, 1)


def test_a_whole_mask_beside_an_ellipsis():
    a = np.arange(4)
    for mask in (a > 1, a > 9):
        for index in [(mask, ...), (..., mask), (mask,)]:
            for value in (np.arange(2), np.arange(7), np.arange(1), np.arange(2).reshape(1, 2)):
                if len(index) == 2 or value.ndim == 1:
                    agree(put, a, index, value)


def test_values_that_do_not_fit():
    a = np.arange(24).reshape(2, 3, 4)
    rows = np.array([0, 1])
    for index, value in [(rows, np.ones((3, 3, 4), int)), (rows, np.ones(3, int)), (rows, np.ones((1, 2, 3, 4), int)),
                         (rows, np.ones((2, 2, 3, 4), int)), ((rows, 0, 0), np.ones(3, int)),
                         (np.array([True, False]), np.ones(3, int)), (a > 5, np.ones(2, int)), (a > 5, np.ones(0, int)),
                         (slice(None), np.ones((1, 2, 3, 4), int)), (slice(None), np.ones((2, 1, 3, 4), int)),
                         (0, np.ones((4, 3), int)), (slice(0, 1), np.ones((2, 3, 4), int))]:
        agree(put, a, index, value)


def test_an_array_of_no_dimension_is_a_place():
    a = np.arange(12).reshape(3, 4)
    for index in [np.array(1), (np.array(-1), np.array(2)), (slice(None), np.array(1, "u1")), (np.array(9), 0)]:
        agree(get, a, index)
        agree(put, a, index, 7)
        if not is_item(a, index):
            agree(add, a, index, 7)


def test_a_mask_of_no_dimension():
    for a in (np.arange(3), np.array(5)):
        for truth in (True, False):
            agree(get, a, np.array(truth))
            agree(put, a, np.array(truth), 9)
            agree(get, a, truth)
            agree(put, a, truth, 9)
            agree(get, a, (..., truth))
            agree(get, a, (None, truth))
            agree(add, a, truth, 1)


def test_overlap():
    def mixed(a, rows, other):
        a[rows, 1:] = a[other, :-1]
        a[:, rows] += a[:, 1:3]
        a[1:] += a[:-1]
        a[0, 1:] -= a[0, :-1]

    agree(njit(mixed), np.arange(12).reshape(3, 4), np.array([0, 1]), np.array([1, 0]))


def test_tuples_as_values():
    @njit
    def write(a, index, value):
        a[index] = value

    a = np.zeros((3, 2))
    for index, value in [(0, (1, 2)), (slice(None), (1, 2)), (slice(None), ((1, 2), (3, 4), (5, 6.5))), (0, (1, 2, 3)),
                         (np.array([0, 2]), (5, 6)), (np.array([True, False, True]), (1, True)),
                         (np.ones((3, 2), bool), (1, 2, 3, 4, 5, 6)), (np.ones((3, 2), bool), (1, 2))]:
        agree(write, a, index, value)


def test_what_does_not_compile():
    a = np.arange(3)
    for index in [(0, 0), (np.array([0]), np.array([0])), np.array([1.5]), (..., ...), 1.5, np.ones((1, 3), bool)]:
        with pytest.raises(TypingError):
            get(a, index)


@njit
def take(a, indices):
    return np.take(a, indices)


@njit
def take_method(a, indices):
    return a.take(indices)


@njit
def take_along(a, indices, axis):
    return np.take(a, indices, axis=axis)


INDICES = [1, -2, np.array([0, 2, 1, 1]), np.array([[0, 1], [2, -1]]), (0, 2), ((0, 1), (1, 2)), np.array([], int), 99, np.array([0, -77]),
           np.array([1, 2], "u1"), np.array(2)]


@pytest.mark.parametrize("indices", INDICES, ids=str)
def test_take(indices):
    base = np.arange(24.0).reshape(2, 3, 4)
    for a in (base, base.T, base[:, ::-1], base[0, 0], base[:0], base[:, :0]):
        agree(take, a, indices)
        agree(take_method, a, indices)
        for axis in range(-a.ndim, a.ndim):
            agree(take_along, a, indices, axis)
    agree(take_along, base, indices, None)
    with pytest.raises(ValueError, match="axis 3 is out of bounds for array of dimension 3"):
        take_along(base, indices, 3)


def change(symbol):
    space = {}
    exec(f"def change(a, b):\n a {symbol}= b\n return a", space)
    return njit(space["change"])


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"])
def test_operators_in_place(symbol):
    function, accepted = change(symbol), 0
    for dtype in ("?", "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c16"):
        a = np.array([3, 1, 2, 0]).astype(dtype)
        b = np.array([2, 1, 3, 1])
        for value in (2, 2.5, True, b.astype("u1"), b.astype("f4"), b.astype(dtype), b, np.array([2])):
            wanted, got = a.copy(), a.copy()
            try:
                with np.errstate(all="ignore"):
                    function.py_func(wanted, value)
            except TypeError:
                continue
            try:
                assert function(got, value) is got
            except TypingError:
                continue
            accepted += 1
            # NumPy divides complex numbers and raises them to powers in other steps.
            unit = np.finfo(a.dtype).eps if dtype == "c16" and symbol in ("/", "**") else 0
            np.testing.assert_allclose(got, wanted, rtol=2 * unit)
    assert accepted > 5


def test_operators_in_place_whose_shapes_do_not_fit():
    function = change("+")
    for shape, other in [((3,), (2,)), ((2, 3), (2,)), ((1,), (3,)), ((2, 1), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((0, 3), (1, 3))]:
        wanted, got = np.zeros(shape), np.zeros(shape)
        value = np.ones(other)
        assert str(outcome(function.py_func, wanted, value)[0]) == str(outcome(function, got, value)[0])
        same(got, wanted)


@pytest.mark.parametrize("body", [
    "a[0] = [7, 8, 9]", "a[:] = [7, 8, 9]", "a[:, 1] = [7, 8]", "a[:, 1] = [7, 8, 9]", "a[a > 2] = [1, 2, 3]",
    "a[0, 1:] = [x * 2 for x in a[0, 1:]]", "a[[0, 1], [1, 2]] = [5, 6]", "a[:] = [[1, 2, 3], [4, 5, 6]]", "a[1, 1] = 3",
    "l = [1., 2., 3.]; a[0] = l; l.append(a[0, 0])", "a[np.array([1, 0])] = [[1, 2, 3], [4, 5, 6]]",
])
def test_lists_as_values(body):
    space = {"np": np}
    exec(f"def f(a):\n    {body}", space)

    def outcome(function, a):
        try:
            function(a)
        except ValueError as error:
            return str(error), a.tolist()
        return a.tolist()

    for dtype in ("f8", "i4", "c16"):
        a = np.arange(6).reshape(2, 3).astype(dtype)
        if dtype == "c16" and ">" in body or dtype == "i4" and "1., " in body:
            continue
        assert outcome(njit(space["f"]), a.copy()) == outcome(space["f"], a.copy())


def test_lists_of_the_caller_as_values():
    a = np.zeros(5)

    @njit
    def put_list(a, values):
        a[1:4] = values
    put_list(a, [1, 2, 3])
    put_list(a[::-1], [4.5, 5.5, 6.5])
    assert a.tolist() == [0.0, 6.5, 5.5, 4.5, 0.0]


def test_masks_with_few_and_many_true_items():
    select, count = njit(lambda data, mask: data[mask]), njit(lambda mask: np.count_nonzero(mask))
    rng = np.random.default_rng(5)
    for number in range(400):
        size, first = int(rng.integers(0, 300)), int(rng.integers(0, 9))
        mask = (rng.random(size + first) < rng.choice([0, 0.003, 0.02, 0.3, 1]))[first:]
        data = rng.random(size) if number % 3 else rng.integers(0, 9, size).astype(np.int16)
        mask = np.repeat(mask, 2)[::2] if number % 5 == 0 else mask
        data = np.repeat(data, 3)[::3] if number % 7 == 0 else data
        np.testing.assert_array_equal(select(data, mask), data[mask])
        assert count(mask) == np.count_nonzero(mask)
        if size % 4 == 0:
            np.testing.assert_array_equal(select(data.reshape(4, -1), mask.reshape(4, -1)), data[mask])
            assert count(mask.reshape(4, -1)) == np.count_nonzero(mask)
