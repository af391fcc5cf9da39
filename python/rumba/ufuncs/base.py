"""Shared by ufuncs and generalized ufuncs."""
import functools
import itertools

from .. import fork_locks, types
from ..decorators import always_njit, check_options
from .c_loops import IDENTITIES, ufunc

# Options of the decorators that are no options of the compiled function.
_OWN_OPTIONS = ("nopython", "forceobj", "target")


class Base:
    """A function, its loops by the types of their operands, and NumPy's ufunc of them, made anew when a loop is added."""

    def __init__(self, function, identity, cache, options):
        from ..extending import is_jitted

        if identity not in IDENTITIES:
            raise ValueError("identity keyword must be None or one of 0, 1, 'reorderable'")
        options = dict(options or {}, **({"cache": True} if cache else {}))
        check_options({name: value for name, value in options.items() if name != "target"})
        self._options, self._identity = options, identity
        kept = {name: value for name, value in options.items() if name not in _OWN_OPTIONS}
        self.py_func = function.py_func if is_jitted(function) else function
        functools.update_wrapper(self, self.py_func)
        del self.__wrapped__
        self._dispatcher = function if is_jitted(function) else always_njit(self.py_func, **{"error_model": "numpy", **kept})
        self._lock = fork_locks.reentrant_lock()
        self._loops = {}
        self._ufunc = None
        self._is_frozen, self._dynamic = False, True
        # Whether Python runs the loops.
        self._by_python = bool(options.get("forceobj"))
        # Whether several threads run the loops.
        self._is_parallel = options.get("target") == "parallel" and not self._by_python
        # The places of operands that are read and written.
        self._changed = ()

    def _renew(self):
        loops, identity, layout, changed = self.parts()
        self._ufunc = ufunc(self.__name__, self.__doc__, loops, self.nin, self.nout, identity, layout, changed)

    def parts(self):
        """What NumPy's ufunc is made of: loops with the dtypes of their operands, the identity, the layout of rows or None, and
        the places of operands that are read and written."""
        loops = [loop for args, loop in self._loops.items() if not self._is_hidden(args)]
        return loops, self._identity, self._layout, self._changed

    @property
    def is_run_by_python(self):
        """Whether Python runs the loops."""
        return self._by_python

    def _is_hidden(self, args):
        """Whether a loop is never taken, since signatures are tried in their order. NumPy would take a loop for the very
        types of the arguments before others, so it does not get to know this one."""
        if not self._given:
            return False
        wanted = self._loops[args][0][:self.nin]
        before = itertools.takewhile(lambda other: other != args, self._loops)
        return any(all(map(_is_safe, wanted, self._loops[other][0])) for other in before)

    def _run(self, method, values, keywords):
        """Calls NumPy's ufunc, or a method of it. An argument that has ways of its own with ufuncs is asked instead."""
        for value in (*values, *keywords.values()):
            if has_own_ways(value):
                found = value.__array_ufunc__(self, method, *values, **keywords)
                if found is not NotImplemented:
                    return found
        call = self.ufunc if method == "__call__" else getattr(self.ufunc, method)
        if not self._by_python:
            return call(*values, **keywords)
        from .object_loops import raised

        return raised(call, *values, **keywords)

    @property
    def _frozen(self):
        return self._is_frozen

    @_frozen.setter
    def _frozen(self, value):
        if self._is_frozen and not value:
            raise ValueError("a ufunc that gets no new loops stays as it is")
        self._is_frozen = bool(value)

    def disable_compile(self):
        """From now on there are no new loops."""
        self._frozen = True

    def build_ufunc(self):
        """The ufunc: this object, which gets no more loops unless it is dynamic."""
        if not self._dynamic:
            self.disable_compile()
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

    def filled(self, loops, frozen):
        """This object, with the loops that another one had."""
        for args in loops:
            self.add(args)
        if frozen:
            self.disable_compile()
        return self

    def _over(self, array):
        """This object, with a loop for items of one type with themselves."""
        import numpy

        item = numpy.asarray(array)
        # NumPy refuses to reduce with functions of rows.
        if self.ufunc.signature is None:
            try:
                self.ufunc.resolve_dtypes((item.dtype, item.dtype, None))
            except TypeError:
                self._add_for(self._operands((item,) * self.nin))
        return self

    def reduce(self, array, *args, **keywords):
        """The results along an axis, one after another."""
        return self._over(array)._run("reduce", (array, *args), keywords)

    def accumulate(self, array, *args, **keywords):
        """The results along an axis, all of them."""
        return self._over(array)._run("accumulate", (array, *args), keywords)

    def reduceat(self, array, *args, **keywords):
        """Reductions of slices."""
        return self._over(array)._run("reduceat", (array, *args), keywords)

    def outer(self, first, second, **keywords):
        """The results for all pairs."""
        if not self._loops:
            self._add_for(self._operands((first, second)))
        return self._run("outer", (first, second), keywords)

    def at(self, array, indices, *values):
        """Changes items of an array in place, an item as often as it is named."""
        if not self._loops:
            self._add_for(self._operands((array, *values)))
        return self._run("at", (array, indices, *values), {})

    def __repr__(self):
        return f"<numba._{type(self).__name__} '{self.__name__}'>"


def _is_safe(dtype, other):
    import numpy

    return numpy.can_cast(dtype, other, "safe")


def has_own_ways(value):
    """Whether an argument has a method for ufuncs (NumPy's proposal 13), and is no array, number or list."""
    kind = type(value)
    return hasattr(kind, "__array_ufunc__") and not hasattr(kind, "__array_finalize__") and kind.__module__ != "numpy"


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
