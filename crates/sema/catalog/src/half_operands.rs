//! Operands of operations on numbers in half precision, which are emitted in single precision.

use crate::half_precision::{exchange, is_number, is_of_numbers};
use crate::{Emit, Operand, Resolution};
use ir::{Native, Op};
use types::Type;

/// What the operation of a resolution takes in single precision where its parameters are halves.
pub(crate) fn in_single_precision(emit: &mut Emit<'_>, resolution: &Resolution, args: &mut [Operand]) {
    let is_number = |&ty: &Type| is_number(emit.types, ty);
    if !resolution.params.iter().all(is_number) || !is_of_numbers(emit.types, resolution.result) {
        return;
    }
    for arg in args.iter_mut().filter(|arg| arg.ty == Type::FLOAT16) {
        let single = emit.b.convert(Op::HalfToFloat, arg.value(), Native::F32);
        *arg = Operand::single(Type::FLOAT32, single);
    }
}

/// The type of what was emitted in single precision for a result with halves.
pub(crate) fn emitted(emit: &Emit<'_>, made: &Operand, result: Type) -> Option<Type> {
    let single = exchange(emit.types, result, Type::FLOAT16, Type::FLOAT32);
    let natives = |ty: Type| emit.machine_types(ty);
    let is_of = |ty: Type| made.parts.iter().map(|&part| emit.b.func.native(part)).eq(natives(ty));
    (single != result && !is_of(result) && is_of(single)).then_some(single)
}
