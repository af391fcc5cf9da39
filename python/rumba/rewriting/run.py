"""The entry point for compilations: `rewrite` applies users' rewrites to a function."""
import contextvars
import re

from .. import types
from .._rumba import rewriting as _compiler
from ..compat.targets import cpu_target
from . import builtin, to_ssa, from_ssa
from .registry import apply_one, rewrite_registry
from .typed import call_types

# Compilations that somebody looks into: called with the state of each function after its rewrites.
watchers = contextvars.ContextVar("watchers", default=())


class State:
    """What rewrites know of a compilation: Numba's pipeline."""

    def __init__(self, function, dispatcher, func_ir, names, typemap=None, return_type=None, shown=False):
        self.func_ir, self.func_id, self.function, self.dispatcher = func_ir, func_ir.func_id, function, dispatcher
        self.typemap, self.return_type, self.shown = typemap, return_type, shown
        self.calltypes = None if typemap is None else call_types(func_ir, typemap)
        self.typingctx, self.targetctx = cpu_target.typing_context, TargetOps()
        self.flags = self.targetoptions = getattr(dispatcher, "targetoptions", {}) or {}
        self.globals = to_ssa.Names(function, names)
        self.metadata, self.locals, self.state = {}, self.flags.get("locals", {}), self
        # Variables of the function as it was: those without a type have none in Numba's shape alone.
        self.untyped = set(func_ir._definitions)
        self.known = {name: ty for name, ty in (typemap or {}).items()}
        self.args = None
        if typemap is not None:
            self.args = tuple(typemap.get(name) for name in func_ir.arg_names)

    @property
    def nargs(self):
        """How many parameters the function has."""
        return self.func_ir.arg_count

    def declared(self, var):
        """The type that a rewrite gave a new variable, where the value is converted to it: those of numbers."""
        if self.typemap is None or var.name in self.known:
            return None
        ty = self.typemap.get(var.name)
        return ty if isinstance(ty, types.Number) and not isinstance(ty, types.Literal) else None

    def check(self, fail):
        """Raises `fail(message)` if the blocks are no function."""
        try:
            _compiler.text(self.function, to_ssa.emit(self))
        except ValueError as error:
            raise fail(str(error)) from None


class TargetOps:
    """How operations of libraries are lowered: `special_ops["my_op"] = hook`."""

    def __init__(self):
        self.special_ops = dict(cpu_target.target_context.special_ops)

    def __getattr__(self, name):
        return getattr(cpu_target.target_context, name)


def rewrite(function, dispatcher, raw, result, values, shown):
    """The function that users' rewrites make, as (parameters, variables, blocks), and whether operations of arrays stay apart in it;
    None if they change nothing. `result` is the type that it returns, once types are known; `values` are what rewrites put into functions of this
    compilation."""
    kind = "before-inference" if result is None else "after-inference"
    watching = watchers.get()
    if (function.__module__ or "").startswith("rumba."):
        return None
    users = rewrite_registry.of_users(kind)
    # The compiler makes expressions of arrays by itself, unless somebody says otherwise.
    decides = result is not None and rewrite_registry.is_altered()
    if not users and not shown and not watching and not decides:
        return None
    func_ir, typemap = from_ssa.build(function, raw, values)
    state = State(
        function, dispatcher, func_ir, values, None if result is None else typemap, result, shown)
    changed = []
    if not state.flags.get("no_rewrites"):
        if result is not None:
            _settle(state)
        changed = rewrite_registry.apply(kind, state)
    for watcher in watching:
        watcher(kind, state)
    if not decides and not any(cls in users for cls in changed):
        return None
    trees = [expr for block in func_ir.blocks.values() for expr in block.find_exprs("arrayexpr")]
    return to_ssa.emit(state), decides and not trees


def _settle(state):
    """What the rewrites of the start do before types are known is done again: the compiler goes on from what it has itself."""
    users = rewrite_registry.of_users("before-inference")
    changed = [apply_one(cls, state) for cls in rewrite_registry.rewrites["before-inference"] if cls not in users]
    if any(changed):
        state.calltypes = call_types(state.func_ir, state.typemap)


def identity(function):
    """The text of a Python function in the compiler, and the text of what the way through Numba's shape and back
    makes of it, with blocks numbered as they stand."""
    raw = _compiler.untyped(function)
    state = State(function, None, from_ssa.build(function, raw)[0], {})
    return tuple(map(_numbered, (_compiler.original(function), _compiler.text(function, to_ssa.emit(state)))))


def _numbered(text):
    order = {label: f"block{place}" for place, label in enumerate(re.findall(r"^block\d+", text, re.M))}
    return re.sub(r"\bblock\d+\b", lambda found: order.get(found[0], found[0]), text)
