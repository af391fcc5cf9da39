//! Compiled code on disk: the library image, the user cache of library instances, the cache of object files.
//!
//! All are files of one format ([`File`]): a header, an index sorted by hash, records with a checksum each. The
//! image is one file with many records, mapped into memory and compressed one by one; the user cache and the object cache are folders of files with one record
//! each ([`Store`]). A file from another build or other sources, or a truncated or damaged one, is reported by a
//! [`Fault`] and ignored.
//!
//! Absent: the meaning of the records (`driver`), the paths of the files (`python`).

mod compression;
mod encoding;
mod entry;
mod file;
mod key_lock;
mod mmap;
mod object;
mod record;
#[cfg(test)]
mod tests;
mod user_cache;

pub use encoding::Hasher;
pub use entry::{Entry, Level, Member};
pub use file::{Fault, File, write, write_compressed};
pub use key_lock::KeyLock;
pub use object::CachedObject;
pub use record::Record;
pub use user_cache::Store;

/// What a file must have been made by and from to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The build of the compiler.
    pub build: u64,
    /// The library's sources.
    pub sources: u64,
}
