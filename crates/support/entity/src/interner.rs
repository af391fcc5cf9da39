//! Interning: equal values get one id, ids compare in one instruction.

use crate::{EntityRef, OrderedSet};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// Maps equal values to one id of type `K`, in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner<K, V: Hash + Eq> {
    values: OrderedSet<V>,
    key: PhantomData<K>,
}

impl<K, V: Hash + Eq> Hash for Interner<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.len().hash(state);
        self.values.iter().for_each(|value| value.hash(state));
    }
}

impl<K: EntityRef, V: Hash + Eq> Default for Interner<K, V> {
    fn default() -> Self {
        Interner { values: OrderedSet::default(), key: PhantomData }
    }
}

impl<K: EntityRef, V: Hash + Eq> Interner<K, V> {
    /// The id of `value`, new if no equal value was interned before.
    pub fn intern(&mut self, value: V) -> K {
        K::new(self.values.insert_full(value).0)
    }

    /// The id of `value` if it was interned before.
    pub fn find<Q>(&self, value: &Q) -> Option<K>
    where
        Q: Hash + indexmap::Equivalent<V> + ?Sized,
    {
        self.values.get_index_of(value).map(K::new)
    }

    /// The value that `id` stands for.
    pub fn get(&self, id: K) -> &V {
        &self.values[id.index()]
    }

    /// How many distinct values were interned.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values with their ids, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.values.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: EntityRef> Interner<K, String> {
    /// The id of `text`, without a copy where it was interned before.
    pub fn intern_str(&mut self, text: &str) -> K {
        match self.find::<str>(text) {
            Some(id) => id,
            None => self.intern(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::id!(
        /// A test's key.
        pub struct Word = "word"
    );

    #[test]
    fn equal_values_get_one_id() {
        let mut words: Interner<Word, String> = Interner::default();
        let a = words.intern_str("rumba");
        let b = words.intern_str("samba");
        assert_eq!(words.intern_str("rumba"), a);
        assert_ne!(a, b);
        assert_eq!(words.get(b), "samba");
        assert_eq!(words.len(), 2);
    }
}
