"""Checks the compiled functions of a file: see `rumba.checker`."""
import ast
import warnings

from . import eager_faults, findings, guessed_types, known_types, modules, names
from ..errors import NumbaError, NumbaWarning

# Errors of any of these hold for all types: constructs, kinds of functions, names.
_ALWAYS = ("R0100", "R0101", "R0200", "R0201", "R0202", "R0203")


class NotImported(Exception):
    """A module raised something when it was imported; its text says what."""


def check_file(file):
    """Imports a file and checks its compiled functions. NotImported if that fails, for other reasons than the compiler's."""
    report = findings.Report(file)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NumbaWarning)
        with eager_faults.collected() as faults:
            module = _import(file, report)
        if module is not None:
            _check_module(module, file, report, faults)
    told = dict.fromkeys(findings.of_warning(one) for one in caught if issubclass(one.category, NumbaWarning))
    report.findings += told
    report.findings.sort(key=lambda found: (found.file or "", found.line or 0, found.column or 0))
    return report


def _import(file, report):
    try:
        return modules.import_file(file)
    except NumbaError as error:
        # Of a class, or of a ufunc: what stands below it in the file is not looked at.
        report.findings.append(findings.of_error(error))
        report.failed += 1
        return None
    except SystemExit:
        raise NotImported('it ends the program when it is imported; put that behind `if __name__ == "__main__":`') from None
    except Exception as error:  # whatever a module raises
        raise NotImported(f"{type(error).__name__}: {error}") from error


def _check_module(module, file, report, faults):
    dispatchers, calls, definitions = _read(module, file)
    failed_eagerly = {id(dispatcher) for dispatcher, _ in faults}
    report.findings += [findings.of_error(error) for _, error in faults]
    report.failed += len(failed_eagerly)
    for dispatcher in dispatchers:
        if id(dispatcher) not in failed_eagerly:
            _check_function(dispatcher, definitions, calls.get(id(dispatcher), {}), report)


def compiled_functions(file, runs=False):
    """The functions of a file, compiled for the types that it tells, or else for the first that fit. With `runs`, the file runs as
    a program, and functions are as its calls compiled them."""
    if runs:
        from ..cli.run import run_script

        run_script(file)
        return [one for one in modules.dispatchers_of(file) if list(one._units())]
    report = findings.Report(file)
    with eager_faults.collected():
        module = _import(file, report)
    if module is None:
        raise NotImported(report.findings[0].message)
    dispatchers, calls, definitions = _read(module, file)
    for dispatcher in dispatchers:
        if _known_errors(dispatcher, calls.get(id(dispatcher), {})) is None:
            _tried_errors(dispatcher, definitions)
    return [one for one in dispatchers if list(one._units())]


def _read(module, file):
    """The compiled functions of a file, what it calls them with, its definitions by first line."""
    with open(file, "rb") as source:
        tree = ast.parse(source.read(), file)
    dispatchers = modules.dispatchers_of(file)
    definitions = {min([node.lineno, *(one.lineno for one in node.decorator_list)]): node for node in ast.walk(tree)
                   if isinstance(node, ast.FunctionDef)}
    return dispatchers, known_types.of_calls(tree, module, dispatchers), definitions


def _check_function(dispatcher, definitions, calls, report):
    """Adds one function to a report, with its errors."""
    errors = _known_errors(dispatcher, calls)
    if errors is None:
        errors = _tried_errors(dispatcher, definitions)
    if errors is None:
        report.undecided += 1
        report.findings.append(findings.of_undecided(
            dispatcher.py_func, "its arguments are of types that nothing here tells",
            "annotate the parameters, give a signature, or call it in the file with values that are written out"))
    elif errors:
        report.failed += 1
        report.findings += dict.fromkeys(errors)
    else:
        report.compiled += 1


def _known_errors(dispatcher, calls):
    """What is wrong for the types that are known; None if none are."""
    known = dict(calls)
    declared = known_types.of_signature(dispatcher.py_func)
    if declared is not None:
        known.setdefault(declared, None)
    if not known:
        return [] if list(dispatcher._units()) else None
    errors = []
    for types in known:
        error = _error(dispatcher, types)
        if error is not None:
            errors.append(findings.of_error(error))
    return errors


def _tried_errors(dispatcher, definitions):
    """What is wrong whatever the types are; an empty list if the function compiles for some, None if neither is known."""
    node = definitions.get(dispatcher.py_func.__code__.co_firstlineno)
    definite, tried = [], guessed_types.guesses(dispatcher, node, definitions)
    for types in tried:
        error = _error(dispatcher, types)
        if error is None:
            return []
        if getattr(error, "diagnostic", None) is not None and error.diagnostic.code in _ALWAYS:
            definite.append(findings.of_error(error, drop_types=True))
    # Where each of the types ends at such an error, no type gets past it.
    errors = definite[:1] if len(definite) == len(tried) else []
    if node is not None:
        errors = [*errors, *(findings.of_error(error, drop_types=True) for error in names.errors_of(dispatcher, node))]
    seen = {}
    for found in errors:
        seen.setdefault((found.file, found.line, found.column, found.code), found)
    return list(seen.values()) or None


def _error(dispatcher, types):
    try:
        dispatcher._unit_compile(tuple(types))
    except NumbaError as error:
        return error
    return None
