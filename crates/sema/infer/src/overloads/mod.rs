//! Overload resolution: rules of the catalog, overloads of libraries, literal arguments.

pub(crate) mod by_catalog;
pub(crate) mod initial_values;
pub(crate) mod literally;
pub(crate) mod lookup;
pub(crate) mod narrow_floats;
pub(crate) mod numpy_promotion;
pub(crate) mod overload_candidates;
pub(crate) mod overload_resolution;
