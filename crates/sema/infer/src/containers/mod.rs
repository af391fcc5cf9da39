//! Element types that containers acquire during inference.

pub(crate) mod container_growth;
pub(crate) mod iterated_items;
pub(crate) mod type_request;
pub(crate) mod widen;
