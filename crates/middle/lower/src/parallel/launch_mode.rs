//! How the chunks of a parallel loop fill the arrays that are reductions: own ones, which are added up afterwards, or the arrays themselves.

use super::carried::Carried;
use super::indexed_reductions::is_atomic;
use crate::Lowering;
use abi::Runtime;
use catalog::array::ArrayParts;
use catalog::{Key, Operand};
use diag::Result;
use ir::{IntCond, Native, Op, Value};

/// How chunks fill the arrays of reductions: conditions that are known when the loop runs.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    /// Whether one chunk does all in the arrays themselves, if there are such arrays.
    pub alone: Option<Value>,
    /// Whether chunks update the items of these atomically, if they can.
    pub atomically: Option<Value>,
}

/// How many iterations there have to be for an item of an array of which each chunk has its own.
const ITERATIONS_FOR_ITEM: i64 = 4;

/// How many threads it takes to gain by atomic updates, of which each is some times slower than another one.
const THREADS_FOR_ATOMICS: i64 = 4;

/// The mode of a launch with these arguments: the range, the conditions, what is captured, and what is carried.
pub(super) fn mode(
    l: &mut Lowering<'_>,
    args: &[Operand],
    carried: &[Carried],
    iterations: Value,
) -> Result<Mode> {
    let before = &args[args.len() - carried.len()..];
    let is_sum = |(of, kind): &(&Operand, &Carried)| kind.array_operator(l.cx.types, of.ty).is_some();
    let sums: Vec<(&Operand, &Carried)> = before.iter().zip(carried).filter(is_sum).collect();
    if sums.is_empty() {
        return Ok(Mode { alone: None, atomically: None });
    }
    let atomic = sums.iter().filter(|(of, kind)| is_atomic(l.cx.types, of.ty, kind)).count();
    let modes = 1 + usize::from(atomic > 0);
    let arrays: Vec<Operand> = sums.iter().map(|&(of, _)| of.clone()).collect();
    let alone = meets(l, &arrays, &args[1 + modes..args.len() - carried.len()])?;
    let items: Vec<Operand> = sums
        .iter()
        .filter(|(_, kind)| matches!(kind, Carried::Items(_) | Carried::Scattered(_)))
        .map(|&(of, _)| of.clone())
        .collect();
    if items.is_empty() {
        return Ok(Mode { alone: Some(alone), atomically: None });
    }
    let mut size = l.emit.b.iconst(Native::I64, 0);
    for array in &items {
        let own = ArrayParts::open(&mut l.emit, array)?.size(&mut l.emit);
        size = l.emit.b.like_first(Op::Iadd, &[size, own]);
    }
    let factor = l.emit.b.iconst(Native::I64, ITERATIONS_FOR_ITEM);
    let needed = l.emit.b.like_first(Op::Imul, &[size, factor]);
    let large = l.emit.b.icmp(IntCond::Slt, iterations, needed);
    let no = l.emit.b.bool(false);
    let are_many = if atomic < items.len() {
        no
    } else {
        let threads = l.emit.call_runtime(Runtime::GetNumThreads, &[])[0];
        let enough = l.emit.b.iconst(Native::I64, THREADS_FOR_ATOMICS);
        l.emit.b.icmp(IntCond::Sge, threads, enough)
    };
    let alone_if_large = l.emit.b.select(are_many, no, large);
    let atomically_if_large = l.emit.b.select(are_many, large, no);
    let atomically = l.emit.b.select(alone, no, atomically_if_large);
    let alone = l.emit.b.like_first(Op::Ior, &[alone, alone_if_large]);
    Ok(Mode { alone: Some(alone), atomically: (atomic > 0).then_some(atomically) })
}

/// Whether an array that is a reduction shares memory with another one that the body uses.
fn meets(l: &mut Lowering<'_>, sums: &[Operand], used: &[Operand]) -> Result<Value> {
    let mut others: Vec<Operand> = Vec::new();
    used.iter().for_each(|of| arrays_of(l.cx.types, of, &mut others));
    let mut found = l.emit.b.bool(false);
    for (at, sum) in sums.iter().enumerate() {
        for other in others.iter().chain(&sums[at + 1..]) {
            let both = [sum.clone(), other.clone()];
            let met = l.emit.call(&Key::Function("rumba.overlap".into()), &both)?.value();
            found = l.emit.b.like_first(Op::Ior, &[found, met]);
        }
    }
    Ok(found)
}

/// The arrays that a value is, or that a tuple holds.
fn arrays_of(types: &types::TypeTable, of: &Operand, found: &mut Vec<Operand>) {
    if types.array(of.ty).is_some() {
        found.push(of.clone());
    } else if let Some(elements) = types.elements(of.ty) {
        let mut rest = of.parts.iter().copied();
        for &ty in elements.iter() {
            let parts: Vec<Value> = rest.by_ref().take(catalog::machine_types(types, ty).len()).collect();
            arrays_of(types, &Operand::new(ty, parts), found);
        }
    }
}
