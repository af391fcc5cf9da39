//! The generator states of each thread: one for `np.random`, one for `random`.

use super::mt19937::Twister;
use super::region_states::chunk_state;
use std::cell::UnsafeCell;
use std::sync::Once;

/// Whose numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// `np.random`.
    Numpy,
    /// `random`.
    Python,
}

thread_local! {
    static STATES: [UnsafeCell<Twister>; 2] =
        const { [UnsafeCell::new(Twister::unseeded()), UnsafeCell::new(Twister::unseeded())] };
}

/// The state of this thread, or of the chunk of a parallel loop that it runs. It lives as long as the thread.
pub fn state(stream: Stream) -> *mut Twister {
    let of_chunk = chunk_state(stream);
    if of_chunk.is_null() { own_state(stream) } else { of_chunk }
}

fn own_state(stream: Stream) -> *mut Twister {
    STATES.with(|states| states[stream as usize].get())
}

/// Where compiled code finds the state of `np.random` on this thread.
pub(super) extern "C" fn rumba_random_numpy() -> *mut Twister {
    state(Stream::Numpy)
}

/// Where compiled code finds the state of `random` on this thread.
pub(super) extern "C" fn rumba_random_python() -> *mut Twister {
    state(Stream::Python)
}

/// From now on, the child of a fork begins with new seeds.
pub(super) fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the function asks for nothing but the states of the thread that forked.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    });
}

/// In the child there is the thread alone that forked.
extern "C" fn forget() {
    for stream in [Stream::Numpy, Stream::Python] {
        // SAFETY: the state of this thread, which is in no other function of it: it is forking.
        unsafe { (*own_state(stream)).forget() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Bits;

    fn draw(stream: Stream) -> u64 {
        // SAFETY: this thread's state.
        unsafe { (*state(stream)).long() }
    }

    #[test]
    fn threads_and_streams_have_states_of_their_own() {
        let both = || [draw(Stream::Numpy), draw(Stream::Python)];
        let (mine, others) = (both(), std::thread::spawn(both).join().unwrap());
        let mut all = [mine, others].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn the_child_of_a_fork_begins_anew() {
        // SAFETY: the child writes to the pipe and leaves at once.
        let theirs = unsafe {
            (*state(Stream::Numpy)).seed(1);
            watch_forks();
            let mut ends = [0; 2];
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            let child = libc::fork();
            if child == 0 {
                let number = draw(Stream::Numpy);
                libc::write(ends[1], (&raw const number).cast(), 8);
                libc::_exit(0);
            }
            let mut number = 0u64;
            assert_eq!(libc::read(ends[0], (&raw mut number).cast(), 8), 8);
            libc::waitpid(child, std::ptr::null_mut(), 0);
            number
        };
        assert_ne!(theirs, draw(Stream::Numpy));
    }
}
