"""When libraries register, and what compilations see of it: epochs, failures, overloads without an end."""
import pytest
from rumba import errors, njit, types
from rumba.extending import overload
from support import caller, forgotten_overloads
from support import overloaded as make


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


def test_a_registration_after_a_failure_is_seen():
    def function(x):
        raise NotImplementedError

    call = caller(function)
    with pytest.raises(errors.TypingError, match="plain Python function"):
        call(1)
    overload(function)(lambda x: None)
    with pytest.raises(errors.TypingError, match="no match"):
        call(1)
    overload(function)(lambda x: lambda x: x * 3)
    assert call(1) == 3


def test_a_registration_in_the_middle_of_a_compilation():
    def registers(x):
        def inner(y):
            raise NotImplementedError

        overload(inner)(lambda y: lambda y: y + 100)
        return lambda x: inner(x)

    assert caller(make(registers))(1) == 101


def test_an_overload_may_compile_and_call_functions():
    helper = njit(lambda x: x + 1)

    def compiles(x):
        number = helper(41)
        return lambda x: x + number

    assert caller(make(compiles))(1) == 43


def test_endless_overloads_are_stopped():
    def function(x):
        raise NotImplementedError

    overload(function)(lambda x: lambda x: function((x,)))
    with pytest.raises(errors.TypingError, match="'function' call 'function' again and again"):
        caller(function)(1)


def test_a_registration_does_not_disturb_the_compilation_that_makes_it():
    def function(x):
        raise NotImplementedError

    made = []

    @overload(function)
    def first(x):
        if not made:
            made.append(x)
            # For the same function: only compilations that begin later see it.
            overload(function)(lambda x: lambda x: x + 1000)
        return lambda x: missing(x) if isinstance(x, float) else x + 1

    @njit
    def twice(x):
        return function(x), function(x + 1)

    assert twice(1) == (2, 3)
    with pytest.raises(errors.TypingError):
        njit(lambda x: function((x,)) + missing(x))(1)
    assert njit(lambda x: function(x))(2) == 3


def test_the_compilation_that_registers_sees_its_own_candidates_alone():
    def function(x):
        raise NotImplementedError

    @overload(function)
    def fails(x):
        overload(function)(lambda x: lambda x: x + 1000)
        raise errors.TypingError("not this one")

    @njit
    def call(x):
        return function(x)

    with pytest.raises(errors.TypingError, match="not this one"):
        call(1)
    assert call(1) == 1001


def test_failed_questions_are_remembered_until_something_is_registered():
    asked = []

    def counts(x):
        asked.append(x)
        raise errors.TypingError("never")

    function = make(counts)
    for _ in range(3):
        with pytest.raises(errors.TypingError, match="never"):
            caller(function)(1)
    assert asked == [types.int64]
    overload(lambda x: x)(lambda x: None)
    with pytest.raises(errors.TypingError, match="never"):
        caller(function)(1)
    assert asked == [types.int64] * 2


def test_an_exception_in_an_overload_tells_who_was_asked_before():
    def rejects(x):
        raise errors.TypingError("not my type")

    def broken(x):
        return {}["key"]

    with pytest.raises(KeyError) as caught:
        caller(make(rejects, broken))(1)
    notes = "\n".join(caught.value.__notes__)
    assert "Raised by the overload 'broken'" in notes
    assert "Asked before it: overload 'rejects'" in notes and "not my type" in notes


def test_an_overload_that_compiles_a_call_of_itself_is_stopped():
    def function(x):
        raise NotImplementedError

    call = njit(lambda x: function(x))

    @overload(function)
    def endless(x):
        call(1)
        return lambda x: x

    with pytest.raises(errors.TypingError, match="is being asked already"):
        caller(function)(1)
