"""Texts of the compiler's stages as lines, each with its source line, or None."""
import re

_SPAN = re.compile(r" @ (\d+):(\d+)(?:-(?:(\d+):)?(\d+))?$")
_DEBUG = re.compile(r",? !dbg !(\d+)")
_METADATA = re.compile(r"(,? ![\w.]+ !\d+)+$")
_PLACE = re.compile(r"^!(\d+) = !DILocation\(line: (\d+)", re.M)
_LOC = re.compile(r"\s*\.loc\s+\d+ (\d+)")
# Directives that say nothing of the code.
_SILENT = re.compile(r"\s*\.(cfi_\w+|file|loc|size|type|globl|section|text|ident|addrsig|quad|byte|long|short|ascii|asciz|zero|p2align)\b|"
                     r"\.L(CPI|tmp|func_|debug|str|info|section|cu_|abbrev|line)|\s*#")


def of_ir(text):
    """Lines of a text of our own IR."""
    lines = []
    for line in text.splitlines():
        span = _SPAN.search(line)
        lines.append((int(span[1]) if span and span[1] != "0" else None, line[:span.start()] if span else line))
    return lines


def of_numba_ir(function):
    """Lines of a function in the shape that Numba's users know, before types are known."""
    from ..numba.core.compiler import run_frontend

    lines = []
    for label, block in sorted(run_frontend(function).blocks.items()):
        lines.append((None, f"label {label}:"))
        lines += [(statement.loc.line, f"    {statement}") for statement in block.body]
    return lines


def of_llvm(text):
    """Lines of LLVM's functions, without what stands around them."""
    places = {number: int(line) for number, line in _PLACE.findall(text)}
    lines, inside = [], False
    for line in text.splitlines():
        inside = inside or line.startswith("define ")
        if inside:
            place = _DEBUG.search(line)
            found = places.get(place[1]) if place else None
            lines.append((found or None, _METADATA.sub("", line)))
        if line == "}":
            inside = False
    return lines


def of_assembly(text):
    """Lines of machine code, without directives."""
    lines, here = [], None
    for line in text.splitlines():
        place = _LOC.match(line)
        if place:
            here = int(place[1]) or None
        elif re.match(r"\s*\.section\s+\.debug", line):
            break
        elif line.strip() and not _SILENT.match(line):
            is_label = not line[0].isspace()
            lines.append((None if is_label else here, line.replace("\t", "    ").rstrip()))
    return lines


def index_errors(optimized, number):
    """Line -> how many records of an IndexError are left in optimized code: checks of indices that may fail at run time."""
    found = {}
    for kind, line in re.findall(r"^@site[.\d]* = [^{]*\{[^}]*\} \{ i32 (\d+), i32 (\d+),", optimized, re.M):
        if int(kind) == number:
            found[int(line)] = found.get(int(line), 0) + 1
    return found


def remarks(text):
    """(line, what LLVM says) of loops, each once."""
    found = re.findall(r"^[^\n]*?:(\d+):\d+: ((?:loop not vectorized|vectorized loop|unrolled loop|interleaved loop)[^\n]*)", text, re.M)
    return [(int(line), what) for line, what in dict.fromkeys(found)]
