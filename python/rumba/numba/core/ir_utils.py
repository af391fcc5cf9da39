"""`numba.core.ir_utils`."""
from ...numba_ir.utils import (
    GuardException, add_offset_to_labels, build_definitions, compute_cfg_from_blocks, dump_blocks,
    find_build_sequence, find_callname, find_const, find_max_label, find_outer_value, find_topo_order,
    flatten_labels, get_definition, get_name_var_table, get_unused_var_name, guard, index_var_of_get_setitem, is_get_setitem, is_getitem,
    is_return, is_setitem, mk_unique_var, remove_dels, rename_labels, replace_var_names, replace_vars,
    replace_vars_inner, replace_vars_stmt, require, visit_vars, visit_vars_inner, visit_vars_stmt)
from ...numba_ir.aliases import _add_alias, alias_func_extensions, find_potential_aliases, remove_call_handlers
from ...numba_ir.transforms import (
    apply_copy_propagate, copy_propagate, dead_code_elimination, is_operator_or_getitem, next_label, remove_dead,
    replace_arg_nodes, replace_returns, simplify_CFG)
from ...numba_ir.read import compile_to_numba_ir, get_ir_of_code
from .._missing import missing

__getattr__ = missing(__name__)
