"""What a call comes to, exceptions included, and that it comes to the same in compiled code and in CPython."""
from rumba import njit


def chain(error, seen=()):
    """An exception as it compares: its class, text and arguments, its notes, and those of its causes and contexts."""
    if error is None or any(error is other for other in seen):
        return None
    seen = (*seen, error)
    notes = getattr(error, "__notes__", None)
    links = chain(error.__cause__, seen), chain(error.__context__, seen)
    return type(error), str(error), error.args, notes, vars(error).get("code"), links, error.__suppress_context__


def outcome(function, *args):
    """What a call returns or raises."""
    try:
        value = function(*args)
    except BaseException as error:
        return "raised", chain(error)
    return "returned", chain(value) if isinstance(value, BaseException) else value


def same(function, *calls):
    """Asserts that the compiled function does what CPython does, with arguments that no call before has changed."""
    compiled = njit(function)
    for args in calls:
        def fresh():
            return [arg.copy() if hasattr(arg, "copy") else arg for arg in args]

        assert repr(outcome(compiled, *fresh())) == repr(outcome(function, *fresh())), args
