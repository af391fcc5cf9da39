"""The checker's results as plain data: a `Finding` at a location, a `Report` of a module."""
import linecache
from collections import namedtuple


class Finding(namedtuple("Finding", "severity code title message file line column end_line end_column function notes hint text")):
    """Something to tell of a place. `severity` is "error", "warning" or "note"; `code` is None where there is none. Lines
    and columns count from 1, columns count characters; `text` is the whole for people."""

    __slots__ = ()

    def as_dict(self):
        """For JSON: everything but the text for people, which is its `rendered`."""
        found = self._asdict()
        found["rendered"] = found.pop("text")
        return found


class Report:
    """What became of the functions of a module."""

    def __init__(self, file):
        self.file = file
        self.findings = []
        # How many functions compile, do not compile, and are not decided.
        self.compiled = self.failed = self.undecided = 0


def of_error(error, drop_types=False):
    """The finding of an exception of the compiler. Without the types of arguments, if these were only tried."""
    diagnostic = getattr(error, "diagnostic", None)
    text = str(error).split("\nFailed in nopython mode pipeline")[0].rstrip()
    if diagnostic is None:
        return Finding("error", None, type(error).__name__, text, None, None, None, None, None, None, (), None, f"error: {text}")
    notes = tuple(diagnostic.notes)
    if drop_types:
        notes = tuple(note for note in notes if not note.startswith("while compiling"))
        text = "\n".join(line for line in text.splitlines() if "= note: while compiling " not in line)
    place = diagnostic.place
    at = (None,) * 6 if place is None else (
        place.filename, place.line, _column(place.filename, place.line, place.col), place.end_line,
        _column(place.filename, place.end_line, place.end_col), place.function)
    return Finding("error", diagnostic.code, diagnostic.title, diagnostic.message, *at, notes, diagnostic.hint, text)


def of_warning(warning):
    """The finding of a warning that was recorded."""
    kind, message = warning.category.__name__, str(warning.message).strip()
    text = f"warning[{kind}]: {message}\n --> {warning.filename}:{warning.lineno}"
    return Finding("warning", None, kind, message, warning.filename, warning.lineno, None, None, None, None, (), None, text)


def of_undecided(function, reason, hint):
    """A note that a function was not decided."""
    code = function.__code__
    file, line, name = code.co_filename, code.co_firstlineno, function.__qualname__
    message = f"whether `{name}` compiles is not known: {reason}"
    text = f"note: {message}\n --> {file}:{line}\n  = help: {hint}"
    return Finding("note", None, "not decided", message, file, line, None, None, None, name, (), hint, text)


def _column(file, line, column):
    """A column of bytes from 0 as one of characters from 1."""
    if column is None or line is None:
        return None
    text = linecache.getline(file, line).encode()
    return len(text[:column].decode(errors="replace")) + 1
