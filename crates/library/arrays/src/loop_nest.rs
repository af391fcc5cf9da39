//! Loop nests over index spaces.

use catalog::Emit;
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use smallvec::SmallVec;

/// Emits `body` once inside of nested loops, the last dimension innermost; it is given the indices.
pub(crate) fn for_each(
    emit: &mut Emit<'_>,
    shape: &[Value],
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    nest(emit, shape, &mut SmallVec::new(), body)
}

fn nest(
    emit: &mut Emit<'_>,
    shape: &[Value],
    indices: &mut SmallVec<[Value; 4]>,
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value]) -> Result<()>,
) -> Result<()> {
    let Some(&length) = shape.get(indices.len()) else { return body(emit, indices) };
    let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    let zero = emit.b.iconst(Native::I64, 0);
    let one = emit.b.iconst(Native::I64, 1);
    emit.b.jump(head, &[zero]);
    let at = emit.b.func.add_param(head, ValueType::Native(Native::I64));
    emit.b.switch_to(head);
    let more = emit.b.icmp(IntCond::Slt, at, length);
    emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
    emit.b.switch_to(inside);
    indices.push(at);
    nest(emit, shape, indices, body)?;
    indices.pop();
    let next = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.poll();
    emit.b.jump(head, &[next]);
    emit.b.switch_to(behind);
    Ok(())
}

/// The address of the item at these indices, which are inside of the array.
pub(crate) fn address(emit: &mut Emit<'_>, data: Value, strides: &[Value], indices: &[Value]) -> Value {
    let mut address = data;
    for (&stride, &index) in strides.iter().zip(indices) {
        let offset = emit.b.like_first(Op::Imul, &[index, stride]);
        address = emit.b.native(Op::PtrAdd, [], &[address, offset], Native::Ptr);
    }
    address
}
