"""Pickling of dispatchers.

A function that its module has under its name travels as that name. Any other (of `__main__`, in a
function, in a notebook) travels with its code (`pickling`). Within one process the same dispatcher
comes back.
"""
import collections
import threading
import uuid
import weakref

from .. import config
from .._rumba import Dispatcher, session
from .by_value import dumps, find, loads

# Dispatchers that were pickled or unpickled here, by their mark.
_known = Dispatcher._memo = weakref.WeakValueDictionary()
# Strong references to the most recent ones: what a pool of workers sends again and again compiles once.
_recent = Dispatcher._recent = collections.deque(maxlen=config.FUNCTION_CACHE_SIZE)


class _UnderWay(threading.local):
    """Marks of the dispatchers whose functions this thread is pickling."""

    def __init__(self):
        self.marks = set()


_under_way = _UnderWay()
# Mark of a dispatcher that is not made yet -> those that refer to it, and their signatures.
_waiting = {}


def reduce_dispatcher(dispatcher):
    """What pickle stores."""
    mark = dispatcher.__dict__.get("_mark")
    if mark is None:
        mark = dispatcher.__dict__["_mark"] = uuid.uuid4().hex
    if mark in _under_way.marks:
        return _restore_later, (mark,)
    _remember(mark, dispatcher)
    options = dict(dispatcher.targetoptions)
    frozen = dispatcher._units_frozen()
    # A function without fixed signatures compiles again when it is called.
    signatures = dispatcher.nopython_signatures if frozen else []
    _under_way.marks.add(mark)
    try:
        function = _reduce_function(dispatcher)
    finally:
        _under_way.marks.discard(mark)
    # A class of another target travels by its name.
    own_class = type(dispatcher) if type(dispatcher) is not Dispatcher else None
    return _restore, (mark, function, options, signatures, frozen, own_class)


class _Later:
    """Stands for a dispatcher that its own function refers to, until it is made."""

    def __init__(self, mark):
        self.mark = mark


def _restore(mark, function, options, signatures, frozen, own_class=None):
    found = _known.get(mark)
    if found is not None:
        return found
    how, what = function
    function = find(*what) if how == "name" else loads(what)
    if isinstance(function, Dispatcher):
        made = function
    else:
        made = session.dispatcher(function, options, own_class)
        made._units_freeze(frozen)
        _settle(made, mark, signatures)
    made.__dict__["_mark"] = mark
    _remember(mark, made)
    return made


def _remember(mark, dispatcher):
    _known[mark] = dispatcher
    # Not looked for first: another thread may append meanwhile.
    _recent.append(dispatcher)


def _restore_later(mark):
    return _known.get(mark) or _Later(mark)


def _variables(function):
    """(what holds a variable, its name there, its value) of the variables a function reads."""
    for name, value in list(function.__globals__.items()):
        yield function.__globals__.__setitem__, name, value
    for cell in function.__closure__ or ():
        try:
            yield cell.__setattr__, "cell_contents", cell.cell_contents
        except ValueError:  # nothing was assigned yet
            pass


def _compile_or_wait(dispatcher, signatures):
    """Compiles for fixed signatures as soon as every dispatcher that the function refers to is made."""
    awaited = {value.mark for _, _, value in _variables(dispatcher.py_func) if isinstance(value, _Later)}
    if awaited:
        _waiting.setdefault(awaited.pop(), []).append((dispatcher, signatures))
    else:
        for signature in signatures:
            dispatcher._unit_compile(signature)


def _settle(made, mark, signatures):
    """Puts a new dispatcher where functions refer to it, then compiles what can be compiled."""
    ready = [(made, signatures), *_waiting.pop(mark, ())]
    for dispatcher, _ in ready:
        for put, name, value in _variables(dispatcher.py_func):
            if isinstance(value, _Later) and value.mark == mark:
                put(name, made)
    for dispatcher, signatures in ready:
        _compile_or_wait(dispatcher, signatures)


def _reduce_function(dispatcher):
    function = dispatcher.py_func
    module, qualname = function.__module__, function.__qualname__
    if module not in (None, "__main__", "__mp_main__") and "<" not in qualname:
        try:
            found = find(module, qualname)
        except (ImportError, AttributeError, KeyError):
            found = None
        if found is dispatcher or found is function:
            return "name", (module, qualname)
    return "code", dumps(function)


def is_serializable(value):
    """Whether a value can be pickled."""
    try:
        dumps(value)
    except Exception:  # whatever a class of the user raises
        return False
    return True
