"""`numba.core.typing.templates`."""
from ....types.signature import Signature, signature
from ..._missing import missing

_NAMES = (
    "AbstractTemplate", "AttributeTemplate", "CallableTemplate", "ConcreteTemplate", "FunctionTemplate", "Registry",
    "_OverloadAttributeTemplate", "_OverloadFunctionTemplate", "_OverloadMethodTemplate", "bound_function",
    "builtin_registry", "fold_arguments", "infer", "infer_getattr", "infer_global", "make_callable_template",
    "make_concrete_template", "make_overload_attribute_template", "make_overload_method_template", "make_overload_template")

__getattr__ = missing(__name__, {**dict.fromkeys(_NAMES, "rumba.extending.templates"), "RegistryLoader": "rumba.extending.registry_loader"})
