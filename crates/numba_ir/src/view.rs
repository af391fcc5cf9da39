//! A function in SSA form as statements over variables: the view that dumps print and that rewrites get.
//!
//! Before: blocks with parameters. After: every value has a variable (`names`), and block parameters are copies in
//! predecessors (`out_of_ssa`). The compiler's entry block and the block that it leads to are one.
//!
//! Absent: the text of statements (`text`), the conversion back (`into_ssa`).

use crate::model::{BlockId, Stmt, VarId};
use crate::{names, out_of_ssa};
use diag::Span;
use entity::{EntityRef, EntitySet, HashSet, SideTable, Table};
use ir::{Block, Function, InstData, Value};

/// A block.
#[derive(Clone, Debug, Default)]
pub struct ViewBlock {
    /// What it is called: an offset in the bytecode, or a free number next to it.
    pub label: u32,
    /// The offset in the bytecode.
    pub offset: u32,
    /// Whether it holds the copies of an edge.
    pub is_edge: bool,
    /// Variables that have a parameter here, in the order of these, that of the exception left out.
    pub joins: Vec<VarId>,
    /// What holds the exception, if this is where exceptions go.
    pub exception: Option<VarId>,
    /// Copies where it begins.
    pub heads: Vec<Stmt>,
    /// Where exceptions go, and the copies before that.
    pub handler: Option<(Vec<Stmt>, BlockId)>,
    /// What it does; the last one leaves it.
    pub steps: Vec<Stmt>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct ViewVar {
    /// What it is called.
    pub text: String,
    /// The version of a name of the source that it is.
    pub source: Option<(String, u32)>,
    /// The value that it holds; none of one on the way into a parameter.
    pub value: Option<Value>,
    /// Where the instruction stands that makes it; none of a parameter.
    pub span: Option<Span>,
    /// Line of its first assignment.
    pub line: u32,
}

/// A function as blocks of statements. The first block is the entry.
#[derive(Clone, Debug)]
pub struct View {
    /// Blocks in their order; those on edges come last.
    pub blocks: Table<BlockId, ViewBlock>,
    /// Variables.
    pub vars: Table<VarId, ViewVar>,
    /// What the compiler's entry block makes, where that is no block of its own here.
    pub of_entry: Option<Vec<VarId>>,
}

/// The view, while it is made.
pub(crate) struct Builder<'f> {
    pub func: &'f Function,
    pub view: View,
    pub var_of: SideTable<Value, Option<VarId>>,
    /// The block of the view for each block of the function.
    pub block_ids: SideTable<Block, Option<BlockId>>,
    /// The block that the entry alone leads to.
    pub merged: Option<Block>,
    /// Blocks that exceptions lead to.
    pub handlers: EntitySet<Block>,
    labels: HashSet<u32>,
    taken: HashSet<String>,
}

/// The view of a function of the Untyped or the Typed phase.
pub fn view(func: &Function) -> View {
    let mut builder = Builder::new(func);
    builder.make_blocks();
    names::assign(&mut builder);
    for &block in &func.layout {
        builder.translate(block);
    }
    out_of_ssa::insert_copies(&mut builder);
    builder.view
}

impl<'f> Builder<'f> {
    fn new(func: &'f Function) -> Self {
        let mut handlers = EntitySet::new();
        let calls = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
        handlers.extend(calls.map(|call| call.block));
        Builder {
            func,
            view: View { blocks: Table::new(), vars: Table::new(), of_entry: None },
            var_of: SideTable::new(),
            block_ids: SideTable::new(),
            merged: find_merged(func),
            handlers,
            labels: HashSet::default(),
            taken: HashSet::default(),
        }
    }

    fn make_blocks(&mut self) {
        for &block in self.func.layout.iter().filter(|&&block| Some(block) != self.merged) {
            let offset = self.func.blocks[block].label;
            let label = take_label(&mut self.labels, offset);
            self.block_ids[block] =
                Some(self.view.blocks.push(ViewBlock { label, offset, ..ViewBlock::default() }));
        }
        if let Some(merged) = self.merged {
            self.block_ids[merged] = self.block_ids[self.func.entry];
        }
    }

    /// A block on an edge, with the label or the next that no block has.
    pub fn add_edge_block(&mut self, wanted: u32, steps: Vec<Stmt>) -> BlockId {
        let label = take_label(&mut self.labels, wanted);
        self.view.blocks.push(ViewBlock {
            label,
            offset: label,
            is_edge: true,
            steps,
            ..ViewBlock::default()
        })
    }

    /// The block of the view that an edge leads to.
    pub fn block_id(&self, block: Block) -> BlockId {
        self.block_ids[block].unwrap_or(BlockId::new(0))
    }

    pub fn var(&mut self, value: Value) -> VarId {
        match self.var_of[value] {
            Some(var) => var,
            // A value that no instruction of the layout makes: the verifier refuses such a function.
            None => self.new_var(format!("<{value}>"), None),
        }
    }

    /// Takes a name, if nobody has it.
    pub fn take_name(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// A variable that holds no value of the function by itself.
    pub fn new_var(&mut self, mut text: String, source: Option<(String, u32)>) -> VarId {
        while !self.taken.insert(text.clone()) {
            text.push('_');
        }
        self.view.vars.push(ViewVar { text, source, value: None, span: None, line: 0 })
    }

    /// The instructions of a block; the copies that edges need come later.
    fn translate(&mut self, block: Block) {
        let func = self.func;
        let id = self.block_id(block);
        let data = &func.blocks[block];
        if self.handlers.contains(block)
            && let Some(&param) = data.params.last()
        {
            self.view.blocks[id].exception = Some(self.var(param));
        }
        let merges = block == func.entry && self.merged.is_some();
        let kept = data.insts.len() - usize::from(merges);
        let mut made = Vec::new();
        for &inst in &data.insts[..kept] {
            let step = self.step(&func.insts[inst]);
            made.extend(&step.results);
            self.view.blocks[id].steps.push(step);
        }
        if merges {
            self.view.of_entry = Some(made);
        }
    }

    fn step(&mut self, data: &InstData) -> Stmt {
        Stmt {
            op: Some(data.op),
            attrs: data.attrs.iter().cloned().collect(),
            args: data.args.iter().map(|&arg| self.var(arg)).collect(),
            results: data.results.iter().map(|&result| self.var(result)).collect(),
            targets: data.targets.iter().map(|call| self.block_id(call.block)).collect(),
            span: data.span,
        }
    }
}

/// The label, or the next that no block has: bytecode offsets are even, so an odd one is free.
fn take_label(labels: &mut HashSet<u32>, wanted: u32) -> u32 {
    let mut label = wanted;
    while !labels.insert(label) {
        label = (label | 1).wrapping_add(2 * (label % 2));
    }
    label
}

/// The block that the entry leads to, if nothing else does and nothing stands between.
fn find_merged(func: &Function) -> Option<Block> {
    let last = func.terminator(func.entry)?;
    let [call] = func.insts[last].targets.as_slice() else { return None };
    let edges = func.layout.iter().flat_map(|&block| func.edges(block));
    let ways = edges.filter(|edge| edge.block == call.block).count();
    let plain = func.blocks[call.block].params.is_empty() && func.blocks[call.block].handler.is_none();
    (ways == 1 && plain).then_some(call.block)
}
