//! The error for a conversion that does not exist.

use crate::emit::Emit;
use diag::Diagnostic;
use types::Type;

/// A bug of ours: inference has let it pass.
pub(crate) fn no_cast(emit: &Emit<'_>, from: Type, to: Type) -> Box<Diagnostic> {
    let (from, to) = (emit.types.name(from), emit.types.name(to));
    Diagnostic::internal("lowering", format!("there is no conversion from {from} to {to}"))
}
