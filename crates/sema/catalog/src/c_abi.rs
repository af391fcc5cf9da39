//! The C calling convention (System V x86-64) in terms of machine values.
//!
//! | type | in C | as |
//! |---|---|---|
//! | integers of 8 and 16 bits | `int8_t`, ... | `i32`, extended by their sign |
//! | `complex64` | `float _Complex` | the two floats in one `f64` |
//! | `complex128` | `double _Complex` | two `f64` |
//! | `None` | `void *`, or `void` as a result | a null pointer, or nothing |
//! | a function value | a pointer to the function | `ptr` |
//! | an array, as an argument of compiled code | what Numba passes for its struct | memory block, parent, count and size of items, items, lengths, strides |
//!
//! Everything else is as in compiled code.

use crate::{Emit, Operand};
use diag::{Diagnostic, Result, codes};
use ir::{Native, Op, Value};
use smallvec::{SmallVec, smallvec};
use types::{Layout, Type, TypeData};

/// Values of one parameter or of a result.
pub type Values = SmallVec<[Value; 2]>;

/// Float registers that parameters may take.
const FLOAT_REGISTERS: usize = 8;

/// Why C has no form of values of a type.
fn refused(emit: &Emit<'_>, ty: Type) -> Box<Diagnostic> {
    let message = format!("values of type {} cannot pass to or from functions of C", emit.types.name(ty));
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
        .hint("Let the function take and return numbers, truth values and functions.")
}

/// Machine types of a value in C.
fn natives(emit: &Emit<'_>, ty: Type) -> Result<SmallVec<[Native; 2]>> {
    Ok(match emit.types.get(ty) {
        TypeData::Int { bits: 8 | 16, .. } => smallvec![Native::I32],
        TypeData::Complex { bits: 64 } => smallvec![Native::F64],
        TypeData::FunctionValue { .. } => smallvec![Native::Ptr],
        TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { bits: 32 | 64 }
        | TypeData::Complex { .. }
        | TypeData::Pointer(_) => emit.machine_types(ty),
        _ => return Err(refused(emit, ty)),
    })
}

/// Machine types of an argument in C.
fn argument_natives(emit: &Emit<'_>, ty: Type) -> Result<SmallVec<[Native; 2]>> {
    let Some(array) = emit.types.array(ty) else {
        return if ty == Type::NONE { Ok(smallvec![Native::Ptr]) } else { natives(emit, ty) };
    };
    let mut form: SmallVec<[Native; 2]> =
        smallvec![Native::Ptr, Native::Ptr, Native::I64, Native::I64, Native::Ptr];
    form.extend(std::iter::repeat_n(Native::I64, 2 * usize::from(array.ndim)));
    Ok(form)
}

/// Machine types of a function's parameters in C.
pub fn parameters(emit: &Emit<'_>, types: &[Type]) -> Result<Vec<Native>> {
    let mut all = Vec::new();
    let mut floats = 0;
    for &ty in types {
        let form = argument_natives(emit, ty)?;
        let before = floats;
        floats += form.iter().filter(|native| native.is_float()).count();
        if form.len() > 1 && before < FLOAT_REGISTERS && floats > FLOAT_REGISTERS {
            // C puts both parts into memory then, and later floats into the register that is left.
            return Err(refused(emit, ty));
        }
        all.extend(form);
    }
    Ok(all)
}

/// Machine types of a function's result in C.
pub fn result(emit: &Emit<'_>, ty: Type) -> Result<Vec<Native>> {
    if ty == Type::NONE { Ok(Vec::new()) } else { Ok(natives(emit, ty)?.to_vec()) }
}

/// Whether functions of these types exist in C. Only compiled code passes arrays.
pub fn exists(emit: &Emit<'_>, params: &[Type], result_type: Type) -> bool {
    params.iter().all(|&ty| emit.types.array(ty).is_none())
        && parameters(emit, params).is_ok()
        && result(emit, result_type).is_ok()
}

/// A value as C takes it.
pub fn to_c(emit: &mut Emit<'_>, value: &Operand) -> Values {
    match emit.types.get(value.ty) {
        TypeData::Int { bits: 8 | 16, signed } => {
            let op = if signed { Op::Sext } else { Op::Zext };
            smallvec![emit.b.convert(op, value.value(), Native::I32)]
        }
        TypeData::Complex { bits: 64 } => smallvec![pack(emit, value)],
        TypeData::FunctionValue { .. } => smallvec![value.parts[1]],
        _ => value.parts.clone(),
    }
}

/// An argument as C takes it.
pub fn argument_to_c(emit: &mut Emit<'_>, value: &Operand) -> Values {
    if value.ty == Type::NONE { smallvec![emit.b.iconst(Native::Ptr, 0)] } else { to_c(emit, value) }
}

/// A value out of what C gives.
pub fn from_c(emit: &mut Emit<'_>, ty: Type, values: &[Value]) -> Operand {
    match emit.types.get(ty) {
        TypeData::Int { bits: bits @ (8 | 16), .. } => {
            let narrow = emit.b.convert(Op::Trunc, values[0], Native::int(bits.into()));
            Operand::single(ty, narrow)
        }
        TypeData::Complex { bits: 64 } => Operand::new(ty, unpack(emit, values[0])),
        TypeData::FunctionValue { .. } => {
            let null = emit.b.iconst(Native::Ptr, 0);
            Operand::new(ty, [null, values[0], null])
        }
        TypeData::None => Operand::new(ty, []),
        TypeData::Array(array) => {
            let ndim = usize::from(array.ndim);
            let owner = emit.b.convert(Op::Bitcast, values[0], Native::I64);
            let lengths = if array.layout == Layout::Any { 2 * ndim } else { ndim };
            let rest = values[5..5 + lengths].iter().copied();
            Operand::new(ty, [owner, values[4]].into_iter().chain(rest))
        }
        _ => Operand::new(ty, values.iter().copied()),
    }
}

/// Two floats in one double.
fn pack(emit: &mut Emit<'_>, value: &Operand) -> Value {
    let [re, im] = [0, 1].map(|part| {
        let bits = emit.b.convert(Op::Bitcast, value.parts[part], Native::I32);
        emit.b.convert(Op::Zext, bits, Native::I64)
    });
    let half = emit.b.iconst(Native::I64, 32);
    let high = emit.b.like_first(Op::Ishl, &[im, half]);
    let both = emit.b.like_first(Op::Ior, &[re, high]);
    emit.b.convert(Op::Bitcast, both, Native::F64)
}

/// The two floats that [`pack`] combined.
fn unpack(emit: &mut Emit<'_>, packed: Value) -> [Value; 2] {
    let both = emit.b.convert(Op::Bitcast, packed, Native::I64);
    let half = emit.b.iconst(Native::I64, 32);
    let high = emit.b.like_first(Op::Ushr, &[both, half]);
    [both, high].map(|bits| {
        let bits = emit.b.convert(Op::Trunc, bits, Native::I32);
        emit.b.convert(Op::Bitcast, bits, Native::F32)
    })
}
