//! Unrolls loops over `literal_unroll(tuple)` and over tuples of different types, so that items have types of their
//! own.
//!
//! ```text
//!     %u = call literal_unroll, %t          head0:  %x0 = getitem %t, 0
//!     %i = getiter %u                               ... the body, jump head1
//! head(%s):                                 head1:  %x1 = getitem %t, 1
//!     %x, %ok = iternext %i                         ... the body, jump head2
//!     branch %ok, body, exit                head2:  jump exit
//! body:
//!     ...
//!     jump head(%s2)
//! ```
//!
//! A value of the loop that is used after it then has several definitions; it becomes a parameter of the blocks
//! where they meet.
//!
//! Absent: the decision to unroll, which restarts inference (`restart_state`).

use crate::desugar::clone_blocks::{Copy, versions};
use entity::{EntitySet, HashMap};
use flow::Cfg;
use ir::{Attr, Block, BlockCall, Builder, ConstData, Def, Function, Inst, Op, Symbol, Value, ValueType};

/// More blocks than these are not written out for the ways out of a loop, as code behind the loop may be among them.
const MOST_WITH_WAYS_OUT: usize = 64;

/// Where the items come from.
enum Items {
    /// From this tuple, by index.
    Tuple(Value),
    /// They are these.
    Values(Vec<Value>),
    /// They are the indices from 0 on.
    Indices,
}

/// A loop over the items of a tuple.
struct Loop {
    /// The items.
    items: Items,
    /// `getiter`.
    start: Inst,
    /// The block that takes the next item, and where in it.
    head: Block,
    next: usize,
    /// All blocks of the loop in reverse postorder: the head is the first.
    body: Vec<Block>,
    /// Whether some path leads from the body back to the head.
    repeats: bool,
}

/// Writes out the loop over the result of `call`, or the loop that begins with this `getiter`, for so many
/// items; whether there is one.
pub(crate) fn unroll(func: &mut Function, call: Inst, count: usize) -> bool {
    let cfg = Cfg::compute(func);
    let Some(mut found) = find(func, &cfg, call) else { return false };
    let iterable = match (&found.items, &func.insts[call].args[..]) {
        (Items::Tuple(iterable), _) | (_, [_, iterable]) => *iterable,
        _ => return false,
    };
    replace_drops(func, func.insts[found.start].results[0], iterable);
    if let (Items::Tuple(iterable), true) = (&found.items, found.start == call) {
        let next = func.blocks[found.head].insts[found.next];
        found.items = Items::Values(unpack(func, call, *iterable, count));
        // In a loop that never repeats, `getiter` may stand in the head.
        let mut insts = func.blocks[found.head].insts.iter();
        found.next = insts.position(|&inst| inst == next).unwrap_or(found.next);
    }
    if let (Items::Indices, Some(&tuple)) = (&found.items, func.insts[call].args.get(1)) {
        // `len` is asked of the tuple itself.
        let result = func.insts[call].results[0];
        for block in func.layout.clone() {
            func.replace_uses(block, result, tuple);
        }
    }
    if !found.repeats {
        go_straight(func, &found, count > 0);
        return true;
    }
    close(func, &cfg, &found.body);
    let heads: Vec<Block> = (0..=count).map(|_| new_block(func, found.head)).collect();
    let mut versions = versions(func);
    for at in 0..count {
        copy_iteration(func, &found, at, heads[at], heads[at + 1], &mut versions);
    }
    copy_end(func, &found, heads[count], iterable, &mut versions);
    enter(func, &found, heads[0]);
    true
}

/// Whether an instruction only says how long an iterator lives.
fn drops(func: &Function, inst: Inst, iterator: Value) -> bool {
    let data = &func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Reraise, _) => data.args.last() != Some(&iterator),
        (Op::Python, Some(&Attr::Symbol(name))) => func.symbols.get(name) == "drop_iterator",
        _ => false,
    }
}

/// There is no iterator any more: what it goes through lives as long as it did.
fn replace_drops(func: &mut Function, iterator: Value, iterable: Value) {
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            if drops(func, inst, iterator) {
                let args = func.insts[inst].args.iter_mut();
                args.filter(|arg| **arg == iterator).for_each(|arg| *arg = iterable);
            }
        }
    }
}

/// All items of what is iterated over, taken before `getiter`.
fn unpack(func: &mut Function, start: Inst, iterable: Value, count: usize) -> Vec<Value> {
    let home = func.layout.iter().copied().find(|&block| func.blocks[block].insts.contains(&start));
    let Some(block) = home else { return Vec::new() };
    let mut builder = Builder::new(func, block);
    builder.span = builder.func.insts[start].span;
    let new = builder.inst(Op::Unpack, [], &[iterable], &vec![ValueType::Untyped; count]);
    let insts = &mut func.blocks[block].insts;
    insts.pop();
    let at = insts.iter().position(|&inst| inst == start).unwrap_or(insts.len());
    insts.insert(at, new);
    func.insts[new].results.to_vec()
}

/// A loop that never repeats takes the first item if there is one.
fn go_straight(func: &mut Function, found: &Loop, has_item: bool) {
    let Some(branch) = func.terminator(found.head) else { return };
    let next = func.blocks[found.head].insts[found.next];
    let item = func.insts[next].results[0];
    let mut rest = func.blocks[found.head].insts.split_off(found.next);
    rest.retain(|&inst| inst != next && inst != branch);
    func.blocks[found.head].insts.retain(|&inst| inst != found.start);
    let mut target = func.insts[branch].targets[usize::from(!has_item)].clone();
    if has_item {
        let taken = match &found.items {
            Items::Tuple(tuple) => item_of(func, next, 0, found.head, *tuple).0,
            Items::Values(values) => values[0],
            Items::Indices => index_constant(func, next, 0, found.head),
        };
        let from = func.values[item].clone();
        func.values[taken].name = from.name;
        func.values[taken].version = from.version;
        for block in func.layout.clone() {
            func.replace_uses(block, item, taken);
        }
        // The branch is in no block any more.
        for arg in target.args.iter_mut().filter(|arg| **arg == item) {
            *arg = taken;
        }
    }
    func.blocks[found.head].insts.extend(rest);
    jump(func, branch, found.head, target);
}

fn find(func: &Function, cfg: &Cfg<Block>, call: Inst) -> Option<Loop> {
    let user = |value: Value| {
        let blocks = cfg.reverse_postorder().iter();
        let mut users =
            blocks.flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)));
        let uses = |&(_, inst): &(Block, Inst)| func.insts[inst].uses().any(|used| used == value);
        let takes = |user: &(Block, Inst)| uses(user) && !drops(func, user.1, value);
        let first = users.find(takes)?;
        if users.any(|user| takes(&user)) { None } else { Some(first) }
    };
    let mut start = call;
    let mut steps = Vec::new();
    while func.insts[start].op != Op::Getiter {
        // `literal_unroll`, and `range` of `len` of it.
        steps.push(name_of_callee(func, start)?);
        start = user(*func.insts[start].results.first()?)?.1;
    }
    let items = match steps[..] {
        [] => Items::Tuple(func.insts[start].args[0]),
        [_] => Items::Tuple(*func.insts[call].args.get(1)?),
        [_, "len", "range"] => Items::Indices,
        _ => return None,
    };
    let (head, next) = user(*func.insts[start].results.first()?)?;
    let (_, branch) = user(*func.insts[next].results.get(1)?)?;
    let last = func.terminator(head)?;
    let ops = (func.insts[start].op, func.insts[next].op, func.insts[branch].op);
    if ops != (Op::Getiter, Op::Iternext, Op::Branch) || branch != last {
        return None;
    }
    let tree = flow::compute_dominators(cfg);
    let loops = flow::compute_loops(cfg, &tree);
    // A loop around one that never repeats may have the same header: there `getiter` is run in each iteration.
    let begins_in = |&block: &Block| func.blocks[block].insts.contains(&start);
    let own = loops.loop_of_header(head).filter(|&id| !loops.body(id).iter().any(begins_in));
    let mut body = own.map_or(vec![head], |id| loops.body(id).to_vec());
    let (first, exit) = (func.insts[branch].targets[0].block, func.insts[branch].targets[1].block);
    let ways_out = match own {
        Some(_) if first != exit && cfg.predecessors(first).len() == 1 => {
            ways_out(tree.subtree(first), &body)
        }
        _ => Vec::new(),
    };
    if body.len() + ways_out.len() <= MOST_WITH_WAYS_OUT {
        body.extend(ways_out);
    }
    // Definitions stand before uses there.
    body.sort_by_key(|&block| cfg.order_of(block));
    let next = func.blocks[head].insts.iter().position(|&inst| inst == next)?;
    Some(Loop { items, start, head, next, body, repeats: own.is_some() })
}

/// The blocks of an iteration, the first of which dominates the others, that lead out of the loop, as to a `return`. What they use, such as an
/// iterator of a loop inside that ends with them, may have a type of its own in each iteration.
fn ways_out(iteration: &[Block], body: &[Block]) -> Vec<Block> {
    iteration.iter().copied().filter(|block| !body.contains(block)).collect()
}

/// Values that the blocks define and others use go to those as parameters.
fn close(func: &mut Function, cfg: &Cfg<Block>, body: &[Block]) {
    let mut inside: EntitySet<Block> = EntitySet::new();
    inside.extend(body.iter().copied());
    let outside: Vec<Block> =
        cfg.reverse_postorder().iter().copied().filter(|&block| !inside.contains(block)).collect();
    let mut defined = Vec::new();
    for &block in body {
        defined.extend(func.blocks[block].params.iter().copied());
        defined.extend(
            func.blocks[block].insts.iter().flat_map(|&inst| func.insts[inst].results.iter().copied()),
        );
    }
    for value in defined {
        let users: Vec<Block> = outside.iter().copied().filter(|&block| uses(func, block, value)).collect();
        if !users.is_empty() {
            lead_out(func, cfg, &inside, &outside, value, users);
        }
    }
}

fn uses(func: &Function, block: Block, value: Value) -> bool {
    let in_handler = func.blocks[block].handler.iter().any(|call| call.args.contains(&value));
    in_handler
        || func.blocks[block].insts.iter().any(|&inst| func.insts[inst].uses().any(|used| used == value))
}

fn lead_out(
    func: &mut Function,
    cfg: &Cfg<Block>,
    inside: &EntitySet<Block>,
    outside: &[Block],
    value: Value,
    users: Vec<Block>,
) {
    let mut needed: EntitySet<Block> = EntitySet::new();
    let mut open = users.clone();
    while let Some(block) = open.pop() {
        if needed.insert(block) {
            open.extend(cfg.reachable_predecessors(block).filter(|&before| !inside.contains(before)));
        }
    }
    // In reverse postorder a block's only predecessor stands before it.
    let mut known: HashMap<Block, Value> = HashMap::default();
    let mut joins = Vec::new();
    for &block in outside.iter().filter(|&&block| needed.contains(block)) {
        let before: Vec<Block> = cfg.reachable_predecessors(block).collect();
        let passed = match before[..] {
            [only] if !inside.contains(only) => known.get(&only).copied(),
            _ => None,
        };
        let own = passed.unwrap_or_else(|| {
            joins.push((block, before));
            let data = func.values[value].clone();
            let param = new_param(func, block, data.ty);
            func.values[param].name = data.name;
            func.values[param].version = data.version;
            param
        });
        known.insert(block, own);
    }
    for (&block, &own) in &known {
        func.replace_uses(block, value, own);
    }
    for (block, before) in joins {
        let mut seen: EntitySet<Block> = EntitySet::new();
        for from in before.into_iter().filter(|&from| seen.insert(from)) {
            let passed = known.get(&from).copied().unwrap_or(value);
            pass(func, from, block, passed);
        }
    }
}

/// A new parameter of a block; of a handler the exception stays the last one.
fn new_param(func: &mut Function, block: Block, ty: ValueType) -> Value {
    let is_handler =
        |from: &Block| func.blocks[*from].handler.as_ref().is_some_and(|call| call.block == block);
    let handles = func.layout.iter().any(is_handler);
    let param = func.add_param(block, ty);
    if handles {
        let params = &mut func.blocks[block].params;
        let last = params.len() - 1;
        params.swap(last - 1, last);
        for at in [last - 1, last] {
            func.values[params[at]].def = Def::Param(block, at as u16);
        }
    }
    param
}

/// Every edge from one block to the other passes one more value.
fn pass(func: &mut Function, from: Block, to: Block, value: Value) {
    if let Some(call) = func.blocks[from].handler.as_mut().filter(|call| call.block == to) {
        call.args.push(value);
    }
    if let Some(last) = func.terminator(from) {
        for call in func.insts[last].targets.iter_mut().filter(|call| call.block == to) {
            call.args.push(value);
        }
    }
}

fn new_block(func: &mut Function, like: Block) -> Block {
    let label = func.blocks[like].label;
    let block = func.add_block(label);
    func.blocks[block].cold = func.blocks[like].cold;
    block
}

/// The loop for one item.
fn copy_iteration(
    func: &mut Function,
    found: &Loop,
    at: usize,
    head: Block,
    next: Block,
    versions: &mut HashMap<Symbol, u32>,
) {
    let mut copy = Copy::default();
    let mut copied = vec![(found.head, head)];
    for &block in found.body.iter().filter(|&&block| block != found.head) {
        let new = new_block(func, block);
        copy.blocks.insert(block, new);
        copied.push((block, new));
    }
    copy.blocks.insert(found.head, next);
    for &(from, to) in &copied {
        copy.params(func, from, to, versions);
    }
    for &(from, to) in &copied {
        for (position, inst) in func.blocks[from].insts.clone().into_iter().enumerate() {
            if from == found.head && position == found.next {
                take_item(func, found, inst, at, to, &mut copy, versions);
            } else if from == found.head && position + 1 == func.blocks[from].insts.len() {
                let target = copy.call(&func.insts[inst].targets[0]);
                jump(func, inst, to, target);
            } else {
                copy.inst(func, inst, to, versions);
            }
        }
    }
    for (from, to) in copied {
        func.blocks[to].handler = func.blocks[from].handler.as_ref().map(|call| copy.call(call));
    }
}

fn take_item(
    func: &mut Function,
    found: &Loop,
    inst: Inst,
    at: usize,
    to: Block,
    copy: &mut Copy,
    versions: &mut HashMap<Symbol, u32>,
) {
    let (item, valid) = (func.insts[inst].results[0], func.insts[inst].results[1]);
    match &found.items {
        Items::Tuple(tuple) => {
            let (taken, index) = item_of(func, inst, at, to, copy.value(*tuple));
            copy.define(func, item, taken, versions);
            copy.values.insert(valid, index);
        }
        Items::Values(values) => {
            copy.define(func, item, values[at], versions);
            copy.values.insert(valid, values[at]);
        }
        Items::Indices => {
            let index = index_constant(func, inst, at, to);
            copy.define(func, item, index, versions);
            copy.values.insert(valid, index);
        }
    }
}

/// The index of an item, at the end of a block.
fn index_constant(func: &mut Function, next: Inst, at: usize, to: Block) -> Value {
    let index = func.consts.intern(ConstData::Int(at as i64));
    let mut builder = Builder::new(func, to);
    builder.span = builder.func.insts[next].span;
    builder.value(Op::Const, [Attr::Const(index)], &[], ValueType::Untyped)
}

/// The global name of what a call of one argument calls.
fn name_of_callee(func: &Function, call: Inst) -> Option<&str> {
    let data = &func.insts[call];
    let Def::Result(callee, _) = func.values[*data.args.first()?].def else { return None };
    match (data.op, data.args.len(), func.insts[callee].op, func.insts[callee].attrs.first()) {
        (Op::Call, 2, Op::Global, Some(&Attr::Symbol(name))) => Some(func.symbols.get(name)),
        // The first call is known to be one of `literal_unroll`, whatever it is called.
        (Op::Call, 2, ..) => Some(""),
        _ => None,
    }
}

/// An item of the tuple, at the end of a block, and its index.
fn item_of(func: &mut Function, next: Inst, at: usize, to: Block, tuple: Value) -> (Value, Value) {
    let index = index_constant(func, next, at, to);
    let mut builder = Builder::new(func, to);
    builder.span = builder.func.insts[next].span;
    (builder.value(Op::Getitem, [], &[tuple, index], ValueType::Untyped), index)
}

fn jump(func: &mut Function, branch: Inst, from: Block, target: BlockCall) {
    let mut builder = Builder::new(func, from);
    builder.span = builder.func.insts[branch].span;
    let args = target.args.clone();
    builder.jump(target.block, &args);
}

/// The head after the last item: it leaves the loop, and `iterable` with it.
fn copy_end(
    func: &mut Function,
    found: &Loop,
    last: Block,
    iterable: Value,
    versions: &mut HashMap<Symbol, u32>,
) {
    let mut copy = Copy::default();
    copy.params(func, found.head, last, versions);
    for (position, inst) in func.blocks[found.head].insts.clone().into_iter().enumerate() {
        if position < found.next {
            copy.inst(func, inst, last, versions);
        } else if position + 1 == func.blocks[found.head].insts.len() {
            let target = copy.call(&func.insts[inst].targets[1]);
            let name = func.symbols.intern("drop_iterator".to_string());
            let mut builder = Builder::new(func, last);
            builder.span = builder.func.insts[inst].span;
            builder.inst(Op::Python, [Attr::Symbol(name), Attr::Int(0)], &[copy.value(iterable)], &[]);
            jump(func, inst, last, target);
        }
    }
    func.blocks[last].handler = func.blocks[found.head].handler.as_ref().map(|call| copy.call(call));
}

/// Who came to the loop comes to its first copy; the loop itself goes.
fn enter(func: &mut Function, found: &Loop, first: Block) {
    for block in func.layout.clone() {
        if let Some(last) = func.terminator(block).filter(|_| !found.body.contains(&block)) {
            for call in func.insts[last].targets.iter_mut().filter(|call| call.block == found.head) {
                call.block = first;
            }
        }
        func.blocks[block].insts.retain(|&inst| inst != found.start);
    }
    func.layout.retain(|block| !found.body.contains(block));
    for &block in &found.body {
        func.blocks[block].insts.clear();
        func.blocks[block].params.clear();
    }
}
