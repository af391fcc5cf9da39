//! Objects of one of several classes: which one, and conversions between such unions.
//!
//! The parts are the number of the class among the members of the type, and the owner word of the object.

use crate::callable_union::renumber;
use crate::no_cast::no_cast;
use crate::{Emit, Operand};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeData};

/// An object as one of some classes, or as one of fewer if it is known to be of one of them.
pub(crate) fn cast_object(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    let (Some(have), Some(wanted)) = (emit.types.classes(from), emit.types.classes(to)) else {
        return Err(no_cast(emit, from, to));
    };
    let object = *value.parts.last().ok_or_else(|| no_cast(emit, from, to))?;
    if !have.iter().any(|class| wanted.contains(class)) {
        return Err(no_cast(emit, from, to));
    }
    if !is_union(emit, to) {
        return Ok(Operand::single(to, object));
    }
    let new = |class: &Type| wanted.iter().position(|known| known == class);
    let numbers: Vec<(usize, i64)> =
        have.iter().enumerate().filter_map(|(old, class)| Some((old, new(class)? as i64))).collect();
    let number = renumber(emit, &value.parts, &numbers);
    Ok(Operand::new(to, number.into_iter().chain([object])))
}

fn is_union(emit: &Emit<'_>, ty: Type) -> bool {
    matches!(emit.types.get(ty), TypeData::Union(_))
}

impl Emit<'_> {
    /// Whether a number is one of those that are wanted.
    pub fn is_in(&mut self, number: Value, wanted: &[bool]) -> Value {
        if wanted.iter().all(|&one| one == wanted[0]) {
            return self.b.bool(wanted.first() == Some(&true));
        }
        let mut found: Option<Value> = None;
        for at in (0..wanted.len()).filter(|&at| wanted[at]) {
            let at = self.b.iconst(Native::I64, at as i64);
            let this = self.b.icmp(IntCond::Eq, number, at);
            found = Some(match found {
                None => this,
                Some(others) => self.b.native(Op::Ior, [], &[others, this], Native::I1),
            });
        }
        found.unwrap_or_else(|| self.b.bool(false))
    }

    /// Whether an object is an instance of a class or of one that derives from it; of what may be None, whether it is if it is not None.
    pub fn is_instance(&mut self, value: &Operand, class: Type) -> Value {
        let inner = self.types.without_none(value.ty);
        if class == Type::NONE {
            let yes = self.b.bool(true);
            return self.b.icmp(IntCond::Ne, value.parts[0], yes);
        }
        let wanted: Vec<bool> = match self.types.union_members(inner) {
            Some(members) => {
                let asked = self.types.alternatives(class);
                members.iter().map(|member| asked.contains(member)).collect()
            }
            None => {
                let classes = self.types.classes(inner).unwrap_or_default();
                classes.iter().map(|&one| self.types.derives_from_any(one, class)).collect()
            }
        };
        // An Optional begins with whether it is there.
        self.is_in(value.parts[usize::from(inner != value.ty)], &wanted)
    }
}
