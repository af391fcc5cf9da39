//! `a += b` and its like, `a` an array: every item is replaced.
//!
//! What happens to an item is what NumPy's function does with scalars (`numpy.add` and so on). A Python number
//! takes the array's dtype, as NumPy's promotion has it.

use crate::assign::{apart_in_order, raise_shapes_if, shape_text};
use crate::loops::{address, for_each};
use abi::ExceptionClass::ValueError;
use catalog::array::{ArrayParts, load_item, store_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::{Diagnostic, Result};
use ir::{BinaryOp, IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, LiteralValue, Type, TypeTable};

/// A rule for each operator, as functions of tables know no more than the types.
macro_rules! rules {
    ($($op:ident $ufunc:literal;)*) => {
        pub(crate) fn add(catalog: &mut Catalog) {
            $(catalog.add(Key::Inplace(BinaryOp::$op), Rule::Nested(|catalog, types, args| {
                let emit: EmitFn = |emit, args| change(emit, args, $ufunc);
                resolve(catalog, types, args, $ufunc, emit)
            }));)*
        }
    };
}

rules! {
    Add "numpy.add";
    Sub "numpy.subtract";
    Mul "numpy.multiply";
    TrueDiv "numpy.divide";
    FloorDiv "numpy.floor_divide";
    Mod "numpy.remainder";
    Pow "numpy.power";
    And "numpy.bitwise_and";
    Or "numpy.bitwise_or";
    Xor "numpy.bitwise_xor";
    Shl "numpy.left_shift";
    Shr "numpy.right_shift";
}

fn resolve(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    ufunc: &str,
    emit: EmitFn,
) -> Option<Resolution> {
    let [target, value] = *args else { return None };
    let array = types.array(target).filter(|array| array.mutable)?;
    if types.array(value).is_some_and(|source| source.ndim > array.ndim) {
        return None;
    }
    let item = item_type(types, array.dtype, value)?;
    let result = catalog.resolve(types, &Key::Function(ufunc.into()), &[array.dtype, item])?.result;
    let value = if types.array(value).is_some() { value } else { item };
    same_kind(result, array.dtype).then(|| Resolution { result: target, params: vec![target, value], emit })
}

/// The type in which an item of the operand on the right takes part.
fn item_type(types: &TypeTable, dtype: Type, value: Type) -> Option<Type> {
    if let Some(array) = types.array(value) {
        return Some(array.dtype);
    }
    if let (Some(LiteralValue::Int(number)), Some((bits, signed))) = (types.literal(value), dtype.as_int()) {
        let low = if signed { -(1i128 << (bits - 1)) } else { 0 };
        let high = 1i128 << (bits - u8::from(signed));
        if !(low..high).contains(&number.into()) {
            return None;
        }
    }
    let plain = types.unliteral(value);
    Some(if kind(plain)? <= kind(dtype)? { dtype } else { plain })
}

/// Where a type stands among the kinds of numbers.
fn kind(ty: Type) -> Option<u8> {
    match ty {
        Type::BOOL => Some(0),
        _ if ty.is_int() => Some(1),
        _ if ty.is_float() => Some(2),
        _ if ty.is_complex() => Some(3),
        _ => None,
    }
}

/// NumPy's rule of this name: a result may become narrower, but neither unsigned nor of a lesser kind.
fn same_kind(from: Type, to: Type) -> bool {
    match (from.as_int(), to.as_int()) {
        (Some((_, signed)), Some((_, wanted))) => wanted || !signed,
        _ => kind(from) <= kind(to),
    }
}

fn change(emit: &mut Emit<'_>, args: &[Operand], ufunc: &str) -> Result<Operand> {
    let target = ArrayParts::open(emit, &args[0])?;
    let source = match emit.types.array(args[1].ty) {
        Some(_) => {
            let source = ArrayParts::open(emit, &args[1])?;
            let (source, kept) = matched(emit, &target, source)?;
            // Released behind the instruction, or where it fails.
            emit.held.fresh.push(kept);
            Some(source)
        }
        None => None,
    };
    let dtype = target.ty.dtype;
    let item = source.as_ref().map_or(args[1].ty, |source| source.ty.dtype);
    let key = Key::Function(ufunc.into());
    let resolution = emit.catalog.resolve(emit.types, &key, &[dtype, item]);
    let resolution = resolution.ok_or_else(|| Diagnostic::internal("emission", format!("no {ufunc}")))?;
    for_each(emit, &target.shape, &mut |emit, at| {
        let place = address(emit, target.data, &target.strides, at);
        let before = load_item(emit, &target, place);
        let other = match &source {
            Some(source) => {
                let from = address(emit, source.data, &source.strides, at);
                load_item(emit, source, from)
            }
            None => args[1].clone(),
        };
        let after = emit.apply(&resolution, &[before, other])?;
        let after = cast(emit, &after, dtype)?;
        store_item(emit, &target, place, &after);
        Ok(())
    })?;
    Ok(args[0].clone())
}

/// The source seen with the target's shape and apart from its memory, and what is to be released then.
/// ValueError if the shapes do not fit.
fn matched(emit: &mut Emit<'_>, target: &ArrayParts, source: ArrayParts) -> Result<(ArrayParts, Value)> {
    let new = target.shape.len() - source.shape.len();
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let mut strides: SmallVec<[Value; 4]> = std::iter::repeat_n(zero, new).collect();
    let mut common: SmallVec<[Value; 4]> = target.shape[..new].into();
    let (mut unequal, mut wider) = (emit.b.bool(false), emit.b.bool(false));
    for (&length, (&wanted, &stride)) in
        source.shape.iter().zip(target.shape[new..].iter().zip(&source.strides))
    {
        let single = emit.b.icmp(IntCond::Eq, length, one);
        let differs = emit.b.icmp(IntCond::Ne, length, wanted);
        let (given, free) = (emit.b.icmp(IntCond::Ne, length, one), emit.b.icmp(IntCond::Eq, wanted, one));
        let wrong = emit.b.like_first(Op::Iand, &[differs, given]);
        let bound = emit.b.icmp(IntCond::Ne, wanted, one);
        let clash = emit.b.like_first(Op::Iand, &[wrong, bound]);
        unequal = emit.b.like_first(Op::Ior, &[unequal, clash]);
        wider = emit.b.like_first(Op::Ior, &[wider, wrong]);
        common.push(emit.b.select(free, length, wanted));
        strides.push(emit.b.select(single, zero, stride));
    }
    emit.when(wider, |emit| {
        let space = constant_text(" ");
        let (a, b) = (shape_text(&target.shape), shape_text(&source.shape));
        let head = constant_text("operands could not be broadcast together with shapes ");
        let layout = format!("[{head}{a}{space}{b}{space}{a}{space}]");
        let words: Vec<Value> =
            target.shape.iter().chain(&source.shape).chain(&target.shape).copied().collect();
        raise_shapes_if(emit, unequal, ValueError, &layout, &words);
        let head = constant_text("non-broadcastable output operand with shape ");
        let middle = constant_text(" doesn't match the broadcast shape ");
        let layout = format!("[{head}{a}{middle}{}]", shape_text(&common));
        let words: Vec<Value> = target.shape.iter().chain(&common).copied().collect();
        let yes = emit.b.bool(true);
        raise_shapes_if(emit, yes, ValueError, &layout, &words);
        Ok(())
    })?;
    let ty = ArrayType { ndim: target.ty.ndim, layout: Layout::Any, ..source.ty };
    apart_in_order(emit, target, ArrayParts { ty, shape: target.shape.clone(), strides, ..source })
}
