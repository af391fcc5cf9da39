//! `import` statements: their modules are imported when the function compiles, and are constants of it.
//!
//! Absent: `from ... import *`, which Python allows at module level alone.

use crate::diagnostics;
use crate::ops::infer_value;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use ir::Inst;
use types::{LiteralValue, Type, TypeData, TypeTable};

const INSTALL: &str = "Modules are imported when the function compiles: install it, or check its name.";

/// `python "import"`: level, names, module.
pub(crate) fn infer_import(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let &[level, names, module] = args else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let (Some(LiteralValue::Int(level)), Some(module)) = (types.literal(level), text(types, module)) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let names = types.elements(names).unwrap_or_default();
    let names: Vec<String> = names.iter().filter_map(|&name| text(types, name)).collect();
    let found = solver.host.import(&module, &names, level);
    let value =
        found.map_err(|error| error.label(solver.func.insts[inst].span, "imported here").hint(INSTALL))?;
    infer_value(solver, inst, &value, "module")
}

/// `python "import_from"`: module, name.
pub(crate) fn infer_import_from(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let &[module, name] = args else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let (TypeData::Module(module), Some(name)) = (types.get(module), text(types, name)) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    match solver.host.module_attribute(&module, &name) {
        Some(value) => infer_value(solver, inst, &value, "attribute"),
        None => Err(diagnostics::cannot_import(solver, inst, &module, &name).into()),
    }
}

fn text(types: &TypeTable, ty: Type) -> Option<String> {
    match types.literal(ty) {
        Some(LiteralValue::Str(text)) => Some(text.to_string()),
        _ => None,
    }
}
