//! Code objects of CPython 3.11 to 3.13 as plain data, and their bytecode as one common
//! instruction set.
//!
//! [`CodeSnapshot`] is the data, [`decode`] turns it into [`Instruction`]s that are the same
//! for all versions, [`Listing`] prints them. Differences between versions are confined to the
//! opcode tables.
//!
//! Absent: control flow, stack simulation, SSA (`frontend`), live Python objects.

mod decode;
mod disassemble;
mod exception_table;
mod line_table;
mod normalize;
mod op;
mod operator;
mod serialize;
mod snapshot;
mod stack_effect;
mod tables;
pub mod wordcode;

pub use decode::{Decoded, Instruction, decode};
pub use disassemble::Listing;
pub use exception_table::ExceptionRange;
pub use op::{ConstId, LocalId, NameId, Op};
pub use operator::{BinaryOp, CompareOp, Conversion, FunctionAttribute, Intrinsic1, Intrinsic2, UnaryOp};
pub use snapshot::{
    CodeSnapshot, Constant, LocalKind, LocalVariable, PythonBlock, PythonBlockCall, PythonVersion, flags,
};
pub use stack_effect::StackEffect;
pub use tables::{Opcode, OpcodeTable};
