//! How values are passed between compiled functions.
//!
//! Parameters: by their machine type, in order; `i1` is an `i1 zeroext` (C's `bool`). Integers of
//! 8 and 16 bits are passed without a promise about the bits above.
//!
//! Results, the status of a function that can fail being the first: none is `void`, one is returned
//! as it is, several are returned as a struct by value, whose members LLVM puts into registers (on
//! x86-64 RAX, RDX, RCX and XMM0, XMM1). Where they do not fit into these, the first is returned
//! as it is and the others are written through a pointer that follows the last parameter, one
//! 64-bit word each, zero-extended. (LLVM would pass the whole struct through a hidden pointer
//! by itself; then the status would go through memory too.)
//!
//! A function is called at its address by the same convention, as what its signature says; for a function of
//! C the caller has the operands in the form that C wants.
//!
//! A C function has at most one result; one in Rust may return a `#[repr(C)]` struct of two
//! 64-bit members.

use crate::error::broken;
use diag::Result;
use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum, FunctionType, StructType};
use ir::{Attr, Function, Native, Op};

const INT_REGISTERS: usize = 3;
const FLOAT_REGISTERS: usize = 2;

/// Machine types of parameters and results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    /// Of the parameters.
    pub(crate) params: Vec<Native>,
    /// Of the results, the status included.
    pub(crate) results: Vec<Native>,
}

/// How the results of a function come back.
pub(crate) enum Returned {
    /// Not at all: there are none.
    Nothing,
    /// The only one, as it is.
    One,
    /// All in a struct by value.
    Struct,
    /// The first as it is, the others through a pointer.
    Spilled,
}

/// Machine types of the parameters of a function of the Explicit phase.
pub fn parameter_types(func: &Function) -> Result<Vec<Native>> {
    Ok(Signature::of(func)?.params)
}

impl Signature {
    /// The signature of a compiled function. A parameter that is never read counts as `i64`.
    pub(crate) fn of(func: &Function) -> Result<Signature> {
        let mut params = vec![Native::I64; func.params.len()];
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if data.op != Op::Arg {
                    continue;
                }
                let index = match data.attrs.first() {
                    Some(&Attr::Int(index)) => usize::try_from(index).ok(),
                    _ => None,
                };
                let slot = index.and_then(|index| params.get_mut(index));
                *slot.ok_or_else(|| broken(format!("`{}` has no such parameter", func.name)))? =
                    func.native(func.result(inst));
            }
        }
        let status = func.can_fail.then_some(Native::I64);
        Ok(Signature { params, results: status.into_iter().chain(func.results.iter().copied()).collect() })
    }

    /// How the results come back.
    pub(crate) fn returned(&self) -> Returned {
        let floats = self.results.iter().filter(|native| native.is_float()).count();
        match self.results.len() {
            0 => Returned::Nothing,
            1 => Returned::One,
            n if floats <= FLOAT_REGISTERS && n - floats <= INT_REGISTERS => Returned::Struct,
            _ => Returned::Spilled,
        }
    }

    /// The struct of all results.
    pub(crate) fn result_struct<'ctx>(&self, context: &'ctx Context) -> StructType<'ctx> {
        let members: Vec<_> = self.results.iter().map(|&native| basic(context, native)).collect();
        context.struct_type(&members, false)
    }

    /// LLVM's type of such a function.
    pub(crate) fn function_type<'ctx>(&self, context: &'ctx Context) -> FunctionType<'ctx> {
        let mut params: Vec<BasicMetadataTypeEnum> =
            self.params.iter().map(|&native| basic(context, native).into()).collect();
        let first = || basic(context, self.results[0]);
        match self.returned() {
            Returned::Nothing => context.void_type().fn_type(&params, false),
            Returned::One => first().fn_type(&params, false),
            Returned::Struct => self.result_struct(context).fn_type(&params, false),
            Returned::Spilled => {
                params.push(context.ptr_type(AddressSpace::default()).into());
                first().fn_type(&params, false)
            }
        }
    }
}

/// LLVM's type of a machine value.
pub(crate) fn basic<'ctx>(context: &'ctx Context, native: Native) -> BasicTypeEnum<'ctx> {
    match native {
        Native::I1 => context.bool_type().into(),
        Native::I8 => context.i8_type().into(),
        Native::I16 => context.i16_type().into(),
        Native::I32 => context.i32_type().into(),
        Native::I64 => context.i64_type().into(),
        Native::F32 => context.f32_type().into(),
        Native::F64 => context.f64_type().into(),
        Native::Ptr => context.ptr_type(AddressSpace::default()).into(),
    }
}
