//! `a.astype(dtype)` and copies in a given order: elements are converted as in NumPy.

use crate::alloc::allocate;
use crate::creation::{dtype_of, kept, new_array};
use crate::setitem::copy_items;
use catalog::array::ArrayParts;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, cast};
use diag::{Diagnostic, Result};
use ir::{FloatCond, Native, Op, Value};
use types::{ArrayType, Layout, LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("method.astype", resolve_astype);
    catalog.add_generic("rumba.array_copy", resolve_copy);
    catalog.state(&[("numpy.ndarray.astype", "reads")]);
}

/// Whether items of one type can be made of those of another one.
pub(crate) fn converts(types: &TypeTable, from: Type, to: Type) -> bool {
    let plain = |ty: Type| ty == Type::BOOL || ty.is_number();
    plain(from) && plain(to) || types::convert(types, from, to).is_some()
}

fn resolve_astype(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, dtype] = *args else { return None };
    let (array, dtype) = (types.array(array)?, dtype_of(types, dtype)?);
    converts(types, array.dtype, dtype).then_some(())?;
    let result = new_array(types, dtype, array.ndim, kept(array.layout));
    let emit: EmitFn = |emit, args| {
        let layout = kept(ArrayParts::open(emit, &args[0])?.ty.layout);
        copied(emit, args, layout)
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// `array_copy(a, dtype, layout)`.
fn resolve_copy(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, dtype, layout] = *args else { return None };
    let (array, dtype, layout) = (types.array(array)?, dtype_of(types, dtype)?, layout_of(types, layout)?);
    converts(types, array.dtype, dtype).then_some(())?;
    let result = new_array(types, dtype, array.ndim, layout);
    let emit: EmitFn = |emit, args| {
        let layout = layout_of(emit.types, args[2].ty).unwrap_or(Layout::C);
        copied(emit, args, layout)
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The layout that a literal names.
pub(crate) fn layout_of(types: &TypeTable, ty: Type) -> Option<Layout> {
    match types.literal(ty)? {
        LiteralValue::Str(letter) => Layout::from_letter(&letter),
        _ => None,
    }
}

fn copied(emit: &mut Emit<'_>, args: &[Operand], layout: Layout) -> Result<Operand> {
    let source = ArrayParts::open(emit, &args[0])?;
    let dtype = dtype_of(emit.types, args[1].ty)
        .ok_or_else(|| Diagnostic::internal("emission", "an item type that is none"))?;
    let layout = ArrayType { layout, ..source.ty }.with_layout(layout).layout;
    let made = allocate(emit, dtype, &source.shape, layout, false)?;
    copy_items(emit, &made, &source)?;
    Ok(made.close(emit))
}

/// A value as an item of another type, as NumPy converts arrays: of complex numbers the real part stays, floats beyond
/// the integers give what the processor's instruction gives.
pub(crate) fn convert_item(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    let from = emit.types.unliteral(value.ty);
    if from.is_complex() && (to.is_int() || to.is_float()) {
        let real = Operand::single(from.complex_part(), value.value());
        return convert_item(emit, &real, to);
    }
    if from == Type::FLOAT16 && to.is_int() {
        let single = cast(emit, value, Type::FLOAT32)?;
        return convert_item(emit, &single, to);
    }
    match to.as_int() {
        Some((bits, signed)) if from.is_float() => {
            Ok(Operand::single(to, float_to_int(emit, value.value(), bits, signed)))
        }
        _ => cast(emit, value, to),
    }
}

/// Through 32 or 64 bits: what does not fit, and NaN, is the least number of these.
fn float_to_int(emit: &mut Emit<'_>, value: Value, bits: u8, signed: bool) -> Value {
    let native = Native::int(u32::from(bits).into());
    if bits < 32 {
        return float_to_low_bits(emit, value, native);
    }
    let result = if bits == 64 || bits == 32 && !signed {
        float_to_word(emit, value, bits == 64 && !signed)
    } else {
        emit.b.convert(Op::FloatToSintOrMin, value, Native::I32)
    };
    if emit.b.func.native(result) == native { result } else { emit.b.convert(Op::Trunc, result, native) }
}

/// The low bits of the least number are 0, so what does not fit is 0 before it is converted: vectorized that takes one comparison.
fn float_to_low_bits(emit: &mut Emit<'_>, value: Value, native: Native) -> Value {
    let float = emit.b.func.native(value);
    let (size, zero) = (emit.b.like_first(Op::Fabs, &[value]), emit.b.fconst(float, 0.0));
    let limit = emit.b.fconst(float, 2_147_483_648.0);
    let fits = emit.b.fcmp(FloatCond::Lt, size, limit);
    let value = emit.b.select(fits, value, zero);
    let converted = emit.b.convert(Op::FloatToSint, value, Native::I32);
    emit.b.convert(Op::Trunc, converted, native)
}

fn float_to_word(emit: &mut Emit<'_>, value: Value, unsigned: bool) -> Value {
    let float = emit.b.func.native(value);
    let converted = emit.b.convert(Op::FloatToSint, value, Native::I64);
    let [low, high] =
        [-9_223_372_036_854_777_856.0, 9_223_372_036_854_775_808.0].map(|bound| emit.b.fconst(float, bound));
    // In single precision the bound below is the least number itself.
    let above = emit.b.fcmp(if float == Native::F32 { FloatCond::Ge } else { FloatCond::Gt }, value, low);
    let below = emit.b.fcmp(FloatCond::Lt, value, high);
    let inside = emit.b.native(Op::Iand, [], &[above, below], Native::I1);
    let least = emit.b.iconst(Native::I64, i64::MIN);
    let result = emit.b.select(inside, converted, least);
    if !unsigned {
        return result;
    }
    let word = emit.b.convert(Op::FloatToUint, value, Native::I64);
    let large = emit.b.fcmp(FloatCond::Ge, value, high);
    emit.b.select(large, word, result)
}
