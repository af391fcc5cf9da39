"""The exceptions and warnings of Rumba, under the names that Numba's users catch.

Everything a compilation raises derives from `RumbaError` (`NumbaError` is the same class).
"""


class NumbaWarning(Warning):
    """Base of all warnings."""

    def __init__(self, msg, loc=None, highlighting=True):
        self.msg = msg
        self.loc = loc
        super().__init__(msg if loc is None else f"{msg}\n{_place(loc)}")


class NumbaPerformanceWarning(NumbaWarning):
    """An operation is slower than it could be."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """A feature will be removed."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """A feature will be deprecated."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """Parallel code may do something unsafe."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """A conversion may lose information."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """A feature may still change."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """A setting is invalid."""


class NumbaPedanticWarning(NumbaWarning):
    """Something that pedantic mode objects to."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """The intermediate representation is not as assumed."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Debug information could not be kept."""


class NumbaSystemWarning(NumbaWarning):
    """The system lacks something."""


class NumbaError(Exception):
    """Base of all errors."""

    def __init__(self, msg, loc=None, highlighting=True):
        self.msg = msg
        self.loc = loc
        super().__init__(msg if loc is None else f"{msg}\n{_place(loc)}")

    @property
    def contexts(self):
        """What the compiler was doing, outermost last."""
        return self.__dict__.setdefault("_contexts", [])

    def add_context(self, msg):
        """Adds what the compiler was doing when the error occurred."""
        self.contexts.append(msg)
        self.args = (f"{self.args[0]}\n[{len(self.contexts)}] During: {msg}", *self.args[1:])
        return self

    def patch_message(self, new_message):
        """Replaces the message."""
        self.args = (new_message, *self.args[1:])


RumbaError = NumbaError


class UnsupportedError(NumbaError):
    """An unsupported construct."""


class UnsupportedBytecodeError(UnsupportedError):
    """Unsupported bytecode."""

    def __init__(self, msg, loc=None):
        super().__init__(f"{msg} (while bytecode was read)", loc=loc)


class UnsupportedRewriteError(UnsupportedError):
    """A rewrite encountered something that it does not support."""


class UnsupportedParforsError(NumbaError):
    """An unsupported parallel loop."""


class IRError(NumbaError):
    """The program's intermediate representation is invalid."""


class RedefinedError(IRError):
    """A name is defined twice."""


class NotDefinedError(IRError):
    """A name is used before it has a value."""

    def __init__(self, name, loc=None):
        self.name = name
        super().__init__(f"variable '{name}' is not defined when it is used", loc=loc)


class VerificationError(IRError):
    """An intermediate representation violates its invariants."""


class DeprecationError(NumbaError):
    """A feature that was removed."""


class LoweringError(NumbaError):
    """Generating machine code failed."""


class ForbiddenConstruct(LoweringError):
    """A construct that is not allowed at this position."""


class SignatureError(NumbaError, TypeError):
    """The arguments match no signature of the function."""


class OptionError(NumbaError, KeyError):
    """An unknown option of a decorator."""

    # A KeyError shows its message quoted.
    __str__ = Exception.__str__


class TypingError(NumbaError):
    """Types do not match, or cannot be inferred."""


class UntypedAttributeError(TypingError):
    """A value has no such attribute."""

    def __init__(self, value, attr, loc=None):
        super().__init__(f"type {value} has no attribute '{attr}'", loc=loc)


class ByteCodeSupportError(NumbaError):
    """The bytecode of a function could not be read."""


class CompilerError(NumbaError):
    """A general failure of a compilation."""


class ConstantInferenceError(NumbaError):
    """A value that must be constant is not."""

    def __init__(self, value, loc=None):
        self.value = value
        super().__init__(f"{value} is not a constant", loc=loc)


class InternalError(NumbaError):
    """A bug in Rumba, not in the program."""


class InternalTargetMismatchError(InternalError):
    """Two targets were mixed."""

    def __init__(self, kind, target_hw, hw_clazz):
        super().__init__(f"{kind} is declared for target {hw_clazz}, which {target_hw} does not derive from")


class NonexistentTargetError(InternalError):
    """No such target."""


class RequireLiteralValue(TypingError):
    """An argument must be a literal."""


class ForceLiteralArg(NumbaError):
    """Asks for a compilation with some arguments as literals."""

    def __init__(self, arg_indices, fold_arguments=None, loc=None):
        super().__init__("some arguments must be literals", loc=loc)
        self.requested_args = frozenset(arg_indices)
        self.fold_arguments = fold_arguments

    def bind_fold_arguments(self, fold_arguments):
        """The same request with another order of arguments."""
        return ForceLiteralArg(self.requested_args, fold_arguments, self.loc)

    def combine(self, other):
        """The union of two requests."""
        return ForceLiteralArg(self.requested_args | other.requested_args, self.fold_arguments)

    __or__ = combine


class LiteralTypingError(TypingError):
    """Typing a literal failed."""


class NumbaAssertionError(TypingError):
    """An assertion about types failed."""


class NumbaValueError(TypingError):
    """An invalid value at compile time."""


class NumbaTypeError(TypingError):
    """An invalid type at compile time."""


class BoxingError(NumbaTypeError, TypeError):
    """A value that cannot be boxed or unboxed."""


class FieldTypeError(NumbaTypeError, TypeError):
    """A value that is assigned to a field of another type."""


class NumbaAttributeError(TypingError):
    """An unknown attribute at compile time."""


class NumbaNotImplementedError(TypingError):
    """Something that is not implemented."""


class NumbaKeyError(TypingError):
    """An unknown key at compile time."""


class NumbaIndexError(TypingError):
    """An invalid index at compile time."""


class NumbaRuntimeError(NumbaError):
    """A failure during compilation."""


class ConstantFoldError(NumbaError):
    """Folding a constant failed."""


def _place(loc):
    """How a location is shown after a message."""
    formatted = getattr(loc, "strformat", None)
    return formatted() if formatted else f"{loc}"


__all__ = sorted(
    name for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, (NumbaError, NumbaWarning)))
