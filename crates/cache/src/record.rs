//! The records of a file.

/// A record of a file, found by its key.
pub trait Record: Sized {
    /// The ending of files with one such record.
    const ENDING: &'static str;

    /// What it is found by.
    fn key(&self) -> &str;

    /// Its bytes.
    fn write(&self) -> Vec<u8>;

    /// The record that these bytes are, all of them.
    fn read(bytes: &[u8]) -> Option<Self>;
}
