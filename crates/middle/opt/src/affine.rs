//! Affine forms: exact sums of multiples of values, such as `2*n + n*m - 1`.

use entity::HashSet;
use ir::{Builder, Native, Op, Value};
use smallvec::SmallVec;

/// A value, or a product of two, the smaller number first.
pub(crate) type Atom = (Value, Option<Value>);

/// A sum of multiples of atoms and a number. It stands for the mathematical sum, which no machine word limits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Affine {
    terms: SmallVec<[(Atom, i64); 2]>,
    constant: i64,
}

/// Values up to this are added and subtracted without overflow in all sums that are built here.
const SMALL: i64 = 1 << 40;

/// Factors of products are smaller.
const FACTOR: i64 = 1 << 29;

/// Multiples and numbers of terms are kept below these.
const MAX_MULTIPLE: i64 = 1 << 16;
const MAX_TERMS: usize = 8;

impl Affine {
    pub(crate) fn number(constant: i64) -> Option<Affine> {
        (constant.abs() <= SMALL).then(|| Affine { terms: SmallVec::new(), constant })
    }

    pub(crate) fn value(value: Value) -> Affine {
        Affine { terms: [((value, None), 1)].into_iter().collect(), constant: 0 }
    }

    /// Its atoms with their multiples.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (Atom, i64)> + '_ {
        self.terms.iter().copied()
    }

    /// The number, if it is one.
    pub(crate) fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The value, if it is one less 1: at least 0 where the value is above 0.
    pub(crate) fn above_zero(&self) -> Option<Value> {
        match self.terms[..] {
            [((value, None), 1)] if self.constant == -1 => Some(value),
            _ => None,
        }
    }

    /// `self + other * factor`, if the result is small enough.
    pub(crate) fn plus(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(atom, count) in &other.terms {
            let more = count.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|term| term.0 == atom) {
                Some(term) => term.1 += more,
                None => sum.terms.push((atom, more)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        sum.terms.sort_unstable_by_key(|term| term.0);
        let most =
            |&(atom, count): &(Atom, i64)| count.abs() <= if atom.1.is_some() { 4 } else { MAX_MULTIPLE };
        let fits = sum.constant.abs() <= SMALL && sum.terms.len() <= MAX_TERMS && sum.terms.iter().all(most);
        fits.then_some(sum)
    }

    pub(crate) fn plus_number(&self, number: i64) -> Option<Affine> {
        self.plus(&Affine::number(number)?, 1)
    }

    /// The product, if no term has more than two factors.
    pub(crate) fn times(&self, other: &Affine) -> Option<Affine> {
        let mut product = Affine::number(self.constant.checked_mul(other.constant)?)?;
        for (one, another) in [(self, other), (other, self)] {
            let alone = Affine { terms: one.terms.clone(), constant: 0 };
            product = product.plus(&alone, another.constant)?;
        }
        for &((a, square_a), count_a) in &self.terms {
            for &((b, square_b), count_b) in &other.terms {
                if square_a.is_some() || square_b.is_some() {
                    return None;
                }
                let atom = (a.min(b), Some(a.max(b)));
                let term = Affine { terms: [(atom, count_a)].into_iter().collect(), constant: 0 };
                product = product.plus(&term, count_b)?;
            }
        }
        Some(product)
    }

    /// Whether a machine word holds it, whatever its values are: `lengths` are not negative.
    pub(crate) fn fits(&self, lengths: &HashSet<Value>) -> bool {
        let (mut low, mut high) = (i128::from(self.constant), i128::from(self.constant));
        for &((value, square), count) in &self.terms {
            if square.is_some() {
                return false;
            }
            let least = if lengths.contains(&value) { 0 } else { i128::from(i64::MIN) };
            let ends = [least * i128::from(count), i128::from(i64::MAX) * i128::from(count)];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX)
    }

    /// Whether it is at least 0 for certain, or for certain not.
    pub(crate) fn is_natural(&self, lengths: &HashSet<Value>) -> Option<bool> {
        let known = |value: Value| lengths.contains(&value);
        let all = self
            .terms
            .iter()
            .all(|&((value, square), count)| count > 0 && known(value) && square.is_none_or(known));
        if all && self.constant >= 0 { Some(true) } else { (self.known()? >= 0).into() }
    }

    /// The values in it, each with the size that they must stay below for the sum to be computed.
    pub(crate) fn limits(&self) -> impl Iterator<Item = (Value, i64)> {
        self.terms.iter().flat_map(|&((value, square), _)| {
            let limit = if square.is_some() { FACTOR } else { SMALL };
            [Some((value, limit)), square.map(|value| (value, limit))].into_iter().flatten()
        })
    }

    /// Computes it.
    pub(crate) fn emit(&self, builder: &mut Builder<'_>) -> Value {
        let mut sum = None;
        for &((value, square), count) in &self.terms {
            let mut term = value;
            if let Some(other) = square {
                term = builder.like_first(Op::Imul, &[term, other]);
            }
            if count != 1 {
                let count = builder.iconst(Native::I64, count);
                term = builder.like_first(Op::Imul, &[term, count]);
            }
            sum = Some(sum.map_or(term, |sum| builder.like_first(Op::Iadd, &[sum, term])));
        }
        match sum {
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => {
                let constant = builder.iconst(Native::I64, self.constant);
                builder.like_first(Op::Iadd, &[sum, constant])
            }
            None => builder.iconst(Native::I64, self.constant),
        }
    }
}
