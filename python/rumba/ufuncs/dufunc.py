"""Ufuncs of functions of numbers."""
from .. import types
from .base import Base, argument_type
from .loops import dtype_of, elementwise


class DUFunc(Base):
    """A function of numbers that takes arrays, too. See `vectorize`."""

    nout = 1
    _layout = None

    def __init__(self, py_func, identity=None, cache=False, targetoptions=None, signatures=()):
        super().__init__(py_func, identity, cache, targetoptions)
        from .inside import of_numbers, teach

        self.nin = self.py_func.__code__.co_argcount
        self._given = list(signatures)
        teach(self, of_numbers, ["out"])
        for signature in signatures:
            self.add(signature)
        if signatures:
            self.disable_compile()

    def add(self, signature):
        """Adds the loop for a signature; the signature with its result."""
        args, result = types.normalize_signature(signature)
        args = tuple(types.unliteral(arg) for arg in args)
        if len(args) != self.nin:
            raise TypeError(f"'{self.__name__}' takes {self.nin} arguments, and {signature} names {len(args)}")
        with self._lock:
            if args in self._loops:
                return
            compiled = self._dispatcher._unit_compile(args if result is None else result(*args)).signature.return_type
            dtypes = [dtype_of(ty) for ty in (*args, compiled if result is None else result)]
            self._loops[args] = dtypes, elementwise(self.__name__, self._dispatcher, dtypes)
            self._ufunc = None

    def _add_for(self, values):
        """Adds the loop for such arguments; whether there was none."""
        if self._frozen or len(values) < self.nin:
            return False
        args = tuple(argument_type(value) for value in values[:self.nin])
        if args in self._loops:
            return False
        self.add(args)
        return True

    def __call__(self, *values, **keywords):
        if not self._loops:
            self._add_for(values)
        try:
            return self.ufunc(*values, **keywords)
        except TypeError:
            if not self._add_for(values):
                raise
        return self.ufunc(*values, **keywords)

    def _over(self, array):
        """NumPy's ufunc for items of one type with themselves."""
        import numpy

        item = numpy.asarray(array)
        try:
            self.ufunc.resolve_dtypes((item.dtype, item.dtype, None))
        except TypeError:
            self._add_for((item,) * self.nin)
        return self.ufunc

    def reduce(self, array, *args, **keywords):
        """The results along an axis, one after another."""
        return self._over(array).reduce(array, *args, **keywords)

    def accumulate(self, array, *args, **keywords):
        """The results along an axis, all of them."""
        return self._over(array).accumulate(array, *args, **keywords)

    def reduceat(self, array, *args, **keywords):
        """Reductions of slices."""
        return self._over(array).reduceat(array, *args, **keywords)

    def outer(self, first, second, **keywords):
        """The results for all pairs."""
        if not self._loops:
            self._add_for((first, second))
        return self.ufunc.outer(first, second, **keywords)

    def at(self, array, indices, *values):
        """Changes items of an array in place, an item as often as it is named."""
        if not self._loops:
            self._add_for((array, *values))
        return self.ufunc.at(array, indices, *values)

    def __reduce__(self):
        return _rebuild, (self._dispatcher, self._given, self._identity, self._options)


def _rebuild(function, signatures, identity, options):
    return DUFunc(function, identity, targetoptions=options, signatures=signatures)
