//! Fixed-width strings, the elements of `S` and `U` arrays: comparison, length, characters.
//!
//! Trailing nulls do not count, so strings of different widths are compared as if the shorter were padded. A
//! constant string has its own width.

use abi::ExceptionClass::IndexError;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::{Diagnostic, Result};
use ir::{CompareOp, IntCond, Native, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    macro_rules! comparisons {
        ($($op:ident)*) => {
            $(catalog.add(Key::Compare($op), Rule::Generic(|types, args| {
                let common = common(types, args)?;
                let emit: EmitFn = |emit, args| compare(emit, args, $op);
                Some(Resolution { result: Type::BOOL, params: vec![common; 2], emit })
            }));)*
        };
    }
    comparisons! { Eq Ne Lt Le Gt Ge }
    catalog.add_generic("builtins.len", |types, args| of_text(types, args, Type::INT64, length)).reads();
    catalog.add(
        Key::Unary(UnaryOp::Bool),
        Rule::Generic(|types, args| of_text(types, args, Type::BOOL, is_some)),
    );
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Generic(|types, args| of_text(types, args, Type::BOOL, is_empty)),
    );
    catalog.add(
        Key::Construct(Type::BOOL),
        Rule::Generic(|types, args| of_text(types, args, Type::BOOL, is_some)),
    );
    catalog.add(Key::Getitem, Rule::Generic(resolve_character));
}

/// How many characters text has room for, and whether they take four bytes.
fn text_of(types: &TypeTable, ty: Type) -> Option<(u32, bool)> {
    match types.get(ty) {
        TypeData::CharSeq { count, wide } => Some((count, wide)),
        TypeData::Literal(LiteralValue::Str(text)) => Some((u32::try_from(text.chars().count()).ok()?, true)),
        _ => None,
    }
}

/// The type that two texts are both widened to; one of them at least is no constant.
fn common(types: &TypeTable, args: &[Type]) -> Option<Type> {
    let [a, b] = *args else { return None };
    let ((first, wide), (second, other)) = (text_of(types, a)?, text_of(types, b)?);
    let is_text = |ty| matches!(types.get(ty), TypeData::CharSeq { .. });
    (wide == other && (is_text(a) || is_text(b)))
        .then(|| types.intern(TypeData::CharSeq { count: first.max(second), wide }))
}

fn of_text(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    matches!(types.get(ty), TypeData::CharSeq { .. }).then_some(Resolution {
        result,
        params: args.to_vec(),
        emit,
    })
}

fn is_wide(emit: &Emit<'_>, ty: Type) -> bool {
    matches!(emit.types.get(ty), TypeData::CharSeq { wide: true, .. })
}

/// A word as a number that is greater where the text is after.
fn in_order(emit: &mut Emit<'_>, word: Value, wide: bool) -> Value {
    let mut swapped = word;
    // The first character is in the lowest bytes; one of four bytes is as the machine has it.
    let steps: &[(i64, u64)] = match wide {
        true => &[(32, 0x0000_0000_ffff_ffff)],
        false => &[(8, 0x00ff_00ff_00ff_00ff), (16, 0x0000_ffff_0000_ffff), (32, 0x0000_0000_ffff_ffff)],
    };
    for &(shifts, mask) in steps {
        let (shifts, mask) =
            (emit.b.iconst(Native::I64, shifts), emit.b.iconst(Native::I64, mask.cast_signed()));
        let low = emit.b.like_first(Op::Iand, &[swapped, mask]);
        let up = emit.b.like_first(Op::Ishl, &[low, shifts]);
        let down = emit.b.like_first(Op::Ushr, &[swapped, shifts]);
        let down = emit.b.like_first(Op::Iand, &[down, mask]);
        swapped = emit.b.like_first(Op::Ior, &[up, down]);
    }
    swapped
}

fn compare(emit: &mut Emit<'_>, args: &[Operand], op: CompareOp) -> Result<Operand> {
    let wide = is_wide(emit, args[0].ty);
    let (a, b) = match op {
        CompareOp::Gt | CompareOp::Le => (&args[1], &args[0]),
        _ => (&args[0], &args[1]),
    };
    let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
    // From the last word to the first: of what is equal so far, what follows decides.
    let mut truth = emit.b.bool(!ordered);
    for (&x, &y) in a.parts.iter().zip(&b.parts).rev() {
        let equal = emit.b.icmp(IntCond::Eq, x, y);
        truth = if ordered {
            let (x, y) = (in_order(emit, x, wide), in_order(emit, y, wide));
            let before = emit.b.icmp(IntCond::Ult, x, y);
            emit.b.select(equal, truth, before)
        } else {
            emit.b.native(Op::Iand, [], &[equal, truth], Native::I1)
        };
    }
    if matches!(op, CompareOp::Ne | CompareOp::Le | CompareOp::Ge) {
        let one = emit.b.bool(true);
        truth = emit.b.like_first(Op::Ixor, &[truth, one]);
    }
    Ok(Operand::single(Type::BOOL, truth))
}

/// The index after the last character that is no null.
fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = is_wide(emit, args[0].ty);
    let (bits, in_word) = if wide { (32, 2) } else { (8, 8) };
    let zero = emit.b.iconst(Native::I64, 0);
    let mut found = zero;
    for (number, &word) in args[0].parts.iter().enumerate() {
        for index in 0..in_word {
            let mask = (u64::MAX >> (64 - bits) << (bits * index)).cast_signed();
            let mask = emit.b.iconst(Native::I64, mask);
            let character = emit.b.like_first(Op::Iand, &[word, mask]);
            let there = emit.b.icmp(IntCond::Ne, character, zero);
            let behind = emit.b.iconst(Native::I64, i64::from(in_word * number as u32 + index + 1));
            found = emit.b.select(there, behind, found);
        }
    }
    Ok(Operand::single(Type::INT64, found))
}

fn is_some(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let mut all = zero;
    for &word in &args[0].parts {
        all = emit.b.like_first(Op::Ior, &[all, word]);
    }
    let truth = emit.b.icmp(IntCond::Ne, all, zero);
    Ok(Operand::single(Type::BOOL, truth))
}

fn is_empty(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let some = is_some(emit, args)?.value();
    let one = emit.b.bool(true);
    Ok(Operand::single(Type::BOOL, emit.b.like_first(Op::Ixor, &[some, one])))
}

/// `text[i]`: of bytes a number, of characters text of one.
fn resolve_character(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [text, index] = *args else { return None };
    let TypeData::CharSeq { wide, .. } = types.get(text) else { return None };
    let result = if wide { types.intern(TypeData::CharSeq { count: 1, wide }) } else { Type::INT64 };
    types.unliteral(index).is_int().then_some(Resolution { result, params: args.to_vec(), emit: character })
}

fn character(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = is_wide(emit, args[0].ty);
    let length = length(emit, &args[..1])?.value();
    let at = cast(emit, &args[1], Type::INT64)?.value();
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, at, zero);
    let from_end = emit.b.like_first(Op::Iadd, &[at, length]);
    let at = emit.b.select(negative, from_end, at);
    let outside = emit.b.icmp(IntCond::Uge, at, length);
    emit.raise_if(outside, IndexError, if wide { "string index out of range" } else { "index out of range" });
    let size = u32::try_from(8 * args[0].parts.len())
        .map_err(|_| Diagnostic::internal("emission", "text of many bytes"))?;
    let slot = emit.frame_slot(size.max(8));
    for (number, &word) in args[0].parts.iter().enumerate() {
        emit.b.store(slot, 8 * number as i64, word);
    }
    let step = emit.b.iconst(Native::I64, if wide { 4 } else { 1 });
    let offset = emit.b.like_first(Op::Imul, &[at, step]);
    let address = emit.b.native(Op::PtrAdd, [], &[slot, offset], Native::Ptr);
    let found = emit.b.load(if wide { Native::I32 } else { Native::I8 }, address, 0);
    let found = emit.b.convert(Op::Zext, found, Native::I64);
    Ok(Operand::single(args[0].ty, found))
}
