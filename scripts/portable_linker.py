#!/usr/bin/env python3
"""A linker for wheels: links an extension so that it runs on systems with an older C library than this one.

    cargo rustc ... -- -C linker=scripts/portable_linker.py

Takes the arguments of `cc` and runs it with three changes:

- The C library is a *stub*: a library with the names of this system's glibc, each in the newest version that
  is not above `NEWEST`. References get these versions, which every later glibc has, too.
- What LLVM calls and glibc 2.28 does not have is defined in `glibc_shims.c`.
- libstdc++, libffi, zlib and zstd are linked statically.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NEWEST = (2, 28)
"""The glibc of manylinux_2_28: Debian 10, RHEL 8."""

STUBS = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2")
MERGED = ("libpthread.so.0", "libdl.so.2", "librt.so.1")
"""Libraries of their own before glibc 2.34: loaded by name, their symbols are among those of libc's stub."""

STATIC = ("stdc++", "ffi", "z", "zstd")
DROPPED = ("rt", "dl", "pthread", "util", "xml2", "z3")
"""Parts of glibc, and libraries of LLVM of which nothing is used."""

SHIMS = pathlib.Path(__file__).resolve().parent / "glibc_shims.c"


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in STUBS:
            _make_stub(folder, name, _symbols(_find(name)))
        for name in MERGED:
            _make_stub(folder, name, {})
        shims = folder / "shims.o"
        _run("cc", "-c", "-O2", "-fPIC", "-fvisibility=hidden", SHIMS, "-o", shims)
        _write_linker_script(folder)
        merged = [folder / name for name in MERGED]
        # LLVM has many equal functions: folding them makes the wheel 4 % smaller.
        return subprocess.run([
            "cc", f"-L{folder}", *_with_static_libraries(arguments), shims,
            "-Wl,--no-as-needed", *merged, "-Wl,--as-needed", "-Wl,--exclude-libs,ALL", "-Wl,--icf=all"]).returncode


def _with_static_libraries(arguments):
    for argument in arguments:
        library = argument.removeprefix("-l") if argument.startswith("-l") else None
        if library in STATIC:
            yield _find(f"lib{library}.a")
        elif library not in DROPPED:
            yield argument


def _symbols(library):
    """Name -> (version, kind, size) of what a library defines, in the newest version that is old enough."""
    found = {}
    for line in _run("objdump", "-T", library).splitlines():
        match = re.match(r"[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+\(?GLIBC_([\d.]+)\)?\s+(\S+)$", line)
        if not match or match[2] in ("*UND*", "*ABS*"):
            continue
        flags, section, size, version, name = match.groups()
        version = tuple(map(int, version.split(".")))
        if version <= NEWEST and version >= found.get(name, ((0,),))[0]:
            kind = "tls_object" if section in (".tbss", ".tdata") else "object" if "O" in flags else "function"
            found[name] = version, kind, int(size, 16)
    return found


def _make_stub(folder, name, symbols):
    """A library of that name whose symbols are empty."""
    code, versions = [], set()
    for number, (symbol, (version, kind, size)) in enumerate(sorted(symbols.items())):
        text = f"GLIBC_{'.'.join(map(str, version))}"
        versions.add(text)
        section = {"function": ".text", "object": ".data", "tls_object": '.section .tbss,"awT",@nobits'}[kind]
        code += [section, f".globl s{number}", f".type s{number}, @{kind}", f".size s{number}, {max(size, 1)}",
                 f"s{number}: .zero {max(size, 1)}", f".symver s{number}, {symbol}@@{text}"]
    source, script = folder / f"{name}.s", folder / f"{name}.map"
    source.write_text("\n".join([*code, '.section .note.GNU-stack,"",@progbits', ""]))
    script.write_text("".join(f"{version} {{ }};\n" for version in sorted(versions)) or "EMPTY { };\n")
    _run("cc", "-shared", "-nostdlib", f"-Wl,-soname,{name}", f"-Wl,--version-script={script}", source, "-o", folder / name)


def _write_linker_script(folder):
    """`-lc` and `-lm` find the stubs, and what of libc is linked statically anyway."""
    nonshared = _find("libc_nonshared.a")
    (folder / "libc.so").write_text(
        f"GROUP ( {folder / 'libc.so.6'} {nonshared} AS_NEEDED ( {folder / 'ld-linux-x86-64.so.2'} ) )\n")
    (folder / "libm.so").symlink_to(folder / "libm.so.6")


def _find(name):
    path = _run("cc", f"-print-file-name={name}").strip()
    if path == name:
        sys.exit(f"portable_linker: {name} is missing: install the development packages of libffi, zlib, zstd and libstdc++")
    return path


def _run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
