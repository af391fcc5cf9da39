"""Pickling of dispatchers.

A function that its module has under its name travels as that name. Any other (of `__main__`, in a
function, in a notebook) travels with its code, by the package cloudpickle. Within one process the same
dispatcher comes back.
"""
import pickle
import sys
import uuid
import weakref

# Dispatchers that were pickled or unpickled here, by their mark.
_known = weakref.WeakValueDictionary()
# Marks of the dispatchers whose functions are being pickled.
_under_way = set()


def reduce_dispatcher(dispatcher):
    """What pickle stores."""
    mark = dispatcher.__dict__.get("_mark")
    if mark is None:
        mark = dispatcher.__dict__["_mark"] = uuid.uuid4().hex
    if mark in _under_way:
        return _restore_later, (mark,)
    _known[mark] = dispatcher
    options = dict(dispatcher.targetoptions)
    frozen = dispatcher._units_frozen()
    # A function without fixed signatures compiles again when it is called.
    signatures = dispatcher.nopython_signatures if frozen else []
    _under_way.add(mark)
    try:
        function = _reduce_function(dispatcher)
    finally:
        _under_way.discard(mark)
    return _restore, (mark, function, options, signatures, frozen)


class _Later:
    """Stands for a dispatcher that its own function refers to, until it is made."""

    def __init__(self, mark):
        self.mark = mark


def _restore(mark, function, options, signatures, frozen):
    found = _known.get(mark)
    if found is not None:
        return found
    how, what = function
    function = _find(*what) if how == "name" else pickle.loads(what)
    from . import _rumba

    if isinstance(function, _rumba.Dispatcher):
        made = function
    else:
        made = _rumba.session.dispatcher(function, options)
        if how == "code":
            _refer(function, made, mark)
        for signature in signatures:
            made._unit_compile(signature)
        made._units_freeze(frozen)
    made.__dict__["_mark"] = mark
    _known[mark] = made
    return made


def _restore_later(mark):
    return _known.get(mark) or _Later(mark)


def _refer(function, made, mark):
    """Puts the dispatcher where its function refers to it."""

    def is_it(value):
        return isinstance(value, _Later) and value.mark == mark

    for name, value in list(function.__globals__.items()):
        if is_it(value):
            function.__globals__[name] = made
    for cell in function.__closure__ or ():
        try:
            if is_it(cell.cell_contents):
                cell.cell_contents = made
        except ValueError:  # an empty cell
            pass


def _find(module, qualname):
    __import__(module)
    found = sys.modules[module]
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _reduce_function(dispatcher):
    function = dispatcher.py_func
    module, qualname = function.__module__, function.__qualname__
    if module not in (None, "__main__") and "<" not in qualname:
        try:
            found = _find(module, qualname)
        except (ImportError, AttributeError, KeyError):
            found = None
        if found is dispatcher or found is function:
            return "name", (module, qualname)
    try:
        import cloudpickle
    except ImportError:
        raise pickle.PicklingError(
            f"{function!r} cannot be found by its name in a module, so it must be pickled with its code, "
            "which needs the package cloudpickle (pip install cloudpickle)") from None
    return "code", cloudpickle.dumps(function)


def dumps(value):
    """Pickled bytes; functions travel with their code where cloudpickle is installed."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(value)
    return cloudpickle.dumps(value)


def loads(data):
    """The value of pickled bytes."""
    return pickle.loads(data)
