"""Iterators that are kept in variables while the place that made them makes others: each has a state of its own."""
import numpy as np
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import njit


@njit
def mixed(m, text, array, table, k):
    out = []
    c = iter(m)
    for _ in range(k):
        d, c = c, iter(m)
        out.append((next(d), next(c)))
    e = enumerate(text)
    for _ in range(k):
        d, e = e, enumerate(text)
        out.append((next(d)[0], next(e)[0]))
    z = zip(m, text)
    for _ in range(k):
        d, z = z, zip(m, text)
        out.append((next(d)[0], next(z)[0]))
    r = iter(range(k))
    for _ in range(k):
        d, r = r, iter(range(k))
        out.append((next(d), next(r)))
    t = iter((k, k + 1, 7))
    for _ in range(k):
        d, t = t, iter((k, k + 1, 7))
        out.append((next(d), next(t)))
    a = iter(array)
    for _ in range(k):
        d, a = a, iter(array)
        out.append((int(next(d)), int(next(a))))
    v = iter(table.values())
    for _ in range(k):
        d, v = v, iter(table.values())
        out.append((next(d), next(v)))
    return out


def test_every_iterator_has_its_own_state():
    compare(mixed, [1, 2, 3, 4, 5], "abcdé", np.array([5, 6, 7]), {1: 2, 3: 4, 5: 6}, 3)


@njit
def texts(words, k):
    out = []
    c = iter((words[0], words[1] + "x", "y"))
    f = filter(None, words)
    m = map(lambda word: word * 2, words)
    for _ in range(k):
        d, c = c, iter((words[0], words[1] + "x", "y"))
        g, f = f, filter(None, words)
        n, m = m, map(lambda word: word * 2, words)
        out.append(next(d) + next(c) + next(g) + next(f))
    return out


@njit
def walks(array, k):
    out = []
    c, p = array.flat, np.ndindex(2, 2)
    for _ in range(k):
        d, c = c, array.flat
        q, p = p, np.ndindex(2, 2)
        for x in d:
            out.append(int(x))
            break
        for x in c:
            out.append(int(x))
            break
        out.append(next(q)[1] + next(p)[1])
    return out


@njit
def in_tuples(m, k):
    out = []
    p = (iter(m), 0)
    for i in range(k):
        q, p = p, (iter(m), i)
        out.append((next(q[0]), next(p[0]), q[1]))
    return out


@njit
def shared(m, k):
    out = []
    c = iter(m)

    def renew():
        nonlocal c
        d, c = c, iter(m)
        return next(d)

    for _ in range(k):
        out.append(renew())
        out.append(next(c))
    return out


@njit
def yielded(m, k):
    def pairs(m):
        c = iter(m)
        for _ in range(k):
            d, c = c, iter(m)
            yield next(d)
            yield next(c)

    return [x for x in pairs(m)]


@njit
def left_by_exceptions(m, k):
    out = []
    c = iter(m)
    try:
        for i in range(9):
            d, c = c, iter(m)
            out.append((next(d), next(c)))
            if i == k:
                raise ValueError
    except ValueError:
        out.append((next(c), next(d)))
    return out


@njit
def ends(m, k):
    c = iter(m)
    for _ in range(k):
        d, c = c, iter(m)
        next(d)
        next(d)
        next(c)
    return next(c)


@njit
def typed_late(n):
    rest = []
    rest.append(n)
    taken = []
    c = iter(rest)
    for _ in range(n):
        d, c = c, iter(rest)
        taken.append(next(d))
    return taken


@pytest.mark.parametrize("function, args", [
    (texts, (["a", "b"], 1)), (walks, (np.arange(6).reshape(2, 3), 3)), (in_tuples, ([1, 2, 3], 3)), (shared, ([1, 2, 3], 3)),
    (yielded, ([1, 2, 3], 3)), (left_by_exceptions, ([1, 2, 3, 4], 2)), (ends, ([1], 1)), (ends, ([1, 2], 1)), (ends, ([1, 2, 3], 3)),
    (typed_late, (1,))], ids=lambda value: getattr(value, "__name__", None))
def test_as_in_python(function, args):
    compare(function, *args)


@njit
def zipped(p):
    pairs = zip((["b", "ab"], ["é"], []), [p, -p])
    return [(len(a), b) for a, b in pairs], sum(1 for a in zip({"x": [p], "y": []}.values(), (1, 2)))


def test_lists_of_no_type_that_are_zipped():
    compare(zipped, 1.5)
