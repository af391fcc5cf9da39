"""`numba.core.extending`: the names of `numba.extending`, which is loaded when one of them is asked for."""
from .._missing import missing


def _of_extending(name):
    # The import system asks for `__path__` and the like, `import *` for `__all__`.
    if name.startswith("__") and name != "__all__":
        return None
    from .. import extending

    names = vars(extending)
    return [name for name in names if not name.startswith("_")] if name == "__all__" else names.get(name)


__getattr__ = missing(__name__, dict.fromkeys(("infer", "infer_getattr"), "rumba.extending.templates"), _of_extending)
