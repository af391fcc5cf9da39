//! The result of resolving an instruction: types, or the reason why there are none.
//!
//! A missing rule in the catalog is not an error yet: a library may implement the operation, its operands may be converted, or
//! their types may grow. So it is a value, which becomes a diagnostic only when nothing else is left to try.
//!
//! Absent: the texts (`diagnostics::failures`), the next candidates (`overload_resolution`).

use catalog::Key;
use diag::{Code, Diagnostic, codes};
use types::Type;

/// What inference of an instruction gives.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Types of an instruction's results; nothing for one that depends on a value without a type so far.
pub(crate) type Types = Outcome<Vec<Option<Type>>>;

/// What libraries have for an instruction.
pub(crate) enum Lookup {
    /// The types of its results.
    Found(Vec<Option<Type>>),
    /// Nothing; why the implementations that were asked are of no use.
    Missing(Vec<String>),
}

/// Why an instruction has no types.
pub(crate) enum Failure {
    /// The catalog has no rule for these arguments.
    NoRule { key: Key, args: Vec<Type> },
    /// A value of this type has no such attribute.
    NoAttribute(Type),
    /// The op has no meaning for its operands.
    UnsupportedOp,
    /// A construct that is not compiled.
    Unsupported(&'static str),
    /// Anything else.
    Told(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Failure {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Failure::Told(diagnostic)
    }
}

impl Failure {
    /// The code that the diagnostic has.
    pub fn code(&self) -> Code {
        match self {
            Failure::NoRule { .. } => codes::NO_MATCH,
            Failure::NoAttribute(_) => codes::NO_ATTRIBUTE,
            Failure::UnsupportedOp | Failure::Unsupported(_) => codes::UNSUPPORTED_CONSTRUCT,
            Failure::Told(diagnostic) => diagnostic.code,
        }
    }

    /// Whether a library may implement what the catalog lacks.
    pub fn may_be_extended(&self) -> bool {
        let about_types = [codes::NO_MATCH, codes::NO_ATTRIBUTE, codes::ARITY, codes::UNSUPPORTED_CONSTRUCT];
        about_types.contains(&self.code())
    }

    /// Whether it may be about types that say too much.
    pub fn may_be_widened(&self) -> bool {
        self.may_be_extended() || self.code() == codes::CANNOT_UNIFY
    }
}
