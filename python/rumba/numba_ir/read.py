"""Reads functions and code objects into Numba's form, outside of a compilation."""
from types import FunctionType

from .statements import Assign


def get_ir_of_code(glbls, fcode):
    """A code object without variables of functions around it in Numba's shape."""
    from ..numba_pipeline import bridge

    return bridge.frontend(FunctionType(fcode, glbls))


def compile_to_numba_ir(mk_func, glbls, typingctx=None, targetctx=None, arg_typs=None, typemap=None, calltypes=None):
    """A function or code object in Numba's shape, with new names for its variables. With types of arguments, types and
    signatures are noted in `typemap` and `calltypes`."""
    from ..numba_pipeline import bridge, inline

    func_ir = inline._read(mk_func, glbls)
    scope, prefix, names = next(iter(func_ir.blocks.values())).scope, inline.prefix_of(func_ir), {}
    for block in func_ir.blocks.values():
        for inst in block.body:
            for var in ([inst.target] if isinstance(inst, Assign) else []) + inst.list_vars():
                if var.name not in names:
                    names[var.name] = scope.define(inline.with_prefix(prefix, var.name), var.loc)
    bridge.rename(func_ir.blocks, names, scope)
    func_ir._shape.entry_names = {names[name].name for name in func_ir._shape.entry_names if name in names}
    func_ir._shape.joins = {}
    func_ir.definitions_anew()
    if arg_typs is not None:
        from ..rewriting.typed import call_types

        types, _, ways = bridge.infer(func_ir, arg_typs)
        bridge.take_known_ways(func_ir, ways)
        typemap.update(types)
        calltypes.update(call_types(func_ir, typemap))
    return func_ir
