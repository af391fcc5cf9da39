"""Names and calls in a function that are invalid for all argument types: undefined globals, unsupported functions and
objects.

Each is tried: a function of the one expression, at the place where it stands in the file, is compiled, so the compiler itself
says what is wrong. Looked at is only what does not depend on the function's variables.
"""
import ast
import builtins

from .. import source_text
from ..errors import NumbaError

# What of a probe's errors holds whatever the arguments are; of calls, whether the function is known at all.
_ALWAYS = ("R0201", "R0202", "R0302")
_OF_THE_WHOLE = ("cache", "fallback", "locals", "pipeline_class")
_UNKNOWN = ": compiled code does not know it"


def errors_of(dispatcher, node):
    """The errors of a function's global names, in the order of the source; `node` is its definition."""
    probe = _Probe(dispatcher)
    walk = _Walk(probe, node)
    for statement in node.body:
        walk.visit(statement)
    return probe.errors


class _Probe:
    """Compiles expressions of a function."""

    def __init__(self, dispatcher):
        function = dispatcher.py_func
        cells = zip(function.__code__.co_freevars, function.__closure__ or ())
        self.space = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells if _is_filled(cell)}}
        self._function, self._options = function, dispatcher.targetoptions
        self.errors, self._seen = [], set()

    def constant(self, node):
        """(whether an expression of global names has a value, the value): names and attributes only."""
        try:
            if isinstance(node, ast.Constant):
                return True, node.value
            if isinstance(node, ast.Name):
                return (True, self.space[node.id]) if node.id in self.space else (True, getattr(builtins, node.id))
            if isinstance(node, ast.Attribute):
                known, owner = self.constant(node.value)
                return (True, getattr(owner, node.attr)) if known else (False, None)
        except AttributeError:
            pass
        return False, None

    def name(self, node):
        """Tries an expression by itself."""
        error = self._error(node, ())
        if error is not None and error.diagnostic.code in _ALWAYS:
            self._tell(node, error)

    def call(self, node):
        """Tries a call: some arguments after others, as long as the function is not known for them."""
        first = None
        for kinds in _ARGUMENTS:
            names = [f"_{number}" for number in range(len(node.args))]
            args = [ast.copy_location(ast.Name(name, ast.Load()), given) for name, given in zip(names, node.args)]
            called = ast.copy_location(ast.Call(node.func, args, []), node)
            error = self._error(called, names, kinds(len(names)))
            if error is None or error.diagnostic.code != "R0301" or not error.diagnostic.message.endswith(_UNKNOWN):
                if error is not None and error.diagnostic.code in _ALWAYS:
                    self._tell(node.func, error)
                return
            first = first or error
        self._tell(node.func, first)

    def _tell(self, node, error):
        place = ast.unparse(node), node.lineno, node.col_offset
        if place not in self._seen:
            self._seen.add(place)
            self.errors.append(error)

    def _error(self, expression, names, types=()):
        """The compiler's error for a function that evaluates an expression, or None."""
        from .. import _rumba

        code = self._function.__code__
        function = source_text.at_place(code.co_name, names, expression, code.co_filename, self.space)
        options = {name: value for name, value in self._options.items() if name not in _OF_THE_WHOLE}
        try:
            _rumba.session.dispatcher(function, options)._unit_compile(tuple(types))
        except NumbaError as error:
            return error if getattr(error, "diagnostic", None) is not None else None
        except Exception:  # what code of extensions raises is no answer
            return None
        return None


def _is_filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _numbers(count):
    from ..types import float64

    return [float64] * count


def _function_and_lists(count):
    """Arguments of functions that take a function and what it is called with: lists behind a function of a number."""
    from ..types import FunctionType, ListType, float64

    return [FunctionType(float64(float64)), *[ListType(float64)] * (count - 1)][:count]


_ARGUMENTS = (_numbers, _function_and_lists)


class _Walk(ast.NodeVisitor):
    """Goes through what a function would run, without what Python runs for it and branches that constants close."""

    def __init__(self, probe, node):
        self._probe = probe
        self._own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
                self._own.add(inner.id)
            elif isinstance(inner, ast.arg):
                self._own.add(inner.arg)
            elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and inner is not node:
                self._own.add(inner.name)
            elif isinstance(inner, ast.alias):
                self._own.add((inner.asname or inner.name).split(".")[0])
            elif isinstance(inner, ast.ExceptHandler) and inner.name:
                self._own.add(inner.name)
            elif isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
                self._own.add(inner.name)

    def _is_global(self, node):
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self._own

    def _is(self, node, kind):
        """Whether an expression is a class of a kind."""
        known, value = self._probe.constant(node) if self._is_global(node) else (False, None)
        return known and isinstance(value, type) and issubclass(value, kind)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and self._is_global(node) and not self._is(node, BaseException):
            known, value = self._probe.constant(node)
            # Functions of Python's own are no values; whether one is known shows where it is called.
            if not known or not hasattr(builtins, node.id) or getattr(builtins, node.id) is not value:
                self._probe.name(node)

    def visit_Attribute(self, node):
        if not self._is_global(node):
            self.generic_visit(node)
        elif not self._is(node, BaseException):
            self._probe.name(node)

    def visit_Call(self, node):
        if self._is_global(node.func):
            known, called = self._probe.constant(node.func)
            if known and called is isinstance and node.args:
                # The classes are asked of the type, they are no values.
                return self.visit(node.args[0])
            if not self._is(node.func, BaseException):
                is_plain = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
                (self._probe.call if is_plain else lambda node: self.visit(node.func))(node)
        else:
            self.visit(node.func)
        for one in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.visit(one)

    def visit_If(self, node):
        known, value = self._test(node.test)
        if not known:
            self.visit(node.test)
        for statement in node.body if not known or value else ():
            self.visit(statement)
        for statement in node.orelse if not known or not value else ():
            self.visit(statement)

    def _test(self, node):
        """(whether a condition is decided by constants, whether it holds)."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            known, value = self._test(node.operand)
            return known, not value
        if isinstance(node, ast.Constant) or self._is_global(node):
            known, value = self._probe.constant(node)
            # Other objects are no conditions of compiled code.
            return known and isinstance(value, (bool, int, type(None))), bool(value) if known and isinstance(value, (bool, int)) else False
        return False, None

    def visit_With(self, node):
        from ..numba import objmode

        for item in node.items:
            opener = item.context_expr
            known, value = self._probe.constant(opener.func if isinstance(opener, ast.Call) else opener)
            if known and value is objmode:
                # Python runs the block.
                return
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node):
        for one in (*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None), *node.body):
            self.visit(one)

    def visit_ExceptHandler(self, node):
        for statement in node.body:
            self.visit(statement)
