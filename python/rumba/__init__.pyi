"""What type checkers know of the package; its modules without a stub are read as they are."""
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from . import (
    atomic as atomic, config as config, errors as errors, events as events, extending as extending, normalized as normalized, stages as stages, structref as structref, typed as typed,
    types as types,
)
from ._rumba import Dispatcher as Dispatcher
from .decorators import jit as jit, jit_module as jit_module, njit as njit
from .errors import (
    BoxingError as BoxingError, ByteCodeSupportError as ByteCodeSupportError, CompilerError as CompilerError,
    ConstantFoldError as ConstantFoldError, ConstantInferenceError as ConstantInferenceError,
    DeprecationError as DeprecationError, ForbiddenConstruct as ForbiddenConstruct,
    FieldTypeError as FieldTypeError, ForceLiteralArg as ForceLiteralArg, IRError as IRError, InternalError as InternalError,
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
from .classes.jitclass import jitclass as jitclass
from .intrinsics import literal_unroll as literal_unroll, literally as literally, prange as prange
from .numba import experimental as experimental
from .object_mode import objmode as objmode, python as python, typed_call as typed_call
from .c_interop.pointer_arrays import carray as carray, farray as farray
from .stages.stepping import step as step
from .stencils import stencil as stencil
from .parallel.thread_pool import (
    get_num_threads as get_num_threads, get_parallel_chunksize as get_parallel_chunksize, get_thread_id as get_thread_id,
    parallel_chunksize as parallel_chunksize, set_num_threads as set_num_threads,
    set_parallel_chunksize as set_parallel_chunksize, threading_layer as threading_layer,
)
from .types import deferred_type as deferred_type, optional as optional
from .types.names import (
    b1 as b1, bool_ as bool_, boolean as boolean, byte as byte, c8 as c8, c16 as c16, char as char,
    complex64 as complex64, complex128 as complex128, double as double, f4 as f4, f8 as f8, ffi as ffi,
    ffi_forced_object as ffi_forced_object, float32 as float32, float64 as float64, i1 as i1, i2 as i2, i4 as i4,
    i8 as i8, int8 as int8, int16 as int16, int32 as int32, int64 as int64, int_ as int_, intc as intc, intp as intp,
    long_ as long_, longlong as longlong, none as none, short as short, size_t as size_t, ssize_t as ssize_t, u1 as u1,
    u2 as u2, u4 as u4, u8 as u8, uchar as uchar, uint as uint, uint8 as uint8, uint16 as uint16, uint32 as uint32,
    uint64 as uint64, uintc as uintc, uintp as uintp, ulong as ulong, ulonglong as ulonglong, ushort as ushort,
    void as void,
)
from .types.typeof import from_dtype as from_dtype, typeof as typeof
from .tools.debugger import gdb as gdb, gdb_breakpoint as gdb_breakpoint, gdb_init as gdb_init
from .ufuncs import guvectorize as guvectorize, vectorize as vectorize

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
