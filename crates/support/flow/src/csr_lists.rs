//! A list of values per key, all in one allocation.

use entity::EntityRef;
use std::marker::PhantomData;

/// Maps each key below a fixed count to a slice of values.
#[derive(Clone, Debug)]
pub struct Lists<K, V> {
    /// The values of key `i` are `values[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    values: Vec<V>,
    key: PhantomData<K>,
}

impl<K: EntityRef, V: Copy> Lists<K, V> {
    /// Groups `pairs` by key; the values of a key keep the order of the pairs.
    pub fn from_pairs(key_count: usize, pairs: &[(K, V)]) -> Self {
        let mut starts = vec![0u32; key_count + 1];
        for (key, _) in pairs {
            starts[key.index() + 1] += 1;
        }
        for i in 0..key_count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut values: Vec<V> = pairs.iter().map(|&(_, value)| value).collect();
        for &(key, value) in pairs {
            let slot = &mut next[key.index()];
            values[*slot as usize] = value;
            *slot += 1;
        }
        Lists { starts, values, key: PhantomData }
    }

    /// The values of `key`.
    pub fn get(&self, key: K) -> &[V] {
        let i = key.index();
        &self.values[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// How many keys there are.
    pub fn key_count(&self) -> usize {
        self.starts.len() - 1
    }
}
