"""`collections.Counter` and `collections.defaultdict` in compiled code, as arguments and as results."""
import collections
import contextlib
import io
from collections import Counter, defaultdict

import numpy as np
import pytest
import rumba
from leaks import nothing_leaks  # noqa: F401
from support import check, check_all, outcome

WORDS = ["apple", "fig", "apple", "kiwi", "fig", "apple"]


def counted_one_by_one(words):
    counts = Counter()
    for word in words:
        counts[word] += 1
    return counts, counts["nothing"], len(counts), "nothing" in counts, counts.total()


def counted(items):
    return Counter(items)


def ranked(words, n):
    counts = Counter(words)
    return counts.most_common(n), counts.most_common(), list(counts.elements())


def combined(words, others):
    a, b = Counter(words), Counter(others)
    a.subtract(others)
    b.update({"fig": 3})
    c = Counter(words)
    c += b
    d = Counter(words)
    d -= b
    e = Counter(words)
    e |= b
    f = Counter(words)
    f &= b
    del c["never there"]
    return a, b, c, d, e, f, a + b, a - b, a & b, a | b, +a, -a


def compared(words, others):
    a, b = Counter(words), Counter(others)
    c = Counter(a)
    c["never"] = 0
    return a == b, a != b, a <= b, a < b, a >= b, a > b, a == c, c <= a, a == {"fig": 1}, dict(a) == a


def counted_floats(words):
    counts = Counter()
    for at, word in enumerate(words):
        counts[word] += at / 2
    return counts


def made_of_names():
    return Counter(a=1, b=2), Counter({"x": 5}), Counter(), Counter(None), bool(Counter()), isinstance(Counter("a"), dict)


@pytest.mark.parametrize("words", [WORDS, WORDS[:1]])
def test_counters(words):
    check(counted_one_by_one, words)
    check_all(ranked, [(words, n) for n in (-1, 0, 1, 2, 10)])
    check(combined, words, ["fig", "kiwi", "kiwi", "plum"])
    check(compared, words, words)
    check(compared, words, ["fig"])
    check(counted_floats, words)


def test_what_is_counted():
    check_all(counted, [((1, 2, 1),), ("hello",), ([1.5, 2.5, 1.5],), ([(1, "a"), (2, "b"), (1, "a")],), ({"a": 2},), (Counter("abca"),), (None,)])
    check(made_of_names)
    # Items of arrays are Python's numbers in compiled code.
    assert rumba.njit(counted)(np.array([1, 2, 2])) == Counter([1, 2, 2])


def of_factories(words):
    ints, floats, texts, tuples = defaultdict(int), defaultdict(float), defaultdict(str), defaultdict(tuple)
    for at, word in enumerate(words):
        ints[word] += 1
        floats[len(word)] += at / 2
        texts[len(word)] += word
    return ints, floats, texts, tuples["missing"], len(tuples), ints.get("missing"), "missing" in ints


def of_containers(words):
    lists, sets, dicts, nested = defaultdict(list), defaultdict(set), defaultdict(dict), defaultdict(lambda: defaultdict(int))
    for at, word in enumerate(words):
        lists[len(word)].append(word)
        sets[word[0]].add(at)
        dicts[word]["last"] = at
        nested[len(word)][word] += 1
    inner = sorted([(size, sorted(counts.items())) for size, counts in nested.items()])
    return lists, sets, [(word, list(known.items())) for word, known in dicts.items()], inner


def of_functions(words):
    def pair():
        return [0, 0]

    sums, sevens = defaultdict(pair), defaultdict(lambda: 7)
    for word in words:
        sums[len(word)][0] += 1
        sums[len(word)][1] += len(word)
        sevens[word] -= 2
    return sorted(sums.items()), sorted(sevens.items())


def of_counters(words):
    by_letter = defaultdict(Counter)
    for word in words:
        by_letter[word[0]][word] += 1
    return by_letter["a"].most_common(1), by_letter


def of_items(words):
    known = defaultdict(int, {"fig": 10})
    for word in words:
        known[word] += 1
    joined = known | {"plum": 3}
    joined["new"]
    known.update({"kiwi": 9})
    return known, joined, known.copy(), list(known), known.pop("fig"), sorted(dict(known).items()), known == dict(known)


def widened(numbers):
    known = defaultdict(list)
    for number in numbers:
        known[number].append(number)
        known[number].append(0.5)
    return sum([sum(items) for items in known.values()])


def reads_only(words):
    known = defaultdict(list)
    try:
        found = known[len(words)]
    except KeyError:
        found = [1]
    return len(known), len(found)


@pytest.mark.parametrize("function", [
    of_factories, of_containers, of_functions, of_counters, of_items, reads_only], ids=lambda function: function.__name__)
def test_default_dicts(function):
    check(function, WORDS)


def test_values_of_a_default_dict_become_floats():
    check(widened, [1, 2, 1])


def add_to(known, key):
    known[key] += 1
    return known[key], len(known)


def appended(known, key):
    known[key].append(1)
    return len(known[key])


@rumba.njit
def seven():
    return 7


@pytest.mark.parametrize("make", [
    lambda: Counter("abca"), lambda: defaultdict(int, {"b": 2}), lambda: defaultdict(seven, {"b": 2})],
    ids=["Counter", "int", "compiled"])
def test_arguments_are_changed(make):
    compiled = rumba.njit(add_to)
    for key in ("a", "new", "new"):
        mine, wanted = make(), make()
        assert compiled(mine, key) == add_to(wanted, key)
        assert mine == wanted and list(mine) == list(wanted) and type(mine) is type(wanted)
        # The object itself is what it was.
        mine["made by Python"] += 1
        assert mine["made by Python"] == wanted["made by Python"] + 1


def test_lists_in_arguments_are_changed():
    mine, wanted = defaultdict(list, {"b": [2]}), defaultdict(list, {"b": [2]})
    for key in ("b", "new"):
        assert rumba.njit(appended)(mine, key) == appended(wanted, key)
    assert mine == wanted


def test_a_specialization_takes_dicts_of_its_class_only():
    @rumba.njit
    def read(known):
        return known["missing"]

    assert read(defaultdict(int, {"a": 1})) == 0 and read(Counter("a")) == 0
    with pytest.raises(KeyError, match="missing"):
        read({"a": 1})
    assert read(defaultdict(float, {"a": 1.5})) == 0.0 and read(defaultdict(str, {"a": "b"})) == ""


def written(words):
    counts, known = Counter(words), defaultdict(int, {"a": 1})
    print(counts, known, [counts])
    return str(counts), repr(known), f"{counts}", str(Counter())


def test_texts():
    def run(function):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return outcome(function, WORDS), out.getvalue()

    assert run(rumba.njit(written)) == run(written)


def test_what_is_refused_says_why():
    def captures(n):
        known = defaultdict(lambda: n)
        known[1] += 1
        return known[1]

    def without():
        return defaultdict()

    with pytest.raises(rumba.errors.TypingError, match="uses no variable of another function"):
        rumba.njit(captures)(3)
    with pytest.raises(rumba.errors.TypingError, match="without a factory is not supported"):
        rumba.njit(without)()
    with pytest.raises(rumba.errors.TypingError, match="Counter"):
        rumba.njit(lambda known: len(known))(type("Sub", (collections.Counter,), {})("ab"))
    with pytest.raises((TypeError, rumba.errors.TypingError), match="defaultdict"):
        rumba.njit(lambda known: len(known))(defaultdict(lambda: 1, {1: 2}))


def test_classes_are_told_apart():
    def classes(words):
        counts, known = Counter(words), defaultdict(int)
        known["a"] += 1
        return (isinstance(counts, Counter), isinstance(counts, defaultdict), isinstance(known, Counter),
                isinstance(known, defaultdict), isinstance({1: 2}, Counter), isinstance(known, dict))

    check(classes, WORDS)


def test_default_dicts_whose_keys_are_known_later():
    def copied():
        for counts, _ in [(defaultdict(float, []), 0.0)].copy().copy():
            counts[""] += 1.0
            return list(counts.items())

    def made():
        counts = defaultdict(list, [])
        counts["a"].append(1)
        return list(counts.items())

    check(copied)
    check(made)
