//! The data model: statements over named variables, in blocks.

use diag::Span;
use entity::{EntityRef, Table};
use ir::{Attr, Op};
use smallvec::SmallVec;

entity::id!(
    /// A variable.
    pub struct VarId = "name"
);
entity::id!(
    /// A block.
    pub struct BlockId = "node"
);

/// One statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does; none is a copy from its only operand to its only result.
    pub op: Option<Op>,
    /// Immediate operands.
    pub attrs: SmallVec<[Attr; 2]>,
    /// What it reads.
    pub args: Vec<VarId>,
    /// What it assigns.
    pub results: Vec<VarId>,
    /// Where a terminator leads.
    pub targets: Vec<BlockId>,
    /// Where it stands in the source.
    pub span: Span,
}

/// Why a block stands by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// It is one of the function's blocks.
    #[default]
    Plain,
    /// It holds the copies of the block that follows, which exceptions leave; if it holds nothing else, the two are one.
    Head,
    /// It holds the copies of an edge, and goes with them.
    Edge,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct IrBlock {
    /// What it is called.
    pub label: u32,
    /// Why it stands by itself.
    pub kind: Kind,
    /// Variables that had a parameter here, in the order of these.
    pub joins: Vec<VarId>,
    /// Where exceptions go.
    pub handler: Option<BlockId>,
    /// What holds the exception, if this is where exceptions go.
    pub exception: Option<VarId>,
    /// What it does; the last one leaves it.
    pub steps: Vec<Stmt>,
}

/// What a variable is called: a name of the source, and which version of it.
#[derive(Clone, Debug, Default)]
pub struct VarData {
    /// As people know it.
    pub text: String,
    /// The name of the source and the version.
    pub source: Option<(String, u32)>,
}

/// A function as statements over variables. The first block is the entry; nothing leads to it.
#[derive(Clone, Debug, Default)]
pub struct NumbaIr {
    /// Blocks, in the order in which they are printed.
    pub parts: Table<BlockId, IrBlock>,
    /// Variables.
    pub names: Table<VarId, VarData>,
}

/// The control-flow graph, exception edges included.
impl flow::Graph for NumbaIr {
    type Node = BlockId;

    fn node_count(&self) -> usize {
        self.parts.len()
    }

    fn successors(&self, node: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let part = &self.parts[node];
        let targets = part.steps.last().map(|last| last.targets.as_slice()).unwrap_or_default();
        part.handler.iter().chain(targets).copied()
    }
}

impl flow::FlowGraph for NumbaIr {
    fn entry(&self) -> BlockId {
        BlockId::new(0)
    }
}
