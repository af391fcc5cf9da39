//! Types whose values point into the frame of the function that created them, and must not outlive it.

use crate::{Type, TypeData, TypeTable};

impl TypeTable {
    /// Whether a value of this type refers to the frame of the function that created it: the state of an iterator, or a
    /// shared variable.
    pub fn refers_to_frame(&self, ty: Type) -> bool {
        let any = |members: &[Type]| members.iter().any(|&member| self.refers_to_frame(member));
        match self.get(ty) {
            TypeData::Iterator(_)
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
            | TypeData::Scratch(_)
            | TypeData::ArrayBuilder { .. }
            | TypeData::Cell(_) => true,
            TypeData::GeneratorObject { bound, .. } => bound,
            TypeData::Facet { facet, of } => facet.is_iterator() || self.refers_to_frame(of),
            TypeData::Optional(inner) | TypeData::FixedList(inner) | TypeData::Method(inner, _) => {
                self.refers_to_frame(inner)
            }
            TypeData::Tuple(members)
            | TypeData::NamedTuple { types: members, .. }
            | TypeData::StaticDict { types: members, .. }
            | TypeData::Choice(members)
            | TypeData::TaggedUnion(members) => any(&members),
            TypeData::Closure { captures, defaults, .. } => any(&captures) || any(&defaults),
            _ => false,
        }
    }
}
