//! Joins large dict literals, which CPython builds in parts, into one instruction.
//!
//! ```text
//! %a = build_map k0, v0, ...         becomes    %a = build_map k0, v0, ..., k16, v16, k17, v17
//! %b = build_map k16, v16
//! map_update %a, %b
//! map_add %a, k17, v17
//! ```
//!
//! So a display means the same however many entries it has. Only what follows in the same block is joined: the entries
//! of a comprehension are another block's.

use ir::{Attr, Block, Def, Function, Inst, Op, Value};

/// Joins the parts of every display.
pub fn join_dict_literals(func: &mut Function) {
    for block in func.layout.clone() {
        let insts = &func.blocks[block].insts;
        let is_part = |&inst: &Inst| matches!(func.insts[inst].op, Op::MapAdd | Op::MapUpdate);
        if !insts.iter().any(is_part) {
            continue;
        }
        let displays: Vec<Inst> =
            insts.iter().copied().filter(|&inst| func.insts[inst].op == Op::BuildMap).collect();
        // A display inside of another one begins later, and is whole before it becomes a part.
        for display in displays.into_iter().rev() {
            join_display(func, block, display);
        }
    }
}

/// Moves a display after what adds to it, as far as nothing else uses it before.
fn join_display(func: &mut Function, block: Block, display: Inst) {
    let result = func.insts[display].results[0];
    let Some(first) = func.blocks[block].insts.iter().position(|&inst| inst == display) else { return };
    let (mut gone, mut last) = (vec![display], display);
    let mut args = func.insts[display].args.clone();
    for &inst in &func.blocks[block].insts[first + 1..] {
        let data = &func.insts[inst];
        if !data.args.contains(&result) && !passes_on(func, inst, result) {
            continue;
        }
        match (data.op, &data.args[..]) {
            (Op::MapAdd, &[of, key, value]) if of == result => args.extend([key, value]),
            (Op::MapUpdate, &[of, more]) if of == result && data.attrs.first() == Some(&Attr::Int(0)) => {
                let Some(part) = display_used_once(func, block, more) else { break };
                args.extend(func.insts[part].args.iter().copied());
                gone.push(part);
            }
            _ => break,
        }
        gone.push(inst);
        last = inst;
    }
    if last == display {
        return;
    }
    func.insts[display].args = args;
    let kept = func.blocks[block].insts.iter().copied().filter_map(|inst| match inst {
        inst if inst == last => Some(display),
        inst => (!gone.contains(&inst)).then_some(inst),
    });
    func.blocks[block].insts = kept.collect();
}

/// Whether a terminator hands a value to another block.
fn passes_on(func: &Function, inst: Inst, value: Value) -> bool {
    func.insts[inst].targets.iter().any(|call| call.args.contains(&value))
}

/// The display of this block that a value is, if only one instruction uses it.
fn display_used_once(func: &Function, block: Block, value: Value) -> Option<Inst> {
    let Def::Result(part, _) = func.values[value].def else { return None };
    let uses = |&inst: &Inst| func.insts[inst].args.contains(&value) || passes_on(func, inst, value);
    let users = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).filter(|inst| uses(inst));
    let is_here = func.insts[part].op == Op::BuildMap && func.blocks[block].insts.contains(&part);
    (is_here && users.count() == 1).then_some(part)
}
