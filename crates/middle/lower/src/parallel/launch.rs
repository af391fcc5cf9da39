//! Lowering of `parallel_for`: the captured values are stored in the frame, each chunk stores its carried values in a
//! slot of its own, and these are combined in chunk order.

use super::carried::Carried;
use super::chunk_entry::{ChunkLayout, chunk_symbol};
use super::indexed_reductions::is_atomic;
use super::launch_mode::{Mode, mode};
use crate::Lowering;
use abi::{ExceptionClass, Runtime};
use catalog::{Callee, Key, Operand, propagate};
use diag::{Diagnostic, Result};
use ir::{Attr, BlockCall, Inst, IntCond, Native, Op, Value, ValueType};
use smallvec::SmallVec;
use types::{Handle, Type};

/// Chunks of a loop that adds up arrays, at most.
const MAX_WITH_ARRAYS: i64 = 16;

pub(crate) fn lower_parallel_for(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let [Attr::Int(handle), Attr::Symbols(words), Attr::Int(cost)] = &data.attrs[..] else {
        return Err(Diagnostic::internal("lowering", "parallel_for without a body"));
    };
    let unknown = || Diagnostic::internal("lowering", "parallel_for of an unknown body");
    let words: Vec<&str> = words.iter().map(|&word| l.typed.symbols.get(word).as_str()).collect();
    let carried: Vec<Carried> =
        words.iter().map(|word| Carried::from_word(word)).collect::<Option<_>>().ok_or_else(unknown)?;
    let args: Vec<Operand> = data.args.iter().map(|&arg| l.operand(arg)).collect::<Result<_>>()?;
    let first = data.results.first().map(|&result| l.typed.ty(result));
    let index = index_type(l, args[0].ty).ok_or_else(unknown)?;
    let params: Vec<Type> = [index; 2].into_iter().chain(args[1..].iter().map(|arg| arg.ty)).collect();
    let callee = (l.cx.callee)(Handle(*handle as u32), &params).ok_or_else(unknown)?;
    debug_assert!(first.is_some() || carried.is_empty(), "what is carried is a result");
    let before = args[args.len() - carried.len()..].to_vec();
    let mut given = args.clone();
    let iterations = l.emit.call(&Key::Function("builtins.len".into()), &args[..1])?.value();
    let mode = mode(l, &args, &carried, iterations)?;
    for (at, value) in [mode.alone, mode.atomically].into_iter().flatten().enumerate() {
        given[1 + at] = Operand::single(Type::BOOL, value);
    }
    let chunk_starts = given.len() - carried.len();
    for (operand, kind) in given[chunk_starts..].iter_mut().zip(&carried) {
        if let Carried::Operator(op) = kind
            && l.cx.types.array(operand.ty).is_none()
        {
            *operand = neutral(l, *op, operand)?;
        }
    }
    let layout = ChunkLayout::of(l.cx.types, &callee);
    let launched = launch(l, &callee, &layout, &given, (iterations, *cost, mode))?;
    let Some(launched) = launched.filter(|_| !carried.is_empty()) else { return Ok(()) };
    let values = combine(l, &layout, &launched, &carried, before)?;
    for (number, value) in values.into_iter().enumerate() {
        l.define(l.typed.insts[inst].results[number], value);
    }
    Ok(())
}

fn index_type(l: &Lowering<'_>, range: Type) -> Option<Type> {
    match l.cx.types.get(range) {
        types::TypeData::Range(index) => Some(index),
        _ => None,
    }
}

/// What changes no other value: chunks of a reduction begin with it.
fn neutral(l: &mut Lowering<'_>, op: ir::BinaryOp, like: &Operand) -> Result<Operand> {
    if op == ir::BinaryOp::Mul {
        let one = l.emit.b.iconst(Native::I64, 1);
        return l.emit.cast_exactly(&Operand::single(Type::INT64, one), like.ty);
    }
    if matches!(op, ir::BinaryOp::And | ir::BinaryOp::Or) {
        return Ok(like.clone());
    }
    let natives = l.emit.machine_types(like.ty);
    // A sum of zeros that are negative is one.
    let zero = |native: Native, l: &mut Lowering<'_>| match native.is_float() {
        true => l.emit.b.fconst(native, -0.0),
        false => l.emit.b.iconst(native, 0),
    };
    let parts: Vec<Value> = natives.into_iter().map(|native| zero(native, l)).collect();
    Ok(Operand::new(like.ty, parts))
}

/// The slots that chunks filled.
struct Launched {
    chunks: Value,
    slots: Value,
    /// How chunks filled arrays.
    mode: Mode,
}

fn launch(
    l: &mut Lowering<'_>,
    callee: &Callee,
    layout: &ChunkLayout,
    args: &[Operand],
    (iterations, cost, mode): (Value, i64, Mode),
) -> Result<Option<Launched>> {
    let cost = l.emit.b.iconst(Native::I64, cost);
    let mut chunks = l.emit.call_runtime(Runtime::ParallelChunks, &[iterations, cost])[0];
    if layout.holds_references {
        // Each chunk has arrays of its own.
        let most = l.emit.b.iconst(Native::I64, MAX_WITH_ARRAYS);
        let fewer = l.emit.b.icmp(IntCond::Slt, chunks, most);
        chunks = l.emit.b.select(fewer, chunks, most);
    }
    if let Some(alone) = mode.alone {
        let one = l.emit.b.iconst(Native::I64, 1);
        let none = l.emit.b.icmp(IntCond::Slt, chunks, one);
        let few = l.emit.b.select(none, chunks, one);
        chunks = l.emit.b.select(alone, few, chunks);
    }
    let context = l.emit.frame_slot(layout.context_size());
    l.emit.b.store(context, ChunkLayout::START, args[0].parts[0]);
    l.emit.b.store(context, ChunkLayout::STEP, args[0].parts[2]);
    let parts = args[1..].iter().flat_map(|arg| arg.parts.iter().copied());
    for (part, &(_, offset)) in parts.zip(&layout.params) {
        l.emit.b.store(context, offset, part);
    }
    let launched = if layout.results.is_empty() {
        None
    } else {
        let slots = slots(l, layout, chunks);
        l.emit.b.store(context, ChunkLayout::SLOTS, slots);
        Some(Launched { chunks, slots, mode })
    };
    let code = l.emit.b.address_of(&chunk_symbol(&callee.symbol));
    let status = l.emit.call_runtime(Runtime::ParallelFor, &[code, context, iterations, chunks])[0];
    if let Some(launched) = launched.as_ref().filter(|_| layout.holds_references) {
        let zero = l.emit.b.iconst(Native::I64, 0);
        let failed = l.emit.b.icmp(IntCond::Ne, status, zero);
        let (give_up, go_on) = (l.emit.b.new_block(), l.emit.b.new_block());
        l.emit.b.func.blocks[give_up].cold = true;
        l.emit.b.branch(failed, BlockCall::new(give_up, []), BlockCall::new(go_on, []));
        l.emit.b.switch_to(give_up);
        give_up_slots(l, callee, layout, launched);
        l.emit.b.jump(go_on, &[]);
        l.emit.b.switch_to(go_on);
    }
    // The runtime may fail where no body does.
    // (The place in the body is the function's, so this one is not shown.)
    let span = std::mem::take(&mut l.emit.b.span);
    propagate(&mut l.emit, status);
    l.emit.b.span = span;
    Ok(launched)
}

/// Memory for what each chunk leaves, which this instruction releases.
fn slots(l: &mut Lowering<'_>, layout: &ChunkLayout, chunks: Value) -> Value {
    let emit = &mut l.emit;
    let size = emit.b.iconst(Native::I64, layout.slot_size());
    let zero = emit.b.iconst(Native::I64, 0);
    let bytes = emit.b.like_first(Op::Imul, &[chunks, size]);
    let zeroed = emit.b.iconst(Native::I64, layout.holds_references.into());
    let block = emit.b.alloc(bytes, zeroed);
    let owner = emit.b.convert(Op::Bitcast, block, Native::I64);
    let failed = emit.b.icmp(IntCond::Eq, owner, zero);
    emit.raise_if(failed, ExceptionClass::MemoryError, "no memory for the parts of a reduction");
    emit.refs.temporaries.push(owner);
    let head = emit.b.iconst(Native::I64, abi::ITEMS);
    emit.b.native(Op::PtrAdd, [], &[block, head], Native::Ptr)
}

/// Releases what chunks left before another one failed; slots of those that did not run are zeros.
fn give_up_slots(l: &mut Lowering<'_>, callee: &Callee, layout: &ChunkLayout, launched: &Launched) {
    let (head, body, done) = (l.emit.b.new_block(), l.emit.b.new_block(), l.emit.b.new_block());
    let zero = l.emit.b.iconst(Native::I64, 0);
    l.emit.b.jump(head, &[zero]);
    let chunk = l.emit.b.func.add_param(head, ValueType::Native(Native::I64));
    l.emit.b.switch_to(head);
    let more = l.emit.b.icmp(IntCond::Slt, chunk, launched.chunks);
    l.emit.b.branch(more, BlockCall::new(body, []), BlockCall::new(done, []));
    l.emit.b.switch_to(body);
    let parts = slot_parts(l, layout, launched, chunk);
    let left = Operand::new(callee.result, parts);
    l.emit.take_refs(&left);
    for owner in l.emit.owners(&left) {
        l.emit.release(owner);
    }
    let one = l.emit.b.iconst(Native::I64, 1);
    let following = l.emit.b.like_first(Op::Iadd, &[chunk, one]);
    l.emit.b.jump(head, &[following]);
    l.emit.b.switch_to(done);
}

/// What a chunk left.
fn slot_parts(l: &mut Lowering<'_>, layout: &ChunkLayout, launched: &Launched, chunk: Value) -> Vec<Value> {
    let size = l.emit.b.iconst(Native::I64, layout.slot_size());
    let offset = l.emit.b.like_first(Op::Imul, &[chunk, size]);
    let slot = l.emit.b.native(Op::PtrAdd, [], &[launched.slots, offset], Native::Ptr);
    layout.results.iter().map(|&(native, at)| l.emit.b.load(native, slot, at)).collect()
}

/// A loop over the chunks that makes one value of theirs.
fn combine(
    l: &mut Lowering<'_>,
    layout: &ChunkLayout,
    launched: &Launched,
    carried: &[Carried],
    before: Vec<Operand>,
) -> Result<Vec<Operand>> {
    let (head, body, done) = (l.emit.b.new_block(), l.emit.b.new_block(), l.emit.b.new_block());
    let zero = l.emit.b.iconst(Native::I64, 0);
    // An array stays the one that it is.
    let is_fixed = |of: &Operand, l: &Lowering<'_>| l.cx.types.array(of.ty).is_some();
    let changing = |of: &[Operand], l: &Lowering<'_>| -> Vec<Value> {
        let parts = of.iter().filter(|of| !is_fixed(of, l)).flat_map(|of| of.parts.iter().copied());
        parts.collect()
    };
    let first: Vec<Value> = [zero].into_iter().chain(changing(&before, l)).collect();
    let params: Vec<Value> = first
        .iter()
        .map(|&value| {
            let ty = ValueType::Native(l.emit.b.func.native(value));
            l.emit.b.func.add_param(head, ty)
        })
        .collect();
    l.emit.b.jump(head, &first);
    l.emit.b.switch_to(head);
    let chunk = params[0];
    let mut rest = params[1..].iter().copied();
    let mut so_far: Vec<Operand> = Vec::new();
    for of in &before {
        so_far.push(match is_fixed(of, l) {
            true => of.clone(),
            false => Operand::new(of.ty, rest.by_ref().take(of.parts.len()).collect::<Vec<_>>()),
        });
    }
    let more = l.emit.b.icmp(IntCond::Slt, chunk, launched.chunks);
    l.emit.b.branch(more, BlockCall::new(body, []), BlockCall::new(done, []));
    l.emit.b.switch_to(body);
    let made_before = l.emit.refs.temporaries.len();
    let parts = slot_parts(l, layout, launched, chunk);
    let next = join(l, carried, &so_far, (&parts, launched.mode))?;
    l.emit.release_temporaries(made_before, &[]);
    let one = l.emit.b.iconst(Native::I64, 1);
    let following = l.emit.b.like_first(Op::Iadd, &[chunk, one]);
    let args: Vec<Value> = [following].into_iter().chain(changing(&next, l)).collect();
    l.emit.b.jump(head, &args);
    l.emit.b.switch_to(done);
    Ok(so_far)
}

/// The values so far and those of one chunk, with flags after them, as one.
fn join(
    l: &mut Lowering<'_>,
    carried: &[Carried],
    so_far: &[Operand],
    (parts, mode): (&[Value], Mode),
) -> Result<Vec<Operand>> {
    let mut rest = parts.iter().copied();
    let chunk: Vec<Operand> = so_far
        .iter()
        .map(|of| Operand::new(of.ty, rest.by_ref().take(of.parts.len()).collect::<Vec<_>>()))
        .collect();
    for own in &chunk {
        l.emit.take_refs(own);
        let owners = l.emit.owners(own);
        l.emit.refs.temporaries.extend(owners);
    }
    let mut taken: Vec<Option<Value>> = vec![None; carried.len()];
    let mut joined = Vec::new();
    for (number, kind) in carried.iter().enumerate() {
        let (before, own) = (&so_far[number], &chunk[number]);
        let condition = match kind {
            Carried::Operator(op) | Carried::Items(op) | Carried::Scattered(op)
                if l.cx.types.array(before.ty).is_some() =>
            {
                let both = [before.clone(), own.clone()];
                let no = l.emit.b.bool(false);
                let mut done = mode.alone.unwrap_or(no);
                if let Some(atomically) = mode.atomically.filter(|_| is_atomic(l.cx.types, before.ty, kind)) {
                    done = l.emit.b.like_first(Op::Ior, &[done, atomically]);
                }
                let open = l.emit.b.icmp(IntCond::Eq, done, no);
                l.emit.when(open, |emit| emit.call(&Key::Inplace(*op), &both).map(drop))?;
                joined.push(before.clone());
                continue;
            }
            Carried::Operator(op) | Carried::Items(op) | Carried::Scattered(op) => {
                let value = l.emit.call(&Key::Binary(*op), &[before.clone(), own.clone()])?;
                joined.push(l.emit.cast_exactly(&value, before.ty)?);
                continue;
            }
            Carried::Function(name) => {
                let value =
                    l.emit.call(&Key::Function(name.as_str().into()), &[before.clone(), own.clone()])?;
                joined.push(l.emit.cast_exactly(&value, before.ty)?);
                continue;
            }
            Carried::Last => {
                joined.push(own.clone());
                continue;
            }
            Carried::Compare(op) => l.emit.call(&Key::Compare(*op), &[own.clone(), before.clone()])?.value(),
            Carried::LastSet => {
                let flag = rest.next();
                flag.ok_or_else(|| Diagnostic::internal("lowering", "a chunk without a flag"))?
            }
            // Its leader may stand after it.
            Carried::With(leader) => match taken[*leader] {
                Some(known) => known,
                None => {
                    let Carried::Compare(op) = carried[*leader] else {
                        return Err(Diagnostic::internal("lowering", "a value that goes with none"));
                    };
                    let args = [chunk[*leader].clone(), so_far[*leader].clone()];
                    l.emit.call(&Key::Compare(op), &args)?.value()
                }
            },
        };
        taken[number] = Some(condition);
        let parts: SmallVec<[Value; 2]> = own
            .parts
            .iter()
            .zip(&before.parts)
            .map(|(&own, &before)| l.emit.b.select(condition, own, before))
            .collect();
        joined.push(Operand { ty: before.ty, parts });
    }
    Ok(joined)
}
