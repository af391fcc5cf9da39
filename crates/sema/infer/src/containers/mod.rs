//! Types of items that containers get as the function goes on.

pub(crate) mod container_growth;
pub(crate) mod iterated_items;
pub(crate) mod widen;
