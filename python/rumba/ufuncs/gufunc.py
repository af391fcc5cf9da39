"""Generalized ufuncs: functions of subarrays that fill their results."""
import re
from types import SimpleNamespace

from .. import types
from ..decorators import fix_globals
from . import object_loops
from .base import Base, argument_type, has_own_ways
from .overloads import teach
from .c_loops import dtype_of, of_rows

_SIDE = r"(\((\w+(,\w+)*)?\)(,\((\w+(,\w+)*)?\))*)?"


class GUFunc(Base):
    """A function of subarrays that is applied over the other dimensions of its arguments. See `guvectorize`."""

    def __init__(self, py_func, signature, identity=None, cache=False, targetoptions=None, signatures=(), writable_args=()):
        super().__init__(py_func, identity, cache, targetoptions)
        # NumPy has no arrow where no operand is a result.
        layout = signature.strip().removesuffix("->").rstrip()
        self._given, self._layout = list(signatures), layout
        inputs, outputs = parse(layout if "->" in layout else f"{layout}->")
        self.nin, self.nout = len(inputs), len(outputs)
        self._letters = inputs + outputs
        if self.py_func.__code__.co_argcount != self.nargs:
            raise TypeError(
                f"'{self.__name__}' has {self.py_func.__code__.co_argcount} parameters, and the layout "
                f"{layout!r} names {self.nargs} operands")
        self._results = self.py_func.__code__.co_varnames[self.nin:self.nargs]
        self._writable = tuple(self._place(arg) for arg in writable_args)
        # A function may leave out items of its results, or read them.
        self._changed = (*self._writable, *range(self.nin, self.nargs))
        teach(self, _of_rows, self._results)
        if signatures and self._dispatcher is not py_func:
            fix_globals(self._dispatcher)
        for signature in signatures:
            self.add(signature)
        if signatures:
            self.disable_compile()

    @property
    def gufunc_builder(self):
        """What tools ask of the loops under Numba's names: the function, its layout, and the types of the operands of each."""
        return SimpleNamespace(py_func=self.py_func, signature=self._layout, identity=self._identity, _sigs=list(self._loops))

    def _place(self, arg):
        """Which argument a name or a number of `writable_args` means."""
        names = self.py_func.__code__.co_varnames[:self.nin]
        if isinstance(arg, str):
            if arg not in names:
                raise RuntimeError(f"writable_args names {arg!r}, and the arguments of '{self.__name__}' are {', '.join(names)}")
            return names.index(arg)
        if not 0 <= arg < self.nin:
            raise ValueError(f"writable_args names the argument {arg}, and '{self.__name__}' has 0 to {self.nin - 1}")
        return arg

    def add(self, signature):
        """Adds the loop for a signature, and returns it."""
        args, result = types.normalize_signature(signature)
        if result is not None and result != types.none:
            raise TypeError("guvectorized functions cannot return values: the signature's result has to be void")
        if len(args) != self.nargs:
            raise TypeError(f"the signature {signature} names {len(args)} operands, and the layout {self.nargs}")
        for at, (ty, names) in enumerate(zip(args, self._letters)):
            _check_dimensions(at + 1, ty, names)
            if at >= self.nin and not isinstance(ty, types.Array):
                raise TypeError(f"the result #{at - self.nin + 1} is {ty}: it has to be an array, which is filled")
        with self._lock:
            if args not in self._loops:
                dtypes = [dtype_of(ty) for ty in args]
                self._loops[args] = dtypes, (
                    object_loops.of_rows(self.py_func, args, dtypes, self._letters) if self._by_python else
                    of_rows(self.__name__, self._dispatcher, args, self._letters, self._written()))
                self._ufunc = None
            return self._loops[args][1]

    def _written(self):
        """The places of operands that may be written, if several threads run the loops; else none."""
        return (self._changed if self.nout else range(self.nin)) if self._is_parallel else ()

    def _add_for(self, values):
        """Adds the loop for such arguments; whether there was none."""
        if self._frozen:
            return False
        if len(values) != self.nargs:
            raise TypeError(
                f"Too {'few' if len(values) < self.nargs else 'many'} arguments for function '{self.__name__}': it has no "
                f"types of its own, so a call names all {self.nargs} operands, results too")
        before = len(self._loops)
        self.add_for_items([argument_type(value) for value in values])
        return len(self._loops) > before

    def add_for_items(self, items):
        """Adds the loop for operands with elements of these types; returns the types of its operands."""
        args = tuple(
            types.Array(item, max(1, len(names)), "A") if names or at >= self.nin else item
            for at, (item, names) in enumerate(zip(items, self._letters)))
        self.add(args)
        return args

    def _operands(self, values):
        return (*values, *(values[:1] * self.nout))

    def __call__(self, *values, **keywords):
        if not self._frozen:
            out = keywords.get("out", ())
            given = (*values, *(out if isinstance(out, tuple) else (out,)))
            if not any(map(has_own_ways, given)):
                self._add_for(given)
        return self._run("__call__", values, keywords)

    def __reduce__(self):
        what = self._given, self._layout, self._identity, self._options, self._writable
        return _rebuild, (self._dispatcher, *what, tuple(self._loops), self._frozen)


def _rebuild(function, signatures, layout, identity, options, writable, loops, frozen):
    made = GUFunc(function, layout, identity, targetoptions=options, signatures=signatures, writable_args=writable)
    return made.filled(loops, frozen)


def _of_rows(ufunc, args):
    # It loads NumPy.
    from .gufunc_overloads import of_rows

    return of_rows(ufunc, args)


def _check_dimensions(number, ty, names):
    """TypeError if a type is not for an operand with these dimensions; one number may be an array of length 1."""
    dimensions = ty.ndim if isinstance(ty, types.Array) else 0
    if dimensions == len(names) or dimensions == 1 and not names:
        return
    error = TypeError(
        f"type and shape signature mismatch for arg #{number}" if dimensions else
        f"scalar type {ty} given for non scalar argument #{number}")
    error.add_note(f"The layout gives it the dimensions ({','.join(names)}), and its type is {ty}.")
    raise error


def parse(layout):
    """The names of the dimensions of each argument and of each result.

    >>> parse("(m, n),(n)->(m)")
    ([('m', 'n'), ('n',)], [('m',)])
    """
    sides = layout.replace(" ", "").split("->")
    if len(sides) != 2 or not all(re.fullmatch(_SIDE, side) for side in sides):
        raise ValueError(f"bad token in signature {layout!r}: it is not of the form '(m,n),(n)->(m)'")
    return tuple([tuple(names.split(",")) if names else () for names in re.findall(r"\(([^)]*)\)", side)]
                 for side in sides)
