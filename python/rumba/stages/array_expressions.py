"""Evaluates fused array expressions, for the interpreter of the Typed phase.

Absent: machine code for them (the crate `arrays`).
"""
import importlib

import numpy


def evaluate(text, *operands):
    """The value of an array expression: see the crate `arrays`, `elementwise::postfix`, for the form of its text.

    >>> evaluate("0 1 numpy.multiply 2 numpy.add", 3, 4, 5)
    17
    """
    words, stack, results = text.split(), [], []
    outputs = {"=": 0, "out": -1}
    for at, word in enumerate(words):
        if word.isdigit():
            stack.append(operands[int(word)])
        elif word.startswith("@"):
            stack.append(results[int(word[1:])])
        elif word in outputs:
            return operands[outputs[word]]
        elif word == "[]=":
            operands[0][operands[1]] = stack.pop()
            return None
        else:
            function = _named(word)
            count = 3 if word == "numpy.where" else getattr(function, "nin", 1)
            arguments = stack[len(stack) - count:]
            del stack[len(stack) - count:]
            ending = words[at + 1] if at + 1 < len(words) else None
            if ending in outputs:
                _store(function, arguments, operands[outputs[ending]])
            else:
                results.append(_item(function(*arguments)))
                stack.append(results[-1])
    return stack[0] if len(stack) == 1 else tuple(stack)


def _store(function, arguments, output):
    """Calls a function whose result goes into an array; a ufunc names both shapes where they do not fit."""
    if isinstance(function, numpy.ufunc):
        function(*arguments, out=output, casting="unsafe")
    else:
        output[...] = function(*arguments)


def _named(word):
    """What a word stands for; NotImplementedError for a kernel of a user's ufunc, which has no name."""
    module, _, name = word.rpartition(".")
    if module == "kernel":
        raise NotImplementedError("a ufunc of a user in an array expression cannot be executed in the Typed phase")
    return getattr(importlib.import_module(module), name)


def _item(value):
    """Scalars as Python's own."""
    return value.item() if getattr(value, "ndim", None) == 0 and type(value).__module__ == "numpy" and type(value).__name__ != "ndarray" else value
