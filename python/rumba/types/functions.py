"""Types of what can be called: functions, dispatchers, classes of numbers."""
import weakref

from .base import Callable, DTypeSpec, Dummy, Opaque, Type

# How the error begins that says that no function takes some arguments; tests compare it.
_header_lead = "No implementation of function"


class BaseFunction(Callable):
    """A function the compiler knows."""


class Function(BaseFunction, Opaque):
    """A function the compiler knows, by the Python object that names it."""

    def __init__(self, template):
        self.typing_key = getattr(template, "key", template)
        super().__init__(f"Function({self.typing_key})")

    @property
    def key(self):
        return self.typing_key


class BoundFunction(Callable, Opaque):
    """A method of a value."""

    def __init__(self, template, this):
        self.template, self.this = template, this
        super().__init__(f"BoundFunction({getattr(template, 'key', template)} for {this})")

    @property
    def key(self):
        return getattr(self.template, "key", self.template), self.this


class ExternalFunction(Function):
    """A function of a linked library."""

    def __init__(self, symbol, sig):
        self.symbol, self.sig = symbol, sig
        Type.__init__(self, f"ExternalFunction({symbol})")

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


class FunctionType(Type):
    """A function passed as a value."""

    cconv = None

    def __init__(self, signature):
        from .signature import Signature

        self.signature = Signature(signature.return_type, signature.args, None)
        self.nargs = len(self.signature.args)
        self._key = self._text()
        super().__init__(f"FunctionType[{self._key}]")

    def _text(self):
        return f"{self.signature.return_type}({', '.join(str(ty) for ty in self.signature.args)})"

    @property
    def key(self):
        return self._key


class UndefinedFunctionType(FunctionType):
    """A function passed as a value whose types are not known yet."""

    def is_precise(self):
        return False


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


class ClassType(Callable, Opaque):
    """A compiled class as a value."""


class ClassInstanceType(Type):
    """An instance of a compiled class."""
