"""Typing templates: with them, extensions state the types of calls and attributes, and collect them in registries.

A registry of a library's own means something once it is installed: in a context of its own, or in that for which code is
compiled (`cpu_target.typing_context`), from where the compiler's questions come here through `rumba.extending.overload_registry`.

Absent: the code of what is stated (`rumba.extending.lower_builtin`), what contexts answer (`rumba.compat.typing_context`).
"""
import functools
import inspect

from .. import errors, fork_locks, types
from . import overload_registry
from .lower_builtin import AttributeOfTemplate, TypedSignature

_lock = fork_locks.lock()


class FunctionTemplate:
    """What libraries derive their statements of types from; `key` is the function."""

    key = None
    prefer_literal = False
    unsafe_casting = True
    exact_match_required = False
    metadata = {}

    def __init__(self, context):
        self.context = context

    def apply(self, args, kws):
        """The signature for these types of arguments, or None."""
        raise NotImplementedError(f"{type(self).__name__} does not say which signature a call has")

    def get_impl_key(self, sig):
        """What the code of a call with this signature is registered for."""
        return type(self).key


class AbstractTemplate(FunctionTemplate):
    """A statement by a method: `generic(args, kws)` gives a signature, or None."""

    def apply(self, args, kws):
        """What `generic` says."""
        return self.generic(args, kws)


class ConcreteTemplate(FunctionTemplate):
    """A statement by a list of signatures, `cases`; the one that the arguments convert to best."""

    cases = []

    def apply(self, args, kws):
        """The signature that fits best, or None."""
        return self.context.resolve_overload(self.key, self.cases, args, kws)


class CallableTemplate(FunctionTemplate):
    """A statement by a function: `generic()` gives a function of types of arguments that gives the result's type."""

    def apply(self, args, kws):
        """The signature for these types of arguments, or None."""
        typer = self.generic()
        bound = inspect.signature(typer).bind(*args, **kws)
        result = typer(*args, **kws)
        if result is None or isinstance(result, types.Signature):
            return result
        bound.apply_defaults()
        return types.signature(result, *bound.args).replace(pysig=inspect.signature(typer))


class AttributeTemplate:
    """A statement of attributes' types: `resolve_name(typ)` for each, and `generic_resolve(typ, name)` for all others; `key` is
    the type or class of types."""

    key = None

    def __init__(self, context=None):
        self.context = context

    # A template that does not say what other attributes there are.
    generic_resolve = NotImplemented

    def resolve(self, value, attr):
        """The type of an attribute of values of a type, or None."""
        found = getattr(self, f"resolve_{attr}", None)
        if found is not None:
            return found(value)
        if self.generic_resolve is NotImplemented:
            return None
        try:
            return self.generic_resolve(value, attr)
        except (KeyError, AttributeError) as error:
            # It looked the attribute up among those that there are.
            if error.args == (attr,) or getattr(error, "name", None) == attr:
                return None
            raise


def bound_function(key):
    """Decorates the method `resolve_name(self, typ, args, kws)` of a template of attributes, which gives the signature of a call
    of the method `name`; its code is registered for `key`."""
    def decorate(resolve):
        @functools.wraps(resolve)
        def attribute(self, ty):
            return types.BoundFunction(_method_template(key, lambda args, kws: resolve(self, ty, args, kws), ty), ty)

        return attribute

    return decorate


def _method_template(template_key, signature_of, this):
    class Method(AbstractTemplate):
        """What a call of a method gives."""

        key = template_key

        def generic(self, args, kws):
            """The signature, with the type whose method it is."""
            found = signature_of(args, kws)
            return found.replace(recvr=this) if found is not None and found.recvr is None else found

    return Method


def method_template(owner, name):
    """What implements a method of values of a type, for tools that ask where it is written."""
    candidates = overload_registry.Snapshot().candidates("method", owner, name)

    class Method(AbstractTemplate):
        """What a call of a method gives."""

        key = name

        def get_template_info(self):
            """Where the method is implemented: kind, name, signature, file, lines and documentation."""
            return _place_of(name, candidates[0].function if candidates else None)

        def generic(self, args, kws):
            """The signature of a call."""
            return self.context.resolve_method(owner, name, args, kws)

    return Method


def _place_of(name, function):
    """What Numba's templates say of the function that implements something."""
    info = {"kind": "overload_method", "name": name, "sig": None, "filename": "unknown", "lines": (0, 0), "docstring": None}
    code = getattr(inspect.unwrap(function), "__code__", None) if function is not None else None
    if code is not None:
        lines = [line for _, _, line in code.co_lines() if line is not None]
        info.update(name=function.__name__, sig=str(inspect.signature(function)), filename=code.co_filename,
                    lines=(min(lines), max(lines)), docstring=function.__doc__)
    return info


def make_concrete_template(name, key, signatures):
    """A template of these signatures."""
    return type(f"{name}_{key}" if isinstance(key, str) else name, (ConcreteTemplate,), {"key": key, "cases": list(signatures)})


def make_callable_template(key, typer, recvr=None):
    """A template for calls of `key`: `typer(context)` gives a function of types of arguments."""
    def generic(self):
        return typer(self.context)

    return type(f"{getattr(key, '__name__', key)}_template", (CallableTemplate,), {"key": key, "generic": generic, "recvr": recvr})


def fold_arguments(pysig, args, kws, normal_handler, default_handler, stararg_handler):
    """The arguments of a call in the order of the parameters of `pysig`. `normal_handler(index, parameter, value)` gives what
    takes the place of each, `default_handler(index, parameter, default)` of those that are left out, and
    `stararg_handler(index, parameter, values)` of those that `*args` collects."""
    kws = dict(kws)
    parameters = list(pysig.parameters.values())
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise errors.UnsupportedError(f"arguments of {pysig}, which collects them by name")
    try:
        bound = pysig.bind(*args, **kws)
    except TypeError as error:
        # One that has a default for `*args` gives the tuple itself.
        last = parameters[-1] if parameters else None
        if last is None or last.kind is not last.VAR_POSITIONAL or last.name not in kws:
            raise error from None
        others = {name: value for name, value in kws.items() if name != last.name}
        bound = pysig.bind(*args, **others)
        bound.arguments[last.name] = kws[last.name]
    folded = []
    for index, parameter in enumerate(parameters):
        if parameter.name in bound.arguments:
            value = bound.arguments[parameter.name]
            is_star = parameter.kind is parameter.VAR_POSITIONAL
            folded.append((stararg_handler if is_star else normal_handler)(index, parameter, value))
        elif parameter.kind is parameter.VAR_POSITIONAL:
            folded.append(stararg_handler(index, parameter, ()))
        else:
            folded.append(default_handler(index, parameter, parameter.default))
    return tuple(folded)


class Registry:
    """Templates of functions and of attributes, and types of global values, to be installed in contexts."""

    def __init__(self):
        self.functions, self.attributes, self.globals = [], [], []
        # Called with ("functions", "attributes" or "globals", item) for what is registered later.
        self._installed = []

    def _add(self, kind, item):
        with _lock:
            getattr(self, kind).append(item)
        for install in self._installed:
            install(kind, item)

    def register(self, item):
        """Decorates a template for calls of its `key`."""
        if not (isinstance(item, type) and issubclass(item, FunctionTemplate)):
            raise TypeError(f"a template of functions is registered, not {item!r}")
        self._add("functions", item)
        return item

    def register_attr(self, item):
        """Decorates a template of attributes."""
        if not (isinstance(item, type) and issubclass(item, AttributeTemplate)):
            raise TypeError(f"a template of attributes is registered, not {item!r}")
        self._add("attributes", item)
        return item

    def register_global(self, val=None, typ=None, **kwargs):
        """Says that a global value is of a type, or decorates the template for calls of it. With `typing_key`, the code of
        such calls is registered for that."""
        if val is None:
            raise TypeError("register_global() is for a value")
        if typ is not None:
            self._add("globals", (val, typ))
            return None
        key = kwargs.pop("typing_key", val)
        if kwargs:
            raise TypeError(f"unknown options: {', '.join(kwargs)}")

        def decorate(template):
            if not callable(val):
                raise TypeError(f"cannot infer type for global value {val!r}")
            made = type(template.__name__, (template,), {"key": key, "__doc__": template.__doc__})
            self._add("globals", (val, types.Function(made)))
            return template

        return decorate

    def entries(self):
        """All that is registered, as (kind, item)."""
        return [(kind, item) for kind in ("functions", "attributes", "globals") for item in getattr(self, kind)]

    def install(self, note):
        """Calls `note(kind, item)` for all that is registered, and for what is registered later."""
        with _lock:
            if note in self._installed:
                return
            self._installed.append(note)
            known = self.entries()
        for kind, item in known:
            note(kind, item)


# What the compiler sees.

def install_for_compiler(kind, item):
    """Lets the compiler see what a registry holds."""
    if kind == "functions":
        _add_template(item.key, item)
    elif kind == "attributes":
        overload_registry.add_provider(item.key, AttributeOfTemplate(item, _context))
    else:
        value, ty = item
        if isinstance(ty, types.Function) and ty.templates:
            for template in ty.templates:
                _add_template(value, template)
        elif isinstance(ty, types.Callable) and not isinstance(ty, types.Function):
            # Overloads of the class of the type say what calls of the value are.
            overload_registry.add_alias(value, type(ty))
        else:
            from . import typeof_box

            typeof_box.add_global(value, ty)


def _context():
    from ..compat.targets import cpu_target

    return cpu_target.typing_context


def _add_template(function, template):
    stated = TypedSignature(function, functools.partial(_typer, template), getattr(template, "key", function))
    stated.prefer_literal = getattr(template, "prefer_literal", False)
    overload_registry.add_function(function, stated)


def _typer(template, context):
    made = template(context)
    if isinstance(made, CallableTemplate):
        return made.generic()

    return lambda *args, **kws: made.apply(args, kws)


builtin_registry = Registry()
builtin_registry.install(install_for_compiler)
infer = builtin_registry.register
infer_getattr = builtin_registry.register_attr
infer_global = builtin_registry.register_global


# Overloads as templates, for those who put them into a registry of their own.

def make_overload_template(func, overload_func, jit_options, strict, inline, prefer_literal=False, **kwargs):
    """A template that stands for an overload of a function."""
    made = overload_registry.Overload(overload_func, jit_options, strict, inline, prefer_literal)
    return _of_overload(func, made, f"OverloadTemplate_{getattr(func, '__name__', func)}", prefer_literal)


def _of_overload(function, overload, name, prefer):
    class Template(AbstractTemplate):
        """What an overload implements."""

        key = function
        prefer_literal = prefer
        _overload = overload

        def generic(self, args, kws):
            """The signature of its implementation."""
            compiled = overload.implementation(tuple(args), dict(kws))
            if compiled is None:
                return None
            compiled.compile(tuple(args))
            return types.signature(compiled.nopython_signatures[-1].return_type, *args)

    Template.__name__ = name
    return Template


def make_overload_attribute_template(typ, attr, overload_func, inline="never", prefer_literal=False, base=None, **kwargs):
    """A template that stands for an overload of an attribute of values of a type."""
    made = overload_registry.Overload(overload_func, {}, True, inline, prefer_literal)
    return _attribute_template(typ, attr, "attribute", made, base or _OverloadAttributeTemplate)


def make_overload_method_template(typ, attr, overload_func, inline="never", prefer_literal=False, **kwargs):
    """A template that stands for an overload of a method of values of a type."""
    made = overload_registry.Overload(overload_func, {}, True, inline, prefer_literal)
    return _attribute_template(typ, attr, "method", made, _OverloadMethodTemplate)


def _attribute_template(owner, name, kind, overload, base):
    return type(f"OverloadAttributeTemplate_{owner}_{name}", (base,), {
        "key": owner, "_attr": name, "_overload": overload, "_overload_func": staticmethod(overload.function), "_kind": kind})


class _OverloadAttributeTemplate(AttributeTemplate):
    """An attribute that an overload implements: the compiler asks the overload itself."""

    is_method = False
    _attr = _overload = None

    def resolve(self, value, attr):
        """The type of the attribute, or None."""
        if attr != self._attr:
            return None
        compiled = self._overload.implementation((value,), {})
        if compiled is None:
            return None
        compiled.compile((value,))
        return compiled.nopython_signatures[-1].return_type


class _OverloadMethodTemplate(_OverloadAttributeTemplate):
    """The same for a method."""

    is_method = True

    def resolve(self, value, attr):
        """The method, if it is this one."""
        if attr != self._attr:
            return None
        template = _of_overload(f"{value}.{attr}", self._overload, "Method", False)
        return types.BoundFunction(template, value)


# The bases of templates of overloads, of which libraries derive theirs.
_OverloadFunctionTemplate = AbstractTemplate
