"""Compares a module that was built ahead of time with the Python functions that it was built from, where there is no Rumba.

    python -S -I ahead_child.py FOLDER SITE...      FOLDER has the module `built`; SITE are folders of NumPy and of this file
"""
import contextlib
import io
import struct
import sys
import traceback

sys.path[:0] = sys.argv[1:]

import ahead_cases as plain  # noqa: E402
import built  # noqa: E402
import numpy as np  # noqa: E402


def shape_of(value):
    """Type and content of a value, bit by bit."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return shape_of(value.item())
    if isinstance(value, (tuple, list)):
        return type(value).__name__, *map(shape_of, value)
    if isinstance(value, complex):
        return "complex", struct.pack("dd", value.real, value.imag)
    if isinstance(value, float):
        return "float", struct.pack("d", value)
    return type(value).__name__, value


def outcome(function, case):
    """What a call does: its result and its arguments behind it, or the exception and the lines it came from."""
    arguments = case()
    args, keywords = arguments if len(arguments) == 2 and isinstance(arguments[1], dict) else (arguments, {})
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            result = function(*args, **keywords)
        result = printed.getvalue(), shape_of(result)
    except Exception as error:
        frames = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
                  if frame.filename == plain.__file__ and frame.name == function.__name__]
        return "raises", type(error), str(error), frames
    return "gives", result, [shape_of(argument) for argument in args]


def main():
    assert not [name for name in sys.modules if "rumba" in name]
    wrong = []
    with np.errstate(all="ignore"):
        for name, cases in plain.CASES.items():
            for number, case in enumerate(cases):
                expected, found = (outcome(getattr(home, name), case) for home in (plain, built))
                if expected != found:
                    wrong.append(f"{name} {number}: {found} instead of {expected}")
    assert not [name for name in sys.modules if "rumba" in name]
    print("\n".join(wrong) or "all the same")


if __name__ == "__main__":
    main()
