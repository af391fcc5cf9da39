"""What `dis` says of code objects, for comparison: for every file named on the command line and
every code object in it, outer before inner, a frame "u32 length, bytes" with a snapshot record
and one with the interpreter's view:

    u32 n, n (u32 length, name)                    the slots' names
    u32 n, n (u32 start, end, target, depth, lasti)   the exception table
    u32 n, n (u32 offset, opcode, arg, target, line, end line, column, end column)

Absent values are 0xffffffff, an absent line is 0.
"""

import dis
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "tools"))
import snapshot  # noqa: E402

ABSENT = 0xFFFFFFFF
JUMPS = set(dis.hasjrel) | set(dis.hasjabs)


def pack(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def slots(co):
    count = len(list(snapshot.slots(co)))
    names = [co._varname_from_oparg(slot).encode("utf-8", "surrogatepass") for slot in range(count)]
    return pack(count) + b"".join(pack(len(name)) + name for name in names)


def exceptions(co):
    entries = dis._parse_exception_table(co)
    rows = [pack(e.start, e.end, e.target, e.depth, e.lasti) for e in entries]
    return pack(len(rows)) + b"".join(rows)


def instructions(co):
    rows = []
    start = None
    for instruction in dis.get_instructions(co):
        if start is None:
            start = instruction.offset
        if instruction.opname == "EXTENDED_ARG":
            continue
        target = instruction.argval if instruction.opcode in JUMPS else ABSENT
        place = instruction.positions
        lines = [place.lineno or 0, place.end_lineno or 0]
        columns = [ABSENT if c is None else c for c in (place.col_offset, place.end_col_offset)]
        arg = 0 if instruction.arg is None else instruction.arg
        rows.append(pack(start, instruction.opcode, arg, target, *lines, *columns))
        start = None
    return pack(len(rows)) + b"".join(rows)


def main():
    out = sys.stdout.buffer
    for path in map(pathlib.Path, sys.argv[1:]):
        try:
            module = snapshot.compile_file(path)
        except (SyntaxError, ValueError):
            continue
        for co in snapshot.inner(module):
            for frame in (snapshot.record(co), slots(co) + exceptions(co) + instructions(co)):
                out.write(pack(len(frame)) + frame)


main()
