"""Alias analysis of arrays, and purity of calls.

Absent: taking anything out (`transforms`).
"""
from .expr import Expr
from .nodes import Arg, FreeVar, Global, Var
from .statements import Assign
from .utils import find_callname, get_definition, guard

# (name, module) of functions of libraries -> `hook(lhs_name, args, alias_map, arg_aliases)`, which notes by `_add_alias`
# what the result shares with the arguments.
alias_func_extensions = {}
# `handler(call, names that are read, what is called)` says whether a call may go if nobody reads its result. What is
# called is a list: names from the last one on, then the object that they are of, as `["seed", "random", numpy]`.
remove_call_handlers = []

_VIEWS = frozenset(("ravel", "transpose", "reshape", "view", "diagonal", "swapaxes", "squeeze", "asarray", "expand_dims"))
_SHARING = frozenset(("T", "flat", "real", "imag", "ctypes", "data"))


def find_potential_aliases(blocks, args, typemap, func_ir, alias_map=None, arg_aliases=None):
    """For each variable that may share an array with others the names of these, and the names of variables that may
    share one with a parameter; `args` are names of parameters."""
    alias_map = {} if alias_map is None else alias_map
    arg_aliases = set(args) if arg_aliases is None else arg_aliases

    def may_share(name):
        return typemap is None or _may_share(typemap.get(name))

    for block in blocks.values():
        for inst in block.find_insts(Assign):
            name, value = inst.target.name, inst.value
            if not may_share(name):
                continue
            if isinstance(value, Arg) or isinstance(value, Var) and value.name in args:
                arg_aliases.add(name)
            if isinstance(value, Var):
                _add_alias(name, value.name, alias_map, arg_aliases)
            elif isinstance(value, Expr):
                _note(name, value, func_ir, (alias_map, arg_aliases), may_share)
    for name in list(alias_map):
        _close(name, alias_map)
    arg_aliases.update(name for name, others in alias_map.items() if others & arg_aliases)
    return alias_map, arg_aliases


def _may_share(ty):
    from ..types import Number, NoneType, UnicodeType

    return not isinstance(ty, (Number, NoneType, UnicodeType))


def _note(name, expr, func_ir, maps, may_share):
    """What the result of an operation may share with an operand."""
    alias_map, arg_aliases = maps
    if expr.op in ("cast", "getitem", "static_getitem") or expr.op == "getattr" and expr.attr in _SHARING:
        _add_alias(name, expr.value.name, alias_map, arg_aliases)
    elif expr.op in ("build_tuple", "build_list"):
        for item in expr.items:
            if isinstance(item, Var) and may_share(item.name):
                _add_alias(name, item.name, alias_map, arg_aliases)
    elif expr.op == "call":
        called = guard(find_callname, func_ir, expr)
        if called is None:
            return
        word, owner = called
        if called in alias_func_extensions:
            alias_func_extensions[called](name, expr.args, alias_map, arg_aliases)
        elif isinstance(owner, Var) and word in _VIEWS:
            _add_alias(name, owner.name, alias_map, arg_aliases)
        elif owner == "numpy" and word in _VIEWS and expr.args:
            _add_alias(name, expr.args[0].name, alias_map, arg_aliases)


def _add_alias(lhs, rhs, alias_map, arg_aliases):
    """Notes that two variables may share an array."""
    if rhs in arg_aliases:
        arg_aliases.add(lhs)
    alias_map.setdefault(lhs, set()).add(rhs)
    alias_map.setdefault(rhs, set()).add(lhs)


def _close(name, alias_map):
    """Adds what shares with what shares."""
    found, work = {name}, [name]
    while work:
        for other in alias_map.get(work.pop(), ()):
            if other not in found:
                found.add(other)
                work.append(other)
    alias_map[name] = found - {name}


def is_removable_call(func_ir, expr, lives):
    """Whether a handler says that a call may go if nobody reads what it gives."""
    if not remove_call_handlers:
        return False
    names, definition = [], guard(get_definition, func_ir, expr.func)
    while isinstance(definition, Expr) and definition.op == "getattr":
        names.append(definition.attr)
        definition = guard(get_definition, func_ir, definition.value)
    if not isinstance(definition, (FreeVar, Global)):
        return False
    return any(handler(expr, lives, [*names, definition.value]) for handler in remove_call_handlers)
