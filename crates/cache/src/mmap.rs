//! A file mapped into memory.

use std::fs;
use std::io::{Error, Result};
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::{ptr, slice};

/// The bytes of a file. Files are replaced, never changed, so what is mapped stays what it was.
pub(crate) struct Map {
    start: *mut libc::c_void,
    length: usize,
}

// SAFETY: the bytes are never written.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    pub fn open(path: &Path) -> Result<Map> {
        let file = fs::File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).map_err(Error::other)?;
        if length == 0 {
            return Ok(Map { start: ptr::null_mut(), length });
        }
        let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE);
        // SAFETY: the file is open, and the kernel chooses where the mapping goes.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, access, kind, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(Map { start, length }) }
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the mapping has this length and lives as long as the value.
        unsafe { slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: mapped by `open`, and nobody has a reference any more.
            unsafe { libc::munmap(self.start, self.length) };
        }
    }
}
