//! Loop nests over index spaces.

use catalog::Emit;
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use smallvec::SmallVec;

/// Emits `body` once inside nested loops, the last dimension innermost; it is given the indices.
pub(crate) fn for_each(
    emit: &mut Emit<'_>,
    shape: &[Value],
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    nest(emit, shape, None, &mut SmallVec::new(), body)
}

/// The same where each index has memory of its own to write to: on several threads, if the function may use some. What is emitted takes so
/// many quarters of a nanosecond.
pub(crate) fn for_each_in_parallel(
    emit: &mut Emit<'_>,
    shape: &[Value],
    quarters: i64,
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    let Some((&count, inner)) = shape.split_first().filter(|_| emit.is_parallel()) else {
        return for_each(emit, shape, body);
    };
    let cost = iteration_cost(emit, quarters, inner);
    emit.parallel_nest(count, cost, |emit, bounds| {
        nest(emit, shape, Some(bounds), &mut SmallVec::new(), body)
    })
}

/// The estimated nanoseconds of an iteration with a number of inner iterations, at least 1. The cost of an inner one is in quarters.
pub(crate) fn iteration_cost(emit: &mut Emit<'_>, quarters: i64, inner: &[Value]) -> Value {
    let one = emit.b.iconst(Native::I64, 1);
    let mut all = emit.b.iconst(Native::I64, quarters);
    for &count in inner {
        all = emit.b.like_first(Op::Imul, &[all, count]);
    }
    let two = emit.b.iconst(Native::I64, 2);
    let whole = emit.b.like_first(Op::Sshr, &[all, two]);
    let none = emit.b.icmp(IntCond::Slt, whole, one);
    emit.b.select(none, one, whole)
}

/// The loops; the outermost one covers the part between bounds, if there are any.
fn nest(
    emit: &mut Emit<'_>,
    shape: &[Value],
    bounds: Option<[Value; 2]>,
    indices: &mut SmallVec<[Value; 4]>,
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    let Some(&length) = shape.get(indices.len()) else { return body(emit, indices) };
    let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    let zero = emit.b.iconst(Native::I64, 0);
    let one = emit.b.iconst(Native::I64, 1);
    let [begin, length] = bounds.unwrap_or([zero, length]);
    emit.b.jump(head, &[begin]);
    let at = emit.b.func.add_param(head, ValueType::Native(Native::I64));
    emit.b.switch_to(head);
    let more = emit.b.icmp(IntCond::Slt, at, length);
    emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
    emit.b.switch_to(inside);
    indices.push(at);
    nest(emit, shape, None, indices, body)?;
    indices.pop();
    let next = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.poll();
    emit.b.jump(head, &[next]);
    emit.b.switch_to(behind);
    Ok(())
}

/// The address of the item at these indices, which are inside the array.
pub(crate) fn address(emit: &mut Emit<'_>, data: Value, strides: &[Value], indices: &[Value]) -> Value {
    let mut address = data;
    for (&stride, &index) in strides.iter().zip(indices) {
        let offset = emit.b.like_first(Op::Imul, &[index, stride]);
        address = emit.b.native(Op::PtrAdd, [], &[address, offset], Native::Ptr);
    }
    address
}
