//! Removes redundant block parameters: those with the same value, or the same constant, on all edges, and those without
//! uses.
//!
//! ```text
//! block1: jump block3(%n, %eight)                  block1: jump block3
//! block3(%a, %b): ...                              block3: %other = iconst i64, 8 ...
//!     branch %1, block4, block5                        branch %1, block4, block5
//! block4: jump block6(%a, %b)            becomes   block4: jump block6
//! block5: jump block6(%n, %other_eight)            block5: jump block6
//! block6(%c, %d): jump block3(%c, %d)              block6: jump block3
//! ```
//!
//! Parameters are taken to be the same until they are seen to differ, so those that only hand each other around a loop go. That
//! such a parameter may be replaced by the one value that enters follows from M. Braun and others, "Simple and Efficient
//! Construction of Static Single Assignment Form" (2013).

use crate::spill_region::substitute;
use entity::{EntitySet, HashMap};
use flow::Cfg;
use ir::{Block, Builder, Def, Function, Op, Value};

/// How often what a parameter is taken to be may change before it is taken to be itself.
const MAX_CHANGES: u32 = 8;

/// Takes such parameters away; whether there were any.
pub(crate) fn remove_redundant_params(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    let handed = handed(func);
    let same = find_same(func, &cfg, &handed);
    let mut replaced: HashMap<Value, Value> = HashMap::default();
    for &block in &func.layout.clone() {
        for param in func.blocks[block].params.clone() {
            match same.get(&param) {
                Some(&value) if value != param => {
                    replaced.insert(
                        param,
                        if is_constant(func, value) { repeat(func, block, value) } else { value },
                    );
                }
                _ => {}
            }
        }
    }
    substitute(func, &replaced);
    let read = find_read(func, &handed, &replaced);
    remove_params(func, &|param| {
        replaced.contains_key(&param) || handed.contains_key(&param) && !read.contains(param)
    })
}

/// What is handed to each parameter of blocks that only jumps and branches lead to.
fn handed(func: &Function) -> HashMap<Value, Vec<Value>> {
    let mut handed: HashMap<Value, Vec<Value>> = HashMap::default();
    for last in func.layout.iter().filter_map(|&block| func.terminator(block)) {
        for target in &func.insts[last].targets {
            for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                handed.entry(param).or_default().push(arg);
            }
        }
    }
    for handler in func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref()) {
        for param in &func.blocks[handler.block].params {
            handed.remove(param);
        }
    }
    handed
}

/// What each parameter is: itself, a value that is none, or one of several equal constants.
fn find_same(
    func: &Function,
    cfg: &Cfg<Block>,
    handed: &HashMap<Value, Vec<Value>>,
) -> HashMap<Value, Value> {
    let mut same: HashMap<Value, Value> = HashMap::default();
    let mut changes: HashMap<Value, u32> = HashMap::default();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &block in cfg.reverse_postorder() {
            for &param in &func.blocks[block].params {
                let known = same.get(&param).copied();
                if known == Some(param) {
                    continue;
                }
                let found = handed.get(&param).map_or(Some(param), |args| meet(func, &same, args, param));
                if let Some(mut found) =
                    found.filter(|&found| known.is_none_or(|known| !is_same(func, known, found)))
                {
                    let count = changes.entry(param).or_default();
                    *count += 1;
                    if *count > MAX_CHANGES {
                        found = param;
                    }
                    same.insert(param, found);
                    changed = true;
                }
            }
        }
    }
    same
}

/// What a parameter is that gets these values: nothing as long as none of them is known, itself if they differ.
fn meet(func: &Function, same: &HashMap<Value, Value>, args: &[Value], param: Value) -> Option<Value> {
    let mut found: Option<Value> = None;
    for &arg in args.iter().filter(|&&arg| arg != param) {
        let value = match func.values[arg].def {
            Def::Param(..) => match same.get(&arg) {
                Some(&value) => value,
                None => continue,
            },
            Def::Result(..) => arg,
        };
        if value != param && !is_same(func, *found.get_or_insert(value), value) {
            return Some(param);
        }
    }
    found
}

fn is_same(func: &Function, one: Value, other: Value) -> bool {
    let constant = |value: Value| match func.values[value].def {
        Def::Result(inst, _) if is_constant(func, value) => {
            Some((&func.insts[inst].attrs, func.insts[inst].op))
        }
        _ => None,
    };
    one == other || constant(one).is_some_and(|known| constant(other) == Some(known))
}

/// Whether a value may be computed again anywhere, at no cost.
fn is_constant(func: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = func.values[value].def else { return false };
    matches!(func.insts[inst].op, Op::Iconst | Op::Fconst | Op::SiteStatus | Op::AddressOf)
}

/// A constant once more, at the begin of a block.
fn repeat(func: &mut Function, block: Block, value: Value) -> Value {
    let Def::Result(inst, _) = func.values[value].def else { return value };
    let (data, ty) = (func.insts[inst].clone(), func.values[value].ty);
    let rest = std::mem::take(&mut func.blocks[block].insts);
    let mut builder = Builder::new(func, block);
    builder.span = data.span;
    let made = builder.inst(data.op, data.attrs, &[], &[ty]);
    let made = func.insts[made].results[0];
    func.blocks[block].insts.extend(rest);
    made
}

/// Values that instructions read, and what is handed to parameters for that.
fn find_read(
    func: &Function,
    handed: &HashMap<Value, Vec<Value>>,
    replaced: &HashMap<Value, Value>,
) -> EntitySet<Value> {
    let mut read: EntitySet<Value> = EntitySet::new();
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let mut open: Vec<Value> = insts.flat_map(|&inst| func.insts[inst].args.iter().copied()).collect();
    while let Some(mut value) = open.pop() {
        while let Some(&other) = replaced.get(&value) {
            value = other;
        }
        if read.insert(value) {
            open.extend(handed.get(&value).into_iter().flatten());
        }
    }
    read
}

/// Takes parameters away, with what is handed to them; whether there were any.
fn remove_params(func: &mut Function, goes: &dyn Fn(Value) -> bool) -> bool {
    let mut gone: HashMap<Block, Vec<bool>> = HashMap::default();
    for &block in &func.layout {
        let goes: Vec<bool> = func.blocks[block].params.iter().map(|&param| goes(param)).collect();
        if goes.contains(&true) {
            gone.insert(block, goes);
        }
    }
    for block in func.layout.clone() {
        if let Some(goes) = gone.get(&block) {
            let params = std::mem::take(&mut func.blocks[block].params);
            let kept: Vec<Value> =
                params.into_iter().zip(goes).filter(|&(_, &goes)| !goes).map(|(param, _)| param).collect();
            for (at, &param) in kept.iter().enumerate() {
                func.values[param].def = Def::Param(block, at as u16);
            }
            func.blocks[block].params = kept;
        }
        let Some(last) = func.terminator(block) else { continue };
        for target in &mut func.insts[last].targets {
            if let Some(goes) = gone.get(&target.block) {
                let args = std::mem::take(&mut target.args);
                target.args =
                    args.into_iter().zip(goes).filter(|&(_, &goes)| !goes).map(|(arg, _)| arg).collect();
            }
        }
    }
    !gone.is_empty()
}
