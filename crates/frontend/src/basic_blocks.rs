//! Basic blocks over decoded instructions.

use bytecode::{Decoded, ExceptionRange, Op};
use diag::Result;
use entity::{EntityRef, Table};

entity::id!(
    /// A basic block of the bytecode.
    pub struct Region = "region"
);

/// One basic block.
#[derive(Clone, Debug)]
pub struct RegionData {
    /// Index of its first instruction.
    pub first: usize,
    /// Index after its last instruction. Equal to `first` in the one block that `Send` needs on
    /// its way out: it drops the receiver and keeps what it returned.
    pub last: usize,
    /// Where control continues, in order: the next block, then the target of a jump.
    pub successors: Vec<Region>,
    /// Where its exceptions go.
    pub handler: Option<Handler>,
}

/// The handler of a block's exceptions.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The block that handles them.
    pub region: Region,
    /// Elements of the stack that it keeps.
    pub depth: u32,
    /// Whether it gets the offset of the raising instruction.
    pub push_lasti: bool,
}

/// The basic blocks of a code object, in order of their instructions; the first is the entry.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The blocks.
    pub blocks: Table<Region, RegionData>,
    /// Label of each block: the byte offset where it begins.
    labels: Vec<u32>,
    /// Of each block that handles exceptions: how its stack begins.
    handled: Vec<Option<Handler>>,
}

impl Regions {
    pub(crate) fn compute(decoded: &Decoded) -> Result<Regions> {
        Ok(Self::at_leaders(decoded, &find_leaders(decoded)))
    }

    /// The blocks that begin at the marked instructions.
    pub(crate) fn at_leaders(decoded: &Decoded, leaders: &[bool]) -> Regions {
        let count = decoded.instructions.len();
        let starts: Vec<usize> = (0..count).filter(|&index| leaders[index]).collect();
        let mut region_of = vec![Region::new(0); count];
        let mut blocks: Table<Region, RegionData> = Table::new();
        for (number, &first) in starts.iter().enumerate() {
            let last = starts.get(number + 1).copied().unwrap_or(count);
            region_of[first] = blocks.push(RegionData { first, last, successors: Vec::new(), handler: None });
        }
        let mut regions = Regions { blocks, labels: Vec::new(), handled: Vec::new() };
        for number in 0..starts.len() {
            regions.connect(decoded, &region_of, Region::new(number));
        }
        regions.labels = regions.blocks.values().map(|data| label(decoded, data)).collect();
        regions.handled = vec![None; regions.blocks.len()];
        for handler in regions.blocks.values().filter_map(|data| data.handler) {
            regions.handled[handler.region.index()] = Some(handler);
        }
        regions
    }

    /// If exceptions come here: what of the stack is kept and pushed.
    pub(crate) fn handled(&self, region: Region) -> Option<Handler> {
        self.handled[region.index()]
    }

    fn connect(&mut self, decoded: &Decoded, region_of: &[Region], region: Region) {
        let data = &self.blocks[region];
        let (first, last) = (data.first, data.last);
        let ending = decoded.instructions[last - 1].op;
        let mut successors = Vec::new();
        if ending.falls_through() && last < decoded.instructions.len() {
            successors.push(region_of[last]);
        }
        let at = |offset: u32| decoded.index_at(offset).map(|index| region_of[index]);
        if let Some(target) = ending.target().and_then(at) {
            let target =
                if matches!(ending, Op::Send { .. }) { self.send_exit(last, target) } else { target };
            successors.push(target);
        }
        // The begin of a handler, which stands alone where blocks are split, does not raise.
        let is_begin = last == first + 1 && ending == Op::PushExcInfo;
        let range = if is_begin { None } else { handler_of(decoded, first) };
        let handler = range.and_then(|range| {
            Some(Handler { region: at(range.target)?, depth: range.depth, push_lasti: range.push_lasti })
        });
        self.blocks[region].successors = successors;
        self.blocks[region].handler = handler;
    }

    /// The empty block between `Send` and where it goes when the receiver has returned.
    fn send_exit(&mut self, at: usize, target: Region) -> Region {
        self.blocks.push(RegionData { first: at, last: at, successors: vec![target], handler: None })
    }

    /// The byte offset where a block begins.
    pub fn label(&self, region: Region) -> u32 {
        self.labels[region.index()]
    }

    /// Whether this is the empty block after a `Send`.
    pub(crate) fn is_send_exit(&self, region: Region) -> bool {
        self.blocks[region].first == self.blocks[region].last
    }
}

fn label(decoded: &Decoded, data: &RegionData) -> u32 {
    let index = data.first.min(decoded.instructions.len() - 1);
    decoded.instructions[index].offset
}

fn handler_of(decoded: &Decoded, index: usize) -> Option<&ExceptionRange> {
    if decoded.exceptions.is_empty() {
        return None;
    }
    decoded.handler_of(decoded.instructions[index].offset)
}

/// Marks the instructions where blocks begin.
fn find_leaders(decoded: &Decoded) -> Vec<bool> {
    let instructions = &decoded.instructions;
    let mut leaders = vec![false; instructions.len()];
    leaders[0] = true;
    for (index, instruction) in instructions.iter().enumerate() {
        let target = instruction.op.target();
        if let Some(at) = target.and_then(|offset| decoded.index_at(offset)) {
            leaders[at] = true;
        }
        if (target.is_some() || !instruction.op.falls_through()) && index + 1 < instructions.len() {
            leaders[index + 1] = true;
        }
    }
    for range in &decoded.exceptions {
        for offset in [range.start, range.end, range.target] {
            // A border inside caches moves to the next instruction.
            let at = instructions.partition_point(|instruction| instruction.offset < offset);
            if at < leaders.len() {
                leaders[at] = true;
            }
        }
    }
    leaders
}

impl flow::Graph for Regions {
    type Node = Region;

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, region: Region) -> impl Iterator<Item = Region> + '_ {
        let data = &self.blocks[region];
        data.successors.iter().copied().chain(data.handler.map(|handler| handler.region))
    }
}

impl flow::FlowGraph for Regions {
    fn entry(&self) -> Region {
        Region::new(0)
    }
}
