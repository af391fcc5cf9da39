//! `collections.defaultdict(factory)`: the type of the dict holds the factory, which a lookup of a missing key calls.
//!
//! The factory is a builtin class or a function without captured variables, so that the dict holds nothing but its entries. The
//! library refuses others.

use crate::calls::map_filter::result_of;
use crate::containers::container_growth;
use crate::containers::widen::as_item;
use crate::diagnostics;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use crate::solver::effects;
use catalog::Special;
use catalog::item_layout::Slot;
use ir::{Attr, Block, Inst, Op};
use types::{Type, TypeData};

/// Whether a call makes an empty dict with a factory.
pub(crate) fn is_made(solver: &Solver<'_>, inst: Inst) -> bool {
    let data = &solver.func.insts[inst];
    let (Op::Call, Some(Attr::Symbols(names)), &[callee, _]) = (data.op, data.attrs.first(), &data.args[..])
    else {
        return false;
    };
    match solver.ty(callee).map(|callee| solver.cx.types.get(callee)) {
        Some(TypeData::Function(name)) if names.is_empty() => {
            effects::of(solver, &catalog::Extended::Function(name)).special == Some(Special::DefaultDict)
        }
        _ => false,
    }
}

/// The type of such a dict, if a call makes one.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let is_factory = match solver.cx.types.get(*operands.get(1)?) {
        TypeData::Function(_) | TypeData::Dispatcher(_) => true,
        TypeData::Closure { captures, defaults, .. } => captures.is_empty() && defaults.is_empty(),
        _ => false,
    };
    (is_factory && is_made(solver, inst)).then(|| infer_default_dict(solver, block, inst, operands[1]))
}

fn infer_default_dict(solver: &mut Solver<'_>, block: Block, inst: Inst, factory: Type) -> Types {
    let types = solver.cx.types;
    let value = match effects::of_callee(solver, factory).makes {
        Some(made) => Some(made.ty(types)),
        None => result_of(solver, block, inst, factory, &[])?,
    };
    let Some(value) = value else { return Ok(vec![None]) };
    let value = as_item(types, types.unliteral(value));
    if Slot::of(types, value).is_none() {
        return Err(diagnostics::cannot_lie(solver, inst, value).into());
    }
    let empty = types.intern(TypeData::Dict { key: Type::UNDEFINED, value, missing: factory });
    Ok(vec![Some(container_growth::with_growth(solver, inst, empty))])
}
