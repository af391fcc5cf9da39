"""The code of `with objmode(...)` blocks as functions: the bytes of a block stay in place, with an added entry and
exit.

A block's function has the code object of the function around it with three changes. Its first instruction jumps to a
*prologue* after the end, which stores the arguments in their variables; the instruction that entered the block is where
the prologue continues; and where the block was left, a jump leads to an *epilogue*, which returns the outgoing variables.
So line numbers, nested handlers, constants and inner functions of the block are those of the source.

`frontend::python_blocks` decides which variables go in and out;
`python_rt::callbacks::python_functions` calls the function.
"""
import dis
import types

from .code_editor import encode, exception_table, line_table

_OF_CALLS = 0x04 | 0x08 | 0x20 | 0x80 | 0x100 | 0x200  # *args, **kwargs, generators, coroutines
_JUMP, _BACK = dis.opmap["JUMP_FORWARD"], dis.opmap["JUMP_BACKWARD_NO_INTERRUPT"]
_RESUME, _NOP = dis.opmap["RESUME"], dis.opmap["NOP"]
# From CPython 3.12 on, the plain instruction does not check that the variable is assigned.
_CHECKED = dis.opmap.get("LOAD_FAST_CHECK", dis.opmap["LOAD_FAST"])


class Block:
    """The location of a block: byte offsets of its start (the instruction that enters it and the one after), of the handler of
    its exceptions and of its end, and the stack depth in it."""

    def __init__(self, enter, first, handler, depth, exit):
        self.enter, self.first, self.handler, self.depth, self.exit = enter, first, handler, depth, exit


def make(function, where, passed, outgoing, own_cells):
    """The function of a block of `function`. `passed` and `outgoing` are the slots of variables that it takes and gives. With
    `own_cells` the variables of outer functions are its own: they are passed."""
    block = Block(*where)
    code = function.__code__
    made = _code(code, block, passed, outgoing, own_cells)
    closure = None if own_cells else function.__closure__
    result = types.FunctionType(made, function.__globals__, function.__name__, None, closure)
    result.__qualname__, result.__module__ = function.__qualname__, function.__module__
    return result


def _code(code, block, passed, outgoing, own_cells):
    cells = list(code.co_cellvars) + (list(code.co_freevars) if own_cells else [])
    slots = list(code.co_varnames) + [name for name in cells if name not in code.co_varnames]
    is_cell = [name in cells for name in slots]
    locals_ = len(code.co_varnames)
    as_tuple = len(passed) > locals_
    if as_tuple and not locals_:
        raise NotImplementedError("an objmode block in a function without a variable of its own")
    line = next((line for start, end, line in code.co_lines() if start <= block.enter < end), code.co_firstlineno)
    out = bytearray(code.co_code)
    end = len(out) // 2
    prologue = _prologue(code, block, passed, own_cells, is_cell, as_tuple, [slots.index(name) for name in cells])
    back = end + len(prologue) // 2
    prologue += _jump_back(back, block.enter // 2)
    epilogue = _epilogue(block, outgoing, is_cell, len(code.co_consts))
    _overwrite(out, 0, _jump(0, end), block.enter)
    out[block.enter:block.enter + 2] = bytes((_RESUME, 0))
    if block.exit is not None:
        to = end + len(prologue) // 2
        _overwrite(out, block.exit, _jump(block.exit // 2, to), None)
    out += prologue + epilogue
    positions = list(code.co_positions())[:end]
    positions += [(line, line, None, None)] * (len(out) // 2 - end)
    return code.replace(
        co_code=bytes(out), co_argcount=0 if as_tuple else len(passed), co_posonlyargcount=0, co_kwonlyargcount=0,
        co_flags=code.co_flags & ~_OF_CALLS | (0x04 if as_tuple else 0), co_consts=(*code.co_consts, None),
        co_cellvars=tuple(cells), co_freevars=() if own_cells else code.co_freevars,
        co_stacksize=max(code.co_stacksize, len(passed) + 2, len(outgoing) + block.depth + 1),
        co_linetable=line_table(positions, code.co_firstlineno),
        co_exceptiontable=_exception_table(code, block))


def _prologue(code, block, passed, own_cells, is_cell, as_tuple, cells):
    """Instructions that put the arguments into their slots, and the stack to the height that it has in the block."""
    out = bytearray()
    if code.co_freevars and not own_cells:
        out += encode("COPY_FREE_VARS", len(code.co_freevars))
    stays = list(passed) == list(range(len(passed))) and not any(is_cell[slot] for slot in passed) and not as_tuple
    if as_tuple:
        out += encode("LOAD_FAST", 0) + encode("DELETE_FAST", 0)
        out += encode("UNPACK_SEQUENCE", len(passed))
    elif not stays:
        for slot in range(len(passed)):
            out += encode("LOAD_FAST", slot)
        for slot in range(len(passed)):
            out += encode("DELETE_FAST", slot)
    for slot in cells:
        out += encode("MAKE_CELL", slot)
    if not stays:
        for slot in passed if as_tuple else reversed(passed):
            out += encode("STORE_DEREF" if is_cell[slot] else "STORE_FAST", slot)
    # What entering left, and what was there before.
    for _ in range(block.depth + 1):
        out += encode("LOAD_CONST", len(code.co_consts))
    return out


def _epilogue(block, outgoing, is_cell, none):
    """Instructions that return the outgoing variables: one as it is, several in a tuple."""
    out = bytearray()
    for _ in range(block.depth):
        out += encode("POP_TOP", 0)
    for slot in outgoing:
        out += encode("LOAD_DEREF" if is_cell[slot] else _CHECKED, slot)
    if not outgoing:
        out += encode("LOAD_CONST", none)
    elif len(outgoing) > 1:
        out += encode("BUILD_TUPLE", len(outgoing))
    return out + encode("RETURN_VALUE", 0)


def _jump(at, to):
    """A jump from one code unit forwards to another."""
    size = 1
    while True:
        made = encode(_JUMP, to - at - size)
        if len(made) // 2 == size:
            return made
        size += 1


def _jump_back(at, to):
    size = 1
    while True:
        made = encode(_BACK, at + size - to)
        if len(made) // 2 == size:
            return made
        size += 1


def _overwrite(out, at, instructions, end):
    """Puts instructions over others, up to `end` followed by some that do nothing."""
    if end is not None and at + len(instructions) > end:
        raise NotImplementedError("an objmode block at the begin of a very long function")
    out[at:at + len(instructions)] = instructions
    if end is not None:
        at += len(instructions)
        out[at:end] = bytes((_NOP, 0)) * ((end - at) // 2)


def _exception_table(code, block):
    """The handlers inside of the block."""
    return exception_table(
        (entry.start // 2, (entry.end - entry.start) // 2, entry.target // 2, entry.depth << 1 | entry.lasti)
        for entry in dis._parse_exception_table(code)
        if entry.target != block.handler and entry.depth >= block.depth)
