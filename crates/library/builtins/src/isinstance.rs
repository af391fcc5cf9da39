//! `isinstance`: decided by the type of the value, so a branch on it makes only one path reachable.

use crate::emit_helpers::{const_false, single};
use catalog::{Catalog, Emit, Operand, Resolution, exception_classes};
use diag::Result;
use types::{BufferKind, EnumKind, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.isinstance", resolve).reads();
    catalog.add_generic("builtins.issubclass", resolve_subclass).reads();
    catalog.state(&[("builtins.isinstance", "shows")]);
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [value, class] = *args else { return None };
    if matches!(types.get(value), TypeData::Caught(_)) {
        // Only the run time knows.
        exception_classes(types, class)?;
        return Some(Resolution { result: Type::BOOL, params: vec![value, class], emit: is_caught });
    }
    if let TypeData::Optional(inner) = types.get(value) {
        // Of what may be None only the run time knows; None is an instance of neither class here.
        return Some(match is_instance(types, inner, class)? {
            true => Resolution { result: Type::BOOL, params: vec![value, class], emit: is_there },
            false => Resolution {
                result: types.literal_bool(false),
                params: vec![value, class],
                emit: const_false,
            },
        });
    }
    let known = is_instance(types, types.unliteral(value), class)?;
    Some(Resolution { result: types.literal_bool(known), params: vec![value, class], emit: constant })
}

/// `issubclass` of the class of what was caught.
fn resolve_subclass(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [class, wanted] = *args else { return None };
    exception_classes(types, wanted)?;
    let params = vec![class, wanted];
    (types.get(class) == TypeData::CaughtClass).then(|| Resolution {
        result: Type::BOOL,
        params,
        emit: is_caught,
    })
}

/// Whether a value of this type is an instance of the class, or of one in a tuple of classes; nothing
/// for classes without a meaning here.
fn is_instance(types: &TypeTable, value: Type, class: Type) -> Option<bool> {
    let data = types.get(value);
    if matches!(data, TypeData::Optional(_) | TypeData::Undefined | TypeData::PyObject) {
        return None;
    }
    match types.get(class) {
        TypeData::Tuple(classes) => {
            // As in Python classes after the first that fits are not looked at.
            for &class in classes.iter() {
                if is_instance(types, value, class)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        // Members tell no more of their class than its number.
        TypeData::Object { .. } => None,
        TypeData::Class(ty) => Some(types.derives_from(value, ty)),
        TypeData::NamedTupleClass { class, .. } => {
            Some(matches!(data, TypeData::NamedTuple { class: own, .. } if own == class))
        }
        TypeData::Function(name) => match &*name {
            // A boolean is an int, as in Python; NumPy's narrow numbers are of other classes.
            "builtins.int" => {
                Some(matches!(data, TypeData::Bool | TypeData::Int { bits: 64, .. }) || is_int_enum(&data))
            }
            // What a member is besides is Python's to know.
            _ if matches!(data, TypeData::Enum { kind: EnumKind::Mixed, .. }) => None,
            "builtins.bool" => Some(value == Type::BOOL),
            "builtins.float" => Some(value == Type::FLOAT64),
            "builtins.complex" => Some(value == Type::COMPLEX128),
            "builtins.tuple" => Some(types.elements(value).is_some()),
            "builtins.str" => Some(matches!(data, TypeData::Str)),
            "builtins.range" => Some(matches!(data, TypeData::Range(_))),
            "builtins.slice" => Some(matches!(data, TypeData::Slice { .. })),
            "builtins.object" => Some(true),
            "numpy.datetime64" => Some(types.time(value).is_some_and(|(_, span)| !span)),
            "numpy.timedelta64" => Some(types.time(value).is_some_and(|(_, span)| span)),
            "builtins.list" => {
                Some(matches!(data, TypeData::FixedList(_) | TypeData::List { typed: false, .. }))
            }
            "rumba.typed.List" => Some(matches!(data, TypeData::List { typed: true, .. })),
            // Of dicts nobody can tell.
            "rumba.typed.Dict" if !matches!(data, TypeData::Dict { .. }) => Some(false),
            "builtins.dict" => Some(matches!(data, TypeData::StaticDict { .. } | TypeData::Dict { .. })),
            "builtins.set" => Some(matches!(data, TypeData::Set { typed: false, .. })),
            "builtins.bytes" => Some(matches!(data, TypeData::Buffer(BufferKind::Bytes, _))),
            // Of these there are no values yet.
            "builtins.frozenset" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn is_int_enum(data: &TypeData) -> bool {
    matches!(data, TypeData::Enum { kind: EnumKind::Integer, .. })
}

fn is_caught(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let classes = exception_classes(emit.types, args[1].ty).unwrap_or_default();
    let found = emit.is_caught(&args[0], &classes);
    single(Type::BOOL, found)
}

fn is_there(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    single(Type::BOOL, args[0].parts[0])
}

fn constant(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.types.unliteral(args[0].ty);
    let known = is_instance(emit.types, value, args[1].ty) == Some(true);
    let result = emit.types.literal_bool(known);
    let truth = emit.b.bool(known);
    single(result, truth)
}
