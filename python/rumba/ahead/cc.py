"""`numba.pycc.CC`: collects functions and signatures with a decorator and builds them into an extension module."""
import inspect
import os
import sys
import sysconfig
import tempfile

from . import build_file
from .functions import compile_functions


class CC:
    """An extension module under construction.

        from rumba.numba.pycc import CC

        cc = CC("kernels")

        @cc.export("square", "f8(f8)")
        def square(x):
            return x * x

        cc.compile()        # kernels.cpython-311-x86_64-linux-gnu.so beside this file

    `source_module` is the module (or its name) beside which the result goes: the one that makes the object, if nothing is said.
    """

    verbose = False
    """Whether the commands are printed that put the module together."""

    use_nrt = True
    """Kept for programs that set it: memory is always managed."""

    def __init__(self, extension_name, source_module=None):
        if "." in extension_name:
            raise ValueError(f"basename should be a simple module name, not {extension_name!r}: give the folder as output_dir")
        if source_module is None:
            source_module = sys._getframe(1).f_globals.get("__name__", "__main__")
        if isinstance(source_module, str):
            source_module = sys.modules.get(source_module)
        self._name = extension_name
        self._source = source_module
        self._functions = {}
        self._cpu = "x86-64"
        path = getattr(source_module, "__file__", None)
        self._folder = os.path.dirname(os.path.abspath(path)) if path else os.getcwd()
        self._file = extension_name + sysconfig.get_config_var("EXT_SUFFIX")

    @property
    def name(self):
        """The name of the module."""
        return self._name

    @property
    def output_file(self):
        """The name of the file, by default `name` with the ending of extension modules."""
        return self._file

    @output_file.setter
    def output_file(self, value):
        self._file = value

    @property
    def output_dir(self):
        """The folder of the file, by default that of the source module."""
        return self._folder

    @output_dir.setter
    def output_dir(self, value):
        self._folder = value

    @property
    def target_cpu(self):
        """The processor, as LLVM calls it; "host" is this one. Without one, every processor of x86-64."""
        return self._cpu

    @target_cpu.setter
    def target_cpu(self, value):
        self._cpu = value or "x86-64"

    def export(self, exported_name, sig):
        """A decorator: the function goes into the module under this name, for a signature or a list of them."""
        if exported_name in self._functions:
            raise KeyError(f"duplicated export symbol {exported_name}")

        def decorate(function):
            self._functions[exported_name] = (function, sig if isinstance(sig, list) else [sig])
            return function

        return decorate

    def compile(self):
        """Builds the module: `output_file` in `output_dir`."""
        os.makedirs(self._folder, exist_ok=True)
        build_file(self._name, self._functions, os.path.join(self._folder, self._file), cpu=self._cpu, verbose=self.verbose)

    def distutils_extension(self, **options):
        """An extension of setuptools for `ext_modules`, which is built with the others. Options are those of `setuptools.Extension`."""
        from .setuptools_extension import ModuleExtension

        package = getattr(self._source, "__package__", None)
        name = f"{package}.{self._name}" if package else self._name
        path = inspect.getsourcefile(self._source) if self._source else None
        options.setdefault("depends", [path] if path else [])
        return ModuleExtension(name, lambda: compile_functions(name, self._functions, self._cpu), self.verbose, **options)
