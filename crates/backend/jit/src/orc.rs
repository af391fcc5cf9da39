//! A safe wrapper around LLVM's ORC session.
//!
//! A [`Space`] is a `JITDylib`: one name space with the code linked into it.

use diag::{Diagnostic, Result, codes};
use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr;

/// LLVM's linker refused something.
pub(crate) fn refused(what: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::new(codes::CODE_GENERATION, format!("cannot link: {what}"))
}

fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: a non-null error is ours; reading its message consumes it.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(refused(text))
    }
}

fn c_string(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| refused(format!("the symbol {name:?} has a NUL in it")))
}

/// An ORC session with an in-process linker.
pub(crate) struct Orc {
    lljit: LLVMOrcLLJITRef,
    session: LLVMOrcExecutionSessionRef,
}

/// One name space of a session.
#[derive(Clone, Copy)]
pub(crate) struct Space(LLVMOrcJITDylibRef);

// SAFETY: an ORC session and its JITDylibs are made for use from several threads; every step takes
// the session's own lock.
unsafe impl Send for Orc {}
// SAFETY: as above.
unsafe impl Sync for Orc {}
// SAFETY: as above.
unsafe impl Send for Space {}
// SAFETY: as above.
unsafe impl Sync for Space {}

impl Orc {
    /// Starts a session.
    pub(crate) fn start() -> Result<Orc> {
        let machine = llvm::plain_machine()?;
        let mut lljit = ptr::null_mut();
        // SAFETY: the builder takes over the machine, the session the builder.
        unsafe {
            // Only objects come here. Told so by a machine for any x86-64, ORC does not look at the
            // processor by itself, which takes three times as long as all the rest.
            let builder = LLVMOrcCreateLLJITBuilder();
            let template = LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine);
            LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, template);
            check(LLVMOrcCreateLLJIT(&mut lljit, builder))?;
            let session = LLVMOrcLLJITGetExecutionSession(lljit);
            // Errors reach us through lookups; ORC would also print them.
            LLVMOrcExecutionSessionSetErrorReporter(session, discard, ptr::null_mut());
            Ok(Orc { lljit, session })
        }
    }

    /// A new, empty name space that sees no other.
    pub(crate) fn create_space(&self, name: &str) -> Result<Space> {
        let name = c_string(name)?;
        // SAFETY: the session is alive; names are unique by the caller's count.
        Ok(Space(unsafe { LLVMOrcExecutionSessionCreateBareJITDylib(self.session, name.as_ptr()) }))
    }

    /// Says where names lie that an object in this space wants.
    pub(crate) fn define(&self, space: Space, symbols: &[(&str, usize)]) -> Result<()> {
        if symbols.is_empty() {
            return Ok(());
        }
        let names = symbols.iter().map(|(name, _)| c_string(name)).collect::<Result<Vec<_>>>()?;
        // SAFETY: the session is alive; the unit takes over the interned names.
        unsafe {
            let mut pairs: Vec<LLVMOrcCSymbolMapPair> = names
                .iter()
                .zip(symbols)
                .map(|(name, &(_, address))| LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcExecutionSessionIntern(self.session, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: address as u64,
                        Flags: LLVMJITSymbolFlags {
                            GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
                                | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
                            TargetFlags: 0,
                        },
                    },
                })
                .collect();
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            let error = LLVMOrcJITDylibDefine(space.0, unit);
            if !error.is_null() {
                LLVMOrcDisposeMaterializationUnit(unit);
            }
            check(error)
        }
    }

    /// Puts an object into a space. It is linked when it is looked up.
    pub(crate) fn add_object(&self, space: Space, object: &[u8]) -> Result<()> {
        // SAFETY: the buffer copies the bytes and is taken over.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"unit".as_ptr(),
            );
            check(LLVMOrcLLJITAddObjectFile(self.lljit, space.0, buffer))
        }
    }

    /// Links what follows these names and gives their addresses, in their order.
    pub(crate) fn look_up(&self, space: Space, names: &[String]) -> Result<Vec<usize>> {
        let texts = names.iter().map(|name| c_string(name)).collect::<Result<Vec<_>>>()?;
        let mut found = Found { names: Vec::new(), addresses: vec![0; names.len()], error: None };
        // SAFETY: the session is alive. The lookup runs on this thread and calls `receive` before it
        // returns, so `found` outlives it. The lookup takes over one reference to each name; the
        // other is released after it.
        unsafe {
            let mut set = Vec::with_capacity(names.len());
            for text in &texts {
                let name = LLVMOrcExecutionSessionIntern(self.session, text.as_ptr());
                LLVMOrcRetainSymbolStringPoolEntry(name);
                found.names.push(name);
                set.push(LLVMOrcCLookupSetElement {
                    Name: name,
                    LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
                });
            }
            let mut order = [LLVMOrcCJITDylibSearchOrderElement {
                JD: space.0,
                JDLookupFlags: LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchAllSymbols,
            }];
            LLVMOrcExecutionSessionLookup(
                self.session,
                LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
                order.as_mut_ptr(),
                order.len(),
                set.as_mut_ptr(),
                set.len(),
                receive,
                ptr::from_mut(&mut found).cast(),
            );
            for &name in &found.names {
                LLVMOrcReleaseSymbolStringPoolEntry(name);
            }
        }
        match found.error {
            Some(error) => Err(error),
            None if found.addresses.contains(&0) => Err(refused("the linker gave no address")),
            None => Ok(found.addresses),
        }
    }

    /// Frees everything in a space; it can be used again.
    pub(crate) fn clear(&self, space: Space) -> Result<()> {
        // SAFETY: the space belongs to this session; nobody runs its code any more.
        check(unsafe { LLVMOrcJITDylibClear(space.0) })
    }
}

impl Drop for Orc {
    fn drop(&mut self) {
        // SAFETY: units share ownership of the session, so none is left. An error could only be
        // one of freeing memory, and there is nobody to tell.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.lljit) });
    }
}

/// What a lookup is waiting for.
struct Found {
    names: Vec<LLVMOrcSymbolStringPoolEntryRef>,
    addresses: Vec<usize>,
    error: Option<Box<Diagnostic>>,
}

extern "C" fn receive(error: LLVMErrorRef, pairs: LLVMOrcCSymbolMapPairs, count: usize, found: *mut c_void) {
    // SAFETY: `found` is what `look_up` passed, alive until the lookup returns.
    let found = unsafe { &mut *found.cast::<Found>() };
    if let Err(error) = check(error) {
        found.error = Some(error);
        return;
    }
    for index in 0..count {
        // SAFETY: ORC gives `count` pairs.
        let pair = unsafe { &*pairs.add(index) };
        let slots = found.names.iter().zip(&mut found.addresses).filter(|(name, _)| **name == pair.Name);
        slots.for_each(|(_, address)| *address = pair.Sym.Address as usize);
    }
}

extern "C" fn discard(_: *mut c_void, error: LLVMErrorRef) {
    let _ = check(error);
}
