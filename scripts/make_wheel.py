#!/usr/bin/env python3
"""Makes the wheel of the Python that runs this, in dist/, from a tree that `make build` has built.

    .venv/bin/python scripts/make_wheel.py

maturin compiles and packs; the extension is linked by portable_linker.py, so that it runs on every system that
manylinux_2_28 names. The wheel holds the library image of its own Python alone. What it promises is checked: no symbol
of a newer glibc, no library that wheels may not rely on, its size.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from portable_linker import NEWEST

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_BYTES = 32_000_000
ALLOWED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
"""Libraries that every system of manylinux_2_28 has."""


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = _compile(pathlib.Path(folder))
        (ROOT / "dist").mkdir(exist_ok=True)
        wheel = ROOT / "dist" / made.name
        _repack(made, wheel)
    complaints = list(_check(wheel))
    for complaint in complaints:
        print(f"make wheel: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"==> {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB, glibc {NEWEST[0]}.{NEWEST[1]} or newer")
    return 0


def _compile(folder):
    tools = pathlib.Path(sys.executable).parent
    subprocess.run(
        [tools / "maturin", "build", "--quiet", "--release", "--interpreter", sys.executable, "--out", folder,
         "--compatibility", f"manylinux_{NEWEST[0]}_{NEWEST[1]}",
         "--", "-C", f"linker={ROOT / 'scripts' / 'portable_linker.py'}"],
        cwd=ROOT, check=True, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
    [wheel] = folder.glob("*.whl")
    return wheel


def _repack(made, wheel):
    """Leaves out the images and runtimes of other Pythons, and enters in RECORD what remains."""
    ours = (f"library.{sys.implementation.cache_tag}.image", f"module_rt.{sys.implementation.cache_tag}.o")
    record = []
    with zipfile.ZipFile(made) as read, zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as write:
        for item in read.infolist():
            if item.filename.endswith((".image", ".o")) and not item.filename.endswith(ours):
                continue
            if item.filename.endswith(".dist-info/RECORD"):
                last = item
                continue
            data = read.read(item)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{item.filename},sha256={digest},{len(data)}\n")
            write.writestr(item, data, zipfile.ZIP_DEFLATED, 9)
        write.writestr(last, "".join([*record, f"{last.filename},,\n"]), zipfile.ZIP_DEFLATED)


def _check(wheel):
    """What is wrong with a wheel, a sentence each."""
    if wheel.stat().st_size > MOST_BYTES:
        yield f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {MOST_BYTES:,}"
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        for part, why in (("rumba/_rumba.", "the extension"), (".image", "the library image"), ("rumba/ahead/module_rt.", "the runtime of modules"), ("rumba/__init__.pyi", "stubs"),
                          ("rumba/py.typed", "the mark of typed packages"), (".pth", "the line that site reads"),
                          ("/LICENSE", "the license")):
            if not any(part in name for name in names):
                yield f"{wheel.name} lacks {why}"
        [extension] = [name for name in names if name.startswith("rumba/_rumba.") and name.endswith(".so")]
        path = archive.extract(extension, folder)
        yield from _check_extension(path)


def _check_extension(path):
    symbols = subprocess.run(["objdump", "-T", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    for version, name in re.findall(r"\*UND\*.*\(GLIBC_([\d.]+)\)\s+(\S+)", symbols):
        if tuple(map(int, version.split("."))) > NEWEST:
            yield f"the extension needs {name} of glibc {version}"
    headers = subprocess.run(["objdump", "-p", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    for library in re.findall(r"NEEDED\s+(\S+)", headers):
        if library not in ALLOWED:
            yield f"the extension needs the library {library}"


if __name__ == "__main__":
    sys.exit(main())
