"""Unsupported names, which raise an error that says so when used; and names that are loaded on demand."""
import importlib
import sys


def missing(module, lazy={}, find=lambda name: None):
    """The `__getattr__` of a module of the facade. `lazy` says of names which module of Rumba's has them (with the
    attribute behind a colon, or it has the same name). `find` gives the value of a further name, or None."""
    shown = module.removeprefix("rumba.")

    def __getattr__(name):
        home = lazy.get(name)
        if home is not None:
            source, _, attribute = home.partition(":")
            found = importlib.import_module(source)
            value = found if attribute == "*" else getattr(found, attribute or name)
        else:
            value = find(name)
        if value is not None:
            setattr(sys.modules[module], name, value)
            return value
        if not name.startswith("__") and _by_import(sys._getframe(1)):
            raise ImportError(f"cannot import name '{name}' from '{shown}': Rumba does not have it (yet)", name=module)
        raise AttributeError(f"module '{shown}' has no attribute '{name}' in Rumba: it is not there (yet)")

    return __getattr__


def _by_import(frame):
    """Whether a frame is at `from module import name`, whose own words for a missing name say nothing of Rumba."""
    from opcode import opmap

    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
