//! Lists, dicts and sets: their element types, and how these grow.
//!
//! The type of a container that is made empty is open: its items are undefined. It grows while inference looks at
//! what is put in, so that a list of integers may become one of floats; the values stay where they are made.

use crate::unify;
use crate::{ArrayType, BufferKind, Facet, LiteralValue, SetKind, Type, TypeData, TypeTable};

/// The class of dicts that count, whose missing keys have the value 0.
const COUNTER: &str = "collections.Counter";

/// The method of that class that makes this value. It stands in types of counters, so that a `defaultdict` whose factory is
/// the class has another type.
const COUNTER_MISSING: &str = "collections.Counter.__missing__";

/// The class of ordered dicts, whose name in their types stands in the field of what makes missing values.
const ORDERED: &str = "collections.OrderedDict";

/// Objects of NumPy of which only items are taken.
pub const INDEX_TRICKS: &[&str] =
    &["numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_", "numpy.s_", "numpy.index_exp"];

/// Files of Python's that `print` writes to, by their names: what they are is looked up when something is printed.
pub const STREAMS: [&str; 4] = ["sys.__stderr__", "sys.__stdout__", "sys.stderr", "sys.stdout"];

impl TypeTable {
    /// The type of lists with items of this type.
    pub fn list(&self, item: Type) -> Type {
        self.intern(TypeData::List { item, typed: false })
    }

    /// The type of deques with items of this type.
    pub fn deque(&self, item: Type) -> Type {
        self.intern(TypeData::Deque { item })
    }

    /// Whether a type is that of a deque.
    pub fn is_deque(&self, ty: Type) -> bool {
        matches!(self.get(ty), TypeData::Deque { .. })
    }

    /// The type of sets with items of this type.
    pub fn set(&self, item: Type) -> Type {
        self.intern(TypeData::Set { item, kind: SetKind::Plain })
    }

    /// The type of frozen sets with items of this type.
    pub fn frozenset(&self, item: Type) -> Type {
        self.intern(TypeData::Set { item, kind: SetKind::Frozen })
    }

    /// Whether a type is that of a frozen set.
    pub fn is_frozenset(&self, ty: Type) -> bool {
        matches!(self.get(ty), TypeData::Set { kind: SetKind::Frozen, .. })
    }

    /// The type of sets that may change, for a frozen one.
    pub fn unfrozen(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Set { item, kind: SetKind::Frozen } => self.set(item),
            _ => ty,
        }
    }

    /// The type of dicts with keys and values of these types.
    pub fn dict(&self, key: Type, value: Type) -> Type {
        self.intern(TypeData::Dict { key, value, missing: Type::NONE })
    }

    /// The type of counters of keys of this type.
    pub fn counter(&self, key: Type, value: Type) -> Type {
        let missing = self.intern(TypeData::Function(COUNTER_MISSING.into()));
        self.intern(TypeData::Dict { key, value, missing })
    }

    /// The type of `collections.OrderedDict` with keys and values of these types.
    pub fn ordered_dict(&self, key: Type, value: Type) -> Type {
        let missing = self.intern(TypeData::Function(ORDERED.into()));
        self.intern(TypeData::Dict { key, value, missing })
    }

    /// What makes the values of missing keys of a `defaultdict` or a `Counter`.
    pub fn missing(&self, ty: Type) -> Option<Type> {
        match self.get(ty) {
            TypeData::Dict { missing, .. } if missing != Type::NONE && !self.is_ordered_dict(ty) => {
                Some(missing)
            }
            _ => None,
        }
    }

    /// Whether a list or set of Python's, if it were a typed one, would be of a type that is wanted.
    pub fn becomes_typed(&self, plain: Type, wanted: Type) -> bool {
        self.as_typed(plain).is_some_and(|typed| unify(self, typed, wanted) == Some(wanted))
    }

    /// The type of typed lists or sets of the items of a list or set of Python's.
    pub fn as_typed(&self, ty: Type) -> Option<Type> {
        match self.get(ty) {
            TypeData::List { item, typed: false } => Some(self.intern(TypeData::List { item, typed: true })),
            TypeData::Set { item, kind: SetKind::Plain } => {
                Some(self.intern(TypeData::Set { item, kind: SetKind::Typed }))
            }
            _ => None,
        }
    }

    /// Whether a type is that of a `collections.OrderedDict`.
    pub fn is_ordered_dict(&self, ty: Type) -> bool {
        let TypeData::Dict { missing, .. } = self.get(ty) else { return false };
        matches!(self.get(missing), TypeData::Function(name) if *name == *ORDERED)
    }

    /// Whether a type is that of a `collections.Counter`.
    pub fn is_counter(&self, ty: Type) -> bool {
        let missing = self.missing(ty).map(|missing| self.get(missing));
        matches!(missing, Some(TypeData::Function(name)) if *name == *COUNTER_MISSING)
    }

    /// Type of the items of a list or a deque.
    pub fn list_item(&self, ty: Type) -> Option<Type> {
        match self.get(ty) {
            TypeData::List { item, .. } | TypeData::Deque { item } => Some(item),
            _ => None,
        }
    }

    /// The element types of a list, a dict (keys, then values), a set or an array of objects.
    pub fn contents(&self, ty: Type) -> Option<Vec<Type>> {
        match self.get(ty) {
            TypeData::List { item, .. } | TypeData::Deque { item } | TypeData::Set { item, .. } => {
                Some(vec![item])
            }
            TypeData::Dict { key, value, .. } => Some(vec![key, value]),
            TypeData::Buffer(BufferKind::ObjectArray, items) => Some(vec![items.dtype]),
            _ => None,
        }
    }

    /// Whether a type is that of a container of which no item is known: it has none.
    pub fn has_no_items(&self, ty: Type) -> bool {
        self.contents(ty).is_some_and(|contents| contents.iter().all(|&part| part == Type::UNDEFINED))
    }

    /// The type of a container of the same kind with other element types.
    pub fn with_contents(&self, ty: Type, contents: &[Type]) -> Option<Type> {
        let data = match (self.get(ty), contents) {
            (TypeData::List { typed, .. }, &[item]) => TypeData::List { item, typed },
            (TypeData::Deque { .. }, &[item]) => TypeData::Deque { item },
            (TypeData::Set { kind, .. }, &[item]) => TypeData::Set { item, kind },
            (TypeData::Dict { missing, .. }, &[key, value]) => TypeData::Dict { key, value, missing },
            (TypeData::Buffer(kind @ BufferKind::ObjectArray, items), &[dtype]) => {
                TypeData::Buffer(kind, ArrayType { dtype, ..items })
            }
            _ => return None,
        };
        Some(self.intern(data))
    }

    /// The type without None.
    pub fn present(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Optional(inner) => inner,
            _ => ty,
        }
    }

    /// Whether a value of this type is, or contains, a list, a dict or a set.
    pub fn holds_container(&self, ty: Type) -> bool {
        match self.get(ty) {
            TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Dict { .. } | TypeData::Set { .. } => {
                true
            }
            TypeData::Optional(inner) => self.holds_container(inner),
            _ => self.components(ty).is_some_and(|all| all.iter().any(|&part| self.holds_container(part))),
        }
    }

    /// Whether the type is, or contains, one that can be widened: a container, or a dict of known keys, which can
    /// become an ordinary dict.
    pub fn may_hold_more(&self, ty: Type) -> bool {
        match self.get(ty) {
            TypeData::StaticDict { .. } => true,
            TypeData::FixedList(_) => self.list_of_starred(ty).is_some(),
            TypeData::Optional(inner) => self.may_hold_more(inner),
            _ => {
                self.contents(ty).is_some()
                    || self.components(ty).is_some_and(|all| all.iter().any(|&part| self.may_hold_more(part)))
            }
        }
    }

    /// The ordinary dict type for a dict of known keys, if one type holds its values.
    pub fn dict_of_keywords(&self, ty: Type) -> Option<Type> {
        let (_, values) = self.keywords(ty)?;
        let join = |known, &value: &Type| self.join(known, self.unliteral(value));
        let value = values.iter().try_fold(Type::UNDEFINED, join)?;
        Some(self.dict(Type::STR, value))
    }

    /// The mutable list type for an immutable list, if one type holds its items.
    pub fn list_of_starred(&self, ty: Type) -> Option<Type> {
        let items = self.elements(self.starred(ty)?)?;
        let join = |known, &item: &Type| self.join(known, self.unliteral(item));
        Some(self.list(items.iter().try_fold(Type::UNDEFINED, join)?))
    }

    /// The name of the unhashable Python class that a value of this type is or contains; none if it is hashable.
    pub fn unhashable(&self, ty: Type) -> Option<&'static str> {
        match self.get(ty) {
            TypeData::List { .. } | TypeData::FixedList(_) => Some("list"),
            TypeData::Deque { .. } => Some("collections.deque"),
            TypeData::Dict { .. } | TypeData::StaticDict { .. } => Some("dict"),
            TypeData::Set { kind, .. } => (kind != SetKind::Frozen).then_some("set"),
            TypeData::Array(_) => Some("numpy.ndarray"),
            TypeData::Slice { .. } | TypeData::LiteralSlice { .. } => Some("slice"),
            TypeData::Optional(inner) => self.unhashable(inner),
            _ => self.components(ty)?.iter().find_map(|&part| self.unhashable(part)),
        }
    }

    /// The same for classes that are derived from that of [`Self::class_of_methods`], the most derived one first.
    pub fn derived_classes_of_methods(&self, ty: Type) -> impl Iterator<Item = &'static str> {
        let with_default = self.missing(ty).map(|_| match self.is_counter(ty) {
            true => COUNTER,
            false => "collections.defaultdict",
        });
        let with_default = with_default.or(self.is_ordered_dict(ty).then_some(ORDERED));
        let by_methods = if self.has_classes() { self.table_by_methods(ty) } else { None };
        with_default.into_iter().chain(by_methods)
    }

    /// The class of a table whose keys are equal by methods.
    fn table_by_methods(&self, ty: Type) -> Option<&'static str> {
        let (class, table) = match self.get(ty) {
            TypeData::Dict { .. } => ("rumba.dict_by_methods", ty),
            TypeData::Set { .. } => ("rumba.set_by_methods", ty),
            TypeData::Facet { facet: Facet::Keys, of } => ("rumba.dict_keys_by_methods", of),
            _ => return None,
        };
        self.is_key_by_methods(*self.contents(table)?.first()?).then_some(class)
    }

    /// The Python class in the dotted names of the methods of this type.
    pub fn class_of_methods(&self, ty: Type) -> Option<&'static str> {
        Some(match self.get(ty) {
            TypeData::Array(_) => "numpy.ndarray",
            TypeData::Buffer(BufferKind::ObjectArray, _) => "rumba.object_array",
            TypeData::Record(_) => "numpy.void",
            TypeData::Facet { facet: Facet::Flat, .. } => "numpy.flatiter",
            TypeData::NumpyGenerator => "numpy.random.Generator",
            TypeData::Function(name) if STREAMS.contains(&&*name) => "io.TextIOBase",
            TypeData::Datetime { span, .. } => {
                if span {
                    "numpy.timedelta64"
                } else {
                    "numpy.datetime64"
                }
            }
            TypeData::List { .. } => "builtins.list",
            TypeData::Deque { .. } => "collections.deque",
            TypeData::Dict { .. } => "builtins.dict",
            TypeData::Set { kind: SetKind::Frozen, .. } => "builtins.frozenset",
            TypeData::Set { .. } => "builtins.set",
            TypeData::Tuple(_) | TypeData::NamedTuple { .. } => "builtins.tuple",
            TypeData::Facet { facet: Facet::Keys, .. } => "builtins.dict_keys",
            TypeData::Facet { facet: Facet::Values, .. } => "builtins.dict_values",
            TypeData::Facet { facet: Facet::Items, .. } => "builtins.dict_items",
            TypeData::Str
            | TypeData::Literal(LiteralValue::Str(_))
            | TypeData::CharSeq { wide: true, .. } => "builtins.str",
            TypeData::Int { .. } | TypeData::Literal(LiteralValue::Int(_)) => "builtins.int",
            TypeData::Float { .. } => "builtins.float",
            TypeData::Buffer(BufferKind::Bytes, _) | TypeData::CharSeq { wide: false, .. } => {
                "builtins.bytes"
            }
            TypeData::Buffer(BufferKind::ByteArray, _) => "builtins.bytearray",
            TypeData::Enum { .. } => "enum.Enum",
            TypeData::Optional(_) => "rumba.optional",
            TypeData::Function(name) => INDEX_TRICKS.iter().copied().find(|known| **known == *name)?,
            _ => return None,
        })
    }

    /// Whether values of this type can be dict keys and set items in compiled code.
    pub fn is_key(&self, ty: Type) -> bool {
        match self.get(ty) {
            TypeData::Tuple(parts) | TypeData::NamedTuple { types: parts, .. } => {
                parts.iter().all(|&part| self.is_key(part))
            }
            TypeData::Enum { value, .. } => self.is_key(value),
            TypeData::Undefined
            | TypeData::Bool
            | TypeData::Int { .. }
            | TypeData::Float { .. }
            | TypeData::Complex { .. }
            | TypeData::Str
            | TypeData::CharSeq { .. }
            | TypeData::Datetime { .. } => true,
            TypeData::Buffer(..) => ty == self.bytes(),
            TypeData::Instance { .. } if let Some(fields) = self.identifying_fields(ty) => {
                fields.iter().all(|&(_, field)| self.is_key(field))
            }
            TypeData::Instance { .. } | TypeData::Union(_) => {
                let classes = self.classes(ty).unwrap_or_default();
                classes.iter().all(|&class| {
                    !self.has_member(class, &["__eq__"]) || self.has_member(class, &["__hash__"])
                })
            }
            _ => false,
        }
    }

    /// Whether methods say which keys of a type are equal: it is, or has, an object whose class defines `__eq__` or `__hash__`
    /// otherwise than by its fields. An object of another class is equal to itself alone.
    pub fn is_key_by_methods(&self, key: Type) -> bool {
        match self.get(key) {
            TypeData::Tuple(parts) | TypeData::NamedTuple { types: parts, .. } => {
                parts.iter().any(|&part| self.is_key_by_methods(part))
            }
            TypeData::Instance { .. } if let Some(fields) = self.identifying_fields(key) => {
                fields.iter().any(|&(_, field)| self.is_key_by_methods(field))
            }
            TypeData::Instance { .. } | TypeData::Union(_) => self.has_member(key, &["__eq__", "__hash__"]),
            _ => false,
        }
    }

    /// Whether the element type of a container is not known yet.
    pub fn is_open(&self, ty: Type) -> bool {
        let is_undefined = |part: Type| part == Type::UNDEFINED || self.is_open(part);
        match self.contents(ty) {
            Some(contents) => contents.into_iter().any(is_undefined),
            None => match self.get(ty) {
                TypeData::Optional(inner)
                | TypeData::Method(inner, _)
                | TypeData::Iterator(inner)
                | TypeData::Facet { of: inner, .. }
                | TypeData::Enumerate(inner) => self.is_open(inner),
                TypeData::Zip(inner) | TypeData::Map { iterators: inner, .. } => {
                    inner.iter().any(|&part| self.is_open(part))
                }
                TypeData::Filter { iterator, .. } | TypeData::GeneratorExpr { iterator, .. } => {
                    self.is_open(iterator)
                }
                _ => self.components(ty).is_some_and(|all| all.iter().any(|&part| self.is_open(part))),
            },
        }
    }

    /// The type of a container that can hold what both hold.
    pub(crate) fn unify_containers(&self, a: Type, b: Type) -> Option<Type> {
        if std::mem::discriminant(&self.get(a)) != std::mem::discriminant(&self.get(b)) {
            return None;
        }
        let (x, y) = (self.contents(a)?, self.contents(b)?);
        let joined: Option<Vec<Type>> = x.iter().zip(&y).map(|(&a, &b)| unify(self, a, b)).collect();
        let (joined, other) = (self.with_contents(a, &joined?)?, self.with_contents(b, &x)?);
        // A typed list and another one are different things.
        (other == a).then_some(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_grow() {
        let t = TypeTable::default();
        let (open, ints) = (t.list(Type::UNDEFINED), t.list(Type::INT64));
        assert!(t.is_open(t.list(open)) && !t.is_open(ints));
        assert_eq!(unify(&t, open, ints), Some(ints));
        assert_eq!(unify(&t, ints, t.list(Type::FLOAT64)), Some(t.list(Type::FLOAT64)));
        assert_eq!(unify(&t, t.list(open), t.list(ints)), Some(t.list(ints)));
        let typed = t.intern(TypeData::List { item: Type::INT64, typed: true });
        assert_eq!(unify(&t, ints, typed), None);
        assert!(t.holds_container(t.tuple(&[Type::INT64, ints])));
    }

    #[test]
    fn dicts_of_other_keys_unify_to_one_of_any() {
        let t = TypeTable::default();
        let known = |name: &str, ty| {
            t.intern(TypeData::StaticDict { names: [name.into()].into(), types: [ty].into() })
        };
        let (a, b) = (known("a", Type::INT64), known("b", Type::FLOAT64));
        let both = t.dict(Type::STR, Type::FLOAT64);
        assert_eq!(unify(&t, a, b), Some(both));
        assert_eq!(unify(&t, a, both), Some(both));
        assert_eq!(unify(&t, a, known("b", Type::STR)), None);
        assert_eq!(unify(&t, a, known("a", Type::FLOAT64)), Some(known("a", Type::FLOAT64)));
        let ints = t.dict(Type::STR, Type::INT64);
        assert_eq!(unify(&t, Type::NONE, a), Some(t.optional(ints)));
    }
}
