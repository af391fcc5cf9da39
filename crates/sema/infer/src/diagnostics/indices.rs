//! Invalid array indices, with NumPy's messages.

use super::name;
use crate::solver::Solver;
use catalog::Key;
use types::{Type, TypeData};

/// Why an index is none for an array, or an array is not to be iterated over; nothing if the reason is another.
pub(super) fn reason(solver: &Solver<'_>, key: &Key, args: &[Type]) -> Option<String> {
    let types = solver.cx.types;
    let items = types.buffer(*args.first()?)?;
    match key {
        Key::Getiter if items.ndim == 0 => Some("iteration over a 0-d array".into()),
        Key::Function(function) if &**function == "builtins.len" && items.ndim == 0 => {
            Some("len() of unsized object".into())
        }
        Key::Inplace(_) if !items.mutable => {
            Some(format!("Cannot modify readonly array of type: {}", name(solver, args[0])))
        }
        Key::Getitem | Key::Setitem => of_index(solver, items.ndim.into(), *args.get(1)?),
        _ => None,
    }
}

fn of_index(solver: &Solver<'_>, ndim: usize, index: Type) -> Option<String> {
    let types = solver.cx.types;
    let items = types.elements(index).unwrap_or_else(|| [index].into());
    if items.iter().filter(|&&item| item == Type::ELLIPSIS).count() > 1 {
        return Some("an index can only have a single ellipsis ('...')".into());
    }
    let mut used = 0;
    for &item in items.iter() {
        used += match types.get(types.unliteral(item)) {
            TypeData::Ellipsis | TypeData::None | TypeData::Bool => 0,
            TypeData::Int { .. } | TypeData::Slice { .. } | TypeData::LiteralSlice { .. } => 1,
            TypeData::Array(array) if array.dtype == Type::BOOL => usize::from(array.ndim),
            TypeData::Array(array) if array.dtype.is_int() => 1,
            TypeData::Array(_) => {
                return Some("arrays used as indices must be of integer (or boolean) type".into());
            }
            _ => {
                let kinds = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays";
                return Some(format!("{kinds} are valid indices"));
            }
        };
    }
    (used > ndim)
        .then(|| format!("too many indices for array: array is {ndim}-dimensional, but {used} were indexed"))
}

/// Why a call of `slice.indices` is none.
pub(super) fn of_slice(solver: &Solver<'_>, args: &[Type]) -> Option<String> {
    let types = solver.cx.types;
    let (&slice, rest) = args.split_first()?;
    if !matches!(types.get(slice), TypeData::Slice { .. } | TypeData::LiteralSlice { .. }) {
        return None;
    }
    Some(match rest {
        [length] => format!("'{}' object cannot be interpreted as an integer", name(solver, *length)),
        _ => format!("indices() takes exactly one argument ({} given)", rest.len()),
    })
}

/// What to do about an index that is none for an array; nothing if that is not known.
pub(super) fn hint_for(solver: &Solver<'_>, args: &[Type]) -> Option<&'static str> {
    let types = solver.cx.types;
    let index = *args.get(1)?;
    if types.elements(types.unliteral(*args.first()?)).is_some() && types.unliteral(index).is_int() {
        return Some(
            "A tuple of several types takes a constant index: write the index out, loop over the tuple itself, or give all items one type.",
        );
    }
    types.buffer(*args.first()?)?;
    let items = types.elements(index).unwrap_or_else(|| [index].into());
    let is_float = |item: &Type| types.unliteral(*item).is_float();
    Some(match items.iter().any(is_float) {
        true => "Convert the index to an integer: `int(i)`, or `i // 2` in place of `i / 2`.",
        false => "Give it one index for each dimension, or fewer.",
    })
}
