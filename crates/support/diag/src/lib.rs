//! Positions in Python source, and diagnostics as data.
//!
//! A [`Diagnostic`] is built where the problem is found and rendered by the crate
//! `python`; nothing here formats for a terminal. [`codes`] is the one table of stable error codes.

pub mod codes;
mod function_origin;
mod span;
mod suggest;

pub use codes::{Code, ErrorClass};
pub use function_origin::{Call, Origin};
pub use span::Span;
pub use suggest::nearest;

/// What went wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, the key of the user guide's error page.
    pub code: Code,
    /// One sentence that names the construct and why it fails.
    pub message: String,
    /// Locations in the source with what is to be said of each; the first is the primary one.
    pub labels: Vec<Label>,
    /// Facts that help to understand, one paragraph each.
    pub notes: Vec<String>,
    /// What to do instead.
    pub hint: Option<String>,
    /// The function that the labels are places of; filled where a pass hands the diagnostic on.
    pub origin: Option<Origin>,
    /// The calls that led from what was asked for to that function, the nearest first.
    pub calls: Vec<Call>,
}

/// A place in the source and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Lines and columns of the place.
    pub span: Span,
    /// A few words shown under the place; may be empty.
    pub text: String,
}

/// Result of anything that may stop a compilation.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Diagnostic {
    /// A diagnostic with a message and no place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Diagnostic {
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            hint: None,
            origin: None,
            calls: Vec::new(),
        })
    }

    /// Our own bug: an invariant that `who` (a pass, a room) found broken.
    pub fn internal(who: &str, what: impl std::fmt::Display) -> Box<Self> {
        Diagnostic::new(codes::INTERNAL, format!("internal compiler error in {who}: {what}")).hint(
            "This is a bug of Rumba, not of your program. Please report it with the function that shows it.",
        )
    }

    /// Adds a labelled place; the first one added is the primary one.
    pub fn label(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Box<Self> {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact that helps to understand.
    pub fn note(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.notes.push(text.into());
        self
    }

    /// Says what to do instead.
    pub fn hint(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.hint = Some(text.into());
        self
    }

    /// Says which function this is about, unless that is known already.
    pub fn in_function(mut self: Box<Self>, origin: impl FnOnce() -> Origin) -> Box<Self> {
        self.origin.get_or_insert_with(origin);
        self
    }

    /// Adds a call that led here; the nearest one is added first.
    pub fn called_from(mut self: Box<Self>, caller: Origin, span: Span) -> Box<Self> {
        self.calls.push(Call { caller, span });
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        for label in &self.labels {
            write!(f, "\n  at {}: {}", label.span, label.text)?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        if let Some(origin) = &self.origin {
            write!(f, "\n  in {} ({}:{})", origin.function, origin.file, origin.line)?;
        }
        for call in &self.calls {
            write!(f, "\n  called from {} ({}:{})", call.caller.function, call.caller.file, call.span)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
