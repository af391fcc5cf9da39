"""Output before and after passes, and pass timings. The settings `DEBUG_PRINT_BEFORE`, `DEBUG_PRINT_AFTER` and `DEBUG_PRINT_WRAP` name
passes, `DEBUG_INLINE_CLOSURE` means those that inline, and a class of passes has a switch of its own, `_DEBUG`."""
import time

from .. import config
from .machinery import pass_timings


class Shown:
    """Stands around the run of a pass."""

    def __init__(self, manager, index, pass_cls, state):
        self.manager, self.index, self.pass_cls, self.state = manager, index, pass_cls, state

    def __enter__(self):
        self._print("BEFORE")
        self.start = time.perf_counter()
        return self

    def __exit__(self, *exception):
        taken = time.perf_counter() - self.start
        self.manager.exec_times[f"{self.index}_{self.pass_cls.name()}"] = pass_timings(0.0, taken, 0.0)
        self._print("AFTER")
        return False

    def _print(self, when):
        name, func_ir = self.pass_cls.name(), getattr(self.state, "func_ir", None)
        wanted = {word for key in (f"DEBUG_PRINT_{when}", "DEBUG_PRINT_WRAP") for word in _words(key)}
        if func_ir is None or not (wanted & {name, "all"} or self.pass_cls._DEBUG or self._inlines()):
            return
        what = f"{self.manager.pipeline_name}: {when} {name}"
        print(what.center(80, "-"))
        func_ir.dump()


    def _inlines(self):
        """Whether the pass inlines, and that is to be shown."""
        return bool(getattr(config, "DEBUG_INLINE_CLOSURE", 0)) and self.pass_cls.name() in _INLINING


_INLINING = "inline_closure_likes", "inline_inlinables", "inline_overloads"


def _words(key):
    value = getattr(config, key, None)
    return value.split(",") if isinstance(value, str) and value != "none" else []
