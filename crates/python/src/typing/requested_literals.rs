//! The arguments whose values functions request at compile time.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use types::{Handle, Type};

/// By function and types of arguments: the parameters of which it wants to know the value.
#[derive(Default)]
pub(crate) struct RequestedLiterals(Mutex<HashMap<Key, BTreeSet<usize>>>);

/// A function and types of arguments.
type Key = (Handle, Vec<Type>);

impl RequestedLiterals {
    pub(crate) fn of(&self, key: &Key) -> BTreeSet<usize> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).cloned().unwrap_or_default()
    }

    pub(crate) fn note(&self, key: Key, wanted: BTreeSet<usize>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, wanted);
    }
}
