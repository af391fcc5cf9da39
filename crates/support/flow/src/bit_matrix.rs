//! Dense bit sets, one row per key.

use entity::EntityRef;
use std::marker::PhantomData;

/// A set of `V` for every `R`, all of one size.
#[derive(Clone, Debug)]
pub struct BitMatrix<R, V> {
    words: Vec<u64>,
    row_words: usize,
    keys: PhantomData<(R, V)>,
}

impl<R: EntityRef, V: EntityRef> BitMatrix<R, V> {
    /// Empty sets for the keys below `rows` over the values below `columns`.
    pub fn new(rows: usize, columns: usize) -> Self {
        let row_words = columns.div_ceil(64);
        BitMatrix { words: vec![0; rows * row_words], row_words, keys: PhantomData }
    }

    /// Whether the set of `row` holds `value`.
    pub fn contains(&self, row: R, value: V) -> bool {
        self.row(row)[value.index() / 64] >> (value.index() % 64) & 1 == 1
    }

    /// Adds `value` to the set of `row`.
    pub fn insert(&mut self, row: R, value: V) {
        self.row_mut(row)[value.index() / 64] |= 1 << (value.index() % 64);
    }

    /// The set of `row` in ascending order.
    pub fn iter(&self, row: R) -> impl Iterator<Item = V> + '_ {
        self.row(row).iter().enumerate().flat_map(|(i, &word)| {
            let rest = std::iter::successors(Some(word), |&word| Some(word & word.wrapping_sub(1)));
            let bits = rest.take_while(|&word| word != 0);
            bits.map(move |word| V::new(i * 64 + word.trailing_zeros() as usize))
        })
    }

    /// How many values the set of `row` holds.
    pub fn count(&self, row: R) -> usize {
        self.row(row).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The words of a row, 64 values each.
    pub(crate) fn row(&self, row: R) -> &[u64] {
        &self.words[row.index() * self.row_words..][..self.row_words]
    }

    pub(crate) fn row_mut(&mut self, row: R) -> &mut [u64] {
        &mut self.words[row.index() * self.row_words..][..self.row_words]
    }
}
