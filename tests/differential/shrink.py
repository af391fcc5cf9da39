"""Makes a failing program small: drops statements, parts, operands and functions while it fails the same way."""
from .program import Expr, Function, Program, Stmt


def shrink(program, still_fails, limit=600):
    """A smaller program that `still_fails`; tries at most `limit` programs."""
    tries = 0
    changed = True
    while changed and tries < limit:
        changed = False
        for candidate in _candidates(program):
            tries += 1
            if tries >= limit:
                break
            if still_fails(candidate):
                program, changed = candidate, True
                break
    return program


def _candidates(program):
    for index in range(1, len(program.functions)):
        functions = program.functions[:index] + program.functions[index + 1:]
        yield Program(functions, program.inputs)
    for index, function in enumerate(program.functions):
        for body in _smaller_blocks(function.body):
            functions = list(program.functions)
            functions[index] = Function(function.name, function.params, function.result, body, function.header)
            yield Program(functions, program.inputs)


def _smaller_blocks(block):
    """The block with something left out, the largest pieces first."""
    size = len(block)
    step = size
    while step > 1:
        step //= 2
        for start in range(0, size, step):
            yield block[:start] + block[start + step:]
    for index, stmt in enumerate(block):
        for replaced in _smaller_stmts(stmt):
            yield block[:index] + replaced + block[index + 1:]


def _smaller_stmts(stmt):
    """Lists of statements that may stand for one."""
    for _, inner in stmt.parts:
        if inner:
            yield inner
    for index in range(1, len(stmt.parts)):
        yield [_with(stmt, parts=stmt.parts[:index] + stmt.parts[index + 1:])]
    for index, (header, inner) in enumerate(stmt.parts):
        if inner is not None:
            for smaller in _smaller_blocks(inner):
                parts = list(stmt.parts)
                parts[index] = (header, smaller)
                yield [_with(stmt, parts=parts)]
    if stmt.kind != "augmented":
        for index, expr in enumerate(stmt.exprs):
            for smaller in _smaller_exprs(expr):
                exprs = list(stmt.exprs)
                exprs[index] = smaller
                yield [_with(stmt, exprs=exprs)]


def _with(stmt, parts=None, exprs=None):
    return Stmt(stmt.kind, parts or stmt.parts, exprs or stmt.exprs, stmt.emulated)


def _smaller_exprs(expr):
    """An operand of the same type in the operator's place, or a smaller operand."""
    if not expr.args:
        return
    simple = {"int": ("1", "0"), "float": ("1.0", "0.0"), "bool": ("True", "False")}
    for arg in expr.args:
        if arg.kind == expr.kind and not arg.constant:
            yield arg
    for text in simple.get(expr.kind, ()):
        yield Expr(expr.kind, text, constant=True)
    for index, arg in enumerate(expr.args):
        for smaller in _smaller_exprs(arg):
            args = list(expr.args)
            args[index] = smaller
            if not all(each.constant for each in args):
                yield Expr(expr.kind, expr.python, expr.emulated, args, expr.row, expr.constant)
