"""`itertools` in compiled code, beside CPython's."""
import itertools
import operator

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

CASES = {
    "count": lambda n: [x for x, _ in zip(itertools.count(3, 2), range(n))],
    "count of floats": lambda n: list(itertools.islice(itertools.count(0.5, 0.25), n)),
    "repeat": lambda n: list(itertools.repeat("a", n)),
    "repeat without end": lambda n: [x for x, _ in zip(itertools.repeat(n), range(n))],
    "cycle": lambda n: [x for x, _ in zip(itertools.cycle([1, 2, 3]), range(n))],
    "chain": lambda n: list(itertools.chain(range(n), [7, 8], (1, 2))),
    "chain of strings": lambda n: list(itertools.chain("ab", ["cd"] * n)),
    "chain of nothing": lambda n: [n for _ in itertools.chain([1][n:], [2])],
    "chain.from_iterable": lambda n: list(itertools.chain.from_iterable([[1], [2, n], []])),
    "islice": lambda n: list(itertools.islice(itertools.count(), n)),
    "islice with a step": lambda n: list(itertools.islice(range(100), 3, 20, n + 1)),
    "islice without an end": lambda n: list(itertools.islice([1, 2, 3, 4], n, None)),
    "accumulate": lambda n: list(itertools.accumulate([1, 2, n])),
    "accumulate strings": lambda n: list(itertools.accumulate(["a", "b"] * n)),
    "accumulate with a function": lambda n: list(itertools.accumulate([1, 2, n], operator.mul)),
    "accumulate from": lambda n: list(itertools.accumulate([1, 2, n], lambda a, b: a * b, initial=10)),
    "starmap": lambda n: list(itertools.starmap(pow, [(2, n), (3, 2)])),
    "takewhile": lambda n: list(itertools.takewhile(lambda x: x < n, itertools.count())),
    "dropwhile": lambda n: list(itertools.dropwhile(lambda x: x < n, [0, 1, 7, 1, 0])),
    "filterfalse": lambda n: list(itertools.filterfalse(lambda x: x % 2, range(n))),
    "filterfalse of None": lambda n: list(itertools.filterfalse(None, [0, 1, n])),
    "compress": lambda n: list(itertools.compress("abcd", [1, 0, n, True])),
    "pairwise": lambda n: list(itertools.pairwise(range(n))),
    "product of one": lambda n: list(itertools.product(range(n))),
    "product": lambda n: list(itertools.product(range(n), "ab")),
    "product of three": lambda n: list(itertools.product(range(n), "ab", [1.5])),
    "zip of one length": lambda n: list(zip([1, 2, 3], "abc", range(3), strict=True)),
    "zip of one": lambda n: list(zip(range(n), strict=True)),
    "zip of nothing": lambda n: len(list(zip(strict=True))),
    "zip without a check": lambda n: list(zip([1, 2, 3], range(n), strict=False)),
    "zip with a check at run time": lambda n: list(zip([1, 2, 3], range(3), strict=n > 2)),
    "tee": lambda n: [list(each) for each in itertools.tee(range(n))],
    "tee of three": lambda n: [list(each) for each in itertools.tee([1.5] * n, 3)],
    "in loops": lambda n: sum([a * b for a, b in itertools.product(range(n), range(n))]),
    "one in another": lambda n: list(itertools.islice(itertools.chain(itertools.repeat(0, n), itertools.count(1)), 2 * n)),
}


def unpacked(n):
    a, b = (x * 2 for x in range(n))
    c, d = zip(range(n // 2), "ab")
    e, f = {str(n), "b"} if n > 3 else {"b"}
    return a, b, c, d


def unpacked_texts(n):
    a, (b, c), *_ = (str(x) for x in range(1)), ([x] * 2 for x in range(n // 2)), 0
    return list(a), b, c


def held(n):
    values = (str(x) for x in range(n))
    return "2" in values, [*values], 3 in itertools.count(), (1, "b") in enumerate("abc"), [1] in ([x] for x in range(n))


def raises_on_the_way(n):
    a, b = (4 // (n - x) for x in range(3))
    return a, b


LATER = {
    "zip of several lengths": lambda n: list(zip(range(n), [1, 2, 3], strict=True)),
    "zip of several lengths, longer": lambda n: list(zip(range(2), range(2), [1.5] * n, strict=True)),
    "zip of what is shorter in the end": lambda n: list(zip(range(4), range(4), range(4), "abcdef"[:n], strict=n > 0)),
    "unpacked": unpacked, "unpacked texts": unpacked_texts, "held": held, "raises on the way": raises_on_the_way,
    "product of nothing": lambda n: list(itertools.product()),
    "product of four": lambda n: list(itertools.product([1, 2], [n], "ab", range(n))),
    "product with itself": lambda n: list(itertools.product(range(n), repeat=2)),
    "product of two with themselves": lambda n: list(itertools.product([1, n], "ab", repeat=2)),
    "product of a tuple with itself": lambda n: list(itertools.product((1, n, 3), repeat=2)),
    "product of one tuple": lambda n: list(itertools.product((1, n))),
    "product repeated never": lambda n: list(itertools.product([1, n], repeat=0)),
    "product repeated less than never": lambda n: list(itertools.product([1, n], repeat=-1)),
    "permutations of a tuple": lambda n: list(itertools.permutations((1, 2, n))),
    "permutations": lambda n: list(itertools.permutations(range(n), 2)),
    "permutations of three": lambda n: list(itertools.permutations([x * x for x in range(n)], r=3)),
    "permutations of none": lambda n: list(itertools.permutations("abc", 0)),
    "permutations of less": lambda n: list(itertools.permutations("abc", -1)),
    "combinations": lambda n: list(itertools.combinations("abcd", 2)),
    "combinations of too many": lambda n: list(itertools.combinations(range(n), 3)),
    "combinations of none": lambda n: list(itertools.combinations(range(n), r=0)),
    "combinations of less": lambda n: list(itertools.combinations(range(n), -1)),
    "combinations of a generator": lambda n: list(itertools.combinations((x * x for x in range(n)), 2)),
    "combinations_with_replacement": lambda n: list(itertools.combinations_with_replacement(range(n), 2)),
    "zip_longest": lambda n: list(itertools.zip_longest([1, 2, 3], range(n))),
    "zip_longest with a value": lambda n: list(itertools.zip_longest("ab", "abcde"[:n], fillvalue="-")),
    "zip_longest of three": lambda n: list(itertools.zip_longest("ab", (1.5,), range(n))),
    "zip_longest of one": lambda n: list(itertools.zip_longest(range(n))),
    "groupby": lambda n: [(key, list(group)) for key, group in itertools.groupby([1, 1, n, 4, 4, 1])],
    "groupby with a key": lambda n: [(key, sum(group)) for key, group in itertools.groupby(range(3 * n), key=lambda x: x // 3)],
    "groupby whose groups nobody takes": lambda n: [key for key, _ in itertools.groupby("aab" * n)],
    "groupby whose groups are taken in part": lambda n: [next(group) * 10 + next(group, -1) for _, group in itertools.groupby(range(2 * n), lambda x: x // 3)],
    "groupby whose groups are taken late": lambda n: [list(group) for group in [group for _, group in itertools.groupby([1, 1, n])]],
    "groupby of pairs": lambda n: [(key, len(list(group))) for key, group in itertools.groupby(enumerate("aab" * n), lambda pair: pair[1])],
    "groupby without end": lambda n: [key for key, _ in zip(itertools.groupby(itertools.count(), lambda x: x // 2), range(n))][:0],
}


@pytest.mark.parametrize("name", CASES)
def test_as_in_python(name):
    compiled = njit(CASES[name])
    for n in (0, 1, 4):
        assert compiled(n) == CASES[name](n)


@pytest.mark.parametrize("stop", [-1, -5])
def test_what_is_no_number_of_items(stop):
    take = njit(lambda n: list(itertools.islice([1, 2], n)))
    with pytest.raises(ValueError, match="Stop argument for islice"):
        take(stop)


def test_python_gets_one():
    @njit
    def pairs(array):
        return itertools.pairwise(array)

    assert list(pairs(np.arange(4))) == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("name", LATER)
def test_as_in_python_with_errors(name):
    compiled = njit(LATER[name])
    for n in (0, 1, 4):
        assert outcome(compiled, n) == outcome(LATER[name], n)


def outcome(function, n):
    try:
        return function(n)
    except Exception as error:
        return type(error), str(error)


def test_a_length_that_is_no_constant():
    with pytest.raises(errors.TypingError, match="r has to be a constant"):
        njit(lambda n: list(itertools.combinations([1, 2, 3], n)))(2)
    with pytest.raises(errors.TypingError, match="needs a constant r"):
        njit(lambda n: list(itertools.permutations([1, 2, n])))(2)


def test_over_arrays():
    @njit
    def all_of(array):
        return (list(itertools.combinations(array, 2)), list(itertools.product(array, array)), list(itertools.zip_longest(array, array[1:], fillvalue=-1)),
                [(key, list(group)) for key, group in itertools.groupby(array)])

    array = np.array([1, 1, 3])
    assert all_of(array) == all_of.py_func(array)


def test_a_function_and_a_sentinel():
    @njit
    def until(n):
        rest = [7, 3, 1, n, 5]
        return list(iter(lambda: rest.pop(), n)), rest, [x for x in iter(lambda: n, n)]

    for n in (1, 3, 9):
        assert until(n) == until.py_func(n)


@pytest.mark.parametrize("function, match", [
    (lambda n: tuple(x for x in range(n)), "the length of a tuple is part of its type"),
    (lambda n: tuple([x for x in range(n)]), "the length of a tuple is part of its type"),
    (lambda n: max(*(x for x in range(n))), "How many arguments a call has must be known"),
    (lambda n: max(*[x for x in range(n)]), "How many arguments a call has must be known"),
])
def test_what_has_no_known_length(function, match):
    with pytest.raises(errors.NumbaError, match=match):
        njit(function)(2)


def test_what_tee_keeps_is_what_not_all_have_taken():
    @njit
    def ahead(n):
        a, b = itertools.tee(range(n))
        total = 0
        for _ in range(100):
            total += next(a)
        for x, y in zip(a, b):
            total = (total * 31 + x * 7 + y) % 1000003
        return total, next(b), next(b, -1)

    assert ahead(1000) == ahead.py_func(1000)


def tee_of_a_part(n):
    values = iter(range(n))
    first = next(values, -1)
    a, b = itertools.tee(values)
    return first, next(a, -1), list(b), list(a)


def tees_of_earlier_rounds(n):
    out = []
    a, b = itertools.tee(enumerate(["a"]))
    for i in range(n):
        c, d = itertools.tee(enumerate([str(i), "x"]))
        next(c)
        out.append((list(a), next(b)))
        a, b = c, d
    return out, list(a), list(b)


def tees_carried_around(n):
    a, b = itertools.tee(enumerate([10, 20, 30]))
    total = 0
    for k in range(n):
        c, d = itertools.tee(enumerate([k, k + 1, k + 2]))
        for i, x in a:
            total = total * 3 + x + i
        a = d
        next(c)
    for i, x in a:
        total = total * 3 + x
    for i, x in b:
        total = total * 3 + x
    return total


def tee_of_strings(n):
    a, b, c = itertools.tee(zip([str(k) for k in range(n)], ["x" * k for k in range(n)]), 3)
    return next(a, ("", "")), list(a), list(b), next(c, ("", ""))


def tee_that_goes_on(n):
    a, b = itertools.tee(map(lambda x: 10 // x, [1, n, 2]))
    try:
        return list(a)
    except ZeroDivisionError:
        return list(b)


TEES = {
    "enumerate": lambda n: [list(each) for each in itertools.tee(enumerate(range(n), 5), 3)],
    "zip": lambda n: [list(each) for each in itertools.tee(zip("abcd", range(n)))],
    "map": lambda n: [list(each) for each in itertools.tee(map(lambda x: [x] * n, range(n)))],
    "filter": lambda n: [list(each) for each in itertools.tee(filter(lambda x: x % 2, range(n)))],
    "reversed": lambda n: [list(each) for each in itertools.tee(reversed([str(x) for x in range(n)]))],
    "raises": lambda n: [list(each) for each in itertools.tee(map(lambda x: 6 // (2 - x), range(n)))],
    "of a part": tee_of_a_part, "earlier rounds": tees_of_earlier_rounds, "carried around": tees_carried_around,
    "of strings": tee_of_strings, "goes on": tee_that_goes_on,
}


@pytest.mark.parametrize("name", TEES)
def test_tee_goes_through_iterators(name):
    compiled = njit(TEES[name])
    for n in (0, 1, 4):
        assert outcome(compiled, n) == outcome(TEES[name], n)


def test_a_function_returns_generators_over_its_arguments_iterators():
    @njit
    def each(iterator):
        for item in iterator:
            yield item

    @njit
    def two(iterator):
        source = each(iterator)
        return each(source), each(source)

    @njit
    def both(n):
        a, b = two(enumerate([n, 2, 3]))
        return next(a), next(b), list(a)

    assert both(7) == ((0, 7), (1, 2), [(2, 3)])

    @njit
    def own(values):
        return each(enumerate(values))

    with pytest.raises(errors.UnsupportedError, match="returning an iterator"):
        njit(lambda n: list(own([n, 2])))(1)


def test_tee_given_to_python():
    @njit
    def both(values):
        return itertools.tee(values)

    a, b = both(np.arange(3))
    assert next(a) == 0 and list(b) == [0, 1, 2] and list(a) == [1, 2]
