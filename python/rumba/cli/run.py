"""What the command `rumba` does, also `python -m rumba`: runs programs that import numba, and the library image's chores.

    python -m rumba script.py [arguments]
    python -m rumba -m module [arguments]
    python -m rumba -c code [arguments]
    python -m rumba image build|list|verify
    python -m rumba cache list|stats|verify|clear|warm|export|import
"""
import sys

_USAGE = """usage: rumba script.py [arguments]      run a program; its `import numba` finds Rumba
       rumba -m module [arguments]     the same for a module
       rumba -c code [arguments]       the same for a text
       rumba image build|list|verify   the library image
       rumba cache list|stats|verify|clear|warm|export|import   the machine code of functions with cache=True"""


def main(arguments=None):
    """Runs a program or a command; the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    first, *rest = arguments
    if first == "image":
        return _image(rest)
    if first == "cache":
        return _cache(rest)
    if first in ("-m", "-c"):
        if not rest:
            print(f"rumba: {first} needs an argument\n{_USAGE}", file=sys.stderr)
            return 2
        return (_run_module if first == "-m" else _run_text)(*rest)
    if first.startswith("-"):
        print(f"rumba: there is no option {first}\n{_USAGE}", file=sys.stderr)
        return 2
    return _run_script(first, *rest)


def _run_script(path, *arguments):
    import os
    import runpy

    from ..import_hook import install

    install()
    sys.argv = [path, *arguments]
    if os.path.isfile(path) and not _is_archive(path):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
        import io

        with io.open_code(os.path.abspath(path)) as file:
            code = compile(file.read(), path, "exec")
        _execute(code, path)
    else:
        # A folder or an archive with a __main__ of its own, or nothing: the reader of such says what is wrong.
        sys.path.pop(0)
        try:
            runpy.run_path(path, run_name="__main__")
        except FileNotFoundError:
            print(f"rumba: cannot open {path!r}: there is no such file", file=sys.stderr)
            return 2
    return 0


def _is_archive(path):
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _run_text(text, *arguments):
    from ..import_hook import install

    install()
    sys.argv = ["-c", *arguments]
    sys.path[0] = ""
    _execute(compile(text, "<string>", "exec"), None)
    return 0


def _execute(code, path):
    """Executes code as the module `__main__`, in place of the command's: workers and pickles look for it there."""
    import builtins

    main = sys.modules["__main__"]
    space = main.__dict__
    space.clear()
    space.update(__name__="__main__", __builtins__=builtins, __doc__=None, __package__=None, __spec__=None,
                 __loader__=None)
    if path is not None:
        space["__file__"] = path
    exec(code, space)


def _run_module(name, *arguments):
    import runpy

    from ..import_hook import install

    install()
    sys.argv = [sys.argv[0], *arguments]
    sys.path[0] = ""
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _cache(arguments):
    import argparse

    from . import cache

    parser = argparse.ArgumentParser(
        prog="rumba cache", description="The cache: machine code of functions with cache=True, for later processes.")
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
    chosen = vars(parser.parse_args(arguments))
    return chosen.pop("run")(**chosen)


def _warm(modules):
    import os

    from . import cache
    from ..import_hook import install

    install()
    sys.path.insert(0, os.getcwd())
    return cache.warm(modules)


def _image(arguments):
    import argparse

    parser = argparse.ArgumentParser(
        prog="rumba image",
        description="The library image: functions of the standard library that were compiled by the build.")
    actions = parser.add_subparsers(required=True, metavar="action")
    for name, text in (
            ("build", "compile the instances of library/instances.txt, unless the image is up to date"),
            ("list", "what is in the image"),
            ("verify", "check every byte, and that every instance compiled anew is the same")):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("--path", help="another file than that of the package")
        action.set_defaults(run=name)
    given = parser.parse_args(arguments)
    from . import image

    run = {"build": image.build, "list": image.show, "verify": image.verify}[given.run]
    return run(given.path)
