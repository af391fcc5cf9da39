//! A lock by which only one process at a time creates the record of a key.
//!
//! A folder has a file that nobody reads, of which a process locks one byte for each key that it works on. The kernel
//! frees the lock of a process that ends, however it ends, and the child of a fork has none.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The locks of a folder. The file stays open: closing it would free all locks of the process.
#[derive(Default)]
pub(crate) struct KeyLocks(OnceLock<Option<fs::File>>);

/// The lock of a key, until it is dropped.
pub struct KeyLock<'a> {
    file: &'a fs::File,
    offset: i64,
}

/// Nobody waits longer: a record that is made twice is no fault.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a process that has to wait sleeps at first and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(5)];

impl KeyLocks {
    /// Locks the key with this hash; none where locks do not work or another process takes too long. Threads of one
    /// process do not exclude each other.
    pub fn lock(&self, folder: &Path, hash: u64) -> Option<KeyLock<'_>> {
        let open = || {
            let path = folder.join("lock");
            fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).ok()
        };
        let file = self.0.get_or_init(open).as_ref()?;
        let lock = KeyLock { file, offset: (hash >> 2) as i64 };
        let begin = Instant::now();
        let [mut nap, longest] = NAPS;
        while !lock.set(libc::F_WRLCK as i16) {
            let error = std::io::Error::last_os_error().raw_os_error();
            if !matches!(error, Some(libc::EAGAIN | libc::EACCES)) || begin.elapsed() > PATIENCE {
                // Nothing is locked, so nothing is freed.
                std::mem::forget(lock);
                return None;
            }
            std::thread::sleep(nap);
            nap = longest.min(nap * 2);
        }
        Some(lock)
    }
}

impl KeyLock<'_> {
    fn set(&self, kind: i16) -> bool {
        // SAFETY: plain numbers, zero is a value of each.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = kind;
        lock.l_whence = libc::SEEK_SET as i16;
        lock.l_start = self.offset;
        lock.l_len = 1;
        // SAFETY: the file is open, and the description lives.
        unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_SETLK, &lock) == 0 }
    }
}

impl Drop for KeyLock<'_> {
    fn drop(&mut self) {
        self.set(libc::F_UNLCK as i16);
    }
}
