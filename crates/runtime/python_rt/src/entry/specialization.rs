//! A compiled function for given argument types, and the dispatcher's entry for it.

use super::Fingerprint;
use crate::plan::{Boxing, Unbox, conversions, hold};
use crate::unit::Unit;
use std::sync::Arc;

/// What the compiler hands to the dispatcher: an address and the plans to call it.
pub struct Specialization {
    /// Entry point; stays valid while `unit` lives.
    pub thunk: abi::Thunk,
    /// One step per parameter, in order.
    pub arguments: Box<[Unbox]>,
    /// How the result is boxed.
    pub result: Boxing,
    /// Run without the GIL (`nogil=True`).
    pub release_gil: bool,
    /// It knows values of arguments: calls with other values need another one.
    pub by_value: bool,
    /// Keeps the code alive.
    pub unit: Arc<dyn Unit>,
}

/// Words of arguments and of the result that calls keep on the stack.
pub const STACK_WORDS: usize = 16;

/// A specialization with the key that leads to it.
///
/// Counted by hand: the dispatcher's table holds one use, each call under way another. All uses are
/// taken and given back with the GIL held, so that the count need not be atomic.
pub struct Entry {
    /// Number of positional arguments the hot path may take, `usize::MAX` when it may not.
    pub fast_arity: usize,
    /// The same where reading the arguments may run Python code: whoever does holds the entry.
    pub held_arity: usize,
    /// The same where the fingerprints of the arguments were compared.
    pub known_arity: usize,
    /// Whether the steps tell by themselves that a call with keywords or defaults is one for this entry.
    pub serves_named: bool,
    /// What runs.
    pub thunk: abi::Thunk,
    /// Words of arguments that are no larger than `most` where the thunk is called.
    pub bounded: Box<[usize]>,
    /// How large these may be.
    pub most: u64,
    /// A step for each parameter.
    pub arguments: Box<[Unbox]>,
    /// How the result is boxed.
    pub result: Boxing,
    /// Whether it runs without the GIL.
    pub release_gil: bool,
    /// Whether memory of arguments must be held while a call runs.
    pub holds: bool,
    /// Whether containers of Python are copied in, and back.
    pub converts: bool,
    /// Number of arguments of calls that may be taken for ones like the last, of such an entry.
    pub converting_arity: usize,
    uses: usize,
    /// Words of all arguments.
    pub argument_words: usize,
    /// Words of the result.
    pub result_words: usize,
    /// The key that leads to it.
    pub fingerprints: Box<[Fingerprint]>,
    /// Keeps the code alive.
    pub unit: Arc<dyn Unit>,
}

impl Entry {
    /// An entry with one use, the table's. With `collects`, a parameter takes what other arguments are put
    /// together to, so that arguments are no values of parameters.
    pub fn new(made: Specialization, fingerprints: Box<[Fingerprint]>, collects: bool) -> *mut Entry {
        let argument_words = made.arguments.iter().map(|step| step.words()).sum();
        let result_words = made.result.words();
        let holds = made.arguments.iter().any(hold::needs_hold);
        let converts = made.arguments.iter().any(conversions::needs_conversion);
        let slow = collects || holds || converts;
        let small = argument_words <= STACK_WORDS && result_words <= STACK_WORDS;
        // The value of a default is compiled in, and no step asks for it.
        let given = !fingerprints.iter().any(|fingerprint| fingerprint.is_omitted());
        let guards = given && made.arguments.iter().all(Unbox::is_guard);
        let runs_python = made.arguments.iter().any(Unbox::runs_python);
        let (fits, guarded) = (small && !slow, small && !slow && guards);
        let is_told =
            |(step, key): (&Unbox, &Fingerprint)| step.is_guard() || key.is_omitted() && *step == Unbox::Skip;
        let told = made.arguments.iter().zip(&fingerprints).all(is_told);
        let count = made.arguments.len();
        let (bounded, most) = made.unit.argument_bounds().unwrap_or_default();
        let bounded = bounded.into();
        let arity = |allowed| if allowed { count } else { usize::MAX };
        Box::into_raw(Box::new(Entry {
            fast_arity: arity(guarded && !runs_python),
            held_arity: arity(guarded && runs_python),
            known_arity: arity(fits),
            serves_named: fits && told && !runs_python,
            thunk: made.thunk,
            bounded,
            most,
            arguments: made.arguments,
            result: made.result.as_result(),
            release_gil: made.release_gil,
            holds,
            converts,
            converting_arity: arity(small && converts && !collects && !holds && guards),
            uses: 1,
            argument_words,
            result_words,
            fingerprints,
            unit: made.unit,
        }))
    }

    /// Takes a use.
    ///
    /// # Safety
    /// `entry` is alive and the GIL is held.
    #[inline(always)]
    pub unsafe fn hold(entry: *mut Entry) {
        // SAFETY: the caller's promise; the GIL keeps counts of uses apart.
        unsafe { (*entry).uses += 1 };
    }

    /// Gives a use back; the last one frees the entry.
    ///
    /// # Safety
    /// The caller has a use of `entry` and the GIL is held.
    #[inline(always)]
    pub unsafe fn release(entry: *mut Entry) {
        // SAFETY: the caller's promise: the use is there to be given back.
        unsafe {
            (*entry).uses -= 1;
            if (*entry).uses == 0 {
                Self::free(entry);
            }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn free(entry: *mut Entry) {
        // SAFETY: the last use is gone, and the entry was made by `Box::into_raw`.
        drop(unsafe { Box::from_raw(entry) });
    }
}
