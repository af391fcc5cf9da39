"""Rumba's own library: functions of Python's standard library and of NumPy, written in Python.

A module here holds overload functions, registered by `library`. `index.txt` says which module implements
which function: a module is imported only when a call of such a function is compiled and no instance of it is
at hand. `instances.txt` says which instances the build compiles into the image. docs/recipes tells how a
function is added.

Library code is compiled Python like any other. It uses nothing that others register and never llvmlite.
"""


def library(function, strict=True, array_like="", scalars="", effects=None, prefer_literal=False, **options):
    """Decorates an overload function of the library; options are those of `jit` for what it returns. With
    `strict`, the parameters of both must agree. Lists and tuples given for the parameters `array_like` become arrays, numbers
    for those of `scalars` too. `effects` (`rumba.extending.Effects`) says what it does to its arguments: without, it only reads
    them, and writes to `out` if it has that. The index says the same. `prefer_literal` offers literal types first. A `function`
    that is None is one that this version of NumPy or Python does not have."""
    if function is None:
        return lambda overload_function: overload_function
    from ..extending import overload_registry as overloads

    def register(overload_function):
        asked = overload_function
        if array_like or scalars:
            from ._array_like import converting

            asked = converting(function, overload_function, array_like.split(), scalars.split())
        made = overloads.Overload(asked, options, strict, "never", prefer_literal, library=True, effects=effects)
        overloads.add_function(function, made)
        return overload_function

    return register
