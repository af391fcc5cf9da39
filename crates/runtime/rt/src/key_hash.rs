//! The hash of a key in tables, as compiled code computes it (`containers::key_hash`).

use crate::hash_table::{finish, mix, rumba_table_text};

/// How a word of a key goes into its hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashStep {
    /// An integer of this many bits, sign-extended.
    Integer(u32),
    /// A boolean.
    Truth,
    /// A float of this width.
    Float(u32),
    /// A string: three words.
    Text,
    /// Bytes: three words.
    Bytes,
    /// A key of any number of words, of which Python knows the hash: methods of classes tell it.
    Object,
}

/// The hash of a key by its words.
///
/// # Safety
/// There are as many words as the steps read, and strings are there.
pub unsafe fn hash_of_words(steps: &[HashStep], mut words: *const u64) -> i64 {
    let mut hash = 0;
    for step in steps {
        // SAFETY: the caller's promise.
        let word = unsafe { words.read() };
        let mut count = 1;
        let word = match *step {
            HashStep::Integer(bits) => {
                let unused = 64 - bits;
                ((word << unused).cast_signed() >> unused).cast_unsigned()
            }
            HashStep::Truth => word & 1,
            HashStep::Object => word,
            HashStep::Float(16) => (f64::from(abi::half_to_float(word as u16)) + 0.0).to_bits(),
            HashStep::Float(32) => (f64::from(f32::from_bits(word as u32)) + 0.0).to_bits(),
            HashStep::Float(_) => (f64::from_bits(word) + 0.0).to_bits(),
            HashStep::Text | HashStep::Bytes => {
                count = 3;
                let shift = if *step == HashStep::Bytes { 2 } else { 0 };
                // SAFETY: the same.
                unsafe { rumba_table_text(words.add(1).read() as *const u8, words.add(2).read() << shift) }
            }
        };
        if let [HashStep::Text] = steps {
            return (word & i64::MAX.cast_unsigned()).cast_signed();
        }
        hash = mix(hash, word);
        // SAFETY: the same.
        words = unsafe { words.add(count) };
    }
    finish(hash)
}
