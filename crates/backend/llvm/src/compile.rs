//! The pipeline of a unit, on one page.

use crate::cached_pass_manager::Generator;
use crate::error::{Complaints, broken, refused, take_message};
use crate::llvm_text;
use crate::module::emit_module;
use crate::pass_pipeline::Plan;
use crate::target::{Machine, native_machine};
use crate::{Compiled, Options, Texts, Unit};
use diag::Result;
use inkwell::context::Context;
use inkwell::module::Module;
use llvm_sys::core::{
    LLVMContextSetDiscardValueNames, LLVMDisposeMemoryBuffer, LLVMGetBufferSize, LLVMGetBufferStart,
    LLVMSetTarget,
};
use llvm_sys::target::LLVMSetModuleDataLayout;
use llvm_sys::target_machine::LLVMCodeGenFileType::LLVMAssemblyFile;
use llvm_sys::target_machine::LLVMTargetMachineEmitToMemoryBuffer;
use std::ptr;
use std::time::{Duration, Instant};

/// Compiles a unit to an object file. Its functions must satisfy the invariants of their phase (`ir::verify`).
pub fn compile(unit: &Unit, options: &Options) -> Result<Compiled> {
    let mut clock = Clock::start();
    let mut texts = Texts::default();
    let plan = Plan::choose(unit, options);
    let machine = native_machine(&options.cpu, plan.level)?;
    clock.lap("machine");
    let complaints = Complaints::default();
    let context = Context::create();
    complaints.listen(context.raw());
    // Names cost a hash table and a few string operations per instruction.
    // Text that is read must find them.
    let named = options.texts.llvm || options.texts.optimized || !unit.texts.is_empty();
    // SAFETY: the context is alive.
    unsafe { LLVMContextSetDiscardValueNames(context.raw(), (!named).into()) };
    let module = emit_module(&context, unit, options, &machine, &plan.rare)?;
    llvm_text::link(&context, &module, &unit.texts, &machine, &complaints)?;
    clock.lap("build");
    texts.llvm = options.texts.llvm.then(|| print(&module));
    if options.verify {
        verify(&module)?;
        clock.lap("verify");
    }
    let mut reduces = plan.reduces;
    if let Some(passes) = &plan.passes {
        reduces |= machine.optimizer(passes)?.run(module.as_mut_ptr(), plan.by_row);
        complaints.check("optimisation failed")?;
        clock.lap("optimize");
    }
    texts.optimized = options.texts.optimized.then(|| print(&module));
    if options.texts.assembly {
        // The code generator changes what it reads, so it reads a copy.
        let copy = module.clone();
        texts.assembly = Some(match plan.polls {
            true => {
                let text = Generator::of_assembly(machine.raw, reduces)?.run(copy.as_mut_ptr());
                String::from_utf8_lossy(&text).into_owned()
            }
            false => assembly(&copy, &machine)?,
        });
        clock.lap("assembly");
    }
    texts.remarks = complaints.remarks();
    let object = machine.generator(reduces, plan.polls)?.run(module.as_mut_ptr());
    complaints.check("code generation failed")?;
    clock.lap("codegen");
    drop(module);
    drop(context);
    clock.lap("free");
    Ok(Compiled { object, symbols: symbols(unit), timings: clock.laps, texts })
}

/// Alignment, passes and libcalls depend on the target: it is set before anything is built.
pub(crate) fn aim(module: &Module, machine: &Machine) {
    // SAFETY: module and machine are alive.
    unsafe {
        LLVMSetTarget(module.as_mut_ptr(), machine.triple.as_ptr());
        LLVMSetModuleDataLayout(module.as_mut_ptr(), machine.layout);
    }
}

/// The assembly of a module, which is changed on the way.
pub(crate) fn assembly(module: &Module, machine: &Machine) -> Result<String> {
    let mut message = ptr::null_mut();
    let mut buffer = ptr::null_mut();
    // SAFETY: module and machine are alive; a buffer that is given is ours.
    unsafe {
        let raw = module.as_mut_ptr();
        let kind = LLVMAssemblyFile;
        if LLVMTargetMachineEmitToMemoryBuffer(machine.raw, raw, kind, &mut message, &mut buffer) != 0 {
            return Err(refused("code generation failed", take_message(message)));
        }
        let start = LLVMGetBufferStart(buffer).cast::<u8>();
        let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer));
        let text = String::from_utf8_lossy(bytes).into_owned();
        LLVMDisposeMemoryBuffer(buffer);
        Ok(text)
    }
}

/// The text of a module.
pub(crate) fn print(module: &Module) -> String {
    module.print_to_string().to_string()
}

/// Reads a module with LLVM's verifier; what it finds is our own bug.
pub(crate) fn verify(module: &Module) -> Result<()> {
    module.verify().map_err(|message| broken(format!("LLVM's verifier: {}", message.to_string_lossy())))
}

fn symbols(unit: &Unit) -> Vec<String> {
    let entries = unit.functions.iter().flat_map(|member| {
        let native = member.exported.then(|| member.symbol.clone());
        native.into_iter().chain(member.thunk.clone())
    });
    entries.collect()
}

/// Times the steps.
struct Clock {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn start() -> Self {
        Clock { last: Instant::now(), laps: Vec::with_capacity(8) }
    }

    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }
}
