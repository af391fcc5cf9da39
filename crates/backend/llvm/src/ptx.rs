//! Compiles Explicit IR for NVIDIA GPUs, to PTX.

use crate::compile::{aim, assembly, verify};
use crate::error::{Complaints, refused};
use crate::function_body::{self, Frame};
use crate::module::Emitter;
use crate::target::nvptx_machine;
use crate::vector_math::Mathematics;
use crate::{FastMath, Options, Unit, UnitFunction};
use diag::Result;
use inkwell::context::Context;
use inkwell::module::Linkage;
use llvm_sys::LLVMCallConv;

/// How PTX is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PtxOptions {
    /// The architecture, as `sm_80`.
    pub architecture: String,
    /// The version of PTX, as `+ptx80`.
    pub version: String,
    /// Symbols of the functions that the host launches. They return nothing and cannot fail.
    pub kernels: Vec<String>,
    /// Liberties of floating-point arithmetic.
    pub fastmath: FastMath,
}

impl Default for PtxOptions {
    fn default() -> Self {
        PtxOptions {
            architecture: "sm_80".into(),
            version: "+ptx80".into(),
            kernels: Vec::new(),
            fastmath: FastMath::NONE,
        }
    }
}

/// PTX of a unit: native entries only, kernels as `.entry`, the others as `.func`. Characters of
/// symbols that PTX does not know become `_`.
pub fn emit_ptx(unit: &Unit, options: &PtxOptions) -> Result<String> {
    let machine = nvptx_machine(&options.architecture, &options.version)?;
    let complaints = Complaints::default();
    let context = Context::create();
    complaints.listen(context.raw());
    let host_options = Options { fastmath: options.fastmath, ..Options::default() };
    let mut emitter = Emitter::new(&context, unit, &host_options);
    emitter.mathematics = Mathematics::OfTarget;
    aim(&emitter.module, &machine);
    let natives = emitter.declare_natives(unit, true)?;
    for (member, native) in unit.functions.iter().zip(natives.iter().flatten()) {
        if options.kernels.contains(&member.symbol) {
            check_kernel(member)?;
            native.function.set_call_conventions(LLVMCallConv::LLVMPTXKernelCallConv as u32);
        }
        native.function.set_linkage(Linkage::External);
        function_body::emit(&mut emitter, member.func, native.function, Frame::native(native))?;
    }
    let module = emitter.module;
    let mut next = module.get_first_function();
    while let Some(function) = next {
        let name = function.get_name().to_string_lossy().into_owned();
        if !name.starts_with("llvm.") {
            function.as_global_value().set_name(&plain(&name));
        }
        next = function.get_next_function();
    }
    verify(&module)?;
    machine.optimizer(c"default<O2>")?.run(module.as_mut_ptr(), false);
    let text = assembly(&module, &machine)?;
    complaints.check("generating PTX failed")?;
    Ok(text)
}

fn check_kernel(member: &UnitFunction) -> Result<()> {
    if member.func.can_fail || !member.func.results.is_empty() {
        return Err(refused("no kernel", format!("`{}` returns something or may raise", member.func.name)));
    }
    Ok(())
}

/// A symbol in the letters of PTX.
fn plain(symbol: &str) -> String {
    symbol.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' }).collect()
}
