//! The extent of a stencil's kernel: the offsets of its indices, if they are known at compile time.
//!
//! ```text
//! %1 = unary neg, 2
//! %2 = binary +, %1, 1
//! %3 = build_tuple %2, %i
//! %4 = getitem %point, %3        [-1, not known]
//! ```
//!
//! Absent: indexing (`stencil_point`).

use crate::basic_index::items;
use crate::stencil_point::array_of;
use ir::{Attr, BinaryOp, Def, Function, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// The least and the greatest offset in each dimension, by index; none where that is not known.
pub type Offsets = Vec<Option<(i64, i64)>>;

/// How deep constants may be computed of each other.
const DEEPEST: u32 = 50;

/// The offsets of all indices of points in a Typed function.
pub fn stencil_offsets(func: &Function, types: &TypeTable) -> Vec<Offsets> {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts
        .map(|&inst| &func.insts[inst])
        .filter(|data| data.op == Op::Getitem && array_of(types, func.ty(data.args[0])).is_some())
        .map(|data| offsets(func, types, data.args[1]))
        .collect()
}

fn offsets(func: &Function, types: &TypeTable, index: Value) -> Offsets {
    let ty = func.ty(index);
    let Some(elements) = types.elements(ty) else { return vec![offset(func, types, Some(index), ty)] };
    let made = match func.values[index].def {
        Def::Result(inst, _) if func.insts[inst].op == Op::BuildTuple => Some(&func.insts[inst].args),
        _ => None,
    };
    let each = items(types, ty).into_iter().enumerate();
    debug_assert_eq!(elements.len(), each.len());
    each.map(|(at, ty)| offset(func, types, made.map(|parts| parts[at]), ty)).collect()
}

/// The offsets that one part of an index names; its value is not known where the index is no display.
fn offset(func: &Function, types: &TypeTable, part: Option<Value>, ty: Type) -> Option<(i64, i64)> {
    if let TypeData::LiteralSlice { start, stop, .. } = types.get(ty) {
        return Some((start?, stop?.checked_sub(1)?.max(start?)));
    }
    let known = literal(types, ty).or_else(|| constant(func, types, part?, 0))?;
    Some((known, known))
}

fn literal(types: &TypeTable, ty: Type) -> Option<i64> {
    match types.literal(ty)? {
        LiteralValue::Int(value) => Some(value),
        _ => None,
    }
}

/// The value of an integer that is computed of constants.
fn constant(func: &Function, types: &TypeTable, value: Value, depth: u32) -> Option<i64> {
    let ValueOf { op, attr, args } = match literal(types, func.ty(value)) {
        Some(known) => return Some(known),
        None => ValueOf::find(func, value).filter(|_| depth < DEEPEST)?,
    };
    let operand = |at: usize| constant(func, types, *args.get(at)?, depth + 1);
    match (op, attr) {
        (Op::Promote | Op::Cast | Op::CheckBound, _) => operand(0),
        (Op::Unary, Some(&Attr::Unary(UnaryOp::Neg))) => operand(0)?.checked_neg(),
        (Op::Unary, Some(&Attr::Unary(UnaryOp::Pos))) => operand(0),
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => computed(op, operand(0)?, operand(1)?),
        _ => None,
    }
}

/// What makes a value.
struct ValueOf<'a> {
    op: Op,
    attr: Option<&'a Attr>,
    args: &'a [Value],
}

impl ValueOf<'_> {
    fn find(func: &Function, value: Value) -> Option<ValueOf<'_>> {
        let Def::Result(inst, _) = func.values[value].def else { return None };
        let data = &func.insts[inst];
        Some(ValueOf { op: data.op, attr: data.attrs.first(), args: &data.args })
    }
}

/// What Python computes.
fn computed(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::FloorDiv => {
            let quotient = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        BinaryOp::Mod => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        _ => None,
    }
}
