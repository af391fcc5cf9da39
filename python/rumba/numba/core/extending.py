"""`numba.core.extending`."""
from .._missing import missing

__getattr__ = missing(__name__, {
    "models": "rumba.datamodel:*",
    **dict.fromkeys((
        "SentryLiteralArgs", "get_cython_function_address", "intrinsic", "is_jitted", "overload", "overload_attribute",
        "overload_classmethod", "overload_method", "register_jitable"), "rumba.extending"),
    **dict.fromkeys(("NativeValue", "box", "lower_cast", "register_model", "typeof_impl", "unbox"), "rumba.typeof_box"),
    "_Intrinsic": "rumba.codegen.intrinsic:Intrinsic",
    **dict.fromkeys((
        "lower_builtin", "lower_getattr", "lower_getattr_generic", "lower_setattr", "lower_setattr_generic",
        "make_attribute_wrapper", "type_callable"), "rumba.lower_builtin"),
    "typeof": "rumba.types",
    "as_numba_type": "rumba.types.hints",
    **dict.fromkeys(("infer", "infer_getattr"), "rumba.templates")})
