"""Blocks and functions."""
import copy
import io
import itertools
import sys

from ..errors import VerificationError
from .expr import Expr
from .nodes import Inst, Var
from .statements import Assign, Stmt, target_of


class Block(Inst):
    """A basic block: its statements are `body`, the last one leaves it."""

    def __init__(self, scope, loc):
        self.scope, self.body, self.loc = scope, [], loc

    def copy(self):
        """A block with the same statements."""
        block = Block(self.scope, self.loc)
        block.body = self.body[:]
        return block

    def find_exprs(self, op=None):
        """The operations that are assigned; those of one op."""
        for inst in self.body:
            if isinstance(inst, Assign) and isinstance(inst.value, Expr) and op in (None, inst.value.op):
                yield inst.value

    def find_insts(self, cls=None):
        """The statements; those of a class, or of one of several."""
        return (inst for inst in self.body if isinstance(inst, cls or Stmt))

    def find_variable_assignment(self, name):
        """The assignment to a variable, or None."""
        for inst in self.find_insts(Assign):
            if inst.target.name == name:
                return inst
        return None

    def prepend(self, inst):
        """Puts a statement in front."""
        self.body.insert(0, inst)

    def append(self, inst):
        """Puts a statement behind."""
        self.body.append(inst)

    def remove(self, inst):
        """Takes a statement out: this one, or the first that is equal."""
        for index, known in enumerate(self.body):
            if known is inst:
                del self.body[index]
                return
        self.body.remove(inst)

    def clear(self):
        """Takes all out."""
        del self.body[:]

    def insert_after(self, stmt, other):
        """Puts a statement behind another one."""
        self.body.insert(self.body.index(other) + 1, stmt)

    def insert_before_terminator(self, stmt):
        """Inserts a statement before the last one."""
        self.body.insert(-1, stmt)

    @property
    def terminator(self):
        """The last statement."""
        return self.body[-1]

    @property
    def is_terminated(self):
        """Whether the last statement leaves the block."""
        return bool(self.body) and getattr(self.body[-1], "is_terminator", False)

    def verify(self):
        """A VerificationError if the block is not left by its last statement alone."""
        if not self.is_terminated:
            raise VerificationError("Missing block terminator", loc=self.loc)
        for inst in self.body[:-1]:
            if getattr(inst, "is_terminator", False):
                raise VerificationError("Terminator before the last instruction", loc=inst.loc)

    def operands(self):
        """The statements."""
        return {"body": self.body}

    def dump(self, file=None):
        """Prints the statements, each with its variables."""
        print(self.text(), file=file or sys.stdout)

    def text(self):
        """The statements, each with its variables."""
        lines = []
        for inst in self.body:
            names = inst.list_vars() if hasattr(inst, "list_vars") else []
            listed = ", ".join(repr(name) for name in sorted({var.name for var in names}))
            lines.append(f"    {inst!s:40} [{listed}]")
        return "\n".join(lines)

    def __repr__(self):
        return f"<ir.Block at {self.loc}>"


class _Range:
    """From one label to another."""

    def __init__(self, entry, exit):
        self.entry, self.exit = entry, exit

    def __eq__(self, other):
        return type(self) is type(other) and (self.entry, self.exit) == (other.entry, other.exit)

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return f"{type(self).__name__}(entry={self.entry}, exit={self.exit})"


class Loop(_Range):
    """A loop."""


class With(_Range):
    """A `with`."""


class FunctionIR:
    """A function: `blocks` by their labels; `func_id` identifies the Python function."""

    def __init__(self, blocks, is_generator, func_id, loc, definitions, arg_count, arg_names):
        self.blocks, self.is_generator, self.func_id, self.loc = blocks, is_generator, func_id, loc
        self.arg_count, self.arg_names, self._definitions = arg_count, arg_names, definitions
        self.generator_info = None

    def definitions_anew(self):
        """Looks again at what each variable is assigned."""
        found = {}
        for block in self.blocks.values():
            for inst in block.body:
                name = target_of(inst)
                if name is not None:
                    found.setdefault(name, []).append(inst.value)
        self._definitions = found

    def derive(self, blocks, arg_count=None, arg_names=None, force_non_generator=False):
        """The same function with other blocks."""
        new = copy.copy(self)
        new.blocks, new.loc = blocks, blocks[min(blocks)].loc
        new.arg_count = self.arg_count if arg_count is None else arg_count
        new.arg_names = self.arg_names if arg_names is None else arg_names
        new.is_generator = self.is_generator and not force_non_generator
        new.definitions_anew()
        return new

    def copy(self):
        """The same function with blocks of its own."""
        new = copy.copy(self)
        new.blocks = {label: block.copy() for label, block in self.blocks.items()}
        new._definitions = {name: list(values) for name, values in self._definitions.items()}
        return new

    def get_definition(self, value, lhs_only=False):
        """What the only assignment to a variable assigns, through copies; KeyError if there are none or several.
        With `lhs_only`, the variable at the end of the copies."""
        lhs = value
        while True:
            if isinstance(value, Var):
                lhs, name = value, value.name
            elif isinstance(value, str):
                lhs = name = value
            else:
                return lhs if lhs_only else value
            found = self._definitions.get(name, [])
            if not found:
                raise KeyError(f"no definition for {name!r}")
            if len(found) > 1:
                raise KeyError(f"more than one definition for {name!r}")
            value = found[0]

    def get_assignee(self, rhs_value, in_blocks=None):
        """The variable that this very value is assigned to."""
        blocks = self.blocks.values() if in_blocks is None else [self.blocks[label] for label in in_blocks]
        for block in blocks:
            for inst in block.find_insts(Assign):
                if inst.value is rhs_value:
                    return inst.target
        raise ValueError(f"could not find an assignee for {rhs_value}")

    def infer_constant(self, name):
        """The value of a variable that holds a constant; ConstantInferenceError for others."""
        from .constants import infer_constant

        return infer_constant(self, name)

    def get_block_entry_vars(self, block):
        """Names of the variables that live where a block begins."""
        from ..rewriting.liveness import live_in

        labels = [label for label, known in self.blocks.items() if known is block]
        return live_in(self.blocks)[labels[0]]

    def equal_ir(self, other):
        """Whether another function has equal blocks."""
        return type(other) is FunctionIR and self.blocks == other.blocks

    def diff_str(self, other):
        """What another function has otherwise, block by block, for people."""
        if self.equal_ir(other):
            return "IR is considered equivalent."
        lines = []
        for label in sorted(self.blocks.keys() | other.blocks.keys()):
            mine, theirs = self.blocks.get(label), other.blocks.get(label)
            if mine is None or theirs is None:
                lines.append(f"Block {label} is in one of them alone.")
            elif mine != theirs:
                lines += [f" Block {label} differs ".center(80, "-"), *_differences(mine.body, theirs.body)]
        return "\n".join(lines)

    def dump(self, file=None):
        """Prints the function."""
        print(self.dump_to_string(), end="", file=file or sys.stdout)

    def dump_to_string(self):
        """The function as text."""
        out = io.StringIO()
        for label, block in sorted(self.blocks.items()):
            print(f"label {label}:\n{block.text()}", file=out)
        return out.getvalue()

    def __repr__(self):
        return f"<FunctionIR of {self.func_id.func_qualname}>"


def _differences(mine, theirs):
    if len(mine) != len(theirs):
        yield f"{'This' if len(mine) > len(theirs) else 'Other'} block contains more statements"
    for one, other in itertools.zip_longest(map(str, mine), map(str, theirs), fillvalue=""):
        yield f"{'  ' if one == other else '->'} {one:60} | {other}"
