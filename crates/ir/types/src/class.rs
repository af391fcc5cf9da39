//! Members of classes: fields, methods, properties, by the type of their instances.
//!
//! A class is known by its number before its fields are, so that fields may be of its own type.
//!
//! Absent: how fields lie in memory (`catalog::object_layout`), the class in Python.

use crate::{Class, Handle, Type, TypeData, TypeTable};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// How many classes the objects of a union may be of.
const MAX_CLASSES: usize = 32;

impl Class {
    /// The type of a field.
    pub fn field(&self, name: &str) -> Option<Type> {
        self.fields.iter().find(|(field, _)| **field == *name).map(|&(_, ty)| ty)
    }
}

impl TypeTable {
    /// Defines the members of a class. Returns whether they were not defined before.
    pub fn define_class(&self, instance: Type, class: Class) {
        let mut known = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(instance, Arc::new(class));
        self.has_classes.store(true, Ordering::Relaxed);
    }

    /// Whether any class is defined.
    pub fn has_classes(&self) -> bool {
        self.has_classes.load(Ordering::Relaxed)
    }

    /// The class of an instance type.
    pub fn class(&self, instance: Type) -> Option<Arc<Class>> {
        if !self.has_classes() {
            return None;
        }
        let known = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&instance).cloned()
    }

    /// Whether the objects of a class are instances of another one.
    pub fn derives_from(&self, instance: Type, base: Type) -> bool {
        let class = || self.class(base)?.ancestors.first().copied();
        instance == base || class().is_some_and(|class| self.is_of_class(instance, class))
    }

    /// Whether the objects of a class are instances of a Python class.
    pub fn is_of_class(&self, instance: Type, class: Handle) -> bool {
        self.class(instance).is_some_and(|known| known.ancestors.contains(&class))
    }

    /// Whether a class is or derives from one, or one of a union.
    pub fn derives_from_any(&self, instance: Type, class: Type) -> bool {
        self.classes(class).is_some_and(|bases| bases.iter().any(|&base| self.derives_from(instance, base)))
    }

    /// The classes that an object may be of: the members of a union, or its own class.
    pub fn classes(&self, ty: Type) -> Option<Arc<[Type]>> {
        match self.get(ty) {
            TypeData::Union(members) => Some(members),
            TypeData::Instance { .. } => Some([ty].into()),
            _ => None,
        }
    }

    /// Whether a class that an object may be of has a member under one of these names.
    pub fn has_member(&self, ty: Type, names: &[&str]) -> bool {
        let has = |class: Arc<Class>| names.iter().any(|&name| class.members.contains_key(name));
        let classes = self.classes(ty).unwrap_or_else(|| Arc::from([]));
        classes.iter().any(|&class| self.class(class).is_none_or(has))
    }

    /// The type of `is_instance` of an object and a class: a literal where its type tells.
    pub fn instance_test(&self, ty: Type, class: Type) -> Type {
        let left = |is_instance| self.narrowed(ty, class, is_instance).is_some();
        if left(true) && left(false) { Type::BOOL } else { self.literal_bool(left(true)) }
    }

    /// The type of an object of one of these classes; nothing if there are none, or more than a union has. A class comes before those that
    /// it derives from, so that the first of which an object is an instance is its own.
    pub fn union_of(&self, classes: &[Type]) -> Option<Type> {
        let depth = |ty: Type| self.class(ty).map_or(0, |class| class.ancestors.len());
        let mut members = classes.to_vec();
        members.sort_by_key(|&ty| (std::cmp::Reverse(depth(ty)), ty));
        members.dedup();
        match *members {
            [] => None,
            [only] => Some(only),
            _ => (members.len() <= MAX_CLASSES).then(|| self.intern(TypeData::Union(members.into()))),
        }
    }

    /// What remains of the classes of an object if it is, or is not, an instance of a class.
    pub fn narrowed(&self, ty: Type, class: Type, is_instance: bool) -> Option<Type> {
        if class == Type::NONE {
            let (absent, present) = (ty == Type::NONE, self.without_none(ty));
            return if is_instance {
                (absent || present != ty).then_some(Type::NONE)
            } else {
                (!absent).then_some(present)
            };
        }
        if let TypeData::Optional(inner) = self.get(ty) {
            return Some(self.optional(self.narrowed(inner, class, is_instance)?));
        }
        // Of what is no object, or what may be none, its type tells.
        if self.union_members(ty).is_some() || self.classes(class).is_none() {
            return self.narrowed_union(&self.alternatives(ty), class, is_instance);
        }
        let classes = self.classes(ty)?;
        let left: Vec<Type> =
            classes.iter().copied().filter(|&one| self.derives_from_any(one, class) == is_instance).collect();
        self.union_of(&left)
    }

    /// The fields that say alone which objects of a class are equal, with their types; nothing if no such fields do.
    pub fn identifying_fields(&self, ty: Type) -> Option<Vec<(Arc<str>, Type)>> {
        let class = self.class(ty)?;
        let names = class.identifying.as_ref()?;
        names.iter().map(|name| Some((name.clone(), class.field(name)?))).collect()
    }

    /// Whether a key is, or has, an object that equals others by its fields.
    pub fn is_key_by_fields(&self, key: Type) -> bool {
        let parts = self.components(key).unwrap_or_else(|| Arc::from([]));
        self.identifying_fields(key).is_some() || parts.iter().any(|&part| self.is_key_by_fields(part))
    }

    /// Whether NumPy takes an object for a sequence of items: its class has `__len__` and `__getitem__`.
    pub fn is_sequence_to_numpy(&self, ty: Type) -> bool {
        let classes = self.classes(self.without_none(ty)).unwrap_or_default();
        let has = |class: Type, name: &str| self.has_member(class, &[name]);
        classes.iter().any(|&class| has(class, "__len__") && has(class, "__getitem__"))
    }

    /// What messages at run time call a type: of objects the class alone, as other processes have it at another address.
    pub fn name_in_messages(&self, ty: Type) -> String {
        let class = |name: &str| {
            let before = name.split('#').next().unwrap_or(name);
            before.rsplit('.').next().unwrap_or(before).to_owned()
        };
        match self.get(ty) {
            TypeData::Instance { name, .. } => class(&name),
            TypeData::Union(members) | TypeData::TaggedUnion(members) => {
                let all: Vec<String> = members.iter().map(|&one| self.name_in_messages(one)).collect();
                all.join(" or ")
            }
            _ => self.name(ty),
        }
    }

    /// Whether values of a type are objects of a class.
    pub fn is_instance(&self, ty: Type) -> bool {
        self.has_classes() && matches!(self.get(ty), TypeData::Instance { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_have_fields_of_its_own_type() {
        let types = TypeTable::default();
        let node = types.intern(TypeData::Instance { name: "Node".into(), object: Handle(0) });
        assert_eq!(types.class(node), None);
        let next = types.optional(node);
        let fields = vec![("value".into(), Type::INT64), ("next".into(), next)];
        types.define_class(node, Class { fields, ..Class::default() });
        assert_eq!(types.class(node).and_then(|class| class.field("next")), Some(next));
        assert!(types.derives_from(node, node) && !types.derives_from(node, Type::INT64));
    }
}
