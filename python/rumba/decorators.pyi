"""What type checkers know of the decorators: a compiled function has the signature of the function it was made of."""
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, Unpack, overload

from ._rumba import Dispatcher
from .types.signature import Signature

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Signatures = str | tuple[Any, ...] | Signature | list[str] | list[tuple[Any, ...]] | list[Signature]

class _NjitOptions(TypedDict, total=False):
    auto: bool
    boundscheck: bool | None
    cache: bool
    debug: bool
    error_model: Literal["python", "numpy"]
    fastmath: bool | set[str] | dict[str, bool]
    forceinline: bool
    inline: Literal["never", "always"] | Callable[..., bool]
    interrupts: bool
    locals: dict[str, Any] | None
    looplift: bool
    no_cfunc_wrapper: bool
    no_cpython_wrapper: bool
    no_rewrites: bool
    nogil: bool
    noalias: bool
    normalized: list[Callable[[Any], Any]]
    stages: dict[str, Callable[[str], str] | list[Callable[[str], str]]]
    parallel: bool | dict[str, bool]
    promotion: Literal["numba", "numpy2"]
    pipeline_class: Any
    target: str
    target_backend: str
    _target: str
    _dbg_extend_lifetimes: bool
    _dbg_optnone: bool
    _nrt: bool
    _opt_level: int

class _JitOptions(_NjitOptions, total=False):
    nopython: bool
    forceobj: bool
    fallback: bool

class _Decorator:
    def __call__(self, function: Callable[_P, _R], /) -> Dispatcher[_P, _R]: ...

@overload
def jit(signature_or_function: Callable[_P, _R], /, **options: Unpack[_JitOptions]) -> Dispatcher[_P, _R]: ...
@overload
def jit(signature_or_function: _Signatures | None = None, /, **options: Unpack[_JitOptions]) -> _Decorator: ...
@overload
def njit(function: Callable[_P, _R], /, **options: Unpack[_NjitOptions]) -> Dispatcher[_P, _R]: ...
@overload
def njit(signatures: _Signatures | None = None, /, **options: Unpack[_NjitOptions]) -> _Decorator: ...
def jit_module(**options: Unpack[_JitOptions]) -> None: ...
