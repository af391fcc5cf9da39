//! `raise E` as `raise E()`, where the class has an `__init__` of its own.
//!
//! ```text
//! raise %E     becomes   %e = call %E
//!                        raise %e
//! ```
//!
//! The call may fail, and a handler around it catches what it raises. Only types tell which class is raised. So the instruction is
//! recorded, and inference restarts with this rewrite.

use crate::overloads::lookup::Failure;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use diag::{Diagnostic, codes};
use ir::{Attr, Builder, Function, Inst, Op};

/// The restart with a call of the class that an instruction raises.
pub(crate) fn restart(solver: &Solver<'_>, inst: Inst) -> Failure {
    solver.shared.memory.borrow_mut().note_raised_class(solver.shared.key(solver.number), inst);
    let restart = Diagnostic::new(codes::UNTYPED, "the class that is raised is to be called");
    Failure::from(restart.label(solver.func.insts[inst].span, "raised here"))
}

/// Calls the classes that are raised.
pub(crate) fn call(shared: &GroupState, number: usize, func: &mut Function) {
    for &raise in shared.memory.borrow().raised_classes(&shared.key(number)) {
        let block =
            func.layout.iter().copied().find(|&block| func.blocks[block].insts.last() == Some(&raise));
        let Some(block) = block else { continue };
        func.blocks[block].insts.pop();
        let (class, span) = (func.insts[raise].args[0], func.insts[raise].span);
        let mut builder = Builder::new(func, block);
        builder.span = span;
        let made = builder.untyped(Op::Call, [Attr::Symbols(Vec::new())], &[class]);
        func.insts[raise].args[0] = made;
        func.blocks[block].insts.push(raise);
    }
}
