"""Intrinsics: functions whose machine code an extension writes with llvmlite.

A library's `codegen(context, builder, signature, args)` runs with the real llvmlite, in a module with one
function; the module's text is handed over and becomes part of the code that calls it. Around what the
library writes, values are put into the form that Numba gives them: a tuple is one aggregate there.

Absent: who is called when (`rumba.extending.overload_registry`).
"""
import collections
import functools
import inspect
import itertools
import re
import uuid
import weakref

from .. import config, errors, types, upcalls
from ..extending import overload_registry
from ..extending.code_forms import is_explicit

_numbers = itertools.count()

# A call of text for the assembler, as llvmlite writes it.
_ASSEMBLER = re.compile(r'\bcall [^"\n]* asm [^"\n]*"')


class Intrinsic:
    """A function that only compiled code can call. `defn` gives its signature and its code generator for
    types of arguments."""

    # Intrinsics that were pickled or unpickled here, by their mark; the most recent ones are strongly referenced.
    _memo = weakref.WeakValueDictionary()
    _recent = collections.deque(maxlen=config.FUNCTION_CACHE_SIZE)
    _mark = None

    def __init__(self, name, defn, prefer_literal=False, target="generic", effects=None, **kwargs):
        self._name, self._defn, self._prefer_literal = name, defn, prefer_literal
        self._target, self._effects = overload_registry.target_named(target), effects
        functools.update_wrapper(self, defn)

    def _register(self):
        overload_registry.add_function(self, _Candidate(self))
        return self

    def _remember(self, mark):
        self._mark = mark
        self._memo[mark] = self
        self._recent.append(self)

    def __reduce__(self):
        from ..serialize.by_value import dumps

        if self._mark is None:
            self._remember(uuid.uuid4().hex)
        return _restore, (self._mark, self._name, dumps(self._defn), self._prefer_literal, self._target, self._effects)

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"{self} is not usable in pure-python")

    def __repr__(self):
        return f"<intrinsic {self._name}>"

    def __deepcopy__(self, memo):
        return self


def _restore(mark, name, defn, prefer_literal, target, effects):
    """The intrinsic of a mark; unpickled, there is one for each."""
    from ..serialize.by_value import loads

    found = Intrinsic._memo.get(mark)
    if found is None:
        found = Intrinsic(name, loads(defn), prefer_literal, target, effects)._register()
        found._remember(mark)
    return found


def intrinsic(*args, **kwargs):
    """Decorates a function of a typing context and of types of arguments, which returns a signature and a
    code generator, or None where it does not take these types."""
    def decorate(function):
        return Intrinsic(getattr(function, "__name__", str(function)), function, **kwargs)._register()

    return decorate(args[0]) if args else decorate


class _Candidate(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks."""

    # The typing context is no argument of the call.
    skipped = 1

    def __init__(self, owner):
        self.function, self.prefer_literal, self.target = owner._defn, owner._prefer_literal, owner._target
        self.effects = owner._effects
        self.name = self.function.__name__
        self._made = {}

    def implementation(self, args, keywords):
        """The code for arguments of these types, or None."""
        from ..compat.targets import cpu_target

        overload_registry.check_target(self.target)
        key = args, tuple(keywords.items())
        if key in self._made:
            return self._made[key]
        context = cpu_target.typing_context
        try:
            bound = inspect.signature(self.function).bind(context, *args, **keywords)
        except TypeError as error:
            raise errors.TypingError(str(error)) from None
        found = self.function(context, *args, **keywords)
        if found is not None:
            found = Native(self, *found, _order(self.function, bound, len(args), list(keywords)))
        return self._made.setdefault(key, found)

    def place(self):
        """How messages call it."""
        code = self.function.__code__
        return f"'{self.function.__name__}' ({code.co_filename}:{code.co_firstlineno})"


def _order(function, bound, by_position, names):
    """Which argument of the call each parameter gets."""
    order = []
    for name in list(bound.arguments)[1:]:
        if inspect.signature(function).parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            raise errors.UnsupportedError("an intrinsic with **kwargs")
        if name in names:
            order.append(by_position + names.index(name))
        else:
            order.append(len(order))
    return order


def next_symbol(name):
    """A symbol for the code of an intrinsic, which no other has."""
    return f"intrinsic.{next(_numbers)}.{name}"


class Native:
    """The machine code of an intrinsic for types of arguments; its text is made when it is chosen."""

    def __init__(self, candidate, signature, codegen, order):
        self._fill(next_symbol(candidate.name), candidate.place(), list(signature.args), signature.return_type, codegen, order)
        self._signature = signature

    @classmethod
    def of_codegen(cls, symbol, place, params, result, codegen):
        """Machine code that no call chooses."""
        made = cls.__new__(cls)
        made._fill(symbol, place, params, result, codegen, list(range(len(params))))
        made._signature = types.signature(result, *params)
        return made

    def _fill(self, symbol, place, params, result, codegen, order):
        self.symbol, self._place, self._codegen = symbol, place, codegen
        self.params, self.result, self.order = params, result, order
        self.text, self.can_fail = None, False
        # What the code knows by address.
        self._kept = ()

    def build(self):
        """Runs the library's code generator, once."""
        if self.text is not None:
            return
        if is_explicit(self._codegen):
            written = upcalls.explicit_function(self.symbol, self.params, self.result, self._codegen, self._signature)
            self.text, self.can_fail, self._kept = written
        else:
            try:
                import llvmlite.ir  # noqa: F401
            except ImportError:
                raise errors.LoweringError(
                    f"the intrinsic {self._place} writes its code with llvmlite, which is not installed: "
                    "install the package llvmlite") from None
            from .call_conv import NeedsStatus

            try:
                self.text = self._written()
            except NeedsStatus:
                self.can_fail = True
                self.text = self._written()

    def _written(self):
        from llvmlite import ir

        from .call_conv import in_registers
        context = upcalls.context_for_target(self.can_fail)
        parts = [part for ty in self.params for part in context.parts(ty)]
        results = [ir.IntType(64)] * self.can_fail + context.parts(self.result)
        returned = ir.LiteralStructType(results) if len(results) > 1 else (*results, ir.VoidType())[0]
        spilled = not in_registers(results)
        if spilled:
            # The others go through memory, one word each.
            returned, parts = results[0], [*parts, ir.IntType(8).as_pointer()]
        module = ir.Module(self.symbol)
        function = ir.Function(module, ir.FunctionType(returned, parts), self.symbol)
        function.attributes.add("alwaysinline")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        given = iter(function.args)
        args = [context.packed(builder, ty, given) for ty in self.params]
        value = self._codegen(context, builder, self._signature, args)
        if value is None and context.parts(self.result):
            raise errors.LoweringError(
                f"non-void function returns None: the code generator of the intrinsic {self._place} has to "
                f"return a value of type {self.result}")
        if not builder.block.is_terminated:
            made = context.unpacked(builder, self.result, value) if value is not None else []
            self._return(builder, [ir.IntType(64)(0)] * self.can_fail + made, returned, spilled)
        self._kept = context.kept
        for argument in function.args:
            # They are meant for the arguments of Numba's convention, whose first is where the result goes.
            argument.attributes.clear()
        text = str(module)
        # Without an assembler's errors a wrong text would be left out of the code in silence.
        if _ASSEMBLER.search(text):
            raise errors.LoweringError(
                f"the intrinsic {self._place} has text for the assembler (`builder.asm`), which Rumba does not take: "
                "say it with LLVM's instructions, or with one of its own intrinsic functions")
        return text

    def _return(self, builder, parts, returned, spilled):
        from . import cgutils

        if not parts:
            builder.ret_void()
            return
        if spilled:
            words = builder.bitcast(builder.function.args[-1], cgutils.intp_t.as_pointer())
            for at, part in enumerate(parts[1:]):
                builder.store(cgutils.to_word(builder, part), builder.gep(words, [cgutils.intp_t(at)]))
        if spilled or len(parts) == 1:
            builder.ret(parts[0])
        else:
            builder.ret(cgutils.pack_struct(builder, parts, returned))
