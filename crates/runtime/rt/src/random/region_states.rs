//! Generator states for parallel loops: each chunk has its own state, seeded by a key of the loop and the chunk number,
//! so results do not depend on threads.
//!
//! The key is drawn from the state of who started the loop, once a chunk asks for numbers: the same seed gives the same numbers, and
//! the next loop others.

use super::Bits;
use super::mt19937::Twister;
use super::thread_state::{Stream, state};
use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::OnceLock;

/// Where the chunks of a loop get their seeds from.
pub struct RegionSeeds {
    /// The states of the thread that started the loop.
    parents: [*mut Twister; 2],
    keys: [OnceLock<[u32; 4]>; 2],
}

// SAFETY: the parents belong to a thread that waits for the loop's end and uses other states meanwhile; one thread draws the key.
unsafe impl Sync for RegionSeeds {}

/// The chunk that a thread runs.
#[derive(Clone, Copy)]
struct Chunk {
    seeds: *const RegionSeeds,
    number: i64,
    /// Which of the states belong to it already.
    is_seeded: [bool; 2],
}

const NONE: Chunk = Chunk { seeds: ptr::null(), number: 0, is_seeded: [false; 2] };

type Pair = [UnsafeCell<Twister>; 2];

thread_local! {
    static CHUNK: Cell<Chunk> = const { Cell::new(NONE) };
    static STATES: Cell<*const Pair> = const { Cell::new(ptr::null()) };
    static OWNER: Cell<Option<Box<Pair>>> = const { Cell::new(None) };
}

impl RegionSeeds {
    /// Seeds of a loop that this thread starts.
    #[allow(clippy::new_without_default, reason = "it asks for the thread's states")]
    pub fn new() -> RegionSeeds {
        RegionSeeds { parents: [Stream::Numpy, Stream::Python].map(state), keys: Default::default() }
    }

    /// Runs a chunk. Inside of another one, it continues with that one's numbers.
    pub fn in_chunk<T>(&self, number: i64, body: impl FnOnce() -> T) -> T {
        struct End;
        impl Drop for End {
            fn drop(&mut self) {
                CHUNK.set(NONE);
            }
        }
        if !CHUNK.get().seeds.is_null() {
            return body();
        }
        CHUNK.set(Chunk { seeds: self, number, is_seeded: [false; 2] });
        let _end = End;
        body()
    }

    fn key(&self, stream: Stream) -> [u32; 4] {
        let parent = self.parents[stream as usize];
        // SAFETY: nobody else uses it while the loop runs, and other threads wait here.
        *self.keys[stream as usize].get_or_init(|| unsafe { std::array::from_fn(|_| (*parent).word()) })
    }
}

/// The state of the chunk that this thread runs; null outside loops.
#[inline]
pub(super) fn chunk_state(stream: Stream) -> *mut Twister {
    let mut chunk = CHUNK.get();
    if chunk.seeds.is_null() {
        return ptr::null_mut();
    }
    if STATES.get().is_null() {
        let new = || UnsafeCell::new(Twister::unseeded());
        let made = Box::new([new(), new()]);
        STATES.set(&raw const *made);
        OWNER.set(Some(made));
    }
    // SAFETY: the thread has the box as long as it lives.
    let found = unsafe { (&*STATES.get())[stream as usize].get() };
    if !chunk.is_seeded[stream as usize] {
        chunk.is_seeded[stream as usize] = true;
        CHUNK.set(chunk);
        // SAFETY: the loop's seeds live as long as a chunk runs; the state is this thread's.
        unsafe {
            let [a, b, c, d] = (*chunk.seeds).key(stream);
            let number = chunk.number.cast_unsigned();
            (*found).seed_words(&[a, b, c, d, number as u32, (number >> 32) as u32]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(stream: Stream) -> u64 {
        // SAFETY: this thread's state.
        unsafe { (*state(stream)).long() }
    }

    fn seed() {
        // SAFETY: this thread's state.
        unsafe { (*state(Stream::Numpy)).seed(7) };
    }

    /// What chunks draw, on another thread each or on this one.
    fn drawn(apart: bool) -> (Vec<u64>, u64) {
        seed();
        let seeds = RegionSeeds::new();
        let one = |number| seeds.in_chunk(number, || draw(Stream::Numpy) ^ draw(Stream::Numpy));
        let all = (0..5).map(|number| match apart {
            true => std::thread::scope(|scope| scope.spawn(move || one(number)).join().unwrap()),
            false => one(number),
        });
        (all.collect(), draw(Stream::Numpy))
    }

    #[test]
    fn numbers_of_chunks_follow_from_the_seed() {
        assert_eq!(drawn(true), drawn(false));
        let (mut all, behind) = drawn(false);
        all.push(behind);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn a_loop_that_draws_nothing_changes_nothing_and_the_next_one_draws_others() {
        seed();
        let first = draw(Stream::Numpy);
        seed();
        RegionSeeds::new().in_chunk(0, || draw(Stream::Python));
        assert_eq!(draw(Stream::Numpy), first);
        let next = || RegionSeeds::new().in_chunk(0, || draw(Stream::Numpy));
        assert_ne!(next(), next());
    }

    #[test]
    fn chunks_inside_of_chunks_go_on() {
        seed();
        let seeds = RegionSeeds::new();
        let both = seeds.in_chunk(3, || [draw(Stream::Numpy), draw(Stream::Numpy)]);
        seed();
        let seeds = RegionSeeds::new();
        let inner = || RegionSeeds::new().in_chunk(9, || draw(Stream::Numpy));
        assert_eq!(seeds.in_chunk(3, || [draw(Stream::Numpy), inner()]), both);
    }
}
