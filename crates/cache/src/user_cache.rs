//! Records kept for later processes: a folder with one file each.
//!
//! Any number of processes may use it at once: files are replaced whole, and one that was removed meanwhile is
//! a miss.

use crate::key_lock::KeyLocks;
use crate::{Fault, File, Hasher, KeyLock, Record, Stamp, write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use std::{fs, io};

/// A folder of records.
pub struct Store {
    folder: PathBuf,
    stamp: Stamp,
    /// The processor that its object files are for.
    cpu: String,
    /// How many bytes it may take.
    most: u64,
    /// Bytes that this process kept since it last looked through the folder.
    unseen: AtomicU64,
    locks: KeyLocks,
}

/// The share of the bytes that a process keeps between two looks through the folder: a look takes time in proportion to the files in it.
const SHARE: u64 = 16;

/// How long a process may take to write a file.
const WRITING: Duration = Duration::from_secs(600);

/// How exactly files know when they were last used.
const USED: Duration = Duration::from_secs(3600);

/// A file that is read is a file that was used lately: what was used longest ago goes first.
fn note_use(path: &Path) {
    let age = fs::metadata(path).and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    if age.is_some_and(|age| age > USED) {
        // A folder that is only read keeps its times.
        let _ = fs::File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Whether a process that was killed left this behind when it wrote a file.
fn is_left_over(path: &Path, data: &fs::Metadata) -> bool {
    let is_temporary = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let age = data.modified().ok().and_then(|time| time.elapsed().ok());
    is_temporary && data.is_file() && age.is_some_and(|age| age > WRITING)
}

impl Store {
    /// The store in a folder, which need not exist.
    pub fn new(folder: &Path, stamp: Stamp, cpu: &str, most: u64) -> Store {
        // The first record of a process leads to a look.
        let unseen = AtomicU64::new(most);
        Store {
            folder: folder.to_owned(),
            stamp,
            cpu: cpu.to_owned(),
            most,
            unseen,
            locks: KeyLocks::default(),
        }
    }

    /// The file of a key's record.
    pub fn path<R: Record>(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{}", self.hash(key), R::ENDING))
    }

    fn hash(&self, key: &str) -> u64 {
        let mut hasher = Hasher::default();
        for text in [key, &self.cpu] {
            hasher.add_text(text);
        }
        let Stamp { build, sources } = self.stamp;
        for number in [build, sources] {
            hasher.add(&number.to_le_bytes());
        }
        hasher.finish()
    }

    /// Keeps other processes from making a key's record meanwhile, as far as that is possible.
    pub fn lock(&self, key: &str) -> Option<KeyLock<'_>> {
        self.make_folder().ok()?;
        self.locks.lock(&self.folder, self.hash(key))
    }

    /// Code that others may write is not to be run.
    fn make_folder(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// The record for a key. One that is damaged is removed.
    pub fn find<R: Record>(&self, key: &str) -> Result<Option<R>, Fault> {
        let path = self.path::<R>(key);
        let found = File::open(&path, self.stamp).and_then(|file| file.find(key));
        match found {
            Err(Fault::Missing) => Ok(None),
            Err(Fault::Unreadable(why)) => Err(Fault::Unreadable(why)),
            Err(fault) => {
                // Whoever may not remove it may not replace it either.
                let _ = fs::remove_file(&path);
                Err(fault)
            }
            found => {
                note_use(&path);
                found
            }
        }
    }

    /// Keeps a record. What was used longest ago goes if there is no room.
    pub fn keep<R: Record>(&self, record: &R) -> io::Result<()> {
        self.make_folder()?;
        let path = self.path::<R>(record.key());
        write(&path, self.stamp, std::slice::from_ref(record))?;
        // Another process may have removed it.
        let size = fs::metadata(&path).map_or(0, |data| data.len());
        let unseen = self.unseen.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        if unseen <= self.most / SHARE {
            return Ok(());
        }
        self.unseen.store(0, Ordering::Relaxed);
        self.make_room::<R>()
    }

    /// Leaves room for what is kept until the next look.
    fn make_room<R: Record>(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for file in fs::read_dir(&self.folder)?.flatten() {
            let path = file.path();
            // Another process may have removed it.
            let Ok(data) = file.metadata() else { continue };
            if is_left_over(&path, &data) {
                let _ = fs::remove_file(path);
            } else if data.is_file() && path.extension().is_some_and(|ending| ending == R::ENDING) {
                files.push((data.modified()?, data.len(), path));
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|&(_, size, _)| size).sum();
        for (_, size, path) in files {
            if total <= self.most - self.most / SHARE {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }
}
