"""Finds shared libraries of the environment by name: Numba's `numba.misc.findlib`."""
import os
import re
import sys

_FOLDERS = {"win32": ("Library/bin", "DLLs", "Library/lib/x64"), "darwin": ("lib",)}
_NAMES = {"win32": r"{}[-\d._]*\.dll$", "darwin": r"lib{}\.?[\d.]*\.dylib$"}


def get_lib_dirs():
    """The folders of shared libraries in the environment."""
    return [os.path.join(sys.prefix, folder) for folder in _FOLDERS.get(sys.platform, ("lib",))]


def find_lib(libname, libdir=None, platform=None, static=False):
    """The files of a library, by its name without ending; `libdir` are other folders than those of the environment."""
    name = _NAMES.get(platform or sys.platform, r"lib{}\.so[\d.]*$")
    if static:
        name = r"lib{}\.a$" if (platform or sys.platform) != "win32" else r"{}\.lib$"
    return find_file(re.compile(name.format(re.escape(libname))), libdir)


def find_file(pattern, libdir=None):
    """The files whose names fit a pattern, in the folders given; those that do not exist have none.

    >>> from rumba.tools import find_library
    >>> find_library.find_file("libnothing.so", "/not/there")
    []
    """
    folders = get_lib_dirs() if libdir is None else [libdir] if isinstance(libdir, (str, os.PathLike)) else list(libdir)
    entries = (os.path.join(folder, entry) for folder in folders if os.path.isdir(folder) for entry in sorted(os.listdir(folder)))
    return sorted({path for path in entries if re.match(pattern, os.path.basename(path))})
