//! Clones blocks with fresh value names.

use entity::HashMap;
use ir::{Block, BlockCall, Builder, Function, Inst, Symbol, Value, ValueType};

/// The first free version of each name.
pub(crate) fn versions(func: &Function) -> HashMap<Symbol, u32> {
    let mut versions: HashMap<Symbol, u32> = HashMap::default();
    for value in func.values.keys() {
        if let Some(name) = func.values[value].name.expand() {
            let free = versions.entry(name).or_default();
            *free = (*free).max(func.values[value].version + 1);
        }
    }
    versions
}

/// What the values and blocks of the loop are in one of its copies.
#[derive(Default)]
pub(crate) struct Copy {
    pub values: HashMap<Value, Value>,
    pub blocks: HashMap<Block, Block>,
}

impl Copy {
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    pub fn call(&self, call: &BlockCall) -> BlockCall {
        let block = self.blocks.get(&call.block).copied().unwrap_or(call.block);
        BlockCall::new(block, call.args.iter().map(|&arg| self.value(arg)))
    }

    pub fn define(
        &mut self,
        func: &mut Function,
        from: Value,
        to: Value,
        versions: &mut HashMap<Symbol, u32>,
    ) {
        if let Some(name) = func.values[from].name.expand() {
            let version = versions.entry(name).or_default();
            func.set_name(to, name, *version);
            *version += 1;
        }
        self.values.insert(from, to);
    }

    pub fn params(
        &mut self,
        func: &mut Function,
        from: Block,
        to: Block,
        versions: &mut HashMap<Symbol, u32>,
    ) {
        for param in func.blocks[from].params.clone() {
            let new = func.add_param(to, func.values[param].ty);
            self.define(func, param, new, versions);
        }
    }

    pub fn inst(&mut self, func: &mut Function, inst: Inst, to: Block, versions: &mut HashMap<Symbol, u32>) {
        let data = func.insts[inst].clone();
        let args: Vec<Value> = data.args.iter().map(|&arg| self.value(arg)).collect();
        let types: Vec<ValueType> = data.results.iter().map(|&result| func.values[result].ty).collect();
        let mut builder = Builder::new(func, to);
        builder.span = data.span;
        let new = builder.inst(data.op, data.attrs.clone(), &args, &types);
        func.insts[new].targets = data.targets.iter().map(|call| self.call(call)).collect();
        for (&from, to) in data.results.iter().zip(func.insts[new].results.clone()) {
            self.define(func, from, to, versions);
        }
    }
}

/// A block that handles exceptions as another one does.
pub(crate) fn beside(func: &mut Function, block: Block) -> Block {
    let new = func.add_block(func.blocks[block].label);
    func.blocks[new].handler = func.blocks[block].handler.clone();
    new
}
