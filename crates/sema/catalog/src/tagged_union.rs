//! Values of one of a few unrelated types, and conversions to and from such unions.
//!
//! The parts are the number of the member that the value is of, and the parts of all members one after the other. Those of members that it is
//! not of are zeros: there is nothing to release, and to convert them does no harm.

use crate::callable_union::renumber;
use crate::cast::cast;
use crate::no_cast::no_cast;
use crate::{Emit, Operand};
use diag::Result;
use ir::{IntCond, Native, Value};
use types::Type;

/// A value as one of a union, or one of a union as what it is known to be: one of fewer members, or of one.
pub(crate) fn cast_union(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    let have = emit.types.alternatives(from);
    let Some(wanted) = emit.types.union_members(to) else {
        let is_held = |&&member: &&Type| types::convert(emit.types, member, to).is_some();
        let member = have.iter().find(|&&member| member == to).or_else(|| have.iter().find(is_held));
        let member = *member.ok_or_else(|| no_cast(emit, from, to))?;
        return cast(emit, &member_value(emit, value, member), to);
    };
    let at = |member: &Type| emit.types.member_for(&wanted, *member);
    let numbers: Vec<(usize, i64)> =
        have.iter().enumerate().filter_map(|(old, member)| Some((old, at(member)? as i64))).collect();
    if numbers.is_empty() {
        return Err(no_cast(emit, from, to));
    }
    let mut parts: Vec<Value> = renumber(emit, &value.parts, &numbers).into_iter().collect();
    for (new, &member) in wanted.iter().enumerate() {
        let mut held: Option<Vec<Value>> = None;
        for &(old, _) in numbers.iter().filter(|&&(_, number)| number == new as i64) {
            let own = member_value(emit, value, have[old]);
            let own = cast(emit, &own, member)?.parts;
            held = Some(match held {
                None => own.to_vec(),
                Some(others) => {
                    let old = emit.b.iconst(Native::I64, old as i64);
                    let is_this = emit.b.icmp(IntCond::Eq, value.parts[0], old);
                    own.iter().zip(others).map(|(&own, other)| emit.b.select(is_this, own, other)).collect()
                }
            });
        }
        match held {
            Some(held) => parts.extend(held),
            None => parts.extend(emit.undefined(member).parts),
        }
    }
    Ok(Operand::new(to, parts))
}

/// The value of a union as one of a member; any other value is that member.
fn member_value(emit: &Emit<'_>, value: &Operand, member: Type) -> Operand {
    let Some(have) = emit.types.union_members(value.ty) else { return value.clone() };
    let mut at = 1;
    for &other in have.iter().take_while(|&&other| other != member) {
        at += emit.machine_types(other).len();
    }
    let count = emit.machine_types(member).len();
    Operand::new(member, value.parts[at..at + count].iter().copied())
}
