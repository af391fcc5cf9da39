//! The interrupt flags that loops of compiled code poll, and the thread that sets them some time after they were
//! cleared.
//!
//! Whoever finds a byte set clears it, which wakes the thread ([`rearm`]); so nothing happens in a process that runs no such loops.
//! Python runs handlers of signals on its main thread alone. How other threads are kept from polling depends on where a poll looks:
//!
//! | place | what other threads do |
//! |---|---|
//! | [`Interrupts::due`], whose address a function computes where it begins | their functions get the address of [`Interrupts::cancelled`]: a function knows its thread by the address of its frame |
//! | the low byte, whose address stands in the code | they look at the same byte, and clear it for a shorter time |
//! | the word with the limit of the stack, of functions that call themselves | each thread has a word of its own |
//!
//! Absent: what is done about signals (`python_rt::callbacks::interrupts`).

use std::arch::global_asm;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// What compiled code reads; `ir::Op::PollFlag` depends on its layout.
#[repr(C)]
pub(crate) struct Interrupts {
    /// Not 0 while functions of the main thread should look.
    due: AtomicU8,
    /// What functions of other threads read in its place: not 0 while a parallel loop is given up.
    cancelled: AtomicU8,
    /// The lowest address of the main thread's stack, and its size.
    stack: AtomicUsize,
    stack_size: AtomicUsize,
}

/// The one of the process. Modules that are built ahead of time are linked with it by its symbol.
#[unsafe(export_name = "rumba_interrupts")]
pub(crate) static INTERRUPTS: Interrupts = Interrupts {
    due: AtomicU8::new(0),
    cancelled: AtomicU8::new(0),
    stack: AtomicUsize::new(0),
    stack_size: AtomicUsize::new(0),
};

/// Where functions of the main thread that call themselves keep the limit of its stack: an address higher than all others makes them
/// look, too.
static STACK_WORD: AtomicPtr<AtomicUsize> = AtomicPtr::new(ptr::null_mut());

/// How many parallel loops are being given up, whose threads should leave their chunks.
static CANCELLED: AtomicUsize = AtomicUsize::new(0);

/// What runs Python's handlers, and on other threads than the main one says whether the running chunk is given up.
static POLL: AtomicUsize = AtomicUsize::new(0);

// What code calls that polls aside: all registers stay as they are. The flag "zero" is clear if a handler raised. The stack may
// stand anywhere. Registers of vectors go where `xsave` puts them; the part after 512 bytes must be 0 before.
global_asm!(
    ".text",
    ".hidden rumba_poll_out_of_line",
    ".globl rumba_poll_out_of_line",
    ".type rumba_poll_out_of_line, @function",
    "rumba_poll_out_of_line:",
    "push rbp",
    "mov rbp, rsp",
    "push rax",
    "push rcx",
    "push rdx",
    "push rsi",
    "push rdi",
    "push r8",
    "push r9",
    "push r10",
    "push r11",
    "sub rsp, 2816",
    "and rsp, -64",
    "xor eax, eax",
    "lea rdi, [rsp + 512]",
    "mov ecx, 8",
    "cld",
    "rep stosq",
    "mov eax, 0xe7",
    "xor edx, edx",
    "xsave64 [rsp]",
    "call {look}",
    "movzx eax, al",
    "mov [rsp + 2752], rax",
    "mov eax, 0xe7",
    "xor edx, edx",
    "xrstor64 [rsp]",
    "mov rax, [rsp + 2752]",
    "lea rsp, [rbp - 72]",
    "test rax, rax",
    "pop r11",
    "pop r10",
    "pop r9",
    "pop r8",
    "pop rdi",
    "pop rsi",
    "pop rdx",
    "pop rcx",
    "pop rax",
    "pop rbp",
    "ret",
    look = sym look_aside,
);

unsafe extern "C" {
    fn rumba_poll_out_of_line();
}

/// The byte that all threads look at that poll aside: below 2 GiB, so that one instruction reads it wherever the code is.
/// None where no memory is free there, or where the processor cannot save all of its registers.
pub(crate) fn low_byte() -> Option<&'static AtomicU8> {
    static PLACE: OnceLock<Option<&'static AtomicU8>> = OnceLock::new();
    *PLACE.get_or_init(|| {
        if !is_x86_feature_detected!("xsave") {
            return None;
        }
        // SAFETY: a new page, wherever the system puts it.
        let page = unsafe {
            let (access, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(ptr::null_mut(), 4096, access, flags | libc::MAP_32BIT, -1, 0)
        };
        // SAFETY: the page is full of zeros, and nobody gives it back.
        (page != libc::MAP_FAILED).then(|| unsafe { AtomicU8::from_ptr(page.cast()) })
    })
}

/// Whether code of this process may poll aside.
pub fn can_poll_out_of_line() -> bool {
    low_byte().is_some()
}

fn set_low_byte(due: u8) {
    if let Some(byte) = low_byte() {
        byte.store(due, Ordering::Release);
    }
}

/// What a loop calls that polls aside and found the low byte set. Threads other than the main one clear it for a shorter time, because
/// the main thread has not seen it.
extern "C" fn look_aside() -> bool {
    let is_main = is_main_thread();
    if is_main || CANCELLED.load(Ordering::Acquire) > 0 {
        let poll = POLL.load(Ordering::Acquire);
        // SAFETY: what `enable_interrupts` was given, if it was.
        let raised = poll != 0 && unsafe { std::mem::transmute::<usize, extern "C" fn() -> bool>(poll) }();
        if raised || is_main {
            return raised;
        }
    }
    set_low_byte(0);
    SHORTLY.store(true, Ordering::Relaxed);
    if !arm() {
        set_low_byte(1);
    }
    false
}

/// Where code calls what polls aside.
pub(crate) fn poll_out_of_line() -> usize {
    rumba_poll_out_of_line as *const () as usize
}

/// How long the bytes stay clear.
const PERIOD_NANOSECONDS: libc::c_long = 20_000_000;

/// How long the low byte does where another thread than the main one cleared it.
const SHORT_NANOSECONDS: libc::c_long = 4_000_000;

/// Whether another thread than the main one cleared the low byte.
static SHORTLY: AtomicBool = AtomicBool::new(false);

/// What the thread that sets the bytes does.
static STATE: AtomicU32 = AtomicU32::new(NONE);
/// It does not exist.
const NONE: u32 = 0;
/// It sleeps until a byte is cleared.
const IDLE: u32 = 1;
/// It sleeps until it sets the bytes.
const ARMED: u32 = 2;
/// It is asked to end.
const STOPPING: u32 = 3;
/// It is being made.
const STARTING: u32 = 4;

/// The thread, unless there is none.
static THREAD: AtomicU64 = AtomicU64::new(0);

/// Stack of the thread, which does next to nothing.
const STACK: usize = 64 << 10;

/// The calling thread, if the process began with it.
pub fn initial_thread() -> Option<u64> {
    // SAFETY: they ask for the numbers of the thread and the process.
    unsafe { (libc::gettid() == libc::getpid()).then(|| libc::pthread_self() as u64) }
}

/// From here on polls of this thread, a `pthread_t`, call `poll`: it is the one that runs handlers of signals. Called once.
pub fn enable_interrupts(thread: u64, poll: extern "C" fn() -> bool) {
    POLL.store(poll as *const () as usize, Ordering::Release);
    set_main_thread(thread as libc::pthread_t);
    // SAFETY: the handlers are functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child)) };
    set_due();
}

fn set_main_thread(thread: libc::pthread_t) {
    let (lowest, size) = crate::stack::bounds(thread).unwrap_or((0, 0));
    INTERRUPTS.stack.store(lowest, Ordering::Relaxed);
    INTERRUPTS.stack_size.store(size, Ordering::Relaxed);
}

/// A thread has a word for the limit of its stack, as long as it lives.
pub(crate) fn add_word(word: &AtomicUsize) {
    if is_main_thread() {
        STACK_WORD.store(ptr::from_ref(word).cast_mut(), Ordering::Release);
        word.store(usize::MAX, Ordering::Relaxed);
    }
}

/// Whether the running thread is the main one, as far as its stack tells.
pub fn is_main_thread() -> bool {
    let here = 0u8;
    let from_lowest = (&raw const here as usize).wrapping_sub(INTERRUPTS.stack.load(Ordering::Relaxed));
    from_lowest < INTERRUPTS.stack_size.load(Ordering::Relaxed)
}

/// From here on, the threads of the pool look whether their parallel loop is given up, until [`end_cancelling`].
pub fn begin_cancelling() {
    CANCELLED.fetch_add(1, Ordering::AcqRel);
    INTERRUPTS.cancelled.store(1, Ordering::Release);
    set_low_byte(1);
}

/// All threads have left the loop that was given up.
pub fn end_cancelling() {
    if CANCELLED.fetch_sub(1, Ordering::AcqRel) == 1 {
        INTERRUPTS.cancelled.store(0, Ordering::Release);
    }
    // Another loop may have been given up meanwhile.
    if CANCELLED.load(Ordering::Acquire) > 0 {
        INTERRUPTS.cancelled.store(1, Ordering::Release);
    }
}

/// The main thread should look.
fn set_due() {
    INTERRUPTS.due.store(1, Ordering::Release);
    set_low_byte(1);
    // SAFETY: the word lives as long as the main thread.
    if let Some(word) = unsafe { STACK_WORD.load(Ordering::Acquire).as_ref() } {
        word.store(usize::MAX, Ordering::Release);
    }
}

/// Clears the bytes for a while. Only the main thread calls this.
pub fn rearm() {
    INTERRUPTS.due.store(0, Ordering::Relaxed);
    set_low_byte(0);
    if !arm() {
        set_due();
    }
}

/// Sees to it that the thread sets the bytes in a while: whether it will.
fn arm() -> bool {
    match STATE.compare_exchange(IDLE, ARMED, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            wake();
            true
        }
        Err(ARMED) => true,
        Err(NONE) => start(),
        // Around a fork.
        Err(_) => false,
    }
}

/// Makes the thread; whether it is there.
fn start() -> bool {
    if STATE.compare_exchange(NONE, STARTING, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return false;
    }
    // SAFETY: attributes and masks are initialised by the calls before they are read; the thread's function takes no argument.
    let made = unsafe {
        let mut thread = std::mem::zeroed();
        let mut attributes = std::mem::zeroed();
        let (mut all, mut own) = (std::mem::zeroed(), std::mem::zeroed());
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, STACK);
        // Signals are for the threads of the program.
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut own);
        let made = libc::pthread_create(&mut thread, &attributes, tick, ptr::null_mut()) == 0;
        libc::pthread_sigmask(libc::SIG_SETMASK, &own, ptr::null_mut());
        libc::pthread_attr_destroy(&mut attributes);
        if made {
            THREAD.store(thread as u64, Ordering::Relaxed);
        }
        made
    };
    STATE.store(if made { ARMED } else { NONE }, Ordering::Release);
    if made {
        wake();
    }
    made
}

/// The thread: sets the bytes some time after one was cleared.
extern "C" fn tick(_: *mut c_void) -> *mut c_void {
    loop {
        match STATE.load(Ordering::Acquire) {
            STOPPING => return ptr::null_mut(),
            ARMED => {
                let short = SHORTLY.swap(false, Ordering::Relaxed);
                wait(ARMED, Some(if short { SHORT_NANOSECONDS } else { PERIOD_NANOSECONDS }));
                // In this order: who sees a byte set finds the thread idle.
                if STATE.compare_exchange(ARMED, IDLE, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                    set_due();
                }
            }
            state => wait(state, None),
        }
    }
}

/// Sleeps while the state is this one, for at most this many nanoseconds.
fn wait(state: u32, nanoseconds: Option<libc::c_long>) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: nanoseconds.unwrap_or(0) };
    let time = if nanoseconds.is_some() { &raw const time } else { ptr::null() };
    // SAFETY: the word and the time live as long as the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            STATE.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            state,
            time,
        )
    };
}

fn wake() {
    // SAFETY: the word is static.
    unsafe { libc::syscall(libc::SYS_futex, STATE.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
}

/// The thread ends before a fork, and begins again when it is needed: a child has the forking thread alone, and Python warns
/// of forks in processes with several.
extern "C" fn before_fork() {
    loop {
        let state = STATE.load(Ordering::Acquire);
        if state == STARTING || state == STOPPING {
            std::thread::yield_now();
        } else if STATE.compare_exchange(state, STOPPING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            if state != NONE {
                wake();
                // SAFETY: the thread was made and nobody else joins it.
                unsafe {
                    libc::pthread_join(THREAD.load(Ordering::Relaxed) as libc::pthread_t, ptr::null_mut())
                };
            }
            return;
        }
    }
}

extern "C" fn after_fork() {
    STATE.store(NONE, Ordering::Release);
    set_due();
}

/// The thread that forked is the main thread of the child.
extern "C" fn after_fork_in_child() {
    if !is_main_thread() {
        STACK_WORD.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: every thread has an id.
        set_main_thread(unsafe { libc::pthread_self() });
    }
    after_fork();
}
