//! Boxing and unboxing by class of Python object.
//!
//! Absent: plans for whole arguments and results (`plan`).

pub mod buffers;
pub mod closure_object;
pub mod dtypes;
pub mod extension_types;
pub mod generator;
pub mod int_object;
pub mod kwargs;
pub mod mem_info;
pub mod ndarray;
pub mod numpy_scalar;
pub mod object_protocol;
pub mod objects;
pub mod rng;
pub mod slices;
pub mod str_object;
pub mod typed_container;
pub mod ufuncs;
