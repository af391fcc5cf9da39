"""Plain classes in compiled code: dataclasses, and classes whose `__slots__` are annotated.

    @dataclass
    class Particle:
        x: float
        y: float

        def norm(self):
            return math.hypot(self.x, self.y)

Their objects stay Python's. A call makes an object of compiled code of each one that it is passed, and writes the fields back that
have changed. Methods are compiled when compiled code calls them.

Absent: named tuples, which are tuples; classes of compiled code themselves (`rumba.classes.jitclass`).
"""
import enum
import functools
import importlib
import inspect
import sys
import threading
import types as python_types
import typing

from .. import errors, source_text, upcalls
from .._rumba import Instance, types as rules
from ..decorators import njit
from ..intrinsics import new_object, set_field
from ..typed import List as TypedList
from ..types import Type, containers, names
from ..types.classes import ClassInstanceType, ClassType
from ..types.hints import as_numba_type
from ..types.misc import DeferredType, Optional
from .jitclass import add_str, members_of

_lock = threading.RLock()
# (class, types of its fields) -> what stands for it in compiled code.
_known = {}
_thread = threading.local()
# Of these classes values become fields of a type as they are: what `int` and the like mean.
_EXACT = {names.int64: (int,), names.float64: (float, int), names.complex128: (complex, float, int),
          names.unicode_type: (str,), names.bool_: (bool,)}
# What the decorator writes, in a way that is not compiled.
_GENERATED = {"__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__",
              "__getstate__", "__setstate__", "__replace__"}


# Names of classes that are no plain ones -> the module of the library that has a plain class which stands for them.
_LIBRARY = {("numpy.polynomial.polynomial", "Polynomial"): "rumba.library.numpy.polynomial_class"}
# Such classes -> those that say which fields and methods their objects have in compiled code.
_stand_ins = {}


def stands_for(cls):
    """Decorates a class that says which fields and methods the objects of another class have in compiled code."""
    def stand(described):
        _stand_ins[cls] = described
        return described
    return stand


def of_fields(cls, **fields):
    """The type of objects of a class whose fields are of these types."""
    return _of(cls, tuple(fields.items())).instance_type


def _described(cls):
    """The class that says which fields and methods the objects of a class have: itself, unless another one stands for it."""
    module = _LIBRARY.get((cls.__module__, cls.__name__))
    if module is not None:
        importlib.import_module(module)
    return _stand_ins.get(cls, cls)


class PlainClassType(ClassType):
    """A plain class as a value of compiled code."""

    kind = "plainclass"

    def __reduce__(self):
        return _of, (self.class_def, tuple(self.struct.items()))

    def ancestors(self):
        """The classes that its instances are instances of, itself first."""
        return dict.fromkeys(self.class_def.__mro__[:-1])

    def take_in(self, value, memo):
        """The object of compiled code for one of Python. `memo` has those of the call: identity -> [object, its copy, what the
        fields of the copy are in Python]."""
        work, edges, made, values = [], {}, [], []
        first = self._copied(value, memo, work)
        while work:
            made.append(work.pop())
            values += _values(made[-1], memo, work, edges)
        try:
            _check_circles(edges)
            for copied, name, item in values:
                _set(copied, name, item)
        except BaseException:
            for known in made:
                del memo[id(known[0])], known[1]._origin
            raise
        for _, copied, before, _ in made:
            for name in type(copied).class_type.struct:
                before[name] = _field(copied, name)
        return first

    def _copied(self, value, memo, work):
        known = memo.get(id(value))
        if known is None:
            if not self._holds(value):
                raise TypeError(f"an object of class {self.class_name!r} has fields of other types than {self.instance_type}")
            copied = _blank(self.instance_type)
            known = memo[id(value)] = copied._origin = [value, copied, {}, memo]
            work.append(known)
        return known[1]

    @functools.cached_property
    def instance_type(self):
        """The type of its instances."""
        return ClassInstanceType(self)

    @functools.cached_property
    def _exact(self):
        annotated = _fields(self.class_def)
        return [(name, _EXACT.get(ty, ())[:None if annotated[name] else 1]) for name, ty in self.struct.items()]

    def _holds(self, value):
        """Whether an object has fields of these types."""
        if type(value) is not self.class_def:
            return False
        if all(type(getattr(value, name, None)) in classes for name, classes in self._exact):
            return True
        return typeof(value) is self.instance_type

    @functools.cached_property
    def setters(self):
        """For each field the compiled function that sets it."""
        return {name: _setter(name) for name in self.struct}

    @functools.cached_property
    def emptied(self):
        """For each field that is a list the compiled function that makes it an empty one."""
        return {name: _emptied(name, ty.dtype) for name, ty in self.struct.items() if isinstance(ty, containers.List)}

    @functools.cached_property
    def parts(self):
        """Which fields are objects of plain classes themselves: name -> what stands for their class."""
        found = {name: _resolved(ty.type if isinstance(ty, Optional) else ty) for name, ty in self.struct.items()}
        return {name: ty.class_type for name, ty in found.items() if _is_instance(ty)}

    @property
    def is_frozen(self):
        """Whether fields never change."""
        parameters = getattr(self.class_def, "__dataclass_params__", None)
        return parameters is not None and parameters.frozen


def _is_instance(ty):
    return isinstance(ty, ClassInstanceType) and isinstance(ty.class_type, PlainClassType)


def _resolved(ty):
    return ty.get() if isinstance(ty, DeferredType) else ty


def _values(known, memo, work, edges):
    """What the fields of a copy are to be: (copy, name, value). Other copies that this needs are work."""
    value, copied, *_ = known
    kind, found = type(copied).class_type, []
    for name in kind.struct:
        item = getattr(value, name, _UNSET)
        if item is _UNSET:
            # Nobody has set it.
            continue
        if name in kind.parts and item is not None:
            edges.setdefault(id(value), []).append(id(item))
            item = kind.parts[name]._copied(item, memo, work)
        found.append((copied, name, item))
    return found


def _set(copied, name, item):
    kind = type(copied).class_type
    if type(item) is list and not item:
        # It does not say what it would hold.
        kind.emptied[name](copied)
    else:
        kind.setters[name](copied, item)


def _check_circles(edges):
    """ValueError if objects refer to each other in a circle: what counts references would never free their copies."""
    wanted = {}
    for others in edges.values():
        for other in others:
            wanted[other] = wanted.get(other, 0) + 1
    free = [one for one in edges if one not in wanted]
    while free:
        for other in edges.pop(free.pop(), ()):
            wanted[other] -= 1
            if not wanted[other] and other in edges:
                free.append(other)
    if edges:
        raise ValueError("objects that refer to each other in a circle cannot be passed to compiled code")


def finish(memo):
    """Writes back what a call has changed, behind it."""
    try:
        for known in memo.values():
            _write_back(known)
    finally:
        for _, copied, *_ in memo.values():
            if hasattr(copied, "_origin"):
                del copied._origin
        memo.clear()


def _write_back(known):
    value, copied, before, _ = known
    kind = type(copied).class_type
    if kind.is_frozen:
        return
    for name in kind.struct:
        now = _field(copied, name)
        if name in before and _is_same(before[name], now) or now is _UNSET:
            continue
        kept = getattr(value, name, None)
        if type(kept) is list and type(now) is list:
            kept[:] = now
        else:
            setattr(value, name, now)
        before[name] = now


_UNSET = object()


def _field(copied, name):
    if name not in type(copied).class_type.parts:
        return getattr(copied, name, _UNSET)
    part = _raw(getattr, copied, name, _UNSET)
    if part is None or part is _UNSET:
        return part
    known = getattr(part, "_origin", None)
    return _new_object(part) if known is None else known[0]


def _is_same(one, other):
    if one is other:
        return True
    if type(one) is not type(other) or type(one) not in (int, float, complex, bool, str, bytes, tuple, list, set):
        return False
    return one == other or one != one and other != other


def _hand_out(copied):
    """The object of Python for one of compiled code: the one that it came from, or a new one."""
    if getattr(_thread, "raw", False):
        return copied
    known = getattr(copied, "_origin", None)
    if known is not None:
        _write_back_from(known)
        return known[0]
    return _new_object(copied)


def _write_back_from(known):
    """Writes back what an object refers to, too."""
    memo, work, seen = known[3], [known], set()
    while work:
        known = work.pop()
        if known is None or id(known) in seen:
            continue
        seen.add(id(known))
        _write_back(known)
        work += [memo.get(id(getattr(known[0], name, None))) for name in type(known[1]).class_type.parts]


def _new_object(copied):
    """A new object, and those that it refers to. What compiled code does to them from now on, they do not see."""
    made, work = {}, []

    def of(copied):
        known = getattr(copied, "_origin", None)
        if known is not None:
            return known[0]
        if id(copied) not in made:
            # The copies stay alive as long as their numbers are theirs.
            made[id(copied)] = object.__new__(type(copied).class_type.class_def), copied
            work.append(made[id(copied)])
        return made[id(copied)][0]

    first = of(copied)
    while work:
        one, copied = work.pop()
        kind = type(copied).class_type
        for name in kind.struct:
            item = _raw(getattr, copied, name, _UNSET) if name in kind.parts else getattr(copied, name, _UNSET)
            if item is not _UNSET:
                object.__setattr__(one, name, of(item) if name in kind.parts and item is not None else item)
    return first


def _raw(function, *args):
    """Calls a function whose results are objects of compiled code."""
    _thread.raw = True
    try:
        return function(*args)
    finally:
        _thread.raw = False


def _blank(instance):
    return _raw(_maker(instance))


@functools.cache
def _maker(instance):
    return njit(lambda: new_object(instance))


def _setter(name):
    return njit(source_text.function(f"set_{name}(copied, value)", [f"_set_field(copied, {name!r}, value)"], {"_set_field": set_field}))


def _emptied(name, item):
    body = [f"_set_field(copied, {name!r}, [one for one in _List.empty_list(_item)])"]
    return njit(source_text.function(
        f"empty_{name}(copied)", body, {"_set_field": set_field, "_item": item, "_List": TypedList}))


def typeof(value):
    """The type of an object of a plain class; None if its class is none. TypingError names the field that has no type."""
    cls = type(value)
    if not _is_plain(cls):
        return None
    fields = []
    for name, ty in _fields(cls).items():
        item = getattr(value, name, _UNSET)
        if ty is None and item is _UNSET:
            raise errors.TypingError(f"field {name!r} of {cls.__name__} is not set, and its annotation does not say its type")
        if ty is None:
            try:
                ty = upcalls.typeof(item)
            except ValueError as error:
                raise errors.TypingError(f"field {name!r} of {cls.__name__}: {error}") from None
        elif item is not _UNSET and not _fits(item, ty):
            raise errors.TypingError(
                f"field {name!r} of {cls.__name__} is annotated as {ty}, and is of class {type(item).__name__!r}")
        fields.append((name, ty))
    return _of(cls, tuple(fields)).instance_type


def _fits(item, ty):
    exact = _EXACT.get(ty)
    if exact is not None and type(item) in exact:
        return True
    if isinstance(ty, Optional):
        return item is None or _fits(item, ty.type)
    if isinstance(ty, containers.List):
        return type(item) is list and all(_fits(one, ty.dtype) for one in item)
    ty = _resolved(ty)
    if _is_instance(ty):
        return type(item) is ty.class_type.class_def
    try:
        found = upcalls.typeof(item)
    except ValueError:
        return False
    if found == ty:
        return True
    from ..compat.targets import cpu_target
    from ..types.base import Conversion

    grade = cpu_target.typing_context.can_convert(found, ty)
    return grade is not None and grade <= Conversion.safe


def instance_type(cls):
    """The type of the objects that compiled code makes of a plain class; None if it is none. TypingError names the field that has
    no type."""
    if not _is_plain(cls):
        return None
    fields = _fields(cls)
    for name, ty in fields.items():
        if ty is None:
            raise errors.TypingError(
                f"compiled code cannot make objects of {cls.__name__}: the annotation of field {name!r} does not say its type; "
                "write a type of compiled code there, as float64[:] for an array")
    return _of(cls, tuple(fields.items())).instance_type


@functools.cache
def _is_plain(cls):
    if _described(cls) is not cls:
        return True
    if issubclass(cls, (BaseException, enum.Enum, tuple, Instance, Type, type)):
        return False
    if "__dataclass_fields__" in vars(cls):
        return True
    slots = [vars(one).get("__slots__") for one in cls.__mro__ if one is not object]
    annotated = {name for one in cls.__mro__ for name in vars(one).get("__annotations__", ())}
    return bool(slots) and None not in slots and any(slots) and all(
        name in annotated for one in slots for name in ((one,) if isinstance(one, str) else one))


# Classes whose fields are looked at -> what stands for their type meanwhile.
_being_read = {}


@functools.cache
def _fields(cls):
    """Names of the fields, and their types where the annotations say them."""
    with _lock:
        ty = _being_read[cls] = DeferredType()
        try:
            found = _read_fields(_described(cls))
        finally:
            del _being_read[cls]
        if None not in found.values():
            ty.define(_of(cls, tuple(found.items())).instance_type)
            return found
    # What refers to the class itself has a type only if all fields have.
    return {name: None if _refers(one, ty) else one for name, one in found.items()}


def _refers(one, ty):
    return one is not None and (one is ty or isinstance(one, Optional) and one.type is ty)


def _read_fields(cls):
    try:
        hints = typing.get_type_hints(cls, localns={cls.__name__: cls})
    except NameError:
        # A name that only exists where the class was written.
        hints = {name: hint for one in reversed(cls.__mro__) for name, hint in vars(one).get("__annotations__", {}).items()}
    if "__dataclass_fields__" in vars(cls):
        wanted = [field.name for field in sys.modules["dataclasses"].fields(cls)]
    else:
        wanted = [name for one in reversed(cls.__mro__) for name in _as_names(vars(one).get("__slots__", ()))]
    return {name: _type_of_hint(hints.get(name)) for name in wanted}


def _as_names(slots):
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _type_of_hint(hint):
    if typing.get_origin(hint) is list:
        item = _type_of_hint(typing.get_args(hint)[0])
        return None if item is None else containers.List(item, True)
    if typing.get_origin(hint) in (typing.Union, getattr(python_types, "UnionType", None)):
        present = [arg for arg in typing.get_args(hint) if arg is not type(None)]
        inner = _type_of_hint(present[0]) if len(present) == 1 else None
        return None if inner is None else Optional(inner)
    if isinstance(hint, type) and _is_plain(hint):
        if hint in _being_read:
            return _being_read[hint]
        try:
            return instance_type(hint)
        except errors.TypingError:
            return None
    if isinstance(hint, str) or typing.get_origin(hint) not in (None, tuple):
        return None
    try:
        return as_numba_type.try_infer(hint)
    except errors.TypingError:
        return None


def _of(cls, fields):
    """What stands for a class whose fields are of these types."""
    with _lock:
        found = _known.get((cls, fields))
        if found is None:
            found = _known[cls, fields] = _compiled(cls, dict(fields))
        return found


def _compiled(cls, fields):
    written = members_of(_described(cls))
    methods = {name: njit(method) for name, method in written.methods.items() if _is_compiled(name, method)}
    props = {name: {kind: njit(function) for kind, function in (("get", prop.fget), ("set", prop.fset)) if function}
             for name, prop in written.properties.items()}
    known = PlainClassType(cls, None, fields, methods, props,
                           {name: njit(method.__func__) for name, method in written.statics.items()})
    if known.is_frozen:
        known.jit_props |= {name: {"set": njit(_refusal(name))} for name in fields}
    implied = _implied(cls, fields)
    if known.is_frozen and {"__eq__", "__hash__"} <= implied.keys() - methods.keys():
        known.identifying = _compared(cls, fields)
    for name, function in implied.items():
        if name not in methods:
            methods[name] = njit(function)
    add_str(methods)
    known.constructor = _constructor(cls, known, methods.get("__init__"))
    instance = known.instance_type
    space = {name: rules.field(instance, name, None) for name in fields}
    space |= {"class_type": known, "__slots__": ("_origin",), "_hand_out": _hand_out, "__module__": cls.__module__,
              "__qualname__": cls.__qualname__, "_numba_type_": property(lambda self: instance)}
    known.object_class = type(cls.__name__, (Instance,), space)
    return known


def _is_compiled(name, method):
    generated = name in _GENERATED and method.__code__.co_filename == "<string>" or hasattr(method, "__wrapped__")
    return not generated and "__class__" not in method.__code__.co_freevars


def _refusal(name):
    message = f"cannot assign to field {name!r}"
    return source_text.function("refuse(copied, value)", [f"raise AttributeError({message!r})"], {})


def _implied(cls, fields):
    """The methods that the decorator `dataclass` writes, in a way that is compiled."""
    parameters = getattr(cls, "__dataclass_params__", None)
    if parameters is None:
        return {}
    shown = [field.name for field in cls.__dataclass_fields__.values() if field.name in fields and field.repr]
    compared = _compared(cls, fields)

    def of(who):
        return "(" + "".join(f"{who}.{name}, " for name in compared) + ")"

    written = {}
    if parameters.repr:
        text = ", ".join(f"{name}={{self.{name}!r}}" for name in shown)
        written["__repr__"] = source_text.function("__repr__(self)", [f"return f{f'{cls.__qualname__}({text})'!r}"], {})
    if parameters.eq:
        same = " and ".join(f"self.{name} == other.{name}" for name in compared) or "True"
        written["__eq__"] = source_text.function(
            "__eq__(self, other)", ["if other.__class__ is not self.__class__:", " return False", f"return {same}"], {})
        written["__ne__"] = source_text.function("__ne__(self, other)", ["return not self == other"], {})
    if parameters.order:
        for name, operator in (("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")):
            refusal = (f"f\"'{operator}' not supported between instances of "
                       "'{self.__class__.__name__}' and '{other.__class__.__name__}'\"")
            written[name] = source_text.function(
                f"{name}(self, other)",
                ["if other.__class__ is not self.__class__:", f" raise TypeError({refusal})",
                 f"return {of('self')} {operator} {of('other')}"], {})
    if parameters.eq and parameters.frozen or parameters.unsafe_hash:
        written["__hash__"] = source_text.function("__hash__(self)", [f"return hash({of('self')})"], {})
    return written


def _compared(cls, fields):
    return [field.name for field in cls.__dataclass_fields__.values() if field.name in fields and field.compare]


def _constructor(cls, known, init):
    """The compiled function that makes an object: it has the parameters of `__init__`."""
    scope = {"_new": new_object, "_type": known.instance_type, "_set_field": set_field, "_init": init}
    if init is not None:
        parameters = list(inspect.signature(init.py_func).parameters.values())[1:]
        if any(one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in parameters):
            return None
        passed = "".join(f", {one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else f", {one.name}" for one in parameters)
        body = [f"_init(_self{passed})"]
    elif "__dataclass_fields__" in vars(cls) and cls.__dataclass_params__.init:
        parameters, body = _parameters_of_fields(cls)
        if parameters is None:
            return None
    else:
        return None
    shown = [one.replace(annotation=one.empty) for one in parameters]
    signature = inspect.Signature(sorted(shown, key=lambda one: one.kind))
    return njit(source_text.with_signature("construct", signature, ["_self = _new(_type)", *body, "return _self"], scope))


def _parameters_of_fields(cls):
    missing = sys.modules["dataclasses"].MISSING
    parameters, body = [], []
    for field in cls.__dataclass_fields__.values():
        kind = field._field_type.name
        if kind == "_FIELD_INITVAR":
            return None, None
        if kind != "_FIELD":
            continue
        if field.init:
            default = inspect.Parameter.empty if field.default is missing else field.default
            of_parameter = inspect.Parameter.KEYWORD_ONLY if field.kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(field.name, of_parameter, default=default))
            body.append(f"_set_field(_self, {field.name!r}, {field.name})")
        elif field.default is not missing:
            body.append(f"_set_field(_self, {field.name!r}, {field.default!r})")
    # A field with a factory has no default in compiled code: such parameters become required, and go in front.
    first = next((at for at, one in enumerate(parameters) if one.default is not one.empty), len(parameters))
    if any(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters[first:]):
        parameters = [one if at < first or one.kind is one.KEYWORD_ONLY else one.replace(default=one.empty)
                      for at, one in enumerate(parameters)]
    if hasattr(cls, "__post_init__"):
        body.append("_self.__post_init__()")
    return parameters, body
