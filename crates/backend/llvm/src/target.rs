//! Targets, the host processor, and a thread's target machines.

use crate::Cpu;
use crate::cached_pass_manager::{Generator, Optimizer};
use crate::error::{broken, c_string, refused, take_message};
use diag::Result;
use entity::HashMap;
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::cell::{OnceCell, RefCell};
use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::rc::Rc;
use std::sync::{Once, OnceLock};

static NATIVE: Once = Once::new();
static NVPTX: Once = Once::new();

/// Registers the host's target with LLVM; cheap after the first time.
pub fn initialize() {
    initialize_with(&[]);
}

/// The same for compilations that tell which loops were vectorized, and why others were not: the analysis of these takes time.
/// Without effect where LLVM has begun to work.
pub fn initialize_with_remarks() {
    initialize_with(&[
        c"-pass-remarks=loop-vectorize|slp-vectorizer|loop-unroll",
        c"-pass-remarks-missed=loop-vectorize",
        c"-pass-remarks-analysis=loop-vectorize",
    ]);
}

fn initialize_with(options: &[&CStr]) {
    NATIVE.call_once(|| {
        // SAFETY: registration runs once, under `Once`.
        unsafe {
            LLVMInstallFatalErrorHandler(Some(report_fatal));
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            set_options(options);
        }
    });
}

/// What takes more than linear time and gains nothing here.
///
/// LLVM counts the iterations of a loop that computes with constants by running it, up to 100
/// times for every exit of every loop: with a check per division that was most of the compile
/// time. Loops whose count matters are counted by their induction variable. The reassignment of
/// integers to mask registers is quadratic in the size of a block: 11 of 12 s for 10,000 lines.
/// The second scheduling, after the allocation of registers, is a twentieth of the time, and
/// processors that reorder instructions by themselves gain nothing from it. Of several rounds of a loop at once only short
/// bodies gain.
unsafe fn set_options(others: &[&CStr]) {
    let slow = [
        c"rumba",
        c"-scalar-evolution-max-iterations=0",
        c"-disable-x86-domain-reassignment",
        c"-disable-post-ra",
        c"-unroll-partial-threshold=60",
    ];
    let arguments: Vec<*const c_char> = slow.iter().chain(others).map(|text| text.as_ptr()).collect();
    // SAFETY: texts that end in NUL, and no overview.
    unsafe { LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), ptr::null()) };
}

/// Registers the target of NVIDIA's GPUs.
pub(crate) fn initialize_nvptx() {
    initialize();
    NVPTX.call_once(|| {
        // SAFETY: as in `initialize`.
        unsafe {
            LLVMInitializeNVPTXTargetInfo();
            LLVMInitializeNVPTXTarget();
            LLVMInitializeNVPTXTargetMC();
            LLVMInitializeNVPTXAsmPrinter();
        }
    });
}

/// LLVM ends the process after this: unwinding through its frames is not possible.
extern "C" fn report_fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    eprintln!("rumba: internal compiler error: LLVM cannot go on: {reason}");
    eprintln!(
        "This is a bug of Rumba, not of your program. Please report it with the function that shows it."
    );
}

/// Name and features of the processor this runs on.
fn host_cpu() -> &'static (CString, CString) {
    static HOST: OnceLock<(CString, CString)> = OnceLock::new();
    HOST.get_or_init(|| {
        // SAFETY: both calls give strings that are ours.
        let read = |message| CString::new(take_message(message)).unwrap_or_default();
        // SAFETY: both calls give strings that are ours.
        unsafe { (read(LLVMGetHostCPUName()), read(LLVMGetHostCPUFeatures())) }
    })
}

/// Name and features of the processor this runs on, as one text.
pub fn host_name() -> String {
    let (name, features) = host_cpu();
    format!("{} {}", name.to_string_lossy(), features.to_string_lossy())
}

/// What a machine is asked for by.
#[derive(Clone, PartialEq, Eq, Hash)]
struct MachineKey {
    cpu: Cpu,
    level: u8,
    nvptx: bool,
}

/// A target machine with its data layout; bound to its thread.
pub(crate) struct Machine {
    /// The machine itself.
    pub(crate) raw: LLVMTargetMachineRef,
    /// Its data layout.
    pub(crate) layout: LLVMTargetDataRef,
    /// Its triple.
    pub(crate) triple: CString,
    generators: [OnceCell<Generator>; 4],
    optimizers: RefCell<HashMap<CString, Rc<Optimizer>>>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        // What runs on the machine goes first.
        self.generators.iter_mut().for_each(|generator| drop(generator.take()));
        self.optimizers.get_mut().clear();
        // SAFETY: both were made for this value alone.
        unsafe {
            LLVMDisposeTargetData(self.layout);
            LLVMDisposeTargetMachine(self.raw);
        }
    }
}

thread_local! {
    /// A machine takes 0.2 ms to make and remembers the subtarget: each thread keeps its own.
    static MACHINES: RefCell<HashMap<MachineKey, Rc<Machine>>> = RefCell::default();
}

/// This thread's machine for the host architecture.
pub(crate) fn native_machine(cpu: &Cpu, level: LLVMCodeGenOptLevel) -> Result<Rc<Machine>> {
    initialize();
    let key = MachineKey { cpu: cpu.clone(), level: level as u8, nvptx: false };
    cached(key, || {
        let (name, features) = match cpu {
            Cpu::Host => host_cpu().clone(),
            Cpu::Named(name, features) => (c_string(name)?, c_string(features)?),
        };
        // SAFETY: gives a string that is ours.
        let triple = take_message(unsafe { LLVMGetDefaultTargetTriple() });
        Machine::create(&triple, &name, &features, level)
    })
}

/// A new machine for any processor of the host's architecture; whoever asks disposes of it.
pub fn plain_machine() -> Result<LLVMTargetMachineRef> {
    initialize();
    // SAFETY: gives a string that is ours.
    let triple = take_message(unsafe { LLVMGetDefaultTargetTriple() });
    create(&c_string(&triple)?, c"x86-64", c"", LLVMCodeGenOptLevel::LLVMCodeGenLevelNone)
}

/// This thread's machine for a GPU architecture as `sm_80` with features as `+ptx80`.
pub(crate) fn nvptx_machine(cpu: &str, features: &str) -> Result<Rc<Machine>> {
    initialize_nvptx();
    let level = LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault;
    let key = MachineKey { cpu: Cpu::Named(cpu.into(), features.into()), level: level as u8, nvptx: true };
    cached(key, || Machine::create("nvptx64-nvidia-cuda", &c_string(cpu)?, &c_string(features)?, level))
}

fn cached(key: MachineKey, create: impl FnOnce() -> Result<Machine>) -> Result<Rc<Machine>> {
    if let Some(found) = MACHINES.with_borrow(|machines| machines.get(&key).cloned()) {
        return Ok(found);
    }
    let machine = Rc::new(create()?);
    MACHINES.with_borrow_mut(|machines| machines.insert(key, Rc::clone(&machine)));
    Ok(machine)
}

impl Machine {
    fn create(triple: &str, cpu: &CStr, features: &CStr, level: LLVMCodeGenOptLevel) -> Result<Machine> {
        let triple = c_string(triple)?;
        let raw = create(&triple, cpu, features, level)?;
        // SAFETY: the machine is alive.
        let layout = unsafe { LLVMCreateTargetDataLayout(raw) };
        Ok(Machine { raw, layout, triple, generators: Default::default(), optimizers: RefCell::default() })
    }

    /// The generator of objects, set up the first time, with or without the reduction of strength in loops, and polls put aside.
    pub(crate) fn generator(&self, reduces: bool, polls: bool) -> Result<&Generator> {
        let slot = &self.generators[usize::from(reduces) + 2 * usize::from(polls)];
        if let Some(generator) = slot.get() {
            return Ok(generator);
        }
        let generator = Generator::new(self.raw, reduces, polls)?;
        Ok(slot.get_or_init(|| generator))
    }

    /// The passes of a text, set up the first time.
    pub(crate) fn optimizer(&self, text: &CStr) -> Result<Rc<Optimizer>> {
        if let Some(found) = self.optimizers.borrow().get(text) {
            return Ok(Rc::clone(found));
        }
        let optimizer = Rc::new(Optimizer::new(self, text)?);
        self.optimizers.borrow_mut().insert(text.to_owned(), Rc::clone(&optimizer));
        Ok(optimizer)
    }
}

fn create(
    triple: &CStr,
    cpu: &CStr,
    features: &CStr,
    level: LLVMCodeGenOptLevel,
) -> Result<LLVMTargetMachineRef> {
    let mut target = ptr::null_mut();
    let mut message = ptr::null_mut();
    // The JIT's default code model would be the large one, with slower code.
    let (relocations, model) = (LLVMRelocMode::LLVMRelocPIC, LLVMCodeModel::LLVMCodeModelSmall);
    // SAFETY: all strings are NUL-terminated and live through the calls.
    let raw = unsafe {
        if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
            return Err(refused("no such target", take_message(message)));
        }
        let (cpu, features) = (cpu.as_ptr(), features.as_ptr());
        LLVMCreateTargetMachine(target, triple.as_ptr(), cpu, features, level, relocations, model)
    };
    if raw.is_null() { Err(broken(format!("no target machine for {cpu:?}"))) } else { Ok(raw) }
}
