//! Tells debuggers of objects with debug information: GDB's interface for code that is compiled at run time, which LLDB reads too.
//!
//! The debugger stops where `__jit_debug_register_code` is called and reads the list below. Each of its objects is a copy
//! of ours in which sections say where they lie.

use crate::elf::Object;
use diag::Result;
use entity::HashMap;
use std::ptr;
use std::sync::{Mutex, PoisonError};

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// An object, in a list that the debugger reads.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    size: u64,
}

/// The head of the list.
#[repr(C)]
pub struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

/// The list, under the name that debuggers look for.
#[unsafe(no_mangle)]
pub static mut __jit_debug_descriptor: Descriptor =
    Descriptor { version: 1, action: 0, relevant: ptr::null_mut(), first: ptr::null_mut() };

/// Where debuggers stop to read the list.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __jit_debug_register_code() {
    std::hint::black_box(());
}

static LIST: Mutex<()> = Mutex::new(());

/// An object that debuggers know as long as this lives.
pub(crate) struct DebugObject {
    entry: Box<Entry>,
    _file: Vec<u8>,
}

// SAFETY: the entry is only touched while the list is locked.
unsafe impl Send for DebugObject {}
// SAFETY: as above.
unsafe impl Sync for DebugObject {}

impl DebugObject {
    /// Tells debuggers of an object whose symbols lie there.
    pub(crate) fn register(object: &[u8], addresses: &HashMap<String, usize>) -> Result<DebugObject> {
        let file = Object::read(object)?.placed(addresses)?;
        let (start, size) = (file.as_ptr(), file.len() as u64);
        let entry = Entry { next: ptr::null_mut(), previous: ptr::null_mut(), file: start, size };
        let mut made = DebugObject { entry: Box::new(entry), _file: file };
        made.tell(REGISTER);
        Ok(made)
    }

    fn tell(&mut self, action: u32) {
        let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        let entry: *mut Entry = &mut *self.entry;
        // SAFETY: the lock is held, and every entry of the list is alive.
        unsafe {
            let list = &raw mut __jit_debug_descriptor;
            if action == REGISTER {
                (*entry).next = (*list).first;
                if let Some(next) = (*entry).next.as_mut() {
                    next.previous = entry;
                }
                (*list).first = entry;
            } else {
                match (*entry).previous.as_mut() {
                    Some(previous) => previous.next = (*entry).next,
                    None => (*list).first = (*entry).next,
                }
                if let Some(next) = (*entry).next.as_mut() {
                    next.previous = (*entry).previous;
                }
            }
            (*list).action = action;
            (*list).relevant = entry;
            __jit_debug_register_code();
        }
    }
}

impl Drop for DebugObject {
    fn drop(&mut self) {
        self.tell(UNREGISTER);
    }
}
