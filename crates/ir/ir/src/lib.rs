//! The intermediate representation: one set of data structures, three phases.
//!
//! | phase | contents | made by | consumed by |
//! |---|---|---|---|
//! | Untyped | the operations of the bytecode, in SSA form | `frontend` | rewrites, `infer` |
//! | Typed | the same, with a [`types::Type`] for every value | `infer` | rewrites, `lower` |
//! | Explicit | machine integers, floats, pointers; every check is explicit | `lower` | `llvm`, `interp` |
//!
//! A [`Function`] owns tables of blocks, values and instructions keyed by `u32` ids. Instructions
//! are uniform records ([`InstData`]): operands and results of an op are declared once, in the table of
//! [`op`], from which printer, parser and verifier are derived. Values at joins are block
//! parameters. An exception edge belongs to a block ([`BlockData::handler`]), and all of a block's
//! instructions share it.
//!
//! Absent: Python objects, and the meaning of calls and operators.

mod builder;
mod constant_data;
mod debug_variable;
mod function;
mod immediate;
pub mod op;
mod parse;
mod print;
mod references;
mod reloads;
mod run_pass;
mod verify;
mod verify_counts;

pub use abi::Native;
pub use builder::Builder;
pub use constant_data::{bytes_symbol, symbol_bytes};
pub use debug_variable::{DebugForm, DebugMember, DebugType, DebugVariable};
pub use function::{
    Block, BlockCall, BlockData, Const, ConstData, Def, External, ExternalFn, Function, Inst, InstData,
    Origin, Phase, Renaming, Site, SiteData, Symbol, Value, ValueData, ValueType,
};
pub use immediate::{Attr, AttrKind, BinaryOp, CompareOp, FloatCond, FunctionAttribute, IntCond, UnaryOp};
pub use op::{Count, Effect, Op};
pub use parse::{parse, parse_edited};
pub use print::Printer;
pub use references::References;
pub use reloads::reloads;
pub use run_pass::{Plainly, RunPass};
pub use verify::verify;
pub use verify_counts::verify_counts;
