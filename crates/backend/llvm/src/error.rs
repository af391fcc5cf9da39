//! Converts LLVM's errors to diagnostics.

use diag::{Diagnostic, Result, codes};
use inkwell::builder::BuilderError;
use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::LLVMGetDiagInfoSeverity;
use llvm_sys::core::{LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription};
use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};

/// LLVM refused something.
pub(crate) fn refused(what: &str, message: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::new(codes::CODE_GENERATION, format!("{what}: {message}"))
}

/// The Explicit text does not keep its own rules.
pub(crate) fn broken(what: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::internal("llvm", what)
}

/// What inkwell's builder gives.
pub(crate) trait Built<T> {
    /// The instruction, or our own bug: operands of types the builder does not take.
    fn built(self) -> Result<T>;
}

impl<T> Built<T> for std::result::Result<T, BuilderError> {
    fn built(self) -> Result<T> {
        self.map_err(broken)
    }
}

/// A name for LLVM.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| broken(format!("the name {text:?} has a NUL in it")))
}

/// Reads and frees a message that LLVM allocated; an absent one reads as nothing.
pub(crate) fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands over a NUL-terminated string that is ours to dispose of.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Collects what LLVM's passes and code generator report about one context.
///
/// Without it LLVM prints errors to stderr and ends the process.
#[derive(Default)]
pub(crate) struct Complaints {
    errors: RefCell<Vec<String>>,
    remarks: RefCell<Vec<String>>,
}

impl Complaints {
    /// Listens to a context; `self` must outlive its use.
    pub(crate) fn listen(&self, context: LLVMContextRef) {
        let listener = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
        // SAFETY: the handler only uses the address while the context compiles, on this thread.
        unsafe { LLVMContextSetDiagnosticHandler(context, Some(complain), listener) }
    }

    /// The errors reported since the last call, as one error.
    pub(crate) fn check(&self, what: &str) -> Result<()> {
        let messages = std::mem::take(&mut *self.errors.borrow_mut());
        if messages.is_empty() { Ok(()) } else { Err(refused(what, messages.join("; "))) }
    }

    /// What passes remarked so far, each with the place that it is about.
    pub(crate) fn remarks(&self) -> Vec<String> {
        std::mem::take(&mut *self.remarks.borrow_mut())
    }
}

extern "C" fn complain(info: LLVMDiagnosticInfoRef, listener: *mut c_void) {
    // SAFETY: `listener` is what `listen` registered, alive for the whole compilation.
    unsafe {
        let listener = &*listener.cast::<Complaints>();
        let messages = match LLVMGetDiagInfoSeverity(info) {
            LLVMDiagnosticSeverity::LLVMDSError => &listener.errors,
            LLVMDiagnosticSeverity::LLVMDSRemark => &listener.remarks,
            _ => return,
        };
        messages.borrow_mut().push(take_message(LLVMGetDiagInfoDescription(info)));
    }
}
