//! Constants of the source, and values of literal types.

use crate::Lowering;
use catalog::{Operand, cast, machine_types};
use diag::{Diagnostic, Result};
use ir::{Builder, Const, ConstData, Inst, Native, Op, Value};
use smallvec::SmallVec;
use types::{LiteralValue, Type, TypeData, TypeTable};

/// The constant value that a literal type promises, as machine values.
pub(crate) fn literal(l: &mut Lowering<'_>, ty: Type) -> Option<Operand> {
    let value = match l.cx.types.literal(ty)? {
        LiteralValue::Int(value) => l.emit.b.iconst(Native::I64, value),
        LiteralValue::Bool(value) => l.emit.b.bool(value),
        LiteralValue::Str(_) => return Some(Operand::new(ty, [])),
    };
    Some(Operand::single(ty, value))
}

pub(crate) fn lower_const(l: &mut Lowering<'_>, inst: Inst, id: Const) -> Result<()> {
    let result = l.typed.insts[inst].results[0];
    let parts = constant_parts(&mut l.emit.b, l.cx.types, &l.typed.consts, id)?;
    let ty = l.typed.ty(result);
    let own = named_as(l.cx.types, constant_type(l.cx.types, &l.typed.consts, id), ty);
    // A NumPy scalar is written as Python's number of its value.
    let value = cast(&mut l.emit, &Operand::new(own, parts), ty)?;
    l.define(result, Operand { ty, parts: value.parts });
    Ok(())
}

/// A type of tuples with the names that another one has: constants have none.
fn named_as(types: &TypeTable, own: Type, wanted: Type) -> Type {
    let (Some(parts), Some(names)) = (types.elements(own), types.elements(wanted)) else { return own };
    let parts: Vec<Type> =
        parts.iter().zip(&*names).map(|(&part, &name)| named_as(types, part, name)).collect();
    match types.get(wanted) {
        TypeData::NamedTuple { name, fields, class, .. } => {
            types.intern(TypeData::NamedTuple { name, fields, types: parts.into(), class })
        }
        _ => types.tuple(&parts),
    }
}

/// The type whose parts [`constant_parts`] gives.
pub(crate) fn constant_type(
    types: &TypeTable,
    consts: &entity::Interner<Const, ConstData>,
    id: Const,
) -> Type {
    match consts.get(id) {
        ConstData::Ellipsis => Type::ELLIPSIS,
        ConstData::Bool(_) => Type::BOOL,
        ConstData::Int(_) => Type::INT64,
        ConstData::BigInt(_) => Type::UINT64,
        ConstData::Float(_) => Type::FLOAT64,
        ConstData::Complex(..) => Type::COMPLEX128,
        ConstData::Str(text) => types.literal_str(text),
        ConstData::Bytes(bytes) if bytes.last() == Some(&0) => types.bytes(),
        ConstData::Bytes(bytes) => types.intern(TypeData::CharSeq { count: bytes.len() as u32, wide: false }),
        ConstData::Function(_, ty) | ConstData::Array(_, ty, _) | ConstData::Words(ty, _) => *ty,
        ConstData::Tuple(items) => {
            let elements: Vec<Type> = items.iter().map(|&item| constant_type(types, consts, item)).collect();
            types.tuple(&elements)
        }
        _ => Type::NONE,
    }
}

fn constant_parts(
    b: &mut Builder<'_>,
    types: &TypeTable,
    consts: &entity::Interner<Const, ConstData>,
    id: Const,
) -> Result<SmallVec<[Value; 2]>> {
    let mut parts = SmallVec::new();
    match consts.get(id) {
        ConstData::None | ConstData::Ellipsis | ConstData::Str(_) => {}
        ConstData::Bool(value) => parts.push(b.bool(*value)),
        ConstData::Int(value) => parts.push(b.iconst(Native::I64, *value)),
        ConstData::Float(bits) => parts.push(b.fconst(Native::F64, f64::from_bits(*bits))),
        ConstData::Complex(re, im) => {
            parts.extend([*re, *im].map(|bits| b.fconst(Native::F64, f64::from_bits(bits))));
        }
        ConstData::BigInt(text) => match text.parse::<u64>() {
            Ok(value) => parts.push(b.iconst(Native::I64, value.cast_signed())),
            Err(_) => return Err(Diagnostic::internal("lowering", "a constant beyond 64 bits")),
        },
        ConstData::Tuple(items) => {
            for &item in items {
                parts.extend(constant_parts(b, types, consts, item)?);
            }
        }
        ConstData::Function(number, ty) if matches!(types.get(*ty), TypeData::PythonFunction { .. }) => {
            let [_, object] = catalog::constant_symbols(*number);
            parts.push(b.address_of(&object));
        }
        ConstData::Function(number, Type::PYOBJECT) => {
            let [_, object] = catalog::constant_symbols(*number);
            parts.push(borrowed(b, &object));
        }
        ConstData::Function(number, _) => {
            parts.push(b.iconst(Native::Ptr, 0));
            parts.extend(catalog::constant_symbols(*number).map(|symbol| b.address_of(&symbol)));
        }
        ConstData::Array(number, _, lengths) => {
            let [data, object] = catalog::constant_symbols(*number);
            parts.push(borrowed(b, &object));
            parts.push(b.address_of(&data));
            parts.extend(lengths.iter().map(|&length| b.iconst(Native::I64, length)));
        }
        ConstData::Words(ty, words) => {
            let natives = machine_types(types, *ty);
            parts.extend(words.iter().zip(natives).map(|(&word, native)| of_word(b, word, native)));
        }
        // A fixed-width string has no nulls at its end.
        ConstData::Bytes(bytes) if bytes.last() == Some(&0) => {
            parts.push(b.iconst(Native::I64, 0));
            parts.push(b.address_of(&ir::bytes_symbol(bytes)));
            parts.push(b.iconst(Native::I64, bytes.len() as i64));
        }
        ConstData::Bytes(bytes) => {
            parts.extend(catalog::charseq::words(bytes).map(|word| b.iconst(Native::I64, word)));
        }
        ConstData::FrozenSet(_) | ConstData::Code(..) => {
            return Err(Diagnostic::internal("lowering", "a constant without machine values"));
        }
    }
    Ok(parts)
}

/// The owner word of an object that is borrowed, as arguments are: whoever holds the code holds it.
fn borrowed(b: &mut Builder<'_>, object: &str) -> Value {
    let object = b.address_of(object);
    let word = b.convert(Op::Bitcast, object, Native::I64);
    let borrowed = b.iconst(Native::I64, 1);
    b.like_first(Op::Ior, &[word, borrowed])
}

/// A part of a value whose word is known.
fn of_word(b: &mut Builder<'_>, word: i64, native: Native) -> Value {
    match native {
        Native::F64 => b.fconst(Native::F64, f64::from_bits(word.cast_unsigned())),
        Native::F32 => b.fconst(Native::F32, f32::from_bits(word as u32).into()),
        Native::I1 => b.bool(word != 0),
        Native::I8 => b.iconst(native, i64::from(word as i8)),
        Native::I16 => b.iconst(native, i64::from(word as i16)),
        Native::I32 => b.iconst(native, i64::from(word as i32)),
        Native::I64 => b.iconst(native, word),
        Native::Ptr => {
            let word = b.iconst(Native::I64, word);
            b.convert(Op::Bitcast, word, Native::Ptr)
        }
    }
}
