"""Builds compiled functions into extension modules that need NumPy but no compiler at run time.

    from rumba import ahead, njit

    @njit("float64(float64[::1])")
    def total(values):
        result = 0.0
        for value in values:
            result += value
        return result

    ahead.build("kernels", {"total": total}, "build")     # build/kernels.cpython-311-x86_64-linux-gnu.so

The command is `rumba build`, the class of Numba's users `numba.pycc.CC`.
"""
import os
import sysconfig
import tempfile

from .functions import compile_functions
from .linker import link, write_objects


def build(name, functions, folder=".", *, cpu="x86-64", verbose=False):
    """Writes an extension module and gives its path.

    `name` is dotted; the file has the last part of it and goes into `folder`, which is made where it is missing.
    `functions` are dispatchers by the names that they get, each with signatures of its own, or pairs of a function and
    a list of signatures. `cpu` is a processor as LLVM calls it: a level such as "x86-64-v3", or "host".
    """
    path = os.path.join(folder, name.rpartition(".")[2] + sysconfig.get_config_var("EXT_SUFFIX"))
    os.makedirs(folder, exist_ok=True)
    build_file(name, functions, path, cpu=cpu, verbose=verbose)
    return path


def build_file(name, functions, path, *, cpu="x86-64", verbose=False):
    """The same with the path of the file given."""
    module = compile_functions(name, functions, cpu)
    with tempfile.TemporaryDirectory(prefix="rumba-build-") as scratch:
        link(write_objects(module, scratch, verbose), path, verbose)
