"""The compiler of a dispatcher's function, for tools: `dispatcher._compiler`.

Absent: compiling itself (the extension), what can be asked of a dispatcher (`rumba.dispatch.dispatcher`).
"""
import inspect


class FunctionCompiler:
    """Compiles a dispatcher's function for types of arguments."""

    def __init__(self, dispatcher):
        from ..compat.targets import cpu_target

        self._dispatcher = dispatcher
        self.py_func, self.targetdescr = dispatcher.py_func, cpu_target
        self.targetoptions = dispatcher.targetoptions
        self.locals = self.targetoptions.get("locals", {})
        self.pysig = inspect.signature(self.py_func)

    @property
    def pipeline_class(self):
        """The class of the pipelines."""
        from ..numba_pipeline.compiler import Compiler

        return self.targetoptions.get("pipeline_class", Compiler)

    def fold_arguments(self, args, kws):
        """Python's signature and the types of all arguments in its order."""
        from ..extending.templates import fold_arguments
        from ..types import Omitted, Tuple

        def default_handler(index, parameter, default):
            if default is parameter.empty:
                raise TypeError(f"missing a required argument: {parameter.name!r}")
            return Omitted(default)

        folded = fold_arguments(
            self.pysig, args, kws, lambda index, parameter, value: value, default_handler,
            lambda index, parameter, values: Tuple(values))
        return self.pysig, folded

    def compile(self, args, return_type=None):
        """What a compilation for types of arguments gives; it is done once."""
        from .dispatcher import Methods
        from ..types import signature

        args = tuple(args)
        if return_type is not None:
            Methods.compile(self._dispatcher, signature(return_type, *args))
        return Methods.get_compile_result(self._dispatcher, args)

    def get_implementation(self, args, kws):
        """The Python function that is compiled."""
        return self.py_func


def types_for(dispatcher, args, kws):
    """The types of the arguments of a call, in the order of the parameters."""
    from ..types import typeof

    bound = inspect.signature(dispatcher.py_func).bind(*args, **kws)
    bound.apply_defaults()
    return tuple(typeof(value) for value in bound.arguments.values())


def conversions(dispatcher, args, kws):
    """Whether arguments convert to those of something that is compiled and are not its own."""
    from ..types.convert import conversion

    given = types_for(dispatcher, args, kws)
    known = dispatcher.signatures
    return given not in known and any(
        len(one) == len(given) and all(conversion(ty, wanted) is not None for ty, wanted in zip(given, one)) for one in known)
