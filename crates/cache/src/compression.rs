//! Compression of the records of one file with Zstandard (RFC 8878) and a dictionary.
//!
//! Records of the image are alike: most contain the same helper functions. Each is compressed by itself, so that one can be
//! read without the others, and the dictionary has what they share.

use std::io::Result;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// Bytes of a dictionary at most. With four times as many, the image is not smaller.
const DICTIONARY: usize = 256 << 10;
/// Fewer bytes of records do not pay for a dictionary.
const WORTHWHILE: usize = 8 * DICTIONARY;
/// The level for files that are written once and shipped.
const LEVEL: i32 = 19;

/// Bytes of the number that a trained dictionary starts with. Without it, the bytes are used as they are, so a damaged
/// dictionary gives other records, which their checksums show, and not an error.
const MAGIC_NUMBER: usize = 4;

/// Records, compressed one by one, and the dictionary that they need.
pub(crate) struct Compressed {
    pub dictionary: Vec<u8>,
    pub records: Vec<Vec<u8>>,
}

/// Compresses records. Without many bytes of them, the dictionary is empty.
pub(crate) fn compress(records: &[Vec<u8>]) -> Result<Compressed> {
    let dictionary = match records.iter().map(Vec::len).sum::<usize>() < WORTHWHILE {
        true => Vec::new(),
        false => zstd::dict::from_samples(records, DICTIONARY)?.split_off(MAGIC_NUMBER),
    };
    let prepared = EncoderDictionary::copy(&dictionary, LEVEL);
    let mut compressor = Compressor::with_prepared_dictionary(&prepared)?;
    let records = records.iter().map(|record| compressor.compress(record)).collect::<Result<_>>()?;
    Ok(Compressed { dictionary, records })
}

/// Decompresses the records of one file.
pub(crate) struct Decompression(DecoderDictionary<'static>);

impl Decompression {
    pub fn new(dictionary: &[u8]) -> Decompression {
        Decompression(DecoderDictionary::copy(dictionary))
    }

    /// The record, of at most `length` bytes.
    pub fn decompress(&self, compressed: &[u8], length: usize) -> Result<Vec<u8>> {
        Decompressor::with_prepared_dictionary(&self.0)?.decompress(compressed, length)
    }
}
