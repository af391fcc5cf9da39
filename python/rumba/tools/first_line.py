"""The first line of a function's body: `get_func_body_first_lineno` of Numba's `numba.misc.firstlinefinder`."""
import ast
import inspect
import textwrap


def get_func_body_first_lineno(function):
    """The line of the first statement of a function behind its docstring; None where the source is not at hand.

    >>> from rumba.tools import first_line
    >>> body = first_line.get_func_body_first_lineno(first_line.get_func_body_first_lineno)
    >>> body > first_line.get_func_body_first_lineno.__code__.co_firstlineno
    True
    """
    function = getattr(function, "py_func", function)
    code = function.__code__
    try:
        with open(code.co_filename, encoding="utf-8") as file:
            found = _definition(file.read(), 0, code)
    except OSError:
        try:
            lines, first = inspect.getsourcelines(function)
        except OSError:
            return None
        found = _definition(textwrap.dedent("".join(lines)), max(first - 1, 0), code)
    if found is None:
        return None
    node, before = found
    body = node.body
    if len(body) > 1 and ast.get_docstring(node, clean=False) is not None:
        body = body[1:]
    return body[0].lineno + before


def _definition(source, before, code):
    """The definition of a function in a source text that follows `before` lines, and `before`."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if code.co_firstlineno in (first + before, node.lineno + before):
                return node, before
    return None
