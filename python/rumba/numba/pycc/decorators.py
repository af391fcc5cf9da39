"""`numba.pycc.decorators`: functions noted for export by one text, name and signature."""
import collections

from .._missing import missing

ExportEntry = collections.namedtuple("ExportEntry", "symbol signature function")

export_registry = []


def export(prototype):
    """A decorator: notes a function under the name and for the signature of a text such as "mult f8(f8, f8)"."""
    name, _, signature = prototype.strip().partition(" ")

    def decorate(function):
        export_registry.append(ExportEntry(name, signature, function))
        return function

    return decorate


def exportmany(prototypes):
    """The same for several texts."""
    def decorate(function):
        for prototype in prototypes:
            export(prototype)(function)
        return function

    return decorate


def clear_export_registry():
    """Forgets what was noted."""
    export_registry[:] = []


__getattr__ = missing(__name__)
