"""Makes `import numba` find Rumba: `install()`, and the hook behind `python -m rumba` and `RUMBA_AS_NUMBA=1`.

The module `numba` and its submodules are then the very modules of `rumba.numba`, and
`importlib.metadata` knows a distribution `numba`. Processes that this one starts find Rumba, too: they
inherit the variable, and the line of `rumba.pth` (or `rumba_as_numba.pth`) looks for it. Nothing of
this happens unless it was asked for.
"""
import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder

VARIABLE = "RUMBA_AS_NUMBA"
_FACADE = "rumba.numba"
_TESTS = "numba.tests"


def install():
    """Makes `import numba` find Rumba, in this process and its child processes.

    Raises ImportError if the real Numba was imported before.
    """
    loaded = sys.modules.get("numba")
    if loaded is not None and loaded is not sys.modules.get(_FACADE):
        raise ImportError(
            f"rumba.install() is too late: numba was imported already, from {getattr(loaded, '__file__', '?')}. "
            "Call it before the first import of numba, or run the program by `python -m rumba`", name="numba")
    os.environ[VARIABLE] = "1"
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def install_if_asked():
    """Installs the hook if the environment variable is set; called in every new process."""
    if os.environ.get(VARIABLE, "").strip() not in ("", "0"):
        install()


class Finder:
    """Of `sys.meta_path`: finds Numba's modules among the facade's."""

    def find_spec(self, name, path=None, target=None):
        """The specification of a Numba module; raises ModuleNotFoundError if Rumba does not have it."""
        if name != "numba" and not name.startswith("numba."):
            return None
        if name == _TESTS or name.startswith(_TESTS + "."):
            return _find_tests(name)
        real = _real(name)
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name != real:
                raise
            raise ModuleNotFoundError(
                f"No module named {name!r} in Rumba, which stands in for Numba here: it is not there (yet)",
                name=name) from None
        origin = getattr(module.__spec__, "origin", None)
        spec = ModuleSpec(name, self, origin=origin, is_package=hasattr(module, "__path__"))
        spec.loader_state = module, module.__spec__
        return spec

    def create_module(self, spec):
        """The facade's module itself: there is one object under both names."""
        return spec.loader_state[0]

    def exec_module(self, module):
        """Nothing: it was executed under its own name, which stays its own."""
        state = module.__spec__.loader_state
        if isinstance(state, tuple) and state[0] is module:
            module.__spec__ = state[1]

    def get_code(self, name):
        """What `python -m numba.module` runs."""
        # A module of the facade may be one of Rumba's, under its own name.
        spec = importlib.import_module(_real(name)).__spec__
        return spec.loader.get_code(spec.name)

    def find_distributions(self, context=None):
        """The distribution `numba`, for `importlib.metadata`."""
        if context is None or context.name is None or context.name.lower() == "numba":
            yield _distribution()


def _real(name):
    """The name of a module of the facade, by Numba's name for it."""
    return _FACADE + name[len("numba"):]


def _find_tests(name):
    """Numba's own tests as well, if its package is on the path: they test the module that `numba` is now."""
    if name != _TESTS:
        return None  # in the package's folder, where Python's own finder looks
    for folder in sys.path:
        spec = PathFinder.find_spec(name, [os.path.join(folder, "numba")])
        if spec is not None:
            return spec
    raise ModuleNotFoundError(
        f"No module named {name!r}: Rumba stands in for Numba here, and the package of Numba, whose tests these are, does not lie "
        "on the path", name=name)


def _distribution():
    from importlib.metadata import Distribution

    class Numba(Distribution):
        """What stands for the distribution `numba` while its name is taken."""

        def read_text(self, filename):
            """The text of a metadata file, or None."""
            if filename != "METADATA":
                return None
            from .numba._version import __version__ as version

            return (f"Metadata-Version: 2.1\nName: numba\nVersion: {version}\n"
                    "Summary: Rumba under Numba's name\nRequires-Dist: numpy\n")

        def locate_file(self, path):
            """Where a file of the distribution is."""
            return os.path.join(os.path.dirname(__file__), path)

    return Numba()
