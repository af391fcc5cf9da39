"""Modules of the facade that are one of Rumba's modules, under Numba's name."""
import importlib
import sys

_SAME = {
    "types": "types",
    "core.datamodel.models": "extending.datamodel",
    "core.types": "types",
    "core.types.abstract": "types.base",
    "core.types.common": "types.base",
    "core.types.containers": "types.containers",
    "core.types.function_type": "types.functions",
    "core.types.functions": "types.functions",
    "core.types.iterators": "types.iterators",
    "core.types.misc": "types.misc",
    "core.types.npytypes": "types.arrays",
    "core.types.scalars": "types.scalars",
    "np.types": "types.arrays",
    "core.config": "config",
    "core.errors": "errors",
}

for _name, _ours in _SAME.items():
    _module = sys.modules[f"{__package__}.{_name}"] = importlib.import_module(f"rumba.{_ours}")
    _parent, _, _attribute = _name.rpartition(".")
    if _parent in _SAME and not hasattr(sys.modules[f"{__package__}.{_parent}"], _attribute):
        setattr(sys.modules[f"{__package__}.{_parent}"], _attribute, _module)
