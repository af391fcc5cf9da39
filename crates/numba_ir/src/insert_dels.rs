//! Inserts `del` after the last use of each variable.
//!
//! A variable that is read last by a jump or a branch is deleted where the blocks begin that do
//! not read it. Where ways meet of which one has deleted a variable already, the `del` stands for
//! the others; of what holds nothing it does nothing.

use crate::model::{BlockId, VarId};
use crate::text::{Statement, Text};
use entity::EntitySet;
use flow::{BlockFacts, Cfg, Liveness};

/// Inserts the `del`s into all blocks.
pub(crate) fn insert(text: &mut Text<'_>) {
    let cfg = Cfg::compute(text);
    let live = compute_live(text, &cfg);
    for &block in cfg.reverse_postorder() {
        let mut statements = tops(text, &cfg, &live, block);
        statements.extend(behind_uses(text, &live, block));
        text.blocks[block].statements = statements;
    }
}

fn compute_live(text: &Text<'_>, cfg: &Cfg<BlockId>) -> Liveness<BlockId, VarId> {
    let mut facts = BlockFacts::new(cfg, text.vars.len());
    for (block, part) in text.blocks.iter() {
        for statement in &part.statements {
            statement.uses().into_iter().for_each(|var| facts.add_use(block, var));
            statement.target.into_iter().for_each(|var| facts.add_definition(block, var));
        }
        if let Some(handler) = part.handler {
            facts.add_handler(block, handler);
        }
    }
    flow::compute_liveness(cfg, &facts)
}

fn del(var: VarId) -> Statement {
    Statement { is_del: true, ..Statement::new(None).text("del ").var(var) }
}

/// What predecessors still held and this block does not read.
fn tops(
    text: &Text<'_>,
    cfg: &Cfg<BlockId>,
    live: &Liveness<BlockId, VarId>,
    block: BlockId,
) -> Vec<Statement> {
    let mut dead: Vec<VarId> = Vec::new();
    for &before in cfg.predecessors(block) {
        let part = &text.blocks[before];
        let mut held: Vec<VarId> = Vec::new();
        if part.successors.contains(&block) {
            held.extend(part.statements.last().map(Statement::uses).unwrap_or_default());
            held.extend(live.live_out(before));
        } else {
            // A handler may begin before anything of the protected block has happened.
            held.extend(live.live_in(before));
        }
        for var in held {
            if !live.is_live_in(block, var) && !dead.contains(&var) {
                dead.push(var);
            }
        }
    }
    dead.sort_unstable();
    dead.into_iter().rev().map(del).collect()
}

/// The statements of a block with a `del` after each last use or unread assignment.
fn behind_uses(text: &Text<'_>, live: &Liveness<BlockId, VarId>, block: BlockId) -> Vec<Statement> {
    let mut needed: EntitySet<VarId> = EntitySet::new();
    needed.extend(live.live_out(block));
    let mut backward = Vec::new();
    let statements = &text.blocks[block].statements;
    for (index, statement) in statements.iter().enumerate().rev() {
        let uses = statement.uses();
        if index + 1 < statements.len() {
            let mentioned = uses.iter().copied().chain(statement.target);
            let last: Vec<VarId> = mentioned.filter(|&var| !needed.contains(var)).collect();
            backward.extend(last.into_iter().map(del));
        }
        backward.push(statement.clone());
        if let Some(target) = statement.target {
            needed.remove(target);
        }
        needed.extend(uses);
    }
    backward.reverse();
    backward
}
