//! Spills values that a region defines and the rest of its function uses to stack slots.

use diag::Span;
use entity::{HashMap, HashSet};
use ir::{Block, Builder, Def, Function, Value, ValueData};

/// Reads other values in the place of some.
pub(crate) fn substitute(func: &mut Function, replaced: &HashMap<Value, Value>) {
    let all = func.layout.clone();
    substitute_in(func, &all, replaced);
}

/// The same in some blocks.
pub(crate) fn substitute_in(func: &mut Function, blocks: &[Block], replaced: &HashMap<Value, Value>) {
    let resolve = |value: &mut Value| {
        while let Some(&other) = replaced.get(value) {
            *value = other;
        }
    };
    for &block in blocks {
        func.change_uses(block, resolve);
    }
}

/// Puts values that blocks define for others into the frame, so that these may get them from several places.
/// Gives the address of each.
pub(crate) fn spill(func: &mut Function, blocks: &[Block]) -> HashMap<Value, Value> {
    let inside: HashSet<Block> = blocks.iter().copied().collect();
    let mut homes: HashSet<Value> = HashSet::default();
    for &block in blocks {
        homes.extend(func.blocks[block].params.iter().copied());
        homes.extend(
            func.blocks[block].insts.iter().flat_map(|&inst| func.insts[inst].results.iter().copied()),
        );
    }
    let mut slots: HashMap<Value, Value> = HashMap::default();
    for block in func.layout.clone() {
        if !inside.contains(&block) {
            read_slots(func, block, &homes, &mut slots);
        }
    }
    let mut written: Vec<(Value, Value)> = slots.iter().map(|(&value, &slot)| (value, slot)).collect();
    written.sort_unstable();
    for (value, slot) in written {
        write_slot(func, value, slot);
    }
    slots
}

/// Reads what a block uses of `homes` from the frame.
fn read_slots(func: &mut Function, block: Block, homes: &HashSet<Value>, slots: &mut HashMap<Value, Value>) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut read: HashMap<Value, Value> = HashMap::default();
    for &inst in &insts {
        let mut used: Vec<Value> = func.insts[inst].uses().filter(|value| homes.contains(value)).collect();
        used.sort_unstable();
        used.dedup();
        let span = func.insts[inst].span;
        for &value in &used {
            let slot = *slots.entry(value).or_insert_with(|| new_slot(func));
            read.entry(value).or_insert_with(|| load_slot(func, block, span, value, slot));
        }
        for value in func.insts[inst].uses_mut() {
            if let Some(&loaded) = read.get(value) {
                *value = loaded;
            }
        }
        func.blocks[block].insts.push(inst);
    }
}

/// What a slot holds, under the name of the value that was put there.
fn load_slot(func: &mut Function, block: Block, span: Span, value: Value, slot: Value) -> Value {
    let native = func.native(value);
    let mut builder = Builder::new(func, block);
    builder.span = span;
    let loaded = builder.load(native, slot, 0);
    keep_name(func, value, loaded);
    loaded
}

/// The address of a new slot of 8 bytes.
pub(crate) fn new_slot(func: &mut Function) -> Value {
    let entry = func.entry;
    let before = std::mem::take(&mut func.blocks[entry].insts);
    let slot = Builder::new(func, entry).stack_slot(8);
    func.blocks[entry].insts.extend(before);
    slot
}

fn write_slot(func: &mut Function, value: Value, slot: Value) {
    let (block, at) = match func.values[value].def {
        Def::Param(block, _) => (block, 0),
        Def::Result(inst, _) => {
            let mut points = func.layout.iter().filter_map(|&block| {
                let at = func.blocks[block].insts.iter().position(|&other| other == inst)?;
                Some((block, at + 1))
            });
            let Some(point) = points.next() else { return };
            point
        }
    };
    let behind = func.blocks[block].insts.split_off(at);
    Builder::new(func, block).store(slot, 0, value);
    func.blocks[block].insts.extend(behind);
}

fn keep_name(func: &mut Function, from: Value, to: Value) {
    let ValueData { name, version, .. } = func.values[from].clone();
    func.values[to].name = name;
    func.values[to].version = version;
}
