"""The classes of Normalized IR: one for each type and constructor of the schema, made when this module is imported.

A node takes its fields by position or by name, and attributes (its position in the source) by name. Fields are checked by `validate`, not when
they are set, so that a pass may change a tree step by step.
"""
from .language import Language, Node


def is_same(a, b):
    """Whether two trees have the same nodes and values; where they stand in the source does not matter.

    >>> is_same(Name("x", Load()), Name("x", Load()))
    True
    """
    pending = [(a, b)]
    while pending:
        a, b = pending.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, Node):
            pending += ((getattr(a, name), getattr(b, name)) for name in a._fields)
        elif isinstance(a, (list, tuple)):
            if len(a) != len(b):
                return False
            pending += zip(a, b)
        elif repr(a) != repr(b):
            # As constants of code: 0.0 is not -0.0, and nan is itself.
            return False
    return True


LANGUAGE = Language.of_file("rumba.normalized", __file__, "Normalized.asdl", __name__)
SCHEMA = LANGUAGE.schema
CLASSES = LANGUAGE.classes
globals().update(CLASSES)
