"""Programs as trees, and their text in Python and in the emulator's form. Absent: how they come about."""
from . import widths


class Expr:
    """An operator of the grammar with its operands, or a leaf without a row.

    A leaf has its text; so has an operator, with `{0}`, `{1}` for the operands.
    """

    __slots__ = ("kind", "python", "emulated", "args", "row", "constant")

    def __init__(self, kind, python, emulated=None, args=(), row=None, constant=False):
        self.kind = kind
        self.python = python
        self.emulated = emulated or python
        self.args = list(args)
        self.row = row
        self.constant = constant

    def is_in_the_text(self):
        """Whether the value is a literal or a global constant."""
        return self.constant or self.python.startswith("G_")

    def text(self, emulated=False):
        """The expression's source."""
        template = self.emulated if emulated else self.python
        if template.startswith("fpow(") and len(self.args) == 2 and self.args[1].is_in_the_text():
            template = f"named_power({template.removeprefix('fpow(')}"
        return template.format(*(arg.text(emulated) for arg in self.args))

    def walk(self):
        """The expression and all its operands."""
        yield self
        for arg in self.args:
            yield from arg.walk()


class Stmt:
    """A statement: a kind, expressions, and parts of a header line with an optional block each.

    Headers contain `{0}`, `{1}` for the expressions. A simple statement is one part without a block.
    """

    __slots__ = ("kind", "exprs", "parts", "emulated")

    def __init__(self, kind, parts, exprs=(), emulated=None):
        self.kind = kind
        self.parts = [parts] if isinstance(parts, str) else list(parts)
        self.parts = [(part, None) if isinstance(part, str) else part for part in self.parts]
        self.exprs = list(exprs)
        # The header of a simple statement where the emulated form is another.
        self.emulated = emulated

    def lines(self, indent, emulated):
        """The statement's source, line by line."""
        texts = [expr.text(emulated) for expr in self.exprs]
        pad = "    " * indent
        for header, block in self.parts:
            template = self.emulated if emulated and self.emulated else header
            yield pad + template.format(*texts)
            if block is not None:
                if emulated and header.startswith(("for", "while")):
                    yield pad + "    tick()"
                yield from block_lines(block, indent + 1, emulated)

    def walk(self):
        """The statement and all inside it."""
        yield self
        for _, block in self.parts:
            for stmt in block or ():
                yield from stmt.walk()


def block_lines(block, indent, emulated):
    """The source of a block, `pass` if it is empty."""
    if not block:
        yield "    " * indent + "pass"
    for stmt in block:
        yield from stmt.lines(indent, emulated)


# What stands before the functions where it is used.
PRELUDE = (
    (("np.",), "import numpy as np"),
    (("operator.",), "import operator"),
    (("cmath.",), "import cmath"),
    (("Pair(",), 'from collections import namedtuple\n\nPair = namedtuple("Pair", "x y")'),
    (("Odd",), "\n\nclass Odd(Exception):\n    pass\n"),
    (("G_INT", "G_FLOAT", "G_BOOL", "G_PAIR"), "G_INT, G_FLOAT, G_BOOL, G_PAIR = 9007199254740993, -2.5, True, (3, 0.75)"),
)


class Function:
    """A function of a program: name, parameters with types, type of the result, body.

    `header`: the parameters as they are written, where that is more than their names.
    """

    def __init__(self, name, params, result, body, header=None):
        self.name, self.params, self.result, self.body = name, params, result, body
        self.header = header or ", ".join(name for name, _ in params)

    def lines(self, emulated):
        """The function's source, line by line."""
        yield f"def {self.name}({self.header}):"
        if emulated:
            yield "    tick()"
        yield from block_lines(self.body, 1, emulated)


class Program:
    """Functions; the first one is called with each of the inputs.

    The interpreter, which prepares the program for each call anew, runs one of `interpret_every` inputs.
    """

    def __init__(self, functions, inputs, interpret_every=1):
        self.functions, self.inputs, self.interpret_every = functions, inputs, interpret_every

    def source(self, emulated=False):
        """The program's text."""
        text = "\n".join(line for function in self.functions for line in ["", "", *function.lines(emulated)]) + "\n"
        # The emulation has a `math` of its own.
        lines = ([] if emulated else ["import math"]) + [line for words, line in PRELUDE if any(word in text for word in words)]
        if emulated:
            lines.remove("import numpy as np") if "import numpy as np" in lines else None
        return "\n".join(lines) + text

    def native(self, args):
        """The arguments as Python passes them to compiled code: NumPy's scalars for types of a width of their own."""
        if not any(kind in widths.NARROW for _, kind in self.functions[0].params):
            return args
        import numpy

        kinds = [kind for _, kind in self.functions[0].params]
        return tuple(getattr(numpy, kind)(arg) if kind in widths.NARROW else arg for arg, kind in zip(args, kinds))

    def statements(self):
        """All statements of all functions."""
        for function in self.functions:
            for stmt in function.body:
                yield from stmt.walk()

    def expressions(self):
        """All expressions."""
        for stmt in self.statements():
            for expr in stmt.exprs:
                yield from expr.walk()
