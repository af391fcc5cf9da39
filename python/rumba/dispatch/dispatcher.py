"""Methods of dispatchers apart from the call.

The class of dispatchers is the extension's, so that calls are fast; its rarer methods and properties
are those of `Methods` here, looked up by name. `self` is the dispatcher in all of them. A unit is one
compiled function of a dispatcher; it stays what it is when the dispatcher forgets it.
"""
import collections
import functools
import os

from .. import upcalls

CompileResult = collections.namedtuple("CompileResult", (
    "typing_context", "target_context", "entry_point", "typing_error", "type_annotation", "signature",
    "objectmode", "lifted", "fndesc", "library", "call_helper", "environment", "metadata", "reload_init",
    "referenced_envs"))
CompileStats = collections.namedtuple("_CompileStats", ("cache_path", "cache_hits", "cache_misses"))


class Library:
    """The machine code of a unit, for inspection."""

    def __init__(self, dispatcher, unit):
        self._dispatcher, self._unit = dispatcher, unit
        self.name = dispatcher.py_func.__name__

    def get_llvm_str(self):
        """The optimized LLVM IR, with the function's header."""
        signature = self._unit.signature
        names = self._dispatcher.py_func.__code__.co_varnames
        parameters = ", ".join(f"{name}: {kind}" for name, kind in zip(names, signature.args))
        return f"; {self.name}({parameters}) -> {signature.return_type}\n{self._unit.stage('optimized')}"

    def get_asm_str(self):
        """The assembly text."""
        return self._unit.stage("asm")

    def get_function_cfg(self, name=None, **kwargs):
        """The control flow graph of the optimized code, as an object that can be displayed as text or DOT."""
        from .llvm_graph import Graph

        return Graph(self.get_llvm_str())

    def __repr__(self):
        return f"<Library {self.name!r} of {self._dispatcher!r}>"


class Annotation:
    """The types of a unit's values, with its source."""

    def __init__(self, dispatcher, unit):
        self._dispatcher, self._unit = dispatcher, unit
        self.signature = unit.signature

    def __str__(self):
        from ..errors import NumbaError

        try:
            return str(Description(self._dispatcher, {}, self.signature).annotation)
        except NumbaError:
            # It has what Numba's shape does not: the compiler's own form.
            code = self._dispatcher.py_func.__code__
            lines = [f"# File: {code.co_filename}", *(
                f"# {line}".rstrip() for line in self.typed().splitlines()), "", _source(self._dispatcher)]
            return "\n".join(lines)

    def __getattr__(self, name):
        # `typemap`, `calltypes`, `blocks` and so on are those of Numba's shape.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(Description(self._dispatcher, {}, self.signature).annotation, name)

    def typed(self):
        """The function with the type of every value; in object mode, which loops are compiled, and for how many signatures."""
        if not self._unit.metadata().get("objectmode"):
            return self._unit.stage("types")
        return "\n".join(["The function runs in object mode: CPython runs its bytecode.", *_of_loops(_lifted(self._dispatcher))])


class Description:
    """Names of a compiled function, and the types of its variables."""

    def __init__(self, dispatcher, metadata, signature):
        self._dispatcher, self._signature = dispatcher, signature
        function = dispatcher.py_func
        self.qualname, self.modname, self.unique_name = function.__qualname__, function.__module__, function.__name__
        self.mangled_name = self.llvm_func_name = metadata.get("symbol", function.__name__)
        self.args = function.__code__.co_varnames[:function.__code__.co_argcount]
        self.native = True
        self.llvm_cfunc_wrapper_name = f"{self.mangled_name}.c"
        # What Python enters: it takes and gives words in memory.
        self.llvm_cpython_wrapper_name = f"{self.mangled_name.rpartition('.')[0]}.python"

    @functools.cached_property
    def _state(self):
        # Nobody keeps this of a compilation: the function is compiled once more, and looked into.
        from ..numba_pipeline.compiler import DEFAULT_FLAGS, Compiler
        from ..compat.targets import cpu_target

        args, locals = self._signature.args, self._dispatcher.targetoptions.get("locals", {})
        contexts = cpu_target.typing_context, cpu_target.target_context
        compilation = Compiler(*contexts, None, args, None, DEFAULT_FLAGS.copy(), locals)
        compilation.compile_extra(self._dispatcher.py_func)
        return compilation.state

    @property
    def annotation(self):
        """The source with the types of variables."""
        from ..numba_pipeline.annotate import TypeAnnotation

        state = self._state
        return TypeAnnotation(
            state.func_ir, state.typemap, state.calltypes, (), None, self._signature.args, self._signature.return_type)

    @property
    def typemap(self):
        """The type of each variable, by its name in Numba's form: `x`, `x.1`, `$12load_global.0`."""
        return self._state.typemap

    @property
    def calltypes(self):
        """The signature of each call, operator and item, by its node in Numba's form."""
        return self._state.calltypes

    def __repr__(self):
        return f"<function descriptor {self.mangled_name!r}>"


class Overloads(collections.OrderedDict):
    """Compile results by argument types. Omitted arguments count as their defaults."""

    def __missing__(self, args):
        from ..types import List, Omitted, Set, typeof

        def compiled(ty):
            """The type in compiled code, in which lists and sets that are arguments are reflected."""
            if isinstance(ty, Omitted):
                return typeof(ty.value)
            return type(ty)(ty.dtype, reflected=True) if type(ty) in (List, Set) else ty

        known = tuple(map(compiled, args)) if isinstance(args, tuple) else args
        if known == args:
            raise KeyError(args)
        return self[known]


class CompilingCounter:
    """True while a function compiles. Compilation is over when a method is called: never true."""

    counter = 0

    def __bool__(self):
        return False


def _lifted(dispatcher):
    """The loops lifted out of a function in object mode."""
    if not dispatcher.targetoptions.get("forceobj") and "_lifted_loops" not in dispatcher.__dict__:
        return ()
    from ..object_mode import lifted_loops

    return lifted_loops.of(dispatcher).loops


def _of_loops(loops):
    """What is said of lifted loops."""
    if loops:
        yield "The function contains lifted loops"
    for loop in loops:
        yield f"Loop at line {loop.line}"
        yield f"Has {len(loop.signatures)} overloads"


def _source(dispatcher):
    import inspect

    try:
        return inspect.getsource(dispatcher.py_func)
    except OSError:
        return "# the source is not at hand"


def _units(dispatcher):
    """Argument types -> unit."""
    units = {}
    for unit in dispatcher._units():
        units.setdefault(unit.signature.args, unit)
    return units


def _compile_reached(dispatcher):
    """Compiles what was compiled already as part of other functions, for those who ask what there is."""
    from .._rumba import session
    from ..types import unliteral

    for args in session.reached(dispatcher):
        args = tuple(map(unliteral, args))
        if not dispatcher._units_frozen() and all(ty.is_precise() for ty in args) and args not in _units(dispatcher):
            try:
                dispatcher._unit_compile(args)
            except Exception:
                # Not every function that others call can be called from Python.
                continue


def _cache_folder():
    """Where the machine code of cached functions is."""
    from .._rumba import library

    return os.fspath(library.objects) if library.objects else None


def _types(signature):
    """The argument types of a signature, or of a tuple of types."""
    return tuple(getattr(signature, "args", signature))


def _alone(dispatcher, unit):
    """A dispatcher with one of the units alone; in object mode, with the same lifted loops."""
    alone = dispatcher._unit_alone(unit)
    if dispatcher.targetoptions.get("forceobj"):
        from ..object_mode import lifted_loops

        alone.__dict__["_lifted_loops"] = lifted_loops.of(dispatcher)
    return alone


def _entry_point(dispatcher, unit):
    """The unit as a function: it takes what its signature says, and says what does not fit."""
    alone = _alone(dispatcher, unit)

    @functools.wraps(dispatcher.py_func)
    def entry_point(*args):
        for value, ty in zip(args, unit.signature.args):
            _check_unboxing(value, ty)
        return alone(*_given(args, dispatcher.py_func))

    # What holds the code, as a function of C has it.
    entry_point.__self__ = alone
    return entry_point


def _given(args, function):
    """The arguments but for the last ones that are the defaults of their parameters, which may be compiled in."""
    defaults = function.__defaults__ or ()
    first = function.__code__.co_argcount - len(defaults)
    while first < len(args) <= first + len(defaults) and args[-1] is defaults[len(args) - 1 - first]:
        args = args[:-1]
    return args


def _check_unboxing(value, ty):
    """Raises what is wrong with a value as an argument of a type, as far as types say so."""
    from ..types import BaseTuple, Dummy

    if type(ty) is Dummy:
        raise TypeError(f"can't unbox {ty} type")
    if isinstance(ty, BaseTuple) and isinstance(value, tuple):
        if len(value) != len(ty):
            raise ValueError(f"size mismatch for tuple, expected {len(ty)} element(s) but got {len(value)}")
        for item, item_type in zip(value, ty):
            _check_unboxing(item, item_type)


class _Metadata(dict):
    """What is known of a compilation. Rarely used entries are computed on demand."""

    def __missing__(self, name):
        if name not in ("pipeline_times", "timers", "llvm_pass_timings"):
            raise KeyError(name)
        if name == "llvm_pass_timings":
            from ..tools.pass_timings import collected as make
        else:
            from ..numba_pipeline import plain

            make = plain.times if name == "pipeline_times" else plain.timers
        found = self[name] = make(self["pass_times"])
        return found


def _metadata(dispatcher, unit):
    """What is known of a compilation, with what passes of users noted."""
    noted = dispatcher.__dict__.get("_pipeline_metadata", {}).get(unit.signature.args, {})
    known = unit.metadata()
    loops = known.pop("parallel_loops", None)
    if loops is not None:
        from ..parallel.loop_diagnostics import ParforDiagnostics

        known["parfor_diagnostics"] = ParforDiagnostics(dispatcher.py_func, loops, known.pop("fusions"))
    return _Metadata({**known, **noted})


def result_of(dispatcher, unit):
    """The result of a compilation."""
    from ..compat.targets import cpu_target

    metadata = _metadata(dispatcher, unit)
    return CompileResult(
        typing_context=cpu_target.typing_context, target_context=cpu_target.target_context,
        entry_point=_entry_point(dispatcher, unit), typing_error=None,
        type_annotation=Annotation(dispatcher, unit), signature=unit.signature,
        objectmode=metadata.get("objectmode", False), lifted=_lifted(dispatcher) if metadata.get("objectmode") else (), fndesc=Description(dispatcher, metadata, unit.signature),
        library=Library(dispatcher, unit), call_helper=None, environment=None, metadata=metadata,
        reload_init=[], referenced_envs=None)


def _per_unit(dispatcher, signature, show):
    """`show(unit)` of the signature's unit, or of every unit in a dictionary."""
    units = _units(dispatcher)
    if signature is not None:
        return show(units[_types(signature)])
    return {args: show(unit) for args, unit in units.items()}


def _target(dispatcher):
    """The target of the class of a dispatcher."""
    from ..compat.target_dispatchers import target_of

    return target_of(type(dispatcher))


class Methods:
    """See the module. Never instantiated."""

    @property
    def signatures(self):
        """The compiled argument types, oldest first: a list of tuples of types."""
        _compile_reached(self)
        return list(_units(self))

    @property
    def nopython_signatures(self):
        """The signatures compiled to machine code, oldest first."""
        _compile_reached(self)
        return [unit.signature for unit in self._units() if not unit.metadata().get("objectmode")]

    @property
    def overloads(self):
        """A mapping from argument types to compile results, oldest first."""
        _compile_reached(self)
        return Overloads((args, result_of(self, unit)) for args, unit in _units(self).items())

    @property
    def stats(self):
        """Cache statistics: the folder, and hits and misses by signature."""
        hits, misses = collections.Counter(), collections.Counter()
        for unit in self._units():
            (hits if unit.metadata().get("cache") == "hit" else misses)[unit.signature.args] += 1
        return CompileStats(_cache_folder() if self.targetoptions.get("cache") else None, hits, misses)

    @property
    def _cache_hits(self):
        return Methods.stats.fget(self).cache_hits

    @property
    def _cache_misses(self):
        return Methods.stats.fget(self).cache_misses

    @property
    def _cache(self):
        from .function_cache import FunctionCache, NullCache

        return FunctionCache(self.py_func, self) if self.targetoptions.get("cache") else NullCache()

    @property
    def locals(self):
        """The types of local variables passed to the decorator."""
        return self.targetoptions.get("locals", {})

    @property
    def doc(self):
        """The documentation of the function."""
        return self.py_func.__doc__

    @property
    def func_code(self):
        """The code of the function."""
        return self.py_func.__code__

    @property
    def is_compiling(self):
        """Whether the function is being compiled."""
        return CompilingCounter()

    @property
    def _can_compile(self):
        return not self._units_frozen()

    @property
    def _numba_type_(self):
        from ..types import Dispatcher

        return Dispatcher(self)

    @property
    def typingctx(self):
        """The typing context."""
        return _target(self).typing_context

    @property
    def targetctx(self):
        """The target context."""
        return _target(self).target_context

    @property
    def targetdescr(self):
        """The compilation target."""
        return _target(self)

    def _as_called(self):
        """What code of another target asks for calls of it."""
        from ..compat.target_dispatchers import CalledFromElsewhere

        return CalledFromElsewhere(self)

    def compile(self, sig):
        """Compiles for a signature, if necessary, and returns the entry point, a callable."""
        if self._units_frozen():
            from ..types import normalize_signature

            args, _ = normalize_signature(sig)
            if args not in _units(self):
                raise RuntimeError("compilation disabled")
        return _alone(self, self._unit_compile(sig))

    @property
    def _compiler(self):
        """What compiles the function."""
        from .function_compiler import FunctionCompiler

        return FunctionCompiler(self)

    def _compile_for_args(self, *args, **kws):
        """Compiles for the types of these arguments; the entry point."""
        from .function_compiler import types_for

        return Methods.compile(self, types_for(self, args, kws))

    def _search_new_conversions(self, *args, **kws):
        """Whether these arguments convert to those of something that is compiled and are not its own."""
        from .function_compiler import conversions

        return conversions(self, args, kws)

    def _explain_matching_error(self, *args, **kws):
        """Raises that nothing which is compiled takes these arguments."""
        from .function_compiler import types_for

        shown = ", ".join(map(str, types_for(self, args, kws)))
        raise TypeError(f"No matching definition for argument type(s) {shown}")

    def _explain_ambiguous(self, *args, **kws):
        """Raises that more than one of what is compiled takes these arguments."""
        from .function_compiler import types_for

        given = types_for(self, args, kws)
        shown = "\n".join(f"{one} -> {unit.signature.return_type}" for one, unit in _units(self).items())
        raise TypeError(f"Ambiguous overloading for {self.py_func} {given}:\n{shown}")

    def disable_compile(self, val=True):
        """Disables compilation: later calls use existing specializations, with conversions, or fail."""
        self._units_freeze(val)

    def recompile(self):
        """Recompiles every signature with the current values of globals."""
        if hasattr(self, "_fixed_globals"):
            from ..decorators import fix_globals

            fix_globals(self)
        self._units_renew(self.signatures)
        for loop in _lifted(self):
            loop.recompile()

    def get_overload(self, sig):
        """The entry point of a compiled signature; raises KeyError if it is not compiled."""
        from ..types import normalize_signature

        return _alone(self, _units(self)[tuple(normalize_signature(sig)[0])])

    def get_compile_result(self, sig):
        """The compile result for a signature, which is compiled if necessary."""
        from ..types import normalize_signature

        args = tuple(normalize_signature(sig)[0])
        unit = _units(self).get(args)
        return result_of(self, self._unit_compile(args) if unit is None else unit)

    def get_call_template(self, args, kws):
        """A tuple (callee, Python signature, types of all arguments in order, no keywords) for a call with arguments
        of these types."""
        import inspect

        signature = inspect.signature(self.py_func)
        bound = signature.bind(*args, **kws)
        folded = tuple(bound.arguments.values())
        return Methods.get_compile_result(self, folded).signature, signature, folded, {}

    def get_function_type(self):
        """The type of the function as a first-class value, if it has a single fixed signature."""
        from ..types import FunctionType

        signatures = list(self._units())
        return FunctionType(signatures[0].signature) if self._units_frozen() and len(signatures) == 1 else None

    def get_metadata(self, signature=None):
        """The metadata of a compilation (pass times, symbol), or of all compilations by argument types."""
        return _per_unit(self, signature, lambda unit: _metadata(self, unit))

    def inspect_llvm(self, signature=None):
        """The LLVM IR for a signature, or for all signatures by argument types."""
        return _per_unit(self, signature, lambda unit: Library(self, unit).get_llvm_str())

    def inspect_asm(self, signature=None):
        """The assembly text for a signature, or for all signatures by argument types."""
        return _per_unit(self, signature, lambda unit: Library(self, unit).get_asm_str())

    def inspect_cfg(self, signature=None, show_wrapper=None, **kwargs):
        """The control flow graph of the optimized code for a signature, or for all signatures by argument types."""
        return _per_unit(self, signature, lambda unit: Library(self, unit).get_function_cfg())

    def inspect_disasm_cfg(self, signature=None):
        """The control flow of the machine code: not supported, use `inspect_asm`."""
        raise NotImplementedError("the machine code has no control-flow graph; inspect_asm shows its text")

    def inspect_types(self, file=None, signature=None, pretty=False, style="default", **kwargs):
        """Prints the functions with the type of every value; with `pretty`, returns an object that is displayed as
        text, and in notebooks as the page of `explain`."""
        units = _units(self)
        chosen = list(units) if signature is None else [_types(signature)]
        if pretty:
            if file is not None:
                raise ValueError("`file` must be None if `pretty=True`")
            text = "\n\n".join(str(Annotation(self, units[args])) for args in chosen)
            return upcalls.explained(self, signature, text)
        for args in chosen:
            print(f"{self.py_func.__name__} {args}", file=file)
            print("-" * 80, file=file)
            print(Annotation(self, units[args]), file=file)
            print("=" * 80, file=file)

    def explain(self, signature=None, format="page", samples=None):
        """Shows how the function was compiled, line by line: types, loops, checks, allocations, machine code.

        Parameters
        ----------
        signature : Signature or tuple of types, optional
            Of which signature; of all that are compiled if it is left out.
        format : {"page", "dict", "json"}
            A page, which shows itself in notebooks and has a method `save(path)`; a dictionary of plain data; or its JSON text.
        samples : rumba.explain.Samples, optional
            Where a program spent its time: the page shows the share of each line.
        """
        if format not in ("page", "dict", "json"):
            raise ValueError(f"format is 'page', 'dict' or 'json', not {format!r}")
        found = upcalls.explained(self, signature, samples=samples)
        if format == "json":
            import json

            return json.dumps(found.data)
        return found.data if format == "dict" else found

    def _repr_html_(self):
        """The page of `explain`, in notebooks; nothing, and so plain text, before the function is compiled."""
        return Methods.explain(self)._repr_html_() if list(self._units()) else None

    def get_annotation_info(self, signature=None):
        """Source lines and types of compiled functions, by (location, signature)."""
        chosen = _units(self)
        if signature is not None:
            chosen = {_types(signature): chosen[_types(signature)]}
        code = self.py_func.__code__
        found = collections.OrderedDict()
        for unit in chosen.values():
            note = Annotation(self, unit)
            found[f"{code.co_filename}:{code.co_firstlineno + 1}", str(note.signature)] = {
                "num_lifted_loops": len(_lifted(self)), "filename": code.co_filename, "funcname": self.py_func.__name__,
                "python_lines": list(enumerate(_source(self).splitlines(), code.co_firstlineno)),
                "ir_lines": {code.co_firstlineno: [(line, "") for line in note.typed().splitlines()]}}
        return found

    def parallel_diagnostics(self, signature=None, level=1):
        """Prints the report on parallel loops, for one signature or all. From level 2 on, it tells why loops are
        serial."""
        units = _units(self)
        chosen = list(units) if signature is None else [_types(signature)]
        for args in chosen:
            found = _metadata(self, units[args]).get("parfor_diagnostics")
            if found is None:
                raise ValueError(f"{self.py_func.__name__} is compiled without parallel=True")
            found.dump(level)

    def dump(self, tab=""):
        """Prints the compiled functions, for debugging."""
        for signature in self._unit_signatures():
            print(f"{tab}{self.py_func.__name__}{signature}")

    def typeof_pyval(self, val):
        """The type of a value as an argument."""
        from ..types import typeof

        return typeof(val)

    def enable_caching(self):
        """Enables the cache on disk for later compilations, like `cache=True`."""
        self.targetoptions["cache"] = True

    def add_overload(self, cres):
        """Adds a compile result of another dispatcher of the same function."""
        self._unit_compile(cres.signature.args)

    def __reduce__(self):
        from ..serialize.dispatcher import reduce_dispatcher

        return reduce_dispatcher(self)
