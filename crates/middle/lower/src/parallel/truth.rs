//! Reductions of booleans with `and` and `or`.
//!
//! ```text
//! branch %ok.1, block3, block4(%ok.1)          if ok is not known to be false, what block3 finds takes its place:
//! block3: ...                                  chunks do that each for itself, and their values are joined by &
//!     jump block4(%9)
//! block4(%ok.2):
//! ```

use super::carried::{Uses, Web, quiet};
use super::find_loops::Scope;
use entity::HashSet;
use ir::{Attr, BinaryOp, Block, Inst, Op};
use types::{Type, TypeData};

/// The operator that a name's values are joined by, where an iteration asks for the one before and leaves it, or gives its own one.
pub(super) fn joined(scope: &Scope<'_>, uses: &Uses, number: usize, web: &Web) -> Option<BinaryOp> {
    let is_bool = |&value: &ir::Value| scope.func.ty(value) == Type::BOOL;
    let &[branch] = &web.branches[..] else { return None };
    let from = *scope.inside.iter().find(|&&block| scope.func.terminator(block) == Some(branch))?;
    let targets = &scope.func.insts[branch].targets;
    let keeps = |at: usize| targets[at].args.iter().any(|arg| web.values.contains(arg));
    let (kept, op) = match (keeps(0), keeps(1)) {
        (false, true) => (1, BinaryOp::And),
        (true, false) => (0, BinaryOp::Or),
        _ => return None,
    };
    let (behind, asked) = (targets[kept].block, targets[1 - kept].block);
    let between = between(scope, asked, behind)?;
    let others = uses.others(scope, number, web);
    let fits = !others.is_empty()
        && web.values.iter().all(is_bool)
        && !between.contains(&from)
        && others.iter().all(|other| other.edge.2 == behind && between.contains(&other.edge.0))
        && only_one_differs(scope, uses, behind, web);
    fits.then_some(op)
}

/// The blocks from one to another, which do nothing but find a value.
fn between(scope: &Scope<'_>, first: Block, behind: Block) -> Option<HashSet<Block>> {
    let mut found: HashSet<Block> = HashSet::default();
    let mut open = vec![first];
    while let Some(block) = open.pop() {
        if block == behind || !found.insert(block) {
            continue;
        }
        let insts = &scope.func.blocks[block].insts;
        let only_finds = block != scope.header
            && scope.inside.contains(&block)
            && scope.func.blocks[block].handler.is_none()
            && insts.iter().all(|&inst| quiet(scope, &[inst]) || computes(scope, inst));
        if !only_finds {
            return None;
        }
        open.extend(insts.iter().flat_map(|&inst| &scope.func.insts[inst].targets).map(|to| to.block));
    }
    Some(found)
}

/// Whether an instruction computes a value and changes nothing.
fn computes(scope: &Scope<'_>, inst: Inst) -> bool {
    let data = &scope.func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Binary | Op::Getattr | Op::Cast, _) => true,
        (Op::Call, Some(Attr::Symbols(keywords))) if keywords.is_empty() => {
            let TypeData::Function(name) = scope.types.get(scope.func.ty(data.args[0])) else { return false };
            let info = scope.catalog.info(&name);
            info.is_some_and(|info| (0..data.args.len() - 1).all(|at| !info.mutates(at, None)))
        }
        _ => false,
    }
}

/// Whether all paths to a block hand over the same, but for values of the web and what takes their place.
fn only_one_differs(scope: &Scope<'_>, uses: &Uses, block: Block, web: &Web) -> bool {
    let Some([(_, _, first), rest @ ..]) = uses.into.get(&block).map(Vec::as_slice) else { return false };
    let params = &scope.func.blocks[block].params;
    let fixed = || params.iter().enumerate().filter(|(_, param)| !web.values.contains(param));
    rest.iter().all(|(_, _, to)| fixed().all(|(at, _)| to.args[at] == first.args[at]))
}
