"""`numba.extending`."""
from ..extending import datamodel as models
from ..extending import (  # noqa: F401
    SentryLiteralArgs, get_cython_function_address, include_path, intrinsic, is_jitted, overload, overload_attribute,
    overload_classmethod, overload_method, register_jitable,
)
from ..extending.typeof_box import NativeValue, box, lower_cast, register_model, typeof_impl, unbox  # noqa: F401
from ..codegen.intrinsic import Intrinsic as _Intrinsic  # noqa: F401
from ..extending.lower_builtin import (  # noqa: F401
    lower_builtin, lower_getattr, lower_getattr_generic, lower_setattr, lower_setattr_generic, make_attribute_wrapper,
    type_callable,
)
from ..types import typeof
from ..types.hints import as_numba_type  # noqa: F401
from ._missing import missing

__getattr__ = missing(__name__, dict.fromkeys(("infer", "infer_getattr"), "rumba.extending.templates"))
