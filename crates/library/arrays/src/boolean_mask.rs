//! Boolean masks as an index: the number of true items, and their indices.

use crate::alloc::allocate;
use crate::loop_nest::{address, for_each, for_each_in_parallel};
use abi::ExceptionClass::IndexError;
use catalog::array::{ArrayParts, load_item, store_item};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, constant_text};
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use smallvec::{SmallVec, smallvec};
use types::{ArrayType, Layout, Type};

/// IndexError where the mask has another shape than the dimensions that it is for, the first of which is `axis`. As in
/// NumPy a mask that has no indices along a dimension selects nothing, however many the array has there.
pub(crate) fn check_mask(emit: &mut Emit<'_>, lengths: &[Value], mask: &ArrayParts, axis: usize) {
    for (number, (&wanted, &length)) in lengths.iter().zip(&mask.shape).enumerate() {
        let axis = axis + number;
        let zero = emit.b.iconst(Native::I64, 0);
        let differs = emit.b.icmp(IntCond::Ne, wanted, length);
        let some = emit.b.icmp(IntCond::Ne, length, zero);
        let differs = emit.b.like_first(Op::Iand, &[differs, some]);
        let head = format!("boolean index did not match indexed array along axis {axis}; size of axis is ");
        let tail = constant_text(" but size of corresponding boolean axis is ");
        let layout = format!("[{}i{tail}i]", constant_text(&head));
        emit.raise_payload_if(differs, IndexError, &layout, &[wanted, length]);
    }
}

/// A counter in the frame, at 0.
fn counter(emit: &mut Emit<'_>) -> Value {
    let slot = emit.frame_slot(8);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(slot, 0, zero);
    slot
}

/// What is emitted for an index where a mask is true: it is given the index and its number.
pub(crate) type TrueBody<'f> = dyn FnMut(&mut Emit<'_>, &[Value], Value) -> Result<()> + 'f;

/// Emits `body` for every index where the mask is true; it is given the index and its number.
pub(crate) fn for_each_true(emit: &mut Emit<'_>, mask: &ArrayParts, body: &mut TrueBody<'_>) -> Result<()> {
    let slot = counter(emit);
    for_each(emit, &mask.shape.clone(), &mut |emit, at| {
        when_true(emit, mask, at, &mut |emit, at| {
            let number = emit.b.load(Native::I64, slot, 0);
            body(emit, at, number)?;
            let one = emit.b.iconst(Native::I64, 1);
            let next = emit.b.like_first(Op::Iadd, &[number, one]);
            emit.b.store(slot, 0, next);
            Ok(())
        })
    })
}

/// The same where the number of the index does not matter, and each index has memory of its own to write to.
pub(crate) fn walk_true(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    for_each_in_parallel(emit, &mask.shape.clone(), 4, &mut |emit, at| when_true(emit, mask, at, body))
}

fn when_true(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    at: &[Value],
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    let truth = truth(emit, mask.data, &mask.strides, at);
    emit.when(truth, |emit| body(emit, at))
}

/// An item of a mask.
fn truth(emit: &mut Emit<'_>, data: Value, strides: &[Value], at: &[Value]) -> Value {
    let item = address(emit, data, strides, at);
    emit.b.load(Native::I1, item, 0)
}

/// How many indices of the mask are true.
pub(crate) fn count(emit: &mut Emit<'_>, mask: &ArrayParts) -> Result<Value> {
    if mask.ty.layout != Layout::Any {
        let size = mask.size(emit);
        return count_bytes(emit, mask.data, size);
    }
    let slot = counter(emit);
    for_each(emit, &mask.shape.clone(), &mut |emit, at| {
        let truth = truth(emit, mask.data, &mask.strides, at);
        let one = emit.b.convert(Op::Zext, truth, Native::I64);
        let before = emit.b.load(Native::I64, slot, 0);
        let after = emit.b.like_first(Op::Iadd, &[before, one]);
        emit.b.store(slot, 0, after);
        Ok(())
    })?;
    Ok(emit.b.load(Native::I64, slot, 0))
}

/// How many of the bytes of a mask without gaps are true: eight are counted at a time.
fn count_bytes(emit: &mut Emit<'_>, data: Value, size: Value) -> Result<Value> {
    let zero = emit.b.iconst(Native::I64, 0);
    let words = words_of(emit, size);
    let counted = sum_over(emit, [zero, words, zero], |emit, at, _| {
        let word = word_at(emit, data, at);
        Ok(emit.b.like_first(Op::Popcount, &[word]))
    })?;
    sum_over_rest(emit, (data, size), (words, counted), |_, _, _| Ok(()))
}

/// The number of true bytes so far and of those behind the words of a mask without gaps, given its size; `each_true` is given the index and the
/// number of each of the latter.
fn sum_over_rest(
    emit: &mut Emit<'_>,
    (data, size): (Value, Value),
    (words, counted): (Value, Value),
    each_true: impl FnOnce(&mut Emit<'_>, Value, Value) -> Result<()>,
) -> Result<Value> {
    let (one, three) = (emit.b.iconst(Native::I64, 1), emit.b.iconst(Native::I64, 3));
    let rest = emit.b.like_first(Op::Ishl, &[words, three]);
    sum_over(emit, [rest, size, counted], |emit, at, number| {
        let truth = truth(emit, data, &[one], &[at]);
        emit.when(truth, |emit| each_true(emit, at, number))?;
        Ok(emit.b.convert(Op::Zext, truth, Native::I64))
    })
}

fn words_of(emit: &mut Emit<'_>, size: Value) -> Value {
    let three = emit.b.iconst(Native::I64, 3);
    emit.b.like_first(Op::Sshr, &[size, three])
}

/// Eight bytes of a mask, of which each is 0 or 1.
fn word_at(emit: &mut Emit<'_>, data: Value, number: Value) -> Value {
    let three = emit.b.iconst(Native::I64, 3);
    let offset = emit.b.like_first(Op::Ishl, &[number, three]);
    let position = emit.b.native(Op::PtrAdd, [], &[data, offset], Native::Ptr);
    emit.b.load_unaligned(Native::I64, position, 0)
}

/// A number and what `each` gives for the numbers of a range and the sum so far, added up.
fn sum_over(
    emit: &mut Emit<'_>,
    [begin, end, start]: [Value; 3],
    each: impl FnOnce(&mut Emit<'_>, Value, Value) -> Result<Value>,
) -> Result<Value> {
    let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    emit.b.jump(head, &[begin, start]);
    let [at, total] = [0; 2].map(|_| emit.b.func.add_param(head, ValueType::Native(Native::I64)));
    emit.b.switch_to(head);
    let more = emit.b.icmp(IntCond::Slt, at, end);
    emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
    emit.b.switch_to(inside);
    let own = each(emit, at, total)?;
    let one = emit.b.iconst(Native::I64, 1);
    let (next, sum) = (emit.b.like_first(Op::Iadd, &[at, one]), emit.b.like_first(Op::Iadd, &[total, own]));
    emit.poll();
    emit.b.jump(head, &[next, sum]);
    emit.b.switch_to(behind);
    Ok(total)
}

/// `rumba.count_true`: how many items of an array of booleans without gaps are true.
pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.count_true", |types, args| {
        let [mask] = *args else { return None };
        types.array(mask).filter(|mask| mask.dtype == Type::BOOL && mask.layout != Layout::Any)?;
        let emit: EmitFn = |emit, args| {
            let mask = ArrayParts::open(emit, &args[0])?;
            Ok(Operand::single(Type::INT64, count(emit, &mask)?))
        };
        Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
    });
    catalog.state(&[("rumba.count_true", "reads")]);
}

/// Of how many items one has to be true for it to be worthwhile to skip the others in words.
const SPARSE: i64 = 24;

/// Copies the items of a row where a mask of its length is true; their number is given.
pub(crate) fn compact(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    row: (Value, Value),
    target: &ArrayParts,
    count: Value,
) -> Result<()> {
    if mask.ty.layout == Layout::Any {
        compact_dense(emit, mask, row, target, count);
        return Ok(());
    }
    let factor = emit.b.iconst(Native::I64, SPARSE);
    let counted = emit.b.like_first(Op::Imul, &[count, factor]);
    let is_sparse = emit.b.icmp(IntCond::Slt, counted, mask.shape[0]);
    let nothing = |result: Result<()>| result.map(|()| SmallVec::new());
    emit.if_else(
        is_sparse,
        |emit| nothing(compact_sparse(emit, mask, row, target)),
        |emit| {
            compact_dense(emit, mask, row, target, count);
            nothing(Ok(()))
        },
    )?;
    Ok(())
}

/// The same where few items of a mask without gaps are true: words that are 0 are skipped.
fn compact_sparse(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    (data, stride): (Value, Value),
    target: &ArrayParts,
) -> Result<()> {
    let copy = |emit: &mut Emit<'_>, at: Value, number: Value| {
        let from = address(emit, data, &[stride], &[at]);
        let item = load_item(emit, target, from);
        let to = address(emit, target.data, &target.strides, &[number]);
        store_item(emit, target, to, &item);
        Ok(())
    };
    let (zero, three) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 3));
    let words = words_of(emit, mask.shape[0]);
    let copied = sum_over(emit, [zero, words, zero], |emit, at, number| {
        let word = word_at(emit, mask.data, at);
        let first = emit.b.like_first(Op::Ishl, &[at, three]);
        for_each_true_byte(emit, word, |emit, byte, before| {
            let index = emit.b.like_first(Op::Iadd, &[first, byte]);
            let number = emit.b.like_first(Op::Iadd, &[number, before]);
            copy(emit, index, number)
        })
    })?;
    sum_over_rest(emit, (mask.data, mask.shape[0]), (words, copied), copy)?;
    Ok(())
}

/// Emits `body` for every byte of a word that is 1, the lowest first: it is given the byte's index and how many were before it. Gives how many
/// there are.
fn for_each_true_byte(
    emit: &mut Emit<'_>,
    word: Value,
    body: impl FnOnce(&mut Emit<'_>, Value, Value) -> Result<()>,
) -> Result<Value> {
    let (zero, one, three) =
        (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1), emit.b.iconst(Native::I64, 3));
    let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    emit.b.jump(head, &[word, zero]);
    let [left, number] = [0; 2].map(|_| emit.b.func.add_param(head, ValueType::Native(Native::I64)));
    emit.b.switch_to(head);
    let some = emit.b.icmp(IntCond::Ne, left, zero);
    emit.b.branch(some, BlockCall::new(inside, []), BlockCall::new(behind, []));
    emit.b.switch_to(inside);
    let bit = emit.b.like_first(Op::Ctz, &[left]);
    let byte = emit.b.like_first(Op::Sshr, &[bit, three]);
    body(emit, byte, number)?;
    let below = emit.b.like_first(Op::Isub, &[left, one]);
    let others = emit.b.like_first(Op::Iand, &[left, below]);
    let following = emit.b.like_first(Op::Iadd, &[number, one]);
    emit.b.jump(head, &[others, following]);
    emit.b.switch_to(behind);
    Ok(number)
}

/// The same where many are true. Each item is written, and overwritten by the next unless it counts: nothing branches on what the mask
/// holds.
fn compact_dense(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    (data, stride): (Value, Value),
    target: &ArrayParts,
    count: Value,
) {
    let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    emit.b.jump(head, &[zero, zero]);
    let [at, number] = [0; 2].map(|_| emit.b.func.add_param(head, ValueType::Native(Native::I64)));
    emit.b.switch_to(head);
    // While some are missing there are indices left.
    let more = emit.b.icmp(IntCond::Slt, number, count);
    emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
    emit.b.switch_to(inside);
    let from = address(emit, data, &[stride], &[at]);
    let item = load_item(emit, target, from);
    let to = address(emit, target.data, &target.strides, &[number]);
    store_item(emit, target, to, &item);
    let truth = truth(emit, mask.data, &mask.strides, &[at]);
    let counted = emit.b.convert(Op::Zext, truth, Native::I64);
    let (next, number) =
        (emit.b.like_first(Op::Iadd, &[at, one]), emit.b.like_first(Op::Iadd, &[number, counted]));
    emit.poll();
    emit.b.jump(head, &[next, number]);
    emit.b.switch_to(behind);
}

/// The indices where the mask is true, an array for each of its dimensions.
pub(crate) fn indices(emit: &mut Emit<'_>, mask: &ArrayParts) -> Result<Vec<ArrayParts>> {
    let count = count(emit, mask)?;
    let ndim = emit.b.iconst(Native::I64, mask.shape.len() as i64);
    let made = allocate(emit, Type::INT64, &[ndim, count], Layout::C, false)?;
    let (row, item) = (made.strides[0], made.strides[1]);
    let mut rows = Vec::new();
    let mut data = made.data;
    for _ in 0..mask.shape.len() {
        let ty = ArrayType { ndim: 1, ..made.ty };
        rows.push(ArrayParts { ty, data, shape: smallvec![count], strides: smallvec![item], ..made.clone() });
        data = emit.b.native(Op::PtrAdd, [], &[data, row], Native::Ptr);
    }
    for_each_true(emit, mask, &mut |emit, at, number| {
        for (row, &index) in rows.iter().zip(at) {
            let to = address(emit, row.data, &row.strides, &[number]);
            store_item(emit, row, to, &Operand::single(Type::INT64, index));
        }
        Ok(())
    })?;
    Ok(rows)
}
