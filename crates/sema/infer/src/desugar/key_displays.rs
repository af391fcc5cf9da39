//! Displays of dicts and sets whose keys are equal by methods of classes: an empty one, and an insertion for each entry.
//!
//! ```text
//! %d = build_map %k, %v     becomes   %d = build_map
//!                                     map_add %d, %k, %v
//! ```
//!
//! An insertion calls these methods. Only types tell which keys have such. So the instruction is recorded, and inference restarts
//! with this rewrite.

use crate::containers::widen::as_key;
use crate::overloads::lookup::Failure;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use diag::{Diagnostic, codes};
use ir::{Builder, Function, Inst, Op};
use types::{Type, unify};

/// The restart that a display asks for; nothing if its keys are compared where they stand.
pub(crate) fn restart(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Failure> {
    let (types, data) = (solver.cx.types, &solver.func.insts[inst]);
    let width = if data.op == Op::BuildMap { 2 } else { 1 };
    if data.op == Op::BuildList || !types.has_classes() {
        return None;
    }
    let mut keys = args.iter().step_by(width).map(|&key| as_key(types, types.unliteral(key)));
    let key = keys.try_fold(Type::UNDEFINED, |known, key| unify(types, known, key))?;
    (types.is_key(key) && types.is_key_by_methods(key)).then_some(())?;
    solver.shared.memory.borrow_mut().note_key_display(solver.shared.key(solver.number), inst);
    let restart = Diagnostic::new(codes::UNTYPED, "the entries of a display are to be inserted one by one");
    Some(Failure::from(restart.label(data.span, "made here")))
}

/// Writes out the displays that were recorded.
pub(crate) fn expand(shared: &GroupState, number: usize, func: &mut Function) {
    for &display in shared.memory.borrow().key_displays(&shared.key(number)) {
        let found = func.layout.iter().find_map(|&block| {
            let at = func.blocks[block].insts.iter().position(|&inst| inst == display)?;
            Some((block, at))
        });
        let Some((block, at)) = found else { continue };
        let behind = func.blocks[block].insts.split_off(at + 1);
        let (put, width) = match func.insts[display].op {
            Op::BuildMap => (Op::MapAdd, 2),
            _ => (Op::SetAdd, 1),
        };
        let entries = std::mem::take(&mut func.insts[display].args);
        let (table, span) = (func.insts[display].results[0], func.insts[display].span);
        let mut builder = Builder::new(func, block);
        builder.span = span;
        for entry in entries.chunks_exact(width) {
            let args: Vec<_> = std::iter::once(table).chain(entry.iter().copied()).collect();
            builder.inst(put, [], &args, &[]);
        }
        func.blocks[block].insts.extend(behind);
    }
}
