"""Modules of LLVM made with llvmlite and run by llvmlite's own engine: Numba's `numba.core.codegen`.

For programs that make machine code by hand and call it through `ctypes`. Absent: the code of compiled functions, which Rumba's
own LLVM makes, and intrinsics, whose modules become part of it (`rumba.codegen.intrinsic`).
"""
import threading
import warnings

import llvmlite.binding as ll
from llvmlite import ir

from .. import _rumba

_lock = threading.Lock()
_INITIALIZED = []


def _initialize():
    with _lock:
        if not _INITIALIZED:
            ll.initialize_native_target()
            ll.initialize_native_asmprinter()
            ll.initialize_native_asmparser()
            _INITIALIZED.append(True)


class JITCPUCodegen:
    """Makes libraries for the processor of this machine."""

    def __init__(self, module_name):
        _initialize()
        self.name = module_name
        self._cpu, self._tm_features = self._get_host_cpu_name(), self._customize_tm_features()
        self._machine = self._new_machine()
        self._data_layout = str(self._machine.target_data)

    def _new_machine(self):
        """A description of the processor. An engine takes its own over."""
        options = {"cpu": self._cpu, "features": self._tm_features, "opt": 3, "reloc": "default", "codemodel": "jitdefault", "jit": True}
        self._customize_tm_options(options)
        return ll.Target.from_default_triple().create_target_machine(**options)

    def _customize_tm_options(self, options):
        """For subclasses: changes the options of the description of the processor."""

    def _customize_tm_features(self):
        """For subclasses: the extensions of the processor that code may use, as LLVM writes them."""
        return self._get_host_cpu_features()

    def _get_host_cpu_name(self):
        return ll.get_host_cpu_name()

    def _get_host_cpu_features(self):
        return ll.get_host_cpu_features().flatten()

    @property
    def target_data(self):
        """The layout of data."""
        return self._machine.target_data

    def create_library(self, name, **kwargs):
        """An empty library."""
        return JITCodeLibrary(self, name)

    def create_empty_module(self, name):
        """An empty module for llvmlite's builders."""
        module = ir.Module(name)
        module.triple, module.data_layout = ll.get_default_triple(), self._data_layout
        return module

    _create_empty_module = create_empty_module

    def unserialize_library(self, serialized):
        """The library that was serialized, here or in another process."""
        return JITCodeLibrary._of(self, serialized)

    def magic_tuple(self):
        """What machine code depends on: object code is good where this is the same."""
        return ll.get_default_triple(), self._cpu, self._tm_features


CPUCodegen = JITCPUCodegen


class JITCodeLibrary:
    """Modules that become one, are optimized and linked."""

    def __init__(self, codegen, name):
        self.codegen, self.name = codegen, name
        self.modules, self._linked = [], []
        self._final_module = ll.parse_assembly(str(codegen.create_empty_module(name)))
        self._object, self._engine, self._is_final, self._is_cached = None, None, False, False

    def create_ir_module(self, name):
        """An empty module, which `add_ir_module` takes when it is full."""
        return self.codegen.create_empty_module(name)

    def add_ir_module(self, module):
        """Adds a module of llvmlite's builders."""
        self.add_llvm_module(ll.parse_assembly(str(module)))

    def add_llvm_module(self, module):
        """Adds a module that LLVM has read."""
        self._raise_if_final()
        module.verify()
        self.modules.append(module)
        self._final_module.link_in(module, preserve=True)

    def add_linking_library(self, library):
        """Adds the functions of another library, so that the modules may call them."""
        self._raise_if_final()
        library.finalize()
        self._linked.append(library)

    def finalize(self):
        """Links and optimizes; nothing can be added after it."""
        if self._is_final:
            return
        for library in self._linked:
            self._final_module.link_in(library._final_module, preserve=True)
        self._finalize_final_module()
        self._is_final = True

    def _finalize_final_module(self):
        """Optimizes the module that all others became."""
        self._final_module.verify()
        options = ll.create_pipeline_tuning_options(speed_level=3)
        ll.create_pass_builder(self.codegen._machine, options).getModulePassManager().run(
            self._final_module, ll.create_pass_builder(self.codegen._machine, options))

    def get_pointer_to_function(self, name):
        """The address of a function, an int; 0 if there is none. It is good as long as the library lives."""
        if self._engine is None:
            self.finalize()
            # Whoever calls the address need not hold the lock under which references are counted otherwise.
            _rumba.c_helpers()
            module = ll.parse_bitcode(self._final_module.as_bitcode())
            self._engine = ll.create_mcjit_compiler(module, self.codegen._new_machine())
            if self._is_cached:
                self._engine.add_object_file(ll.ObjectFileRef.from_data(self._object))
            self._engine.finalize_object()
        return self._engine.get_function_address(name)

    def enable_object_caching(self):
        """Keeps the object code, for `serialize_using_object_code`, which makes it where there is none."""

    def serialize_using_bitcode(self):
        """The library as LLVM's bitcode, which is compiled where it is loaded."""
        self.finalize()
        return self.name, "bitcode", self._final_module.as_bitcode()

    def serialize_using_object_code(self):
        """The library as machine code for processors like this one."""
        self.finalize()
        if self._object is None:
            self._object = self.codegen._machine.emit_object(self._final_module)
        return self.name, "object", self._object

    @classmethod
    def _of(cls, codegen, serialized):
        name, kind, data = serialized
        library = cls(codegen, name)
        if kind == "bitcode":
            library._final_module = ll.parse_bitcode(data)
        elif kind == "object":
            library._object, library._is_cached = data, True
        else:
            raise ValueError(f"unsupported serialization kind {kind!r}")
        library._is_final = True
        return library

    # For people to read.

    def get_llvm_str(self):
        """The text of LLVM's representation."""
        self._warn_if_cached()
        return str(self._final_module)

    def get_asm_str(self):
        """The text of the machine code."""
        self._warn_if_cached()
        return self.codegen._machine.emit_assembly(self._final_module)

    def get_function_cfg(self, name, py_func=None, **kwargs):
        """The control flow of a function as DOT; NameError if there is none."""
        from ..dispatch.llvm_graph import Graph

        self._warn_if_cached()
        self._final_module.get_function(name)
        return Graph(str(self._final_module))

    def _warn_if_cached(self):
        if self._is_cached:
            warnings.warn("Inspection disabled for cached code. Invalid result is returned.", stacklevel=3)

    def _raise_if_final(self):
        if self._is_final:
            raise RuntimeError(f"operation impossible on completed object {self!r}")

    def __repr__(self):
        return f"<Library {self.name!r} at 0x{id(self):x}>"


CPUCodeLibrary = JITCodeLibrary
