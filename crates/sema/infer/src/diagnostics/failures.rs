//! Turns failures of inference into diagnostics when nothing else is left to try.

use crate::diagnostics;
use crate::overloads::lookup::Failure;
use crate::solver::Solver;
use diag::Diagnostic;
use ir::Inst;
use types::Type;

impl Failure {
    /// A value of type `of` has no attribute of the instruction's name.
    pub fn no_attribute(solver: &Solver<'_>, inst: Inst, of: Type) -> Self {
        match solver.cx.types.keywords(of) {
            Some(_) => Failure::Told(diagnostics::unknown_attribute(solver, inst, of)),
            None => Failure::NoAttribute(of),
        }
    }

    /// The instruction has no meaning for its operands.
    pub fn unsupported_op(solver: &Solver<'_>, inst: Inst) -> Self {
        let first = solver.func.insts[inst].args.first().and_then(|&arg| solver.ty(arg));
        match first.and_then(|of| solver.cx.types.keywords(of)) {
            Some(_) => Failure::Told(diagnostics::unsupported_op(solver, inst)),
            None => Failure::UnsupportedOp,
        }
    }

    /// What is reported of it.
    pub fn into_diagnostic(self, solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
        match self {
            Failure::NoRule { key, args } => diagnostics::no_match(solver, inst, &key, &args),
            Failure::NoAttribute(of) => diagnostics::unknown_attribute(solver, inst, of),
            Failure::UnsupportedOp => diagnostics::unsupported_op(solver, inst),
            Failure::Unsupported(construct) => diagnostics::unsupported(solver, inst, construct),
            Failure::Told(diagnostic) => diagnostic,
        }
    }
}
