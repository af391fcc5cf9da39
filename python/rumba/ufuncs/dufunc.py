"""Ufuncs of scalar functions."""
from .. import types
from ..decorators import fix_globals
from . import object_loops
from .base import Base, argument_type, has_own_ways
from .c_loops import dtype_of, elementwise


class DUFunc(Base):
    """A scalar function that also accepts arrays. See `vectorize`."""

    nout = 1
    _layout = None
    # Rewrites take calls as nodes of array expressions.
    is_elementwise = True

    def __init__(self, py_func, identity=None, cache=False, targetoptions=None, signatures=()):
        super().__init__(py_func, identity, cache, targetoptions)
        from .overloads import of_numbers, teach

        self.nin = self.py_func.__code__.co_argcount
        self._given = list(signatures)
        teach(self, of_numbers, ["out"])
        if signatures and self._dispatcher is not py_func:
            fix_globals(self._dispatcher)
        for signature in signatures:
            self.add(signature)
        if signatures:
            self.disable_compile()

    def add(self, signature):
        """Adds the loop for a signature, and returns it."""
        args, result = types.normalize_signature(signature)
        args = tuple(types.unliteral(arg) for arg in args)
        if len(args) != self.nin:
            raise TypeError(f"'{self.__name__}' takes {self.nin} arguments, and {signature} names {len(args)}")
        with self._lock:
            if args not in self._loops:
                self._loops[args] = self._made(args, result)
                self._ufunc = None
            return self._loops[args][1]

    def _compile_for_argtys(self, argtys, return_type=None):
        """The loop for types of arguments, under the name that libraries know from Numba."""
        argtys = tuple(argtys)
        return self.add(argtys if return_type is None else return_type(*argtys))

    def _made(self, args, result):
        """The dtypes of operands, and their loop."""
        if self._by_python:
            if result is None:
                raise TypeError(f"'{self.__name__}' is run by Python (forceobj): its signatures have to name their results")
            dtypes = [dtype_of(ty) for ty in (*args, result)]
            return dtypes, object_loops.elementwise(self.py_func, dtypes)
        compiled = self._dispatcher._unit_compile(args if result is None else result(*args)).signature.return_type
        dtypes = [dtype_of(ty) for ty in (*args, compiled if result is None else result)]
        return dtypes, elementwise(self.__name__, self._dispatcher, dtypes, self._is_parallel)

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
        if not self._loops and not any(map(has_own_ways, values)):
            self._add_for(values)
        try:
            return self._run("__call__", values, keywords)
        except TypeError:
            if not self._add_for(values):
                raise
        return self._run("__call__", values, keywords)

    def _operands(self, values):
        return values

    def __reduce__(self):
        what = self._given, self._identity, self._options
        return _rebuild, (self._dispatcher, *what, tuple(self._loops), self._frozen)


def _rebuild(function, signatures, identity, options, loops, frozen):
    return DUFunc(function, identity, targetoptions=options, signatures=signatures).filled(loops, frozen)
