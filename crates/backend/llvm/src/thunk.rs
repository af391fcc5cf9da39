//! The packed-argument entry through which Python calls a function ([`abi::Thunk`]).

use crate::calling_convention::Signature;
use crate::error::{Built, c_string};
use crate::function_body::{self, Frame};
use crate::module::{Declared, Emitter};
use diag::Result;
use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::values::{FunctionValue, PointerValue};
use ir::Function;

/// A thunk around a native entry that other code calls too.
pub(crate) fn emit_calling<'ctx>(
    emitter: &mut Emitter<'ctx>,
    symbol: &str,
    func: &Function,
    native: &Declared<'ctx>,
) -> Result<()> {
    let (thunk, args, ret) = declare(emitter, symbol, native.signature.params.len())?;
    emitter.builder.position_at_end(emitter.context.append_basic_block(thunk, ""));
    let mut operands = Vec::with_capacity(native.signature.params.len());
    for (index, &ty) in native.signature.params.iter().enumerate() {
        operands.push(emitter.load_word(args, index, ty)?);
    }
    let mut results = emitter.call(native, &operands)?;
    let status = match func.can_fail {
        true => results.remove(0).into_int_value(),
        false => emitter.context.i64_type().const_zero(),
    };
    for (index, &value) in results.iter().enumerate() {
        emitter.store_word(ret, index, value)?;
    }
    emitter.builder.build_return(Some(&status)).built()?;
    Ok(())
}

/// A thunk that is the function: nothing else enters it, so the words are read where a parameter
/// is and written where it returns, and there is one body to compile and no call to make.
pub(crate) fn emit_whole(emitter: &mut Emitter, symbol: &str, func: &Function) -> Result<()> {
    let (thunk, args, ret) = declare(emitter, symbol, func.params.len())?;
    let types = Signature::of(func)?.params;
    function_body::emit(emitter, func, thunk, Frame::Packed { args, ret, types })
}

/// The thunk's declaration. The words of arguments and results overlap nothing else that the
/// function reaches: they are the caller's own.
fn declare<'ctx>(
    emitter: &Emitter<'ctx>,
    symbol: &str,
    params: usize,
) -> Result<(FunctionValue<'ctx>, PointerValue<'ctx>, PointerValue<'ctx>)> {
    c_string(symbol)?;
    let pointer = emitter.context.ptr_type(AddressSpace::default());
    let ty = emitter.context.i64_type().fn_type(&[pointer.into(), pointer.into()], false);
    let thunk = emitter.module.add_function(symbol, ty, None);
    emitter.attribute(thunk, AttributeLoc::Function, "nounwind", 0);
    for (index, names) in
        [["noalias", "nocapture", "readonly"], ["noalias", "nocapture", "writeonly"]].iter().enumerate()
    {
        for name in names {
            emitter.attribute(thunk, AttributeLoc::Param(index as u32), name, 0);
        }
    }
    if params > 0 {
        emitter.attribute(thunk, AttributeLoc::Param(0), "dereferenceable", 8 * params as u64);
    }
    let param = |index| thunk.get_nth_param(index).map(|value| value.into_pointer_value());
    let missing = || crate::error::broken("a thunk without its parameters");
    Ok((thunk, param(0).ok_or_else(missing)?, param(1).ok_or_else(missing)?))
}
