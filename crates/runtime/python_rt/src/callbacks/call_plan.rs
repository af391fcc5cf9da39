//! How compiled code calls a function that Python runs, by the function's type.
//!
//! Absent: how such a plan is made and run (`python_functions`).

use crate::plan::{Boxing, Unbox};
use entity::{EntityRef, HashMap};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use types::Type;

/// How a function of one type is called.
pub(crate) struct CallPlan {
    /// What it is called in messages.
    pub name: Arc<str>,
    /// Types of the arguments, and how they become objects.
    pub params: Box<[(Type, Boxing)]>,
    /// What the elements of the result are called; without, it is one value.
    pub outgoing: Arc<[String]>,
    /// The values that come back.
    pub results: Box<[Taken]>,
}

/// A value that comes back.
pub(crate) struct Taken {
    /// Its declared type.
    pub ty: Type,
    /// How many words it has.
    pub words: usize,
    /// Which of them are owners.
    pub owners: SmallVec<[usize; 1]>,
    /// How one was taken in that came first: mostly the others are like it.
    pub step: OnceLock<Unbox>,
}

/// How functions are called, by the number of their type.
#[derive(Default)]
pub(crate) struct CallPlans(Mutex<HashMap<Type, Arc<CallPlan>>>);

/// How many plans a thread keeps.
const NEAR: usize = 16;

/// A plan, the address of the table that it is of, and the type.
type Near = Option<(usize, Type, Arc<CallPlan>)>;

thread_local! {
    static PLANS: RefCell<[Near; NEAR]> = const { RefCell::new([const { None }; NEAR]) };
}

impl CallPlans {
    /// The plan for a type, made the first time.
    pub fn of<E>(&self, ty: Type, make: impl FnOnce() -> Result<CallPlan, E>) -> Result<Arc<CallPlan>, E> {
        let own = std::ptr::from_ref(self) as usize;
        let near = PLANS.with_borrow(|plans| match &plans[ty.index() % NEAR] {
            Some((of, known, plan)) if *of == own && *known == ty => Some(plan.clone()),
            _ => None,
        });
        if let Some(near) = near {
            return Ok(near);
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&ty).cloned();
        let plan = match known {
            Some(known) => known,
            None => {
                let made = Arc::new(make()?);
                self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(ty).or_insert(made).clone()
            }
        };
        PLANS.with_borrow_mut(|plans| plans[ty.index() % NEAR] = Some((own, ty, plan.clone())));
        Ok(plan)
    }
}
