//! Alias scopes for newly allocated memory: it does not alias anything else, which LLVM cannot see once its address
//! escapes. Without them, loops that write to a new array and read others begin with a comparison of all addresses.
//!
//! Accesses through an address that existed before an allocation do not alias it. LLVM gets this as
//! metadata: a scope for each allocation (`alias.scope`), and for every access the scopes that it is not in (`noalias`).
//! Metadata holds for all iterations of a loop and all calls, so the older address must be defined outside all
//! loops around the allocation, and functions that LLVM may inline have no such metadata.

use entity::{PackedOption, SideTable};
use flow::{Cfg, DominatorTree, LoopForest};
use inkwell::context::Context;
use inkwell::values::{InstructionValue, MetadataValue};
use ir::{Block, Def, Function, Inst, Op, Value};

/// Allocations of a function beyond these are not told apart.
const MAX_SCOPES: usize = 8;

/// An instruction: its block, and its number in it.
type ProgramPoint = (Block, usize);

/// The allocations of a function.
pub(crate) struct Fresh<'ctx> {
    /// What each gives, where it stands, and its scope.
    allocations: Vec<(Value, ProgramPoint, MetadataValue<'ctx>)>,
    tree: DominatorTree<Block>,
    forest: LoopForest<Block>,
    blocks: SideTable<Inst, PackedOption<Block>>,
}

impl<'ctx> Fresh<'ctx> {
    /// Those of a function with loops; nothing where there are none.
    pub(crate) fn find(context: &'ctx Context, func: &Function, cfg: &Cfg<Block>) -> Option<Fresh<'ctx>> {
        let allocates = |inst: &Inst| func.insts[*inst].op == Op::Alloc;
        let found: Vec<(Value, ProgramPoint)> = cfg
            .reverse_postorder()
            .iter()
            .flat_map(|&block| {
                func.blocks[block].insts.iter().enumerate().map(move |(at, inst)| (inst, (block, at)))
            })
            .filter(|(inst, _)| allocates(inst))
            .map(|(&inst, home)| (func.insts[inst].results[0], home))
            .take(MAX_SCOPES)
            .collect();
        if found.is_empty() || !cfg.has_cycle() {
            return None;
        }
        let domain = context.metadata_node(&[context.metadata_string("rumba").into()]);
        let scope = |number: usize| {
            let name = context.metadata_string(&format!("{} {number}", func.name));
            context.metadata_node(&[name.into(), domain.into()])
        };
        let allocations = found
            .into_iter()
            .enumerate()
            .map(|(number, (value, home))| (value, home, scope(number)))
            .collect();
        let tree = flow::compute_dominators(cfg);
        let forest = flow::compute_loops(cfg, &tree);
        let mut blocks: SideTable<Inst, PackedOption<Block>> = SideTable::new();
        for &block in &func.layout {
            func.blocks[block].insts.iter().for_each(|&inst| blocks[inst] = block.into());
        }
        Some(Fresh { allocations, tree, forest, blocks })
    }

    /// Says of a load or store through a pointer which allocations it is of and which not.
    pub(crate) fn tell(
        &self,
        context: &'ctx Context,
        func: &Function,
        pointer: Value,
        access: InstructionValue<'ctx>,
    ) {
        let root = root(func, pointer);
        let Some(home) = self.home(func, root) else { return };
        let list = |scopes: Vec<MetadataValue<'ctx>>| {
            let scopes: Vec<_> = scopes.into_iter().map(Into::into).collect();
            (!scopes.is_empty()).then(|| context.metadata_node(&scopes))
        };
        let own = self.allocations.iter().filter(|(value, ..)| *value == root);
        let others =
            self.allocations.iter().filter(|(_, birth, _)| self.is_older(func, (root, home), *birth));
        for (kind, scopes) in [
            ("alias.scope", list(own.map(|&(.., scope)| scope).collect())),
            ("noalias", list(others.map(|&(.., scope)| scope).collect())),
        ] {
            if let Some(scopes) = scopes {
                // A node of another kind would be refused; this is one.
                let _ = access.set_metadata(scopes, context.get_kind_id(kind));
            }
        }
    }

    /// The block that defines a value.
    fn home(&self, func: &Function, value: Value) -> Option<Block> {
        match func.values[value].def {
            Def::Param(block, _) => Some(block),
            Def::Result(inst, _) => self.blocks[inst].expand(),
        }
    }

    /// Whether there was a value before an allocation, whenever that happens.
    fn is_older(&self, func: &Function, (value, home): (Value, Block), (block, at): ProgramPoint) -> bool {
        let before = match func.values[value].def {
            Def::Result(inst, _) if home == block => func.blocks[block].insts[..at].contains(&inst),
            _ => self.tree.dominates(home, block),
        };
        before && self.forest.loops_of(block).all(|around| !self.forest.contains(around, home))
    }
}

/// The address that a pointer was computed from.
fn root(func: &Function, mut pointer: Value) -> Value {
    while let Def::Result(inst, _) = func.values[pointer].def
        && func.insts[inst].op == Op::PtrAdd
    {
        pointer = func.insts[inst].args[0];
    }
    pointer
}
