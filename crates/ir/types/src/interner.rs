//! The table that interns types.

use crate::buffer::BufferKind;
use crate::type_data::{Class, EnumKind, FIXED, FieldNames, Handle, LiteralValue, Type, TypeData};
use crate::user_casts::Casts;
use entity::{EntityRef, HashMap, Interner};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

/// How many instances the type of an exception tells of.
const MAX_INSTANCES: usize = 16;

/// All types of one session. Shared between threads.
#[derive(Debug)]
pub struct TypeTable {
    types: RwLock<Interner<Type, TypeData>>,
    /// What compiled functions are called, for display.
    functions: RwLock<HashMap<Handle, Arc<str>>>,
    /// What is known of compiled functions of arrays that call another one for each element.
    element_kernels: RwLock<HashMap<Handle, Arc<ElementKernel>>>,
    /// Whether there are function values: most programs have none and need not look for them.
    function_values: AtomicBool,
    /// Whether there are lists, dicts or sets: the same.
    containers: AtomicBool,
    tagged_unions: AtomicBool,
    casts: Casts,
    /// What the classes of objects have, by the type of their instances.
    pub(crate) classes: RwLock<HashMap<Type, Arc<Class>>>,
    /// Whether there are any: most programs have none and need not look for them.
    pub(crate) has_classes: AtomicBool,
}

/// What a compiled function of arrays and scalars computes for each element: another function of scalars.
#[derive(Debug)]
pub struct ElementKernel {
    /// The function of scalars.
    pub function: Handle,
    /// What elements are converted to.
    pub params: Box<[Type]>,
    /// What its results are converted to.
    pub result: Type,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut types = Interner::default();
        for data in FIXED {
            types.intern(data.clone());
        }
        TypeTable {
            types: RwLock::new(types),
            functions: RwLock::default(),
            element_kernels: RwLock::default(),
            function_values: AtomicBool::new(false),
            containers: AtomicBool::new(false),
            tagged_unions: AtomicBool::new(false),
            casts: Casts::default(),
            classes: RwLock::default(),
            has_classes: AtomicBool::new(false),
        }
    }
}

impl TypeTable {
    /// The id of a type; a new one if no equal type is interned.
    pub fn intern(&self, mut data: TypeData) -> Type {
        if let TypeData::Array(array) = &mut data {
            array.aligned &= self.record(array.dtype).is_none_or(|record| record.aligned);
        }
        if let Some(found) = self.read().find(&data) {
            return found;
        }
        if matches!(data, TypeData::FunctionValue { .. }) {
            self.function_values.store(true, Ordering::Relaxed);
        }
        if matches!(data, TypeData::TaggedUnion(_)) {
            self.tagged_unions.store(true, Ordering::Relaxed);
        }
        if matches!(
            data,
            TypeData::List { .. }
                | TypeData::Deque { .. }
                | TypeData::Buffer(BufferKind::ObjectArray, _)
                | TypeData::FixedList(_)
                | TypeData::Dict { .. }
                | TypeData::StaticDict { .. }
                | TypeData::Set { .. }
        ) {
            self.containers.store(true, Ordering::Relaxed);
        }
        self.types.write().unwrap_or_else(|poisoned| poisoned.into_inner()).intern(data)
    }

    /// The data of a type.
    pub fn get(&self, ty: Type) -> TypeData {
        match FIXED.get(ty.index()) {
            Some(data) => data.clone(),
            None => self.read().get(ty).clone(),
        }
    }

    pub(crate) fn casts(&self) -> &Casts {
        &self.casts
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Interner<Type, TypeData>> {
        // Interning cannot leave the table half-written, so a poisoned lock is still sound.
        self.types.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sets the name of a compiled function in printed types.
    pub fn name_function(&self, function: Handle, name: &str) {
        let mut names = self.functions.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        names.insert(function, name.into());
    }

    /// What a compiled function is called; its number if nobody said.
    pub(crate) fn function_name(&self, function: Handle) -> Arc<str> {
        let names = self.functions.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        names.get(&function).cloned().unwrap_or_else(|| format!("#{}", function.0).into())
    }

    /// States that a compiled function calls another one for each element, and nothing else.
    pub fn state_elementwise(&self, function: Handle, kernel: ElementKernel) {
        let mut known = self.element_kernels.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.insert(function, Arc::new(kernel));
    }

    /// What a compiled function calls for each element, if it does nothing else.
    pub fn element_kernel(&self, function: Handle) -> Option<Arc<ElementKernel>> {
        let known = self.element_kernels.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.get(&function).cloned()
    }

    /// Whether a function made inside another is a generator expression.
    pub fn is_generator_expression(&self, function: Handle) -> bool {
        &*self.function_name(function) == "<genexpr>"
    }

    /// The tuple type of these elements.
    pub fn tuple(&self, elements: &[Type]) -> Type {
        self.intern(TypeData::Tuple(elements.into()))
    }

    /// The literal type of an integer.
    pub fn literal_int(&self, value: i64) -> Type {
        self.intern(TypeData::Literal(LiteralValue::Int(value)))
    }

    /// The literal type of a boolean.
    pub fn literal_bool(&self, value: bool) -> Type {
        self.intern(TypeData::Literal(LiteralValue::Bool(value)))
    }

    /// The literal type of a string.
    pub fn literal_str(&self, value: &str) -> Type {
        self.intern(TypeData::Literal(LiteralValue::Str(value.into())))
    }

    /// `inner` or None; `Optional(Optional(x))` is `Optional(x)` and `Optional(None)` is `None`.
    pub fn optional(&self, inner: Type) -> Type {
        match self.get(inner) {
            TypeData::None | TypeData::Optional(_) => inner,
            _ => self.intern(TypeData::Optional(self.unliteral(inner))),
        }
    }

    /// The type without None; other types are unchanged.
    pub fn without_none(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Optional(inner) => inner,
            _ => ty,
        }
    }

    /// The type of a parameter within its function: for an omitted argument, that of the default.
    pub fn within_function(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Omitted(inner) => inner,
            _ => ty,
        }
    }

    /// The type without its literal value; other types are unchanged.
    pub fn unliteral(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Literal(LiteralValue::Int(_)) => Type::INT64,
            TypeData::Literal(LiteralValue::Bool(_)) => Type::BOOL,
            TypeData::Literal(LiteralValue::Str(_)) => Type::STR,
            TypeData::Tuple(elements) => {
                let plain: Vec<Type> = elements.iter().map(|&e| self.unliteral(e)).collect();
                if plain[..] == elements[..] { ty } else { self.tuple(&plain) }
            }
            TypeData::NamedTuple { name, fields, types, class } => {
                let plain: Vec<Type> = types.iter().map(|&e| self.unliteral(e)).collect();
                self.intern(TypeData::NamedTuple { name, fields, types: plain.into(), class })
            }
            TypeData::StaticDict { names, types } => {
                let plain = types.iter().map(|&e| self.unliteral(e)).collect();
                self.intern(TypeData::StaticDict { names, types: plain })
            }
            TypeData::FixedList(tuple) => self.intern(TypeData::FixedList(self.unliteral(tuple))),
            TypeData::Omitted(inner) => self.unliteral(inner),
            _ => ty,
        }
    }

    /// The type with `IntEnum` members replaced by their values, also in tuples and Optionals; other types are
    /// unchanged.
    pub fn without_enums(&self, ty: Type) -> Type {
        match self.get(ty) {
            TypeData::Enum { value, kind: EnumKind::Integer, .. } => value,
            TypeData::Optional(inner) => self.optional(self.without_enums(inner)),
            TypeData::Tuple(elements) => {
                let plain: Vec<Type> = elements.iter().map(|&e| self.without_enums(e)).collect();
                if plain[..] == elements[..] { ty } else { self.tuple(&plain) }
            }
            _ => ty,
        }
    }

    /// The value of a literal type.
    pub fn literal(&self, ty: Type) -> Option<LiteralValue> {
        match self.get(ty) {
            TypeData::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The tuple that holds the items of a starred target's list.
    pub fn starred(&self, ty: Type) -> Option<Type> {
        match self.get(ty) {
            TypeData::FixedList(tuple) => Some(tuple),
            _ => None,
        }
    }

    /// Names and types of a dict whose keys are known at compile time.
    pub fn keywords(&self, ty: Type) -> Option<(FieldNames, Arc<[Type]>)> {
        match self.get(ty) {
            TypeData::StaticDict { names, types } => Some((names, types)),
            _ => None,
        }
    }

    /// Types of the items of a type with a fixed length: a tuple, or a starred target's list.
    pub fn items(&self, ty: Type) -> Option<Arc<[Type]>> {
        self.elements(self.starred(ty).unwrap_or(ty))
    }

    /// The functions that a value may be: the members of a choice, or the function itself.
    pub fn functions(&self, ty: Type) -> Option<Arc<[Type]>> {
        match self.get(ty) {
            TypeData::Choice(members) => Some(members),
            TypeData::Dispatcher(_) | TypeData::Closure { .. } => Some([ty].into()),
            _ => None,
        }
    }

    /// The type of an exception as a value, which may be one of these instances.
    pub fn caught(&self, known: &[Type]) -> Type {
        let mut known = known.to_vec();
        known.sort();
        known.dedup();
        // So many say nothing any more.
        known.truncate(if known.len() > MAX_INSTANCES { 0 } else { known.len() });
        self.intern(TypeData::Caught(known.into()))
    }

    /// Types of the values of a tuple or a dict with known keys, in order.
    pub fn components(&self, ty: Type) -> Option<Arc<[Type]>> {
        self.elements(ty).or_else(|| self.keywords(ty).map(|(_, types)| types))
    }

    /// The type of functions with these parameters and this result.
    pub fn function_value(&self, params: &[Type], result: Type) -> Type {
        let params: Vec<Type> = params.iter().map(|&param| self.unliteral(param)).collect();
        let result = self.unliteral(result);
        self.intern(TypeData::FunctionValue { params: params.into(), result })
    }

    /// Whether any type of function values is interned.
    pub fn has_function_values(&self) -> bool {
        self.function_values.load(Ordering::Relaxed)
    }

    /// Whether any type of lists, dicts or sets is interned.
    pub fn has_containers(&self) -> bool {
        self.containers.load(Ordering::Relaxed)
    }

    /// Whether any tagged union is interned.
    pub fn has_tagged_unions(&self) -> bool {
        self.tagged_unions.load(Ordering::Relaxed)
    }

    /// Whether this is the type of function values.
    pub fn is_function_value(&self, ty: Type) -> bool {
        self.has_function_values() && matches!(self.get(ty), TypeData::FunctionValue { .. })
    }

    /// Element types of a tuple or named tuple.
    pub fn elements(&self, ty: Type) -> Option<Arc<[Type]>> {
        match self.get(ty) {
            TypeData::Tuple(types) | TypeData::NamedTuple { types, .. } => Some(types),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_ids_agree_with_the_table() {
        let table = TypeTable::default();
        assert_eq!(table.get(Type::int(32, true)), TypeData::Int { bits: 32, signed: true });
        assert_eq!(Type::int(64, false), Type::UINT64);
        assert_eq!(table.intern(TypeData::Complex { bits: 128 }), Type::COMPLEX128);
        assert_eq!(table.intern(TypeData::Ellipsis), Type::ELLIPSIS);
    }

    #[test]
    fn a_dict_of_known_keys_is_a_container() {
        let table = TypeTable::default();
        assert!(!table.has_containers());
        table.intern(TypeData::StaticDict { names: [].into(), types: [].into() });
        assert!(table.has_containers());
    }

    #[test]
    fn optional_is_flat_and_holds_no_literal() {
        let table = TypeTable::default();
        let three = table.literal_int(3);
        let optional = table.optional(three);
        assert_eq!(table.get(optional), TypeData::Optional(Type::INT64));
        assert_eq!(table.optional(optional), optional);
        assert_eq!(table.optional(Type::NONE), Type::NONE);
    }
}
