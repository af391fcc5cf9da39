//! Operations on numbers in half precision: they are those of single precision, and the result is rounded to half, as NumPy
//! does it. So no table of signatures has rows for float16.

use crate::{Key, Resolution};
use types::{Type, TypeTable, unify};

/// The types of arguments in single precision, if they are numbers and some are halves.
pub(crate) fn in_single(types: &TypeTable, key: &Key, args: &[Type]) -> Option<Vec<Type>> {
    let is_conversion = matches!(key, Key::Construct(_));
    if is_conversion || !args.contains(&Type::FLOAT16) || !args.iter().all(|&ty| is_number(types, ty)) {
        return None;
    }
    // The functions of `math` take any number for a double.
    let is_double = matches!(key, Key::Function(name) if name.starts_with("math."));
    let wide = if is_double { Type::FLOAT64 } else { Type::FLOAT32 };
    Some(args.iter().map(|&ty| if ty == Type::FLOAT16 { wide } else { ty }).collect())
}

/// The resolution for halves by that for singles; none if it does not give numbers.
pub(crate) fn rounded(types: &TypeTable, args: &[Type], found: Option<Resolution>) -> Option<Resolution> {
    let found = found.filter(|found| is_of_numbers(types, found.result))?;
    // Another operand in single precision makes the result one, unless halves hold it too.
    let stays_half = |(index, &param): (usize, &Type)| {
        let Some(&given) = args.get(index) else { return true };
        param != Type::FLOAT32 || unify(types, types.unliteral(given), Type::FLOAT16) == Some(Type::FLOAT16)
    };
    let all_half = found.params.iter().enumerate().all(stays_half);
    // What is converted on the way is rounded to half first.
    let taken = |(index, &param): (usize, &Type)| {
        let is_half = args.get(index) == Some(&Type::FLOAT16) && param == Type::FLOAT32;
        if is_half { Type::FLOAT16 } else { param }
    };
    let params: Vec<Type> = found.params.iter().enumerate().map(taken).collect();
    let is_half = all_half && params.contains(&Type::FLOAT16);
    let result =
        if is_half { exchange(types, found.result, Type::FLOAT32, Type::FLOAT16) } else { found.result };
    Some(Resolution { result, params, ..found })
}

pub(crate) fn is_number(types: &TypeTable, ty: Type) -> bool {
    let plain = types.unliteral(ty);
    plain.is_number() || plain == Type::BOOL
}

pub(crate) fn is_of_numbers(types: &TypeTable, ty: Type) -> bool {
    let each = |elements: &[Type]| elements.iter().all(|&element| is_number(types, element));
    is_number(types, ty) || types.elements(ty).is_some_and(|elements| each(&elements))
}

/// A type, or that of a tuple, with one number type for another.
pub(crate) fn exchange(types: &TypeTable, ty: Type, from: Type, to: Type) -> Type {
    if ty == from {
        return to;
    }
    match types.get(ty) {
        types::TypeData::Tuple(elements) if elements.contains(&from) => types
            .tuple(&elements.iter().map(|&element| exchange(types, element, from, to)).collect::<Vec<_>>()),
        _ => ty,
    }
}
