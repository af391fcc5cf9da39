//! `np.dtype(x)` and the attributes of dtypes, which the compiler represents by the classes of the elements.

use crate::creation::dtype_of;
use catalog::{Catalog, EmitFn, Key, Operand, Resolution, Rule};
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog
        .add_generic("numpy.dtype", |types, args| {
            let [of] = *args else { return None };
            nothing(types.intern(TypeData::Class(dtype_of(types, of)?)), args)
        })
        .reads();
    catalog
        .add_generic("numpy.issubdtype", |types, args| {
            let [of, above] = *args else { return None };
            let answer = is_subdtype(types, dtype_of(types, of)?, above)?;
            Some(known_truth(types, args, answer))
        })
        .reads();
    catalog.add(Key::Getitem, Rule::Generic(resolve_array_class));
    type Resolve = fn(&TypeTable, &[Type]) -> Option<Resolution>;
    let attributes: [(&str, Resolve); 8] = [
        ("type", |types, args| class(types, args).and_then(|_| nothing(args[0], args))),
        ("kind", |types, args| text(types, args, |types, dtype| Some(any_kind(types, dtype)?.to_string()))),
        ("char", |types, args| text(types, args, letter)),
        ("name", |types, args| text(types, args, |types, dtype| Some(types.name(dtype)))),
        ("str", |types, args| {
            text(types, args, |types, dtype| {
                let size = types.item_size(dtype)?;
                Some(format!("{}{}{size}", if size == 1 { '|' } else { '<' }, kind(types, dtype)?))
            })
        }),
        ("itemsize", |types, args| number(types, args, |types, dtype| types.item_size(dtype))),
        ("alignment", |types, args| number(types, args, |types, dtype| Some(types.item_alignment(dtype)))),
        ("isnative", |types, args| {
            class(types, args)?;
            literal(types.literal_bool(true), args)
        }),
    ];
    for (name, resolve) in attributes {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(resolve));
    }
}

/// `float64[:, ::1]`: the class of arrays with these items. Which dimension is marked by `::1` says how they lie.
fn resolve_array_class(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, index] = *args else { return None };
    let TypeData::Class(dtype) = types.get(of) else { return None };
    types.item_size(dtype)?;
    let is_contiguous = |slice: Type| match types.get(slice) {
        TypeData::LiteralSlice { start: None, stop: None, step } => match step {
            None => Some(false),
            Some(1) => Some(true),
            Some(_) => None,
        },
        _ => None,
    };
    let slices = types.elements(index).map_or_else(|| vec![index], |parts| parts.to_vec());
    let marked = slices.into_iter().map(is_contiguous).collect::<Option<Vec<bool>>>()?;
    let layout = match marked[..] {
        [] => return None,
        [.., true] if marked.len() == 1 || !marked[0] => Layout::C,
        [true, ..] => Layout::F,
        _ => Layout::Any,
    };
    if marked.len() > 2 && marked[1..marked.len() - 1].contains(&true) {
        return None;
    }
    let ndim = u8::try_from(marked.len()).ok()?;
    let array = ArrayType { dtype, ndim, layout, mutable: true, aligned: true };
    nothing(types.intern(TypeData::Class(types.intern(TypeData::Array(array)))), args)
}

/// An answer that the types of the arguments give.
pub(crate) fn known_truth(types: &TypeTable, args: &[Type], truth: bool) -> Resolution {
    let yes: EmitFn = |emit, _| Ok(Operand::single(Type::BOOL, emit.b.bool(true)));
    let no: EmitFn = |emit, _| Ok(Operand::single(Type::BOOL, emit.b.bool(false)));
    let emit = if truth { yes } else { no };
    Resolution { result: types.literal_bool(truth), params: args.to_vec(), emit }
}

/// The classes of NumPy's scalars that have no values of their own, each with the letters of the kinds below it.
const ABSTRACT_CLASSES: &[(&str, &str)] = &[
    ("numpy.generic", "biufcmMSUV"),
    ("numpy.number", "iufcm"),
    ("numpy.integer", "ium"),
    ("numpy.signedinteger", "im"),
    ("numpy.unsignedinteger", "u"),
    ("numpy.inexact", "fc"),
    ("numpy.floating", "f"),
    ("numpy.complexfloating", "c"),
    ("numpy.flexible", "SUV"),
    ("numpy.character", "SU"),
];

/// Whether the scalars of a dtype are of a class, which may stand above those of several.
fn is_subdtype(types: &TypeTable, dtype: Type, above: Type) -> Option<bool> {
    if let TypeData::Function(name) = types.get(above)
        && let Some((_, kinds)) = ABSTRACT_CLASSES.iter().find(|(class, _)| **class == *name)
    {
        return Some(kinds.contains(any_kind(types, dtype)?));
    }
    Some(dtype == dtype_of(types, above)?)
}

/// The type of the items that a dtype stands for.
fn class(types: &TypeTable, args: &[Type]) -> Option<Type> {
    match types.get(*args.first()?) {
        TypeData::Class(of) => types.item_size(of).map(|_| of),
        _ => None,
    }
}

/// A result that is all in its type.
fn nothing(result: Type, args: &[Type]) -> Option<Resolution> {
    Some(Resolution { result, params: args.to_vec(), emit: |_, args| Ok(Operand::new(args[0].ty, [])) })
}

/// A result that its type knows; lowering writes literals out.
fn literal(result: Type, args: &[Type]) -> Option<Resolution> {
    nothing(result, args)
}

fn text(types: &TypeTable, args: &[Type], of: fn(&TypeTable, Type) -> Option<String>) -> Option<Resolution> {
    literal(types.literal_str(&of(types, class(types, args)?)?), args)
}

fn number(types: &TypeTable, args: &[Type], of: fn(&TypeTable, Type) -> Option<i64>) -> Option<Resolution> {
    literal(types.literal_int(of(types, class(types, args)?)?), args)
}

/// The letter of the kind of any items.
fn any_kind(types: &TypeTable, dtype: Type) -> Option<char> {
    kind(types, dtype).or(match types.get(dtype) {
        TypeData::Datetime { span, .. } => Some(if span { 'm' } else { 'M' }),
        TypeData::CharSeq { wide, .. } => Some(if wide { 'U' } else { 'S' }),
        TypeData::Record(_) => Some('V'),
        _ => None,
    })
}

/// The letter of the kind of numbers and booleans.
fn kind(types: &TypeTable, dtype: Type) -> Option<char> {
    Some(match types.get(dtype) {
        TypeData::Bool => 'b',
        TypeData::Int { signed, .. } => {
            if signed {
                'i'
            } else {
                'u'
            }
        }
        TypeData::Float { .. } => 'f',
        TypeData::Complex { .. } => 'c',
        _ => return None,
    })
}

fn letter(types: &TypeTable, dtype: Type) -> Option<String> {
    let size = types.item_size(dtype)?;
    let letters = match kind(types, dtype)? {
        'b' => "?",
        'i' => "bhil",
        'u' => "BHIL",
        'f' => "?efd",
        _ => "???FD",
    };
    letters.chars().nth(size.trailing_zeros() as usize).map(|letter| letter.to_string())
}
