//! Exceptions: what a status becomes in Python, and what compiled code does with those that it caught.

pub mod exception_record;
pub mod exceptions;
pub mod raise;
mod site_objects;
