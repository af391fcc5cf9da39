"""Queries about calls and attributes: a function that does nothing else is inferred, without generating code.

Absent: who asks (`rumba.compat.typing_context`).
"""
from .. import errors, source_text, types
from ..types import unliteral


def call(func, args, kws):
    """The signature of a call with arguments of these types, or None."""
    value = _value(func)
    if value is None:
        return None
    names = [f"x{at}" for at in range(len(args))]
    given = [*names, *(f"{name}={name}" for name in kws)]
    return _result(f"called({', '.join(given)})", [*names, *kws], [*args, *kws.values()], {"called": value})


def attribute(typ, name):
    """The type of an attribute, or None."""
    return _type(f"x.{name}", ["x"], [typ]) if name.isidentifier() else None


def item(typ, index):
    """The type of an item, or of a part, or None."""
    return _type("x[at]", ["x", "at"], [typ, index])


def method(typ, name, args, kws):
    """The signature of a call of a method, or None."""
    names = [f"x{at}" for at in range(len(args))]
    given = [*names, *(f"{name}={name}" for name in kws)]
    found = _result(f"this.{name}({', '.join(given)})", ["this", *names, *kws], [typ, *args, *kws.values()], {})
    return None if found is None else types.signature(found.return_type, *args, *kws.values(), recvr=typ)


def _value(func):
    """The Python object that a type of functions stands for; a value that is no type is itself."""
    if isinstance(func, types.KnownFunction):
        return func.typing_key
    if isinstance(func, types.Function):
        return func.typing_key if callable(func.typing_key) else None
    if isinstance(func, types.Dispatcher):
        return func.dispatcher
    if isinstance(func, types.Type):
        return None
    return func if callable(func) else None


def _type(expression, names, args):
    """The type of an expression of values of these types, or None."""
    found = _result(expression, names, args, {})
    return None if found is None else found.return_type


def _result(expression, names, args, scope):
    """The signature of an expression of values of these types; None if it has none."""
    from ..numba_pipeline.compiler import run_frontend
    from ..numba_pipeline.typed import type_inference_stage

    function = source_text.function(f"asked({', '.join(names)})", [f"return {expression}"], scope)
    try:
        found = type_inference_stage(None, None, run_frontend(function), tuple(map(unliteral, args)), None)
    except errors.NumbaError:
        return None
    signatures = [one for node, one in found.calltypes.items() if getattr(node, "op", None) == "call" and one is not None]
    plain = types.signature(unliteral(found.return_type), *map(unliteral, args))
    return signatures[-1] if signatures else plain
