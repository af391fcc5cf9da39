"""Queries and edits of statements, for rewrites."""
import itertools
from types import ModuleType

from .controlflow import CFGraph
from .constants import infer_constant  # noqa: F401  asked for here, too
from .expr import Expr
from .nodes import Const, FreeVar, Global, Var
from .statements import Assign, Branch, Del, ExceptionEdge, Jump, Print, Return, SetItem, StaticSetItem

_numbers = itertools.count()


class GuardException(Exception):
    """What `guard` turns into None."""


def require(cond):
    """Leaves the function that `guard` called, unless the condition holds."""
    if not cond:
        raise GuardException


def guard(func, *args, **kwargs):
    """What a function returns; None if it gave up."""
    try:
        return func(*args, **kwargs)
    except GuardException:
        return None


def get_definition(func_ir, name, **kwargs):
    """`func_ir.get_definition`, which gives up where there is no single one."""
    try:
        return func_ir.get_definition(name, **kwargs)
    except KeyError:
        raise GuardException from None


def build_definitions(blocks, definitions=None):
    """What each variable is assigned, by name."""
    definitions = {} if definitions is None else definitions
    for block in blocks.values():
        for inst in block.find_insts(Assign):
            definitions.setdefault(inst.target.name, []).append(inst.value)
    return definitions


def mk_unique_var(prefix):
    """A name that no other variable has."""
    return f"{prefix}.{next(_numbers)}"


def get_unused_var_name(prefix, var_table):
    """A name that a table does not have."""
    return next(name for name in (f"{prefix}{number}" for number in itertools.count()) if name not in var_table)


def find_const(func_ir, var):
    """The value of a constant or of a name outside of the function."""
    require(isinstance(var, Var))
    definition = get_definition(func_ir, var)
    require(isinstance(definition, (Const, Global, FreeVar)))
    return definition.value


def find_build_sequence(func_ir, var):
    """The items and the op of a tuple, list or set that is written out."""
    require(isinstance(var, Var))
    definition = get_definition(func_ir, var)
    require(isinstance(definition, Expr) and definition.op in ("build_tuple", "build_list", "build_set"))
    return definition.items, definition.op


def find_outer_value(func_ir, var):
    """The value of a name outside of the function, or of an attribute of such a module."""
    definition = get_definition(func_ir, var)
    if isinstance(definition, (Global, FreeVar)):
        return definition.value
    require(isinstance(definition, Expr) and definition.op == "getattr")
    owner = find_outer_value(func_ir, definition.value)
    require(hasattr(owner, definition.attr))
    return getattr(owner, definition.attr)


def find_callname(func_ir, expr, typemap=None, definition_finder=get_definition):
    """The name of the function that a call calls and of its module: `("sqrt", "math")`. For a method, its name and
    the variable."""
    require(isinstance(expr, Expr) and expr.op == "call")
    definition, names = definition_finder(func_ir, expr.func), []
    while isinstance(definition, Expr) and definition.op == "getattr":
        names.append(definition.attr)
        owner = definition.value
        if typemap is not None and owner.name in typemap and not _is_module(typemap[owner.name]):
            return names[0], owner
        definition = definition_finder(func_ir, owner)
        if not isinstance(definition, (Expr, Global, FreeVar)):
            return names[0], owner
    require(isinstance(definition, (Global, FreeVar)))
    value = definition.value
    if isinstance(value, ModuleType):
        require(names)
        return names[0], ".".join([value.__name__, *reversed(names[1:])])
    if names:
        require(hasattr(value, names[-1]))
        return names[0], getattr(value, "__module__", definition.name)
    name = getattr(value, "__name__", definition.name)
    return name, getattr(value, "__module__", None) or "builtins"


def _is_module(ty):
    return type(ty).__name__ == "Module"


def visit_vars_inner(node, callback, cbdata):
    """A node with what `callback(var, cbdata)` gives in place of each variable; lists and dicts are changed in place."""
    if isinstance(node, Var):
        return callback(node, cbdata)
    if isinstance(node, list):
        node[:] = [visit_vars_inner(item, callback, cbdata) for item in node]
    elif isinstance(node, tuple):
        return tuple(visit_vars_inner(item, callback, cbdata) for item in node)
    elif isinstance(node, dict):
        for key, value in node.items():
            node[key] = visit_vars_inner(value, callback, cbdata)
    elif isinstance(node, Expr):
        visit_vars_inner(node._kws, callback, cbdata)
    return node


def visit_vars_stmt(stmt, callback, cbdata):
    """Puts what `callback(var, cbdata)` gives in place of each variable of a statement."""
    for name, value in list(vars(stmt).items()):
        if name not in ("loc", "scope"):
            setattr(stmt, name, visit_vars_inner(value, callback, cbdata))


def visit_vars(blocks, callback, cbdata):
    """The same in all blocks."""
    for block in blocks.values():
        for stmt in block.body:
            visit_vars_stmt(stmt, callback, cbdata)


def replace_vars_inner(node, vardict):
    """A node with other variables: a dictionary from names to variables."""
    return visit_vars_inner(node, lambda var, known: known.get(var.name, var), vardict)


def replace_vars_stmt(stmt, vardict):
    """A statement with other variables, in place."""
    visit_vars_stmt(stmt, lambda var, known: known.get(var.name, var), vardict)


def replace_vars(blocks, vardict):
    """Blocks with other variables, in place."""
    for block in blocks.values():
        for stmt in block.body:
            replace_vars_stmt(stmt, vardict)


def get_name_var_table(blocks):
    """All variables by name."""
    table = {}
    visit_vars(blocks, lambda var, known: known.setdefault(var.name, var) and var, table)
    return table


def replace_var_names(blocks, namedict):
    """Blocks with other names of variables, in place: a dictionary from names to names."""
    table = get_name_var_table(blocks)
    replace_vars(blocks, {
        old: Var(table[old].scope, new, table[old].loc) for old, new in namedict.items() if old in table})


def remove_dels(blocks):
    """Takes the `del`s out of all blocks."""
    for block in blocks.values():
        block.body = [stmt for stmt in block.body if not isinstance(stmt, Del)]


def find_max_label(blocks):
    """The largest label."""
    return max(blocks)


def add_offset_to_labels(blocks, offset):
    """The same blocks under labels that are larger by `offset`."""
    return _relabeled(blocks, {label: label + offset for label in blocks})


def rename_labels(blocks):
    """The same blocks under the labels 0, 1, ..., in order."""
    return _relabeled(blocks, {label: number for number, label in enumerate(sorted(blocks))})


flatten_labels = rename_labels


def _relabeled(blocks, labels):
    for block in blocks.values():
        last = block.terminator
        if isinstance(last, Jump):
            block.body[-1] = Jump(labels[last.target], last.loc)
        elif isinstance(last, Branch):
            block.body[-1] = Branch(last.cond, labels[last.truebr], labels[last.falsebr], last.loc)
        for inst in block.body:
            if isinstance(inst, ExceptionEdge):
                inst.target = labels[inst.target]
            elif isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "phi":
                inst.value.incoming_blocks[:] = [labels.get(label, label) for label in inst.value.incoming_blocks]
    return {labels[label]: block for label, block in blocks.items()}


def compute_cfg_from_blocks(blocks):
    """The control-flow graph of blocks; control enters at the least label."""
    cfg = CFGraph()
    for label in blocks:
        cfg.add_node(label)
    for label, block in blocks.items():
        for target in block.terminator.get_targets():
            cfg.add_edge(label, target)
    cfg.set_entry_point(min(blocks))
    cfg.process()
    return cfg


def find_topo_order(blocks, cfg=None):
    """Labels in topological order: each block after its predecessors, apart from back edges."""
    order, seen, entry = [], set(), min(blocks)
    stack = [(entry, iter(blocks[entry].terminator.get_targets()))]
    seen.add(entry)
    while stack:
        label, targets = stack[-1]
        target = next((target for target in targets if target not in seen), None)
        if target is None:
            order.append(label)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(blocks[target].terminator.get_targets())))
    return order[::-1]


def is_get_setitem(stmt):
    """Whether a statement reads or writes an item."""
    return is_getitem(stmt) or is_setitem(stmt)


def is_getitem(stmt):
    """Whether a statement reads an item."""
    return isinstance(stmt, Assign) and isinstance(stmt.value, Expr) and stmt.value.op in ("getitem", "static_getitem")


def is_setitem(stmt):
    """Whether a statement writes an item."""
    return isinstance(stmt, (SetItem, StaticSetItem))


def index_var_of_get_setitem(stmt):
    """The variable of the index of a statement that reads or writes an item; None for another statement."""
    item = stmt.value if is_getitem(stmt) else stmt if is_setitem(stmt) else None
    if item is None:
        return None
    return item.index_var if isinstance(item, StaticSetItem) or getattr(item, "op", None) == "static_getitem" else item.index


def is_return(stmt):
    """Whether a statement returns."""
    return isinstance(stmt, Return)


def is_print(stmt):
    """Whether a statement prints."""
    return isinstance(stmt, Print)


def dump_blocks(blocks):
    """Prints blocks."""
    for label, block in blocks.items():
        print(f"{label}:\n{block.text()}")
