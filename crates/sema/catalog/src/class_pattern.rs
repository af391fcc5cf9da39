//! Class patterns of `match`: the attributes that they read.

use types::{LiteralValue, Type, TypeData, TypeTable};

/// What a sub-pattern is matched with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatternPart {
    /// The subject itself: `case int(n)`.
    Whole,
    /// A field of a named tuple, by its place.
    Field(usize),
}

impl PatternPart {
    /// The type of the part of a subject of this type.
    pub fn of(self, types: &TypeTable, subject: Type) -> Option<Type> {
        match self {
            PatternPart::Whole => Some(subject),
            PatternPart::Field(at) => types.elements(subject)?.get(at).copied(),
        }
    }
}

/// What the sub-patterns of `case C(a, b, name=c)` are matched with, of a subject that is a `C`: as many
/// by position, then those of these names (a tuple of strings). Nothing if that is not known.
pub fn pattern_parts(
    types: &TypeTable,
    subject: Type,
    class: Type,
    positional: usize,
    names: Type,
) -> Option<Vec<PatternPart>> {
    let names = types.elements(names)?;
    let whole = match types.get(class) {
        TypeData::Class(ty) => !ty.is_complex(),
        TypeData::Function(name) => matches!(
            &*name,
            "builtins.tuple"
                | "builtins.str"
                | "builtins.list"
                | "builtins.bool"
                | "builtins.int"
                | "builtins.float"
        ),
        _ => false,
    };
    if positional <= usize::from(whole) && names.is_empty() {
        return Some(vec![PatternPart::Whole; positional]);
    }
    let TypeData::NamedTuple { fields, .. } = types.get(subject) else { return None };
    if positional > fields.len() {
        return None;
    }
    let mut parts: Vec<PatternPart> = (0..positional).map(PatternPart::Field).collect();
    for &name in names.iter() {
        let Some(LiteralValue::Str(name)) = types.literal(name) else { return None };
        parts.push(PatternPart::Field(fields.iter().position(|field| **field == *name)?));
    }
    Some(parts)
}
