//! A statistical profiler: while it runs, a signal interrupts the process at each interval of processor time, and its
//! handler notes the instruction pointer and the return addresses on the stack. Afterwards, the samples are counted by
//! source line.
//!
//! ```text
//! instruction pointer in compiled code                        its line
//! in the runtime, a library or the kernel, called from there  the line of the innermost call
//! in Python, or anything else                                 no line
//! ```
//!
//! Compiled code keeps no frame pointers, so that callers are found by scanning the stack for addresses of compiled code.
//!
//! Absent: other processors than x86-64 and AArch64 (no samples), time spent waiting.

use crate::elf::Object;
use diag::Result;
use entity::HashMap;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Samples that are kept; later ones are only counted.
const CAPACITY: usize = 1 << 17;
/// Return addresses kept per sample.
const CALLERS: usize = 7;
/// Bytes of the stack that are scanned for return addresses.
const SCANNED: usize = 4096;

/// Samples by file and line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineSamples {
    /// File, line, number of samples.
    pub lines: Vec<(String, u32, u64)>,
    /// All samples, those without a line included.
    pub total: u64,
}

/// The lines of a linked object, by address.
struct CodeLines {
    code: Vec<Range<u64>>,
    /// Address, file, line.
    lines: BTreeMap<u64, (usize, u32)>,
    files: Vec<String>,
}

static CODE: Mutex<Vec<CodeLines>> = Mutex::new(Vec::new());
/// The lowest and the highest address of compiled code so far.
static LOWEST: AtomicU64 = AtomicU64::new(u64::MAX);
static HIGHEST: AtomicU64 = AtomicU64::new(0);

type Sample = [u64; 1 + CALLERS];

/// Where the handler writes: each sample has a slot of its own.
struct Slots(Box<[UnsafeCell<Sample>]>);
// SAFETY: a slot is written by the one handler that took its number, and read when no handler runs.
unsafe impl Sync for Slots {}

static SLOTS: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static IS_RUNNING: AtomicBool = AtomicBool::new(false);
static OLD_HANDLER: Mutex<Option<libc::sigaction>> = Mutex::new(None);

/// Notes where the code of an object lies, and its lines.
pub(crate) fn register(object: &[u8], addresses: &HashMap<String, usize>) -> Result<()> {
    let object = Object::read(object)?;
    let code: Vec<Range<u64>> = object
        .functions(addresses)?
        .into_iter()
        .map(|function| function.address..function.address + function.size)
        .collect();
    let table = object.lines(addresses)?;
    // Instances of the library have no lines: their time is that of the line that calls them.
    if table.entries.is_empty() {
        return Ok(());
    }
    let lines = table.entries.iter().map(|entry| (entry.address, (entry.file, entry.line))).collect();
    for range in &code {
        LOWEST.fetch_min(range.start, Ordering::Relaxed);
        HIGHEST.fetch_max(range.end, Ordering::Relaxed);
    }
    let mut all = CODE.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(CodeLines { code, lines, files: table.files });
    Ok(())
}

/// Begins to take samples, one per interval of processor time.
///
/// # Errors
/// If samples are being taken already, or the system refuses the timer.
pub fn start(interval: Duration) -> io::Result<()> {
    let mut old = OLD_HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
    if old.is_some() {
        return Err(io::Error::other("samples are being taken already"));
    }
    if SLOTS.load(Ordering::Acquire) == 0 {
        let slots = Slots((0..CAPACITY).map(|_| UnsafeCell::new([0; 1 + CALLERS])).collect());
        // A handler may still run when the samples are read: the memory stays.
        SLOTS.store(std::ptr::from_ref(Box::leak(Box::new(slots))) as usize, Ordering::Release);
    }
    TAKEN.store(0, Ordering::Release);
    let handler: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = take_sample;
    // SAFETY: the action is complete, and the handler calls nothing but what is safe in one.
    let before = unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        let mut before = MaybeUninit::zeroed();
        if libc::sigaction(libc::SIGPROF, &raw const action, before.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        before.assume_init()
    };
    *old = Some(before);
    IS_RUNNING.store(true, Ordering::Release);
    let started = set_timer(interval);
    if started.is_err() {
        IS_RUNNING.store(false, Ordering::Release);
        *old = None;
    }
    started
}

/// Ends taking samples, and counts them by line.
pub fn stop() -> LineSamples {
    let mut old = OLD_HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(before) = old.take() else { return LineSamples::default() };
    let _ = set_timer(Duration::ZERO);
    IS_RUNNING.store(false, Ordering::Release);
    // A signal may still be on its way. The default action would end the process: the handler stays, and does nothing.
    if before.sa_sigaction != libc::SIG_DFL {
        // SAFETY: this is what `sigaction` gave.
        unsafe { libc::sigaction(libc::SIGPROF, &raw const before, std::ptr::null_mut()) };
    }
    let taken = TAKEN.load(Ordering::Acquire);
    // SAFETY: the address of the slots that `start` leaked.
    let slots = unsafe { &*(SLOTS.load(Ordering::Acquire) as *const Slots) };
    // SAFETY: handlers write no more.
    let samples = slots.0[..taken.min(CAPACITY)].iter().map(|slot| unsafe { *slot.get() });
    count(samples, taken as u64)
}

fn set_timer(interval: Duration) -> io::Result<()> {
    let interval = libc::timeval {
        tv_sec: interval.as_secs() as libc::time_t,
        tv_usec: interval.subsec_micros().into(),
    };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: the timer is complete, and nobody asks for the one before.
    match unsafe { libc::syscall(libc::SYS_setitimer, libc::ITIMER_PROF, &raw const timer, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The handler of the signal: it only makes system calls and writes to its slot.
unsafe extern "C" fn take_sample(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    if !IS_RUNNING.load(Ordering::Acquire) {
        return;
    }
    // SAFETY: the kernel passes the context of what was interrupted.
    let Some((pointer, stack)) = (unsafe { registers(context.cast()) }) else { return };
    let number = TAKEN.fetch_add(1, Ordering::AcqRel);
    if number >= CAPACITY {
        return;
    }
    let mut sample = [0; 1 + CALLERS];
    sample[0] = pointer;
    let compiled = LOWEST.load(Ordering::Relaxed)..HIGHEST.load(Ordering::Relaxed);
    // SAFETY: `errno` belongs to what was interrupted, and is restored.
    unsafe {
        let errno = *libc::__errno_location();
        scan_stack(stack, &compiled, &mut sample);
        *libc::__errno_location() = errno;
    }
    // SAFETY: the slots stay for ever, and this one is the handler's own.
    unsafe {
        let slots = &*(SLOTS.load(Ordering::Acquire) as *const Slots);
        *slots.0[number].get() = sample;
    }
}

/// Instruction pointer and stack pointer of what a signal interrupted.
///
/// # Safety
/// The context is the one that the kernel passes to a handler.
unsafe fn registers(context: *const libc::ucontext_t) -> Option<(u64, u64)> {
    // SAFETY: the caller's promise.
    let machine = unsafe { &(*context).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    return Some((
        machine.gregs[libc::REG_RIP as usize] as u64,
        machine.gregs[libc::REG_RSP as usize] as u64,
    ));
    #[cfg(target_arch = "aarch64")]
    return Some((machine.pc, machine.sp));
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = machine;
        None
    }
}

/// Notes the words above the stack pointer that may be return addresses of compiled code. The kernel copies them,
/// because the stack may end before the bytes do.
///
/// # Safety
/// None but that of the system call.
unsafe fn scan_stack(stack: u64, compiled: &Range<u64>, sample: &mut Sample) {
    let mut words = [0u64; SCANNED / 8];
    let local = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: SCANNED };
    // A page of its own, so that what can be read is read.
    let first = (SCANNED as u64 - stack % SCANNED as u64) as usize;
    let remote = [
        libc::iovec { iov_base: stack as *mut c_void, iov_len: first },
        libc::iovec { iov_base: (stack + first as u64) as *mut c_void, iov_len: SCANNED - first },
    ];
    // SAFETY: it writes at most the bytes of `words`, and reports what cannot be read.
    let read = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, remote.as_ptr(), remote.len() as u64, 0)
    };
    let count = usize::try_from(read).unwrap_or(0) / size_of::<u64>();
    let mut next = 1;
    for &word in &words[..count] {
        if compiled.contains(&word) && next < sample.len() {
            sample[next] = word;
            next += 1;
        }
    }
}

fn count(samples: impl Iterator<Item = Sample>, total: u64) -> LineSamples {
    let all = CODE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut counts: HashMap<(&str, u32), u64> = HashMap::default();
    let mut is_python = IsPython::default();
    for sample in samples {
        let line = line_of(&all, sample[0]).or_else(|| {
            // What is left on the stack by calls that have ended says nothing of Python code.
            let callers = sample[1..].iter().take_while(|&&address| address != 0);
            let mut callers = callers.filter_map(|&address| line_of(&all, address - 1));
            if is_python.at(sample[0]) { None } else { callers.next() }
        });
        if let Some(line) = line {
            *counts.entry(line).or_default() += 1;
        }
    }
    let mut lines: Vec<_> =
        counts.into_iter().map(|((file, line), count)| (file.to_owned(), line, count)).collect();
    lines.sort();
    LineSamples { lines, total }
}

/// The line of an address in compiled code. Of several objects at one address, the last one is there.
fn line_of(all: &[CodeLines], address: u64) -> Option<(&str, u32)> {
    let object = all.iter().rev().find(|object| object.code.iter().any(|range| range.contains(&address)))?;
    let (_, &(file, line)) = object.lines.range(..=address).next_back()?;
    let file = object.files.get(file)?;
    // Functions of the library, too, count for the line that calls them.
    (line != 0 && !abi::is_of_library(file)).then_some((file.as_str(), line))
}

/// Which mapped files are the interpreter's, by their start.
#[derive(Default)]
struct IsPython(HashMap<usize, bool>);

impl IsPython {
    fn at(&mut self, address: u64) -> bool {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: it fills in the record if it knows the address.
        if unsafe { libc::dladdr(address as *const c_void, info.as_mut_ptr()) } == 0 {
            return false;
        }
        // SAFETY: it was filled in.
        let info = unsafe { info.assume_init() };
        *self.0.entry(info.dli_fbase as usize).or_insert_with(|| {
            // SAFETY: the name of a mapped file.
            let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy();
            let name = path.rsplit('/').next().unwrap_or_default();
            name.starts_with("python") || name.starts_with("libpython")
        })
    }
}
