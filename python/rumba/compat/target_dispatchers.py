"""Dispatchers of other targets: classes derived from `Dispatcher`, whose functions compile with what is registered for their target.

Absent: targets and overloads for them (`rumba.compat.target_registry`), and the scope in which a compilation is for a target
(`session::target_scope`).
"""
from . import targets
from .. import errors
from .._rumba import session
from ..extending import overload_registry


def made(cls, args, names):
    """A dispatcher that is made from Python: of this processor, or of the target of a derived class. Called by the class."""
    if not args and "py_func" not in (names or ()):
        raise TypeError(f"{cls.__name__}() takes the Python function to compile")
    return _made(cls, *args, **(names or {}))


def _made(cls, py_func, locals=None, targetoptions=None, pipeline_class=None, **others):
    options = {"nopython": True, "boundscheck": None, **(targetoptions or {}), **others}
    if locals:
        options["locals"] = locals
    if pipeline_class is not None and not _is_plain(pipeline_class):
        options["pipeline_class"] = pipeline_class
    target = target_of(cls)
    options.pop("_target", None)
    if target.target_name != "cpu":
        options["_target"] = target.target_name
    return session.dispatcher(py_func, options, cls)


def target_of(cls):
    """The target of a class of dispatchers."""
    found = (base.__dict__.get("targetdescr") for base in cls.__mro__)
    return next((one for one in found if isinstance(one, targets.Target)), targets.cpu_target)


def on_target(target, function, count):
    """A function of `count` arguments that is compiled for a target and calls another one there."""
    from .. import source_text
    from .target_registry import resolve_dispatcher_from_str

    names = ", ".join(f"x{at}" for at in range(count))
    call = source_text.function(f"call({names})", [f"return function({names})"], {"function": function})
    return resolve_dispatcher_from_str(target)(call)


def _is_plain(pipeline_class):
    """Whether a pipeline is the one that every function has."""
    return pipeline_class.__module__.startswith("rumba.") and pipeline_class.__name__ == "Compiler"


class CalledFromElsewhere(overload_registry.Candidate):
    """What code of one target has for a call of a function of another: that function, compiled by itself, by its address."""

    only = True

    def __init__(self, dispatcher):
        self.dispatcher, self.function = dispatcher, dispatcher.py_func
        self._made = {}

    def implementation(self, args, keywords):
        """The call, for arguments of these types."""
        if keywords:
            raise errors.TypingError(
                f"'{self.dispatcher.__name__}' is a function of another target, which takes no arguments by keyword")
        if args not in self._made:
            self._made[args] = self._call(args)
        return self._made[args]

    def _call(self, args):
        from .. import types
        from ..codegen.intrinsic import Native, next_symbol

        self.dispatcher.compile(args)
        result = self.dispatcher.overloads[args].signature.return_type
        signature = types.signature(result, *args)

        def codegen(context, builder, sig, values):
            return context.compile_internal(builder, self.dispatcher, signature, values)

        return Native.of_codegen(next_symbol(self.dispatcher.__name__), self.place(), list(args), result, codegen)

    def place(self):
        """How messages call it."""
        return f"'{self.dispatcher.__name__}'"
