"""Runs programs whose `import numba` finds Rumba, for the command `rumba` (see `rumba.cli.main`)."""
import sys


def run_script(path, *arguments):
    """Runs a file, a folder or an archive with a `__main__`; the exit status."""
    import os

    from ..import_hook import install

    install()
    sys.argv = [path, *arguments]
    if os.path.isfile(path) and not _is_archive(path):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
        return _status(_run_file, path)
    # A folder or an archive with a __main__ of its own, or nothing: the reader of such says what is wrong.
    sys.path.pop(0)
    if not os.path.exists(path):
        print(f"rumba: cannot open {path!r}: there is no such file", file=sys.stderr)
        return 2
    import runpy

    return _status(runpy.run_path, path, run_name="__main__")


def _run_file(path):
    import io
    import os

    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec")
    _execute(code, path)


def _status(run, *args, **keywords):
    """The exit status of a program; an exception that it does not catch is shown without the launcher's frames."""
    try:
        run(*args, **keywords)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and _is_launcher(trace.tb_frame):
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def _is_launcher(frame):
    return frame.f_globals is globals() or frame.f_globals.get("__name__") == "runpy"


def _is_archive(path):
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def run_text(text, *arguments):
    """Runs a text; the exit status."""
    from ..import_hook import install

    install()
    sys.argv = ["-c", *arguments]
    sys.path[0] = ""
    return _status(lambda: _execute(compile(text, "<string>", "exec"), None))


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


def run_module(name, *arguments):
    """Runs a module; the exit status."""
    import runpy

    from ..import_hook import install

    install()
    sys.argv = [sys.argv[0], *arguments]
    sys.path[0] = ""
    return _status(runpy.run_module, name, run_name="__main__", alter_sys=True)
