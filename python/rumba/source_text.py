"""Functions generated from source text: the only place where text becomes code.

A function is made of text where its parameters or its statements follow from types. What converts some arguments of a call and
passes them on has the parameters of what it calls: keyword arguments of compiled code are matched with the names in the code
object, which `*args` does not have. A loop over the operands of a ufunc has an expression for each of them, with its own type,
rank and strides: neither a tuple nor a closure holds types and dtypes that differ from operand to operand. A generator of tuples has
a loop for each of their items. What `rumba check` tries is an expression of a user's file, at its place in the file. A function that passes
over Normalized IR edited is compiled from its syntax. A line that a debugger shows is a statement that does nothing
at its place in the file. Everything else is a plain function, a closure or a function with a signature of its own.

Absent: text that users write (`rumba.cli.run` runs scripts, `rumba.types.signature` reads signatures).
"""
import ast
import copy
import inspect
import linecache
import pathlib
import textwrap
import zlib

# Tracebacks leave out what lies here, as they do with all functions of the library.
_FOLDER = pathlib.Path(__file__).parent / "library"


def function(head, body, names):
    """The function with the head `name(parameters)` and the lines of `body`, over the globals `names`."""
    text = f"def {head}:\n" + textwrap.indent("\n".join(body), " ") + "\n"
    name = head.partition("(")[0]
    file = str(_FOLDER / f"<{name} {zlib.crc32(text.encode()):08x}>")
    # Errors show the line.
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space = dict(names)
    exec(compile(text, file, "exec"), space)
    return space[name]


def line_at_place(name, file, line):
    """Code that does nothing in a line of a file, as of a function of this name."""
    return compile("\n" * (line - 1) + "pass", file, "exec").replace(co_name=name)


def run_line(code, space, variables):
    """Runs such code over these globals and locals."""
    exec(code, space, variables)


def at_place(name, parameters, expression, file, names):
    """A function that evaluates an expression (`ast`) where it stands in a file, over the globals `names`."""
    arguments = ast.arguments([], [ast.arg(one) for one in parameters], None, [], [], None, [])
    body = [ast.Expr(copy.deepcopy(expression))]
    made = ast.FunctionDef(name, arguments, body, [], type_params=[])
    for node in (*arguments.args, *body, made):
        ast.copy_location(node, expression)
    space = dict(names)
    exec(compile(ast.fix_missing_locations(ast.Module([made], [])), file, "exec"), space)
    return space[name]


def code_of(tree, file, flags):
    """The code object of a module of statements (`ast`), which may be compiled with flags of `__future__`."""
    return compile(tree, file, "exec", flags=flags, dont_inherit=True)


def expression(signature, text, names):
    """A function with the parameters of an `inspect.Signature` that returns an expression over the globals `names`."""
    return with_signature("call", signature, [f"return {text}"], names)


def with_signature(name, signature, body, names):
    """The function with the parameters of an `inspect.Signature` and the lines of `body`, over the globals `names`."""
    names, shown = dict(names), []
    for parameter, one in signature.parameters.items():
        if one.default is not one.empty:
            names[f"default_{parameter}"] = one.default
            one = one.replace(default=_Shown(f"default_{parameter}"))
        shown.append(one)
    return function(f"{name}{signature.replace(parameters=shown)}", body, names)


def signature(parameters, names):
    """The signature of a function with these parameters, whose defaults are expressions over `names`."""
    return inspect.signature(function(f"call({parameters})", ["pass"], names))


class _Shown:
    """What a signature shows as this text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text
