//! Creates the plan that unboxes an argument of a type.

use super::dicts_sets::TableStep;
use super::lists::ListStep;
use super::object_arrays::ObjectArrayStep;
use super::scalars::scalar_row;
use super::unbox::MemberStep;
use super::value_types::is_derived_number;
use super::{BoxingCx, FunctionStep, MirrorStep, RecordStep, ScalarClass, Unbox};
use crate::values::buffers::BufferStep;
use crate::values::closure_object::ClosureObject;
use crate::values::extension_types::{ForeignStep, Way};
use crate::values::kwargs::Keywords;
use crate::values::ndarray::ArrayStep;
use crate::values::numpy_scalar::ItemStep;
use crate::values::objects;
use crate::values::typed_container;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;
use types::{BufferKind, SetKind, Type, TypeData, TypeTable, unify};

/// How a value of type `from` becomes the words of a parameter of type `to`. `value` is one of
/// those values: it tells NumPy's scalars from Python's numbers of the same type.
pub fn unboxing(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
    let types = &cx.registries().types;
    let to = types.unliteral(to);
    if to == Type::PYOBJECT {
        return Some(Unbox::Object);
    }
    if let Some((_, content)) = scalar_row(&value.get_type()) {
        let class = value.get_type().as_ptr() as usize;
        if from == to {
            return Some(Unbox::Scalar(ScalarClass { class, content }));
        }
        return converted(from, to).or_else(|| unbox_compound(cx, value, from, to, types));
    }
    if let TypeData::Enum { .. } = types.get(from)
        && !matches!(types.get(to), TypeData::Optional(_))
    {
        return unboxing_member(cx, value, from, to);
    }
    if is_derived_number(value) {
        return converted(from, to).or_else(|| unbox_compound(cx, value, from, to, types));
    }
    let step = match (from, to) {
        (Type::INT64, Type::INT64) => Unbox::Int64,
        (Type::UINT64, Type::UINT64) => Unbox::UInt64,
        (Type::FLOAT64, Type::FLOAT64) => Unbox::Float64,
        (Type::BOOL, Type::BOOL) => Unbox::Bool,
        (Type::COMPLEX128, Type::COMPLEX128) => Unbox::Complex128,
        (Type::NONE, Type::NONE) => Unbox::None,
        (Type::STR, Type::STR) => Unbox::Text,
        (Type::ELLIPSIS, Type::ELLIPSIS) => Unbox::Ellipsis,
        (Type::BOOL, Type::INT64) => Unbox::ToInt64,
        (Type::INT64 | Type::UINT64 | Type::BOOL, _) if to.is_int() => to_integer(to),
        (Type::INT64 | Type::UINT64 | Type::BOOL, Type::FLOAT64) => Unbox::ToFloat64,
        (Type::INT64 | Type::UINT64 | Type::BOOL | Type::FLOAT64, Type::FLOAT32) => Unbox::Float32,
        (Type::INT64 | Type::UINT64 | Type::BOOL | Type::FLOAT64, Type::FLOAT16) => Unbox::Float16,
        (_, Type::COMPLEX128) if from.is_number() || from == Type::BOOL => Unbox::ToComplex128,
        (_, Type::COMPLEX64) if from.is_number() || from == Type::BOOL => Unbox::ToComplex64,
        _ => {
            return converted(from, to).or_else(|| unbox_compound(cx, value, from, to, types));
        }
    };
    Some(step)
}

/// The step for a member whose value has type `value`, as itself or as a number.
fn unboxing_member(cx: &dyn BoxingCx, member: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
    let types = &cx.registries().types;
    let TypeData::Enum { value, .. } = types.get(from) else { return None };
    let held = match types.get(to) {
        TypeData::Enum { value, .. } if from == to => value,
        _ if types.without_enums(from) == value => to,
        _ => return None,
    };
    let content = member.getattr(intern!(member.py(), "_value_")).ok()?;
    let step = unboxing(cx, &content, value, held)?;
    Some(Unbox::Member(member.get_type().as_ptr() as usize, Box::new(step)))
}

/// The step for an integer of any type.
fn to_integer(to: Type) -> Unbox {
    if to.as_int().is_some_and(|(_, signed)| signed) { Unbox::ToInt64 } else { Unbox::ToUInt64 }
}

/// The step for a number of a type that is not the parameter's.
fn converted(from: Type, to: Type) -> Option<Unbox> {
    if !(from.is_number() || from == Type::BOOL) || from.is_complex() && !to.is_complex() {
        return None;
    }
    let step = match to {
        Type::BOOL => Unbox::Bool,
        Type::FLOAT16 => Unbox::Float16,
        Type::FLOAT32 => Unbox::Float32,
        Type::FLOAT64 => Unbox::ToFloat64,
        Type::COMPLEX64 => Unbox::ToComplex64,
        Type::COMPLEX128 => Unbox::ToComplex128,
        _ if to.is_int() => to_integer(to),
        _ => return None,
    };
    Some(Unbox::Converted(Box::new(step)))
}

fn unbox_compound(
    cx: &dyn BoxingCx,
    value: &Bound<'_, PyAny>,
    from: Type,
    to: Type,
    types: &TypeTable,
) -> Option<Unbox> {
    match types.get(to) {
        TypeData::Buffer(BufferKind::ObjectArray, _) => {
            types.items_of_object_array(from)?;
            Some(Unbox::ObjectArray(ObjectArrayStep::new(cx, value, to)?))
        }
        TypeData::Buffer(_, to) => {
            Some(Unbox::Buffer(BufferStep::new(types, value, types.buffer(from)?, to)?))
        }
        TypeData::Array(to) => Some(Unbox::Array(ArrayStep::new(cx, value, types.array(from)?, to)?)),
        TypeData::Record(_) | TypeData::Datetime { .. } | TypeData::CharSeq { .. } => {
            Some(Unbox::Item(ItemStep::new(cx, value, from, to)?))
        }
        TypeData::List { typed: true, .. } | TypeData::Set { kind: SetKind::Typed, .. } => {
            (from == to && typed_container::type_of(value).is_some()).then_some(Unbox::Native(to))
        }
        TypeData::GeneratorObject { .. } => (from == to).then_some(Unbox::Native(to)),
        TypeData::Caught(_) => {
            types::convert(types, from, to).map(|_| Unbox::Exception(RecordStep { cx: cx.shared_cx() }))
        }
        TypeData::Instance { object, .. } => (from == to).then(|| {
            let class = value.get_type();
            cx.registries().handle_of_class(&class);
            let address = class.as_ptr() as usize;
            // Where it is a copy already, it goes as it is.
            let plain = if objects::type_of(value).is_none() { cx.plain_class(object) } else { None };
            match plain {
                Some(kind) => Unbox::Mirror(MirrorStep { class: address, ty: to, kind: Arc::new(kind) }),
                None => Unbox::Instance(address, to),
            }
        }),
        TypeData::Union(members) => {
            let fits = types.classes(from)?.iter().all(|class| members.contains(class));
            let steps: Option<Vec<Unbox>> =
                members.iter().map(|&member| unboxing_of_class(cx, value.py(), member, types)).collect();
            fits.then_some(Unbox::Union(steps?.into()))
        }
        TypeData::TaggedUnion(members) => {
            let at = types.member_for(&members, from)?;
            let mut steps = vec![None; members.len()];
            steps[at] = Some(unboxing(cx, value, from, members[at])?);
            Some(MemberStep::union(cx, &members, steps))
        }
        TypeData::Dict { .. } if typed_container::type_of(value).is_some() => {
            (from == to).then_some(Unbox::Native(to))
        }
        TypeData::Dict { .. } | TypeData::Set { .. } => {
            let open = types.is_open(from) && unify(types, from, to) == Some(to);
            if from != to && !open {
                return None;
            }
            Some(Unbox::Table(Box::new(TableStep::new(cx, value, to)?)))
        }
        TypeData::List { typed: false, .. } | TypeData::Deque { .. } => {
            let open = types.is_open(from) && unify(types, from, to) == Some(to);
            if from != to && !open && !holds_integers_for(types, from, to) {
                return None;
            }
            Some(Unbox::List(ListStep::new(cx, value, to)?))
        }
        // A call with another value leads to another specialization.
        TypeData::LiteralSlice { .. } => Some(Unbox::Skip),
        TypeData::Slice { members } => {
            // One without a step may be passed where one with a step is expected.
            let TypeData::Slice { members: given } = types.get(from) else { return None };
            (given <= members).then_some(Unbox::Slice(given, members))
        }
        TypeData::Optional(inner) if from == Type::NONE => {
            // What a present value would look like is not known: any step of the right size does.
            let absent = || Unbox::Absent(cx.words(inner).count);
            Some(Unbox::Optional(Box::new(default_step(types, inner).unwrap_or_else(absent))))
        }
        TypeData::Optional(inner) => Some(Unbox::Optional(Box::new(unboxing(cx, value, from, inner)?))),
        TypeData::Foreign { .. } => (from == to).then(|| Unbox::Foreign(ForeignStep::new(cx, to, Way::In))),
        TypeData::Dispatcher(_) | TypeData::Opaque { .. } | TypeData::Class(_) | TypeData::Function(_)
            if from == to =>
        {
            Some(Unbox::Skip)
        }
        TypeData::HeapCell(_) => {
            (from == to).then(|| Unbox::Instance(value.get_type().as_ptr() as usize, to))
        }
        TypeData::Closure { captures, defaults, .. } => {
            let closure = value.cast::<ClosureObject>().ok().filter(|_| from == to)?;
            let parts = closure.get().parts(value.py()).iter().zip(captures.iter().chain(&*defaults));
            let steps: Option<Box<[Unbox]>> = parts.map(|(part, &ty)| unboxing(cx, &part, ty, ty)).collect();
            Some(Unbox::Closure(to, steps?))
        }
        TypeData::NumpyGenerator => {
            (from == to).then(|| Unbox::Generator(value.get_type().as_ptr() as usize))
        }
        TypeData::FunctionValue { .. } => {
            types::convert(types, from, to)?;
            Some(Unbox::Function(FunctionStep { cx: cx.shared_cx(), ty: to }))
        }
        TypeData::StaticDict { types: wanted, .. } => {
            let keywords = value.cast::<Keywords>().ok()?;
            let (_, given) = types.keywords(from)?;
            let values = keywords.get().values(value.py()).iter().zip(given.iter().zip(wanted.iter()));
            let steps: Option<Box<[Unbox]>> =
                values.map(|(item, (&a, &b))| unboxing(cx, &item, a, b)).collect();
            Some(Unbox::Keywords(steps?))
        }
        TypeData::Tuple(wanted) | TypeData::NamedTuple { types: wanted, .. } => {
            let tuple = value.cast::<PyTuple>().ok()?;
            let given = types.elements(from)?;
            let steps: Option<Vec<Unbox>> = tuple
                .iter()
                .zip(given.iter().zip(wanted.iter()))
                .map(|(item, (&a, &b))| unboxing(cx, &item, a, b))
                .collect();
            let steps = steps.filter(|steps| steps.len() == wanted.len())?.into();
            let exact = tuple.is_exact_instance_of::<PyTuple>();
            let class = value.get_type().as_ptr() as usize;
            Some(if exact { Unbox::Tuple(steps) } else { Unbox::NamedTuple(class, steps) })
        }
        _ => None,
    }
}

/// Whether these are lists of integers: where all items are in range, they are read as the other type and written back.
pub fn holds_integers_for(types: &TypeTable, from: Type, to: Type) -> bool {
    let (TypeData::List { item: given, typed: false, .. }, TypeData::List { item: wanted, typed: false, .. }) =
        (types.get(from), types.get(to))
    else {
        return false;
    };
    given.is_int() && wanted.is_int()
}

/// The step for objects of a class.
fn unboxing_of_class(cx: &dyn BoxingCx, py: Python<'_>, ty: Type, types: &TypeTable) -> Option<Unbox> {
    let TypeData::Instance { object, .. } = types.get(ty) else { return None };
    let Some(kind) = cx.plain_class(object) else {
        return Some(Unbox::Instance(cx.instance_class(object)?, ty));
    };
    let class = kind.bind(py).getattr("class_def").ok()?.as_ptr() as usize;
    Some(Unbox::Mirror(MirrorStep { class, ty, kind: Arc::new(kind) }))
}

/// The step for a Python number of this very type.
fn default_step(types: &TypeTable, ty: Type) -> Option<Unbox> {
    Some(match ty {
        Type::BOOL => Unbox::Bool,
        _ if ty.is_int() => to_integer(ty),
        Type::FLOAT16 => Unbox::Float16,
        Type::FLOAT32 => Unbox::Float32,
        Type::FLOAT64 => Unbox::Float64,
        Type::COMPLEX64 => Unbox::ToComplex64,
        Type::COMPLEX128 => Unbox::Complex128,
        Type::STR => Unbox::Text,
        _ if types.contents(ty).is_some() => Unbox::Int64,
        _ if let TypeData::Enum { value, .. } = types.get(ty) => default_step(types, value)?,
        _ => {
            let elements = types.elements(ty)?;
            let steps: Option<Vec<Unbox>> = elements.iter().map(|&e| default_step(types, e)).collect();
            Unbox::Tuple(steps?.into())
        }
    })
}
