"""`stencil`: applies a function of an element's neighborhood to whole arrays.

The kernel is compiled as it is written. What it gets for an array is a stencil point (`rumba.intrinsics.stencil_point`): the array seen from
one item, so that indices are distances. Around a call of it stands a nest of loops over the items that have all their neighbors; it is written
for the types of a call's arguments, once the kernel's types and the reach of its indices are known (`_rumba.stencils`). Compiled code and
Python call the same.

Absent: what an index of a point does (the extension).
"""
import functools
import inspect

from .extending import overload_registry
from . import source_text, types
from .errors import NumbaValueError, TypingError
from .intrinsics import prange, raise_if, stencil_point

_OPTIONS = ("neighborhood", "cval", "standard_indexing", "index_offsets")
NOT_CONSTANT = "stencil kernel index is not constant, 'neighborhood' option required"
# Items of an array that one thread goes over alone.
_FEW = 1 << 13
CVAL = "cval type does not match stencil return type."


def stencil(func_or_mode="constant", **options):
    """Turns a function of an element's neighborhood into a function of whole arrays.

        @stencil
        def mean(a):
            return (a[-1] + a[0] + a[1]) / 3

    An index of an array counts from the item in hand. The result has the shape of the first array, which has to be indexed in this
    way. Where an item lacks a neighbor, the result is `cval` (0 if nothing is said). `neighborhood` says the least and the greatest
    offset of each dimension where indices are no constants; arrays named in `standard_indexing` are indexed as usual. A call
    takes `out=`, an array for the result, of which the border stays as it is unless there is a `cval`.
    """
    if not isinstance(func_or_mode, str):
        return StencilFunc(func_or_mode, "constant", options)
    _check_mode(func_or_mode)
    return lambda function: StencilFunc(function, func_or_mode, options)


def _check_mode(mode):
    if mode != "constant":
        raise NumbaValueError(f"Unsupported mode style {mode!r}: only 'constant' is supported")


class StencilFunc:
    """A stencil: a function of an element's neighborhood, for arrays of any size."""

    def __init__(self, kernel, mode, options):
        from .decorators import njit
        from .extending import is_jitted

        _check_options(options)
        self.py_func = self.kernel = kernel.py_func if is_jitted(kernel) else kernel
        self.mode, self.options = mode, options
        functools.update_wrapper(self, self.py_func)
        del self.__wrapped__
        self.neighborhood = options.get("neighborhood")
        names = _names_of(self.py_func)
        # However large it is, it stands in the loop: there its indices need no comparison.
        self._dispatcher = njit(self.py_func, inline="always")
        _teach(self, names)
        self._calls = {}

    def __call__(self, *args, **keywords):
        out = keywords.pop("out", None)
        if keywords:
            bound = inspect.signature(self.py_func).bind(*args, **keywords)
            bound.apply_defaults()
            args = bound.args
        return self._entry(out is not None)(*args) if out is None else self._entry(True)(out, *args)

    def _entry(self, writes):
        """The compiled function that Python calls."""
        if writes not in self._calls:
            from .decorators import njit

            def make(*args):
                return run(*args)

            def write(out, *args):
                return run(*args, out=out)

            run = self
            self._calls[writes] = njit(write if writes else make)
        return self._calls[writes]

    def __repr__(self):
        return f"<stencil {self.__name__}>"

    def __reduce__(self):
        from .serialize.by_value import reduce_decorated

        return reduce_decorated(self, StencilFunc, self.py_func, self.mode, self.options)


def _check_options(options):
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise NumbaValueError(f"Unknown stencil option {unknown[0]!r}: there are {', '.join(map(repr, _OPTIONS))}")


def _names_of(kernel):
    code = kernel.__code__
    names = code.co_varnames[:code.co_argcount]
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise NumbaValueError("a stencil kernel takes plain parameters: neither *args nor keyword-only ones")
    if not names:
        raise NumbaValueError("a stencil kernel has no parameter for an array")
    return names


def _standard_places(standard, names):
    """The numbers of the parameters that are indexed as usual."""
    standard = (standard,) if isinstance(standard, str) else tuple(standard or ())
    for name in standard:
        if name not in names:
            raise NumbaValueError("Standard indexing requested for an array name not present in the stencil kernel definition.")
    if names[0] in standard:
        raise NumbaValueError("The first argument to a stencil kernel must use relative indexing, not standard indexing.")
    return [names.index(name) for name in standard]


def _teach(func, names):
    """Lets compiled code call a stencil."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names if name != "out"]
    signature = inspect.Signature([*parameters, inspect.Parameter("out", kind, default=None)])

    def overload(*args, **keywords):
        if "out" in names:
            raise NumbaValueError("Cannot use the reserved word 'out' in a stencil kernel.")
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        *args, out = bound.arguments.values()
        return _of_object(func, names, args, out)

    overload.__signature__ = signature
    _register(func, overload)


def _register(function, overload, prefer_literal=False):
    """Registers an overload of a function, and the same for parallel code."""
    from .library import in_parallel

    overload_registry.add_function(function, overload_registry.Overload(overload, {}, True, "never", prefer_literal, only=True))
    _register_parallel(in_parallel.name_of(function, "stencil_"), overload, prefer_literal)


def _register_parallel(function, overload, prefer_literal):
    """Registers an overload, asked for parallel code, of a function or the name of one."""
    from .library import in_parallel

    overload_registry.add_function(function, overload_registry.Overload(
        in_parallel.asking(overload), {"parallel": in_parallel.LOOPS}, True, "never", prefer_literal, only=True))


def _of_object(func, names, args, out):
    """The function that goes over the items, for arguments of these types."""
    from .types.typeof import typeof

    own = _unused(names)
    kernel, options = f"{own}kernel", func.options
    space = {kernel: func._dispatcher}
    hood, offsets, cval = func.neighborhood, options.get("index_offsets"), options.get("cval")
    if cval is not None:
        space[f"{own}cval"], cval = cval, (f"{own}cval", typeof(cval))
    loop = _Loop(own, space, kernel, names, args, out, _standard_places(options.get("standard_indexing"), names))
    loop.set_options(hood and [tuple(map(int, pair)) for pair in hood], offsets and list(map(int, offsets)), cval)
    loop.inspect(None)
    loop.share(func, ", ".join((*names, "out=out")))
    return source_text.function(f"{own}call({', '.join((*names, 'out=None'))})", loop.body(), loop.space)


class _Loop:
    """The loop over an array's items, as text over the texts of its arguments. Other names in it begin with `own`."""

    def __init__(self, own, space, kernel, texts, args, out, standard):
        import numpy

        self.own, self.kernel, self.texts, self.args = own, kernel, texts, args
        self.out = out if isinstance(out, types.Array) else None
        if not isinstance(args[0], types.Array):
            raise NumbaValueError("The first argument to a stencil kernel must be the primary input array.")
        self.ndim = args[0].ndim
        if not self.ndim:
            raise NumbaValueError("a stencil goes over arrays that have dimensions")
        self.relative = [at for at, ty in enumerate(args) if isinstance(ty, types.Array) and at not in standard]
        if any(args[at].ndim != self.ndim for at in self.relative):
            raise NumbaValueError("Secondary stencil array does not have same number of dimensions as the first stencil input.")
        if self.out is not None and out.ndim != self.ndim:
            raise NumbaValueError("the array for a stencil's result has other dimensions than the first array")
        self.space = {**space, **{f"{own}{name}": value for name, value in (
            ("point", stencil_point), ("np", numpy), ("raise_if", raise_if))}}

    def set_options(self, hood, offsets, cval):
        """Bounds of offsets and what is added to all of them: numbers or texts. Text and type of what the border gets."""
        if hood is not None and len(hood) != self.ndim:
            raise NumbaValueError(f"{len(hood)} dimensional neighborhood specified for {self.ndim} dimensional input array")
        if offsets is not None and len(offsets) != self.ndim:
            raise NumbaValueError(f"{len(offsets)} index offsets specified for {self.ndim} dimensional input array")
        self.hood, self.offsets, self.cval = hood, offsets, cval

    def _call(self, texts, indices):
        """The text of a call of the kernel at an item."""
        values = (f"{self.own}point({text}, ({indices},))" if at in self.relative else text for at, text in enumerate(texts))
        return f"{self.kernel}({', '.join(values)})"

    def inspect(self, kernel):
        """Finds out what the kernel gives and how far it looks. `kernel` is its type, where it is an argument itself."""
        from ._rumba import stencils

        names = [f"{self.own}{at}" for at in range(len(self.args))]
        call = self._call(names, ", ".join("0" * self.ndim))
        taken = names if kernel is None else [self.kernel, *names]
        probe = source_text.function(f"{self.own}probe({', '.join(taken)})", [f"return {call}"], self.space)
        args = [types.unliteral(ty) for ty in self.args]
        result, offsets = stencils.inspect(probe, args if kernel is None else [kernel, *args])
        self.item = types.unliteral(result)
        if not isinstance(self.item, (types.Number, types.Boolean)):
            kind = "a numpy array" if isinstance(self.item, types.Array) else str(result)
            raise NumbaValueError(f"Stencil kernel must return a scalar and not {kind}.")
        if not offsets:
            raise NumbaValueError("the stencil kernel looks at no item of an array that is indexed by offsets")
        if self.hood is None:
            self.hood = self._reach(offsets)
        self._check_border()

    def _reach(self, offsets):
        """The least and the greatest offset in each dimension."""
        reach = [(0, 0)] * self.ndim
        for index in offsets:
            for axis, found in enumerate(index):
                if found is None:
                    raise NumbaValueError(NOT_CONSTANT)
                reach[axis] = min(reach[axis][0], found[0]), max(reach[axis][1], found[1])
        return reach

    def _check_border(self):
        if self.cval is None:
            return
        text, kind = self.cval
        kind = types.unliteral(kind)
        fits = isinstance(kind, (types.Number, types.Boolean)) and (
            isinstance(self.item, types.Complex) or not isinstance(kind, types.Complex))
        if not fits:
            raise NumbaValueError(CVAL)
        if text in self.space:
            from .types.typeof import as_dtype

            try:
                self.space[text] = as_dtype(self.item).type(self.space[text])
            except (ValueError, OverflowError):
                raise NumbaValueError(CVAL) from None

    def share(self, function, texts):
        """Lets threads share the items, if it is parallel code that is made; `function` called with `texts` does the same alone."""
        from .library import in_parallel

        self.shared = in_parallel.is_asked()
        if self.shared:
            in_parallel.note()
            self.space[f"{self.own}alone"], self.space[f"{self.own}prange"] = function, prange
            self.alone = f"{self.own}alone({texts})"

    def body(self):
        """The lines of the function."""
        own, lines = self.own, self._checks()
        if self.shared:
            lines = [f"if {self.texts[0]}.size < {_FEW}:", f" return {self.alone}", *lines]
        lines.append(f"{own}shape = {self.texts[0]}.shape")
        if self.out is None:
            from .types.typeof import as_dtype

            self.space[f"{own}item"] = as_dtype(self.item)
            lines.append(f"{own}result = {own}np.empty({own}shape, {own}item)")
        else:
            lines.append(f"{own}result = out")
        lines += self._borders()
        indices = [f"{own}i{axis}" for axis in range(self.ndim)]
        for axis, (low, high) in enumerate(self.hood):
            last = f"{own}shape[{axis}] - {_at_least_0(high)}"
            over = f"{own}prange" if self.shared and axis == 0 else "range"
            lines.append(f"{' ' * axis}for {indices[axis]} in {over}({_at_least_0(_negative(low))}, {last}):")
        places = indices
        if self.offsets:
            places = [f"{index} + {offset}" for index, offset in zip(indices, self.offsets)]
        value = self._call(self.texts, ", ".join(places))
        lines.append(f"{' ' * self.ndim}{own}result[{', '.join(indices)}] = {value}")
        return [*lines, f"return {own}result"]

    def _checks(self):
        """What is compared before the loop: other arrays are not smaller than the first one."""
        own, first = self.own, self.texts[0]
        others = [(self.texts[at], SMALLER) for at in self.relative[1:]]
        if self.out is not None:
            others.append(("out", OUT_SMALLER))
        lines = []
        for number, (text, message) in enumerate(others):
            self.space[f"{own}text{number}"] = message
            smaller = " or ".join(f"{text}.shape[{axis}] < {first}.shape[{axis}]" for axis in range(self.ndim))
            lines.append(f"{own}raise_if({smaller}, 'ValueError', {own}text{number})")
        return lines

    def _borders(self):
        """Fills what has not all neighbors."""
        own, lines = self.own, []
        if self.cval is None and self.out is not None:
            return []
        value = self.cval[0] if self.cval else "0"
        for axis, (low, high) in enumerate(self.hood):
            length = f"{own}shape[{axis}]"
            first, last = _at_least_0(_negative(low)), _at_least_0(high)
            if first != "0":
                lines.append(f"{own}result[{self._along(axis, f':min({first}, {length})')}] = {value}")
            if last != "0":
                lines.append(f"{own}result[{self._along(axis, f'max({length} - {last}, 0):{length}')}] = {value}")
        return lines

    def _along(self, axis, stretch):
        """The text of an index of some places of a dimension, and of all of the first array in the others: a given result may be larger."""
        whole = [f":{self.own}shape[{at}]" if self.out is not None else ":" for at in range(self.ndim)]
        return ", ".join([*whole[:axis], stretch, *whole[axis + 1:]])


def _negative(bound):
    return f"-({bound})" if isinstance(bound, str) else -bound


def _at_least_0(bound):
    return f"max({bound}, 0)" if isinstance(bound, str) else str(max(bound, 0))


SMALLER = "Secondary stencil array has some dimension smaller the same dimension in the first stencil input."
OUT_SMALLER = "the array for a stencil's result is smaller than the first array"


def _unused(names):
    own = "_"
    while any(name.startswith(own) for name in names):
        own += "_"
    return own


# Compiled code makes a stencil of a function of its own.

def _is_absent(ty):
    return ty is None or isinstance(ty, (types.NoneType, types.Omitted)) or ty == types.none


def _in_compiled_code(func_or_mode="constant", neighborhood=None, cval=None, standard_indexing=None, index_offsets=None):
    from .library import in_parallel

    go = run
    if in_parallel.is_asked():
        in_parallel.note()
        go = run_on_threads
    if isinstance(func_or_mode, (types.Literal, str)):
        _check_mode(getattr(func_or_mode, "literal_value", func_or_mode))

        def decorator(func_or_mode="constant", neighborhood=None, cval=None, standard_indexing=None, index_offsets=None):
            def decorate(kernel):
                def apply(*args, out=None):
                    return go(kernel, neighborhood, cval, standard_indexing, index_offsets, out, args)
                return apply
            return decorate
        return decorator

    def made(func_or_mode="constant", neighborhood=None, cval=None, standard_indexing=None, index_offsets=None):
        def apply(*args, out=None):
            return go(func_or_mode, neighborhood, cval, standard_indexing, index_offsets, out, args)
        return apply
    return made


def run(kernel, neighborhood, cval, standard_indexing, index_offsets, out, args):
    """A stencil's loop with all that it is made of, for compiled code."""
    raise NotImplementedError("compiled code runs stencils that it makes")


def run_on_threads(kernel, neighborhood, cval, standard_indexing, index_offsets, out, args):
    """The same, for code that runs on several threads."""
    raise NotImplementedError("compiled code runs stencils that it makes")


_PARAMETERS = tuple(inspect.signature(run).parameters)


def _run(kernel, neighborhood, cval, standard_indexing, index_offsets, out, args):
    texts = [f"args[{at}]" for at in range(len(args))]
    standard = () if _is_absent(standard_indexing) else _standard_places(_texts(standard_indexing), _parameters(kernel))
    loop = _Loop("_", {}, "kernel", texts, list(args), out, standard)
    hood = None if _is_absent(neighborhood) else [
        (f"neighborhood[{axis}][0]", f"neighborhood[{axis}][1]") for axis in range(len(neighborhood))]
    offsets = None if _is_absent(index_offsets) else [f"index_offsets[{axis}]" for axis in range(len(index_offsets))]
    loop.set_options(hood, offsets, None if _is_absent(cval) else ("cval", cval))
    loop.inspect(kernel)
    loop.share(run, ", ".join(_PARAMETERS))
    return source_text.function(f"call({', '.join(_PARAMETERS)})", loop.body(), loop.space)


def _texts(ty):
    """The names that an argument stands for, which are to be constants."""
    if isinstance(ty, types.BaseTuple):
        return tuple(name for item in ty for name in _texts(item))
    value = getattr(ty, "literal_value", None)
    if not isinstance(value, str):
        raise TypingError("standard_indexing names parameters by constant strings")
    return (value,)


def _parameters(kernel):
    if isinstance(kernel, types.Dispatcher):
        return _names_of(kernel.dispatcher.py_func)
    return kernel.parameters


for _function, _overload in (stencil, _in_compiled_code), (run, _run):
    # The mode is a literal.
    _register(_function, _overload, True)
_register_parallel(run_on_threads, _run, True)
