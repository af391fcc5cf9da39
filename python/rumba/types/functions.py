"""Types of callables: functions, dispatchers, classes of numbers."""
import abc
import importlib
import itertools
import weakref

from .. import upcalls
from .base import Callable, DTypeSpec, Dummy, Opaque, Type

# How the error begins that says that no function takes some arguments; tests compare it.
_header_lead = "No implementation of function"


class BaseFunction(Callable):
    """A function the compiler knows."""


class Function(BaseFunction, Opaque):
    """A function the compiler knows, by the Python object that names it."""

    def __init__(self, template):
        # What states the types of calls, if it was made of templates.
        self.templates = template if isinstance(template, tuple) else (template,) if isinstance(template, type) else ()
        named = self.templates[0] if self.templates else template
        keys = {getattr(one, "key", None) for one in self.templates}
        if len(keys) > 1:
            raise ValueError(f"incompatible templates: they are for {', '.join(sorted(map(str, keys)))}")
        self.typing_key = getattr(named, "key", named)
        super().__init__(f"Function({self.typing_key})")

    @property
    def key(self):
        return self.typing_key, self.templates

    def get_call_type(self, context, args, kws):
        """The signature of a call with arguments of these types, or None."""
        return call_type(self.templates, context, args, kws)

    def get_call_signatures(self):
        """The signatures that are listed, and whether there may be others."""
        cases = [case for template in self.templates for case in getattr(template, "cases", ())]
        return cases, any(not hasattr(template, "cases") for template in self.templates)


def call_type(templates, context, args, kws):
    """The signature that the first of some templates says that takes these types, literal ones or plain."""
    from .scalars import unliteral

    plain = tuple(map(unliteral, args)), {name: unliteral(ty) for name, ty in dict(kws).items()}
    for template in templates:
        literal_first = getattr(template, "prefer_literal", False)
        asked = [(tuple(args), dict(kws)), plain] if literal_first else [plain, (tuple(args), dict(kws))]
        for given, named in asked:
            found = template(context).apply(given, named)
            if found is not None:
                return found
    return None


class KnownFunction(Callable, Opaque):
    """A function as a value, by the dotted name that the compiler knows it by: `builtins.float`."""

    def __init__(self, dotted):
        self.dotted = dotted
        super().__init__(f"Function({dotted})")

    @property
    def typing_key(self):
        """The function itself; None if its module has no such name."""
        module, _, name = self.dotted.rpartition(".")
        try:
            return getattr(importlib.import_module(module), name, None)
        except ImportError:
            return None

    def get_call_type(self, context, args, kws):
        """The signature of a call with arguments of these types, or None."""
        return context.resolve_function_type(self, args, kws)

    def _parts(self):
        return "known function", self.dotted


class Closure(Callable, Opaque):
    """A function that compiled code made, with the types of what it captures."""

    def __init__(self, name, number, template):
        self._number, self._template = number, template
        super().__init__(name)

    @property
    def key(self):
        return self._number

    @property
    def parameters(self):
        """The names of its parameters."""
        code = self._template.py_func.__code__
        return code.co_varnames[:code.co_argcount]

    def _parts(self):
        return "known", self._number


class BoundFunction(Callable, Opaque):
    """A method of a value."""

    def __init__(self, template, this):
        self.template, self.this = template, this
        super().__init__(f"BoundFunction({getattr(template, 'key', template)} for {this})")

    @property
    def key(self):
        return getattr(self.template, "key", self.template), self.this

    @property
    def typing_key(self):
        """What its code is registered for."""
        return getattr(self.template, "key", self.template)

    def get_call_type(self, context, args, kws):
        """The signature of a call with arguments of these types, or None."""
        return call_type((self.template,), context, args, kws)


class KnownMethod(BoundFunction):
    """A method of a value, by its name, as the compiler knows it."""

    def __init__(self, shown, name, this, number):
        self.this, self._name, self._number = this, name, number
        Type.__init__(self, shown)

    @property
    def template(self):
        """What implements the method: it says where that is written."""
        return upcalls.method_template(self.this, self._name)

    @property
    def key(self):
        return self._name, self.this

    def _parts(self):
        return "known", self._number


class ExternalFunction(Function):
    """A function of C that the process has, by its symbol. Compiled code calls the object itself."""

    templates = ()

    def __init__(self, symbol, sig):
        self.symbol, self.sig, self.typing_key = symbol, sig, symbol
        Type.__init__(self, f"ExternalFunction({symbol})")

    def _as_called(self):
        """What the compiler asks for calls of it."""
        return upcalls.symbol_template(self, self.symbol, self.sig)

    def get_call_type(self, context, args, kws):
        """The signature, if it takes as many arguments."""
        return self.sig if not kws and len(args) == len(self.sig.args) else None

    @property
    def key(self):
        return self.symbol, self.sig


class WeakType(Type):
    """A type that knows a Python object without keeping it alive."""

    def _store_object(self, obj):
        self._object = weakref.ref(obj)

    def _get_object(self):
        found = self._object()
        if found is None:
            raise ReferenceError("the object of the type is gone")
        return found

    @property
    def key(self):
        return self._object

    def __eq__(self, other):
        # Types whose objects are gone are equal to nothing.
        found = self._object()
        return type(self) is type(other) and found is not None and found is other._object()

    __hash__ = Type.__hash__

    def __reduce__(self):
        return type(self), (self._get_object(),)


class Dispatcher(WeakType, Callable, Dummy):
    """A compiled function."""

    def __init__(self, dispatcher):
        self._store_object(dispatcher)
        super().__init__(f"type({dispatcher})")

    @property
    def dispatcher(self):
        """The compiled function itself."""
        return self._get_object()

    def get_overload(self, sig):
        """The entry point for a signature."""
        return self.dispatcher.get_overload(sig.args)

    def _parts(self):
        return "dispatcher", self.dispatcher


class ObjModeDispatcher(Dispatcher):
    """A function that runs in the interpreter."""


class FunctionPrototype(Type):
    """Result and arguments of a function as a value."""

    cconv = None

    def __init__(self, rtype, atypes):
        self.rtype, self.atypes = rtype, tuple(atypes)
        super().__init__(f"{rtype}({', '.join(str(ty) for ty in self.atypes)})")


class FunctionType(Type):
    """A function as a value: any one with these arguments and this result. `get_pointer(object)`, where it is given, says where
    objects of the type have the function of C, and `cconv` by which convention that is called."""

    def __init__(self, signature=None, get_pointer=None, cconv=None, *, sig=None):
        from .scalars import unliteral
        from .signature import Signature

        signature = sig if signature is None else signature
        self.cconv = cconv
        args = tuple(unliteral(ty) for ty in signature.args)
        self.signature = Signature(unliteral(signature.return_type), args, None)
        self.nargs = len(args)
        self.ftype = FunctionPrototype(self.signature.return_type, args)
        self._key = self.ftype.key
        if get_pointer is not None:
            self.get_pointer = get_pointer
        if get_pointer is not None or cconv is not None:
            self._key += f" by {get_pointer!r}, {cconv}"
        super().__init__(f"{type(self).__name__}[{self._key}]")

    @property
    def key(self):
        return self._key

    def is_precise(self):
        return self.signature.is_precise()

    def get_precise(self):
        """The type with all of its signature known."""
        return self

    @property
    def sig(self):
        """The signature."""
        return self.signature

    def get_pointer(self, value):
        """The address of the function of C that an object of this type stands for."""
        return upcalls.address_of(value)

    def get_call_type(self, context, args, kws):
        """The signature of a call with arguments of these types; None if they do not fit."""
        fits = len(args) == self.nargs and not kws and all(
            context.can_convert(given, wanted) is not None for given, wanted in zip(args, self.signature.args))
        return self.signature if fits else None

    def check_signature(self, other):
        """Whether functions of another signature are values of this type."""
        return self.signature == other

    def _parts(self):
        return "function", self.signature.args, self.signature.return_type


# What has a function value's signature is one, wherever it comes from: C functions are of the same types.
ExternalFunctionPointer = FunctionType


class UndefinedFunctionType(FunctionType):
    """A function as a value whose arguments and result are not known yet."""

    _counter = itertools.count(1)

    def __init__(self, nargs, dispatchers):
        from .names import undefined
        from .signature import Signature

        super().__init__(Signature(undefined, (undefined,) * nargs, None))
        self.dispatchers = dispatchers
        self._key += str(next(self._counter))

    def is_precise(self):
        return False

    def get_precise(self):
        """The type of the first function that is compiled already."""
        for dispatcher in self.dispatchers:
            for result in dispatcher.overloads.values():
                return FunctionType(result.signature)
        return self

    def _parts(self):
        return None


class WrapperAddressProtocol(abc.ABC):
    """An object that stands for a function of C: derive from it, and compiled code calls the address."""

    @abc.abstractmethod
    def __wrapper_address__(self):
        """The address, an int. The function must stay there as long as the object lives."""

    @abc.abstractmethod
    def signature(self):
        """The types of its arguments and of its result, a Signature."""


class NumberClass(Callable, DTypeSpec, Opaque):
    """A class of numbers as a value: `int`, `np.float32`."""

    def __init__(self, instance_type):
        self.instance_type = instance_type
        super().__init__(f"class({instance_type})")

    @property
    def key(self):
        return self.instance_type

    @property
    def dtype(self):
        """The type of its instances."""
        return self.instance_type

    def _parts(self):
        return "class", self.instance_type


class NamedTupleClass(Callable, Opaque):
    """A class of named tuples as a value."""

    def __init__(self, instance_class):
        self.instance_class = instance_class
        super().__init__(f"class({instance_class})")

    @property
    def key(self):
        return self.instance_class


def __getattr__(name):
    # It asks the compiler, which the types do not.
    if name == "CompileResultWAP":
        return upcalls.compile_result_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
