//! Enumerations, and unpacking, `map` and `filter` of what a class or an extension says how to iterate over: its iterator is made before.
//!
//! ```text
//! %a, %b = unpack %v        becomes   %i = getiter %v
//!                                     %a, %b = unpack %i
//! ```
//!
//! Only types tell which values these are. So the instruction is recorded, and inference restarts with this rewrite.

use crate::overloads::lookup::{Failure, Outcome};
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use catalog::Key;
use diag::{Diagnostic, codes};
use ir::{Builder, Def, Function, Inst, Op, ValueType};
use types::{Type, TypeData};

/// The functions of the library that give members of an enumeration.
pub(crate) const MEMBER_OF_VALUE: &str = "enum.EnumMeta.__call__";
pub(crate) const MEMBER_BY_NAME: &str = "enum.EnumMeta.__getitem__";

/// Whether a type is that of an enumeration itself.
pub(crate) fn is_enumeration(solver: &Solver<'_>, ty: Type) -> bool {
    matches!(solver.cx.types.get(ty), TypeData::Object { object, .. } if solver.host.is_enumeration(object))
}

/// The iterator of an operand, and its items. Where there is none, a restart if one of the operands from number `first` on is iterated over
/// as a class or an extension says, or else what `refuse` says.
pub(crate) fn iterator_and_item(
    solver: &Solver<'_>,
    inst: Inst,
    (iterable, first): (Type, usize),
    refuse: impl FnOnce() -> Box<Diagnostic>,
) -> Outcome<(Type, Type)> {
    let resolve = |key, ty| Some(solver.cx.catalog.resolve(solver.cx.types, &key, &[ty])?.result);
    let iterator = resolve(Key::Getiter, iterable);
    let both = iterator.and_then(|iterator| Some((iterator, resolve(Key::Iternext, iterator)?)));
    both.ok_or_else(|| restart(solver, inst, first).unwrap_or_else(|| refuse().into()))
}

/// The restart that an instruction asks for; nothing if none of its operands from number `first` on is such a value.
fn restart(solver: &Solver<'_>, inst: Inst, first: usize) -> Option<Failure> {
    let data = &solver.func.insts[inst];
    let indices: Vec<usize> = (first..data.args.len())
        .filter(|&index| {
            let operand = data.args[index];
            // An iterator that is an object again is what remains to be refused.
            let is_made = matches!(solver.func.values[operand].def, Def::Result(made, _) if solver.func.insts[made].op == Op::Getiter);
            !is_made && solver.ty(operand).is_some_and(|ty| is_user_iterable(solver, ty))
        })
        .collect();
    if indices.is_empty() || data.op == Op::CallEx {
        return None;
    }
    let mut memory = solver.shared.memory.borrow_mut();
    memory.note_user_iterables(solver.shared.key(solver.number), inst, indices);
    let restart = Diagnostic::new(codes::UNTYPED, "an iterator is to be made before");
    Some(Failure::from(restart.label(data.span, "iterated over here")))
}

fn is_user_iterable(solver: &Solver<'_>, ty: Type) -> bool {
    let types = solver.cx.types;
    match types.class(ty) {
        Some(class) => class.members.contains_key("__iter__"),
        None => matches!(types.get(ty), TypeData::Foreign { .. }) || is_enumeration(solver, ty),
    }
}

/// Makes the iterators of the instructions that were recorded.
pub(crate) fn expand(shared: &GroupState, number: usize, func: &mut Function) {
    for (user, indices) in shared.memory.borrow().user_iterables(&shared.key(number)) {
        let found = func.layout.iter().find_map(|&block| {
            let at = func.blocks[block].insts.iter().position(|inst| inst == user)?;
            Some((block, at))
        });
        let Some((block, at)) = found else { continue };
        let behind = func.blocks[block].insts.split_off(at);
        let span = func.insts[*user].span;
        for &index in indices {
            let iterable = func.insts[*user].args[index];
            let mut builder = Builder::new(func, block);
            builder.span = span;
            let made = builder.inst(Op::Getiter, [], &[iterable], &[ValueType::Untyped]);
            func.insts[*user].args[index] = func.insts[made].results[0];
        }
        func.blocks[block].insts.extend(behind);
    }
}
