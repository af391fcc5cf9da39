"""Functions to Normalized IR and back: the source of a function, and a function of CPython's for an edited tree."""
import __future__
import ast
import functools
import inspect
import operator
import textwrap
import types

from .. import source_text
from . import nodes
from .from_ast import from_ast
from .to_ast import to_ast
from .validate import validate


def of_function(function):
    """The Normalized definition of a function: one `FunctionDef`, with the positions of its file.

    Decorators are left out: they were applied.

    Raises
    ------
    OSError
        If the source cannot be found, as with functions that were made by `exec`.
    TypeError
        For what is no function of Python, and for a lambda, whose source has no statement of its own.
    """
    function = getattr(function, "py_func", function)
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"a Python function has a normalized form, not {type(function).__name__}")
    if function.__name__ == "<lambda>":
        raise TypeError("a lambda has no normalized form of its own: write it as a function")
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    cut = len(lines[0]) - len(lines[0].lstrip())
    ast.increment_lineno(tree, first - 1)
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += cut
            node.end_col_offset += cut
    (definition,) = from_ast(tree)
    definition.decorator_list = []
    return definition


def to_function(definition, like):
    """A function of CPython's for a definition, with the globals, closure, defaults and attributes of another one.

    Parameters
    ----------
    definition : FunctionDef
        What `of_function` gave, edited. It may use the captured variables of `like`, and no others.
    like : function

    Raises
    ------
    ValidationError
        If the definition is not Normalized IR.
    """
    like = getattr(like, "py_func", like)
    validate(definition)
    if not isinstance(definition, (nodes.FunctionDef, nodes.AsyncFunctionDef)):
        raise TypeError(f"a function is made of a FunctionDef, not of {type(definition).__name__}")
    code = _code(definition, like)
    cells = dict(zip(like.__code__.co_freevars, like.__closure__ or ()))
    closure = tuple(cells[name] for name in code.co_freevars)
    return function_like(like, code, like.__globals__, closure)


def function_like(like, code, space, closure):
    """A function of this code over these globals and cells, which is otherwise as another one: names, defaults, annotations, attributes."""
    made = types.FunctionType(code, space, like.__name__, like.__defaults__, closure)
    made.__kwdefaults__ = like.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = like.__qualname__, like.__module__, like.__doc__
    made.__annotations__ = dict(like.__annotations__)
    made.__dict__.update(like.__dict__)
    if hasattr(like, "__type_params__"):
        made.__type_params__ = like.__type_params__
    return made


def _code(definition, like):
    """The code object: compiled within a function that has the captured variables, and in a class if it is of one, whose name its private
    names have."""
    (inner,) = to_ast([definition]).body
    # Defaults, annotations and type parameters were evaluated.
    inner.args.defaults = [ast.Constant(value=None) for _ in inner.args.defaults]
    inner.args.kw_defaults = [default and ast.Constant(value=None) for default in inner.args.kw_defaults]
    inner.returns, inner.type_params = None, []
    for argument in (*inner.args.posonlyargs, *inner.args.args, inner.args.vararg, *inner.args.kwonlyargs, inner.args.kwarg):
        if argument is not None:
            argument.annotation = None
    around = like.__qualname__.split(".")[-2:-1]
    if around not in ([], ["<locals>"]):
        inner = ast.ClassDef(name=around[0], bases=[], keywords=[], body=[inner], decorator_list=[], type_params=[])
    captured = [ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=ast.Constant(value=None))
                for name in like.__code__.co_freevars]
    outer = ast.parse("def outer(): pass")
    outer.body[0].body = [*captured, inner]
    ast.fix_missing_locations(outer)
    code = source_text.code_of(outer, like.__code__.co_filename, like.__code__.co_flags & _FUTURES)
    return _find(code, definition.name).replace(co_name=like.__code__.co_name, co_qualname=like.__code__.co_qualname)


def _find(code, name):
    """The code of a function within that of what it is in."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    for one in inner:
        if one.co_name == name and one.co_flags & inspect.CO_NEWLOCALS:
            return one
    return _find(inner[0], name)


_FUTURES = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


def transform(function, passes):
    """The function that passes make of a function; each is called with its `FunctionDef` and returns one."""
    definition = of_function(function)
    for one in passes:
        made = one(definition)
        if not isinstance(made, nodes.FunctionDef):
            raise TypeError(f"a pass over Normalized IR returns a FunctionDef, and {one!r} gave {type(made).__name__}")
        definition = made
    return to_function(definition, function)
