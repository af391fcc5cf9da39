//! Strings as machine values, and calls of the runtime.

use abi::ExceptionClass::MemoryError;
use abi::Runtime;
use catalog::{Emit, EmitFn, Operand, Resolution};
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

/// Whether a type is a string, constant or not, or a fixed-width string, which becomes one.
pub(crate) fn is_text(types: &TypeTable, ty: Type) -> bool {
    types.unliteral(ty) == Type::STR || matches!(types.get(ty), TypeData::CharSeq { wide: true, .. })
}

/// The meaning of a call where the first arguments are strings, and all are converted to these types.
pub(crate) fn resolution(result: Type, params: &[Type], emit: EmitFn) -> Option<Resolution> {
    Some(Resolution { result, params: params.to_vec(), emit })
}

/// A string's parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub owner: Value,
    pub data: Value,
    pub meta: Value,
}

impl Parts {
    /// Of an operand of type `str`.
    pub fn of(operand: &Operand) -> Parts {
        let [owner, data, meta] = operand.parts[..] else { unreachable!("a string has three parts") };
        Parts { owner, data, meta }
    }

    /// All three.
    pub fn all(self) -> [Value; 3] {
        [self.owner, self.data, self.meta]
    }

    /// Number of characters.
    pub fn length(self, emit: &mut Emit<'_>) -> Value {
        let two = emit.b.iconst(Native::I64, 2);
        emit.b.like_first(Op::Ushr, &[self.meta, two])
    }

    /// What stands for the width of characters.
    pub fn code(self, emit: &mut Emit<'_>) -> Value {
        let three = emit.b.iconst(Native::I64, 3);
        emit.b.like_first(Op::Iand, &[self.meta, three])
    }

    /// Bytes of all characters.
    pub fn size(self, emit: &mut Emit<'_>) -> Value {
        let (length, code) = (self.length(emit), self.code(emit));
        emit.b.like_first(Op::Ishl, &[length, code])
    }
}

/// Calls a function of the runtime that makes a string: its code (0 if it was made) and the string, which the instruction
/// being emitted holds.
pub(crate) fn try_make(emit: &mut Emit<'_>, function: Runtime, args: &[Value]) -> (Value, Operand) {
    let made = emit.call_runtime(function, args);
    emit.refs.temporaries.push(made[1]);
    (made[0], Operand::new(Type::STR, made[1..].iter().copied()))
}

/// The same where nothing but memory can be missing.
pub(crate) fn make(emit: &mut Emit<'_>, function: Runtime, args: &[Value]) -> Operand {
    let (code, made) = try_make(emit, function, args);
    check_memory(emit, code);
    made
}

/// MemoryError if the code says so.
pub(crate) fn check_memory(emit: &mut Emit<'_>, code: Value) {
    let no_memory = emit.b.iconst(Native::I64, 1);
    let failed = emit.b.icmp(IntCond::Eq, code, no_memory);
    emit.raise_if(failed, MemoryError, "not enough memory for a string");
}

/// A boolean as an operand.
pub(crate) fn truth(value: Value) -> Operand {
    Operand::single(Type::BOOL, value)
}

/// The string of one character, which nobody owns.
pub(crate) fn of_char(emit: &mut Emit<'_>, number: Value) -> diag::Result<Operand> {
    let limit = emit.b.iconst(Native::I64, 256);
    let narrow = emit.b.icmp(IntCond::Ult, number, limit);
    let parts = emit.if_else(
        narrow,
        |emit| {
            let table = emit.b.address_of("rumba_latin");
            let data = emit.b.native(Op::PtrAdd, [], &[table, number], Native::Ptr);
            Ok([data, emit.b.iconst(Native::I64, 4)].into_iter().collect())
        },
        |emit| {
            let made = emit.call_runtime(Runtime::TextChar, &[number]);
            Ok([made[0], made[1]].into_iter().collect())
        },
    )?;
    let owner = emit.b.iconst(Native::I64, 0);
    Ok(Operand::new(Type::STR, [owner, parts[0], parts[1]]))
}

/// The number of character `at`, which there is.
pub(crate) fn char_at(emit: &mut Emit<'_>, text: Parts, at: Value) -> diag::Result<Value> {
    let code = text.code(emit);
    let zero = emit.b.iconst(Native::I64, 0);
    let narrow = emit.b.icmp(IntCond::Eq, code, zero);
    let found = emit.if_else(
        narrow,
        |emit| {
            let address = emit.b.native(Op::PtrAdd, [], &[text.data, at], Native::Ptr);
            let byte = emit.b.load(Native::I8, address, 0);
            Ok([emit.b.convert(Op::Zext, byte, Native::I64)].into_iter().collect())
        },
        |emit| {
            let found = emit.call_runtime(Runtime::TextAt, &[text.data, text.meta, at]);
            Ok([found[0]].into_iter().collect())
        },
    )?;
    Ok(found[0])
}
