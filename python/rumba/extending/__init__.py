"""The extension API: `overload`, `register_jitable` and others.

| file | what |
|---|---|
| `overload_registry`, `overload_selector` | what `overload` and its like register, and which implementation a call gets |
| `effects` | what functions do to their arguments |
| `templates`, `registry_loader` | typing templates, and registries of them |
| `lower_builtin`, `lowering_registry` | the code of what templates state, and registries of it |
| `typeof_box`, `datamodel` | types of libraries: how they are found, held, boxed and unboxed |
| `user_iteration`, `implicit_conversion` | iteration over such values, and what stands in for them where nothing takes them |
| `array_subclasses` | types derived from `types.Array`, used as the arrays that they are |
| `code_forms` | code generators in Rumba's own form |
| `entrypoints` | libraries that extend the compiler when they are installed |

Machine code that extensions write with llvmlite is in `rumba.codegen`. Absent: who asks (`rumba.upcalls`, `python::host::overload_host`).
"""
from .code_forms import explicit

# Public names that are loaded on first use, and where they are.
_LAZY = {"Effects": ("effects", "Effects"), "models": ("datamodel", None)}

__all__ = [
    "Effects", "SentryLiteralArgs", "explicit", "get_cython_function_address", "include_path", "intrinsic", "is_jitted", "models", "overload",
    "overload_attribute", "overload_classmethod", "overload_method", "register_jitable"]


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module 'rumba.extending' has no attribute {name!r}")
    import importlib

    module, inner = _LAZY[name]
    found = importlib.import_module(f"{__name__}.{module}")
    globals()[name] = found if inner is None else getattr(found, inner)
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__all__})


def overload(func, jit_options={}, strict=True, inline="never", prefer_literal=False, *, effects=None, **kwargs):
    """Decorates a function that gets the types of the arguments of a call of `func`, and returns a Python
    function that does for values of these types what `func` does, or None.

        @overload(double)
        def double_of_number(x):
            if isinstance(x, types.Number):
                return lambda x: x + x

    `func` is a plain function, a builtin, an operator (`operator.add`), a class. With `strict`, the
    parameters of both functions must agree. `prefer_literal` offers literal types first.
    `jit_options` are options of `jit` for what is returned. An overload with `target="cpu"` is asked before those for every
    target (`"generic"`, as it is without this option); one for `"cuda"` and its like compiled code here does not take.

    `effects` says what the function does to its arguments, whatever its implementations look like:

        @overload(push, effects=Effects(appends={"stack": "item"}))

    Without it the function may do anything to them.
    """
    target = _target(kwargs)

    def register(overload_function):
        from . import overload_registry as overloads

        _make_first_overload(func)
        made = overloads.Overload(overload_function, jit_options, strict, inline, prefer_literal, target=target,
                                  effects=effects)
        overloads.add_function(func, made)
        return overload_function

    return register


def _make_first_overload(func):
    """What `register_jitable` made of a function that is overloaded later becomes the first of its overloads: others serve where it does not compile."""
    compiled = getattr(func, "__dict__", {}).get("_rumba_jitable")
    if compiled is not None:
        del func._rumba_jitable
        _overload_by_itself(func, compiled.targetoptions)


def _overload_by_itself(func, jit_options):
    from . import overload_registry as overloads

    overloads.add_function(func, overloads.Overload(lambda *args, **keywords: func, jit_options, False, "never", False))


def overload_method(typ, attr, jit_options={}, strict=True, inline="never", prefer_literal=False, *, effects=None, **kwargs):
    """Like `overload`, for the method `attr` of values of a type or of a class of types. The first
    parameter is the value."""
    return _member("method", typ, attr, jit_options, strict, inline, prefer_literal, effects, kwargs)


def overload_attribute(typ, attr, jit_options={}, strict=True, inline="never", prefer_literal=False, *, effects=None, **kwargs):
    """Like `overload`, for the attribute `attr` of values of a type or of a class of types. The only
    parameter is the value."""
    return _member("attribute", typ, attr, jit_options, strict, inline, prefer_literal, effects, kwargs)


def overload_classmethod(typ, attr, jit_options={}, strict=True, inline="never", prefer_literal=False, *, effects=None, **kwargs):
    """Like `overload`, for the method `attr` of a class of types itself. The first parameter is the class."""
    from ..types import TypeRef

    return _member("method", TypeRef(typ), attr, jit_options, strict, inline, prefer_literal, effects, kwargs)


def _member(kind, owner, name, jit_options, strict, inline, prefer_literal, effects, others):
    target = _target(others)

    def register(overload_function):
        from . import overload_registry as overloads

        made = overloads.Overload(overload_function, jit_options, strict, inline, prefer_literal, target=target,
                                  effects=effects)
        overloads.add_member(kind, owner, name, made)
        return overload_function

    return register


def _target(options):
    """The target that the options name."""
    from .overload_registry import target_named

    target = options.pop("target", "generic")
    if options:
        raise TypeError(f"unknown options: {', '.join(options)}")
    return target_named(target)


def register_jitable(*args, **options):
    """Lets compiled functions call a function, which stays a plain one for Python.

    Used plain (`@register_jitable`) or with options of `jit`.
    """
    from ..decorators import always_njit

    def mark(function):
        from .overload_registry import name_of

        if name_of(function) is None:
            function._rumba_jitable = always_njit(function, **options)
        else:
            _overload_by_itself(function, options)
        return function

    return mark(args[0]) if args else mark


def include_path():
    """The folder of headers for code written in C: `#include "numba/core/runtime/nrt_external.h"`."""
    import pathlib

    return str(pathlib.Path(__file__).resolve().parent.parent / "include")


def is_jitted(function):
    """Whether a value is a compiled function."""
    from .._rumba import Dispatcher

    return isinstance(function, Dispatcher)


def get_cython_function_address(module_name, function_name):
    """The address of a C function that a Cython module exports (`__pyx_capi__`).

    ImportError if there is no such module, ValueError if it does not export the function.
    """
    import ctypes
    import importlib

    exported = importlib.import_module(module_name).__pyx_capi__
    try:
        capsule = exported[function_name]
    except KeyError:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'") from None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def intrinsic(*args, **kwargs):
    """Decorates a function that writes machine code with llvmlite.

        @intrinsic
        def add_one(typingctx, x):
            def codegen(context, builder, signature, args):
                return builder.add(args[0], context.get_constant(signature.return_type, 1))

            return types.int64(types.int64), codegen

    It gets types of arguments, and returns a signature and the code generator, or None. Only compiled
    functions can call it.
    """
    from ..codegen import intrinsic as intrinsics

    return intrinsics.intrinsic(*args, **kwargs)


class SentryLiteralArgs:
    """Asks for the values of some arguments of an overload function.

        SentryLiteralArgs(["x"]).for_function(overload_function).bind(x, y)
    """

    def __init__(self, literal_args):
        self.literal_args = tuple(literal_args)

    def for_function(self, func):
        """The request for the parameters of `func`."""
        return _BoundLiteralArgs(func, self.literal_args)

    def for_pysig(self, pysig):
        """The request for the parameters of a signature."""
        return _BoundLiteralArgs(pysig, self.literal_args)


class _BoundLiteralArgs:
    def __init__(self, function, names):
        import inspect

        self.signature = function if isinstance(function, inspect.Signature) else inspect.signature(function)
        self.names = names

    def bind(self, *args, **kwargs):
        """Raises ForceLiteralArg unless these types know their values."""
        from ..errors import ForceLiteralArg
        from ..types import Literal, Omitted

        bound = self.signature.bind(*args, **kwargs).arguments
        names = list(bound)
        missing = [names.index(name) for name in self.names
                   if name in bound and not isinstance(bound[name], (Literal, Omitted))]
        if missing:
            raise ForceLiteralArg(missing)
