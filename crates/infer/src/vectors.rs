//! `np.array([f(i) for i in range(n)])`: the array is allocated once and filled; there is no list.
//!
//! That needs a comprehension of one `for` without a condition over what has a length that nothing changes, and a list
//! that is nothing but the argument. The Typed function then has an array being filled (`Iterator(array)`) where it had a list.

use crate::engine::Engine;
use ir::{Block, BlockCall, Def, Function, Inst, Op, Value, ValueType};
use types::{Type, TypeData, TypeTable};

/// Finds such comprehensions and rewrites them.
pub(crate) fn fill_at_once(engine: &Engine<'_>, func: &mut Function) {
    let calls: Vec<Inst> =
        insts(func).filter(|&(_, inst)| makes_array(engine, func, inst)).map(|(_, inst)| inst).collect();
    for call in calls {
        if let Some(comprehension) = Comprehension::of(engine, func, call) {
            comprehension.rewrite(engine.cx.types, func);
        }
    }
}

fn insts(func: &Function) -> impl Iterator<Item = (Block, Inst)> {
    func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
}

/// Whether an instruction is a call of `np.array` with one argument, a list, and perhaps a dtype.
fn makes_array(engine: &Engine<'_>, func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::Call || !matches!(data.args.len(), 2 | 3) {
        return false;
    }
    let callee = engine.types[data.args[0]].map(|ty| engine.cx.types.get(ty));
    matches!(callee, Some(TypeData::Function(name)) if &*name == "numpy.array")
        && engine.cx.types.list_item(func.ty(data.args[1])).is_some()
}

struct Comprehension {
    /// Where the list is made.
    made: Inst,
    /// What the comprehension goes through.
    source: Value,
    /// The list under all its names.
    names: Vec<Value>,
    call: Inst,
    array: Type,
}

impl Comprehension {
    fn of(engine: &Engine<'_>, func: &Function, call: Inst) -> Option<Comprehension> {
        let types = engine.cx.types;
        let array = func.ty(func.result(call));
        let dtype = types.array(array).filter(|array| array.ndim == 1)?.dtype;
        let mut names = vec![func.insts[call].args[1]];
        let made = loop {
            match func.values[*names.last()?].def {
                Def::Result(inst, _) => break inst,
                Def::Param(block, index) => {
                    names.push(*only_edge(func, block)?.args.get(usize::from(index))?)
                }
            }
        };
        let data = &func.insts[made];
        let item = types.list_item(func.ty(*names.last()?))?;
        if data.op != Op::BuildList || !data.args.is_empty() || !converts(item, dtype) {
            return None;
        }
        let body = only_append(func, &names, call)?;
        let source = source_of(func, made, body)?;
        has_fixed_length(types, func.ty(source)).then_some(Comprehension { made, source, names, call, array })
    }

    fn rewrite(self, types: &TypeTable, func: &mut Function) {
        let filled = types.intern(TypeData::Iterator(self.array));
        for name in self.names {
            func.values[name].ty = ValueType::Typed(filled);
        }
        func.insts[self.made].args.push(self.source);
        let data = &mut func.insts[self.call];
        let list = data.args[1];
        data.op = Op::Promote;
        data.attrs.clear();
        data.args = [list].into_iter().collect();
    }
}

/// The only way into a block, if there is one way.
fn only_edge(func: &Function, block: Block) -> Option<&BlockCall> {
    let all = func.layout.iter().flat_map(|&from| func.edges(from).chain(&func.blocks[from].handler));
    let mut edges = all.filter(|edge| edge.block == block);
    edges.next().filter(|_| edges.next().is_none())
}

/// The block that appends to the list, if nothing else is done with it before the call.
fn only_append(func: &Function, names: &[Value], call: Inst) -> Option<Block> {
    let mut appends = None;
    for (block, inst) in insts(func) {
        let data = &func.insts[inst];
        if inst == call || !data.args.iter().any(|arg| names.contains(arg)) {
            continue;
        }
        if data.op != Op::ListAppend || names.contains(&data.args[1]) || appends.is_some() {
            return None;
        }
        appends = Some(block);
    }
    let passes_on = |edge: &BlockCall| {
        let params = &func.blocks[edge.block].params;
        edge.args.iter().zip(params).all(|(arg, param)| !names.contains(arg) || names.contains(param))
    };
    let mut handlers = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
    let kept = handlers.any(|handler| handler.args.iter().any(|arg| names.contains(arg)));
    let all_pass = func.layout.iter().all(|&block| func.edges(block).all(passes_on));
    appends.filter(|_| all_pass && !kept)
}

/// What the loop goes through of which each round ends with this block, and which is entered behind the list's making.
fn source_of(func: &Function, made: Inst, body: Block) -> Option<Value> {
    let (from, _) = insts(func).find(|&(_, inst)| inst == made)?;
    let jump = |block: Block| {
        let last = func.terminator(block)?;
        let data = &func.insts[last];
        (data.op == Op::Jump).then(|| data.targets[0].block)
    };
    let head = jump(body)?;
    let mut before = from;
    while jump(before)? != head {
        before = jump(before)?;
        only_edge(func, before)?;
    }
    let entries = func.layout.iter().flat_map(|&block| func.edges(block)).filter(|edge| edge.block == head);
    let &first = func.blocks[head].insts.first()?;
    let Op::Iternext = func.insts[first].op else { return None };
    let Def::Result(iterator, _) = func.values[func.insts[first].args[0]].def else { return None };
    // (It stands before the list in all code that CPython compiles.)
    let is_earlier = func.insts[iterator].op == Op::Getiter && iterator < made;
    (entries.count() == 2 && is_earlier).then(|| func.insts[iterator].args[0])
}

/// Whether what is gone through has a length that is known at the start.
fn has_fixed_length(types: &TypeTable, source: Type) -> bool {
    matches!(types.get(types.unliteral(source)), TypeData::Range(_) | TypeData::Array(_) | TypeData::Str)
        || types.elements(source).is_some()
}

/// Whether items become those of the array as they would from a list.
fn converts(item: Type, dtype: Type) -> bool {
    let is_number = |ty: Type| ty.is_int() || ty.is_float();
    item == dtype && (item == Type::BOOL || is_number(item) || item.is_complex())
        || is_number(item) && (dtype.is_float() || dtype.is_complex())
}
