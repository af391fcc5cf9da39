"""`np.array` of comprehensions: the array that NumPy makes, without a list where there need be none."""
import copy

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import config, njit
from rumba.typed import List


def _numbers(n):
    m = n * 2
    return np.array([i * m for i in range(n)])


def _halves(x):
    return np.array([v * 0.5 for v in x])


def _as_floats(x):
    return np.array([len(c) + 1 for c in x], dtype=np.float64)


def _complex(x):
    return np.array([1j * v for v in x])


def _narrow(n):
    return np.array([i for i in range(n)], dtype=np.complex64)


def _failing(n):
    return np.array([10 // (i - 2) for i in range(n)])


def _rows(n):
    total = 0
    for j in range(1, n):
        total += np.array([i * j for i in range(j)]).sum()
    return total


def _filtered(x):
    return np.array([v for v in x if v > 1])


def _crossed(n):
    return np.array([i * j for i in range(3) for j in range(n)])


def _kept(n):
    items = [i for i in range(n)]
    before = np.array(items)
    items.append(3)
    return before + np.array(items)[1:]


def _growing(items):
    return np.array([items.pop() for item in items])


def _doubled(items):
    return np.array([item * 2 for item in items])


def _pairs(x):
    return np.array([a * b for a, b in zip(x, x[1:])])


def _table(n, m):
    return np.array([[i * j + 0.5 for j in range(m)] for i in range(n)])


def _cube(n):
    return np.array([[[i * j - k for k in range(n)] for j in range(n + 1)] for i in range(2)])


def _narrow_table(n):
    return np.array([[i * j for j in range(n)] for i in range(n)], dtype=np.float32)


def _of_rows(rows):
    return np.array([[x + 1 for x in row] for row in rows])


def _mixed(rows, n):
    return np.array([[[x * k for x in row] for row in rows] for k in range(n)])


def _of_arrays(n, m):
    return np.array([np.array([x + y for x in range(m)]) for y in range(n)])


def _of_views(a):
    return np.array([row[::-1] for row in a])


def _of_planes(a, n):
    return np.array([a + k for k in range(n)])


def _triangle(n):
    return np.array([[i * j for j in range(i + 1)] for i in range(n)])


def _ragged_arrays(n):
    return np.array([np.arange(i) for i in range(n)])


def _failing_table(n):
    return np.array([[10 // (i + j - 3) for j in range(n)] for i in range(n)])


def _shared_row(n):
    row = [j for j in range(n)]
    return np.array([row for i in range(n)])


def _seen_row(n):
    total = 0
    for i in range(n):
        table = np.array([[i * j for j in range(k, n)] for k in range(i, i + 1)])
        total += table.sum()
    return total


def _chosen_rows(n):
    return np.array([[i * j for j in range(n)] for i in range(n) if i % 2])


def _written(n):
    items = [1, 2, 3, 4]
    return np.array(items) + n


def _written_and_changed(n):
    items = [1, 2, 3, 4]
    found = np.array(items)
    items.append(n)
    return found + items[4]


@pytest.mark.parametrize("function, args, makes_list", [
    (_numbers, (5,), False), (_halves, (np.arange(4),), False), (_halves, (np.arange(8.0)[::2],), False), (_halves, ((1.0, 2.5),), False),
    (_as_floats, ("abc",), False), (_complex, ((1.0, 2.0),), False), (_narrow, (4,), False), (_failing, (2,), False), (_failing, (4,), False),
    (_rows, (4,), False), (_filtered, (np.arange(5),), True), (_crossed, (3,), True), (_kept, (3,), True), (_growing, ([1, 2, 3, 4],), False),
    (_doubled, ([1, 2, 3],), False), (_doubled, ([1.5],), False), (_doubled, ({3: 1, 2: 2},), False),
    (_pairs, ([1, 2, 3, 4],), False), (_table, (3, 4), False), (_table, (1, 1), False), (_table, (4, 0), False), (_cube, (3,), False),
    (_narrow_table, (3,), False), (_of_rows, ([[1, 2], [3, 4], [5, 6]],), False), (_of_rows, ([[1], [2, 3]],), False),
    (_mixed, ([[1, 2], [3, 4]], 3), False), (_of_arrays, (3, 2), False), (_of_views, (np.arange(6.0).reshape(2, 3),), False),
    (_of_views, (np.arange(12).reshape(2, 3, 2).T,), False), (_of_planes, (np.arange(6).reshape(2, 3), 3), False),
    (_triangle, (1,), False), (_triangle, (3,), False), (_ragged_arrays, (3,), False), (_failing_table, (2,), False),
    (_failing_table, (4,), False), (_shared_row, (3,), True), (_seen_row, (4,), False), (_chosen_rows, (5,), True),
    (_written, (1,), False), (_written_and_changed, (1,), True),
])
def test_array_of_a_comprehension(function, args, makes_list):
    compiled = njit(function)
    try:
        expected = function(*copy.deepcopy(args))
    except Exception as error:
        with pytest.raises(type(error)) as raised:
            compiled(*copy.deepcopy(args))
        # (NumPy adds after how many dimensions.)
        assert str(error).startswith(str(raised.value))
    else:
        found = compiled(*copy.deepcopy(args))
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
    # It is allocated once: there is a list only where nobody knows how many items there will be.
    assert ("cannot allocate list" in compiled.inspect_llvm(compiled.signatures[0])) == makes_list


def test_rows_that_nobody_makes():
    """Of no rows the length is not known: NumPy's array has a dimension less then, which a type cannot."""
    found = njit(_table)(0, 3)
    assert found.shape == (0, 0) and found.dtype == np.float64


def test_of_a_typed_list():
    compiled = njit(_doubled)
    np.testing.assert_array_equal(compiled(List([1, 2])), [2, 4])
    assert "cannot allocate list" not in compiled.inspect_llvm(compiled.signatures[0])


def test_many_rows():
    found = njit(_table)(300, 200)
    np.testing.assert_array_equal(found, _table(300, 200))
    np.testing.assert_array_equal(njit(_of_rows)([list(range(9))] * 100), _of_rows([list(range(9))] * 100))


def test_the_setting():
    config.FILL_ARRAYS = 0
    try:
        compiled = njit(_numbers)
        np.testing.assert_array_equal(compiled(4), _numbers(4))
    finally:
        config.FILL_ARRAYS = 1
    assert "cannot allocate list" in compiled.inspect_llvm(compiled.signatures[0])
