"""Operations: an `Expr` has an `op` and named operands, which are attributes.

The constructors here are Numba's. Two kinds of operations go beyond: those of the compiler that Numba writes in
another way have the compiler's own name as their `op`, `values`, `attrs` and the number of `results`; and any other
`op` is one of a library's own (`rumba.rewriting.lower_op`).
"""
import operator

from ..errors import ConstantInferenceError
from .nodes import UNDEFINED, Inst, Var, vars_in

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "@": operator.matmul}
INPLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv,
    "%": operator.imod, "**": operator.ipow, "<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand,
    "|": operator.ior, "^": operator.ixor, "@": operator.imatmul}
COMPARE = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is_not": operator.is_not, "in": operator.contains}
UNARY = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "not": operator.not_}

SYMBOLS = {function: text for table in (COMPARE, BINARY) for text, function in table.items()}
SYMBOLS[operator.is_not] = "is not"
SYMBOLS.update({function: f"{text}=" for text, function in INPLACE.items()})


class Expr(Inst):
    """An operation."""

    def __init__(self, op, loc, **kws):
        if not isinstance(op, str):
            raise TypeError(f"the op of an Expr is a str, not {op!r}")
        self.__dict__["op"], self.__dict__["loc"], self.__dict__["_kws"] = op, loc, kws

    def __getattr__(self, name):
        if name.startswith("__") or name == "_kws":
            raise AttributeError(name)
        try:
            return self._kws[name]
        except KeyError:
            raise AttributeError(f"an Expr with the op {self.op!r} has no {name!r}") from None

    def __setattr__(self, name, value):
        if name in ("op", "loc", "_kws") or name.startswith("_"):
            self.__dict__[name] = value
        else:
            self._kws[name] = value

    def __eq__(self, other):
        return type(other) is type(self) and self.op == other.op and self._kws == other._kws

    __hash__ = Inst.__hash__

    def __reduce__(self):
        return _restore, (self.op, self.loc, self._kws)

    def __copy__(self):
        return Expr(self.op, self.loc, **self._kws)

    def operands(self):
        """The named operands."""
        return self._kws

    def list_vars(self):
        """The variables among the operands."""
        return list(vars_in(self._kws))

    def infer_constant(self):
        """An operation is none."""
        raise ConstantInferenceError(str(self), loc=self.loc)

    # ---- constructors ----

    @classmethod
    def binop(cls, fn, lhs, rhs, loc):
        """`lhs + rhs`; `fn` is a function of `operator`, also for comparisons."""
        return cls("binop", loc, fn=fn, lhs=lhs, rhs=rhs, static_lhs=UNDEFINED, static_rhs=UNDEFINED)

    @classmethod
    def inplace_binop(cls, fn, immutable_fn, lhs, rhs, loc):
        """`lhs += rhs`."""
        return cls(
            "inplace_binop", loc, fn=fn, immutable_fn=immutable_fn, lhs=lhs, rhs=rhs, static_lhs=UNDEFINED,
            static_rhs=UNDEFINED)

    @classmethod
    def unary(cls, fn, value, loc):
        """`-value`; `fn` is a function of `operator`, or its sign."""
        return cls("unary", loc, fn=_SIGNS.get(fn, fn), value=value)

    @classmethod
    def call(cls, func, args, kws, loc, vararg=None, varkwarg=None, target=None):
        """`func(*args, **kws)`; `kws` are pairs of names and variables."""
        if not isinstance(func, Var):
            raise TypeError(f"what is called is a Var, not {func!r}")
        return cls("call", loc, func=func, args=args, kws=kws, vararg=vararg, varkwarg=varkwarg, target=target)

    @classmethod
    def build_tuple(cls, items, loc):
        """`(a, b)`."""
        return cls("build_tuple", loc, items=items)

    @classmethod
    def build_list(cls, items, loc):
        """`[a, b]`."""
        return cls("build_list", loc, items=items)

    @classmethod
    def build_set(cls, items, loc):
        """`{a, b}`."""
        return cls("build_set", loc, items=items)

    @classmethod
    def build_map(cls, items, size, literal_value, value_indexes, loc):
        """`{a: b}`; the items are pairs."""
        return cls(
            "build_map", loc, items=items, size=size, literal_value=literal_value, value_indexes=value_indexes)

    @classmethod
    def pair_first(cls, value, loc):
        """What `iternext` gave."""
        return cls("pair_first", loc, value=value)

    @classmethod
    def pair_second(cls, value, loc):
        """Whether `iternext` gave anything."""
        return cls("pair_second", loc, value=value)

    @classmethod
    def getiter(cls, value, loc):
        """`iter(value)`."""
        return cls("getiter", loc, value=value)

    @classmethod
    def iternext(cls, value, loc):
        """The next item of an iterator, and whether there is one."""
        return cls("iternext", loc, value=value)

    @classmethod
    def exhaust_iter(cls, value, count, loc):
        """A tuple of exactly `count` items."""
        return cls("exhaust_iter", loc, value=value, count=count)

    @classmethod
    def getattr(cls, value, attr, loc):
        """`value.attr`."""
        return cls("getattr", loc, value=value, attr=attr)

    @classmethod
    def getitem(cls, value, index, loc):
        """`value[index]`."""
        return cls("getitem", loc, value=value, index=index, fn=operator.getitem)

    @classmethod
    def typed_getitem(cls, value, dtype, index, loc):
        """`value[index]` whose type is known."""
        return cls("typed_getitem", loc, value=value, dtype=dtype, index=index, fn=operator.getitem)

    @classmethod
    def static_getitem(cls, value, index, index_var, loc):
        """`value[index]` with an index that is known; `index_var` holds it, too."""
        return cls("static_getitem", loc, value=value, index=index, index_var=index_var, fn=operator.getitem)

    @classmethod
    def cast(cls, value, loc):
        """A value on its way out of the function."""
        return cls("cast", loc, value=value)

    @classmethod
    def phi(cls, loc):
        """Where versions of a variable meet."""
        return cls("phi", loc, incoming_values=[], incoming_blocks=[])

    @classmethod
    def make_function(cls, name, code, closure, defaults, loc):
        """A function of a code object."""
        return cls("make_function", loc, name=name, code=code, closure=closure, defaults=defaults)

    @classmethod
    def null(cls, loc):
        """Nothing."""
        return cls("null", loc)

    @classmethod
    def undef(cls, loc):
        """The value of a name that is not bound."""
        return cls("undef", loc)

    @classmethod
    def dummy(cls, op, info, loc):
        """Something that only rewrites know."""
        return cls("dummy", loc, info=info)

    # ---- text ----

    def __repr__(self):
        kws = self._kws
        if self.op == "binop" and "fn" in kws:
            return f"{kws['lhs']} {SYMBOLS.get(kws['fn'], kws['fn'])} {kws['rhs']}"
        listed = ", ".join(f"{name}={_text(value)}" for name, value in kws.items())
        if self.op == "call":
            args = [str(arg) for arg in kws["args"]] + [f"{name}={value}" for name, value in kws["kws"]]
            args += [f"{stars}{kws[name]}" for stars, name in (("*", "vararg"), ("**", "varkwarg")) if kws.get(name)]
            return f"call {kws['func']}({', '.join(args)}, {listed})"
        if self.op == "arrayexpr":
            return f"arrayexpr(ty={kws.get('ty')}, expr={_tree(kws['expr'])})"
        return f"{self.op}({listed})"


def _restore(op, loc, kws):
    return Expr(op, loc, **kws)


def _text(value):
    return str(value) if isinstance(value, (Var, type(UNDEFINED))) else repr(value)


def _tree(expr):
    """The expression of an `arrayexpr`, with the signs of its operators."""
    if not isinstance(expr, tuple):
        return repr(expr)
    fn, operands = expr
    sign = SYMBOLS.get(fn) or next((word for word, known in _SIGNS.items() if known is fn), None)
    shown = repr(sign) if sign else getattr(fn, "__name__", repr(fn))
    return f"({shown}, [{', '.join(map(_tree, operands))}])"


_SIGNS = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}

