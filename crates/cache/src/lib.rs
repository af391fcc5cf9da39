//! Instances of library functions on disk: the library image, and the store of each user.
//!
//! Both are files of one format ([`File`]): a header, an index sorted by hash, records with a checksum each. The
//! image is one file with many entries, mapped into memory; the store is a folder of files with one entry
//! each ([`Store`]). What does not fit (another build, other sources, cut off, changed bytes) is told by a
//! [`Fault`] and is then as if it were not there.
//!
//! Absent: what the texts mean (the compiler's own), where the files are (`py` says so).

mod encoding;
mod entry;
mod file;
mod mmap;
#[cfg(test)]
mod tests;
mod user_cache;

pub use encoding::Hasher;
pub use entry::{Entry, Level, Member};
pub use file::{Fault, File, write};
pub use user_cache::Store;

/// What a file must have been made by and from to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The build of the compiler.
    pub build: u64,
    /// The library's sources.
    pub sources: u64,
}
