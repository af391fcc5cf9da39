"""The functions of a module: their signatures, the machine code for each, and the module's description."""
import collections
import inspect
import marshal

from .._rumba import ahead as _builder
from ..decorators import njit
from ..errors import UnsupportedError
from ..ufuncs.base import Base
from ..ufuncs.c_loops import IDENTITIES, LOOP

CompiledModule = collections.namedtuple("CompiledModule", "name units loops arrays links description")
"""A module before it is linked: `units` are what Python enters, `loops` those of ufuncs, `arrays` were globals, `links` are names
that the import looks up."""

_SIMPLE = (type(None), bool, int, float, complex, str, type(...))


def compile_functions(name, functions, cpu):
    """Compiles all functions of a module for a processor."""
    cpu = None if cpu == "host" else cpu
    units, loops, rows, ufuncs = [], [], [], []
    for exported, given in functions.items():
        if isinstance(given, Base):
            made, row = _compile_ufunc(exported, given, len(units) + len(loops), cpu)
            loops += made
            ufuncs.append(row)
            continue
        dispatcher, signatures = _split(exported, given)
        made = []
        for signature in signatures:
            made.append(_builder.compile(dispatcher, signature, len(units) + len(loops) + len(made), cpu))
        units += made
        rows.append((exported, *_describe(dispatcher.py_func), made))
    if not rows and not ufuncs:
        raise ValueError(f"the module {name} would hold no function: give functions signatures, as in @njit('f8(f8)')")
    arrays = [array for unit in units + loops for array in unit.arrays]
    own = {symbol for array in arrays for symbol in array.symbols} | {"rumba_context"}
    wanted = sorted({symbol for unit in units + loops for symbol in unit.wanted} - own)
    links = [symbol for symbol in wanted if not _builder.is_linked(symbol)]
    description = bytes(_builder.describe(name, links, arrays, rows, loops, ufuncs))
    return CompiledModule(name, units, loops, arrays, links, description)


def _compile_ufunc(exported, ufunc, number, cpu):
    """The loops of a ufunc, and what the module says of it."""
    kept, identity, layout, changed = ufunc.parts()
    if not kept or ufunc.is_run_by_python:
        why = "Python runs its loops (forceobj)" if kept else "it has no signatures"
        raise UnsupportedError(f"the ufunc {exported} cannot be built ahead of time: {why}.")
    made = [_builder.compile(loop.function, LOOP, number + at, cpu, for_c=True) for at, (_, loop) in enumerate(kept)]
    kinds = bytes(dtype.num for dtypes, _ in kept for dtype in dtypes)
    row = (exported, ufunc.__doc__ or "", ufunc.nin, ufunc.nout, IDENTITIES[identity], layout or "", list(changed),
           kinds, len(made))
    return made, row


def _split(exported, given):
    """A dispatcher and its signatures."""
    function, signatures = given if isinstance(given, tuple) else (given, None)
    dispatcher = function if hasattr(function, "py_func") else njit(function)
    if signatures is None:
        signatures = dispatcher.nopython_signatures
    if not signatures:
        raise ValueError(f"{exported} has no signatures: what is built ahead of time knows its types, as @njit('f8(f8)') says them")
    return dispatcher, list(signatures)


def _describe(function):
    """Documentation, parameters and defaults, as the extension writes them."""
    parameters = inspect.signature(function).parameters.values()
    kinds = [parameter.kind for parameter in parameters]
    collecting = [parameter.name for parameter in parameters
                  if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]
    if collecting:
        code = function.__code__
        raise UnsupportedError(
            f"{function.__qualname__} ({code.co_filename}, line {code.co_firstlineno}) cannot be built ahead of time: "
            f"'{collecting[0]}' collects arguments. Name its parameters.")
    optional = [(index, parameter.default) for index, parameter in enumerate(parameters)
                if parameter.default is not parameter.empty]
    for index, default in optional:
        if not _is_simple(default):
            code = function.__code__
            raise UnsupportedError(
                f"{function.__qualname__} ({code.co_filename}, line {code.co_firstlineno}) cannot be built ahead of time: "
                f"the default {default!r} is no number, text, None or tuple of these.")
    positional_only = kinds.count(inspect.Parameter.POSITIONAL_ONLY)
    positional = positional_only + kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return (inspect.getdoc(function) or "", [parameter.name for parameter in parameters], positional_only, positional,
            [index for index, _ in optional], marshal.dumps(tuple(default for _, default in optional)))


def _is_simple(value):
    return type(value) in _SIMPLE or type(value) is tuple and all(map(_is_simple, value))
