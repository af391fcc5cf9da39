//! Numbers and texts as bytes, little-endian, prefixed with their length; and the hash over them.

/// The hash function FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, 1991): stable, so that what one
/// process writes another one finds.
#[derive(Clone, Copy)]
pub struct Hasher(u64);

impl Default for Hasher {
    fn default() -> Self {
        Hasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hasher = Hasher::default();
        hasher.add(bytes);
        hasher.finish()
    }

    /// Takes some bytes in.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// Takes a text in, and where it ends.
    pub fn add_text(&mut self, text: &str) {
        self.add(text.as_bytes());
        self.add(&(text.len() as u64).to_le_bytes());
    }

    /// The hash of all that was taken in.
    pub fn finish(self) -> u64 {
        self.0
    }
}

pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend(bytes);
}

/// Reads what the functions above write. Nothing where the bytes end too early.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.u32()?;
        self.take(count as usize)
    }

    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}
