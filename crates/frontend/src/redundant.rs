//! Removes redundant block parameters: those with the same value on all edges, and those without uses.
//!
//! A comprehension that CPython inlines saves what its variables held and puts it back after, also where they held nothing:
//! then nothing goes from round to round of a loop around it.
//!
//! ```text
//! head(%i):  ...                         head:  ...
//!            jump tail          becomes         jump tail
//! tail:      jump head(%i)               tail:  jump head
//! ```
//!
//! What it leaves in handlers and after them may be passed on without ever being read: such parameters go as well.
//!
//! The rule is that of M. Braun and others, "Simple and Efficient Construction of Static Single Assignment Form" (2013).

use entity::{EntitySet, HashMap};
use ir::{Block, BlockCall, Def, Function, Value};

/// Takes such parameters away.
pub fn remove_redundant_params(func: &mut Function) {
    let mut same: HashMap<Value, Value> = HashMap::default();
    while find(func, &mut same) {}
    let read = find_read(func, &same);
    let goes = |param: &Value| same.contains_key(param) || !read.contains(*param);
    let gone: Vec<(Block, Vec<usize>)> = func
        .layout
        .iter()
        .map(|&block| (block, redundant(&func.blocks[block].params, goes)))
        .filter(|(_, redundant)| !redundant.is_empty())
        .collect();
    if gone.is_empty() {
        return;
    }
    func.aliases.iter_mut().for_each(|(_, value)| *value = origin(&same, *value));
    func.renamings.iter_mut().for_each(|renaming| renaming.value = origin(&same, renaming.value));
    func.aliases
        .retain(|(_, value)| !matches!(func.values[*value].def, Def::Param(..)) || read.contains(*value));
    let gone: HashMap<Block, Vec<usize>> = gone.into_iter().collect();
    for block in func.layout.clone() {
        if gone.contains_key(&block) {
            func.blocks[block].params.retain(|param| !goes(param));
            for (number, &param) in func.blocks[block].params.iter().enumerate() {
                func.values[param].def = Def::Param(block, number as u16);
            }
        }
        let mut handler = func.blocks[block].handler.take();
        handler.iter_mut().for_each(|call| rewrite(call, &gone, &same));
        func.blocks[block].handler = handler;
        for index in 0..func.blocks[block].insts.len() {
            let data = &mut func.insts[func.blocks[block].insts[index]];
            data.args.iter_mut().for_each(|arg| *arg = origin(&same, *arg));
            data.targets.iter_mut().for_each(|call| rewrite(call, &gone, &same));
        }
    }
}

/// Values that instructions read, and what is handed to parameters for that.
fn find_read(func: &Function, same: &HashMap<Value, Value>) -> EntitySet<Value> {
    let mut read: EntitySet<Value> = EntitySet::new();
    let mut handed: HashMap<Value, Vec<Value>> = HashMap::default();
    let mut open: Vec<Value> = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            open.extend(func.insts[inst].args.iter().map(|&arg| origin(same, arg)));
        }
        for call in func.edges(block) {
            let params = &func.blocks[call.block].params;
            for (&param, &arg) in params.iter().zip(&call.args) {
                handed.entry(param).or_default().push(origin(same, arg));
            }
            // The exception that a handler gets is handed to it by nobody.
            open.extend(&params[call.args.len().min(params.len())..]);
        }
    }
    while let Some(value) = open.pop() {
        if read.insert(value) {
            open.extend(handed.remove(&value).unwrap_or_default());
        }
    }
    read
}

/// Looks at all paths into all blocks once; whether more parameters were found.
fn find(func: &Function, same: &mut HashMap<Value, Value>) -> bool {
    // By parameter: the one value that was handed to it so far, or that there were several.
    let mut handed: HashMap<Value, Option<Value>> = HashMap::default();
    for call in func.layout.iter().flat_map(|&from| func.edges(from)) {
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            let arg = origin(same, arg);
            if arg != param && !same.contains_key(&param) {
                let known = handed.entry(param).or_insert(Some(arg));
                *known = known.filter(|&known| known == arg);
            }
        }
    }
    let mut found: Vec<(Value, Value)> =
        handed.into_iter().filter_map(|(param, value)| Some((param, value?))).collect();
    found.sort_unstable();
    let before = same.len();
    for (param, value) in found {
        let value = origin(same, value);
        if value != param {
            same.insert(param, value);
        }
    }
    same.len() > before
}

/// The value that a value is in the end.
fn origin(same: &HashMap<Value, Value>, value: Value) -> Value {
    let mut value = value;
    while let Some(&other) = same.get(&value) {
        value = other;
    }
    value
}

fn redundant(params: &[Value], goes: impl Fn(&Value) -> bool) -> Vec<usize> {
    (0..params.len()).filter(|&number| goes(&params[number])).collect()
}

fn rewrite(call: &mut BlockCall, gone: &HashMap<Block, Vec<usize>>, same: &HashMap<Value, Value>) {
    let mut number = 0;
    let gone = gone.get(&call.block);
    call.args.retain(|_| {
        number += 1;
        !gone.is_some_and(|gone| gone.contains(&(number - 1)))
    });
    call.args.iter_mut().for_each(|arg| *arg = origin(same, *arg));
}
