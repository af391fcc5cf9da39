//! Types of Python values, and types as Python objects.
//!
//! Absent: how values become words (`python_rt::plan`).

pub(crate) mod boxing_cx;
pub(crate) mod compiled_classes;
pub(crate) mod enums;
pub(crate) mod literal_dispatch;
pub(crate) mod object_fields;
pub(crate) mod requested_literals;
pub(crate) mod type_objects;
pub(crate) mod type_to_python;
pub(crate) mod typeof_value;
pub(crate) mod user_typeof;
