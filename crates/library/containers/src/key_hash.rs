//! Hashes of keys, which need not be Python's: equal keys of one type have equal hashes.
//!
//! It is computed by compiled code, and by the runtime when Python's containers are copied in: both give the same hash.

use abi::Runtime;
use catalog::object_layout::load_identifying_fields;
use catalog::{Emit, Operand, cast, machine_types};
use diag::Result;
use ir::{Native, Op, Value};
use rt::hash_table::FACTOR;
use rt::key_hash::HashStep;
use types::{Type, TypeData, TypeTable};

/// The hash of a key in tables, which need not be Python's: equal keys of one type have the same.
pub(crate) fn hash(emit: &mut Emit<'_>, key: &Operand) -> Result<Value> {
    let mut words = Vec::new();
    add_words(emit, key, &mut words)?;
    let positive = emit.b.iconst(Native::I64, i64::MAX);
    if emit.types.get(key.ty) == TypeData::Str {
        // Its word is mixed already.
        return Ok(emit.b.like_first(Op::Iand, &[words[0], positive]));
    }
    let mut words = words.into_iter();
    let factor = emit.b.iconst(Native::I64, FACTOR.cast_signed());
    let first = match words.next() {
        Some(word) => word,
        None => emit.b.iconst(Native::I64, 0),
    };
    let mut hash = emit.b.like_first(Op::Imul, &[first, factor]);
    for word in words {
        let (five, rest) = (emit.b.iconst(Native::I64, 5), emit.b.iconst(Native::I64, 59));
        let (up, down) =
            (emit.b.like_first(Op::Ishl, &[hash, five]), emit.b.like_first(Op::Ushr, &[hash, rest]));
        let turned = emit.b.like_first(Op::Ior, &[up, down]);
        let mixed = emit.b.like_first(Op::Ixor, &[turned, word]);
        hash = emit.b.like_first(Op::Imul, &[mixed, factor]);
    }
    let half = emit.b.iconst(Native::I64, 32);
    let upper = emit.b.like_first(Op::Ushr, &[hash, half]);
    let folded = emit.b.like_first(Op::Ixor, &[hash, upper]);
    let mixed = emit.b.like_first(Op::Imul, &[folded, factor]);
    let upper = emit.b.like_first(Op::Ushr, &[mixed, half]);
    let folded = emit.b.like_first(Op::Ixor, &[mixed, upper]);
    Ok(emit.b.like_first(Op::Iand, &[folded, positive]))
}

/// The words that a key's hash is made of.
fn add_words(emit: &mut Emit<'_>, key: &Operand, words: &mut Vec<Value>) -> Result<()> {
    match emit.types.get(key.ty) {
        TypeData::Str => {
            let (data, meta) = (key.parts[1], key.parts[2]);
            words.push(emit.call_runtime(Runtime::TableText, &[data, meta])[0]);
        }
        // Bytes are characters of one byte each.
        TypeData::Buffer(..) => {
            let two = emit.b.iconst(Native::I64, 2);
            let meta = emit.b.like_first(Op::Ishl, &[key.parts[2], two]);
            words.push(emit.call_runtime(Runtime::TableText, &[key.parts[1], meta])[0]);
        }
        TypeData::Enum { value, .. } => {
            add_words(emit, &Operand { ty: value, parts: key.parts.clone() }, words)?;
        }
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            let mut at = 0;
            for &element in elements.iter() {
                let count = emit.machine_types(element).len();
                let part = Operand::new(element, key.parts[at..at + count].iter().copied());
                at += count;
                add_words(emit, &part, words)?;
            }
        }
        TypeData::Float { bits: 16 } => {
            let number = cast(emit, key, Type::FLOAT64)?;
            add_words(emit, &number, words)?;
        }
        _ if let Some(fields) = load_identifying_fields(emit, key) => {
            for field in &fields {
                add_words(emit, field, words)?;
            }
        }
        _ => {
            for &part in &key.parts {
                let word = word_of(emit, part);
                words.push(word);
            }
        }
    }
    Ok(())
}

/// A machine value as a word; zeros of both signs are one.
fn word_of(emit: &mut Emit<'_>, part: Value) -> Value {
    match emit.b.func.native(part) {
        Native::I64 => part,
        Native::I1 => emit.b.convert_bool(part, Native::I64),
        Native::F64 => {
            let zero = emit.b.fconst(Native::F64, 0.0);
            let plain = emit.b.like_first(Op::Fadd, &[part, zero]);
            emit.b.convert(Op::Bitcast, plain, Native::I64)
        }
        Native::F32 => {
            let wide = emit.b.convert(Op::Fpext, part, Native::F64);
            word_of(emit, wide)
        }
        Native::Ptr => emit.b.convert(Op::Bitcast, part, Native::I64),
        _ => emit.b.convert(Op::Sext, part, Native::I64),
    }
}

/// How the words of a key of a type go into its hash.
pub fn hash_steps(types: &TypeTable, key: Type) -> Vec<HashStep> {
    match types.get(key) {
        _ if types.is_key_by_methods(key) => vec![HashStep::Object],
        TypeData::Str => vec![HashStep::Text],
        TypeData::Buffer(..) => vec![HashStep::Bytes],
        TypeData::Enum { value, .. } => hash_steps(types, value),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().flat_map(|&element| hash_steps(types, element)).collect()
        }
        TypeData::Float { bits: 16 } => vec![HashStep::Float(16)],
        _ => machine_types(types, key)
            .into_iter()
            .map(|native| match native {
                Native::I1 => HashStep::Truth,
                Native::F32 => HashStep::Float(32),
                Native::F64 => HashStep::Float(64),
                other => HashStep::Integer(8 * other.size() as u32),
            })
            .collect(),
    }
}
