"""The command `rumba`, also `python -m rumba`.

    rumba script.py [arguments]      runs a program; its `import numba` finds Rumba
    rumba -m module [arguments]      the same for a module, or `-c code` for code given as text
    rumba check prog.py              reports what would not compile, before the program runs
    rumba explain R0300              explains an error code
    rumba info                       versions, processor, threads, folders, settings
    rumba env                        the environment variables
    rumba cache ...                  machine code of functions with cache=True
    rumba image ...                  the precompiled library
    rumba build FILE_OR_PACKAGE      builds extension modules ahead of time
"""
import sys

_PROGRAMS = """\
running programs:
  rumba script.py [arguments]      run a script, `import numba` finds Rumba
  rumba -m module [arguments]      run a module
  rumba -c code [arguments]        run code given as text
  rumba run script.py [arguments]  run a script whose name is that of a command"""


def main(arguments=None):
    """Runs a program or a command; the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments:
        _parser().print_usage(sys.stderr)
        print(_PROGRAMS, file=sys.stderr)
        return 2
    first, *rest = arguments
    if first == "run" and rest:
        first, *rest = rest
    elif first in _COMMANDS or first in _OPTIONS:
        chosen = vars(_parser().parse_args(arguments))
        chosen.pop("command")
        return chosen.pop("run")(**chosen)
    return _run(first, rest)


def _run(first, rest):
    from . import run

    if first in ("-m", "-c"):
        if not rest:
            return _wrong(f"{first} needs an argument")
        return (run.run_module if first == "-m" else run.run_text)(*rest)
    if first.startswith("-"):
        return _wrong(f"there is no option {first}")
    return run.run_script(first, *rest)


def _wrong(what):
    print(f"rumba: {what}", file=sys.stderr)
    _parser().print_usage(sys.stderr)
    return 2


def _parser():
    import argparse

    parser = argparse.ArgumentParser(
        prog="rumba", usage="rumba [options] [command | script.py] ...", epilog=_PROGRAMS,
        description="Rumba: a just-in-time compiler for Python functions.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-V", "--version", action=_option(_version), dest=argparse.SUPPRESS, help="print the version and exit")
    parser.add_argument("-s", "--sysinfo", action=_option(_lazily("info", "info")), dest=argparse.SUPPRESS, help="the same as `rumba info`")
    parser.add_argument("-g", "--gdbinfo", action=_option(_tool("debugger_info", "display_gdbinfo")), dest=argparse.SUPPRESS,
                        help="print what the debugger gdb supports")
    parser.add_argument("--sys-json", action=_option(_tool("system_info", "write_json"), nargs=1), dest=argparse.SUPPRESS,
                        help="write information about the system to a file", metavar="FILE")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="command", prog="rumba", required=True)
    for name, add in _COMMANDS.items():
        add(commands, name)
    return parser


def _check(commands, name):
    text = "report what would not compile in programs, before they run"
    parser = commands.add_parser(name, help=text, description=_CHECK)
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="a Python file, a folder, or the name of a module or package")
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON array, for editors")
    parser.add_argument("--warnings", action="store_true",
                        help="also print warnings and undecided functions")
    parser.set_defaults(run=_lazily("check", "check"))


def _explain(commands, name):
    text = "explain an error code, or show how the functions of a file were compiled"
    parser = commands.add_parser(name, help=text, description=_EXPLAIN)
    parser.add_argument("target", nargs="?", metavar="CODE|FILE",
                        help="an error code such as R0300, or a Python file; without it, all codes are listed")
    parser.add_argument("--function", metavar="NAME", help="one function of the file")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write; by default the name of the Python file with .html")
    parser.add_argument("--json", action="store_true", help="print the data of the page instead")
    parser.add_argument("--run", dest="runs", action="store_true", help="run the file as a program; only what its calls compile is shown")
    parser.add_argument("--profile", dest="profiles", action="store_true",
                        help="run the file as with --run, and show the share of processor time of each line")
    parser.set_defaults(run=_lazily("explain", "explain"))


def _info(commands, name):
    text = "print versions, processor, threads, folders and settings, for bug reports"
    commands.add_parser(name, help=text, description=text).set_defaults(run=_lazily("info", "info"))


def _env(commands, name):
    text = "print the environment variables with their meanings and values"
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--markdown", action="store_true", help="print the table of the documentation")
    parser.set_defaults(run=_lazily("environment", "show"))


def _cache(commands, name):
    from . import cache

    text = "machine code of functions with cache=True, for later processes"
    parser = commands.add_parser(name, help=text, description=f"The cache: {text}.")
    actions = parser.add_subparsers(required=True, metavar="action")
    for name, run in (("list", cache.show), ("stats", cache.stats), ("verify", cache.verify), ("clear", cache.clear)):
        text = run.__doc__.split(";")[0].rstrip(".")
        actions.add_parser(name, help=text, description=text).set_defaults(run=run)
    warm = actions.add_parser("warm", help="compile what modules compile on import", description=cache.warm.__doc__)
    warm.add_argument("modules", nargs="+", metavar="MODULE", help="a module, or module:function(types)")
    warm.set_defaults(run=_warm)
    for name, run in (("export", cache.export), ("import", cache.take_in)):
        text = run.__doc__.split(";")[0].split("\n")[0].rstrip(".")
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("file", help="the archive, a .tar.gz file")
        action.set_defaults(run=run)


def _warm(modules):
    import os

    from . import cache
    from ..import_hook import install

    install()
    sys.path.insert(0, os.getcwd())
    return cache.warm(modules)


def _image(commands, name):
    text = "the library image: library functions that the build compiled"
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    actions = parser.add_subparsers(required=True, metavar="action")
    for action, function, text in (
            ("build", "build", "compile the instances of library/instances.txt, unless the image is up to date"),
            ("list", "show", "list the contents of the image"),
            ("verify", "verify", "check every byte, and compile every instance again for comparison")):
        added = actions.add_parser(action, help=text, description=text)
        added.add_argument("--path", help="a file other than the one in the package")
        if action == "build":
            added.add_argument("--level", dest="levels", type=int, choices=(3, 4), action="append",
                               help="an x86-64 level to compile for, may be repeated (default: 3 and 4)")
        added.set_defaults(run=_lazily("image", function))


def _build(commands, name):
    text = "build functions with signatures into extension modules that need NumPy but no compiler"
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("source", help="a Python file, or the folder of a package")
    parser.add_argument("-o", "--output", default="build", metavar="FOLDER", help="the output folder (default: build)")
    parser.add_argument("--cpu", default="x86-64", help="the target processor, such as x86-64-v3 or host; x86-64 runs everywhere")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the commands")
    parser.set_defaults(run=_build_source)


def _build_source(**chosen):
    from . import build
    from ..import_hook import install

    install()
    return build.build(**chosen)


def _lazily(module, function):
    """A function of one of the modules beside this one, which is imported when it is called."""
    def run(**chosen):
        import importlib

        return getattr(importlib.import_module(f"{__package__}.{module}"), function)(**chosen)
    return run


def _tool(module, function):
    """The same of the modules of `rumba.tools`."""
    def run(*given):
        import importlib

        return getattr(importlib.import_module(f"rumba.tools.{module}"), function)(*given)
    return run


def _option(act, nargs=0):
    """An option that does something with the values behind it, and ends the command."""
    import argparse

    class Option(argparse.Action):
        def __init__(self, option_strings, dest, help, metavar=None):
            super().__init__(option_strings, dest, nargs=nargs, default=argparse.SUPPRESS, help=help, metavar=metavar)

        def __call__(self, parser, namespace, values, *_):
            parser.exit(act(*values))
    return Option


def _version():
    from rumba import __version__

    print(f"rumba {__version__}")
    return 0


_CHECK = """\
Imports the modules: code under `if __name__ == "__main__":` does not run, all other module-level code does. Then compiles their
functions for the argument types given by signatures, annotations, default values and calls. A function without any of these is
tried with several types, and its global names are looked up. The exit status is 0 if everything compiles, 1 if something does not,
and 2 if a module cannot be imported or found."""
_EXPLAIN = """\
Prints what an error means and what to do about it. For a file, writes a page that shows line by line how its functions were
compiled: types, loops, checks, allocations, machine code. The file is imported as by `rumba check`, and functions are compiled for
the types it specifies, or for types that fit; with --run it runs as a program."""
_COMMANDS = {"check": _check, "explain": _explain, "info": _info, "env": _env, "cache": _cache, "image": _image, "build": _build}
_OPTIONS = ("-h", "--help", "-V", "--version", "-s", "--sysinfo", "-g", "--gdbinfo", "--sys-json")
