//! Tagged unions: values of one of a few unrelated types, known at run time.
//!
//! A union forms where values meet that no other type holds: in a variable, as results, in a container. Types that have a common one
//! are one member (an `int64` and a `float64` are a `float64`), so a value is of at most one member.
//!
//! Absent: None, which an Optional around the union holds; objects of several classes ([`TypeData::Union`]), which are one member.

use crate::{Conversion, Type, TypeData, TypeTable, convert, kind, unify};
use std::sync::Arc;

/// How many members a union has at most: each operation is compiled for each of them.
const MAX_MEMBERS: usize = 4;

impl TypeTable {
    /// The members of a tagged union.
    pub fn union_members(&self, ty: Type) -> Option<Arc<[Type]>> {
        match self.get(ty) {
            TypeData::TaggedUnion(members) => Some(members),
            _ => None,
        }
    }

    /// The members of a tagged union, or the only type that a value may be of; None is not among them.
    pub fn alternatives(&self, ty: Type) -> Arc<[Type]> {
        let ty = self.unliteral(self.without_none(ty));
        self.union_members(ty).unwrap_or_else(|| [ty].into())
    }

    /// The type of what may be a value of either type: their common type, or else a tagged union.
    pub fn join(&self, a: Type, b: Type) -> Option<Type> {
        unify(self, a, b).or_else(|| self.tagged_union(a, b))
    }

    /// The tagged union that holds the values of both types, or their common type.
    pub fn tagged_union(&self, a: Type, b: Type) -> Option<Type> {
        let may_be_none =
            [a, b].iter().any(|&ty| matches!(self.get(ty), TypeData::None | TypeData::Optional(_)));
        let mut members: Vec<Type> = Vec::new();
        for ty in [a, b].into_iter().filter(|&ty| ty != Type::NONE) {
            for &member in self.alternatives(ty).iter() {
                self.add_member(&mut members, member)?;
            }
        }
        let union = self.union_of_members(members)?;
        Some(if may_be_none { self.optional(union) } else { union })
    }

    /// The tagged union of values that are at hand, whose numbers keep their classes; nothing where all have a common type.
    pub fn union_of_values(&self, all: &[Type]) -> Option<Type> {
        let common = all.iter().try_fold(Type::UNDEFINED, |known, &ty| unify(self, known, ty));
        if common.is_some() {
            return None;
        }
        let mut members: Vec<Type> = Vec::new();
        for &ty in all.iter().filter(|&&ty| ty != Type::NONE) {
            match kind(ty) {
                Some(_) if members.contains(&ty) => {}
                Some(_) => members.push(ty),
                None => self.add_member(&mut members, ty)?,
            }
        }
        let union = self.union_of_members(members)?;
        Some(if all.contains(&Type::NONE) { self.optional(union) } else { union })
    }

    /// The union of these types, or the only one. Members are in the order of their names, which is the same in every process, as cached
    /// code expects.
    fn union_of_members(&self, mut members: Vec<Type>) -> Option<Type> {
        members.sort_by_cached_key(|&member| (self.name(member), member));
        match *members {
            [] => None,
            [only] => Some(only),
            _ => (members.len() <= MAX_MEMBERS).then(|| self.intern(TypeData::TaggedUnion(members.into()))),
        }
    }

    /// Adds a type to the members, or widens the one that has a common type with it.
    fn add_member(&self, members: &mut Vec<Type>, new: Type) -> Option<()> {
        let new = self.as_member(new);
        if members.contains(&new) {
            return Some(());
        }
        for member in members.iter_mut() {
            if let Some(joined) = unify(self, *member, new) {
                *member = joined;
                return Some(());
            }
        }
        // Tuples of several lengths would be as many types as a loop has iterations.
        let length = |ty: Type| self.elements(ty).map(|elements| elements.len());
        let differs =
            |&member: &Type| length(member).is_some_and(|other| length(new).is_some_and(|own| own != other));
        let clashes = members.iter().any(differs);
        (self.may_be_member(new) && !clashes).then(|| members.push(new))
    }

    /// What arrays hold of text, and literal bytes, are strings and bytes in a union.
    fn as_member(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::CharSeq { wide: true, .. } => Type::STR,
            TypeData::CharSeq { wide: false, .. } => self.bytes(),
            _ => ty,
        }
    }

    /// Whether a tagged union can hold values of a type.
    fn may_be_member(&self, ty: Type) -> bool {
        match self.get(ty) {
            TypeData::Bool
            | TypeData::Int { .. }
            | TypeData::Float { .. }
            | TypeData::Complex { .. }
            | TypeData::Datetime { .. }
            | TypeData::Str
            | TypeData::Buffer(..)
            | TypeData::Array(_)
            | TypeData::Instance { .. }
            | TypeData::Union(_) => true,
            // For a loop over a value of a union.
            TypeData::Iterator(of) => self.may_be_member(of),
            TypeData::Range(_) => true,
            TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Dict { .. } | TypeData::Set { .. } => {
                !self.is_open(ty)
            }
            TypeData::Tuple(parts) | TypeData::NamedTuple { types: parts, .. } => {
                // A tuple of a union that holds it would have no end.
                let may_be = |&part: &Type| {
                    let is_union = self.union_members(self.without_none(part)).is_some();
                    let ends = |one: Type| !is_union || self.elements(one).is_none();
                    self.alternatives(part).iter().all(|&one| self.may_be_member(one) && ends(one))
                };
                parts.iter().all(may_be)
            }
            _ => false,
        }
    }

    /// The member that a value of a type becomes: its own type, or the one that holds it.
    pub fn member_for(&self, members: &[Type], ty: Type) -> Option<usize> {
        let ty = self.as_member(self.unliteral(ty));
        let same = members.iter().position(|&member| member == ty);
        same.or_else(|| members.iter().position(|&member| unify(self, member, ty) == Some(member)))
    }

    /// How a value becomes one of a tagged union.
    pub(crate) fn convert_to_union(&self, from: Type, members: &[Type]) -> Option<Conversion> {
        let fits = |&one: &Type| {
            let at = self.member_for(members, one)?;
            convert(self, one, members[at])
        };
        self.alternatives(from).iter().map(fits).collect::<Option<Vec<_>>>().map(|_| Conversion::Safe)
    }

    /// What remains of a tagged union if its value is, or is not, of one of the members of another type.
    pub(crate) fn narrowed_union(&self, members: &[Type], wanted: Type, is_one: bool) -> Option<Type> {
        let wanted = self.alternatives(wanted);
        let left = members.iter().copied().filter(|member| wanted.contains(member) == is_one);
        self.union_of_members(left.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_without_a_common_one_are_members() {
        let t = TypeTable::default();
        let union = t.tagged_union(Type::INT64, Type::STR).unwrap();
        assert_eq!(t.tagged_union(t.literal_str("a"), Type::INT64), Some(union));
        assert_eq!(t.tagged_union(union, Type::INT64), Some(union));
        assert_eq!(t.tagged_union(union, Type::NONE), Some(t.optional(union)));
        let wider = t.tagged_union(union, Type::FLOAT64).unwrap();
        assert_eq!(t.union_members(wider).as_deref(), Some(&[Type::FLOAT64, Type::STR][..]));
        assert!(convert(&t, union, wider).is_some() && convert(&t, wider, union).is_none());
        assert_eq!(t.narrowed(union, Type::STR, true), Some(Type::STR));
        assert_eq!(t.narrowed(union, Type::STR, false), Some(Type::INT64));
        assert_eq!(t.tagged_union(union, t.list(Type::UNDEFINED)), None);
    }
}
