//! Bounded integers, as `np.random.randint`, `shuffle` and `permutation` draw them.

use super::thread_state::watch_forks;
use super::{Bits, Twister};

super::drawing_functions! {
    Twister;
    RandomInterval = interval_of_words(most: u64) -> u64;
    RandomIntervalFill = interval_fill(first: u64, most: u64, count: u64, out: u64) -> u64;
    RandomSeed = seed(word: u64) -> u64;
    RandomSeedWords = seed_words(words: u64, count: u64) -> u64;
    RandomSeedByChance = seed_by_chance() -> u64;
}

fn seed(state: &mut Twister, word: u64) -> u64 {
    watch_forks();
    state.seed(word as u32);
    0
}

/// The seed is `count` words of 32 bits at an address.
fn seed_words(state: &mut Twister, words: u64, count: u64) -> u64 {
    watch_forks();
    // SAFETY: the library gives the address and the size of an array that it holds.
    state.seed_words(unsafe { std::slice::from_raw_parts(words as *const u32, count as usize) });
    0
}

fn seed_by_chance(state: &mut Twister) -> u64 {
    watch_forks();
    state.seed_by_chance();
    0
}

/// From 0 to `most`, by throwing away what is beyond: what shuffling draws.
pub(super) fn interval(bits: &mut impl Bits, most: u64) -> u64 {
    if most == 0 {
        return 0;
    }
    let mask = u64::MAX >> most.leading_zeros();
    loop {
        let drawn = if most <= u64::from(u32::MAX) { u64::from(bits.word()) } else { bits.long() } & mask;
        if drawn <= most {
            return drawn;
        }
    }
}

/// The same of a Mersenne Twister, without a branch for a number that is thrown away: no processor foresees it.
fn interval_of_words(state: &mut Twister, most: u64) -> u64 {
    match u32::try_from(most) {
        Ok(0) => 0,
        Ok(most) => u64::from(state.first_below(0, u32::MAX >> most.leading_zeros(), most)),
        Err(_) => interval(state, most),
    }
}

/// Fills an array of 64-bit integers: from `first` to `first + most`, one after the other as `interval` draws them.
fn interval_fill(state: &mut Twister, first: u64, most: u64, count: u64, out: u64) -> u64 {
    // SAFETY: the library passes the address of an array that it has just created, with this many items.
    let items = unsafe { std::slice::from_raw_parts_mut(out as *mut u64, count as usize) };
    match u32::try_from(most) {
        Ok(most) if most > 0 => state.fill_below(u32::MAX >> most.leading_zeros(), most, items),
        _ => items.fill_with(|| interval(state, most)),
    }
    for item in items {
        *item = item.wrapping_add(first);
    }
    0
}

/// Which integers `Generator.integers` fills an array with.
pub(super) fn fill(bits: &mut impl Bits, width: u64, first: u64, most: u64, count: u64, out: *mut u8) {
    let mut small = Small { buffer: 0, left: 0 };
    for at in 0..count as usize {
        // SAFETY: the array has `count` items of `width` bits (1 for booleans, which take a byte).
        unsafe {
            match width {
                1 => *out.add(at) = if most == 0 { first as u8 } else { small.truth(bits) },
                8 => *out.add(at) = (first as u8).wrapping_add(small.byte(bits, most as u8)),
                16 => {
                    let out = out.cast::<u16>().add(at);
                    *out = (first as u16).wrapping_add(small.half(bits, most as u16));
                }
                32 => {
                    let out = out.cast::<u32>().add(at);
                    *out = (first as u32).wrapping_add(word(bits, most as u32));
                }
                _ => *out.cast::<u64>().add(at) = first.wrapping_add(long(bits, most)),
            }
        }
    }
}

/// From 0 to `most` without a division for most of them.
///
/// Source: D. Lemire, "Fast random integer generation in an interval" (2019).
fn word(bits: &mut impl Bits, most: u32) -> u32 {
    if most == 0 {
        return 0;
    }
    if most == u32::MAX {
        return bits.word();
    }
    let count = most + 1;
    let mut product = u64::from(bits.word()) * u64::from(count);
    if (product as u32) < count {
        let threshold = (u32::MAX - most) % count;
        while (product as u32) < threshold {
            product = u64::from(bits.word()) * u64::from(count);
        }
    }
    (product >> 32) as u32
}

pub(super) fn long(bits: &mut impl Bits, most: u64) -> u64 {
    if most <= u64::from(u32::MAX) {
        return u64::from(word(bits, most as u32));
    }
    if most == u64::MAX {
        return bits.long();
    }
    let count = most + 1;
    let mut product = u128::from(bits.long()) * u128::from(count);
    if (product as u64) < count {
        let threshold = (u64::MAX - most) % count;
        while (product as u64) < threshold {
            product = u128::from(bits.long()) * u128::from(count);
        }
    }
    (product >> 64) as u64
}

/// Integers that take a part of a word; what is left of a word is for the next ones.
struct Small {
    buffer: u32,
    left: u32,
}

impl Small {
    /// The next part of `width` bits.
    fn part(&mut self, bits: &mut impl Bits, width: u32) -> u32 {
        if self.left == 0 {
            (self.buffer, self.left) = (bits.word(), 32 / width);
        } else {
            self.buffer >>= width;
        }
        self.left -= 1;
        self.buffer
    }

    fn truth(&mut self, bits: &mut impl Bits) -> u8 {
        (self.part(bits, 1) & 1) as u8
    }

    fn byte(&mut self, bits: &mut impl Bits, most: u8) -> u8 {
        match most {
            0 => return 0,
            u8::MAX => return self.part(bits, 8) as u8,
            _ => {}
        }
        let count = u16::from(most) + 1;
        let mut product = u16::from(self.part(bits, 8) as u8) * count;
        if u16::from(product as u8) < count {
            let threshold = u16::from(u8::MAX - most) % count;
            while u16::from(product as u8) < threshold {
                product = u16::from(self.part(bits, 8) as u8) * count;
            }
        }
        (product >> 8) as u8
    }

    fn half(&mut self, bits: &mut impl Bits, most: u16) -> u16 {
        match most {
            0 => return 0,
            u16::MAX => return self.part(bits, 16) as u16,
            _ => {}
        }
        let count = u32::from(most) + 1;
        let mut product = u32::from(self.part(bits, 16) as u16) * count;
        if u32::from(product as u16) < count {
            let threshold = u32::from(u16::MAX - most) % count;
            while u32::from(product as u16) < threshold {
                product = u32::from(self.part(bits, 16) as u16) * count;
            }
        }
        (product >> 16) as u16
    }
}
