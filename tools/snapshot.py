#!/usr/bin/env python3
"""Writes code objects of this interpreter as a stream of snapshots on standard output.

    snapshot.py FILE...              the module code of each file, inner code objects inside
    snapshot.py FILE --function F    only the function with the qualified name F (`C.m`, `f.<locals>.g`)
    snapshot.py --stdlib             every file of the standard library that compiles
    snapshot.py --stdlib --every 8   one in eight of these files

The format is described at the head of crates/ir/bytecode/src/serialize.rs. Runs under CPython 3.11
to 3.13 with nothing but the standard library.
"""

import argparse
import pathlib
import struct
import sys
import sysconfig
import types
import warnings

LOCAL, LOCAL_CELL, CELL, FREE = range(4)


def u32(value):
    return struct.pack("<I", value & 0xFFFFFFFF)


def data(value):
    return u32(len(value)) + value


def text(value):
    return data(value.encode("utf-8", "surrogatepass"))


def many(items, write):
    return u32(len(items)) + b"".join(map(write, items))


def constant(value):
    kind = type(value)
    if value is None:
        return b"N"
    if value is Ellipsis:
        return b"E"
    if kind is bool:
        return b"T" if value else b"0"
    if kind is int:
        if -(2**63) <= value < 2**63:
            return b"i" + struct.pack("<q", value)
        return b"I" + text(str(value))
    if kind is float:
        return b"f" + struct.pack("<d", value)
    if kind is complex:
        return b"c" + struct.pack("<dd", value.real, value.imag)
    if kind is str:
        return b"s" + text(value)
    if kind is bytes:
        return b"y" + data(value)
    if kind is tuple:
        return b"(" + many(value, constant)
    if kind is frozenset:
        return b"{" + many(value, constant)
    if kind is slice:
        return b":" + b"".join(map(constant, (value.start, value.stop, value.step)))
    if kind is types.CodeType:
        return b"C" + code(value)
    raise TypeError(f"no constant of a code object: {value!r}")


def slots(co):
    """The slots of a frame with their kinds."""
    cells = set(co.co_cellvars)
    for name in co.co_varnames:
        yield name, LOCAL_CELL if name in cells else LOCAL
    for name in co.co_cellvars:
        if name not in co.co_varnames:
            yield name, CELL
    for name in co.co_freevars:
        yield name, FREE


def code(co):
    return b"".join([
        bytes([sys.version_info[1]]),
        text(co.co_name),
        text(co.co_qualname),
        text(co.co_filename),
        u32(co.co_firstlineno),
        u32(co.co_flags),
        u32(co.co_argcount),
        u32(co.co_posonlyargcount),
        u32(co.co_kwonlyargcount),
        u32(co.co_stacksize),
        data(co.co_code),
        data(co.co_exceptiontable),
        data(co.co_linetable),
        many(co.co_consts, constant),
        many(co.co_names, text),
        many(list(slots(co)), lambda slot: text(slot[0]) + bytes([slot[1]])),
    ])


def record(co):
    body = code(co)
    return b"RSN1" + u32(len(body)) + body


def inner(co):
    """A code object and all inside it, outer before inner, in order."""
    yield co
    for value in co.co_consts:
        if isinstance(value, types.CodeType):
            yield from inner(value)


def compile_file(path, name=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(path.read_bytes(), name or str(path), "exec", dont_inherit=True)


def stdlib(every):
    """The code objects of one in `every` of the standard library's files, in order of their paths."""
    root = pathlib.Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py"))[::every]:
        relative = path.relative_to(root)
        if "site-packages" in relative.parts:
            continue
        try:
            yield compile_file(path, str(relative))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # Bad on purpose: data of the library's own tests.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--function", metavar="QUALNAME")
    parser.add_argument("--stdlib", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    out = sys.stdout.buffer
    for path in options.files:
        module = compile_file(path)
        if options.function is None:
            out.write(record(module))
            continue
        found = [co for co in inner(module) if co.co_qualname == options.function]
        if not found:
            parser.error(f"{path} has no function {options.function}")
        out.write(record(found[-1]))
    if options.stdlib:
        for module in stdlib(options.every):
            out.write(record(module))


if __name__ == "__main__":
    main()
