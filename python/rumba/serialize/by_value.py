"""Pickling by value: functions and classes that cannot be imported by name are pickled with their code.

Lambdas, closures, functions of `__main__` or of a notebook, classes made in a function. A function takes
along its closure and those global variables that its code names; all functions of one namespace share
one on the other side. Modules travel as their names. A class comes back as itself where it was
pickled or unpickled before. The code is CPython's own format: both sides run the same version of Python.

Absent: classes whose metaclass keeps more than their dictionary (enumerations).
"""
import builtins
import enum
import importlib
import io
import marshal
import pickle
import sys
import types
import uuid
import weakref

# Classes that were pickled or unpickled by value here, by their mark, and the reverse.
_classes = weakref.WeakValueDictionary()
_marks = weakref.WeakKeyDictionary()

# CPython's classes that the module `builtins` does not show, by their names in `types`.
_NAMELESS = {
    value: name for name, value in vars(types).items()
    if isinstance(value, type) and value.__module__ == "builtins" and not hasattr(builtins, value.__qualname__)}

# What `type` makes for a class by itself.
_MADE_BY_TYPE = frozenset({"__dict__", "__weakref__"})


def dumps(value, protocol=None):
    """Pickled bytes."""
    out = io.BytesIO()
    Pickler(out, protocol).dump(value)
    return out.getvalue()


loads = pickle.loads


def find(module, qualname):
    """What a module has under a dotted name; an exception if it has nothing."""
    importlib.import_module(module)
    found = sys.modules[module]
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def is_found_by_name(value):
    """Whether another process finds a function or class in its module."""
    module, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", "<")
    if module in (None, "__main__", "__mp_main__") or "<" in qualname:
        return False
    try:
        return find(module, qualname) is value
    except (ImportError, AttributeError, KeyError, ValueError):
        return False


def reduce_decorated(made, remake, function, *rest):
    """What pickle stores of an object that a decorator made of a function: its name if its module has it, or the
    function by value, of which `remake(function, *rest)` makes it again."""
    if is_found_by_name(made):
        return find, (made.__module__, made.__qualname__)
    return _remake, (remake, dumps(function), *rest)


def _remake(remake, function, *rest):
    return remake(loads(function), *rest)


class Pickler(pickle.Pickler):
    """Pickles by value what has no name to find it by."""

    def __init__(self, file, protocol=None):
        super().__init__(file, protocol)
        # Identity of a global namespace -> what its functions share on the other side.
        self._namespaces = {}

    def reducer_override(self, value):
        """How a value is taken apart; NotImplemented leaves it to pickle."""
        if isinstance(value, types.FunctionType):
            return NotImplemented if is_found_by_name(value) else self._reduce_function(value)
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.CellType):
            return _reduce_cell(value)
        if isinstance(value, type):
            return _reduce_class(value)
        if isinstance(value, property):
            return type(value), (value.fget, value.fset, value.fdel, value.__doc__)
        if isinstance(value, (staticmethod, classmethod)):
            return type(value), (value.__func__,)
        return NotImplemented

    def _reduce_function(self, function):
        code = function.__code__
        namespace = function.__globals__
        shared = self._namespaces.setdefault(
            id(namespace), {"__name__": namespace.get("__name__"), "__builtins__": None})
        names = _names(code)
        state = {
            "globals": {name: namespace[name] for name in names if name in namespace},
            "dict": function.__dict__, "name": function.__name__, "qualname": function.__qualname__,
            "module": function.__module__, "doc": function.__doc__, "defaults": function.__defaults__,
            "kwdefaults": function.__kwdefaults__, "annotations": _annotations(function)}
        arguments = marshal.dumps(code), shared, function.__closure__
        return _make_function, arguments, state, None, None, _fill_function


def _annotations(function):
    """A function's annotations, without those that cannot be pickled: nothing runs by them."""
    found = {}
    for name, value in function.__annotations__.items():
        if isinstance(value, str) or isinstance(value, type) and is_found_by_name(value):
            found[name] = value
    return found


def _names(code):
    """Global names that code and the functions inside it may read."""
    found, work = {}, [code]
    while work:
        code = work.pop()
        found.update(dict.fromkeys(code.co_names))
        work.extend(const for const in code.co_consts if isinstance(const, types.CodeType))
    return found


def _make_function(code, shared, closure):
    shared["__builtins__"] = builtins
    return types.FunctionType(marshal.loads(code), shared, closure=closure)


def _fill_function(function, state):
    for name, value in state["globals"].items():
        function.__globals__.setdefault(name, value)
    function.__dict__.update(state["dict"])
    for name in ("name", "qualname", "module", "doc", "defaults", "kwdefaults", "annotations"):
        setattr(function, f"__{name}__", state[name])


def _reduce_cell(cell):
    try:
        content = (cell.cell_contents,)
    except ValueError:  # nothing was assigned yet
        content = ()
    return types.CellType, (), content, None, None, _fill_cell


def _fill_cell(cell, content):
    if content:
        cell.cell_contents = content[0]


def _reduce_class(made):
    if is_found_by_name(made):
        return NotImplemented
    if made in _NAMELESS:
        return getattr, (types, _NAMELESS[made])
    if issubclass(made, enum.Enum):
        raise pickle.PicklingError(
            f"{made!r} is an enumeration that its module does not have under its name: define it in a module")
    mark = _marks.get(made)
    if mark is None:
        mark = _marks[made] = uuid.uuid4().hex
        _classes[mark] = made
    slots = made.__dict__.get("__slots__", ())
    left_out = _MADE_BY_TYPE.union((slots,) if isinstance(slots, str) else slots)
    state = {name: value for name, value in made.__dict__.items() if name not in left_out}
    body = {"__module__": made.__module__, "__qualname__": made.__qualname__}
    if "__slots__" in state:
        body["__slots__"] = state.pop("__slots__")
    return _make_class, (mark, type(made), made.__name__, made.__bases__, body), state, None, None, _fill_class


def _make_class(mark, kind, name, bases, body):
    known = _classes.get(mark)
    if known is not None:
        return known
    made = types.new_class(name, bases, {"metaclass": kind}, lambda namespace: namespace.update(body))
    made.__rumba_new__ = True
    _marks[made] = mark
    _classes[mark] = made
    return made


def _fill_class(made, state):
    # A class that existed already keeps its present attributes.
    if "__rumba_new__" not in made.__dict__:
        return
    del made.__rumba_new__
    for name, value in state.items():
        if name not in ("__module__", "__qualname__"):
            _set_attribute(made, name, value)


def _set_attribute(made, name, value):
    try:
        setattr(made, name, value)
    except (AttributeError, TypeError):  # what the metaclass made by itself cannot be set
        if name not in made.__dict__:
            raise
