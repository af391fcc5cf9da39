"""Puts the extension that cargo built beside the Python sources and makes this interpreter see them.

    .venv/bin/python scripts/install_extension.py target/release

An editable install without a packaging tool: one copied file, one `.pth`, one metadata folder. It
takes milliseconds, and cargo alone decides what is compiled anew. The file name carries the Python
version, so the builds of several interpreters stand side by side.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "python"


def copy_extension(built: pathlib.Path) -> None:
    """Copies the library, by a rename so that a process that has it mapped keeps the old one."""
    target = SOURCES / "rumba" / f"_rumba{sysconfig.get_config_var('EXT_SUFFIX')}"
    source = next((path for name in ("lib_rumba.so", "lib_rumba.dylib")
                   if (path := built / name).exists()), None)
    if source is None:
        sys.exit(f"{built} holds no lib_rumba: build it with cargo first")
    if target.exists() and target.stat().st_mtime_ns == source.stat().st_mtime_ns:
        return
    fresh = target.with_suffix(f".{os.getpid()}")
    shutil.copy2(source, fresh)
    os.replace(fresh, target)


def copy_runtime(built: pathlib.Path) -> None:
    """Makes one object file of the runtime that `rumba build` links into modules, without what these never call."""
    archive = built / "libmodule_rt.a"
    target = SOURCES / "rumba" / "ahead" / f"module_rt.{sys.implementation.cache_tag}.o"
    if not archive.exists():
        sys.exit(f"{built} holds no libmodule_rt: build it with cargo first")
    if target.exists() and target.stat().st_mtime_ns >= archive.stat().st_mtime_ns:
        return
    fresh = target.with_suffix(f".{os.getpid()}")
    called = target.with_suffix(f".{os.getpid()}.called")
    subprocess.run(["ld", "-r", "--gc-sections", "-u", "rumba_module_init", "-o", called, archive], check=True)
    script = pathlib.Path(__file__).resolve().parent / "merge_sections.ld"
    subprocess.run(["ld", "-r", "-T", script, "-o", fresh, called], check=True)
    called.unlink()
    # The standard library brings its bitcode along.
    dropped = [f"--remove-section={name}" for name in (".llvmbc", ".llvmcmd", ".comment")]
    subprocess.run(["strip", "--strip-unneeded", *dropped, fresh], check=True)
    os.replace(fresh, target)


def write_script() -> None:
    """Makes the command `rumba`."""
    script = pathlib.Path(sysconfig.get_path("scripts")) / "rumba"
    script.write_text(
        f"#!{sys.executable}\nimport sys\n\nfrom rumba.__main__ import main\n\nsys.exit(main())\n")
    script.chmod(0o755)


def write_metadata() -> None:
    """Makes `import rumba` and `importlib.metadata` work in this interpreter."""
    site = pathlib.Path(sysconfig.get_path("purelib"))
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    # The second line is that of the wheel's own file.
    hook = (ROOT / "python" / "rumba.data" / "purelib" / "rumba_as_numba.pth").read_text()
    (site / "rumba.pth").write_text(f"{SOURCES}\n{hook}")
    info = site / f"rumba_jit-{version}.dist-info"
    for old in (*site.glob("rumba-*.dist-info"), *site.glob("rumba_jit-*.dist-info")):
        if old != info:
            shutil.rmtree(old)
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: rumba-jit\nVersion: {version}\nRequires-Dist: numpy\n")
    (info / "INSTALLER").write_text("make\n")
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in (
        "rumba.pth", f"{info.name}/METADATA", f"{info.name}/INSTALLER", f"{info.name}/RECORD")))


if __name__ == "__main__":
    copy_extension(pathlib.Path(sys.argv[1]))
    copy_runtime(pathlib.Path(sys.argv[1]))
    write_metadata()
    write_script()
