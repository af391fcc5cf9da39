//! The context that compiled code passes to the functions that it calls.

use super::call_plan::CallPlans;
use crate::plan::BoxingCx;
use std::ffi::c_void;
use std::sync::Weak;

/// The context of boxing at the address that compiled code knows as `rumba_context`.
pub struct RuntimeContext {
    cx: Weak<dyn BoxingCx>,
    /// How compiled code calls functions that Python runs.
    pub(super) call_plans: CallPlans,
}

impl RuntimeContext {
    /// Leads to what makes plans as long as that lives.
    pub fn new(cx: Weak<dyn BoxingCx>) -> RuntimeContext {
        RuntimeContext { cx, call_plans: CallPlans::default() }
    }

    /// The address for compiled code.
    pub fn address(&self) -> *const c_void {
        std::ptr::from_ref(self).cast()
    }

    /// The context of the code that passes this address.
    ///
    /// # Safety
    /// The address is that of a context that lives longer than the code.
    pub(crate) unsafe fn at<'a>(address: *const c_void) -> &'a RuntimeContext {
        // SAFETY: the caller's promise.
        unsafe { &*address.cast() }
    }

    /// What makes plans for the code that passes the address of this.
    ///
    /// # Safety
    /// What makes plans lives longer than the code.
    pub(crate) unsafe fn cx(&self) -> &dyn BoxingCx {
        // SAFETY: the caller's promise: the value that the weak reference refers to is alive.
        unsafe { &*self.cx.as_ptr() }
    }
}
