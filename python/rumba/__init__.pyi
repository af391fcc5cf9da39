"""What type checkers know of the package; its modules without a stub are read as they are."""
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from . import config as config, errors as errors, types as types
from ._rumba import Dispatcher as Dispatcher
from .decorators import jit as jit, jit_module as jit_module, njit as njit
from .errors import (
    BoxingError as BoxingError, ByteCodeSupportError as ByteCodeSupportError, CompilerError as CompilerError,
    ConstantFoldError as ConstantFoldError, ConstantInferenceError as ConstantInferenceError,
    DeprecationError as DeprecationError, ForbiddenConstruct as ForbiddenConstruct,
    ForceLiteralArg as ForceLiteralArg, IRError as IRError, InternalError as InternalError,
    InternalTargetMismatchError as InternalTargetMismatchError, LiteralTypingError as LiteralTypingError,
    LoweringError as LoweringError, NonexistentTargetError as NonexistentTargetError,
    NotDefinedError as NotDefinedError, NumbaAssertionError as NumbaAssertionError,
    NumbaAttributeError as NumbaAttributeError, NumbaDebugInfoWarning as NumbaDebugInfoWarning,
    NumbaDeprecationWarning as NumbaDeprecationWarning, NumbaError as NumbaError,
    NumbaExperimentalFeatureWarning as NumbaExperimentalFeatureWarning,
    NumbaIRAssumptionWarning as NumbaIRAssumptionWarning, NumbaIndexError as NumbaIndexError,
    NumbaInvalidConfigWarning as NumbaInvalidConfigWarning, NumbaKeyError as NumbaKeyError,
    NumbaNotImplementedError as NumbaNotImplementedError, NumbaParallelSafetyWarning as NumbaParallelSafetyWarning,
    NumbaPedanticWarning as NumbaPedanticWarning, NumbaPendingDeprecationWarning as NumbaPendingDeprecationWarning,
    NumbaPerformanceWarning as NumbaPerformanceWarning, NumbaRuntimeError as NumbaRuntimeError,
    NumbaSystemWarning as NumbaSystemWarning, NumbaTypeError as NumbaTypeError,
    NumbaTypeSafetyWarning as NumbaTypeSafetyWarning, NumbaValueError as NumbaValueError,
    NumbaWarning as NumbaWarning, RedefinedError as RedefinedError, RequireLiteralValue as RequireLiteralValue,
    RumbaError as RumbaError, OptionError as OptionError,
    SignatureError as SignatureError, TypingError as TypingError, UnsupportedBytecodeError as UnsupportedBytecodeError,
    UnsupportedError as UnsupportedError, UnsupportedParforsError as UnsupportedParforsError,
    UnsupportedRewriteError as UnsupportedRewriteError, UntypedAttributeError as UntypedAttributeError,
    VerificationError as VerificationError,
)
from .import_hook import install as install
from .object_mode import objmode as objmode, python as python, typed_call as typed_call
from .stencils import stencil as stencil
from .types.typeof import typeof as typeof
_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)

class _Callback(Generic[_P, _R]):
    """A function of C made of a Python function, which Python can call, too."""

    @property
    def address(self) -> int: ...
    @property
    def ctypes(self) -> Any: ...
    @property
    def cffi(self) -> Any: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

def cfunc(
    sig: Any, locals: Any = None, cache: bool = False, pipeline_class: Any = None, **options: Any
) -> Callable[[Callable[_P, _R]], _Callback[_P, _R]]: ...

__version__: str
__all__: list[str]
