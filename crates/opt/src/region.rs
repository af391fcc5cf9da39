//! Some blocks of a function: copied within it, and what they define for the rest put into the frame.

use diag::Span;
use entity::{HashMap, HashSet};
use ir::{Block, Builder, Def, Function, Inst, InstData, Value, ValueData};

/// Reads other values in the place of some.
pub(crate) fn substitute(func: &mut Function, replaced: &HashMap<Value, Value>) {
    let resolve = |value: &mut Value| {
        while let Some(&other) = replaced.get(value) {
            *value = other;
        }
    };
    for block in func.layout.clone() {
        for number in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[number];
            let data = &mut func.insts[inst];
            data.args.iter_mut().for_each(resolve);
            data.targets.iter_mut().flat_map(|target| &mut target.args).for_each(resolve);
        }
    }
}

/// Puts values that blocks define for others into the frame, so that these may get them from several places.
pub(crate) fn spill(func: &mut Function, blocks: &[Block]) {
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
    let mut slots: Vec<(Value, Value)> = slots.into_iter().collect();
    slots.sort_unstable();
    for (value, slot) in slots {
        write_slot(func, value, slot);
    }
}

/// Reads what a block uses of `homes` from the frame.
fn read_slots(func: &mut Function, block: Block, homes: &HashSet<Value>, slots: &mut HashMap<Value, Value>) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut read: HashMap<Value, Value> = HashMap::default();
    for &inst in &insts {
        let data = &func.insts[inst];
        let used = data.args.iter().chain(data.targets.iter().flat_map(|target| &target.args));
        let mut used: Vec<Value> = used.copied().filter(|value| homes.contains(value)).collect();
        used.sort_unstable();
        used.dedup();
        let span = func.insts[inst].span;
        for &value in &used {
            let slot = *slots.entry(value).or_insert_with(|| new_slot(func));
            read.entry(value).or_insert_with(|| load_slot(func, block, span, value, slot));
        }
        let data = &mut func.insts[inst];
        let all = data.args.iter_mut().chain(data.targets.iter_mut().flat_map(|target| &mut target.args));
        for value in all {
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

fn new_slot(func: &mut Function) -> Value {
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
            let mut places = func.layout.iter().filter_map(|&block| {
                let at = func.blocks[block].insts.iter().position(|&other| other == inst)?;
                Some((block, at + 1))
            });
            let Some(place) = places.next() else { return };
            place
        }
    };
    let behind = func.blocks[block].insts.split_off(at);
    Builder::new(func, block).store(slot, 0, value);
    func.blocks[block].insts.extend(behind);
}

/// Copies blocks; edges among them lead to the copies. Gives the copy of each.
pub(crate) fn copy(func: &mut Function, blocks: &[Block]) -> HashMap<Block, Block> {
    let mut copies: HashMap<Block, Block> = HashMap::default();
    let mut values: HashMap<Value, Value> = HashMap::default();
    for &block in blocks {
        let label = func.blocks[block].label;
        let copy = func.add_block(label);
        func.blocks[copy].cold = func.blocks[block].cold;
        copies.insert(block, copy);
        for number in 0..func.blocks[block].params.len() {
            let param = func.blocks[block].params[number];
            let twin = func.add_param(copy, func.values[param].ty);
            keep_name(func, param, twin);
            values.insert(param, twin);
        }
    }
    let mut made: Vec<Inst> = Vec::new();
    for &block in blocks {
        for number in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[number];
            let data = func.insts[inst].clone();
            let twin = func.insts.push(InstData { results: Default::default(), ..data.clone() });
            for (index, &result) in data.results.iter().enumerate() {
                let ValueData { ty, name, version, .. } = func.values[result].clone();
                let value =
                    func.values.push(ValueData { ty, def: Def::Result(twin, index as u16), name, version });
                func.insts[twin].results.push(value);
                values.insert(result, value);
            }
            func.blocks[copies[&block]].insts.push(twin);
            made.push(twin);
        }
    }
    for inst in made {
        let data = &mut func.insts[inst];
        for target in &mut data.targets {
            target.block = copies.get(&target.block).copied().unwrap_or(target.block);
        }
        let all = data.args.iter_mut().chain(data.targets.iter_mut().flat_map(|target| &mut target.args));
        for value in all {
            *value = values.get(value).copied().unwrap_or(*value);
        }
    }
    copies
}

fn keep_name(func: &mut Function, from: Value, to: Value) {
    let ValueData { name, version, .. } = func.values[from].clone();
    func.values[to].name = name;
    func.values[to].version = version;
}
