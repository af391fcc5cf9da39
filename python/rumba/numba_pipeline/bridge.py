"""Converts functions between the compiler and passes: Numba's form before SSA, and back.

The compiler's own form gives each version of a name a variable of its own. Passes get what is written: one variable
per name, where versions do not live at once.

Before: `b = const(2)`, `b.2 = b` and `b.1 = const(3)`, `b.2 = b.1` in the blocks of an `if`.
After: `b = const(2)` and `b = const(3)`.
"""
import copy
from types import SimpleNamespace

from .._rumba import rewriting as _compiler
from ..errors import CompilerError
from ..numba_ir import Assign, Branch, Const, Del, ExceptionEdge, Expr, FreeVar, Global, Jump, UNDEFINED, Var
from ..numba_ir.statements import target_of, uses_of
from ..numba_ir.transforms import drop_unreached
from ..numba_ir.utils import get_definition, guard, mk_unique_var, remove_dels, replace_vars, visit_vars_stmt
from ..rewriting import to_ssa, liveness, from_ssa
from ..rewriting.run import TargetOps
from ..types import Literal, Number, Pair, typeof


def frontend(function, options=None):
    """A Python function before its types are known, as it is written. `options` are those of the decorator."""
    func_ir = from_ssa.build(function, _compiler.untyped(function, options))[0]
    remove_dels(func_ir.blocks)
    _join_versions(func_ir)
    _drop_empty_edges(func_ir)
    _store_temporaries(func_ir)
    func_ir.definitions_anew()
    return func_ir


# ---- from the compiler ----

def _join_versions(func_ir):
    """Versions of a name that do not live at once become one variable."""
    sources, blocks, shape = func_ir._shape.sources, func_ir.blocks, func_ir._shape
    versions = {}
    for name, (source, _) in sources.items():
        if not name.startswith("$"):
            versions.setdefault(source, []).append(name)
    apart = _living_at_once(blocks, {name: source for source, names in versions.items() for name in names})
    scope = next(iter(blocks.values())).scope
    renamed = {}
    for source, names in versions.items():
        if len(names) > 1 and source not in apart:
            renamed.update({name: scope.get_or_define(source, func_ir.loc) for name in names})
    replace_vars(blocks, renamed)
    for block in blocks.values():
        block.body = [inst for inst in block.body if not (
            isinstance(inst, Assign) and isinstance(inst.value, Var) and inst.value.name == inst.target.name)]
    names = {old: var.name for old, var in renamed.items()}
    shape.joins = {label: list(dict.fromkeys(names.get(name, name) for name in joined))
                   for label, joined in shape.joins.items()}
    shape.entry_names = {names.get(name, name) for name in shape.entry_names}
    shape.sources = {names.get(name, name): (source, 0 if name in names else version)
                     for name, (source, version) in sources.items()}


def _living_at_once(blocks, sources):
    """Names of the source of which one version is assigned while another one lives."""
    live, found = liveness.live_in(blocks), set()
    for block in blocks.values():
        handlers = set().union(*(live[i.target] for i in block.body if isinstance(i, ExceptionEdge)), set())
        alive = handlers.union(*(live[target] for target in block.terminator.get_targets()))
        for inst in reversed(block.body):
            target = target_of(inst)
            alive.discard(target)
            source = sources.get(target)
            copied = inst.value.name if isinstance(inst, Assign) and isinstance(inst.value, Var) else None
            if source is not None and any(
                    sources.get(name) == source and name not in (target, copied) for name in alive | handlers):
                found.add(source)
            alive.update(uses_of(inst))
    return found


def _drop_empty_edges(func_ir):
    """Takes out the blocks between two others that held copies alone, and hold none any more."""
    shape, blocks = func_ir._shape, func_ir.blocks
    leads = {label: blocks[label].terminator.target for label in shape.between
             if label in blocks and len(blocks[label].body) == 1}
    for block in blocks.values():
        last = block.terminator
        if isinstance(last, Branch):
            last.truebr, last.falsebr = leads.get(last.truebr, last.truebr), leads.get(last.falsebr, last.falsebr)
    for label in leads:
        del blocks[label]
        shape.between.discard(label)


def _store_temporaries(func_ir):
    """What `x += y` gives goes through a temporary variable."""
    for label, block in func_ir.blocks.items():
        body = []
        for inst in block.body:
            value = inst.value if isinstance(inst, Assign) and not inst.target.is_temp else None
            if isinstance(value, Expr) and value.op == "inplace_binop":
                var = block.scope.define(f"$inplace_binop{label}.{len(body)}", inst.loc)
                body.append(Assign(value, var, inst.loc))
                inst = Assign(var, inst.target, inst.loc)
            body.append(inst)
        block.body = body


# ---- to the compiler ----

def statements(func_ir, values, typemap=None, special_ops=None):
    """What the compiler reads: parameters, variables and blocks. `values` gets what the function refers to beyond its
    own names."""
    return _emitter(_joined(func_ir), values, typemap, special_ops).emit()


def _emitter(func_ir, values, typemap, special_ops):
    function = func_ir.func_id.func
    if not hasattr(func_ir, "_shape"):
        func_ir = copy.copy(func_ir)
        func_ir._shape = from_ssa.Shape(entry_label=min(func_ir.blocks))
    known = getattr(typemap, "inferred", None)

    def declared(var):
        ty = None if known is None or var.name in known else typemap.get(var.name)
        return ty if isinstance(ty, Number) and not isinstance(ty, Literal) else None

    targetctx = TargetOps()
    targetctx.special_ops.update(special_ops or {})
    return to_ssa._Emitter(SimpleNamespace(
        func_ir=func_ir, targetctx=targetctx, globals=to_ssa.Names(function, values), declared=declared))


def special_ops_of(state):
    """Operations that the passes of a compilation gave a meaning."""
    return getattr(getattr(state, "targetctx", None), "special_ops", None)


def _joined(func_ir):
    """The function without phis, and without temporary variables that hold a value only on its way to a name."""
    made = without_phis(func_ir)
    uses = {}
    for block in made.blocks.values():
        for inst in block.body:
            for name in uses_of(inst):
                uses[name] = uses.get(name, 0) + 1
    assigned = {}
    for block in made.blocks.values():
        for inst in block.body:
            name = target_of(inst)
            assigned[name] = assigned.get(name, 0) + 1
    for block in made.blocks.values():
        body = []
        for inst in block.body:
            before = body[-1] if body else None
            if (isinstance(inst, Assign) and isinstance(inst.value, Var) and isinstance(before, Assign)
                    and before.target.name == inst.value.name and inst.value.is_temp and not inst.target.is_temp
                    and uses[inst.value.name] == 1 and assigned[inst.value.name] == 1
                    and isinstance(before.value, (Const, Expr, FreeVar, Global))):
                body[-1] = Assign(before.value, inst.target, before.loc)
            else:
                body.append(inst)
        block.body = body
    return made


def without_phis(func_ir):
    """The same function with copies in place of phis, in blocks of its own."""
    made = copy.copy(func_ir)
    made.blocks = {label: block.copy() for label, block in func_ir.blocks.items()}
    for block in list(made.blocks.values()):
        body = []
        for inst in block.body:
            if isinstance(inst, Del):
                continue
            if isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "phi":
                inst = Assign(_give(made.blocks, inst), inst.target, inst.loc)
            body.append(inst)
        block.body = body
    _drop_unread_names(made)
    return made


def _drop_unread_names(func_ir):
    """Takes out names from outside, and attributes of modules, that nothing reads: what an inlined call called may have
    no type."""
    found = True
    while found:
        found = False
        used = {name for block in func_ir.blocks.values() for inst in block.body for name in uses_of(inst)}
        outside = {inst.target.name for block in func_ir.blocks.values() for inst in block.find_insts(Assign)
                   if isinstance(inst.value, (FreeVar, Global))}
        for block in func_ir.blocks.values():
            kept = [inst for inst in block.body if not (
                isinstance(inst, Assign) and inst.target.is_temp and inst.target.name not in used
                and (isinstance(inst.value, (FreeVar, Global)) or isinstance(inst.value, Expr)
                     and inst.value.op == "getattr" and inst.value.value.name in outside))]
            found |= len(kept) < len(block.body)
            block.body = kept


def _give(blocks, inst):
    """A variable that the blocks before give what a phi takes."""
    phi, var = inst.value, Var(inst.target.scope, mk_unique_var("$phi"), inst.loc)
    for label, value in zip(phi.incoming_blocks, phi.incoming_values):
        if label in blocks:
            value = Expr.undef(inst.loc) if value is UNDEFINED else value
            blocks[label].body.insert(-1, Assign(value, var, inst.loc))
    return var


# ---- types ----

def infer(func_ir, args, return_type=None, dispatcher=None, special_ops=None, typemap=None):
    """Types of variables by name, the type of the result, and the branches whose target is known: labels of the blocks
    that they always lead to, by their own. An exception names what has no type."""
    made, values = without_phis(func_ir), {}
    emitter = _emitter(made, values, typemap, special_ops)
    sketch = emitter.emit()
    held, chosen, result = _compiler.infer(
        func_ir.func_id.func, (dispatcher, list(args), return_type, sketch, values))
    written = {name for block in func_ir.blocks.values() for inst in block.body
               for name in (target_of(inst), *uses_of(inst))}
    types = {name: _joined_type(known) for (name, _), known in zip(emitter.names, held) if known and name in written}
    types.update(_types_of_helpers(func_ir, types))
    labels = {}
    for label, first in emitter.nodes.items():
        for node in range(first, first + len(emitter.parts[label])):
            labels[node] = label
    ways = {labels[node]: labels[target] for node, target in enumerate(chosen) if target is not None}
    return types, result, ways


def _types_of_helpers(func_ir, types):
    """Types of variables that the compiler has not: what an iterator gives, None that something is compared with."""
    found = {}
    for block in func_ir.blocks.values():
        for inst in block.find_insts(Assign):
            name, value = inst.target.name, inst.value
            if name not in types and isinstance(value, from_ssa.HelperConst):
                found[name] = typeof(value.value)
            elif isinstance(value, Expr) and value.op in ("pair_first", "pair_second") and value.value.name not in types:
                found.setdefault(value.value.name, {})[value.op] = types.get(name)
    pairs = {name: parts for name, parts in found.items() if isinstance(parts, dict)}
    for name, parts in pairs.items():
        del found[name]
        if len(parts) == 2 and None not in parts.values():
            found[name] = Pair(parts["pair_first"], parts["pair_second"])
    return found


def _joined_type(known):
    """The type of a variable that is assigned values of several types."""
    if len(known) == 1:
        return known[0]
    from ..compat.targets import cpu_target

    return cpu_target.typing_context.unify_types(*known) or known[0]


def _asks_iterator(func_ir, branch):
    """Whether a branch is the head of a loop: loops stay loops, even if they have a single iteration."""
    definition = guard(get_definition, func_ir, branch.cond)
    return isinstance(definition, Expr) and definition.op == "pair_second"


def take_known_ways(func_ir, ways):
    """Branches whose way is known become jumps, and what nothing leads to any more goes."""
    for label, target in ways.items():
        block = func_ir.blocks.get(label)
        if block is not None and isinstance(block.terminator, Branch) and not _asks_iterator(func_ir, block.terminator):
            block.body[-1] = Jump(target, block.terminator.loc)
    drop_unreached(func_ir.blocks)


def check(func_ir, typemap=None, special_ops=None, fail=None):
    """A CompilerError if blocks are no function, or what `fail(message)` makes."""
    try:
        _compiler.text(func_ir.func_id.func, statements(func_ir, {}, typemap, special_ops))
    except ValueError as error:
        if fail is not None:
            raise fail(str(error)) from None
        raise CompilerError(
            f"passes made of {func_ir.func_id.func_qualname} what is no function: {error}", loc=func_ir.loc) from None


def rename(blocks, names, scope):
    """Blocks with variables under other names, in place: `names` has the new variables by the old names. What an
    exception is assigned to is renamed, too."""
    for block in blocks.values():
        for inst in block.body:
            visit_vars_stmt(inst, lambda var, known: known.get(var.name, var), names)
            if isinstance(inst, Del):
                inst.value = names[inst.value].name if inst.value in names else inst.value
        block.scope = scope
