//! LLVM passes that are set up once per thread and run over many modules (`shim.cpp`).

use crate::error::{broken, refused, take_message};
use crate::target::Machine;
use diag::Result;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{self, NonNull};

unsafe extern "C" {
    fn rumba_generator_new(
        machine: LLVMTargetMachineRef,
        reduces: bool,
        polls: bool,
        assembly: bool,
    ) -> *mut c_void;
    fn rumba_generator_run(this: *mut c_void, module: LLVMModuleRef, bytes: *mut *const u8, size: *mut usize);
    fn rumba_generator_free(this: *mut c_void);
    fn rumba_optimizer_new(
        machine: LLVMTargetMachineRef,
        text: *const c_char,
        message: *mut *mut c_char,
    ) -> *mut c_void;
    fn rumba_optimizer_run(this: *mut c_void, module: LLVMModuleRef, by_row: bool) -> bool;
    fn rumba_optimizer_free(this: *mut c_void);
}

/// A code generator for objects. Belongs to its machine, which drops it first.
pub(crate) struct Generator(NonNull<c_void>);

impl Generator {
    /// A generator for a machine, with or without the reduction of strength in loops, and with or without polls.
    pub(crate) fn new(machine: LLVMTargetMachineRef, reduces: bool, polls: bool) -> Result<Generator> {
        // SAFETY: the machine is alive.
        let raw = unsafe { rumba_generator_new(machine, reduces, polls, false) };
        NonNull::new(raw).map(Generator).ok_or_else(|| broken("the machine generates no objects"))
    }

    /// A generator of assembly for modules with polls.
    pub(crate) fn of_assembly(machine: LLVMTargetMachineRef, reduces: bool) -> Result<Generator> {
        // SAFETY: the machine is alive.
        let raw = unsafe { rumba_generator_new(machine, reduces, true, true) };
        NonNull::new(raw).map(Generator).ok_or_else(|| broken("the machine generates no assembly"))
    }

    /// The object of a module, which is changed on the way.
    pub(crate) fn run(&self, module: LLVMModuleRef) -> Vec<u8> {
        let (mut bytes, mut size) = (ptr::null(), 0);
        // SAFETY: generator and module are alive; the bytes are copied before the next run.
        unsafe {
            rumba_generator_run(self.0.as_ptr(), module, &mut bytes, &mut size);
            std::slice::from_raw_parts(bytes, size).to_vec()
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: made by `new`, dropped once.
        unsafe { rumba_generator_free(self.0.as_ptr()) }
    }
}

/// A pipeline of passes. Belongs to its machine, which drops it first.
pub(crate) struct Optimizer(NonNull<c_void>);

impl Optimizer {
    /// The pipeline of a text.
    pub(crate) fn new(machine: &Machine, text: &CStr) -> Result<Optimizer> {
        let mut message = ptr::null_mut();
        // SAFETY: the machine is alive, the text ends in NUL.
        let raw = unsafe { rumba_optimizer_new(machine.raw, text.as_ptr(), &mut message) };
        match NonNull::new(raw) {
            Some(raw) => Ok(Optimizer(raw)),
            None => Err(refused("no such passes", take_message(message))),
        }
    }

    /// Runs the passes over a module. Whether it holds a loop, not of vectors, that is begun often, as within two others.
    /// With `by_row`, inner loops ask by themselves whether memory overlaps.
    pub(crate) fn run(&self, module: LLVMModuleRef, by_row: bool) -> bool {
        // SAFETY: passes and module are alive.
        unsafe { rumba_optimizer_run(self.0.as_ptr(), module, by_row) }
    }
}

impl Drop for Optimizer {
    fn drop(&mut self) {
        // SAFETY: made by `new`, dropped once.
        unsafe { rumba_optimizer_free(self.0.as_ptr()) }
    }
}
