"""Functions with `yield`: consumed in compiled code, handed to Python, dropped half-way. CPython is the oracle."""
import contextlib
import gc

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit


@njit
def squares(n):
    for i in range(n):
        yield i * i


@njit
def words(text):
    for word in text.split():
        yield word


@njit
def lists(n):
    for i in range(n):
        yield [i] * i


@njit
def pairs(items, text):
    for x in items:
        for c in text:
            yield x, c


@njit
def rows(array):
    for row in array:
        yield row


@njit
def returns(n):
    for i in range(n):
        yield i
    return n * 2.5


@njit
def delegates(n):
    got = yield from returns(n)
    yield int(got)
    yield from range(2)
    yield from [7, 8]
    last = yield from squares(2)
    return got, last


@njit
def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)


@njit
def even(n):
    if n > 0:
        yield n
        yield from odd(n - 1)


@njit
def odd(n):
    if n > 0:
        yield -n
        yield from even(n - 1)


@njit
def mixed(x):
    yield x
    yield x + 1.5
    yield x + 1j


@njit
def optional(n):
    for i in range(n):
        if i % 2:
            yield i
        else:
            yield None


@njit
def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


@njit
def fails(n):
    for i in range(5):
        yield 10 // (n - i)


@njit
def nothing():
    return
    yield


@njit
def with_defaults(x=1, y=2, flag=False):
    other = not flag
    yield x
    if other:
        yield y
    if flag:
        yield x + y


@njit
def changes(array, n):
    for i in range(n):
        yield array[i]
        array[i] += i


@njit
def chained(n):
    array = np.arange(n)
    for x in changes(array, n):
        yield x * 2
    for i in range(array.size):
        yield array[i]


@njit
def tuples_and_texts(n):
    for i in range(n):
        yield (str(i), (i, 1.5), True)


@njit
def dicts(n):
    for i in range(n):
        yield {str(i): [i]}


@njit
def collects(n):
    seen = []
    for i in range(n):
        seen.append(i)
        yield len(seen)
    return seen


HANDED_OUT = [
    (squares, (4,)), (words, ("a bb ccc",)), (lists, (4,)), (pairs, ((1, 2), "ab")), (rows, (np.arange(6).reshape(2, 3),)),
    (returns, (3,)), (delegates, (3,)), (tree, (4,)), (even, (5,)), (mixed, (2,)), (optional, (4,)), (nothing, ()), (with_defaults, ()),
    (with_defaults, (5, 6, True)), (chained, (6,)), (tuples_and_texts, (3,)), (dicts, (3,)), (collects, (4,)),
]


def drained(generator):
    """All items, and what is returned at the end."""
    items = []
    while True:
        try:
            items.append(next(generator))
        except StopIteration as end:
            return items, end.value


def plain(value):
    """What compares: arrays as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    return value


@pytest.mark.parametrize("function, args", HANDED_OUT, ids=lambda value: getattr(value, "__name__", ""))
def test_python_goes_through_one(function, args):
    assert plain(drained(function(*args))) == plain(drained(function.py_func(*args)))


@pytest.mark.parametrize("function, args", HANDED_OUT, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_one_that_is_dropped_half_way_leaks_nothing(function, args, taken):
    generator = function(*args)
    for _ in range(taken):
        next(generator, None)
    del generator


def consumed(n):
    total = 0
    for x in squares(n):
        total += x
    return total


def consumed_words(text):
    joined = ""
    for word in words(text):
        joined += word + "-"
    return joined


def left_early(text):
    for word in words(text):
        if word == "b":
            return word
    return ""


def left_by_break(n):
    seen = []
    for x in lists(n):
        if len(x) > 2:
            break
        seen.append(x)
    else:
        seen.append([-1])
    return seen


def nested(n):
    total = 0
    for x in squares(n):
        for y in squares(x):
            if y > 10:
                break
            total += x * y
    return total


def recursive(n):
    total = 0
    for x in tree(n):
        total = total * 3 + x
    return total


def asks(n):
    generator = squares(n)
    return next(generator), next(generator, -1), next(generator, -2), next(generator, -3)


def asks_too_often(n):
    generator = squares(n)
    next(generator)
    return next(generator)


def of_several_iterators(n):
    seen = []
    for i, (a, b) in enumerate(zip(squares(n), fibonacci())):
        seen.append(i * a + b)
    return seen


def builtins_over(n):
    return sum(squares(n)), max(squares(n)), min(squares(n)), list(squares(n)), sorted(squares(n)), any(x > 3 for x in squares(n))


def endless(n):
    total = 0
    for x in fibonacci():
        if x > n:
            break
        total += x
    return total


def raises_in_between(n):
    total = 0
    for x in fails(n):
        total += x
    return total


def takes_one(generator):
    total = 0
    for x in generator:
        total += x
    return total


def passes_one(n):
    def add(generator):
        total = 0
        for x in generator:
            total += x
        return total

    return add(squares(n)) + add(squares(n + 1))


def holds_some(n):
    generators = [squares(i) for i in range(n)]
    seen = []
    for generator in generators:
        for x in generator:
            seen.append(x)
    return seen


def holds_some_half_way(n):
    generators = [words("a b c") for _ in range(n)]
    return [next(generator) for generator in generators]


def in_a_tuple(n):
    both = (squares(n), words("x y"))
    return next(both[0]), next(both[1])


def shares_variables(n):
    k = 3

    def inner():
        for i in range(n):
            yield i + k

    total = 0
    for x in inner():
        total += x
    return total


def shares_a_variable_that_changes(n):
    count = 0

    def inner():
        nonlocal count
        for i in range(n):
            count += i
            yield count

    seen = []
    for x in inner():
        count += 10
        seen.append(x)
    return seen, count


def chosen(n, flag):
    generator = squares(n) if flag else tree(n)
    return list(generator)


def replaced(n):
    generator = words("a b")
    first = next(generator)
    for _ in range(n):
        generator = words("c d e")
        next(generator)
    return first + next(generator)


def of_nothing(n):
    total = n
    for _ in nothing():
        total += 1
    return total


CONSUMED = [
    (consumed, (10,)), (consumed_words, ("a bb c",)), (left_early, ("a b c",)), (left_by_break, (6,)), (left_by_break, (2,)),
    (nested, (5,)), (recursive, (5,)), (asks, (3,)), (asks, (1,)), (asks_too_often, (1,)), (of_several_iterators, (5,)),
    (builtins_over, (4,)), (endless, (100,)), (raises_in_between, (2,)), (raises_in_between, (9,)), (passes_one, (4,)), (holds_some, (4,)),
    (holds_some_half_way, (3,)), (in_a_tuple, (3,)), (shares_variables, (4,)), (shares_a_variable_that_changes, (4,)),
    (chosen, (3, True)), (chosen, (3, False)), (replaced, (3,)), (replaced, (0,)), (of_nothing, (2,)),
]


def outcome(function, args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("function, args", CONSUMED, ids=lambda value: getattr(value, "__name__", ""))
def test_compiled_code_goes_through_one(function, args):
    compiled = njit(function)
    assert outcome(compiled, args) == outcome(function, args)


def test_it_is_an_argument_and_goes_on_where_it_stopped():
    add = njit(takes_one)
    generator = squares(5)
    assert next(generator) == 0
    assert add(generator) == 1 + 4 + 9 + 16
    assert list(generator) == []
    assert add(generator) == 0


def test_it_comes_back_through_another_function():
    back = njit(lambda generator: generator)
    generator = words("a b c")
    assert next(generator) == "a"
    same = back(generator)
    assert next(same) == "b"
    del generator
    gc.collect()
    assert list(same) == ["c"]


def test_its_code_lives_as_long_as_it_does():
    def made():
        @njit
        def local(n):
            for i in range(n):
                yield str(i)

        return local(3)

    generator = made()
    gc.collect()
    assert list(generator) == ["0", "1", "2"]


def test_arguments_are_held():
    generator = rows(np.arange(10_000.0).reshape(100, 100))
    gc.collect()
    assert sum(row.sum() for row in generator) == np.arange(10_000.0).sum()


def test_close_and_throw():
    generator = lists(5)
    next(generator)
    next(generator)
    assert generator.close() is None
    assert list(generator) == []
    generator = lists(5)
    generator.close()
    assert list(generator) == []
    generator = words("a b")
    next(generator)
    with pytest.raises(KeyError, match="x"):
        generator.throw(KeyError("x"))
    assert list(generator) == []
    with pytest.raises(ValueError):
        generator.throw(ValueError)
    with pytest.raises(TypeError, match="exceptions must be classes or instances deriving from BaseException, not int"):
        generator.throw(3)


def test_send():
    generator = squares(3)
    with pytest.raises(TypeError, match="can't send non-None value to a just-started generator"):
        generator.send(1)
    assert generator.send(None) == 0
    assert generator.send(None) == 1


def test_an_exception_ends_it():
    generator = fails(2)
    assert [next(generator), next(generator)] == [5, 10]
    with pytest.raises(ZeroDivisionError) as caught:
        next(generator)
    assert caught.traceback[-1].name == "fails"
    assert list(generator) == []


def test_stop_iteration_inside_is_an_error():
    @njit
    def asks():
        inner = squares(1)
        while True:
            yield next(inner)

    generator = asks()
    assert next(generator) == 0
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        next(generator)


def test_explicit_arguments():
    @njit(["(int32,)"])
    def narrow(n):
        for i in range(n):
            yield i

    assert list(narrow(4)) == [0, 1, 2, 3]


def test_a_deep_recursion_is_an_error():
    @njit
    def endless(n):
        yield from endless(n + 1)

    with pytest.raises(RecursionError):
        list(endless(0))


def test_yields_without_a_common_type():
    @njit
    def confused():
        yield 1
        yield slice(1, 2)

    with pytest.raises(errors.TypingError, match="Can't unify yield type from the following types: .*slice"):
        confused()


@njit
def tidies_up(n, log):
    try:
        for i in range(n):
            yield [i]
        log[0] = 1
    finally:
        log[1] += 1


@njit
def goes_on(n):
    for i in range(n):
        try:
            yield i
        except ValueError:
            yield -i
        except KeyError as error:
            yield len(str(error))


def test_a_finally_runs_wherever_it_is_left():
    log = np.zeros(2, np.int64)
    assert list(tidies_up(2, log)) == [[0], [1]]
    assert log.tolist() == [1, 1]
    generator = tidies_up(2, log)
    del generator
    assert log.tolist() == [1, 1]
    generator = tidies_up(2, log)
    next(generator)
    del generator
    assert log.tolist() == [1, 2]
    generator = tidies_up(2, log)
    next(generator)
    generator.close()
    assert log.tolist() == [1, 3]

    @njit
    def leaves(log):
        for x in tidies_up(3, log):
            if x[0] == 1:
                break
        return log[1]

    assert leaves(log) == 4


def test_it_catches_what_is_thrown_into_it():
    generator = goes_on(5)
    assert next(generator) == 0
    assert next(generator) == 1
    assert generator.throw(ValueError("a")) == -1
    assert next(generator) == 2
    assert generator.throw(KeyError("abc")) == 5
    with pytest.raises(TypeError, match="b"):
        generator.throw(TypeError("b"))
    assert list(generator) == []
    generator = goes_on(5)
    next(generator)
    generator.close()
    assert list(generator) == []


def test_one_that_a_function_goes_through_itself_needs_no_frame():
    @njit
    def sums(array, n):
        total = 0.0
        for x in doubled(array):
            for y in squares(n):
                total += x * y
        return total

    @njit
    def doubled(array):
        for x in array:
            yield x
            yield x * 2

    array = np.arange(5.0)
    assert sums(array, 3) == sums.py_func(array, 3)
    assert "rumba_allocate_frame" not in sums.inspect_llvm(sums.signatures[0])


@njit
def totals(start):
    total = start
    while True:
        x = yield total
        if x is None:
            break
        total += x
    return total


@njit
def averages():
    total, count, mean = 0.0, 0, 0.0
    while True:
        x = yield mean
        if x is None:
            return total, count
        total += x
        count += 1
        mean = total / count


@njit
def echoes(log):
    given = ""
    try:
        while True:
            text = yield given
            given = "none" if text is None else text + "!"
    except ValueError:
        yield "caught"
    finally:
        log[0] += 1


@njit
def forwards(log):
    got = yield from echoes(log)
    yield str(got is None)


@njit
def adds_up():
    count = yield from totals(100)
    yield -count


@njit
def lists_sent():
    seen = [[0]]
    while True:
        x = yield len(seen)
        if x is not None:
            seen.append(x)


@njit
def refuses_to_close():
    try:
        yield 1
    except GeneratorExit:
        pass
    yield 2


@njit
def ends_when_closed(log):
    try:
        yield 1
    except GeneratorExit:
        log[0] += 1


@njit
def goes_through_it(log):
    yield from ends_when_closed(log)
    yield 5


@njit
def raises_stop(n):
    yield n
    raise StopIteration("early")


def sent(n):
    generator = totals(n)
    first = next(generator)
    return first, generator.send(3), generator.send(n), generator.send(5)


def sent_none_at_first(n):
    generator = totals(n)
    return generator.send(None), generator.send(2)


def sent_too_early(n):
    return totals(n).send(3)


def sent_floats(n):
    generator = averages()
    next(generator)
    return [generator.send(i * 1.5) for i in range(n)]


def value_at_the_end(n):
    generator = averages()
    next(generator)
    for i in range(n):
        generator.send(float(i))
    try:
        next(generator)
    except StopIteration as end:
        return end.value
    return None


def value_of_what_has_ended(n):
    generator = returns(n)
    values = []
    for _ in range(n + 2):
        try:
            next(generator)
        except StopIteration as end:
            values.append(-1.0 if end.value is None else end.value)
    return values


def sent_through(n):
    generator = adds_up()
    next(generator)
    return generator.send(n), generator.send(2), next(generator)


def sent_texts(log):
    generator = forwards(log)
    return next(generator), generator.send("a"), generator.send("b"), next(generator), generator.throw(ValueError("x")), next(generator), log[0]


def sent_lists(n):
    generator = lists_sent()
    next(generator)
    return generator.send([n]), generator.send([n, n]), next(generator)


def thrown(n):
    generator = goes_on(n)
    first = next(generator), generator.throw(ValueError("a")), generator.throw(KeyError("abc"))
    return first, list(generator)


def thrown_out(n):
    generator = goes_on(n)
    next(generator)
    try:
        generator.throw(IndexError("out"))
    except IndexError as error:
        return str(error), list(generator)
    return "", [0]


def thrown_before_it_began(n):
    generator = goes_on(n)
    try:
        generator.throw(KeyError)
    except KeyError:
        return list(generator)
    return [-1]


def thrown_behind_the_end(n):
    generator = squares(n)
    list(generator)
    generator.throw(ValueError("late"))


def closed(log):
    generator = ends_when_closed(log)
    next(generator)
    generator.close()
    generator.close()
    return list(generator), log[0]


def closed_before_it_began(n):
    generator = squares(n)
    generator.close()
    return list(generator)


def closed_through(log):
    generator = goes_through_it(log)
    next(generator)
    generator.close()
    return list(generator), log[0]


def closed_in_vain():
    generator = refuses_to_close()
    next(generator)
    generator.close()


def stops(n):
    total = 0
    for x in raises_stop(n):
        total += x
    return total


def stops_and_is_caught(n):
    try:
        return list(raises_stop(n))
    except RuntimeError as error:
        return [len(str(error))]


SENT = [
    (sent, lambda: (4,)), (sent_none_at_first, lambda: (4,)), (sent_too_early, lambda: (4,)), (sent_floats, lambda: (4,)),
    (value_at_the_end, lambda: (3,)), (value_of_what_has_ended, lambda: (2,)), (sent_through, lambda: (4,)),
    (sent_texts, lambda: (np.zeros(1, np.int64),)), (sent_lists, lambda: (4,)), (thrown, lambda: (4,)), (thrown_out, lambda: (4,)),
    (thrown_before_it_began, lambda: (4,)), (thrown_behind_the_end, lambda: (2,)), (closed, lambda: (np.zeros(1, np.int64),)),
    (closed_before_it_began, lambda: (4,)), (closed_through, lambda: (np.zeros(1, np.int64),)), (closed_in_vain, lambda: ()),
    (stops, lambda: (4,)), (stops_and_is_caught, lambda: (4,)),
]


@contextlib.contextmanager
def plain_functions():
    """The compiled functions of this module are those of Python."""
    space = globals()
    before = {name: value for name, value in space.items() if hasattr(value, "py_func")}
    space.update({name: value.py_func for name, value in before.items()})
    try:
        yield
    finally:
        space.update(before)


@pytest.mark.parametrize("function, args", SENT, ids=lambda value: getattr(value, "__name__", ""))
def test_values_and_exceptions_are_sent(function, args):
    with plain_functions():
        expected = outcome(function, args())
    assert outcome(njit(function), args()) == expected


def drive(generator, values=(None, 3, 4, None, 5)):
    """What a generator gives for what is sent."""
    for value in values:
        try:
            yield generator.send(value)
        except Exception as error:
            yield type(error), str(error)
            if isinstance(error, StopIteration):
                yield error.value


@pytest.mark.parametrize("function, args", [(totals, (3,)), (totals, (2.5,)), (adds_up, ()), (squares, (4,)), (averages, ())])
def test_python_sends(function, args):
    with plain_functions():
        expected = list(drive(function.py_func(*args)))
    assert list(drive(function(*args))) == expected


def test_python_sends_what_does_not_fit():
    generator = totals(3)
    next(generator)
    with pytest.raises(TypeError, match="str cannot be sent to this generator"):
        generator.send("a")
    assert generator.send(4) == 7
    generator = lists_sent()
    next(generator)
    with pytest.raises(TypeError, match="list cannot be sent to this generator"):
        generator.send([1])


def test_the_end_is_told_once():
    for function in (returns, returns.py_func):
        generator = function(1)
        ends = []
        for _ in range(4):
            try:
                next(generator)
            except StopIteration as end:
                ends.append(end.value)
        assert ends == [2.5, None, None]


def test_a_stop_iteration_becomes_another_exception():
    with pytest.raises(RuntimeError, match="generator raised StopIteration") as caught:
        list(raises_stop(1))
    assert type(caught.value.__cause__) is type(caught.value.__context__) is StopIteration
    assert caught.value.__cause__.args == ("early",)


def test_values_of_several_types_are_sent():
    @njit
    def confused():
        generator = totals(1)
        next(generator)
        return generator.send(1) + generator.send("a")

    with pytest.raises(errors.TypingError, match="cannot send"):
        confused()


def test_a_stop_that_no_path_comes_to():
    @njit
    def never(n):
        total = 0
        try:
            if 6 == 1:
                total += 5
        except ValueError:
            yield 0
        return total

    assert drained(never(3)) == ([], 0)


def test_what_is_asked_for_where_nothing_is_sent():
    @njit
    def asks(n):
        total = 0
        for i in range(n):
            given = yield i
            if given is not None:
                total += given
        if 5 % 2 == 0:
            given = yield -1
            total += 1
        return total

    @njit
    def consumes(n):
        total = 0
        for x in asks(n):
            total += x
        return total

    @njit
    def sends(n):
        generator = asks(n)
        next(generator)
        return generator.send(4)

    assert (consumes(4), sends(4)) == (6, 1)


def test_arguments_of_the_stop(nothing_leaks):  # noqa: F811
    @njit
    def word(n):
        yield n
        return str(n)

    def last(n):
        it = returns(n)
        try:
            while True:
                next(it)
        except StopIteration as stop:
            return stop.args, stop.value

    def text(n):
        it = word(n)
        next(it)
        try:
            next(it)
        except StopIteration as stop:
            return stop.args[0] + "!", len(stop.args)

    def nothing(n):
        it = squares(n)
        try:
            while True:
                next(it)
        except StopIteration as stop:
            return stop.args

    for function in (last, text, nothing):
        assert njit(function)(3) == function(3)
