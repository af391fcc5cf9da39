"""What both kinds of ufuncs have in common."""
import functools
import threading

from .. import types
from .loops import IDENTITIES, compiled, ufunc

# Options of the decorators that are no options of the compiled function.
_OWN_OPTIONS = ("nopython", "forceobj", "target")


class Base:
    """A function, its loops by the types of their operands, and NumPy's ufunc of them, made anew when a loop is added."""

    def __init__(self, function, identity, cache, options):
        from ..extending import is_jitted

        if identity not in IDENTITIES:
            raise ValueError("identity keyword must be None or one of 0, 1, 'reorderable'")
        options = dict(options or {}, **({"cache": True} if cache else {}))
        if options.get("forceobj"):
            raise NotImplementedError("the option forceobj of ufuncs is not there (yet)")
        self._options, self._identity = options, identity
        kept = {name: value for name, value in options.items() if name not in _OWN_OPTIONS}
        self.py_func = function.py_func if is_jitted(function) else function
        functools.update_wrapper(self, self.py_func)
        del self.__wrapped__
        self._dispatcher = function if is_jitted(function) else compiled(self.py_func, {"error_model": "numpy", **kept})
        self._lock = threading.RLock()
        self._loops = {}
        self._ufunc = None
        self._frozen = False
        # The places of operands that are read and written.
        self._changed = ()

    def _renew(self):
        loops = list(self._loops.values())
        self._ufunc = ufunc(
            self.__name__, self.__doc__, loops, self.nin, self.nout, self._identity, self._layout, self._changed)

    def disable_compile(self):
        """From now on there are no new loops."""
        self._frozen = True

    def build_ufunc(self):
        """The ufunc: this object."""
        return self

    @property
    def ufunc(self):
        """NumPy's ufunc with the loops of now."""
        if self._ufunc is None:
            self._renew()
        return self._ufunc

    @property
    def nargs(self):
        """How many arguments and results there are."""
        return self.nin + self.nout

    @property
    def ntypes(self):
        """How many loops there are."""
        return len(self._loops)

    @property
    def types(self):
        """The loops as NumPy writes them."""
        return self.ufunc.types

    @property
    def identity(self):
        """What a reduction begins with."""
        return self.ufunc.identity

    @property
    def signature(self):
        """The layout of rows, or None."""
        return self.ufunc.signature

    @property
    def is_dynamic(self):
        """Whether loops are made for the arguments of calls."""
        return not self._frozen

    def __repr__(self):
        return f"<numba._{type(self).__name__} '{self.__name__}'>"


def argument_type(value):
    """The type of an argument's items."""
    from ..types.typeof import from_dtype, typeof

    dtype = getattr(value, "dtype", None)
    if dtype is not None and hasattr(value, "shape"):
        return from_dtype(dtype)
    if isinstance(value, (list, tuple)):
        import numpy

        return from_dtype(numpy.asarray(value).dtype)
    return types.unliteral(typeof(value))
