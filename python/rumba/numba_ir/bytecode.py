"""The bytecode of functions for tools: instructions, blocks, and the graph they form.

Read from the code object by CPython's own `dis`, so offsets, names and arguments are CPython's, caches
left out and prefixes (EXTENDED_ARG) part of the instruction they extend. The compiler does not use this
module: it decodes bytecode itself.
"""
import dis
import inspect
import itertools
import sys

from .controlflow import CFGraph
from ..errors import ByteCodeSupportError

_LEAVES = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
_ALWAYS_JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"})
_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


class FunctionIdentity:
    """What identifies a function: its names, code and parameters, and a number of its own."""

    _numbers = itertools.count(1)

    @classmethod
    def from_function(cls, pyfunc):
        """The identity of a Python function, or of the function behind a dispatcher."""
        if not callable(pyfunc):
            raise TypeError(f"{pyfunc!r} is not callable, so it is no function")
        func = getattr(pyfunc, "py_func", pyfunc)
        code = getattr(func, "__code__", None)
        if code is None:
            raise ByteCodeSupportError(f"{func!r} has no bytecode: it is not written in Python")
        self = cls()
        self.func, self.code = func, code
        self.func_qualname = getattr(func, "__qualname__", func.__name__)
        self.func_name = func.__name__
        self.module = inspect.getmodule(func)
        self.modname = "<dynamic module>" if self.module is None else self.module.__name__
        self.is_generator = inspect.isgeneratorfunction(func)
        self.pysig = inspect.signature(func)
        self.arg_names, self.arg_count = list(self.pysig.parameters), len(self.pysig.parameters)
        self.filename, self.firstlineno = code.co_filename, code.co_firstlineno
        self._number()
        return self

    def derive(self):
        """The same function under a new number."""
        other = type(self)()
        other.__dict__.update(self.__dict__)
        other._number()
        return other

    def _number(self):
        self.unique_id = next(self._numbers)
        self.unique_name = f"{self.func_qualname}${self.unique_id}"


class ByteCodeInst:
    """An instruction. `next` is the offset of the one behind it."""

    __slots__ = ("offset", "next", "opcode", "opname", "arg", "lineno", "_target")

    def __init__(self, offset, behind, instruction, line):
        self.offset, self.next, self.lineno = offset, behind, line
        self.opcode, self.opname, self.arg = instruction.opcode, instruction.opname, instruction.arg
        self._target = instruction.argval if instruction.opcode in _JUMPS else None

    @property
    def is_jump(self):
        """Whether it may jump."""
        return self._target is not None

    @property
    def is_terminator(self):
        """Whether it leaves the function."""
        return self.opname in _LEAVES

    def get_jump_target(self):
        """The offset it may jump to."""
        if self._target is None:
            raise ValueError(f"{self.opname} at {self.offset} does not jump")
        return self._target

    def _successors(self):
        """Offsets that control may go on with, exceptions aside."""
        if self.opname in _LEAVES:
            return ()
        if self.opname in _ALWAYS_JUMPS:
            return (self._target,)
        return (self.next,) if self._target is None else (self.next, self._target)

    def __repr__(self):
        return f"{self.opname}(arg={self.arg}, lineno={self.lineno})"


def _read(code):
    """The instructions of a code object, prefixes merged."""
    lines = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
    found, start = [], None
    for instruction in dis.get_instructions(code):
        start = instruction.offset if start is None else start
        if instruction.opname == "EXTENDED_ARG":
            continue
        if found:
            found[-1].next = start
        found.append(ByteCodeInst(start, len(code.co_code), instruction, lines.get(start)))
        start = None
    return found


class ByteCode:
    """The instructions of a function, in order: iterate, or index by offset."""

    def __init__(self, func_id):
        code = func_id.code
        self.func_id = func_id
        self.co_names, self.co_varnames, self.co_consts = code.co_names, code.co_varnames, code.co_consts
        self.co_cellvars, self.co_freevars = code.co_cellvars, code.co_freevars
        self.table = {instruction.offset: instruction for instruction in _read(code)}
        # Protected stretches with their handlers.
        self.exception_entries = tuple(dis._parse_exception_table(code))
        jumps = {instruction._target for instruction in self if instruction.is_jump}
        self.labels = sorted({0} | jumps | {entry.target for entry in self.exception_entries})

    def __iter__(self):
        return iter(self.table.values())

    def __len__(self):
        return len(self.table)

    def __getitem__(self, offset):
        return self.table[offset]

    def __contains__(self, offset):
        return offset in self.table

    def dump(self):
        """The instructions as text; those that are jumped to are marked."""
        labels = set(self.labels)
        return "\n".join(
            f"{'>' if offset in labels else ' '} {offset:10}\t{instruction}"
            for offset, instruction in self.table.items())

    def get_used_globals(self):
        """Name -> value of the global variables and builtins that the function and the functions
        inside it read."""
        function = self.func_id.func
        found, work = {}, [self.func_id.code]
        while work:
            code = work.pop()
            work.extend(const for const in code.co_consts if inspect.iscode(const))
            for instruction in dis.get_instructions(code):
                name = instruction.argval
                if instruction.opname != "LOAD_GLOBAL" or name in found:
                    continue
                for namespace in (function.__globals__, function.__builtins__):
                    if name in namespace:
                        found[name] = namespace[name]
                        break
        return found


def load_global_name(arg):
    """The index of a LOAD_GLOBAL's name: the lowest bit says whether a call follows."""
    return arg >> 1


class CFBlock:
    """A basic block: the offsets of its instructions, and the offsets of the blocks around it.

    Edges carry how many values they take from the stack, which is 0 here."""

    def __init__(self, offset):
        self.offset = offset
        self.body = []
        self.outgoing_jumps, self.incoming_jumps = {}, {}
        self.terminating = False

    def __iter__(self):
        return iter(self.body)

    def __repr__(self):
        return (f"block(offset:{self.offset}, outgoing: {sorted(self.outgoing_jumps)}, "
                f"incoming: {sorted(self.incoming_jumps)})")


class ControlFlowAnalysis:
    """The blocks of a function's bytecode, and their graph, once `run` was called.

    Blocks are named by the offset of their first instruction. A block that a handler protects has an
    edge to it."""

    def __init__(self, bytecode):
        self.bytecode = bytecode
        self.blocks, self.blockseq, self.liveblocks = {}, [], []
        self.graph, self.backbone = CFGraph(), set()

    def run(self):
        """Finds blocks and edges."""
        self._find_blocks()
        for block in self.blocks.values():
            self.graph.add_node(block.offset)
        for block in self.blocks.values():
            self._add_edges(block)
        self.graph.set_entry_point(self.blockseq[0])
        self.graph.process()
        live = self.graph.nodes()
        self.liveblocks = [offset for offset in self.blockseq if offset in live]
        for block in self.blocks.values():
            block.incoming_jumps = {
                src: taken for src, taken in block.incoming_jumps.items() if src in live}
        in_loops = set().union(*(loop.body for loop in self.graph.loops().values()))
        self.backbone = self.graph.backbone() - in_loops

    def _starts(self):
        starts = {next(iter(self.bytecode)).offset, *self.bytecode.labels}
        for entry in self.bytecode.exception_entries:
            starts.update((entry.start, entry.end))
        for instruction in self.bytecode:
            if instruction.is_jump or instruction.is_terminator:
                starts.add(instruction.next)
        return starts

    def _find_blocks(self):
        starts, block = self._starts(), None
        for instruction in self.bytecode:
            if instruction.offset in starts:
                block = self.blocks[instruction.offset] = CFBlock(instruction.offset)
            block.body.append(instruction.offset)
        self.blockseq = list(self.blocks)

    def _add_edges(self, block):
        last = self.bytecode[block.body[-1]]
        block.terminating = last.is_terminator
        targets = [*last._successors(), *(
            entry.target for entry in self.bytecode.exception_entries
            if entry.start <= block.offset < entry.end)]
        for target in targets:
            if target in self.blocks:
                block.outgoing_jumps[target] = 0
                self.blocks[target].incoming_jumps[block.offset] = 0
                self.graph.add_edge(block.offset, target, 0)

    def iterblocks(self):
        """All blocks in the order of the bytecode."""
        return (self.blocks[offset] for offset in self.blockseq)

    def iterliveblocks(self):
        """The blocks that can be reached, in the order of the bytecode."""
        return (self.blocks[offset] for offset in self.liveblocks)

    def incoming_blocks(self, block):
        """Pairs: a block with an edge to this one, and how many values the edge takes."""
        return ((self.blocks[src], taken) for src, taken in block.incoming_jumps.items())

    def dump(self, file=None):
        """Prints everything that is known of the graph."""
        self.graph.dump(file or sys.stdout)
