"""From object files to an extension module: the table in assembler, and the system's linker."""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from .._rumba import ahead as _builder

RUNTIME = os.path.join(os.path.dirname(__file__), f"module_rt.{sys.implementation.cache_tag}.o")
"""The runtime of modules, which the build of Rumba leaves here."""


class LinkError(RuntimeError):
    """A module cannot be linked: there is no linker, or it refused."""


def find_compiler():
    """The command that starts the linker, as a list; LinkError without one. `CC` in the environment goes first."""
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        raise LinkError(
            "building a module needs the linker of a C compiler, and there is no cc, gcc or clang: install one (Debian, Ubuntu: "
            "apt install gcc; Fedora: dnf install gcc), or name it in the environment variable CC. Modules run without one.")
    return [found]


def works():
    """Whether the linker makes a shared library of an empty file."""
    with tempfile.TemporaryDirectory(prefix="rumba-build-") as folder:
        _write(os.path.join(folder, "empty.s"), b"")
        try:
            _run([*find_compiler(), "-shared", "-o", "empty.so", "empty.s"], folder, False)
        except LinkError:
            return False
    return True


def write_objects(module, folder, verbose=False):
    """Writes the object files of a module into a folder; their paths, and the linker's script at the end."""
    if not os.path.exists(RUNTIME):
        raise LinkError(f"this installation of Rumba has no runtime for modules: {RUNTIME} is missing (`make build` makes it)")
    paths = []
    for number, unit in enumerate(module.units + module.loops):
        paths.append(_write(os.path.join(folder, f"unit{number}.o"), unit.object))
    _write(os.path.join(folder, "description"), module.description)
    for number, array in enumerate(module.arrays):
        _write(os.path.join(folder, f"array{number}"), array.bytes)
    table = _write(os.path.join(folder, "table.s"), _table(module).encode())
    _run([*find_compiler(), "-c", "table.s", "-o", "table.o"], folder, verbose)
    paths += [os.path.join(folder, "table.o"), RUNTIME]
    script = f"{{ global: PyInit_{_last(module.name)}; local: *; }};\n"
    _write(os.path.join(folder, "exports"), script.encode())
    return paths


def link_options(folder):
    """What the linker gets besides object files: nothing but the entry is visible, what nobody uses goes."""
    return ["-Wl,--gc-sections", "-Wl,-s", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--build-id=none",
            f"-Wl,--version-script={os.path.join(folder, 'exports')}", "-lm", "-ldl", "-lpthread"]


def link(objects, path, verbose=False):
    """Links object files to a shared library at a path."""
    folder = os.path.dirname(objects[0])
    fresh = f"{path}.{os.getpid()}"
    try:
        _run([*find_compiler(), "-shared", "-o", os.path.abspath(fresh), *objects, *link_options(folder)], folder, verbose)
        os.replace(fresh, path)
    finally:
        if os.path.exists(fresh):
            os.remove(fresh)


def _run(command, folder, verbose):
    if verbose:
        print("rumba build:", shlex.join(command))
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise LinkError(f"{command[0]} cannot be started: {error}") from None
    if done.returncode:
        raise LinkError(f"{shlex.join(command)} failed with status {done.returncode}:\n{done.stderr.strip()}")


def _write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def _last(name):
    return name.rpartition(".")[2]


def _table(module):
    """The assembler's text of what the import needs: entry, jumps to what is looked up, thunks, the description."""
    entry = f"PyInit_{_last(module.name)}"
    lines = [".text", f".globl {entry}", f".type {entry}, @function", f"{entry}:",
             "leaq .Ltable(%rip), %rdi", "jmp rumba_module_init@PLT"]
    for number, symbol in enumerate(module.links):
        lines += [f'.globl "{symbol}"', f'.hidden "{symbol}"', f'.type "{symbol}", @function', f'"{symbol}":',
                  f"jmp *.Llinks+{8 * number}(%rip)"]
    lines += _arrays(module.arrays)
    lines += [".bss", ".balign 16", ".globl rumba_context", ".hidden rumba_context", "rumba_context:",
              f".zero {_builder.CONTEXT_BYTES}", ".Llinks:", f".zero {8 * max(len(module.links), 1)}",
              '.section .data.rel.ro.local, "aw"', ".balign 8", ".Lthunks:"]
    lines += [f'.quad "{unit.entry}"' for unit in module.units]
    lines += [".Lloops:", *(f'.quad "{unit.entry}"' for unit in module.loops)]
    lines += [".Larrays:", *(f".quad .Larray{number}" for number in range(len(module.arrays)))]
    lines += [".Ltable:", f".quad .Ldescription, {len(module.description)}, .Lthunks, .Llinks, rumba_context",
              ".quad .Larrays, .Lobjects, .Lloops",
              ".section .rodata", ".Ldescription:", '.incbin "description"', '.section .note.GNU-stack, "", @progbits']
    return "\n".join(lines) + "\n"


def _arrays(arrays):
    """The bytes of arrays, each with a function that gives its object, which the import makes."""
    lines = []
    for number, array in enumerate(arrays):
        items, object = array.symbols
        lines += [".data", ".balign 64", f".Larray{number}:", f'.incbin "array{number}"', ".byte 0",
                  f'.globl "{items}"', f'.hidden "{items}"', f'.set "{items}", .Larray{number}+{array.first}',
                  ".text", f'.globl "{object}"', f'.hidden "{object}"', f'.type "{object}", @function', f'"{object}":',
                  f"movq .Lobjects+{8 * number}(%rip), %rax", "ret"]
    return [*lines, ".bss", ".balign 8", ".Lobjects:", f".zero {8 * max(len(arrays), 1)}"]
