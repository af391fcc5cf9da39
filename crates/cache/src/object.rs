//! A cached object file of a function.

use crate::Record;
use crate::encoding::{Reader, put_bytes, put_u32};

/// The object file of a unit, found by the hash of everything that it was made from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CachedObject {
    /// The hash, as text.
    pub key: String,
    /// The function, for display.
    pub function: String,
    /// The file of its source, for display.
    pub file: String,
    /// The line of its `def`, for display.
    pub line: u32,
    /// The object file.
    pub object: Vec<u8>,
}

impl Record for CachedObject {
    const ENDING: &'static str = "object";

    fn key(&self) -> &str {
        &self.key
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for text in [&self.key, &self.function, &self.file] {
            put_bytes(&mut out, text.as_bytes());
        }
        put_u32(&mut out, self.line);
        put_bytes(&mut out, &self.object);
        out
    }

    fn read(bytes: &[u8]) -> Option<CachedObject> {
        let mut reader = Reader(bytes);
        let object = CachedObject {
            key: reader.text()?,
            function: reader.text()?,
            file: reader.text()?,
            line: reader.u32()?,
            object: reader.bytes()?.to_vec(),
        };
        reader.0.is_empty().then_some(object)
    }
}
