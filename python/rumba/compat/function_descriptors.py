"""Names and types of functions, for code that compiles them by hand: `numba.core.funcdesc`.

Absent: what is asked of a function that is compiled already (`rumba.dispatch.dispatcher.Description`).
"""
import importlib

from ..tools.name_mangling import default_mangler


class FunctionDescriptor:
    """A function for types of arguments; `mangled_name` is its symbol."""

    def __init__(self, native, modname, qualname, unique_name, doc, typemap, restype, calltypes, args, kws, mangler=None,
                 argtypes=None, inline=False, noalias=False, env_name=None, global_dict=None, abi_tags=(), uid=None):
        self.native, self.modname, self.qualname, self.unique_name, self.doc = native, modname, qualname, unique_name, doc
        self.typemap, self.restype, self.calltypes, self.args, self.kws = typemap, restype, calltypes, args, kws
        self.inline, self.noalias, self.abi_tags, self.env_name, self.global_dict = inline, noalias, abi_tags, env_name, global_dict
        self.argtypes = tuple(typemap[f"arg.{name}"] for name in args) if argtypes is None else tuple(argtypes)
        name = f"{modname}.{qualname}" if modname else qualname
        self.mangled_name = (mangler or default_mangler)(name, self.argtypes, abi_tags=abi_tags, uid=uid)

    @property
    def llvm_func_name(self):
        """The symbol of the machine code."""
        return self.mangled_name

    @property
    def llvm_cpython_wrapper_name(self):
        """The symbol of what Python calls."""
        return f"cpython.{self.mangled_name}"

    @property
    def llvm_cfunc_wrapper_name(self):
        """The symbol of what C calls."""
        return f"cfunc.{self.mangled_name}"

    def lookup_module(self):
        """The module of the function."""
        return importlib.import_module(self.modname)

    def __repr__(self):
        return f"<function descriptor {self.unique_name!r}>"


class PythonFunctionDescriptor(FunctionDescriptor):
    """A function of Python, as the passes left it."""

    @classmethod
    def from_specialized_function(cls, func_ir, typemap, restype, calltypes, mangler, inline, noalias, abi_tags):
        """That of a function with types."""
        return cls._of(func_ir, True, typemap, restype, calltypes, mangler, inline, noalias, abi_tags)

    @classmethod
    def from_object_mode_function(cls, func_ir):
        """That of a function whose values are all Python objects."""
        from collections import defaultdict

        from ..types import pyobject

        return cls._of(func_ir, False, defaultdict(lambda: pyobject), pyobject, {}, None, False, False, ())

    @classmethod
    def _of(cls, func_ir, native, typemap, restype, calltypes, mangler, inline, noalias, abi_tags):
        of = func_ir.func_id
        return cls(
            native, of.modname, of.func_qualname, of.unique_name, of.func.__doc__, typemap, restype, calltypes,
            tuple(func_ir.arg_names), (), mangler=mangler, inline=inline, noalias=noalias, global_dict=of.func.__globals__,
            abi_tags=abi_tags)
