"""Transformations of functions: simplification of the CFG, dead code elimination, copy propagation.

Absent: what single statements are asked (`utils`).
"""
import copy
import operator

from .aliases import is_removable_call
from .expr import Expr
from .nodes import Arg, Const, FreeVar, Global, Var
from .statements import Assign, Branch, Del, ExceptionEdge, Jump, target_of, uses_of
from .utils import compute_cfg_from_blocks, find_topo_order, replace_vars_stmt, visit_vars_inner

# Operations that change nothing and cannot fail, whatever the types of their operands.
_HARMLESS = frozenset(("build_tuple", "build_list", "build_set", "cast", "undef", "null", "phi", "make_function"))


def copied(block):
    """A block with statements and operations of its own, of the same values."""
    made = block.copy()
    made.body = [copy.copy(inst) for inst in block.body]
    for inst in made.body:
        if isinstance(inst, Assign) and isinstance(inst.value, Expr):
            inst.value = Expr(inst.value.op, inst.value.loc, **{
                name: list(value) if isinstance(value, list) else value for name, value in inst.value._kws.items()})
    return made


def drop_unreached(blocks):
    """Takes out the blocks that no way from the first one leads to; phis of those that stay lose what they got from them."""
    reached, work = set(), [min(blocks)]
    while work:
        label = work.pop()
        if label not in reached:
            reached.add(label)
            work.extend(blocks[label].terminator.get_targets())
            work.extend(inst.target for inst in blocks[label].body if isinstance(inst, ExceptionEdge))
    for label in [label for label in blocks if label not in reached]:
        del blocks[label]
    for block in blocks.values():
        for inst in block.find_insts(Assign):
            if isinstance(inst.value, Expr) and inst.value.op == "phi":
                _drop_incoming(inst, reached)


def _drop_incoming(inst, reached):
    """Takes the blocks that are gone out of a phi; what is left of one that gets a single value is a copy."""
    phi = inst.value
    kept = [pair for pair in zip(phi.incoming_blocks, phi.incoming_values) if pair[0] in reached]
    if len(kept) < len(phi.incoming_blocks):
        phi.incoming_blocks[:] = [label for label, _ in kept]
        phi.incoming_values[:] = [value for _, value in kept]
        if len(kept) == 1 and isinstance(kept[0][1], Var):
            inst.value = kept[0][1]


def simplify_CFG(blocks):
    """Fewer blocks that do the same: jumps to blocks that do nothing but jump lead on, blocks that follow one upon the
    other become one, and what nothing leads to goes. The blocks, of which those that are left keep their labels."""
    _skip_empty(blocks)
    drop_unreached(blocks)
    entry = min(blocks)
    handlers = {inst.target for block in blocks.values() for inst in block.body if isinstance(inst, ExceptionEdge)}
    before = {label: [] for label in blocks}
    for label, block in blocks.items():
        for target in block.terminator.get_targets():
            before[target].append(label)
    for label in [*find_topo_order(blocks), *handlers]:
        while label in blocks and isinstance(blocks[label].terminator, Jump):
            block, target = blocks[label], blocks[label].terminator.target
            follows = before[target] == [label] and target not in (entry, label) and target not in handlers
            if not follows or _protected(block) or _protected(blocks[target]):
                break
            following = blocks.pop(target)
            block.body[-1:] = following.body
            for after in following.terminator.get_targets():
                before[after] = [label if known == target else known for known in before[after]]
                _rename_incoming(blocks.get(after, block), target, label)
    return blocks


def _protected(block):
    return any(isinstance(inst, ExceptionEdge) for inst in block.body)


def _rename_incoming(block, old, new):
    for expr in block.find_exprs("phi"):
        expr.incoming_blocks[:] = [new if label == old else label for label in expr.incoming_blocks]


def _skip_empty(blocks):
    """Jumps to blocks that do nothing but jump lead to where these lead."""
    with_phis = {label for label, block in blocks.items() if any(True for _ in block.find_exprs("phi"))}
    leads = {label: block.terminator.target for label, block in blocks.items()
             if len(block.body) == 1 and isinstance(block.terminator, Jump)
             and block.terminator.target not in with_phis | {label}}

    def end(label):
        seen = set()
        while label in leads and label not in seen:
            seen.add(label)
            label = leads[label]
        return label

    for block in blocks.values():
        last = block.terminator
        if isinstance(last, Jump):
            last.target = end(last.target)
        elif isinstance(last, Branch):
            last.truebr, last.falsebr = end(last.truebr), end(last.falsebr)


def dead_code_elimination(func_ir, typemap=None, alias_map=None, arg_aliases=None):
    """Takes out assignments of constants, copies, names and the like that nobody reads, and calls that a handler lets go
    (`aliases.remove_call_handlers`); whether there were some. What changes something stays, also where nobody reads it."""
    removed = False
    while True:
        used = {name for block in func_ir.blocks.values() for inst in block.body for name in uses_of(inst)}
        found = False
        for block in func_ir.blocks.values():
            kept = [inst for inst in block.body if not _is_dead(func_ir, inst, used)]
            found |= len(kept) < len(block.body)
            block.body = kept
        if not found:
            break
        removed = True
    if removed:
        func_ir.definitions_anew()
    return removed


def _is_dead(func_ir, inst, used):
    name = target_of(inst)
    if name is None or name in used:
        return isinstance(inst, Del) and inst.value not in used
    value = inst.value
    if isinstance(value, Expr) and value.op == "call":
        return is_removable_call(func_ir, value, used)
    return isinstance(value, (Const, Var, Global, FreeVar)) or isinstance(value, Expr) and value.op in _HARMLESS


def remove_dead(blocks, args, func_ir, typemap=None, alias_map=None, arg_aliases=None):
    """The same, under the name that passes of Numba use; whether there were some."""
    return dead_code_elimination(func_ir, typemap)


def copy_propagate(blocks, typemap):
    """Copies that hold where each block begins, and those that each block makes and leaves valid: sets of pairs of names
    `(target, source)`, by the labels."""
    made, kills = {}, {}
    for label, block in blocks.items():
        made[label], kills[label] = _copies_of(block, typemap)
    cfg = compute_cfg_from_blocks(blocks)
    entry = cfg.entry_point()
    everything = set().union(*made.values(), set())
    at_end = {label: set(everything) for label in blocks}
    at_start = {label: set() for label in blocks}
    changed = True
    while changed:
        changed = False
        for label in find_topo_order(blocks):
            before = [at_end[known] for known, _ in cfg.predecessors(label)]
            at_start[label] = set.intersection(*before) if before and label != entry else set()
            left = {pair for pair in at_start[label] if not kills[label].intersection(pair)} | made[label]
            changed |= left != at_end[label]
            at_end[label] = left
    return at_start, at_end


def _copies_of(block, typemap):
    """The copies that a block makes and leaves valid, and the names that it assigns."""
    made, assigned = set(), set()
    for inst in block.body:
        name = target_of(inst)
        if name is None:
            continue
        assigned.add(name)
        made = {pair for pair in made if name not in pair}
        if isinstance(inst.value, Var) and inst.value.name != name and _alike(typemap, name, inst.value.name):
            made.add((name, inst.value.name))
    return made, assigned


def _alike(typemap, one, other):
    """Whether variables have one type, so that one may stand for the other."""
    return typemap is None or typemap.get(one) == typemap.get(other)


def apply_copy_propagate(blocks, in_copies, name_var_table, typemap, calltypes, save_copies=None):
    """Puts what was copied in place of the copies, where these are read. The copies themselves stay."""
    for label, block in blocks.items():
        held = dict(in_copies[label])
        for inst in block.body:
            known = {name: name_var_table[source] for name, source in held.items() if source in name_var_table}
            if isinstance(inst, Assign):
                inst.value = visit_vars_inner(inst.value, lambda var, names: names.get(var.name, var), known)
            elif not isinstance(inst, Del):
                replace_vars_stmt(inst, known)
            name = target_of(inst)
            if name is None:
                continue
            held = {target: source for target, source in held.items() if name not in (target, source)}
            if isinstance(inst.value, Var) and inst.value.name != name and _alike(typemap, name, inst.value.name):
                held[name] = inst.value.name
        if save_copies is not None:
            save_copies.extend(held.items())


def replace_arg_nodes(block, args):
    """Puts values in place of the parameters that a block reads."""
    for inst in block.body:
        if isinstance(inst, Assign) and isinstance(inst.value, Arg):
            inst.value = args[inst.value.index]


def replace_returns(blocks, target, return_label):
    """Puts an assignment to a variable and a jump in place of each return."""
    from .statements import Return

    for block in blocks.values():
        last = block.terminator
        if isinstance(last, Return):
            source = last.value
            for inst in block.body:
                if target_of(inst) == source.name and isinstance(inst.value, Expr) and inst.value.op == "cast":
                    inst.value = inst.value.value
            block.body[-1:] = [Assign(source, target, last.loc), Jump(return_label, last.loc)]


def is_operator_or_getitem(expr):
    """Whether an operation is an operator, or reads an item."""
    return isinstance(expr, Expr) and getattr(expr, "op", None) in (
        "unary", "binop", "inplace_binop", "getitem", "static_getitem") and getattr(expr, "fn", operator.getitem) is not None


def next_label(blocks):
    """A label that is free, behind all others."""
    return max(blocks) + 1
