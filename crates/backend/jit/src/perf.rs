//! Tells the profiler `perf` what code lies where: a map of symbols (`/tmp/perf-PID.map`), and a jitdump with code and
//! lines (`/tmp/jit-PID.dump`), which `perf inject --jit` makes objects of.
//!
//! The formats are those of `perf` in the sources of Linux (`jit-interface.txt`, `jitdump-specification.txt`).

use crate::elf::{Function, Object};
use crate::sampler;
use diag::Result;
use entity::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::process;
use std::sync::{Mutex, PoisonError};

const CODE_LOAD: u32 = 0;
const DEBUG_INFO: u32 = 2;
const MAGIC: u32 = 0x4a69_5444;
const X86_64: u32 = 62;
const HEADER_BYTES: u32 = 40;

/// Which files are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// The map of symbols.
    pub map: bool,
    /// The jitdump.
    pub dump: bool,
    /// Nothing, but the lines are kept for the process's own samples ([`crate::start_sampling`]).
    pub samples: bool,
}

impl Profile {
    /// Whether objects have line tables.
    pub fn needs_lines(self) -> bool {
        self.dump || self.samples
    }
}

/// The files of a process.
struct Files {
    process: u32,
    map: Option<File>,
    dump: Option<File>,
    /// The number of the next function.
    next: u64,
}

static FILES: Mutex<Option<Files>> = Mutex::new(None);

/// Tells of the functions of an object in memory, if anybody is to know. A file that cannot be written stays behind silently: a program
/// runs without a profile rather than not at all.
pub(crate) fn tell(
    Profile { map, dump, samples }: Profile,
    object: &[u8],
    addresses: &HashMap<String, usize>,
) -> Result<()> {
    if samples {
        sampler::register(object, addresses)?;
    }
    if !map && !dump {
        return Ok(());
    }
    let object = Object::read(object)?;
    let functions = object.functions(addresses)?;
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    // A forked process has files of its own.
    if files.as_ref().is_none_or(|files| files.process != process::id()) {
        *files = Some(Files::open(map, dump));
    }
    let Some(files) = files.as_mut() else { return Ok(()) };
    for function in &functions {
        if let Some(map) = &mut files.map {
            let Function { address, size, .. } = function;
            let _ = map.write_all(format!("{address:x} {size:x} {}\n", readable(&function.name)).as_bytes());
        }
    }
    if files.dump.is_some() {
        let lines = object.lines(addresses)?;
        for function in &functions {
            files.dump_function(function, &lines);
        }
    }
    Ok(())
}

impl Files {
    fn open(map: bool, dump: bool) -> Files {
        let process = process::id();
        let map = if map { create(&format!("/tmp/perf-{process}.map")) } else { None };
        let dump = if dump { open_dump(process) } else { None };
        Files { process, map, dump, next: 0 }
    }

    fn dump_function(&mut self, function: &Function, lines: &crate::line_table::LineTable) {
        let Some(dump) = &mut self.dump else { return };
        let end = function.address + function.size;
        let own = lines.entries.iter().filter(|entry| {
            (function.address..end).contains(&entry.address)
                && entry.line != 0
                && entry.file < lines.files.len()
        });
        let mut body = Vec::new();
        let mut count = 0u64;
        for entry in own {
            body.extend(entry.address.to_le_bytes());
            body.extend(entry.line.to_le_bytes());
            body.extend(0u32.to_le_bytes());
            body.extend(lines.files[entry.file].as_bytes());
            body.push(0);
            count += 1;
        }
        let mut records = Vec::new();
        if count > 0 {
            let start = [function.address.to_le_bytes(), count.to_le_bytes()].concat();
            records.extend(record(DEBUG_INFO, &[start, body].concat()));
        }
        let mut load = Vec::new();
        // SAFETY: always succeeds.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        load.extend(self.process.to_le_bytes());
        load.extend(thread.to_le_bytes());
        for word in [function.address, function.address, function.size, self.next] {
            load.extend(word.to_le_bytes());
        }
        load.extend(readable(&function.name).as_bytes());
        load.push(0);
        // SAFETY: the linker put the function's code there, and the unit that is being linked keeps it.
        let code =
            unsafe { std::slice::from_raw_parts(function.address as *const u8, function.size as usize) };
        load.extend(code);
        records.extend(record(CODE_LOAD, &load));
        self.next += 1;
        let _ = dump.write_all(&records);
    }
}

/// A new file of this user's; one that an earlier process left is replaced.
fn create(path: &str) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    options.open(path).or_else(|_| std::fs::remove_file(path).and_then(|()| options.open(path))).ok()
}

fn open_dump(process: u32) -> Option<File> {
    let mut file = create(&format!("/tmp/jit-{process}.dump"))?;
    let mut header = Vec::new();
    for word in [MAGIC, 1, HEADER_BYTES, X86_64, 0, process] {
        header.extend(word.to_le_bytes());
    }
    header.extend(now().to_le_bytes());
    header.extend(0u64.to_le_bytes());
    file.write_all(&header).ok()?;
    // `perf record` notes the file by this mapping, which stays.
    // SAFETY: a mapping of a file that is open, where nothing is.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        let start = std::ptr::null_mut();
        libc::mmap(start, HEADER_BYTES as usize, protection, libc::MAP_PRIVATE, file.as_raw_fd(), 0);
    }
    Some(file)
}

fn record(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut made = Vec::with_capacity(body.len() + 16);
    made.extend(kind.to_le_bytes());
    made.extend((body.len() as u32 + 16).to_le_bytes());
    made.extend(now().to_le_bytes());
    made.extend(body);
    made
}

/// Nanoseconds of the clock that `perf record -k mono` uses.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// `_ZN8__main__5inner...` as `rumba:__main__.inner`; any other symbol as it is.
fn readable(symbol: &str) -> String {
    let Some(mut rest) = symbol.strip_prefix("_ZN") else { return symbol.to_owned() };
    let mut parts = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0) {
        let part = rest[..digits].parse().ok().and_then(|length: usize| rest.get(digits..digits + length));
        let Some(part) = part else { return symbol.to_owned() };
        rest = &rest[digits + part.len()..];
        parts.push(part.replace("_3c", "<").replace("_3e", ">"));
    }
    format!("rumba:{}", parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn symbols_are_read() {
        assert_eq!(readable("_ZN8__main__5innerEz.0.1"), "rumba:__main__.inner");
        assert_eq!(readable("_ZN1a4make12_3clocals_3e1fEz.7.python"), "rumba:a.make.<locals>.f");
        assert_eq!(readable("rumba.library.sum"), "rumba.library.sum");
    }
}
