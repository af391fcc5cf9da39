//! Conversions that libraries register, from or to their types.
//!
//! Absent: the compiler's own rules (`convert`).

use crate::{Conversion, Type, TypeTable};
use entity::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// How values of a type become values of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cast {
    /// How good the conversion is.
    pub grade: Conversion,
    /// The function that converts, by its symbol.
    pub symbol: Arc<str>,
    /// The function, as LLVM IR text.
    pub text: Arc<str>,
}

/// All of them.
#[derive(Default, Debug)]
pub(crate) struct Casts {
    known: RwLock<HashMap<(Type, Type), Cast>>,
    /// Whether there are any: most programs have none and need not look for them.
    any: AtomicBool,
}

impl TypeTable {
    /// Says how values of a type become values of another.
    pub fn add_cast(&self, from: Type, to: Type, cast: Cast) {
        let mut known = self.casts().known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert((from, to), cast);
        self.casts().any.store(true, Ordering::Relaxed);
    }

    /// How a library makes values of a type values of another.
    pub fn cast(&self, from: Type, to: Type) -> Option<Cast> {
        if !self.casts().any.load(Ordering::Relaxed) {
            return None;
        }
        let known = self.casts().known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&(from, to)).cloned()
    }

    /// The text of a function that converts, by its symbol.
    pub fn cast_text(&self, symbol: &str) -> Option<Arc<str>> {
        if !self.casts().any.load(Ordering::Relaxed) {
            return None;
        }
        let known = self.casts().known.read().unwrap_or_else(PoisonError::into_inner);
        known.values().find(|cast| *cast.symbol == *symbol).map(|cast| cast.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Handle, TypeData, convert};

    #[test]
    fn a_library_converts_its_type() {
        let types = TypeTable::default();
        let own =
            types.intern(TypeData::Foreign { name: "own".into(), object: Handle(0), held: Type::INT64 });
        assert_eq!(convert(&types, own, Type::FLOAT64), None);
        assert_eq!(types.cast_text("cast.0"), None);
        let cast = Cast { grade: Conversion::Safe, symbol: "cast.0".into(), text: "text".into() };
        types.add_cast(own, Type::FLOAT64, cast);
        assert_eq!(convert(&types, own, Type::FLOAT64), Some(Conversion::Safe));
        assert_eq!(convert(&types, Type::FLOAT64, own), None);
        assert_eq!(types.cast_text("cast.0").as_deref(), Some("text"));
        assert_eq!(types.name(own), "own");
    }
}
