//! Types of constants and globals.

use catalog::GlobalValue;
use entity::Interner;
use ir::{Const, ConstData};
use types::{Type, TypeData, TypeTable};

/// The type of a constant, if compiled code has one for it.
pub(crate) fn type_of_const(
    types: &TypeTable,
    consts: &Interner<Const, ConstData>,
    id: Const,
) -> Option<Type> {
    Some(match consts.get(id) {
        ConstData::None => Type::NONE,
        ConstData::Ellipsis => Type::ELLIPSIS,
        ConstData::Bool(value) => types.literal_bool(*value),
        ConstData::Int(value) => types.literal_int(*value),
        ConstData::BigInt(text) => text.parse::<u64>().ok().map(|_| Type::UINT64)?,
        ConstData::Float(_) => Type::FLOAT64,
        ConstData::Complex(..) => Type::COMPLEX128,
        ConstData::Str(text) => types.literal_str(text),
        ConstData::Tuple(items) => {
            let elements: Option<Vec<Type>> =
                items.iter().map(|&i| type_of_const(types, consts, i)).collect();
            types.tuple(&elements?)
        }
        ConstData::Function(_, ty) | ConstData::Array(_, ty, _) | ConstData::Words(ty, _) => *ty,
        // Only a function is made of it, whose type says which code it is.
        ConstData::Code(_, name) => types.intern(TypeData::Function(format!("code {name}").into())),
        ConstData::Bytes(bytes) if bytes.last() != Some(&0) => {
            types.intern(TypeData::CharSeq { count: u32::try_from(bytes.len()).ok()?, wide: false })
        }
        ConstData::Bytes(_) => types.bytes(),
        ConstData::FrozenSet(_) => return None,
    })
}

/// What a global is to compiled code.
pub(crate) enum Meaning {
    /// A constant of this type.
    Constant(Const, Type),
    /// Something that is all in its type: a function, a class, a module.
    Type(Type),
    /// Nothing, with the reason.
    Unusable(Obstacle),
}

/// Why compiled code cannot use a value.
#[derive(Clone, Debug)]
pub(crate) enum Obstacle {
    /// It is of a Python class that has no type here: the class as Python prints it.
    Foreign(String),
    /// The compiler does not have it yet: the sentence that says so.
    Missing(String),
    /// An integer beyond 64 bits.
    BigInt,
    /// A tuple that holds what is no constant.
    Member(Type),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::Foreign(kind) => write!(f, "Cannot determine Numba type of {kind}"),
            Obstacle::Missing(why) => f.write_str(why),
            Obstacle::BigInt => f.write_str("the integer does not fit 64 bits"),
            Obstacle::Member(_) => f.write_str("a tuple that holds what is no constant"),
        }
    }
}

/// Whether a type is that of a part of an index that is all in its type.
fn is_index(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::LiteralSlice { .. } | TypeData::Ellipsis)
}

/// What a global value is to compiled code; constants are interned in the function's table.
pub(crate) fn meaning(
    types: &TypeTable,
    consts: &mut Interner<Const, ConstData>,
    value: &GlobalValue,
) -> Meaning {
    let data = match value {
        GlobalValue::Function(name) => return Meaning::Type(types.intern(TypeData::Function(name.clone()))),
        GlobalValue::Opaque(ty) => return Meaning::Type(*ty),
        GlobalValue::Class(ty) => return Meaning::Type(types.intern(TypeData::Class(*ty))),
        GlobalValue::Module(name) => return Meaning::Type(types.intern(TypeData::Module(name.clone()))),
        GlobalValue::ExceptionClass(class) => {
            return Meaning::Type(types.intern(TypeData::ExceptionClass(*class)));
        }
        GlobalValue::NamedTupleClass(name, fields, class) => {
            let (name, fields) = (name.clone(), fields.clone());
            return Meaning::Type(types.intern(TypeData::NamedTupleClass { name, fields, class: *class }));
        }
        GlobalValue::Dispatcher(handle) => return Meaning::Type(types.intern(TypeData::Dispatcher(*handle))),
        GlobalValue::FunctionValue(number, ty) => {
            return Meaning::Constant(consts.intern(ConstData::Function(*number, *ty)), *ty);
        }
        GlobalValue::Array(number, ty, lengths) => {
            let data = ConstData::Array(*number, *ty, lengths.to_vec());
            return Meaning::Constant(consts.intern(data), *ty);
        }
        GlobalValue::Words(ty, words) => {
            return Meaning::Constant(consts.intern(ConstData::Words(*ty, words.clone())), *ty);
        }
        GlobalValue::Scalar(ty, inner) => {
            return match meaning(types, consts, inner) {
                Meaning::Constant(id, _) => Meaning::Constant(id, *ty),
                other => other,
            };
        }
        GlobalValue::NamedTuple(name, fields, class, items) => {
            return match meaning(types, consts, &GlobalValue::Tuple(items.clone())) {
                Meaning::Constant(id, tuple) => {
                    let (name, fields, class) = (name.clone(), fields.clone(), *class);
                    let items = types.elements(tuple).unwrap_or_default();
                    let data = TypeData::NamedTuple { name, fields, types: items, class };
                    Meaning::Constant(id, types.intern(data))
                }
                other => other,
            };
        }
        GlobalValue::List(items) => {
            return match meaning(types, consts, &GlobalValue::Tuple(items.clone())) {
                Meaning::Constant(id, tuple) => {
                    Meaning::Constant(id, types.intern(TypeData::FixedList(tuple)))
                }
                other => other,
            };
        }
        GlobalValue::Foreign(kind) => return Meaning::Unusable(Obstacle::Foreign(kind.clone())),
        GlobalValue::Missing(why) => return Meaning::Unusable(Obstacle::Missing(why.clone())),
        GlobalValue::BigInt(_) => return Meaning::Unusable(Obstacle::BigInt),
        GlobalValue::None => ConstData::None,
        GlobalValue::Bool(value) => ConstData::Bool(*value),
        GlobalValue::Int(value) => ConstData::Int(*value),
        GlobalValue::UInt(value) => ConstData::BigInt(value.to_string()),
        GlobalValue::Float(value) => ConstData::Float(value.to_bits()),
        GlobalValue::Complex(re, im) => ConstData::Complex(re.to_bits(), im.to_bits()),
        GlobalValue::Str(text) => ConstData::Str(text.to_string()),
        GlobalValue::Bytes(bytes) => ConstData::Bytes(bytes.to_vec()),
        GlobalValue::Tuple(items) => {
            let (mut parts, mut elements) = (Vec::new(), Vec::new());
            for item in items {
                match meaning(types, consts, item) {
                    Meaning::Constant(id, ty) => {
                        parts.push(id);
                        elements.push(ty);
                    }
                    Meaning::Unusable(why) => return Meaning::Unusable(why),
                    // A function or slice is all in its type, whatever stands in its place.
                    Meaning::Type(ty)
                        if types.functions(ty).is_some()
                            || is_index(types, ty)
                            || matches!(types.get(ty), TypeData::ExceptionClass(_)) =>
                    {
                        parts.push(consts.intern(ConstData::None));
                        elements.push(ty);
                    }
                    Meaning::Type(ty) => return Meaning::Unusable(Obstacle::Member(ty)),
                }
            }
            return Meaning::Constant(consts.intern(ConstData::Tuple(parts)), types.tuple(&elements));
        }
    };
    let id = consts.intern(data);
    match type_of_const(types, consts, id) {
        Some(ty) => Meaning::Constant(id, ty),
        None => Meaning::Unusable(Obstacle::BigInt),
    }
}
