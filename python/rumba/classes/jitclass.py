"""Compiled classes: `jitclass`.

    @jitclass([("x", float64), ("y", float64)])
    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

        def norm(self):
            return math.sqrt(self.x ** 2 + self.y ** 2)

An object is a block of memory with the fields. Methods are compiled functions that get the object first; in Python they are
called without a detour. A class may derive from another compiled one: it has its fields and methods, too.

Absent: objects in Python and fields (the extension), the types (`rumba.types.classes`).
"""
import copyreg
import dis
import functools
import inspect
import operator
import types as python_types
import typing
from collections.abc import Sequence

from .. import source_text
from .._rumba import Instance, types as rules
from ..decorators import njit
from ..errors import UnsupportedError
from ..intrinsics import new_object
from ..types import Type
from ..types.classes import ClassType
from ..types.hints import as_numba_type
from .super_calls import with_super


def jitclass(cls_or_spec=None, spec=None):
    """Decorates a class whose objects live in compiled code.

    The types of the fields are given by `spec` (a dict, or a list of pairs of name and type), by annotations, or by both.
    Used plain, or with the specification as the only argument. A class that derives from `typing.Generic` may have fields whose types are its
    parameters: `Stack[int64]` is the compiled class for a type.
    """
    if cls_or_spec is not None and spec is None and not isinstance(cls_or_spec, type):
        cls_or_spec, spec = None, cls_or_spec

    def decorate(cls):
        from .. import config

        if config.DISABLE_JIT:
            return cls
        if getattr(cls, "__parameters__", ()):
            from .generic_classes import GenericClass

            return GenericClass(cls, spec, _compiled)
        return _compiled(cls, spec)

    return decorate if cls_or_spec is None else decorate(cls_or_spec)


class JitClassType(type):
    """The class of compiled classes. Calling one calls the compiled constructor (`rules.set_constructor`)."""


def _reduce_class(cls):
    """How a class is pickled: by its name, or by those of the generic class and the types that it was made of."""
    origin = cls.class_type.class_def.__dict__.get("_generic")
    return (operator.getitem, origin) if origin else cls.__qualname__


copyreg.pickle(JitClassType, _reduce_class)


class JitObject(Instance):
    """What objects of compiled classes are besides: they are copied and pickled by their fields."""

    __slots__ = ()

    def __reduce_ex__(self, protocol):
        state = {}
        for name in type(self).class_type.struct:
            try:
                state[name] = getattr(self, name)
            except AttributeError:
                # Nobody has set it.
                pass
        return _blank, (type(self),), state

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)


def _blank(cls):
    """An object of a class whose fields are not set."""
    return _maker(cls)()


@functools.cache
def _maker(cls):
    instance = cls.class_type.instance_type
    return njit(lambda: new_object(instance))


def _compiled(cls, spec, fields=True):
    fields = _fields(cls, spec) if fields else {}
    found = members_of(cls)
    shadowed = sorted(set(fields) & (set(found.methods) | set(found.properties) | set(found.statics) | set(found.classes)))
    if shadowed:
        raise NameError(f"name shadowing: {', '.join(shadowed)}")
    for name, prop in found.properties.items():
        if prop.fdel is not None:
            raise TypeError(f"deleter is not supported: {name}")
    base = found.base
    if base is not None:
        fields = {**base.class_type.struct, **fields}
    methods = {name: _compile(method) for name, method in found.methods.items()}
    known = ClassType(cls, None, fields, methods, {
        name: {kind: _compile(function) for kind, function in (("get", prop.fget), ("set", prop.fset)) if function}
        for name, prop in found.properties.items()
    }, {name: _compile(method.__func__) for name, method in found.statics.items()})
    known.jit_class_methods = {name: _compile(method.__func__) for name, method in found.classes.items()}
    init = methods.get("__init__")
    known.constructor = _constructor(cls, known, init)
    _add_implied(methods)
    made = JitClassType(cls.__name__, (base or JitObject,), _namespace(cls, known, found))
    known.object_class = made
    rules.set_constructor(made)
    as_numba_type.register(made, known.instance_type)
    return made


def _compile(function):
    """The compiled function for a method."""
    from .._rumba import Dispatcher

    return function if isinstance(function, Dispatcher) else njit(with_super(function, _compiled_base))


@functools.cache
def _compiled_base(cls):
    """A class that others derive from, compiled; a plain one without fields, so that its methods can be called."""
    return cls if isinstance(cls, JitClassType) else _compiled(cls, None, fields=False)


def _fields(cls, spec):
    """Names and types of the fields."""
    fields = dict(spec) if spec is not None and not isinstance(spec, Sequence) else dict(list(spec or ()))
    missing = _own_annotations(cls) - fields.keys()
    for name, annotation in typing.get_type_hints(cls).items() if missing else ():
        if name in missing:
            fields[name] = as_numba_type(annotation)
    for name, ty in fields.items():
        if not isinstance(name, str):
            raise TypeError(f"spec keys should be strings, got {name!r}")
        if not isinstance(ty, Type):
            raise TypeError(f"spec values should be Numba type instances, got {ty!r}")
    return {_mangled(cls, name): ty for name, ty in fields.items()}


def _own_annotations(cls):
    """Names that the class, or a plain class that it derives from, annotates."""
    return {name for one in cls.__mro__ if not isinstance(one, JitClassType) or one is cls
            for name in one.__dict__.get("__annotations__", ())}


def _mangled(cls, name):
    private = name.startswith("__") and not name.endswith("__")
    return f"_{cls.__name__.lstrip('_')}{name}" if private else name


class _Members:
    """What a class has besides its fields, by kind."""

    def __init__(self):
        self.methods, self.properties, self.statics, self.classes, self.others = {}, {}, {}, {}, {}
        # The compiled class that it derives from.
        self.base = None

    def add(self, name, value):
        for kind in (self.methods, self.properties, self.statics, self.classes, self.others):
            kind.pop(name, None)
        if isinstance(value, python_types.FunctionType):
            self.methods[name] = value
        elif isinstance(value, property):
            self.properties[name] = value
        elif isinstance(value, staticmethod):
            self.statics[name] = value
        elif isinstance(value, classmethod):
            self.classes[name] = value
        else:
            self.others[name] = value


# What every class has, and what Python makes of a class statement.
_IGNORED = {"__weakref__", "__module__", "__dict__", "__doc__", "__annotations__", "__annotate_func__", "__annotations_cache__",
            "__firstlineno__", "__static_attributes__", "__qualname__", "__slots__", "__orig_bases__", "__parameters__",
            "__type_params__", "__class_getitem__", "__init_subclass__", "__abstractmethods__", "_abc_impl", "__match_args__", "_generic"}


def members_of(cls):
    """What a class and those that it derives from have, by kind."""
    found = _Members()
    for one in reversed(cls.__mro__):
        if one in (object, Instance, JitObject, typing.Generic):
            continue
        known = one.__dict__.get("class_type")
        if known is not None:
            if found.base is not None and not issubclass(one, found.base):
                raise UnsupportedError(f"{cls.__name__} derives from {found.base.__name__} and {one.__name__}: a compiled class has "
                                       "one compiled base class at most; the others may be plain classes without fields")
            found.base = one
            _inherit(found, known)
            continue
        for name, value in one.__dict__.items():
            implicit = name == "__hash__" and value is None
            if name not in _IGNORED and not implicit:
                found.add(name, value)
    return found


def _inherit(found, known):
    """The members of a compiled class, as they were written: they are compiled for the class that derives from it."""
    for name, method in known.jit_methods.items():
        if not getattr(method, "_implied", False):
            found.add(name, method.py_func)
    for name, method in known.jit_static_methods.items():
        found.add(name, staticmethod(method.py_func))
    for name, method in known.jit_class_methods.items():
        found.add(name, classmethod(method.py_func))
    for name, prop in known.jit_props.items():
        found.add(name, property(*(prop[kind].py_func if kind in prop else None for kind in ("get", "set"))))


def _constructor(cls, known, init):
    """The compiled function that makes an object: it has the parameters of `__init__`."""
    names = {"_new": new_object, "_type": known.instance_type, "_init": init}
    if init is None:
        signature, passed = inspect.Signature(), ""
    else:
        signature = inspect.signature(init.py_func)
        parameters = list(signature.parameters.values())[1:]
        for one in parameters:
            if one.kind is one.VAR_KEYWORD or one.kind is one.VAR_POSITIONAL:
                raise UnsupportedError(f"{one.kind.name if hasattr(one.kind, 'name') else one.kind} argument type unsupported "
                                       "in jitclass")
        shown = [one.replace(annotation=one.empty) for one in parameters]
        signature = signature.replace(parameters=shown, return_annotation=signature.empty)
        passed = "".join(f", {one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else f", {one.name}" for one in shown)
        if _may_return_value(init.py_func.__code__):
            names["_checked"] = _check_init()
            passed += ")"
    call = "_checked(_init(_self" if "_checked" in names else "_init(_self"
    body = ["_self = _new(_type)", *([f"{call}{passed})"] if init is not None else ()), "return _self"]
    return njit(source_text.with_signature("construct", signature, body, names))


def _may_return_value(code):
    """Whether a `return` gives something other than None."""
    before = None
    for one in dis.get_instructions(code):
        none = one.argval is None if one.opname == "RETURN_CONST" else (
            before is not None and before.opname == "LOAD_CONST" and before.argval is None)
        if one.opname.startswith("RETURN_") and one.opname != "RETURN_GENERATOR" and not none:
            return True
        before = one
    return False


@functools.cache
def _check_init():
    """A function of compiled code that refuses what `__init__` must not return."""
    from ..errors import TypingError
    from ..extending import overload
    from ..types import NoneType

    def checked(value):
        return None

    @overload(checked)
    def implementation(value):
        if not isinstance(value, NoneType):
            raise TypingError(f"__init__() should return None, not '{value}'")
        return lambda value: None

    return checked


def _add_implied(methods):
    """What Python concludes from other methods."""
    if "__eq__" in methods and "__ne__" not in methods:
        def __ne__(self, other):
            return not self == other

        methods["__ne__"] = _implied(__ne__)
    if "__len__" in methods and "__bool__" not in methods:
        def __bool__(self):
            return len(self) != 0

        methods["__bool__"] = _implied(__bool__)
    if "__bool__" in methods:
        def __not__(self):
            return not self.__bool__()

        methods["__not__"] = _implied(__not__)
    add_str(methods)
    for name, way in _CONVERSIONS.items():
        if name not in methods and any(other in methods for other in way):
            other = next(other for other in way if other in methods)
            methods[name] = _implied(_through(name, other))


def add_str(methods):
    """`str` of an object is its `repr` where the class does not say otherwise."""
    if "__repr__" in methods and "__str__" not in methods:
        def __str__(self):
            return self.__repr__()

        methods["__str__"] = _implied(__str__)


# What number a class says itself may stand in for another one.
_CONVERSIONS = {
    "__int__": ("__index__", "__trunc__"), "__float__": ("__index__",), "__complex__": ("__float__", "__index__")}


def _through(name, other):
    return source_text.function(
        f"{name}(self)", [f"return _convert(self.{other}())"],
        {"_convert": {"__int__": int, "__float__": float, "__complex__": complex}[name]})


def _implied(function):
    made = njit(function)
    made._implied = True
    return made


def _namespace(cls, known, found):
    """What the class in Python has."""
    instance = known.instance_type
    space = {name: method for name, method in known.jit_methods.items()
             if not getattr(method, "_implied", False)}
    for name, prop in known.jit_props.items():
        space[name] = property(prop.get("get"), prop.get("set"), doc=found.properties[name].__doc__)
    space |= {name: staticmethod(method) for name, method in known.jit_static_methods.items()}
    space |= {name: classmethod(method) for name, method in known.jit_class_methods.items()}
    space |= found.others
    for name in known.struct:
        space[name] = rules.field(instance, name, _setter(name))
    if "__match_args__" in cls.__dict__:
        space["__match_args__"] = cls.__match_args__
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    space |= {"class_type": known, "_ctor": known.constructor,
              "_numba_type_": property(lambda self: instance), "__slots__": (), "__doc__": cls.__doc__,
              "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    return space


def _set(self, value):
    self.field = value


def _setter(name):
    """A compiled function that assigns a field."""
    code = _set.__code__.replace(co_names=(name,), co_name=f"set_{name}", co_qualname=f"set_{name}")
    return njit(python_types.FunctionType(code, {}))
