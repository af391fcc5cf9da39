"""Converts statements to operations of the compiler over variables, from which it constructs SSA.

Absent: names that a rewrite gave, and how the compiler looks them up (`_Names`); types (`typed`).
"""
import builtins
import operator

from ..errors import LoweringError
from ..numba_ir import (
    UNDEFINED, Arg, Assign, Branch, Const, Del, DelItem, DynamicRaise, ExceptionEdge, Expr, FreeVar, Global, Jump,
    PopBlock, Print, Raise, Reraise, Return, SetAttr, SetItem, StaticRaise, StaticSetItem, StoreMap, Unreachable,
    Var)
from ..numba_ir.expr import BINARY, COMPARE, INPLACE, UNARY
from ..numba_ir.nodes import vars_in
from ..numba_ir.utils import find_outer_value, guard
from . import ir_ops
from .from_ssa import Helper, HelperTruth

_BINARY = {function: ("binary", text) for text, function in BINARY.items()}
_BINARY.update({function: ("compare", text) for text, function in COMPARE.items()})
_INPLACE = {function: text for text, function in INPLACE.items()}
_UNARY = {function: text for text, function in UNARY.items()}
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
# What `Part.kind` says.
_WHOLE, _HEAD, _EDGE = 0, 1, 2
# A text that the operator has as a sign, in expressions of arrays.
_OF_SIGNS = {**{text: function for text, function in BINARY.items()}, **{
    text: function for text, function in COMPARE.items()}}


def emit(state):
    """The function as (parameters, variables, blocks)."""
    return _Emitter(state).emit()


def is_plain(value):
    """Whether the compiler has constants of this value."""
    if type(value) in (tuple, frozenset):
        return all(map(is_plain, value))
    return type(value) in _PLAIN


class _Emitter:
    def __init__(self, state):
        self.state, self.func_ir = state, state.func_ir
        self.shape = self.func_ir._shape
        self.numbers, self.names, self.blocks, self.nodes = {}, [], [], {}
        # Variables that are the outcome of `x is None`, or of its negation: where it is, and whether it is negated.
        self.none_tests = {}
        self.defined, self.used = self.survey()

    def survey(self):
        """What each variable is assigned, and the variables that are read as what they are."""
        defined, used = {}, set()
        for block in self.func_ir.blocks.values():
            for inst in block.body:
                if isinstance(inst, Assign):
                    defined.setdefault(inst.target.name, []).append(inst.value)
        for block in self.func_ir.blocks.values():
            for inst in block.body:
                used.update(self.read_by(inst, defined))
        return defined, used

    def read_by(self, inst, defined):
        """Names of the variables that a statement reads, but for those that stand for a part of an operation."""
        if isinstance(inst, Del) or isinstance(inst, Branch) and self.is_none_test(inst.cond, defined):
            return []
        value = inst.value if isinstance(inst, Assign) else inst
        found = [var.name for var in vars_in(value)]
        if isinstance(value, Expr):
            hidden = None
            if value.op == "call" and isinstance(self.only(value.func, defined), HelperTruth):
                return []
            if value.op == "call" and self.helper_call(value, defined) is not None:
                hidden = value.func
            elif value.op == "binop" and self.is_none(value, defined):
                hidden = value.rhs
            elif value.op in ("pair_first", "pair_second", "static_getitem") and self.several(value.value, defined):
                hidden = value.value
            if hidden is not None:
                found = [name for name in found if name != hidden.name]
            if value.op == "static_getitem" and value.index_var is None:
                found = [name for name in found if name != "None"]
        return found

    @staticmethod
    def only(var, defined):
        found = defined.get(var.name, ())
        return found[0] if len(found) == 1 else None

    def helper_call(self, expr, defined=None):
        """The operation that a call of `bool` or `slice` stands for."""
        known = self.only(expr.func, self.defined if defined is None else defined)
        if not isinstance(known, Helper) or expr.kws or expr.vararg:
            return None
        if known.value is bool and len(expr.args) == 1:
            return "unary", ("bool",)
        return ("build_slice", ()) if known.value is slice and len(expr.args) >= 2 else None

    def is_none(self, expr, defined=None):
        """Whether an operation is `x is None` or `x is not None`, as a branch asks it."""
        known = self.only(expr.rhs, self.defined if defined is None else defined)
        return expr.fn in (operator.is_, operator.is_not) and isinstance(known, Helper)

    def is_none_test(self, var, defined):
        """Whether a condition is `bool(x is None)` as a branch asks it: it depends on the test itself."""
        known = self.only(var, defined)
        return (isinstance(known, Expr) and known.op == "call" and isinstance(self.only(known.func, defined), HelperTruth)
                and len(known.args) == 1 and self._is_none_test(self.only(known.args[0], defined), defined))

    def _is_none_test(self, known, defined):
        return isinstance(known, Expr) and known.op == "binop" and self.is_none(known, defined)

    def several(self, var, defined=None):
        """The number of results of the operation that a variable stands for, if it has several."""
        known = self.only(var, self.defined if defined is None else defined)
        if not isinstance(known, Expr):
            return None
        if known.op == "iternext":
            return 2
        if known.op == "exhaust_iter":
            return known.count
        results = known._kws.get("results")
        return results if results not in (None, 1) else None

    # ---- blocks ----

    def emit(self):
        blocks = self.func_ir.blocks
        if not blocks:
            raise LoweringError("a function without blocks", loc=self.func_ir.loc)
        entry = self.shape.entry_label if self.shape.entry_label in blocks else min(blocks)
        order = [entry, *(label for label in blocks if label != entry)]
        targets = {target for block in blocks.values() for target in block.terminator.get_targets()}
        split = self.shape.has_entry or entry in targets
        self.parts = {label: self.divide(blocks[label]) for label in order}
        number = int(split)
        for label in order:
            self.nodes[label] = number
            number += len(self.parts[label])
        if split:
            self.entry_block(entry)
        for label in order:
            self.block(label)
        return list(self.func_ir.arg_names), self.names, self.blocks

    def divide(self, block):
        """A block that exceptions leave begins where the copies for the handler are done."""
        parts = [[]]
        for inst in block.body:
            if isinstance(inst, ExceptionEdge):
                parts.append([])
            parts[-1].append(inst)
        return parts

    def entry_block(self, label):
        """What the compiler's entry block makes."""
        writer = _Writer(self)
        first = self.parts[label][0]
        count = 0
        for inst in first:
            ours = isinstance(inst, Assign) and (
                isinstance(inst.value, Arg) or inst.target.name in self.shape.entry_names)
            if not ours and not isinstance(inst, Del):
                break
            writer.statement(inst)
            count += 1
        self.parts[label][0] = first[count:]
        writer.step("jump", (), (), (), None, [self.nodes[label]])
        self.blocks.append((label, _WHOLE, [], None, None, writer.steps))

    def block(self, label):
        parts = self.parts[label]
        joins = [self.number(name) for name in self.shape.joins.get(label, ())]
        for index, insts in enumerate(parts):
            writer = _Writer(self)
            exception = handler = None
            if index:
                handler = self.nodes[insts[0].target]
            for inst in insts:
                if isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "exception":
                    exception = self.number(inst.target.name)
                else:
                    writer.statement(inst)
            if index + 1 < len(parts):
                writer.step("jump", (), (), (), None, [self.nodes[label] + index + 1])
            kind = _HEAD if index + 1 < len(parts) else _EDGE if label in self.shape.between else _WHOLE
            offset = self.shape.offsets.get(label, label)
            self.blocks.append((offset, kind, joins if index == 0 else [], handler, exception, writer.steps))

    # ---- variables ----

    def number(self, name):
        if name not in self.numbers:
            self.numbers[name] = len(self.names)
            self.names.append((name, self.source(name)))
        return self.numbers[name]

    def source(self, name):
        if name.startswith("$"):
            return self.shape.sources.get(name)
        head, _, version = name.rpartition(".")
        known = self.shape.sources.get(name)
        return known or ((head, int(version)) if head and version.isdigit() else (name, 0))

    def part(self, name, index):
        """A result of an operation that has several, by the variable that stands for all."""
        return f"${name}#{index}"


class _Writer:
    """Operations of one block."""

    def __init__(self, emitter):
        self.emitter, self.state, self.steps, self.temporaries = emitter, emitter.state, [], 0

    def step(self, op, attrs, args, results, loc, targets=()):
        """Appends an operation; operands and results are names of variables."""
        number = self.emitter.number
        span = getattr(loc, "span", None)
        if span is None and loc is not None and loc.line:
            span = (loc.line, loc.line, 2**32 - 1, 2**32 - 1)
        self.steps.append((
            op, tuple(attrs), [number(arg) for arg in args], [number(result) for result in results], list(targets), span))

    def fresh(self):
        self.temporaries += 1
        return f"$new{len(self.emitter.blocks)}.{self.temporaries}"

    def statement(self, inst):
        for cls in type(inst).__mro__:
            method = _STATEMENTS.get(cls)
            if method is not None:
                return method(self, inst)
        raise LoweringError(f"`{inst}` cannot be compiled", loc=inst.loc)

    def nothing(self, inst):
        """A statement that only people read."""

    # ---- statements ----

    def assign(self, inst):
        value, target, loc = inst.value, inst.target.name, inst.loc
        place = getattr(value, "loc", None) or loc
        declared = self.state.declared(inst.target)
        if isinstance(value, Var):
            op, attrs = (None, ()) if declared is None else ("declared", (target, declared))
            return self.step(op, attrs, [value.name], [target], loc)
        wanted = target
        if declared is not None:
            target = self.fresh()
        if isinstance(value, Arg):
            self.step("arg", (value.index, value.name), (), [target], place)
        elif isinstance(value, Helper) and wanted not in self.emitter.used:
            return
        elif isinstance(value, Const):
            self.constant(value.value, target, place)
        elif isinstance(value, (Global, FreeVar)):
            self.outside(value, target, place)
        elif isinstance(value, Expr):
            self.expr(value, target, place)
        else:
            raise LoweringError(f"`{inst}` cannot be compiled", loc=loc)
        if declared is not None:
            self.step("declared", (wanted, declared), [target], [wanted], loc)

    def constant(self, value, target, loc):
        if is_plain(value) or isinstance(value, type(_code)):
            self.step("const", (value,), (), [target], loc)
        else:
            self.step("global", (self.state.globals.name("const", value),), (), [target], loc)

    def outside(self, value, target, loc):
        if isinstance(value, FreeVar) and self.state.globals.is_free(value):
            return self.step("freevar", (value.index, value.name), (), [target], loc)
        if isinstance(value, Global) and self.state.globals.is_own(value.name, value.value):
            return self.step("global", (value.name,), (), [target], loc)
        self.step("global", (self.state.globals.name(value.name, value.value),), (), [target], loc)

    def given(self, value, loc):
        """The variable of an operand; a constant gets one."""
        if isinstance(value, Var):
            return value.name
        name = self.fresh()
        if isinstance(value, Expr):
            self.expr(value, name, loc)
        elif isinstance(value, (Global, FreeVar)):
            self.outside(value, name, loc)
        else:
            self.constant(value.value if isinstance(value, Const) else value, name, loc)
        return name

    def set_item(self, inst):
        self.step("setitem", (), [inst.target.name, inst.index.name, inst.value.name], (), inst.loc)

    def static_set_item(self, inst):
        index = self.index(inst.index_var, inst.index, inst.loc)
        self.step("setitem", (), [inst.target.name, index, inst.value.name], (), inst.loc)

    def del_item(self, inst):
        self.step("delitem", (), [inst.target.name, inst.index.name], (), inst.loc)

    def set_attr(self, inst):
        self.step("setattr", (inst.attr,), [inst.target.name, inst.value.name], (), inst.loc)

    def store_map(self, inst):
        self.step("map_add", (), [inst.dct.name, inst.key.name, inst.value.name], (), inst.loc)

    def print(self, inst):
        func, result = self.fresh(), self.fresh()
        self.outside(Global("print", print, inst.loc), func, inst.loc)
        args = [self.given(inst.consts.get(index, arg), inst.loc) for index, arg in enumerate(inst.args)]
        if inst.vararg is None:
            return self.step("call", ((),), [func, *args], [result], inst.loc)
        self.step("call_ex", (), [func, inst.vararg.name], [result], inst.loc)

    def jump(self, inst):
        self.step("jump", (), (), (), inst.loc, [self.emitter.nodes[inst.target]])

    def branch(self, inst):
        targets = [self.emitter.nodes[inst.truebr], self.emitter.nodes[inst.falsebr]]
        cond, is_negated = self.emitter.none_tests.get(inst.cond.name, (inst.cond.name, False))
        self.step("branch", (), [cond], (), inst.loc, targets[::-1] if is_negated else targets)

    def leave(self, inst):
        name = inst.value.name
        found = self.emitter.defined.get(name, ())
        if not (found and all(isinstance(v, Expr) and v.op == "cast" and "declared" not in v._kws for v in found)):
            cast = self.fresh()
            self.step("cast", (), [name], [cast], inst.loc)
            name = cast
        self.step("return", (), [name], (), inst.loc)

    def throw(self, inst):
        values = [] if inst.exception is None else [inst.exception.name]
        values += [] if inst.cause is None else [inst.cause.name]
        self.step("raise", (), values, (), inst.loc)

    def static_raise(self, inst):
        known = getattr(inst, "_exception", None)
        if known is not None and known.name in self.emitter.defined:
            return self.step("raise", (), [known.name], (), inst.loc)
        if inst.exc_class is None:
            return self.step("raise", (), (), (), inst.loc)
        made = self.fresh()
        self.outside(Global(inst.exc_class.__name__, inst.exc_class, inst.loc), made, inst.loc)
        if inst.exc_args is not None:
            args = [self.given(arg, inst.loc) for arg in inst.exc_args]
            call = self.fresh()
            self.step("call", ((),), [made, *args], [call], inst.loc)
            made = call
        self.step("raise", (), [made], (), inst.loc)

    def reraise(self, inst):
        self.step("reraise", (), [value.name for value in inst.values], (), inst.loc)

    def unreachable(self, inst):
        self.step("unreachable", (), (), (), inst.loc)

    # ---- operations ----

    def expr(self, expr, target, loc):
        method = _OPS.get(expr.op)
        if method is not None and not ir_ops.is_overridden(self.state.targetctx, expr.op):
            return method(self, expr, target, loc)
        if "attrs" in expr._kws and "results" in expr._kws:
            return self.own(expr, target, loc)
        func = self.fresh()
        operands = [var.name for var in vars_in(expr._kws)]
        result = (getattr(self.state, "typemap", None) or {}).get(target)
        callee = ir_ops.callee(self.state.targetctx, expr, operands, result)
        self.step("global", (self.state.globals.name(expr.op, callee),), (), [func], loc)
        self.step("call", ((),), [func, *operands], [target], loc)

    def own(self, expr, target, loc):
        """An operation of the compiler's own."""
        count = expr.results
        results = [target] if count == 1 else [self.emitter.part(target, index) for index in range(count)]
        self.step(expr.op, expr.attrs, [value.name for value in expr.values], results, loc)

    def binop(self, expr, target, loc):
        if self.emitter.is_none(expr):
            return self.none_test(expr, target, loc)
        fn = _OF_SIGNS.get(expr.fn, expr.fn)
        if fn not in _BINARY:
            raise LoweringError(f"{fn!r} is no operator of two operands", loc=loc)
        op, text = _BINARY[fn]
        operands = [self.given(expr.lhs, loc), self.given(expr.rhs, loc)]
        if fn is operator.contains:
            operands.reverse()
        self.step(op, (text,), operands, [target], loc)

    def none_test(self, expr, target, loc):
        """`x is None`, on which the branch depends whatever is made of it in between."""
        is_negated = expr.fn is operator.is_not
        is_none = self.fresh() if is_negated else target
        self.step("is_none", (), [expr.lhs.name], [is_none], loc)
        if is_negated and target in self.emitter.used:
            self.step("unary", ("not",), [is_none], [target], loc)
        self.emitter.none_tests[target] = is_none, is_negated

    def truth(self, test, target, loc):
        """`bool(x is None)`, which only the branch reads as a rule."""
        is_none, is_negated = self.emitter.none_tests[target] = self.emitter.none_tests[test]
        if target in self.emitter.used:
            self.step("unary", ("not" if is_negated else "bool",), [is_none], [target], loc)

    def inplace(self, expr, target, loc):
        self.step("inplace", (_INPLACE[expr.fn],), [expr.lhs.name, expr.rhs.name], [target], loc)

    def unary(self, expr, target, loc):
        if expr.fn not in _UNARY:
            raise LoweringError(f"{expr.fn!r} is no operator of one operand", loc=loc)
        self.step("unary", (_UNARY[expr.fn],), [self.given(expr.value, loc)], [target], loc)

    def call(self, expr, target, loc):
        helper = self.emitter.helper_call(expr)
        args = [self.given(arg, loc) for arg in expr.args]
        if helper is not None:
            if isinstance(self.emitter.only(expr.func, self.emitter.defined), HelperTruth) and args[0] in self.emitter.none_tests:
                return self.truth(args[0], target, loc)
            return self.step(*helper, args, [target], loc)
        kws = list(dict(expr.kws).items())
        func = self.given(expr.func, loc) if getattr(expr, "target", None) in (None, "cpu") else self.elsewhere(expr, loc)
        if expr.vararg is None and not getattr(expr, "varkwarg", None):
            names = tuple(name for name, _ in kws)
            values = [self.given(value, loc) for _, value in kws]
            return self.step("call", (names,), [func, *args, *values], [target], loc)
        vararg = expr.vararg.name if expr.vararg is not None else self.tuple_of((), loc)
        if args:
            vararg = self.joined(self.tuple_of(args, loc), vararg, loc)
        operands = [func, vararg]
        if getattr(expr, "varkwarg", None):
            operands.append(expr.varkwarg.name)
        self.step("call_ex", (), operands, [target], loc)

    def elsewhere(self, expr, loc):
        """The function of a call that a pass has given another target."""
        from ..compat.target_dispatchers import on_target

        function = guard(find_outer_value, self.state.func_ir, expr.func)
        if function is None:
            raise LoweringError(f"a call for the target {expr.target!r} is of a function that is known by its name", loc=loc)
        func = self.fresh()
        count = len(expr.args) + len(dict(expr.kws))
        name = self.state.globals.name(getattr(function, "__name__", "call"), on_target(expr.target, function, count))
        self.step("global", (name,), (), [func], loc)
        return func

    def tuple_of(self, names, loc):
        made = self.fresh()
        self.step("build_tuple", (), names, [made], loc)
        return made

    def joined(self, one, other, loc):
        made = self.fresh()
        self.step("binary", ("+",), [one, other], [made], loc)
        return made

    def getattr(self, expr, target, loc):
        self.step("getattr", (expr.attr,), [self.given(expr.value, loc)], [target], loc)

    def getitem(self, expr, target, loc):
        self.step("getitem", (), [expr.value.name, self.given(expr.index, loc)], [target], loc)

    def index(self, var, value, loc):
        """The variable of a known index."""
        if var is not None:
            return var.name
        if not isinstance(value, slice):
            return self.given(Const(value, loc), loc)
        parts = [self.given(Const(part, loc), loc) for part in (value.start, value.stop, value.step)]
        made = self.fresh()
        self.step("build_slice", (), parts, [made], loc)
        return made

    def static_getitem(self, expr, target, loc):
        count = self.emitter.several(expr.value)
        if count is not None and isinstance(expr.index, int) and 0 <= expr.index < count and expr.index_var is None:
            return self.take(expr.value.name, expr.index, target, loc)
        index = self.index(expr.index_var, expr.index, loc)
        self.step("getitem", (), [expr.value.name, index], [target], loc)

    def take(self, whole, index, target, loc):
        """A result of an operation that has several: the variable gives it its name if nothing else has yet."""
        part = self.emitter.part(whole, index)
        number = self.emitter.number(part)
        made = next((place for place, step in enumerate(self.steps) if number in step[3]), None)
        named = self.emitter.number(target)
        if made is not None and not any(
                number in step[2] or named in step[2] or named in step[3] for step in self.steps[made:]):
            op, attrs, args, results, targets, span = self.steps[made]
            results[results.index(number)] = named
            # A copy keeps the result for others.
            self.steps.append((None, (), [named], [number], [], span))
            return
        self.step(None, (), [part], [target], loc)

    def iternext(self, expr, target, loc):
        results = [self.emitter.part(target, index) for index in range(2)]
        self.step("iternext", (), [expr.value.name], results, loc)

    def exhaust_iter(self, expr, target, loc):
        results = [self.emitter.part(target, index) for index in range(expr.count)]
        self.step("unpack", (), [expr.value.name], results, loc)
        if target in self.emitter.used:
            self.step("build_tuple", (), results, [target], loc)

    def pair_first(self, expr, target, loc):
        self.take(expr.value.name, 0, target, loc)

    def pair_second(self, expr, target, loc):
        self.take(expr.value.name, 1, target, loc)

    def build_map(self, expr, target, loc):
        items = [self.given(item, loc) for pair in expr.items for item in pair]
        self.step("build_map", (), items, [target], loc)

    def cast(self, expr, target, loc):
        declared = expr._kws.get("declared")
        if declared is not None:
            return self.step("declared", declared, [expr.value.name], [target], loc)
        if target not in self.emitter.used:
            # It would be converted to the type of a result that the function may not have any more.
            return
        self.step("cast", (), [expr.value.name], [target], loc)

    def make_function(self, expr, target, loc):
        values = expr._kws.get("values", [])
        self.step("make_function", (expr.code, expr._kws.get("flags", 0)), [v.name for v in values], [target], loc)

    def undef(self, expr, target, loc):
        self.step("undef", (), (), [target], loc)

    def array_expr(self, expr, target, loc):
        """An expression of arrays is its operations again: the compiler makes one loop of them."""
        self.tree(expr.expr, target, loc)

    def tree(self, tree, target, loc):
        fn, operands = tree
        names = []
        for operand in operands:
            if isinstance(operand, tuple):
                name = self.fresh()
                self.tree(operand, name, loc)
            else:
                name = self.given(operand, loc)
            names.append(name)
        fn = _OF_SIGNS.get(fn, fn)
        if len(names) == 2 and fn in _BINARY:
            op, text = _BINARY[fn]
            return self.step(op, (text,), names, [target], loc)
        if len(names) == 1 and fn in _UNARY:
            return self.step("unary", (_UNARY[fn],), names, [target], loc)
        func = self.fresh()
        self.step("global", (self.state.globals.name("ufunc", fn),), (), [func], loc)
        self.step("call", ((),), [func, *names], [target], loc)


def _of_items(op):
    return lambda writer, expr, target, loc: writer.step(
        op, (), [writer.given(item, loc) for item in expr.items], [target], loc)


_code = is_plain.__code__

_OPS = {
    "binop": _Writer.binop,
    "inplace_binop": _Writer.inplace,
    "unary": _Writer.unary,
    "call": _Writer.call,
    "getattr": _Writer.getattr,
    "getitem": _Writer.getitem,
    "typed_getitem": _Writer.getitem,
    "static_getitem": _Writer.static_getitem,
    "build_tuple": _of_items("build_tuple"),
    "build_list": _of_items("build_list"),
    "build_set": _of_items("build_set"),
    "build_map": _Writer.build_map,
    "getiter": lambda writer, expr, target, loc: writer.step("getiter", (), [expr.value.name], [target], loc),
    "iternext": _Writer.iternext,
    "pair_first": _Writer.pair_first,
    "pair_second": _Writer.pair_second,
    "exhaust_iter": _Writer.exhaust_iter,
    "cast": _Writer.cast,
    "make_function": _Writer.make_function,
    "undef": _Writer.undef,
    "null": _Writer.undef,
    "arrayexpr": _Writer.array_expr,
}

_STATEMENTS = {
    Assign: _Writer.assign,
    Del: _Writer.nothing,
    PopBlock: _Writer.nothing,
    ExceptionEdge: _Writer.nothing,
    SetItem: _Writer.set_item,
    StaticSetItem: _Writer.static_set_item,
    DelItem: _Writer.del_item,
    SetAttr: _Writer.set_attr,
    StoreMap: _Writer.store_map,
    Print: _Writer.print,
    Jump: _Writer.jump,
    Branch: _Writer.branch,
    Return: _Writer.leave,
    Raise: _Writer.throw,
    StaticRaise: _Writer.static_raise,
    DynamicRaise: _Writer.static_raise,
    Reraise: _Writer.reraise,
    Unreachable: _Writer.unreachable,
}


class Names:
    """Values that a rewrite puts into a function, under names that no function has."""

    def __init__(self, function, values):
        self.function, self.values = function, values

    def is_own(self, name, value):
        """Whether a global or built-in name of the function holds this value."""
        namespace = self.function.__globals__
        known = namespace[name] if name in namespace else getattr(builtins, name, UNDEFINED)
        return known is value

    def is_free(self, node):
        """Whether a variable of the functions around holds this value."""
        try:
            known = self.function.__closure__[node.index].cell_contents
        except (ValueError, IndexError, TypeError):
            known = UNDEFINED
        return known is node.value

    def name(self, name, value):
        """The name of a value."""
        for known, held in self.values.items():
            if held is value:
                return known
        fresh = f"${len(self.values)}.{name}"
        self.values[fresh] = value
        return fresh
