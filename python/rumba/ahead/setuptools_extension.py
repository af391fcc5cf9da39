"""An extension module for setuptools, whose object files are compiled by `build_ext`."""
import os
import tempfile

from setuptools import Extension

from .linker import link_options, write_objects


class ModuleExtension(Extension):
    """An extension without sources: `compile` gives what `compile_functions` gives, the first time that objects are asked for."""

    def __init__(self, name, compile, verbose=False, **options):
        self._compile, self._verbose, self._objects, self._scratch = compile, verbose, None, None
        self._own_objects, self._own_options = [], []
        super().__init__(name, [], **options)

    @property
    def extra_objects(self):
        """The object files of the module, and those that were given."""
        if self._compile is None:
            return self._own_objects
        if self._objects is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="rumba-build-")
            self._objects = write_objects(self._compile(), self._scratch.name, self._verbose)
        return [*self._own_objects, *self._objects]

    @extra_objects.setter
    def extra_objects(self, value):
        self._own_objects = value or []

    @property
    def extra_link_args(self):
        """The linker's options."""
        objects = self.extra_objects
        return [*self._own_options, *link_options(os.path.dirname(objects[len(self._own_objects)]))]

    @extra_link_args.setter
    def extra_link_args(self, value):
        self._own_options = value or []
