//! Calls into Python for Unicode tables, formatting and their error messages.
//!
//! The host's `rumba_ask(request, length, words, count, answer)` returns 0 and the answer, or sets an exception in Python,
//! which is propagated from here.

use catalog::exception_args::Described;
use catalog::{Emit, Operand};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::Type;

/// What a question is answered by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Answer {
    /// A string.
    Text,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A complex number.
    Complex,
    /// A boolean.
    Truth,
    /// Bytes, as a string of one byte per character.
    Bytes,
}

impl Answer {
    fn letter(self) -> char {
        match self {
            Answer::Text => 't',
            Answer::Int => 'i',
            Answer::Float => 'f',
            Answer::Complex => 'c',
            Answer::Truth => 'b',
            Answer::Bytes => 'y',
        }
    }
}

/// Asks Python to call a method (`.name`) of the first argument, or a function (`name` of `builtins`, `operator.name`).
pub(crate) fn ask(emit: &mut Emit<'_>, operation: &str, args: &[Operand], answer: Answer) -> Result<Operand> {
    let mut described = Described::default();
    for arg in args {
        described.add(emit, arg)?;
    }
    ask_described(emit, operation, described, answer)
}

/// The same with arguments that are described already.
pub(crate) fn ask_described(
    emit: &mut Emit<'_>,
    operation: &str,
    described: Described,
    answer: Answer,
) -> Result<Operand> {
    let found = emit.ask_python(answer.letter(), operation, &described);
    Ok(read(emit, found, answer))
}

fn read(emit: &mut Emit<'_>, found: Value, answer: Answer) -> Operand {
    match answer {
        Answer::Text | Answer::Bytes => {
            let owner = emit.b.load(Native::I64, found, 0);
            let data = emit.b.load(Native::Ptr, found, 8);
            let meta = emit.b.load(Native::I64, found, 16);
            emit.b.count(Op::TakeRef, owner);
            emit.refs.temporaries.push(owner);
            Operand::new(Type::STR, [owner, data, meta])
        }
        Answer::Int => Operand::single(Type::INT64, emit.b.load(Native::I64, found, 0)),
        Answer::Float => Operand::single(Type::FLOAT64, emit.b.load(Native::F64, found, 0)),
        Answer::Complex => {
            let parts = [0, 8].map(|at| emit.b.load(Native::F64, found, at));
            Operand::new(Type::COMPLEX128, parts)
        }
        Answer::Truth => {
            let word = emit.b.load(Native::I64, found, 0);
            let zero = emit.b.iconst(Native::I64, 0);
            Operand::single(Type::BOOL, emit.b.icmp(IntCond::Ne, word, zero))
        }
    }
}

/// What the runtime made, or where it does not know (its code is 2), what Python does.
pub(crate) fn or_ask(
    emit: &mut Emit<'_>,
    code: Value,
    made: Operand,
    method: &str,
    args: &[Operand],
    answer: Answer,
) -> Result<Operand> {
    let unknown = emit.b.iconst(Native::I64, 2);
    let unknown = emit.b.icmp(IntCond::Eq, code, unknown);
    let parts = emit.if_else(
        unknown,
        |emit| {
            let answer = ask(emit, method, args, answer)?;
            // Whoever takes the one or the other holds it.
            emit.refs.temporaries.retain(|owner| *owner != answer.parts[0]);
            Ok(answer.parts)
        },
        |_| Ok(made.parts.clone()),
    )?;
    emit.refs.temporaries.retain(|owner| *owner != made.parts[0]);
    emit.refs.temporaries.push(parts[0]);
    Ok(Operand::new(Type::STR, parts))
}
