//! The arguments of an exception on its way to Python, one buffer per thread.
//!
//! Compiled code stores them right before it fails; whoever turns the failure into an exception
//! reads them on the same thread, before any other compiled code runs.

use std::cell::Cell;

/// Words that the arguments of one exception may take.
pub const PAYLOAD_WORDS: usize = 32;

thread_local! {
    static PAYLOAD: [Cell<u64>; PAYLOAD_WORDS] = const { [const { Cell::new(0) }; PAYLOAD_WORDS] };
}

/// Where compiled code stores the arguments.
pub(crate) extern "C" fn rumba_payload() -> *mut u64 {
    PAYLOAD.with(|words| words.as_ptr().cast_mut().cast())
}

/// What was stored last on this thread.
pub fn payload() -> [u64; PAYLOAD_WORDS] {
    PAYLOAD.with(|words| words.each_ref().map(Cell::get))
}

/// Stores arguments as compiled code does.
pub fn set_payload(arguments: &[u64; PAYLOAD_WORDS]) {
    PAYLOAD.with(|words| words.iter().zip(arguments).for_each(|(word, &argument)| word.set(argument)));
}

/// Copies the first words of what was stored last on this thread.
///
/// # Safety
/// There is room for `count` words, of which there are at most [`PAYLOAD_WORDS`].
pub unsafe fn copy_payload(to: *mut u64, count: usize) {
    // SAFETY: the caller's promise; no thread reaches another one's buffer.
    PAYLOAD.with(|words| unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast(), to, count) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_on_the_same_thread_alone() {
        // SAFETY: the buffer has room for two words.
        unsafe {
            rumba_payload().write(7);
            rumba_payload().add(1).write(8);
        }
        assert_eq!(payload()[..2], [7, 8]);
        assert_eq!(std::thread::spawn(payload).join().unwrap()[0], 0);
    }
}
