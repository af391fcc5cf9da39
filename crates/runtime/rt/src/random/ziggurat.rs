//! The common path of NumPy's ziggurat algorithm for normal and exponential numbers, without a call into NumPy.
//!
//! Both draw a word, of which some bits choose a layer of the density and the others a position in it; nearly always the
//! position lies within the density and only has to be multiplied (G. Marsaglia and W. Tsang, "The ziggurat method for
//! generating random variables", 2000). How wide the layers are and how far their positions are within is asked of NumPy
//! functions, which are given words of our choice. Where a position is not within, NumPy's function continues, from a bit
//! generator that gives the word drawn already once more. So the bits are those of NumPy, always.

use super::Bits;
use super::bitgen::BitGenerator;
use std::ffi::c_void;
use std::sync::OnceLock;

/// NumPy's function of one of the distributions.
pub(super) type Distribution = extern "C" fn(*mut BitGenerator) -> f64;

/// How a distribution reads a word: the layer is in its last eight bits.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Where the place begins.
    position: u32,
    /// How many bits it has.
    bits: u32,
    /// Where the sign is, if there is one.
    sign: Option<u32>,
    /// How many of a word's first bits are dropped: all that follows counts from there.
    dropped: u32,
}

pub(super) const NORMAL: Reading = Reading { position: 9, bits: 52, sign: Some(8), dropped: 0 };
pub(super) const EXPONENTIAL: Reading = Reading { position: 8, bits: 53, sign: None, dropped: 3 };

impl Reading {
    #[inline(always)]
    fn layer(self, word: u64) -> usize {
        (word >> self.dropped & 0xff) as usize
    }
    #[inline(always)]
    fn position(self, word: u64) -> u64 {
        word >> (self.dropped + self.position) & ((1 << self.bits) - 1)
    }
    /// The value of a position of this width, without a branch for its sign: no processor foresees it.
    #[inline(always)]
    fn value(self, word: u64, width: f64) -> f64 {
        let size = self.position(word).cast_signed() as f64 * width;
        let sign = self.sign.map_or(0, |sign| word >> sign & 1);
        f64::from_bits(size.to_bits() | sign << 63)
    }
    fn word(self, layer: usize, position: u64) -> u64 {
        (position << self.position | layer as u64) << self.dropped
    }
}

/// The layers of a distribution.
#[derive(Debug)]
pub(super) struct Ziggurat {
    /// The width of a position.
    widths: [f64; 256],
    /// The positions below this are within the density.
    limits: [u64; 256],
}

/// A bit generator with a word in front. Every function of it counts.
#[repr(C)]
struct Replay {
    first: u64,
    calls: u64,
    behind: Option<*mut BitGenerator>,
}

impl Replay {
    /// What distributions get of it. They must not see it longer than `self` is there.
    fn generator(&mut self) -> BitGenerator {
        extern "C" fn long(state: *mut c_void) -> u64 {
            // SAFETY: the state is the one that `generator` gave.
            let replay = unsafe { &mut *state.cast::<Replay>() };
            replay.calls += 1;
            match replay.behind {
                _ if replay.calls == 1 => replay.first,
                // SAFETY: whoever made the replay keeps the underlying generator alive.
                Some(behind) => unsafe { (*behind).long() },
                // The first place of a layer that has one: it ends every search.
                None => 2 << 3,
            }
        }
        extern "C" fn word(state: *mut c_void) -> u32 {
            // SAFETY: as above.
            let replay = unsafe { &mut *state.cast::<Replay>() };
            replay.calls += 1;
            // SAFETY: the underlying generator lives as long as the replay.
            replay.behind.map_or(0, |behind| unsafe { (*behind).word() })
        }
        extern "C" fn unit(state: *mut c_void) -> f64 {
            // SAFETY: as above.
            let replay = unsafe { &mut *state.cast::<Replay>() };
            replay.calls += 1;
            // SAFETY: the underlying generator lives as long as the replay.
            replay.behind.map_or(0.5, |behind| unsafe { (*behind).unit() })
        }
        BitGenerator::new(std::ptr::from_mut(self).cast(), long, word, unit)
    }
}

impl Ziggurat {
    /// The layers of a distribution, which are found when they are asked for first.
    #[inline]
    pub(super) fn of(
        layers: &OnceLock<Ziggurat>,
        distribution: fn() -> Distribution,
        reading: Reading,
    ) -> &Ziggurat {
        layers.get_or_init(|| Ziggurat::found(distribution(), reading))
    }

    /// Draws a number of the distribution whose layers these are. What is known of the reading is worked in.
    #[inline(always)]
    pub(super) fn draw(
        &self,
        bits: &mut BitGenerator,
        distribution: fn() -> Distribution,
        reading: Reading,
    ) -> f64 {
        let word = bits.long();
        let (layer, position) = (reading.layer(word), reading.position(word));
        if position < self.limits[layer] {
            return reading.value(word, self.widths[layer]);
        }
        Self::resume(bits, distribution(), word)
    }

    #[cold]
    fn resume(bits: &mut BitGenerator, distribution: Distribution, word: u64) -> f64 {
        let mut replay = Replay { first: word, calls: 0, behind: Some(bits) };
        distribution(&mut replay.generator())
    }

    /// Asks the distribution for its layers.
    fn found(distribution: Distribution, reading: Reading) -> Self {
        let ask = |word: u64| {
            let mut replay = Replay { first: word, calls: 0, behind: None };
            let value = distribution(&mut replay.generator());
            (replay.calls == 1).then_some(value)
        };
        let mut found = Ziggurat { widths: [0.0; 256], limits: [0; 256] };
        for layer in 0..256 {
            // A layer without a second position has no usual step.
            let Some(width) = ask(reading.word(layer, 1)) else { continue };
            let (mut within, mut outside) = (1, 1u64 << reading.bits);
            while outside - within > 1 {
                let middle = within.midpoint(outside);
                if ask(reading.word(layer, middle)).is_some() {
                    within = middle;
                } else {
                    outside = middle;
                }
            }
            (found.widths[layer], found.limits[layer]) = (width, outside);
        }
        if found.agrees(reading, ask) { found } else { Ziggurat { widths: [0.0; 256], limits: [0; 256] } }
    }

    /// Whether words are read as we think, by a sample: another NumPy might do it in another way.
    fn agrees(&self, reading: Reading, ask: impl Fn(u64) -> Option<f64>) -> bool {
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        (0..4096).all(|_| {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            let (layer, position) = (reading.layer(word), reading.position(word));
            let size = position.cast_signed() as f64 * self.widths[layer];
            let is_negative = reading.sign.is_some_and(|sign| word >> sign & 1 == 1);
            let expected = if is_negative { -size } else { size };
            (position >= self.limits[layer])
                || ask(word).is_some_and(|value| value.to_bits() == expected.to_bits())
        })
    }
}
