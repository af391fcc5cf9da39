"""Generalized ufuncs: of functions of whole rows, which fill their results."""
import re

from .. import types
from .base import Base, argument_type
from .loops import dtype_of, of_rows

_SIDE = r"(\((\w+(,\w+)*)?\)(,\((\w+(,\w+)*)?\))*)?"


class GUFunc(Base):
    """A function of rows that goes over the other dimensions of its arguments. See `guvectorize`."""

    def __init__(self, py_func, signature, identity=None, cache=False, targetoptions=None, signatures=(), writable_args=()):
        super().__init__(py_func, identity, cache, targetoptions)
        # NumPy has no arrow where no operand is a result.
        layout = signature.replace(" ", "").removesuffix("->")
        self._given, self._layout = list(signatures), layout
        self._rumba_missing = (
            f"'{self.__name__}' is a generalized ufunc, which compiled code cannot call yet")
        inputs, outputs = parse(layout if "->" in layout else f"{layout}->")
        self.nin, self.nout = len(inputs), len(outputs)
        self._letters = inputs + outputs
        if self.py_func.__code__.co_argcount != self.nargs:
            raise TypeError(
                f"'{self.__name__}' has {self.py_func.__code__.co_argcount} parameters, and the layout "
                f"{layout!r} names {self.nargs} operands")
        self._writable = tuple(self._place(arg) for arg in writable_args)
        # A function may leave out items of its results, or read them.
        self._changed = (*self._writable, *range(self.nin, self.nargs))
        for signature in signatures:
            self.add(signature)
        if signatures:
            self.disable_compile()

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
        """Adds the loop for a signature."""
        args, result = types.normalize_signature(signature)
        if result is not None and result != types.none:
            raise TypeError("guvectorized functions cannot return values: the signature's result has to be void")
        if len(args) != self.nargs:
            raise TypeError(f"the signature {signature} names {len(args)} operands, and the layout {self.nargs}")
        for at, (ty, names) in enumerate(zip(args, self._letters)):
            dimensions = ty.ndim if isinstance(ty, types.Array) else 0
            if dimensions != len(names) and not (dimensions == 1 and not names):
                raise TypeError(f"type and shape signature mismatch for arg #{at + 1}: {ty} for ({','.join(names)})")
            if at >= self.nin and not isinstance(ty, types.Array):
                raise TypeError(f"the result #{at - self.nin + 1} is {ty}: it has to be an array, which is filled")
        with self._lock:
            if args not in self._loops:
                loop = of_rows(self.__name__, self._dispatcher, args, self._letters)
                self._loops[args] = [dtype_of(ty) for ty in args], loop
                self._ufunc = None

    def _add_for(self, values):
        """Adds the loop for such arguments; whether there was none."""
        if self._frozen:
            return False
        if len(values) != self.nargs:
            raise TypeError(
                f"'{self.__name__}' has no types of its own: a call names all {self.nargs} operands, results too")
        args = []
        for at, (value, names) in enumerate(zip(values, self._letters)):
            item = argument_type(value)
            args.append(types.Array(item, max(1, len(names)), "A") if names or at >= self.nin else item)
        if tuple(args) in self._loops:
            return False
        self.add(tuple(args))
        return True

    def __call__(self, *values, **keywords):
        if not self._frozen:
            out = keywords.get("out", ())
            given = (*values, *(out if isinstance(out, tuple) else (out,)))
            self._add_for(given)
        return self.ufunc(*values, **keywords)

    def __reduce__(self):
        return _rebuild, (self._dispatcher, self._given, self._layout, self._identity, self._options, self._writable)


def _rebuild(function, signatures, layout, identity, options, writable):
    return GUFunc(function, layout, identity, targetoptions=options, signatures=signatures, writable_args=writable)


def parse(layout):
    """The names of the dimensions of each argument and of each result.

    >>> parse("(m, n),(n)->(m)")
    ([('m', 'n'), ('n',)], [('m',)])
    """
    sides = layout.replace(" ", "").split("->")
    if len(sides) != 2 or not all(re.fullmatch(_SIDE, side) for side in sides):
        raise ValueError(f"the layout {layout!r} is not of the form '(m,n),(n)->(m)'")
    return tuple([tuple(names.split(",")) if names else () for names in re.findall(r"\(([^)]*)\)", side)]
                 for side in sides)
