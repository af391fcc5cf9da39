//! How compiled code calls a function that Python runs, by the type of the function.
//!
//! Absent: how such a plan is made and run (`python_functions`).

use crate::plan::Boxing;
use entity::HashMap;
use std::sync::{Arc, Mutex};
use types::Type;

/// How a function of one type is called.
pub(crate) struct CallPlan {
    /// What it is called in messages.
    pub name: Arc<str>,
    /// Types of the arguments, and how they become objects.
    pub params: Box<[(Type, Boxing)]>,
    /// The declared type of the result.
    pub result: Type,
    /// What the elements of the result are.
    pub outgoing: Arc<[String]>,
    /// Their types.
    pub elements: Arc<[Type]>,
}

/// How functions are called, by the number of their type.
#[derive(Default)]
pub(crate) struct CallPlans(pub Mutex<HashMap<Type, Arc<CallPlan>>>);
