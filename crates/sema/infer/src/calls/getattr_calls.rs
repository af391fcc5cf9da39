//! `getattr(x, "name")` as an attribute, where no rule for the function has the answer.
//!
//! ```text
//! %r = call getattr, %x, "name"     becomes   %r = getattr name, %x
//! ```
//!
//! Only types tell that the function is the built-in one and the name a constant. So the call is recorded, and inference restarts
//! with this rewrite.

use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use catalog::Special;
use diag::{Diagnostic, codes};
use ir::{Attr, Function, Inst, Op};
use std::sync::Arc;
use types::{LiteralValue, Type, TypeData};

/// What inference of a call gave, or a restart with an attribute in its place.
pub(crate) fn or_attribute(solver: &Solver<'_>, inst: Inst, outcome: Types) -> Types {
    match outcome {
        Err(failure) if failure.may_be_extended() => match attribute_read(solver, inst) {
            Some((_, name)) if solver.func.insts[inst].args.len() == 3 => Err(restart(solver, inst, name)),
            _ => Err(failure),
        },
        outcome => outcome,
    }
}

/// The restart with an attribute in the place of a call.
pub(crate) fn restart(solver: &Solver<'_>, inst: Inst, name: Arc<str>) -> Failure {
    solver.shared.memory.borrow_mut().note_getattr(solver.shared.key(solver.number), inst, name);
    let restart = Diagnostic::new(codes::UNTYPED, "the call is to read an attribute");
    Failure::from(restart.label(solver.func.insts[inst].span, "called here"))
}

/// The type of the value of which a call of `getattr`, with or without a default, reads an attribute, and the attribute.
pub(crate) fn attribute_read(solver: &Solver<'_>, inst: Inst) -> Option<(Type, Arc<str>)> {
    let data = &solver.func.insts[inst];
    let (Op::Call, &[callee, of, name, ..]) = (data.op, &data.args[..]) else { return None };
    let types = solver.cx.types;
    let TypeData::Function(function) = types.get(solver.ty(callee)?) else { return None };
    let is_getattr = solver.cx.catalog.special(&function) == Some(Special::Getattr);
    match types.literal(solver.ty(name)?) {
        Some(LiteralValue::Str(name)) if is_getattr => Some((solver.ty(of)?, name)),
        _ => None,
    }
}

/// Reads the attributes that calls were found to be.
pub(crate) fn rewrite(shared: &GroupState, number: usize, func: &mut Function) {
    for (call, name) in shared.memory.borrow().getattrs(&shared.key(number)) {
        let name = func.symbols.intern(name.to_string());
        let data = &mut func.insts[*call];
        data.op = Op::Getattr;
        data.attrs = [Attr::Symbol(name)].into_iter().collect();
        data.args = [data.args[1]].into_iter().collect();
    }
}
