//! Lists that never change: what a starred target makes from a tuple, `a, *b = t`, displays that are only passed to calls, and global
//! lists. The type has the length; so such a list is represented like a tuple, and supports the operations that tuples and
//! lists have in common.
//!
//! Absent: mutation, and comparisons with lists that change (the library's `builtins/list.py`).

use crate::emit_helpers::unexpected;
use crate::tuples::item_at;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Returned, Rule};
use diag::Result;
use ir::{BinaryOp, CompareOp, UnaryOp};
use types::{Type, TypeData, TypeTable};

/// Functions of which the first argument may be a list.
const FUNCTIONS: [&str; 9] = [
    "builtins.len",
    "builtins.sum",
    "builtins.min",
    "builtins.max",
    "builtins.any",
    "builtins.all",
    "builtins.tuple",
    "builtins.reversed",
    "method.count",
];

pub(crate) fn add(catalog: &mut Catalog) {
    macro_rules! of_first {
        ($($key:expr;)*) => {
            $(catalog.add($key, Rule::Nested(|catalog, types, args| first(catalog, types, args, &$key)));)*
        };
    }
    of_first! {
        Key::Getiter;
        Key::Unary(UnaryOp::Bool);
        Key::Unary(UnaryOp::Not);
        Key::Function(FUNCTIONS[0].into());
        Key::Function(FUNCTIONS[1].into());
        Key::Function(FUNCTIONS[2].into());
        Key::Function(FUNCTIONS[3].into());
        Key::Function(FUNCTIONS[4].into());
        Key::Function(FUNCTIONS[5].into());
        Key::Function(FUNCTIONS[6].into());
        Key::Function(FUNCTIONS[7].into());
        Key::Function(FUNCTIONS[8].into());
    }
    macro_rules! comparisons {
        ($($op:ident)*) => {
            $(catalog.add(Key::Compare(CompareOp::$op), Rule::Nested(|catalog, types, args| {
                let [a, b] = *args else { return None };
                let key = Key::Compare(CompareOp::$op);
                catalog.resolve(types, &key, &[types.starred(a)?, types.starred(b)?])
            }));)*
        };
    }
    comparisons! { Eq Ne Lt Le Gt Ge }
    catalog.add(
        Key::Compare(CompareOp::In),
        Rule::Nested(|catalog, types, args| {
            let [item, list] = *args else { return None };
            catalog.resolve(types, &Key::Compare(CompareOp::In), &[item, types.starred(list)?])
        }),
    );
    catalog.add(
        Key::Binary(BinaryOp::Add),
        Rule::Nested(|catalog, types, args| {
            let [a, b] = *args else { return None };
            let tuples = [types.starred(a)?, types.starred(b)?];
            as_list(types, catalog.resolve(types, &Key::Binary(BinaryOp::Add), &tuples)?)
        }),
    );
    catalog.add(
        Key::Binary(BinaryOp::Mul),
        Rule::Nested(|catalog, types, args| {
            let [a, b] = *args else { return None };
            let tuples = match (types.starred(a), types.starred(b)) {
                (Some(tuple), None) => [tuple, b],
                (None, Some(tuple)) => [a, tuple],
                _ => return None,
            };
            as_list(types, catalog.resolve(types, &Key::Binary(BinaryOp::Mul), &tuples)?)
        }),
    );
    catalog.add(Key::Getitem, Rule::Nested(resolve_item));
}

/// What the key means where the first argument is a tuple of the list's items.
fn first(catalog: &Catalog, types: &TypeTable, args: &[Type], key: &Key) -> Option<Resolution> {
    let (&list, rest) = args.split_first()?;
    let tuple = types.starred(list)?;
    // `min(a, b)` would give one of its arguments: a list.
    let is_any = |returned: &Returned| matches!(returned, Returned::Any(_));
    let gives_argument = |name: &str| catalog.info(name).is_some_and(|info| info.returns.iter().any(is_any));
    if matches!(key, Key::Function(name) if gives_argument(name))
        && rest.iter().any(|&other| types.starred(other).is_some())
    {
        return None;
    }
    let args: Vec<Type> = std::iter::once(tuple).chain(rest.iter().copied()).collect();
    catalog.resolve(types, key, &args)
}

/// A tuple that is the list in Python.
fn as_list(types: &TypeTable, resolution: Resolution) -> Option<Resolution> {
    Some(Resolution { result: types.intern(TypeData::FixedList(resolution.result)), ..resolution })
}

fn resolve_item(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, index] = *args else { return None };
    let tuple = types.starred(list)?;
    let resolution = catalog.resolve(types, &Key::Getitem, &[tuple, index])?;
    if matches!(types.get(index), TypeData::LiteralSlice { .. }) {
        return as_list(types, resolution);
    }
    if types.literal(index).is_some() {
        return Some(resolution);
    }
    Some(Resolution { emit: item_of_list, ..resolution })
}

fn item_of_list(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let index = args.get(1).ok_or_else(|| unexpected("an item without an index"))?;
    item_at(emit, &args[0], index, "list index out of range")
}
