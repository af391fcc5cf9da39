"""Code objects as lists of instructions that can be split, extended and reassembled.

An instruction names its variable by the slot of the code that it was read from, and what it jumps to by the instruction,
so that neither moves when others come in between. Superinstructions are read as the two that they stand for.

Absent: what the instructions mean (`rumba.object_mode.lifted_loops`), code of `with objmode(...)` blocks (`rumba.object_mode.object_blocks`).
"""
import dis
import sys

VERSION = sys.version_info[:2]
_OF_SLOTS = frozenset(dis.haslocal) | frozenset(dis.hasfree)
_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
_PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"), "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}


class Instruction:
    """One instruction: its name, its argument (a slot for variables), what it jumps to, where its exceptions go, and its place in
    the source."""

    __slots__ = ("op", "arg", "target", "handler", "position")

    def __init__(self, op, arg=0, target=None, handler=None, position=None):
        self.op, self.arg, self.target, self.handler, self.position = op, arg, target, handler, position

    def copy(self):
        """The same instruction once more."""
        return Instruction(self.op, self.arg, self.target, self.handler, self.position)

    def falls_through(self):
        """Whether control may go on behind it."""
        return self.op not in _LEAVES

    def __repr__(self):
        return f"<{self.op} {self.arg}>"


_LEAVES = frozenset({
    "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT",
    "INTERPRETER_EXIT"})


class Handler:
    """What handles exceptions: its first instruction, the height of the stack there, whether the place is pushed."""

    __slots__ = ("target", "depth", "lasti")

    def __init__(self, target, depth, lasti):
        self.target, self.depth, self.lasti = target, depth, lasti


def slot_names(code):
    """The variable of each slot."""
    return code.co_varnames + tuple(n for n in code.co_cellvars if n not in code.co_varnames) + code.co_freevars


def is_of_slot(instruction):
    """Whether the instruction is about a variable of the function."""
    return dis.opmap[instruction.op] in _OF_SLOTS


def read(code):
    """The instructions of a code object."""
    out, by_offset, jumps, start = [], {}, [], None
    for found in dis.get_instructions(code):
        start = found.offset if start is None else start
        if found.opname == "EXTENDED_ARG":
            continue
        by_offset[start], start = len(out), None
        position = tuple(found.positions)
        pair = _PAIRS.get(found.opname)
        if pair:
            out.append(Instruction(pair[0], found.arg >> 4, None, None, position))
            out.append(Instruction(pair[1], found.arg & 15, None, None, position))
            continue
        made = Instruction(found.opname, found.arg or 0, None, None, position)
        if found.opcode in _JUMPS:
            jumps.append((made, found.argval))
        out.append(made)
    for made, offset in jumps:
        made.target = out[by_offset[offset]]
    offsets = sorted(by_offset)
    for entry in dis._parse_exception_table(code):
        handler = Handler(out[by_offset[entry.target]], entry.depth, entry.lasti)
        first, last = by_offset[entry.start], next((by_offset[at] for at in offsets if at >= entry.end), len(out))
        for made in out[first:last]:
            made.handler = handler
    return out


def write(code, instructions, *, varnames, cellvars, freevars, slots, consts, stack, argcount=None, flags=None):
    """A code object like `code` of these instructions. `slots` are the variables by the slots that the instructions name, by
    name and in the order of `slot_names`."""
    names = varnames + tuple(n for n in cellvars if n not in varnames) + freevars
    place = {name: number for number, name in enumerate(names)}
    args = [place[slots[made.arg]] if is_of_slot(made) else made.arg for made in instructions]
    at = _lay_out(instructions, args)
    out, positions = bytearray(), []
    for number, made in enumerate(instructions):
        arg = args[number] if made.target is None else _distance(made, at, number)
        encoded = encode(made.op, arg)
        out += encoded
        positions += [made.position or (code.co_firstlineno, None, None, None)] * (len(encoded) // 2)
    changes = {} if argcount is None else {
        "co_argcount": argcount, "co_posonlyargcount": 0, "co_kwonlyargcount": 0, "co_flags": flags}
    return code.replace(
        co_code=bytes(out), co_varnames=varnames, co_nlocals=len(varnames), co_cellvars=cellvars, co_freevars=freevars,
        co_consts=consts, co_stacksize=stack, co_linetable=line_table(positions, code.co_firstlineno),
        co_exceptiontable=_exception_table(instructions, at), **changes)


def _lay_out(instructions, args):
    """The start of each instruction, in code units, and the end of the last; grows until all arguments fit."""
    number_of = {id(made): number for number, made in enumerate(instructions)}
    sizes = [len(encode(made.op, 0 if made.target is not None else args[number])) // 2
             for number, made in enumerate(instructions)]
    while True:
        at = {}
        units = 0
        for number, made in enumerate(instructions):
            at[id(made)] = at[number] = units
            units += sizes[number]
        at["end"] = at[len(instructions)] = units
        changed = False
        for number, made in enumerate(instructions):
            if made.target is not None:
                if id(made.target) not in number_of:
                    raise ValueError(f"{made} leads out of the code")
                size = len(encode(made.op, _distance(made, at, number))) // 2
                if size > sizes[number]:
                    sizes[number], changed = size, True
        if not changed:
            return at


def _distance(made, at, number):
    to, behind = at[id(made.target)], at[number + 1]
    distance = behind - to if "BACKWARD" in made.op else to - behind
    if distance < 0:
        raise ValueError(f"{made} leads in the other direction")
    return distance


def encode(op, arg):
    """The bytes of an instruction, given by name or number, with its caches."""
    number = dis.opmap[op] if isinstance(op, str) else op
    out = bytearray()
    for shift in (24, 16, 8):
        if arg >> shift:
            out += bytes((dis.EXTENDED_ARG, arg >> shift & 0xff))
    return out + bytes((number, arg & 0xff)) + bytes(2 * _caches(number))


def _caches(number):
    entries = dis._inline_cache_entries
    return entries.get(dis.opname[number], 0) if isinstance(entries, dict) else entries[number]


def _exception_table(instructions, at):
    """The handlers, in the form of Objects/exception_handling_notes.txt of CPython."""
    runs = []
    for number, made in enumerate(instructions):
        if made.handler is None:
            continue
        if runs and runs[-1][0] is made.handler and runs[-1][2] == at[number]:
            runs[-1][2] = at[number + 1]
        else:
            runs.append([made.handler, at[number], at[number + 1]])
    rows = [(start, end - start, at[id(handler.target)], handler.depth << 1 | handler.lasti) for handler, start, end in runs]
    return exception_table(rows)


def exception_table(rows):
    """Rows of numbers as the bytes of an exception table."""
    out = bytearray()
    for row in rows:
        for position, number in enumerate(row):
            groups = [number & 0x3f]
            while number := number >> 6:
                groups.append(number & 0x3f | 0x40)
            groups.reverse()
            groups[0] |= 0x80 if position == 0 else 0
            out += bytes(groups)
    return bytes(out)


def line_table(positions, line):
    """Positions of code units, in the form of Objects/locations.md of CPython."""
    out = bytearray()
    at = 0
    while at < len(positions):
        position, units = positions[at], 1
        while units < 8 and at + units < len(positions) and positions[at + units] == position:
            units += 1
        first, last, column, end = position
        if first is None:
            out.append(0x80 | 15 << 3 | units - 1)
        elif None in (last, column, end):
            out.append(0x80 | 13 << 3 | units - 1)
            out += _number(_signed(first - line))
        else:
            out.append(0x80 | 14 << 3 | units - 1)
            out += _number(_signed(first - line)) + _number(last - first) + _number(column + 1) + _number(end + 1)
        line = line if first is None else first
        at += units
    return bytes(out)


def _signed(number):
    return -number << 1 | 1 if number < 0 else number << 1


def _number(number):
    out = bytearray()
    while number >= 64:
        out.append(0x40 | number & 0x3f)
        number >>= 6
    out.append(number)
    return out
