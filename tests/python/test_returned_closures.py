"""Functions that share variables, lists and arrays with others after the function around them has returned."""
import numpy as np
import pytest

import support
from leaks import nothing_leaks  # noqa: F401  the fixture
from rumba import errors, njit


def counter(count):
    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


def account(balance):
    history = ""

    def pay(amount, *, what="paid"):
        nonlocal balance, history
        if amount > balance:
            raise ValueError("not enough")
        balance -= amount
        history = history + what + ";"
        return balance

    def show():
        return balance, history

    return pay, show


def running_mean(first):
    total, seen = first, 1

    def add(value):
        nonlocal total, seen
        total = total + value
        seen += 1
        return total / seen

    return add


def called_before(start):
    value = start

    def halve():
        nonlocal value
        value = value / 2
        return value

    halve()
    return halve


def kept_array(n):
    data = np.zeros(n)
    last = data

    def put(value):
        nonlocal last
        last = last + value
        return last.sum()

    def get():
        return last

    return put, get


def two_deep(x):
    def middle(y):
        def inner(z):
            nonlocal x
            x += y * z
            return x

        return inner

    return middle(2), middle(3)


def chosen(which):
    value = 1

    def up():
        nonlocal value
        value += 1
        return value

    def down():
        nonlocal value
        value -= 1
        return value

    return up if which else down


def of_a_choice(x):
    function = chosen_compiled(x > 2)
    return function() + function() * 10


def unbound(x):
    def put(new):
        nonlocal value
        value = new
        return value

    def get():
        return value

    if x > 10:
        value = x
    return put, get


def names(first):
    known = [first]

    def add(name):
        nonlocal known
        known = known + [name]
        return len(known)

    def all_of_them():
        return known

    return add, all_of_them


def test_a_counter_goes_on_from_call_to_call():
    first, second, python = njit(counter)(10), njit(counter)(100), counter(10)
    assert [first() for _ in range(3)] == [python() for _ in range(3)] == [11, 12, 13]
    assert (first(5), first(by=2), second(), first()) == (18, 20, 101, 21)


def test_functions_that_were_returned_together_share_their_variables():
    for pay, show in (njit(account)(10), account(10)):
        assert show() == (10, "")
        assert pay(3) == 7 and pay(2, what="rent") == 5
        with pytest.raises(ValueError, match="not enough"):
            pay(100)
        assert show() == (5, "paid;rent;")


def test_what_was_assigned_before_an_exception_stays():
    @njit
    def make():
        level = 0

        def up(fail):
            nonlocal level
            level += 1
            if fail:
                raise ValueError("stopped")
            return level

        return up

    up = make()
    with pytest.raises(ValueError, match="stopped"):
        up(True)
    assert up(False) == 2


def test_calls_before_the_return_decide_about_the_type():
    for argument in (8, 3.0):
        mine, python = njit(called_before)(argument), called_before(argument)
        assert [mine() for _ in range(3)] == [python() for _ in range(3)]


def test_values_of_every_kind_are_kept():
    for put, get in (njit(kept_array)(3), kept_array(3)):
        assert (put(1.5), put(0.5)) == (4.5, 6.0)
        assert get().tolist() == [2.0, 2.0, 2.0]
    for add, all_of_them in (njit(names)("a"), names("a")):
        assert (add("b"), add("c")) == (2, 3)
        assert all_of_them() == ["a", "b", "c"]


def test_containers_and_arrays_are_shared():
    def make(items, table):
        data = np.zeros(3)

        def add(item):
            items.append(item)
            table[item] = len(items)
            data[0] += item
            return len(items), data.sum()

        def total():
            return sum(items), data[0]

        return add, total, data

    for function in (njit(make), make):
        given, table = [1, 2], {5: 0}
        add, total, data = function(given, table)
        assert (add(7), add(1)) == ((3, 7.0), (4, 8.0))
        data[0] += 0.5
        assert total() == (11, 8.5) and add(2) == (5, 10.5)


def test_functions_that_others_have_taken_along():
    def make(x):
        scale = lambda value: value * x  # noqa: E731
        total = 0

        def add(value):
            nonlocal total
            total += scale(value)
            return total

        def twice(value):
            add(value)
            return add(value)

        return add, twice

    for add, twice in (njit(make)(3), make(3)):
        assert (add(1), twice(2), add(0)) == (3, 15, 15)


def test_one_function_deeper():
    for first, second in (njit(two_deep)(1), two_deep(1)):
        assert (first(5), second(5), first(1)) == (11, 26, 28)


def test_a_variable_without_a_value():
    for put, get in (njit(unbound)(1), unbound(1)):
        with pytest.raises(NameError, match="cannot access free variable 'value'"):
            get()
        assert (put(7), get()) == (7, 7)
    assert njit(unbound)(11)[1]() == 11


def in_compiled_code(x):
    step, other = counter_compiled(x), counter_compiled(0)
    total = 0
    for index in range(5):
        total += step(index) + other()
    pay, show = account_compiled(x * 10)
    pay(x)
    add = running_mean_compiled(1.5)
    add(x)
    return total, show(), add(4.0)


counter_compiled, account_compiled, chosen_compiled = map(njit, (counter, account, chosen))
running_mean_compiled = njit(running_mean)


@njit
def apply(function, count):
    total = 0
    for _ in range(count):
        total += function()
    return total


def test_returned_functions_are_called_in_compiled_code():
    for x in (1, 5):
        support.check(in_compiled_code, x)
        support.check(of_a_choice, x)


def test_returned_functions_are_arguments():
    step, python = counter_compiled(3), counter(3)
    assert apply(step, 4) == apply.py_func(python, 4)
    assert step() == python() == 8
    up, down = chosen_compiled(True), chosen_compiled(False)
    assert apply(up, 3) == 9 and apply(down, 3) == -3


def test_they_are_stored_in_tuples_and_lists():
    @njit
    def program():
        functions = [counter_compiled(index) for index in range(3)]
        for function in functions:
            function()
        return [function() for function in functions], (functions[1], 5)[0]()

    assert program() == ([2, 3, 4], 4)


def test_the_python_function_shows_what_the_variables_hold():
    step = counter_compiled(3)
    step(4)
    assert step.py_func() == 8 and step.py_func() == 8
    assert [cell.cell_contents for cell in step.py_func.__closure__] == [7]
    assert step.__name__ == "step" and repr(step) == "<compiled function counter.<locals>.step>"


def test_wrong_arguments_are_a_type_error_as_in_python():
    step = counter_compiled(3)
    for arguments, keywords in (((1, 2), {}), ((), {"other": 1})):
        for function in (counter(3), step):
            with pytest.raises(TypeError) as caught:
                function(*arguments, **keywords)
            assert caught.type is TypeError


def test_another_type_than_the_maker_left_is_an_error():
    step = counter_compiled(0)
    with pytest.raises(errors.TypingError, match="Cannot unify int64 and float64 for 'count'") as caught:
        step(0.5)
    assert "Give 'count' its first value as float64." in str(caught.value)
    assert step() == 1
    assert counter_compiled(0.0)(0.5) == 0.5


def test_iterators_do_not_outlive_the_call():
    @njit
    def make(values):
        iterator = iter(values)

        def advance():
            nonlocal iterator
            item = next(iterator)
            iterator = iter(values)
            return item

        return advance

    with pytest.raises(errors.UnsupportedError, match="changes 'iterator' of the function around it"):
        make(np.arange(3))


def test_many_calls():
    make = njit(account)
    keep = njit(kept_array)

    def use():
        pay, show = make(10)
        pay(1, what="a text that is long enough")
        put, get = keep(5)
        put(1.0)
        return show(), get()

    @njit
    def inside(n):
        total = 0.0
        for index in range(n):
            put, get = keep(index)
            put(1.0)
            total += get().sum()
        return total

    for _ in range(10):
        (balance, history), data = use()
        assert (balance, history) == (9, "a text that is long enough;") and data.tolist() == [1.0] * 5
        assert inside(5) == 10.0


def test_a_returned_function_captures_the_list_of_a_starred_name():
    def make(p):
        *rest, last = (p, 3)
        *none, only = (p,)
        join = lambda x: ("a", x)  # noqa: E731
        return lambda y: (join(any((none, rest))), len(rest) + y, rest[0])

    assert njit(make)(1)(2) == make(1)(2) == (("a", True), 3, 1)
