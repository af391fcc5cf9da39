//! The record that compiled code returns on failure: which exception, and where.

use crate::ExceptionClass;

/// Describes an exception that compiled code raised; constant data beside the code itself.
///
/// Texts are UTF-8 without terminator. A null `message` means an exception without arguments, a
/// null `function` that no traceback entry is wanted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RaiseSite {
    /// Discriminant of an [`ExceptionClass`].
    pub class: u32,
    /// Line in the Python source, from 1.
    pub line: u32,
    /// Column in bytes, from 0; `u32::MAX` if it is not known.
    pub column: u32,
    /// Bits of `RaiseSite::*` flags.
    pub flags: u32,
    /// Last line of what raised.
    pub end_line: u32,
    /// Column after what raised; `u32::MAX` if it is not known.
    pub end_column: u32,
    /// Lines from the first line of the function, or of its decorators, to `line`.
    pub line_offset: u32,
    /// The exception's only argument, or null.
    pub message: *const u8,
    /// Bytes of `message`.
    pub message_len: usize,
    /// Name of the Python function, or null.
    pub function: *const u8,
    /// Bytes of `function`.
    pub function_len: usize,
    /// Name of the source file.
    pub file: *const u8,
    /// Bytes of `file`.
    pub file_len: usize,
}

impl RaiseSite {
    /// The exception is set in Python's thread state already: class and message say nothing.
    pub const PENDING_IN_PYTHON: u32 = 1;

    /// `class` numbers a user-defined class, known to whoever compiled the code.
    pub const USER_CLASS: u32 = 2;

    /// `message` tells how the exception's arguments lie in the thread's payload: one letter per
    /// argument (`i` signed word, `u` unsigned word, `f` double, `g` a double that was a single, `b` boolean, `c` two
    /// doubles, `k` two that were singles, `n` None, `(`...`)` a tuple, `[`...`]` one text of the values as they print, `t` a string as its
    /// three words, `e` a caught exception, `E` its class, `K` makes a name and the value after it an argument by name, `y` bytes as
    /// owner, address and length, `o` a Python object that is held, `{`...`}` a boolean and what is there if it is true) or `s`, a
    /// length in bytes, `:` and a text. `!` alone: the exception is set in Python.
    pub const PAYLOAD: u32 = 4;

    /// The exception is one that was caught before: the thread keeps it. Nothing else of the record counts.
    pub const CAUGHT: u32 = 8;

    /// The class, unless the record is damaged.
    pub fn exception_class(&self) -> Option<ExceptionClass> {
        ExceptionClass::from_index(self.class)
    }

    /// The message; `None` for an exception without arguments.
    ///
    /// # Safety
    /// `message` is null or points to `message_len` readable bytes.
    pub unsafe fn message(&self) -> Option<String> {
        // SAFETY: the caller's promise.
        unsafe { text(self.message, self.message_len) }
    }

    /// The bytes of the message; none where there is no message.
    ///
    /// # Safety
    /// As for [`Self::message`].
    pub unsafe fn message_bytes(&self) -> &[u8] {
        if self.message.is_null() {
            return &[];
        }
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.message, self.message_len) }
    }

    /// Whether its arguments lie in the payload just so.
    ///
    /// # Safety
    /// As for [`Self::message`].
    pub unsafe fn has_payload_like(&self, layout: &str) -> bool {
        // SAFETY: the caller's promise.
        self.flags & RaiseSite::PAYLOAD != 0 && unsafe { self.message_bytes() } == layout.as_bytes()
    }

    /// The bytes of the names of the Python function and of its source file; none if no traceback entry is wanted.
    ///
    /// # Safety
    /// As for [`Self::function`] and [`Self::file`].
    pub unsafe fn source_names(&self) -> Option<(&[u8], &[u8])> {
        if self.function.is_null() || self.file.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let function = std::slice::from_raw_parts(self.function, self.function_len);
            Some((function, std::slice::from_raw_parts(self.file, self.file_len)))
        }
    }

    /// The name of the Python function.
    ///
    /// # Safety
    /// `function` is null or points to `function_len` readable bytes.
    pub unsafe fn function(&self) -> Option<String> {
        // SAFETY: the caller's promise.
        unsafe { text(self.function, self.function_len) }
    }

    /// The name of the source file.
    ///
    /// # Safety
    /// `file` is null or points to `file_len` readable bytes.
    pub unsafe fn file(&self) -> Option<String> {
        // SAFETY: the caller's promise.
        unsafe { text(self.file, self.file_len) }
    }
}

/// A number for a text that says how values lie in words (FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/).
pub fn layout_hash(layout: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    layout.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A site without a place in any code: compiled code fails with it, or it stands for an exception that is kept elsewhere.
#[derive(Debug)]
pub struct StaticSite(RaiseSite);

// SAFETY: nobody writes to it, and its addresses are null or those of constants.
unsafe impl Sync for StaticSite {}

impl StaticSite {
    /// An exception of the class without arguments, where the flags do not say that it is another one.
    pub const fn new(class: ExceptionClass, flags: u32) -> Self {
        StaticSite(RaiseSite {
            class: class as u32,
            line: 0,
            column: u32::MAX,
            flags,
            end_line: 0,
            end_column: u32::MAX,
            line_offset: 0,
            message: std::ptr::null(),
            message_len: 0,
            function: std::ptr::null(),
            function_len: 0,
            file: std::ptr::null(),
            file_len: 0,
        })
    }

    /// The same with a message.
    pub const fn with_message(class: ExceptionClass, message: &'static str) -> Self {
        let StaticSite(site) = StaticSite::new(class, 0);
        StaticSite(RaiseSite { message: message.as_ptr(), message_len: message.len(), ..site })
    }

    /// The status that stands for it.
    pub fn status(&'static self) -> *const RaiseSite {
        &raw const self.0
    }
}

unsafe fn text(start: *const u8, len: usize) -> Option<String> {
    if start.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees that this many bytes can be read.
    let bytes = unsafe { std::slice::from_raw_parts(start, len) };
    Some(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn the_layout_is_what_emitted_constants_have() {
        assert_eq!(offset_of!(RaiseSite, flags), 12);
        assert_eq!(offset_of!(RaiseSite, line_offset), 24);
        assert_eq!(offset_of!(RaiseSite, message), 32);
        assert_eq!(offset_of!(RaiseSite, function), 48);
        assert_eq!(offset_of!(RaiseSite, file_len), 72);
        assert_eq!(size_of::<RaiseSite>(), 80);
    }
}
