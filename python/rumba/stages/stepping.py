"""Steps through a stage under a debugger.

Absent: the interpreters (`object_interp` of the compiler).
"""
import pdb
import sys

from .. import source_text
from .stage import _options, _python


class Debugger(pdb.Pdb):
    """pdb over lines that an interpreter of the compiler tells.

    Each line is a frame of its own, with the variables of the function. So `step`, `next`, `until` and `return` all stop at the next line that
    runs, and an assignment at the prompt changes what the prompt shows, not the run.
    """

    def __init__(self, *args, **named):
        super().__init__(*args, skip=[source_text.__name__], **named)

    def user_call(self, frame, argument_list):
        """Not shown: a frame is one line."""

    def user_return(self, frame, value):
        """Not shown: a frame is one line."""

    def told(self, code, variables, space):
        """Runs a line that does nothing, in a frame that looks like the function's."""
        before = sys.gettrace()
        if not self.quitting:
            sys.settrace(self.trace_dispatch)
        try:
            source_text.run_line(code, space, variables)
        finally:
            sys.settrace(before)


def step(function, *args, phase="untyped", debugger=None):
    """Runs a function in the interpreter of a phase, under pdb, and gives its result.

    Parameters
    ----------
    function : function or Dispatcher
        Its source is what pdb lists.
    *args
        Positional arguments.
    phase : {"untyped", "typed"}, default "untyped"
        The phase. In the typed one values are converted as their types say; the function is compiled for the types of the arguments.
    debugger : Debugger, optional
        By default one at the terminal.

    Raises
    ------
    ValueError
        If there is no such phase.
    bdb.BdbQuit
        If `quit` is said at the prompt.

    Examples
    --------
    >>> import io
    >>> def double(x):
    ...     y = x * 2
    ...     return y + 1
    >>> shown = io.StringIO()
    >>> pdb = Debugger(stdin=io.StringIO("next\\np y\\ncontinue\\n"), stdout=shown)
    >>> step(double, 4, debugger=pdb)
    9
    >>> "(Pdb) 8" in shown.getvalue()
    True
    """
    from .. import _rumba, njit

    if phase not in ("untyped", "typed"):
        raise ValueError(f"{phase!r} is not a phase that is stepped through: there are 'untyped' and 'typed'")
    python = _python(function)
    debugger = debugger or Debugger()
    debugger.reset()
    debugger.set_step()
    lines = {}

    def tell(line, variables):
        if line not in lines:
            lines[line] = source_text.line_at_place(python.__name__, python.__code__.co_filename, line)
        debugger.told(lines[line], variables, python.__globals__)

    if phase == "untyped":
        return _rumba.stages.step(python, tell, *args)
    compiled = function if function is not python else njit(python, **_options(function))
    return _rumba.interpreter.run_typed(compiled, *args, tracer=tell)


__all__ = ["Debugger", "step"]
