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


def reduce_dispatcher(dispatcher):
    """What pickle stores."""
    mark = dispatcher.__dict__.get("_mark")
    if mark is None:
        mark = dispatcher.__dict__["_mark"] = uuid.uuid4().hex
    _known[mark] = dispatcher
    options = dict(dispatcher.targetoptions)
    frozen = dispatcher._units_frozen()
    # A function without fixed signatures compiles again when it is called.
    signatures = dispatcher.nopython_signatures if frozen else []
    return _restore, (mark, _reduce_function(dispatcher), options, signatures, frozen)


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
        for signature in signatures:
            made._unit_compile(signature)
        made._units_freeze(frozen)
    made.__dict__["_mark"] = mark
    _known[mark] = made
    return made


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
