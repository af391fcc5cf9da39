//! The generator MT19937, used by `np.random` and `random`.
//!
//! Source: M. Matsumoto, T. Nishimura, "Mersenne Twister: A 623-dimensionally equidistributed uniform pseudo-random
//! number generator", ACM Transactions on Modeling and Computer Simulation 8 (1998); seeds as in the authors' program of
//! 2002. A block of words is made at once, so that what compiled code does for most of them is a load.

use super::Bits;

/// How many words the state has.
pub const WORDS: usize = 624;

const MIDDLE: usize = 397;
const UPPER: u32 = 0x8000_0000;

/// The state. Compiled code reads and writes `at` and reads `out`.
#[repr(C)]
pub struct Twister {
    /// The next word of `out`; where none is left, the number of words.
    pub(super) at: u32,
    /// Whether the state was ever set.
    pub(super) seeded: u32,
    /// The second one of the two normal numbers that come at once.
    pub(super) spare: f64,
    /// Whether there is such a number.
    pub(super) has_spare: u64,
    /// The words of this block, as they go out.
    out: [u32; WORDS],
    /// The words of this block, as the next one follows from them.
    key: [u32; WORDS],
}

/// The words that follow from a seed of one word.
const fn key_of(seed: u32) -> [u32; WORDS] {
    let mut key = [seed; WORDS];
    let mut at = 1;
    while at < WORDS {
        let last = key[at - 1];
        key[at] = 1_812_433_253u32.wrapping_mul(last ^ last >> 30).wrapping_add(at as u32);
        at += 1;
    }
    key
}

impl Twister {
    pub(super) const fn unseeded() -> Twister {
        Twister { at: WORDS as u32, seeded: 0, spare: 0.0, has_spare: 0, out: [0; WORDS], key: [0; WORDS] }
    }

    /// Forgets the state: the next number that is asked for comes from a new seed.
    pub(super) fn forget(&mut self) {
        (self.at, self.seeded, self.has_spare) = (WORDS as u32, 0, 0);
    }

    fn begin(&mut self) {
        (self.at, self.seeded, self.has_spare, self.spare) = (WORDS as u32, 1, 0, 0.0);
    }

    /// A seed of one word.
    pub fn seed(&mut self, seed: u32) {
        self.key = key_of(seed);
        self.begin();
    }

    /// A seed of one or more words.
    pub fn seed_words(&mut self, words: &[u32]) {
        const BEFORE: [u32; WORDS] = key_of(19_650_218);
        self.key = BEFORE;
        self.begin();
        let key = &mut self.key;
        let (mut at, mut from) = (1, 0);
        let mixed = |key: &[u32; WORDS], at: usize, factor: u32| {
            let last = key[at - 1];
            key[at] ^ (last ^ last >> 30).wrapping_mul(factor)
        };
        for _ in 0..WORDS.max(words.len()) {
            key[at] = mixed(key, at, 1_664_525).wrapping_add(words[from]).wrapping_add(from as u32);
            (at, from) = (at + 1, from + 1);
            if from == words.len() {
                from = 0;
            }
            if at == WORDS {
                key[0] = key[WORDS - 1];
                at = 1;
            }
        }
        for _ in 1..WORDS {
            key[at] = mixed(key, at, 1_566_083_941).wrapping_sub(at as u32);
            at += 1;
            if at == WORDS {
                key[0] = key[WORDS - 1];
                at = 1;
            }
        }
        key[0] = UPPER;
    }

    /// A seed from the operating system.
    pub fn seed_by_chance(&mut self) {
        let mut words = [0u32; WORDS];
        let mut done = 0;
        while done < size_of_val(&words) {
            // SAFETY: this many bytes are left after that index.
            let got = unsafe {
                let rest = words.as_mut_ptr().cast::<u8>().add(done);
                libc::getrandom(rest.cast(), size_of_val(&words) - done, 0)
            };
            if got > 0 {
                done += got.unsigned_abs();
            }
        }
        words[0] = UPPER;
        self.key = words;
        self.begin();
    }

    /// The number of the next word and the words, as NumPy and CPython tell their states.
    pub fn state(&mut self) -> (u32, &[u32; WORDS]) {
        self.ensure_seeded();
        (self.at, &self.key)
    }

    /// Goes on where another generator stands.
    pub fn set_state(&mut self, at: u32, key: &[u32; WORDS]) {
        self.begin();
        self.key = *key;
        self.temper();
        self.at = at.min(WORDS as u32);
    }

    /// A seed by chance where there was none yet.
    pub(super) fn ensure_seeded(&mut self) {
        if self.seeded == 0 {
            super::thread_state::watch_forks();
            self.seed_by_chance();
        }
    }

    /// Makes the next block.
    #[cold]
    pub fn refill(&mut self) {
        self.ensure_seeded();
        let key = &mut self.key;
        let next = |here: u32, following: u32, far: u32| {
            let joined = here & UPPER | following & !UPPER;
            far ^ joined >> 1 ^ (following & 1).wrapping_neg() & 0x9908_b0df
        };
        for at in 0..WORDS - MIDDLE {
            key[at] = next(key[at], key[at + 1], key[at + MIDDLE]);
        }
        for at in WORDS - MIDDLE..WORDS - 1 {
            key[at] = next(key[at], key[at + 1], key[at + MIDDLE - WORDS]);
        }
        key[WORDS - 1] = next(key[WORDS - 1], key[0], key[MIDDLE - 1]);
        self.temper();
        self.at = 0;
    }

    fn temper(&mut self) {
        for (out, &word) in self.out.iter_mut().zip(&self.key) {
            let mut word = word ^ word >> 11;
            word ^= word << 7 & 0x9d2c_5680;
            word ^= word << 15 & 0xefc6_0000;
            *out = word ^ word >> 18;
        }
    }
}

impl Twister {
    /// The first word that is at most `most`, after a shift and under a mask. Two are looked at together.
    #[inline]
    pub(super) fn first_below(&mut self, shift: u32, mask: u32, most: u32) -> u32 {
        loop {
            let Some(&[one, two]) =
                self.out.get(self.at as usize..self.at as usize + 2).and_then(|pair| pair.first_chunk())
            else {
                let word = self.word() >> shift & mask;
                if word <= most {
                    return word;
                }
                continue;
            };
            let (one, two) = (one >> shift & mask, two >> shift & mask);
            let fits = one <= most;
            self.at += 2 - u32::from(fits);
            let word = if fits { one } else { two };
            if word <= most {
                return word;
            }
        }
    }

    /// Fills items with the words that are at most `most` under a mask.
    pub(super) fn fill_below(&mut self, mask: u32, most: u32, items: &mut [u64]) {
        let mut filled = 0;
        while filled < items.len() {
            if self.at as usize >= WORDS {
                self.refill();
            }
            // Each word is written; the next one overwrites it where it is too large.
            for &word in &self.out[self.at as usize..] {
                let Some(item) = items.get_mut(filled) else { break };
                *item = u64::from(word & mask);
                filled += usize::from(word & mask <= most);
                self.at += 1;
            }
        }
    }
}

impl Bits for Twister {
    #[inline]
    fn word(&mut self) -> u32 {
        if self.at as usize >= WORDS {
            self.refill();
        }
        let word = self.out[self.at as usize];
        self.at += 1;
        word
    }

    #[inline]
    fn long(&mut self) -> u64 {
        let high = u64::from(self.word());
        high << 32 | u64::from(self.word())
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        let high = u64::from(self.word() >> 5);
        let all = high << 26 | u64::from(self.word() >> 6);
        all as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_numbers_come_out() {
        // The first words after the seed that the authors' program prints.
        let mut made = Box::new(Twister::unseeded());
        made.seed_words(&[0x123, 0x234, 0x345, 0x456]);
        assert_eq!([made.word(), made.word(), made.word()], [1_067_595_299, 955_945_823, 477_289_528]);
        made.seed(5489);
        let last = (0..10_000).map(|_| made.word()).last();
        assert_eq!(last, Some(4_123_659_995));
    }

    #[test]
    fn a_state_goes_on_where_it_was_read() {
        let mut one = Box::new(Twister::unseeded());
        one.seed(7);
        for _ in 0..1000 {
            one.word();
        }
        let (at, key) = one.state();
        let (at, key) = (at, *key);
        let mut other = Box::new(Twister::unseeded());
        other.set_state(at, &key);
        assert!((0..2000).all(|_| one.word() == other.word()));
    }

    #[test]
    fn what_was_never_seeded_begins_by_chance() {
        let first = || Twister::unseeded().long();
        assert_ne!(first(), first());
    }
}
