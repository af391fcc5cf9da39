"""Lowering registries: implementations of calls and attributes whose typing is registered elsewhere, collected to be
installed in `cpu_target.target_context`.

    registry = Registry("interval")

    @registry.lower(valid_interval, interval_type)
    def ...

Not here: how the compiler learns of them (`rumba.extending.lower_builtin`, `rumba.extending.typeof_box`), iteration (`rumba.extending.user_iteration`).
"""
from .. import fork_locks
from . import lower_builtin, typeof_box

_lock = fork_locks.lock()


class Registry:
    """Functions that write code, to be installed together."""

    def __init__(self, name="unspecified"):
        self.name = name
        self.functions, self.getattrs, self.setattrs, self.casts, self.constants = [], [], [], [], []
        self._is_installed = False

    def _note(self, kind, what, install):
        """The decorator of a function: it is kept as (function, *what), and `install(*what)` decorates it for the compiler."""
        def decorate(written):
            with _lock:
                getattr(self, kind).append((written, *what))
                is_installed = self._is_installed
            if is_installed:
                install(*what)(written)
            return written

        return decorate

    def lower(self, func, *argtys):
        """Decorates the code `codegen(context, builder, sig, args)` of calls of a function."""
        return self._note("functions", (func, argtys), lambda func, argtys: lower_builtin.lower_builtin(func, *argtys))

    def lower_getattr(self, ty, attr):
        """Decorates the code `codegen(context, builder, typ, value)` of an attribute."""
        return self._note("getattrs", (attr, (ty,)), _getattr)

    def lower_getattr_generic(self, ty):
        """Decorates the code `codegen(context, builder, typ, value, attr)` of all other attributes."""
        return self.lower_getattr(ty, None)

    def lower_setattr(self, ty, attr):
        """Decorates the code `codegen(context, builder, sig, args)` of the assignment to an attribute."""
        return self._note("setattrs", (attr, (ty,)), _setattr)

    def lower_setattr_generic(self, ty):
        """Decorates the code `codegen(context, builder, sig, args, attr)` of assignments to all other attributes."""
        return self.lower_setattr(ty, None)

    def lower_cast(self, fromty, toty):
        """Decorates the code `codegen(context, builder, fromty, toty, value)` of a conversion."""
        return self._note("casts", ((fromty, toty),), lambda both: typeof_box.lower_cast(*both))

    def lower_constant(self, ty):
        """Decorates the code `codegen(context, builder, ty, value)` of a constant."""
        return self._note("constants", ((ty,),), lambda both: typeof_box.lower_constant(*both))

    def install(self):
        """Lets the compiler see it all, and what is registered later."""
        with _lock:
            if self._is_installed:
                return
            self._is_installed = True
        ways = (
            ("functions", lambda func, argtys: lower_builtin.lower_builtin(func, *argtys)), ("getattrs", _getattr),
            ("setattrs", _setattr), ("casts", lambda both: typeof_box.lower_cast(*both)),
            ("constants", lambda both: typeof_box.lower_constant(*both)))
        for kind, install in ways:
            for written, *what in getattr(self, kind):
                install(*what)(written)


def _getattr(attr, owners):
    return lower_builtin.lower_getattr_generic(*owners) if attr is None else lower_builtin.lower_getattr(*owners, attr)


def _setattr(attr, owners):
    return lower_builtin.lower_setattr_generic(*owners) if attr is None else lower_builtin.lower_setattr(*owners, attr)


builtin_registry = Registry("builtin_registry")
builtin_registry.install()
