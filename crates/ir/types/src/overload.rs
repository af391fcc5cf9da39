//! Signatures and overload selection.

use crate::{Conversion, Type, TypeTable, convert};

/// Result and parameter types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// Type of the result.
    pub result: Type,
    /// Types of the parameters.
    pub params: Vec<Type>,
}

impl Signature {
    /// A signature.
    pub fn new(result: Type, params: impl Into<Vec<Type>>) -> Self {
        Signature { result, params: params.into() }
    }
}

/// Why no signature was selected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// No signature accepts these arguments.
    NoMatch,
    /// These signatures match equally well (indices).
    Ambiguous(Vec<usize>),
}

/// The index of the best matching signature: fewest unsafe conversions, then fewest safe ones, then fewest promotions.
/// Unsafe conversions are allowed only if `allow_unsafe`. Among equally good ones the first is selected if
/// `first_wins`, otherwise they are ambiguous.
pub fn choose_overload<'a>(
    table: &TypeTable,
    cases: impl IntoIterator<Item = &'a [Type]>,
    args: &[Type],
    allow_unsafe: bool,
    first_wins: bool,
) -> Result<usize, Mismatch> {
    let mut best: Option<[usize; 3]> = None;
    let mut chosen = Vec::new();
    for (index, params) in cases.into_iter().enumerate() {
        let Some(rating) = rate(table, params, args) else { continue };
        if rating[0] > 0 && !allow_unsafe {
            continue;
        }
        match best {
            Some(found) if rating > found => {}
            Some(found) if rating == found => chosen.push(index),
            _ => {
                best = Some(rating);
                chosen = vec![index];
            }
        }
    }
    match chosen[..] {
        [] => Err(Mismatch::NoMatch),
        [first] => Ok(first),
        [first, ..] if first_wins => Ok(first),
        _ => Err(Mismatch::Ambiguous(chosen)),
    }
}

/// Counts of unsafe, safe and promoting conversions; `None` if an argument does not convert.
fn rate(table: &TypeTable, params: &[Type], args: &[Type]) -> Option<[usize; 3]> {
    if params.len() != args.len() {
        return None;
    }
    let mut rating = [0; 3];
    for (&param, &arg) in params.iter().zip(args) {
        match convert(table, arg, param)? {
            Conversion::Exact => {}
            Conversion::Promote => rating[2] += 1,
            Conversion::Safe => rating[1] += 1,
            Conversion::Unsafe => rating[0] += 1,
        }
    }
    Some(rating)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_integer_and_float_choose_double() {
        let t = TypeTable::default();
        let cases: [&[Type]; 4] = [
            &[Type::INT64, Type::INT64],
            &[Type::UINT64, Type::UINT64],
            &[Type::FLOAT32, Type::FLOAT32],
            &[Type::FLOAT64, Type::FLOAT64],
        ];
        let choose = |args: &[Type]| choose_overload(&t, cases, args, false, true);
        assert_eq!(choose(&[Type::INT64, Type::FLOAT64]), Ok(3));
        assert_eq!(choose(&[Type::INT64, Type::UINT64]), Ok(3));
        assert_eq!(choose(&[Type::INT32, Type::INT8]), Ok(0));
        assert_eq!(choose(&[Type::UINT8, Type::UINT8]), Ok(1));
        assert_eq!(choose(&[Type::INT16, Type::FLOAT32]), Ok(2));
        assert_eq!(choose(&[Type::STR, Type::INT64]), Err(Mismatch::NoMatch));
    }
}
