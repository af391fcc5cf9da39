"""Inlining in the Numba-shaped form.

Before: block 0 is `a; x = call f(y); b`.
After: block 0 is `a; jump 10`, block 10 and those behind it are the blocks of `f` with variables of their own and `y`
in place of its parameter, which assign to `x` where they returned and jump to block 12, which is `b`.
"""
import inspect
import itertools
import re
from types import CodeType, FunctionType

from .._rumba import Dispatcher
from ..errors import TypingError, UnsupportedError
from ..numba_ir import Arg, Assign, Block, Branch, Const, ExceptionEdge, Expr, FunctionIR, Jump, Return, Var
from ..numba_ir.transforms import copied, simplify_CFG
from ..numba_ir.utils import find_outer_value, get_definition, guard
from ..rewriting.typed import call_types
from . import bridge


def inline_closure_call(func_ir, glbls, block, i, callee, typingctx=None, targetctx=None, arg_typs=None, typemap=None,
                        calltypes=None, work_list=None, callee_validator=None, replace_freevars=True):
    """Puts the blocks of `callee` in place of the call that statement `i` of `block` assigns.

    `callee` is a Python function, a compiled one, a function in Numba's shape, or a code object without variables of
    functions around it, whose global names are those of `glbls`. With a typemap, types of arguments say which of its
    ways are taken, and types and signatures of what comes in are noted. The blocks by their labels, and the new
    variables by the names that they had in the callee.
    """
    inst = block.body[i]
    call = inst.value
    callee_ir = _read(callee, glbls)
    if callee_validator is not None:
        callee_validator(callee_ir)
    job = _Inlining(func_ir, block, i, callee_ir)
    bound = job.bind(call)
    types = None
    if typemap is not None and arg_typs is not None:
        types = _infer(callee_ir, _argument_types(callee_ir, call, bound, arg_typs, typemap), typemap)
    job.relabel()
    job.rename(bound)
    job.connect()
    if types is not None:
        job.note_types(types, typemap, calltypes)
    if work_list is not None:
        work_list.append((job.behind, func_ir.blocks[job.behind]))
    return job.blocks, job.variables


def inline_ir(func_ir, block, i, callee_ir, callee_freevars, arg_typs=None):
    """The same with a function in Numba's shape. `callee_freevars` are names of its free variables."""
    return inline_closure_call(func_ir, {}, block, i, callee_ir)


def _read(callee, glbls):
    """The callee in Numba's shape, in blocks of its own."""
    if isinstance(callee, Dispatcher):
        return bridge.frontend(callee.py_func, callee.targetoptions)
    if isinstance(callee, FunctionType):
        return bridge.frontend(callee)
    if isinstance(callee, CodeType) and not callee.co_freevars:
        function = FunctionType(callee, glbls)
        # Variables of functions without a place of their own are called so by Numba.
        function.__qualname__ = f"closure.<locals>.{callee.co_name}"
        return bridge.frontend(function)
    if isinstance(callee, FunctionIR):
        made = bridge.without_phis(callee)
        made.blocks = {label: copied(block) for label, block in made.blocks.items()}
        return made
    raise UnsupportedError(
        f"{callee!r} cannot be inlined: give a Python function, a compiled one, or the function in Numba's shape")


def _infer(callee_ir, args, typemap):
    """Types of the callee's variables; what is never reached with these arguments goes."""
    types, _, ways = bridge.infer(callee_ir, args)
    bridge.take_known_ways(callee_ir, ways)
    return types


def _argument_types(callee_ir, call, bound, given, typemap):
    """Types of all parameters: those that are given, of what a call is made with, and of defaults."""
    from ..types import Omitted, UniTuple, typeof
    from ..types.containers import Tuple

    written = dict(zip((var.name for var in [*call.args, *(value for _, value in call.kws)]), given))

    def type_of(value):
        if isinstance(value, Var):
            return written.get(value.name, typemap.get(value.name))
        if isinstance(value, tuple):
            items = [type_of(item) for item in value]
            alike = items and all(item == items[0] for item in items)
            return UniTuple(items[0], len(items)) if alike else Tuple(items)
        return Omitted(value.value) if value.value is None else typeof(value.value)

    return [type_of(bound[name]) for name in callee_ir.arg_names]


class _Inlining:
    """One call on its way into the function around it."""

    def __init__(self, func_ir, block, index, callee_ir):
        self.func_ir, self.block, self.index, self.callee_ir = func_ir, block, index, callee_ir
        self.inst, self.blocks, self.variables = block.body[index], callee_ir.blocks, {}
        self.loc = self.inst.loc
        for known in self.blocks.values():
            for inst in known.body:
                value = getattr(inst, "value", None)
                if isinstance(value, Const) and isinstance(value.value, CodeType):
                    raise UnsupportedError(
                        f"{callee_ir.func_id.func_qualname} cannot be inlined: it makes a function (a def, lambda or "
                        "generator expression)", loc=value.loc)

    def bind(self, call):
        """What each parameter gets: a variable, a tuple of variables, or a constant."""
        if call.vararg is not None or getattr(call, "varkwarg", None) is not None:
            raise UnsupportedError("a call with * or ** cannot be inlined", loc=self.loc)
        signature = self.callee_ir.func_id.pysig
        try:
            bound = signature.bind(*call.args, **dict(call.kws))
        except TypeError as error:
            raise TypingError(f"{self.callee_ir.func_id.func_qualname}: {error}", loc=self.loc) from None
        found = {}
        for name, parameter in signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                raise UnsupportedError("a function with **keywords cannot be inlined", loc=self.loc)
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                found[name] = tuple(bound.arguments.get(name, ()))
            else:
                found[name] = bound.arguments.get(name, Const(parameter.default, self.loc))
        return found

    def relabel(self):
        """Gives the callee's blocks labels that the function does not have."""
        first = max(self.func_ir.blocks) + 1
        labels = {label: first + number for number, label in enumerate(sorted(self.blocks))}
        entry = getattr(self.callee_ir, "_shape", None)
        self.entry = labels[entry.entry_label if entry else min(labels)]
        self.behind = first + len(labels)
        for block in self.blocks.values():
            for inst in block.body:
                if isinstance(inst, (Jump, ExceptionEdge)):
                    inst.target = labels[inst.target]
                elif isinstance(inst, Branch):
                    inst.truebr, inst.falsebr = labels[inst.truebr], labels[inst.falsebr]
        self.blocks = {labels[label]: block for label, block in sorted(self.blocks.items())}

    def rename(self, bound):
        """Gives the callee's variables names that the function does not have, and parameters their values."""
        scope = self.block.scope
        self.bound = bound
        prefix = prefix_of(self.callee_ir)
        for block in self.blocks.values():
            for inst in block.body:
                for var in ([inst.target] if isinstance(inst, Assign) else []) + inst.list_vars():
                    if var.name not in self.variables:
                        self.variables[var.name] = scope.define(with_prefix(prefix, var.name), var.loc)
        self.name_as_written()
        bridge.rename(self.blocks, self.variables, scope)

    def name_as_written(self):
        """Tells the compiler what the source calls the new variables."""
        outer, inner = getattr(self.func_ir, "_shape", None), getattr(self.callee_ir, "_shape", None)
        if outer is not None:
            for name, var in self.variables.items():
                written = inner.sources.get(name) if inner else None
                if written is not None:
                    outer.sources[var.name] = written

    def connect(self):
        """Splits the block at the call, and puts the callee's blocks between."""
        before, behind = self.block.body[:self.index], self.block.body[self.index + 1:]
        edge = next((inst for inst in before if isinstance(inst, ExceptionEdge)), None)
        rest = Block(self.block.scope, self.loc)
        rest.body = ([ExceptionEdge(edge.target, edge.loc)] if edge else []) + behind
        definitions = self.func_ir._definitions
        known = definitions.get(self.inst.target.name, [])
        known[:] = [value for value in known if value is not self.inst.value]
        for block in self.blocks.values():
            block.body = [made for inst in block.body for made in self.statement(inst)]
            if edge and not any(isinstance(inst, ExceptionEdge) for inst in block.body):
                block.body.insert(_behind_exception(block), ExceptionEdge(edge.target, edge.loc))
            for inst in block.find_insts(Assign):
                definitions.setdefault(inst.target.name, []).append(inst.value)
        self.block.body = [*before, Jump(self.entry, self.loc)]
        self.func_ir.blocks.update(self.blocks)
        self.func_ir.blocks[self.behind] = rest

    def statement(self, inst):
        """What a statement of the callee is in the function around it."""
        if isinstance(inst, Return):
            return [Assign(inst.value, self.inst.target, self.loc), Jump(self.behind, self.loc)]
        if isinstance(inst, Assign):
            value = inst.value
            if isinstance(value, Arg):
                return self.argument(inst, self.bound[self.callee_ir.arg_names[value.index]])
            if isinstance(value, Expr) and value.op == "cast" and "declared" not in value._kws:
                return [Assign(value.value, inst.target, inst.loc)]
        return [inst]

    def argument(self, inst, value):
        """A parameter gets what is passed for it."""
        if isinstance(value, tuple):
            value = Expr.build_tuple(list(value), self.loc)
        return [Assign(value, inst.target, inst.loc)]

    def note_types(self, types, typemap, calltypes):
        """Types of the new variables, and signatures of the operations."""
        found = {self.variables[name].name: ty for name, ty in types.items() if name in self.variables}
        add = getattr(typemap, "add_inferred", typemap.update)
        add(found)
        if calltypes is not None:
            calltypes.pop(self.inst.value, None)
            calltypes.update(call_types(self.callee_ir.derive(self.blocks), typemap))


_numbers = itertools.count(1)


def prefix_of(func_ir):
    """What stands before the names of variables of an inlined function: which one, and which time."""
    return f"{re.sub('[^A-Za-z0-9_]', '_', func_ir.func_id.func_qualname)}_v{next(_numbers)}."


def with_prefix(prefix, name):
    """The name of a variable of an inlined function in the function around it: `f_v1.x`, `$f_v1.12`."""
    return f"${prefix}{name[1:]}" if name.startswith("$") else prefix + name


def _behind_exception(block):
    """The index after the statement that catches an exception."""
    first = block.body[0]
    return int(isinstance(first, Assign) and isinstance(first.value, Expr) and first.value.op == "exception")


class InlineClosureCallPass:
    """Inlines calls of functions that are made inside of the function and share no variables with it. The others, and those
    that are values, are the compiler's own matter."""

    def __init__(self, func_ir, parallel_options, swapped=None, typed=False):
        self.func_ir, self.parallel_options, self.swapped, self.typed = func_ir, parallel_options, swapped or {}, typed

    def run(self):
        """Inlines them. Whether there were some."""
        return inline_closures(self.func_ir)


def inline_closures(func_ir):
    """Inlines calls of functions that are made inside of the function and share no variables with it, have no defaults, and are no
    generators. Whether there were some."""
    glbls = func_ir.func_id.func.__globals__

    def find(inst):
        code = _made_here(func_ir, inst)
        return code and (code, code, glbls)

    return _inline_calls(func_ir, find)


def _inline_calls(func_ir, find):
    """Inlines the calls of which `find(statement)` says what is called, by what it is known again, and its global names. Whether
    there were some."""
    def attempt(block, index, around):
        callee, known, glbls = find(block.body[index]) or (None, None, None)
        if callee is None or known in around:
            return None
        try:
            made, _ = inline_closure_call(func_ir, glbls, block, index, callee)
        except UnsupportedError:
            return None
        return made, known

    return inline_everywhere(func_ir, (func_ir.func_id.func,), attempt)


def inline_everywhere(func_ir, own, attempt):
    """Offers each statement to `attempt(block, index, around)`, also those that come in: it gives the blocks that came in and by
    what the callee is known again, or None. `around` says within which callees the statement stands, `own` what is so from
    the beginning. Whether something came in."""
    changed = False
    work = [(block, own) for block in func_ir.blocks.values()]
    while work:
        block, around = work.pop()
        for index in range(len(block.body)):
            done = attempt(block, index, around)
            if done is None:
                continue
            made, known = done
            changed = True
            work.extend((inner, (*around, known)) for inner in made.values())
            work.append((func_ir.blocks[max(func_ir.blocks)], around))
            break
    if changed:
        func_ir.blocks = simplify_CFG(func_ir.blocks)
        func_ir.definitions_anew()
    return changed


def _made_here(func_ir, inst):
    """The code of the function that a statement calls, if it is made in the function; or None."""
    if not (isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "call"):
        return None
    made = guard(get_definition, func_ir, inst.value.func)
    if not (isinstance(made, Expr) and made.op == "python" and made.attrs == ("make_function", 0)):
        return None
    code = getattr(guard(get_definition, func_ir, made.values[0]), "value", None)
    is_plain = isinstance(code, CodeType) and not code.co_freevars and not code.co_flags & inspect.CO_GENERATOR
    return code if is_plain else None


def inline_inlinables(func_ir, decide):
    """Inlines calls of compiled functions for which `decide(expr, dispatcher)` says so. Whether there were some."""
    def find(inst):
        callee = _called(func_ir, inst)
        if callee is not None and decide(inst.value, callee):
            return callee, callee.py_func, callee.py_func.__globals__

    return _inline_calls(func_ir, find)


def _called(func_ir, inst):
    """The compiled function that a statement calls, or None."""
    if not (isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "call"):
        return None
    callee = guard(find_outer_value, func_ir, inst.value.func)
    callee = getattr(callee, "_rumba_jitable", callee)
    return callee if isinstance(callee, Dispatcher) else None
