//! Inlines comprehensions, as CPython 3.12 and later do themselves: before that, each is a function that is created,
//! called with an iterator and discarded.

use bytecode::{CodeSnapshot, Constant};
use diag::Result;
use entity::HashMap;
use ir::{
    Attr, Block, BlockCall, Builder, Const, ConstData, Def, Function, FunctionAttribute, Inst, Op, Symbol,
    Value, ValueType,
};

/// Puts the bodies of list, set and dict comprehensions in the place of their calls. `build` makes the functions of
/// their code, which may have comprehensions in turn.
pub fn inline_comprehensions(
    func: &mut Function,
    code: &CodeSnapshot,
    build: &mut dyn FnMut(&CodeSnapshot) -> Result<Function>,
) -> Result<()> {
    while let Some(found) = find(func, code) {
        let body = build(found.code)?;
        if makes_functions(&body) {
            // They are found by their place among the constants of their own code.
            break;
        }
        splice(func, &found, &body);
    }
    Ok(())
}

fn makes_functions(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| match func.insts[inst].attrs.first() {
        Some(&Attr::Const(id)) => matches!(func.consts.get(id), ConstData::Code(..)),
        _ => false,
    })
}

/// A call of a comprehension.
struct Comprehension<'a> {
    code: &'a CodeSnapshot,
    block: Block,
    call: Inst,
    iterator: Value,
    /// The variables that it takes from outside: cells, or those that the function got itself.
    captured: Vec<Value>,
    /// What made the function, which nobody else has.
    made: Vec<Inst>,
}

fn find<'a>(func: &Function, code: &'a CodeSnapshot) -> Option<Comprehension<'a>> {
    // Most functions have none.
    if !code.constants.iter().any(|constant| as_comprehension(constant).is_some()) {
        return None;
    }
    let uses = func.count_uses();
    func.layout.iter().find_map(|&block| {
        func.blocks[block].insts.iter().find_map(|&call| {
            let data = &func.insts[call];
            let &[callee, iterator] = &data.args[..] else { return None };
            if data.op != Op::Call || !is_iterator(func, iterator) {
                return None;
            }
            let (code, captured, made) = comprehension_of(func, code, callee, &uses)?;
            Some(Comprehension { code, block, call, iterator, captured, made })
        })
    })
}

fn as_comprehension(constant: &Constant) -> Option<&CodeSnapshot> {
    match constant {
        Constant::Code(code) if matches!(code.name.as_str(), "<listcomp>" | "<setcomp>" | "<dictcomp>") => {
            Some(code)
        }
        _ => None,
    }
}

fn is_iterator(func: &Function, value: Value) -> bool {
    defining(func, value).is_some_and(|inst| func.insts[inst].op == Op::Getiter)
}

fn defining(func: &Function, value: Value) -> Option<Inst> {
    match func.values[value].def {
        Def::Result(inst, _) => Some(inst),
        Def::Param(..) => None,
    }
}

/// The code, what is captured and the instructions that make the function, if this value is a comprehension's that has one use.
fn comprehension_of<'a>(
    func: &Function,
    code: &'a CodeSnapshot,
    callee: Value,
    uses: &HashMap<Value, u32>,
) -> Option<(&'a CodeSnapshot, Vec<Value>, Vec<Inst>)> {
    let once = |value: Value| uses.get(&value) == Some(&1);
    let mut made = Vec::new();
    let mut captured = Vec::new();
    let mut value = callee;
    loop {
        let inst = defining(func, value).filter(|_| once(value))?;
        made.push(inst);
        let data = &func.insts[inst];
        if let Some(attribute) = func.function_attribute(inst) {
            let tuple = defining(func, data.args[0]).filter(|_| once(data.args[0]))?;
            if !matches!(attribute, FunctionAttribute::Closure) || func.insts[tuple].op != Op::BuildTuple {
                return None;
            }
            captured = func.insts[tuple].args.to_vec();
            made.push(tuple);
            value = *data.args.last()?;
        } else if let (Op::Const, Some(&Attr::Const(id))) = (data.op, data.attrs.first()) {
            let ConstData::Code(index, _) = func.consts.get(id) else { return None };
            let code = code.constants.get(*index as usize).and_then(as_comprehension)?;
            return Some((code, captured, made));
        } else if data.op == Op::Python && data.args.len() == 1 {
            value = data.args[0];
        } else {
            return None;
        }
    }
}

/// What is what in the function that the body comes into.
struct Splice<'a> {
    func: &'a mut Function,
    body: &'a Function,
    values: HashMap<Value, Value>,
    blocks: HashMap<Block, Block>,
    /// Versions of names that the function has not yet begin here.
    version: u32,
    /// Where control continues, with what the comprehension gives.
    rest: Block,
    /// Who handles exceptions.
    handler: Option<BlockCall>,
}

fn splice(func: &mut Function, found: &Comprehension<'_>, body: &Function) {
    let span = func.insts[found.call].span;
    for &block in &func.layout {
        func.blocks[block].insts.retain(|inst| !found.made.contains(inst));
    }
    let before = func.layout.len();
    let rest = cut_behind(func, found.block, found.call);
    let version = 1 + func.values.iter().map(|(_, value)| value.version).max().unwrap_or(0);
    let handler = func.blocks[found.block].handler.clone();
    let mut splice =
        Splice { func, body, values: HashMap::default(), blocks: HashMap::default(), version, rest, handler };
    splice.copy(found);
    let entry = splice.blocks[&body.entry];
    let mut builder = Builder::new(func, found.block);
    builder.span = span;
    builder.jump(entry, &[]);
    // In the order in which it is read: the body, then what follows it.
    let mut added = func.layout.split_off(before);
    added.rotate_left(1);
    let behind = func.layout.iter().position(|&block| block == found.block).map_or(before, |at| at + 1);
    func.layout.splice(behind..behind, added);
}

/// Ends a block where a call stands. What followed is a block of its own, which is given what the call gave.
fn cut_behind(func: &mut Function, block: Block, call: Inst) -> Block {
    let rest = func.add_block(func.blocks[block].label);
    let at = func.blocks[block].insts.iter().position(|&inst| inst == call).unwrap_or_default();
    let following = func.blocks[block].insts.split_off(at);
    func.blocks[rest].insts = following[1..].to_vec();
    func.blocks[rest].handler = func.blocks[block].handler.clone();
    let result = func.result(call);
    func.blocks[rest].params.push(result);
    func.values[result].def = Def::Param(rest, 0);
    rest
}

impl Splice<'_> {
    fn copy(&mut self, found: &Comprehension<'_>) {
        for &block in &self.body.layout {
            let data = &self.body.blocks[block];
            let copy = self.func.add_block(data.label);
            self.func.blocks[copy].cold = data.cold;
            self.func.blocks[copy].handler.clone_from(&self.handler);
            self.blocks.insert(block, copy);
            for &param in &data.params {
                let new = self.func.add_param(copy, ValueType::Untyped);
                self.take_name(param, new);
            }
        }
        for &block in &self.body.layout {
            for &inst in &self.body.blocks[block].insts {
                self.define(inst, found);
            }
        }
        for &block in &self.body.layout {
            for &inst in &self.body.blocks[block].insts {
                let data = &self.body.insts[inst];
                if data.op == Op::Cast {
                    // To the type of what the function returns, which it does no more.
                    self.values.insert(data.results[0], self.values[&data.args[0]]);
                }
            }
        }
        for &block in &self.body.layout {
            for &inst in &self.body.blocks[block].insts {
                self.copy_inst(block, inst, found);
            }
        }
    }

    fn take_name(&mut self, old: Value, new: Value) {
        self.values.insert(old, new);
        let data = &self.body.values[old];
        if let Some(name) = data.name.expand() {
            let name = self.symbol(name);
            self.func.set_name(new, name, self.version + data.version);
        }
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.func.symbols.intern_str(self.body.symbols.get(symbol))
    }

    fn constant(&mut self, id: Const) -> Const {
        let data = match self.body.consts.get(id).clone() {
            ConstData::Tuple(items) => {
                ConstData::Tuple(items.into_iter().map(|item| self.constant(item)).collect())
            }
            ConstData::FrozenSet(items) => {
                ConstData::FrozenSet(items.into_iter().map(|item| self.constant(item)).collect())
            }
            other => other,
        };
        self.func.consts.intern(data)
    }

    /// Values for what the instruction defines; its parameter is the iterator, what it captures is there.
    fn define(&mut self, inst: Inst, found: &Comprehension<'_>) {
        let data = &self.body.insts[inst];
        match (data.op, data.attrs.first()) {
            (Op::Arg, _) => {
                self.values.insert(data.results[0], found.iterator);
            }
            (Op::Cast, _) => {}
            (Op::FreeCell, Some(&Attr::Int(index))) => {
                self.values.insert(data.results[0], found.captured[index as usize]);
            }
            _ => {
                for &result in &data.results {
                    let new = self.func.values.push(ir::ValueData {
                        ty: ValueType::Untyped,
                        def: self.body.values[result].def,
                        name: Default::default(),
                        version: 0,
                    });
                    self.take_name(result, new);
                }
            }
        }
    }

    fn copy_inst(&mut self, block: Block, inst: Inst, found: &Comprehension<'_>) {
        let mut data = self.body.insts[inst].clone();
        match (data.op, data.attrs.first()) {
            (Op::Arg | Op::FreeCell | Op::Cast, _) => return,
            (Op::Freevar, Some(&Attr::Int(index))) => {
                self.captured_value(&mut data, found.captured[index as usize])
            }
            (Op::Return, _) => {
                let value = self.values[&data.args[0]];
                data.op = Op::Jump;
                data.args.clear();
                data.targets.push(BlockCall::new(self.rest, [value]));
            }
            _ => {
                data.args.iter_mut().for_each(|arg| *arg = self.values[arg]);
                for target in &mut data.targets {
                    target.block = self.blocks[&target.block];
                    target.args.iter_mut().for_each(|arg| *arg = self.values[arg]);
                }
                data.attrs = data.attrs.into_iter().map(|attr| self.attr(attr)).collect();
            }
        }
        data.results.iter_mut().for_each(|result| *result = self.values[result]);
        let results = data.results.clone();
        let new = self.func.insts.push(data);
        for (index, result) in results.into_iter().enumerate() {
            self.func.values[result].def = Def::Result(new, index as u16);
        }
        let to = self.blocks[&block];
        self.func.blocks[to].insts.push(new);
    }

    /// Reads a variable of the outside: one of the function's cells, or one that the function got itself.
    fn captured_value(&mut self, data: &mut ir::InstData, captured: Value) {
        let outer = defining(self.func, captured).map(|inst| self.func.insts[inst].clone());
        if let Some(outer) = outer.filter(|outer| outer.op == Op::FreeCell) {
            data.attrs = outer.attrs;
            return;
        }
        data.op = Op::LoadCell;
        data.args = [captured].into_iter().collect();
        let name = data.attrs.pop().map(|attr| self.attr(attr));
        data.attrs = name.into_iter().chain([Attr::Int(1)]).collect();
    }

    fn attr(&mut self, attr: Attr) -> Attr {
        match attr {
            Attr::Symbol(name) => Attr::Symbol(self.symbol(name)),
            Attr::Symbols(names) => Attr::Symbols(names.iter().map(|&name| self.symbol(name)).collect()),
            Attr::Const(id) => Attr::Const(self.constant(id)),
            other => other,
        }
    }
}
