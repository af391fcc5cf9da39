//! Functions given as LLVM IR text by extensions: parsed, checked, and linked into a unit's module.

use crate::Options;
use crate::compile::aim;
use crate::error::{Complaints, refused};
use crate::pass_pipeline::FOREIGN;
use crate::target::{Machine, native_machine};
use diag::Result;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::{InstructionOpcode, PointerValue};
use llvm_sys::target_machine::LLVMCodeGenOptLevel;

/// What newer versions of LLVM print for what this one calls otherwise.
const OTHER_WORDS: &[(&str, &str)] = &[("captures(none)", "nocapture")];

/// Adds the functions of the texts to a module; they are inlined where it calls them.
pub(crate) fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    texts: &[&str],
    machine: &Machine,
    complaints: &Complaints,
) -> Result<()> {
    for text in texts {
        let read = parse(context, text)?;
        aim(&read, machine);
        keep_stack_memory(context, &read)?;
        let own: Vec<String> = read
            .get_functions()
            .filter(|function| function.count_basic_blocks() > 0)
            .map(|function| function.get_name().to_string_lossy().into_owned())
            .collect();
        module.link_in_module(read).map_err(|message| refused("linking an intrinsic failed", message))?;
        complaints.check("linking an intrinsic failed")?;
        for name in own {
            if let Some(function) = module.get_function(&name) {
                function.set_linkage(Linkage::Internal);
            }
        }
    }
    Ok(())
}

/// Lets stack memory of the functions live as long as the frame of the function that they are inlined into: they may return its address. The inliner
/// ends the life of such memory where the inlined code ends, unless it is marked already.
fn keep_stack_memory<'ctx>(context: &'ctx Context, module: &Module<'ctx>) -> Result<()> {
    let start = Intrinsic::find("llvm.lifetime.start")
        .ok_or_else(|| refused("marking stack memory failed", "LLVM has no lifetime markers"))?;
    let builder = context.create_builder();
    let unknown_size = context.i64_type().const_all_ones();
    for entry in module.get_functions().filter_map(|function| function.get_first_basic_block()) {
        for alloca in entry.get_instructions().filter(|inst| inst.get_opcode() == InstructionOpcode::Alloca) {
            let Ok(address) = PointerValue::try_from(alloca) else { continue };
            let Some(marker) = start.get_declaration(module, &[address.get_type().into()]) else { continue };
            match alloca.get_next_instruction() {
                Some(next) => builder.position_before(&next),
                None => builder.position_at_end(entry),
            }
            let marked = builder.build_call(marker, &[unknown_size.into(), address.into()], "");
            marked.map_err(|error| refused("marking stack memory failed", error))?;
        }
    }
    Ok(())
}

/// Machine code of functions that others wrote, which stand for themselves; those that have bodies can be found by name.
pub fn compile_text(text: &str, options: &Options) -> Result<Vec<u8>> {
    let machine = native_machine(&options.cpu, LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault)?;
    let complaints = Complaints::default();
    let context = Context::create();
    complaints.listen(context.raw());
    let module = parse(&context, text)?;
    aim(&module, &machine);
    machine.optimizer(FOREIGN)?.run(module.as_mut_ptr(), false);
    complaints.check("optimisation failed")?;
    let object = machine.generator(false, false)?.run(module.as_mut_ptr());
    complaints.check("code generation failed")?;
    Ok(object)
}

fn parse<'ctx>(context: &'ctx Context, text: &str) -> Result<Module<'ctx>> {
    let mut text = text.to_owned();
    for (theirs, ours) in OTHER_WORDS {
        text = text.replace(theirs, ours);
    }
    text.push('\0');
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "intrinsic");
    let module = context.create_module_from_ir(buffer);
    let module = module.map_err(|message| refused("LLVM does not read the text of an intrinsic", message))?;
    module
        .verify()
        .map_err(|message| refused("LLVM's verifier refuses the text of an intrinsic", message))?;
    Ok(module)
}
