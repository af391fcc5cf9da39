//! The format of a file: header, index, records.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `RUMBALIB` |
//! | 8 | version of the format |
//! | 8, 8 | the stamp: build of the compiler, sources of the library |
//! | 8 | length of the file |
//! | 8 | number of entries |
//! | 8 | length of the dictionary for compressed records; 0 without one |
//! | 8 | hash of the index |
//! | 8 | hash of the header up to here |
//! | 40 each | index, by hash: hash of the key, place of the record, its length in the file, its length, its hash |
//! | | the dictionary |
//! | | records ([`crate::Record`]); those that are shorter in the file are compressed |

use crate::compression::{Compressed, Decompression, compress};
use crate::encoding::{Hasher, Reader, put_u64};
use crate::mmap::Map;
use crate::{Record, Stamp};
use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;
use std::{fmt, fs, io, process};

const MAGIC: &[u8; 8] = b"RUMBALIB";
const FORMAT: u64 = 2;
const HEADER: usize = 72;
const ROW: usize = 40;

/// Why a file, or an entry of it, cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// It cannot be read.
    Unreadable(String),
    /// It is no such file, or one of another version of the format.
    Foreign,
    /// It was made by another build of the compiler.
    OtherBuild,
    /// It was made from other sources.
    OtherSources,
    /// Its end is missing.
    Truncated,
    /// Its bytes are not those that were written.
    Corrupted,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing => f.write_str("it is not there"),
            Fault::Unreadable(why) => write!(f, "it cannot be read: {why}"),
            Fault::Foreign => f.write_str("it has another format"),
            Fault::OtherBuild => f.write_str("it was made by another build of Rumba"),
            Fault::OtherSources => f.write_str("the library's sources have changed since it was made"),
            Fault::Truncated => f.write_str("its end is missing"),
            Fault::Corrupted => f.write_str("its bytes have changed since it was made"),
        }
    }
}

/// A file whose header and index were checked.
pub struct File {
    map: Map,
    entries: usize,
    dictionary: usize,
    decompression: OnceLock<Decompression>,
}

#[derive(Clone, Copy)]
struct Row {
    key: u64,
    offset: u64,
    stored: u64,
    length: u64,
    checksum: u64,
}

impl File {
    /// Opens a file that was made by and from what `stamp` says.
    pub fn open(path: &Path, stamp: Stamp) -> Result<File, Fault> {
        let map = Map::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Fault::Missing,
            _ => Fault::Unreadable(error.to_string()),
        })?;
        let (entries, dictionary) = check(&map, stamp)?;
        Ok(File { map, entries, dictionary, decompression: OnceLock::new() })
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The entry for a key, if there is one.
    pub fn find<R: Record>(&self, key: &str) -> Result<Option<R>, Fault> {
        let wanted = Hasher::of(key.as_bytes());
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low.midpoint(high);
            if self.row(middle)?.key < wanted { low = middle + 1 } else { high = middle }
        }
        while low < self.entries {
            let row = self.row(low)?;
            if row.key != wanted {
                break;
            }
            let entry: R = self.read(row)?;
            if entry.key() == key {
                return Ok(Some(entry));
            }
            low += 1;
        }
        Ok(None)
    }

    /// All entries, or what is wrong with one, in the order of the index.
    pub fn entries<R: Record>(&self) -> impl Iterator<Item = Result<R, Fault>> {
        (0..self.entries).map(|number| self.read(self.row(number)?))
    }

    fn row(&self, number: usize) -> Result<Row, Fault> {
        row(&self.map, number).ok_or(Fault::Truncated)
    }

    fn read<R: Record>(&self, row: Row) -> Result<R, Fault> {
        let record = self.record(row).ok_or(Fault::Corrupted)?;
        if Hasher::of(&record) != row.checksum {
            return Err(Fault::Corrupted);
        }
        R::read(&record).ok_or(Fault::Corrupted)
    }

    fn record(&self, row: Row) -> Option<Cow<'_, [u8]>> {
        let [offset, stored, length] = [row.offset, row.stored, row.length].map(usize::try_from);
        let (offset, stored, length) = (offset.ok()?, stored.ok()?, length.ok()?);
        let bytes = self.map.get(offset..offset.checked_add(stored)?)?;
        if stored == length {
            return Some(Cow::Borrowed(bytes));
        }
        let start = HEADER + self.entries * ROW;
        let dictionary = self.map.get(start..start.checked_add(self.dictionary)?)?;
        let decompression = self.decompression.get_or_init(|| Decompression::new(dictionary));
        decompression.decompress(bytes, length).ok().map(Cow::Owned)
    }
}

/// The number of entries and the length of the dictionary of a file that is as it should be.
fn check(bytes: &[u8], stamp: Stamp) -> Result<(usize, usize), Fault> {
    let mut reader = Reader(bytes);
    let mut next = || reader.u64().ok_or(Fault::Truncated);
    if next()? != u64::from_le_bytes(*MAGIC) || next()? != FORMAT {
        return Err(Fault::Foreign);
    }
    let (build, sources, length) = (next()?, next()?, next()?);
    let (count, dictionary, index) = (next()?, next()?, next()?);
    if Hasher::of(&bytes[..HEADER - 8]) != next()? {
        return Err(Fault::Corrupted);
    }
    if build != stamp.build {
        return Err(Fault::OtherBuild);
    }
    if sources != stamp.sources {
        return Err(Fault::OtherSources);
    }
    if bytes.len() as u64 != length {
        return Err(Fault::Truncated);
    }
    let count = usize::try_from(count).map_err(|_| Fault::Corrupted)?;
    let dictionary = usize::try_from(dictionary).map_err(|_| Fault::Corrupted)?;
    let rows = count.checked_mul(ROW).and_then(|size| bytes.get(HEADER..HEADER.checked_add(size)?));
    if Hasher::of(rows.ok_or(Fault::Corrupted)?) != index {
        return Err(Fault::Corrupted);
    }
    Ok((count, dictionary))
}

fn row(bytes: &[u8], number: usize) -> Option<Row> {
    let mut reader = Reader(bytes.get(HEADER + number * ROW..)?);
    let mut next = || reader.u64();
    Some(Row { key: next()?, offset: next()?, stored: next()?, length: next()?, checksum: next()? })
}

/// Writes a file with its records as they are; who reads it meanwhile has the old one or the new one, whole.
pub fn write<R: Record>(path: &Path, stamp: Stamp, entries: &[R]) -> io::Result<()> {
    write_as(path, stamp, entries, |records| {
        Ok(Compressed { dictionary: Vec::new(), records: records.to_vec() })
    })
}

/// As [`write`], with compressed records: slow to write, a tenth as long, and nearly as fast to read.
pub fn write_compressed<R: Record>(path: &Path, stamp: Stamp, entries: &[R]) -> io::Result<()> {
    write_as(path, stamp, entries, compress)
}

fn write_as<R: Record>(
    path: &Path,
    stamp: Stamp,
    entries: &[R],
    stored: impl FnOnce(&[Vec<u8>]) -> io::Result<Compressed>,
) -> io::Result<()> {
    let mut records: Vec<(u64, Vec<u8>)> =
        entries.iter().map(|entry| (Hasher::of(entry.key().as_bytes()), entry.write())).collect();
    records.sort();
    let (keys, records): (Vec<u64>, Vec<Vec<u8>>) = records.into_iter().unzip();
    let Compressed { dictionary, records: compressed } = stored(&records)?;
    let mut index = Vec::new();
    let mut content = dictionary.clone();
    let start = HEADER + records.len() * ROW;
    for ((key, record), compressed) in keys.iter().zip(&records).zip(&compressed) {
        let stored = if compressed.len() < record.len() { compressed } else { record };
        let offset = (start + content.len()) as u64;
        for number in [*key, offset, stored.len() as u64, record.len() as u64, Hasher::of(record)] {
            put_u64(&mut index, number);
        }
        content.extend(stored);
    }
    let mut bytes = MAGIC.to_vec();
    let (length, count) = ((start + content.len()) as u64, records.len() as u64);
    let hash = Hasher::of(&index);
    for number in [FORMAT, stamp.build, stamp.sources, length, count, dictionary.len() as u64, hash] {
        put_u64(&mut bytes, number);
    }
    let header = Hasher::of(&bytes);
    put_u64(&mut bytes, header);
    bytes.extend(index);
    bytes.extend(content);
    replace(path, &bytes)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    let fresh = path.with_file_name(format!(".{name}.{}.{number}", process::id()));
    let written = fs::write(&fresh, bytes).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // It may never have been made.
        let _ = fs::remove_file(&fresh);
    }
    written
}
