"""Inlines overloads with `inline="always"`, or whose cost model says so, into calls, operators and attributes, once
types are known."""
import inspect

from ..extending import overload_registry
from .._rumba import Dispatcher
from ..errors import UnsupportedError
from ..compat.inline_cost_model import InlineInfo, OfOverload
from ..intrinsics import literally
from ..numba_ir import Arg, Assign, Expr, Var
from ..numba_ir.utils import find_outer_value, get_definition, guard, mk_unique_var
from ..types import Literal
from . import bridge
from .inline import inline_closure_call, inline_everywhere


def inline_overloads(state):
    """Inlines what overloads want to be inlined, also where it comes in with others; whether there was something."""
    def attempt(block, index, around):
        inst = block.body[index]
        found = _implementation(state, inst)
        if found is None or found[1].py_func in around or not _is_wanted(state, inst.value, found[1]):
            return None
        (args, keywords), callee = found
        made = _inline(state, block, index, args, keywords, callee)
        return None if made is None else (made, callee.py_func)

    return inline_everywhere(state.func_ir, (), attempt)


def _implementation(state, inst):
    """The operands, and the compiled function that stands for an operation; None where nobody wants it inlined."""
    if not (isinstance(inst, Assign) and isinstance(inst.value, Expr)):
        return None
    asked = _question(state, inst.value)
    if asked is None:
        return None
    kind, subject, name, args, keywords = asked
    if name is None:
        return None
    snapshot = overload_registry.Snapshot()
    if not any("inline" in getattr(known, "jit_options", ()) for known in snapshot.candidates(kind, subject, name)):
        return None
    types = tuple(state.typemap.get(var.name) for var in (*args, *(var for _, var in keywords)))
    if None in types:
        return None
    names = tuple(word for word, _ in keywords)
    found, _, _, _ = overload_registry.resolve(snapshot, kind, subject, name, types, names, 0)
    if isinstance(found, Dispatcher) and _asks_for_values(found.py_func):
        known = tuple(_with_value(state, var, ty) for var, ty in zip((*args, *(var for _, var in keywords)), types))
        found, _, _, _ = overload_registry.resolve(snapshot, kind, subject, name, known, names, 0, prefer_literal=True)
    if not isinstance(found, Dispatcher) or _asks_for_values(found.py_func):
        # An implementation that asks for the values of its arguments may give way to another one.
        return None
    return (args, keywords), found


def _with_value(state, var, ty):
    """The type of an operand, with the value where it is an argument whose type knows it."""
    definition = guard(get_definition, state.func_ir, var)
    given = state.args[definition.index] if isinstance(definition, Arg) and definition.index < len(state.args or ()) else ty
    return given if isinstance(given, Literal) else ty


def _asks_for_values(function):
    """Whether a Python function names `literally`."""
    known = inspect.getclosurevars(function)
    return any(value is literally for names in (known.nonlocals, known.globals) for value in names.values())


def _question(state, expr):
    """What the registry is asked for an operation: kind, type, name, operands, and those with keywords."""
    if expr.op == "call":
        if expr.vararg is not None or getattr(expr, "varkwarg", None) is not None:
            return None
        function = guard(find_outer_value, state.func_ir, expr.func)
        if function is not None and not isinstance(function, Dispatcher):
            return "function", None, overload_registry.known_name(function), list(expr.args), list(expr.kws)
        definition = guard(get_definition, state.func_ir, expr.func)
        if isinstance(definition, Expr) and definition.op == "getattr":
            owner = definition.value
            return "method", state.typemap.get(owner.name), definition.attr, [owner, *expr.args], list(expr.kws)
        return None
    if expr.op == "getattr":
        return "attribute", state.typemap.get(expr.value.name), expr.attr, [expr.value], []
    operands = _OPERANDS.get(expr.op)
    if operands is None:
        return None
    found = operands(expr)
    return ("function", None, overload_registry.known_name(expr.fn), found, []) if None not in found else None


_OPERANDS = {
    "binop": lambda expr: [expr.lhs, expr.rhs],
    "inplace_binop": lambda expr: [expr.lhs, expr.rhs],
    "unary": lambda expr: [expr.value],
    "getitem": lambda expr: [expr.value, expr.index],
    "static_getitem": lambda expr: [expr.value, expr.index_var],
}


def _is_wanted(state, expr, callee):
    """Whether the implementation goes where the operation stands."""
    wish = callee.targetoptions.get("inline", "never")
    if not isinstance(wish, OfOverload):
        return wish == "always"
    caller = InlineInfo(state.func_ir, state.typemap, state.calltypes, None)
    known = InlineInfo(bridge.frontend(callee.py_func), None, None, state.calltypes.get(expr))
    return bool(wish.model(expr, caller, known))


def _inline(state, block, index, args, keywords, callee):
    """The blocks that come in; None where the implementation cannot be inlined."""
    inst = block.body[index]
    old = inst.value
    func = Var(block.scope, mk_unique_var("$implementation"), inst.loc)
    inst.value = Expr.call(func, args, tuple(keywords), old.loc)
    values = state.func_ir._definitions.get(inst.target.name, [])
    values[:] = [inst.value if value is old else value for value in values]
    types = tuple(state.typemap[var.name] for var in (*args, *(var for _, var in keywords)))
    try:
        made, _ = inline_closure_call(
            state.func_ir, callee.py_func.__globals__, block, index, callee, state.get("typingctx"),
            state.get("targetctx"), types, state.typemap, state.calltypes)
    except UnsupportedError:
        values[:] = [old if value is inst.value else value for value in values]
        inst.value = old
        return None
    state.calltypes.pop(old, None)
    return made
