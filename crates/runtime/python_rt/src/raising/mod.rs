//! Exceptions: statuses as Python exceptions, and operations on caught exceptions.

pub mod exception_chain;
pub mod exception_record;
pub mod exceptions;
pub mod raise;
pub mod site_objects;
