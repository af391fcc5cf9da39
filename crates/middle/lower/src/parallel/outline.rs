//! Outlines the body of a parallel loop and replaces the loop by `parallel_for`.

use super::carried::Carried;
use super::find_loops::{Loop, defined, used};
use super::indexed_reductions::{is_atomic, update_atomically};
use super::{ParallelBody, body_handle};
use entity::{HashMap, HashSet};
use ir::{
    Attr, BinaryOp, Block, BlockCall, Builder, ConstData, Def, Function, Inst, Op, Symbol, Value, ValueType,
};
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

/// What the loop takes along.
struct Captured {
    /// Ops without operands that give the same everywhere.
    repeated: Vec<Value>,
    /// All else.
    values: Vec<Value>,
}

/// The body of the loop, which becomes a `parallel_for` over the body of this number.
pub(super) fn outline(func: &mut Function, types: &TypeTable, found: &Loop, number: usize) -> ParallelBody {
    let captured = captured(func, found);
    let carried: Vec<Value> = func.blocks[found.header].params.clone();
    let mut body = func.clone();
    let params = Params::of(func, types, found, &captured);
    let result = build_body(&mut body, types, found, &captured, &params);
    replace_loop(func, types, found, (&captured.values, &carried), number);
    let span = body.insts[found.call].span;
    ParallelBody { func: body, params: params.types, result, span, races: found.races.clone() }
}

fn captured(func: &Function, found: &Loop) -> Captured {
    let own = defined(func, &found.blocks);
    let iterator = func.insts[func.blocks[found.header].insts[0]].args[0];
    let steps = func.insts[found.call].args.get(3).copied();
    let callee = func.insts[found.call].args[0];
    let mut seen: HashSet<Value> = HashSet::default();
    let mut captured = Captured { repeated: Vec::new(), values: Vec::new() };
    for value in [callee].into_iter().chain(steps).chain(inner_uses(func, found)) {
        if value == iterator || own.contains(&value) || !seen.insert(value) {
            continue;
        }
        match func.values[value].def {
            Def::Result(inst, _) if matches!(func.insts[inst].op, Op::Const | Op::Global | Op::Undef) => {
                captured.repeated.push(value);
            }
            _ => captured.values.push(value),
        }
    }
    captured
}

/// What the loop's blocks use; not what the way after it is given.
fn inner_uses(func: &Function, found: &Loop) -> Vec<Value> {
    let exit = &func.insts[func.blocks[found.header].insts[1]].targets[1];
    let given = exit.args.len();
    let mut values: Vec<Value> = used(func, &found.blocks[..1]).collect();
    // The header's last instruction is the branch, whose second target stands last.
    values.truncate(values.len() - given);
    values.extend(used(func, &found.blocks).skip(values.len() + given));
    values
}

/// Whether the loop adds up arrays. Then its body has a parameter that says whether it does so alone, in the array itself.
fn sums_arrays(func: &Function, types: &TypeTable, found: &Loop) -> bool {
    let params = &func.blocks[found.header].params;
    let mut kinds = params.iter().zip(&found.carried);
    kinds.any(|(&param, kind)| kind.array_operator(types, func.ty(param)).is_some())
}

/// Whether the loop updates items of arrays that may be updated atomically. Then its body has a parameter that says whether it does.
fn updates_items(func: &Function, types: &TypeTable, found: &Loop) -> bool {
    let params = &func.blocks[found.header].params;
    let mut kinds = params.iter().zip(&found.carried);
    kinds.any(|(&param, kind)| is_atomic(types, func.ty(param), kind))
}

/// The parameters of the body: first iteration, last one, whether it is alone, whether it updates items atomically, what is captured, what
/// is carried.
struct Params {
    types: Vec<Type>,
    names: Vec<String>,
}

impl Params {
    fn of(func: &Function, types: &TypeTable, found: &Loop, captured: &Captured) -> Params {
        let index = func.ty(func.insts[func.blocks[found.header].insts[0]].results[0]);
        let mut params = Params { types: vec![index; 2], names: vec!["begin".into(), "end".into()] };
        if sums_arrays(func, types, found) {
            params.types.push(Type::BOOL);
            params.names.push("alone".into());
        }
        if updates_items(func, types, found) {
            params.types.push(Type::BOOL);
            params.names.push("atomically".into());
        }
        let carried = &func.blocks[found.header].params;
        for (number, &value) in captured.values.iter().chain(carried).enumerate() {
            params.types.push(func.ty(value));
            params.names.push(func.value_name(value).map_or_else(|| format!("x{number}"), str::to_owned));
        }
        debug_assert!(types.unliteral(index) == index, "an index is no constant");
        params
    }
}

/// Leaves the loop alone in the function, from a part of its range to what is carried after it.
fn build_body(
    body: &mut Function,
    types: &TypeTable,
    found: &Loop,
    captured: &Captured,
    params: &Params,
) -> Type {
    body.layout.clear();
    let label = body.blocks[found.header].label;
    body.entry = body.add_block(label);
    body.layout.extend(&found.blocks);
    for &block in &found.blocks {
        // Who called the body handles what leaves it.
        body.blocks[block].handler.take_if(|handler| !found.blocks.contains(&handler.block));
    }
    let symbols: Vec<Symbol> = params.names.iter().map(|name| body.symbols.intern_str(name)).collect();
    body.params.clone_from(&symbols);
    let flags = add_flags(body, found);
    let iterator = body.insts[body.blocks[found.header].insts[0]].args[0];
    let (call, getiter) = (body.insts[found.call].clone(), body.insts[found.getiter].clone());
    let entry = body.entry;
    let mut inner: HashMap<Value, Value> = HashMap::default();
    let mut b = Builder::new(body, entry);
    b.span = call.span;
    let args: Vec<Value> = params
        .types
        .iter()
        .zip(symbols)
        .enumerate()
        .map(|(at, (&ty, symbol))| {
            let attrs = [Attr::Int(at as i64), Attr::Symbol(symbol)];
            b.value(Op::Arg, attrs, &[], ValueType::Typed(ty))
        })
        .collect();
    let alone = sums_arrays(b.func, types, found).then(|| args[2]);
    let atomically = updates_items(b.func, types, found).then(|| args[3]);
    let first = 2 + usize::from(alone.is_some()) + usize::from(atomically.is_some());
    let behind = first + captured.values.len();
    inner.extend(captured.values.iter().copied().zip(args[first..behind].iter().copied()));
    let start = b.new_block();
    b.jump(start, &[]);
    b.switch_to(start);
    for &value in &captured.repeated {
        let Def::Result(inst, _) = b.func.values[value].def else { continue };
        let data = b.func.insts[inst].clone();
        let ty = b.func.values[value].ty;
        inner.insert(value, b.value(data.op, data.attrs, &[], ty));
    }
    let mut range = vec![inner[&call.args[0]], args[0], args[1]];
    range.extend(call.args.get(3).map(|step| inner[step]));
    let ty = |value: Value, b: &Builder<'_>| b.func.values[value].ty;
    let of = ty(call.results[0], &b);
    let range = b.value(Op::Call, call.attrs, &range, of);
    let of = ty(getiter.results[0], &b);
    inner.insert(iterator, b.value(Op::Getiter, [], &[range], of));
    let mut begin: Vec<Value> = args[behind..].to_vec();
    for (value, kind) in begin.iter_mut().zip(&found.carried) {
        let ty = b.func.ty(*value);
        if let (Some(op), Some(alone)) = (kind.array_operator(types, ty), alone) {
            let in_place = [Some(alone), atomically.filter(|_| is_atomic(types, ty, kind))];
            *value = array_to_fill(&mut b, types, *value, op, in_place);
        }
    }
    if flags > 0 {
        let unset = bool_value(&mut b, types, false);
        begin.extend((0..flags).map(|_| unset));
    }
    b.jump(found.header, &begin);
    if flags > 0 {
        fill_flags(body, types, found);
    }
    // Blocks of the body that were laid out after the header stay there; where it begins stands first.
    substitute(body, &inner);
    if let Some(atomically) = atomically {
        update_atomically(body, types, found, atomically);
    }
    leave(body, types, found)
}

/// Where the loop ends, the function returns what is carried.
fn leave(body: &mut Function, types: &TypeTable, found: &Loop) -> Type {
    let exit = body.add_block(body.blocks[found.header].label);
    let values = body.blocks[found.header].params.clone();
    let branch = body.blocks[found.header].insts[1];
    body.insts[branch].targets[1] = BlockCall::new(exit, []);
    let of: Vec<Type> = values.iter().map(|&value| body.ty(value)).collect();
    let span = body.insts[found.call].span;
    let mut b = Builder::new(body, exit);
    b.span = span;
    let (value, result) = if values.is_empty() {
        let none = b.constant(ConstData::None);
        (b.value(Op::Const, [Attr::Const(none)], &[], ValueType::Typed(Type::NONE)), Type::NONE)
    } else {
        let result = types.tuple(&of);
        (b.value(Op::BuildTuple, [], &values, ValueType::Typed(result)), result)
    };
    b.terminate(Op::Return, &[value]);
    result
}

/// The array itself where one of the conditions is true, else the body's own one.
fn array_to_fill(
    b: &mut Builder<'_>,
    types: &TypeTable,
    array: Value,
    op: BinaryOp,
    in_place: [Option<Value>; 2],
) -> Value {
    let (same, begun) = (b.new_block(), b.new_block());
    for condition in in_place.into_iter().flatten() {
        let other = b.new_block();
        b.branch(condition, BlockCall::new(same, []), BlockCall::new(other, []));
        b.switch_to(other);
    }
    let own = b.block;
    b.switch_to(same);
    b.jump(begun, &[array]);
    b.switch_to(own);
    let made = own_array(b, types, array, op);
    b.jump(begun, &[made]);
    b.switch_to(begun);
    let ty = b.func.values[array].ty;
    b.func.add_param(begun, ty)
}

/// A new array like one, of the operator's neutral element: of floats that are added, the zero that is negative.
fn own_array(b: &mut Builder<'_>, types: &TypeTable, like: Value, op: BinaryOp) -> Value {
    let ty = b.func.ty(like);
    let Some(array) = types.array(ty) else { return like };
    let name = match op {
        BinaryOp::Mul => "ones_like",
        _ if array.dtype.is_float() => "full_like",
        _ => "zeros_like",
    };
    let symbol = b.symbol(name);
    let function = types.intern(TypeData::Function(format!("numpy.{name}").into()));
    let function = b.value(Op::Global, [Attr::Symbol(symbol)], &[], ValueType::Typed(function));
    let mut args = vec![function, like];
    if name == "full_like" {
        let zero = b.constant(ConstData::Float((-0.0f64).to_bits()));
        args.push(b.value(Op::Const, [Attr::Const(zero)], &[], ValueType::Typed(Type::FLOAT64)));
    }
    let layout = if array.layout == Layout::F { Layout::F } else { Layout::C };
    let made = types.intern(TypeData::Array(ArrayType { layout, mutable: true, aligned: true, ..array }));
    let made_value = b.value(Op::Call, [Attr::Symbols(Vec::new())], &args, ValueType::Typed(made));
    if made == ty { made_value } else { b.value(Op::Promote, [], &[made_value], ValueType::Typed(ty)) }
}

/// A boolean.
fn bool_value(b: &mut Builder<'_>, types: &TypeTable, value: bool) -> Value {
    let known = b.constant(ConstData::Bool(value));
    let literal = types.intern(types::TypeData::Literal(types::LiteralValue::Bool(value)));
    let known = b.value(Op::Const, [Attr::Const(known)], &[], ValueType::Typed(literal));
    b.value(Op::Promote, [], &[known], ValueType::Typed(Type::BOOL))
}

/// Parameters of the header that say whether an iteration set a name. Gives how many there are.
fn add_flags(body: &mut Function, found: &Loop) -> usize {
    let set = found.carried.iter().filter(|carried| **carried == Carried::LastSet).count();
    for _ in 0..set {
        body.add_param(found.header, ValueType::Typed(Type::BOOL));
    }
    set
}

/// Hands the flags along: a block's parameter that may be the name's old value has a flag beside it.
fn fill_flags(body: &mut Function, types: &TypeTable, found: &Loop) {
    let carried = found.carried.len();
    let mut next = carried;
    for (number, _) in found.carried.iter().enumerate().filter(|(_, kind)| **kind == Carried::LastSet) {
        let param = body.blocks[found.header].params[number];
        let flag = body.blocks[found.header].params[next];
        next += 1;
        let mut flags: HashMap<Value, Value> = HashMap::from_iter([(param, flag)]);
        let mut open = vec![param];
        let mut joined: Vec<(Block, usize)> = Vec::new();
        while let Some(value) = open.pop() {
            for (block, at) in taking(body, &found.blocks, value) {
                let next = body.blocks[block].params[at];
                if block != found.header && !flags.contains_key(&next) {
                    flags.insert(next, body.add_param(block, ValueType::Typed(Type::BOOL)));
                    joined.push((block, at));
                    open.push(next);
                }
            }
        }
        joined.push((found.header, number));
        for from in found.blocks.clone() {
            pass_flags(body, types, from, &joined, &flags);
        }
    }
}

/// Parameters that a value is handed to inside the loop.
fn taking(body: &Function, blocks: &[Block], value: Value) -> Vec<(Block, usize)> {
    let last = blocks.iter().filter_map(|&block| body.terminator(block));
    let calls = last.flat_map(|inst| &body.insts[inst].targets);
    calls
        .flat_map(|to| {
            let at = to.args.iter().enumerate().filter(|(_, arg)| **arg == value);
            at.map(|(at, _)| (to.block, at)).collect::<Vec<_>>()
        })
        .collect()
}

/// The ways out of a block to parameters with a flag hand over that as well.
fn pass_flags(
    body: &mut Function,
    types: &TypeTable,
    from: Block,
    joined: &[(Block, usize)],
    flags: &HashMap<Value, Value>,
) {
    let Some(last) = body.terminator(from) else { return };
    for target in 0..body.insts[last].targets.len() {
        let to = body.insts[last].targets[target].clone();
        for &(_, at) in joined.iter().filter(|&&(block, _)| block == to.block) {
            let flag = match flags.get(&to.args[at]) {
                Some(&flag) => flag,
                None => before(body, from, last, |b| bool_value(b, types, true)),
            };
            body.insts[last].targets[target].args.push(flag);
        }
    }
}

/// Builds something before a block's terminator.
fn before<T>(body: &mut Function, block: Block, last: Inst, build: impl FnOnce(&mut Builder<'_>) -> T) -> T {
    body.blocks[block].insts.pop();
    let span = body.insts[last].span;
    let mut b = Builder::new(body, block);
    b.span = span;
    let built = build(&mut b);
    body.blocks[block].insts.push(last);
    built
}

/// Puts values in the places of others.
fn substitute(func: &mut Function, values: &HashMap<Value, Value>) {
    let swap = |value: &mut Value| *value = values.get(value).copied().unwrap_or(*value);
    for block in func.layout.clone() {
        func.change_uses(block, swap);
    }
}

/// The loop becomes its header alone, which runs the body of this number.
fn replace_loop(
    func: &mut Function,
    types: &TypeTable,
    found: &Loop,
    (captured, carried): (&[Value], &[Value]),
    number: usize,
) {
    let unknown =
        usize::from(sums_arrays(func, types, found)) + usize::from(updates_items(func, types, found));
    let gone: HashSet<Block> =
        found.blocks[1..].iter().copied().filter(|block| !found.shared.contains(block)).collect();
    func.layout.retain(|block| !gone.contains(block));
    let exit = func.insts[func.blocks[found.header].insts[1]].targets[1].clone();
    let (span, range) = (func.insts[found.call].span, func.insts[found.call].results[0]);
    let results: Vec<ValueType> = carried.iter().map(|&value| func.values[value].ty).collect();
    let words: Vec<Symbol> = found.carried.iter().map(|kind| func.symbols.intern_str(&kind.word())).collect();
    let cost = Attr::Int(found.cost);
    let attrs = [Attr::Int(i64::from(body_handle(number).0)), Attr::Symbols(words), cost];
    func.blocks[found.header].insts.clear();
    let mut b = Builder::new(func, found.header);
    b.span = span;
    // Lowering finds out whether the body has to be alone, and whether to update items atomically.
    let modes: Vec<Value> = (0..unknown).map(|_| bool_value(&mut b, types, false)).collect();
    let args: Vec<Value> =
        [range].into_iter().chain(modes).chain(captured.iter().chain(carried).copied()).collect();
    let inst = b.inst(Op::ParallelFor, attrs, &[], &results);
    b.jump(exit.block, &exit.args);
    let made = func.insts[inst].results.clone();
    for (&param, &result) in carried.iter().zip(&made) {
        let data = func.values[param].clone();
        func.values[result].name = data.name;
        func.values[result].version = data.version;
    }
    substitute(func, &carried.iter().copied().zip(made).collect());
    func.insts[inst].args = args.into_iter().collect();
    for block in func.layout.clone() {
        func.blocks[block].insts.retain(|&other| other != found.getiter);
    }
}
