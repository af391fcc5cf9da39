//! Which exception is being handled: CPython keeps a stack at run time, here it is known from the code.
//!
//! ```text
//! block4(%1) handler block10:                      block4(%1):                the push cannot raise
//!     %2 = python push_exception, 0, %1                %2 = python push_exception, 0, %1
//!     raise                              becomes       reraise %1
//! block10(%7):                                     block10(%7):
//!     python pop_exception, 0, %2                      python pop_exception, 0, %2
//!     reraise %7                                       python chain_exception, 0, %7, %1
//!                                                      reraise %7
//! ```

use crate::redundant;
use entity::{HashMap, HashSet};
use flow::Cfg;
use ir::{Attr, Block, BlockCall, Builder, Def, Function, Inst, Op, Value, ValueType};

/// What [`finalize_handlers`] adds: the second exception was being handled when the first one was raised.
const CHAIN: &str = "chain_exception";

/// Removes exception edges of what cannot raise, names the exception that `raise` raises again, and says where one exception
/// comes while another one is handled.
pub fn finalize_handlers(func: &mut Function) {
    if func.layout.iter().all(|&block| func.blocks[block].handler.is_none()) {
        name_raised_again(func);
        return;
    }
    let heads = loop_heads(func);
    change_edges(func, &|func, block| (!heads.contains(&block) && cannot_raise(func, block)).then_some(None));
    redundant::remove_redundant_params(func);
    hand_on(func);
    change_edges(func, &passed_on);
    redundant::remove_redundant_params(func);
    name_raised_again(func);
    chain(func);
    chain_inner(func);
    narrow(func);
}

/// After a test for a class, an exception is one of that class, or (the number is 1) of another one. The test is that of a
/// clause, or a call of what is named `isinstance`, which is an operand then: inference knows whether it is the builtin.
///
/// ```text
///     branch %matches, block5, block6                  branch %matches, block5, block6
/// block5:                                becomes   block5:
///     %4 = getattr[args] %1                            %9 = python narrow_exception, 0, %1, %class
///                                                      %4 = getattr[args] %9
/// ```
fn narrow(func: &mut Function) {
    let cfg = flow::Cfg::compute(func);
    let mut tree = None;
    for block in func.layout.clone() {
        let Some(test) = class_test(func, block) else { continue };
        for (target, is_other) in [(test.matches, false), (test.differs, true)] {
            if target == block || cfg.predecessors(target).len() != 1 {
                continue;
            }
            let tree = tree.get_or_insert_with(|| flow::compute_dominators(&cfg));
            narrow_region(func, &tree.subtree(target), &test, is_other);
        }
    }
}

/// The blocks behind a test see what it tells of an exception.
fn narrow_region(func: &mut Function, region: &[Block], test: &ClassTest, is_other: bool) {
    if !region.iter().any(|&block| looks_at(func, block, test.exception)) {
        return;
    }
    let first = region[0];
    let rest = std::mem::take(&mut func.blocks[first].insts);
    let mut builder = Builder::new(func, first);
    builder.span = rest.first().map_or(builder.span, |&first| builder.func.insts[first].span);
    let name = builder.symbol("narrow_exception");
    let attrs = [Attr::Symbol(name), Attr::Int(is_other.into())];
    let operands = [Some(test.exception), Some(test.class), test.function].into_iter().flatten();
    let narrowed = builder.untyped(Op::Python, attrs, &operands.collect::<Vec<_>>());
    func.blocks[first].insts.extend(rest);
    for &block in region {
        replace(func, block, test.exception, narrowed, is_other);
    }
}

/// A test for a class at the end of a block.
struct ClassTest {
    exception: Value,
    class: Value,
    /// What is called, if it is a call.
    function: Option<Value>,
    /// Where it leads if the exception is one.
    matches: Block,
    /// Where it leads otherwise.
    differs: Block,
}

/// The test for a class that a block ends with.
fn class_test(func: &Function, block: Block) -> Option<ClassTest> {
    let last = func.terminator(block)?;
    let data = &func.insts[last];
    if data.op != Op::Branch {
        return None;
    }
    let mut tested = data.args[0];
    let mut taken = 0;
    loop {
        if let Some((exception, class, function)) = tested_class(func, tested) {
            let (matches, differs) = (data.targets[taken].block, data.targets[1 - taken].block);
            return Some(ClassTest { exception, class, function, matches, differs });
        }
        let Def::Result(inst, _) = func.values[tested].def else { return None };
        match (func.insts[inst].op, func.insts[inst].attrs.first()) {
            (Op::Unary, Some(Attr::Unary(ir::UnaryOp::Bool))) => {}
            (Op::Unary, Some(Attr::Unary(ir::UnaryOp::Not))) => taken = 1 - taken,
            _ => return None,
        }
        tested = func.insts[inst].args[0];
    }
}

/// The exception and the class of a test, and the function if it is a call.
fn tested_class(func: &Function, tested: Value) -> Option<(Value, Value, Option<Value>)> {
    if let Some(test) = made_by(func, tested, "exception_matches") {
        let args = &func.insts[test].args;
        return Some((args[0], args[1], None));
    }
    let Def::Result(call, _) = func.values[tested].def else { return None };
    let (Op::Call, &[callee, exception, class]) = (func.insts[call].op, &func.insts[call].args[..]) else {
        return None;
    };
    let Def::Result(named, _) = func.values[callee].def else { return None };
    let named = &func.insts[named];
    let is_named = named.op == Op::Global
        && matches!(named.attrs.first(), Some(&Attr::Symbol(name)) if func.symbols.get(name) == "isinstance");
    (is_named && is_handled(func, exception)).then_some((exception, class, Some(callee)))
}

/// Whether a block does more with an exception than to handle it.
fn looks_at(func: &Function, block: Block, exception: Value) -> bool {
    let data = &func.blocks[block];
    let in_insts = data.insts.iter().any(|&inst| {
        let data = &func.insts[inst];
        let handles = data.op == Op::Reraise || python(func, inst).is_some();
        let passed = || data.targets.iter().any(|target| target.args.contains(&exception));
        !handles && (data.args.contains(&exception) || passed())
    });
    in_insts || data.handler.iter().any(|handler| handler.args.contains(&exception))
}

/// Replaces an exception by what a test tells of it; in other tests, too, if `in_tests`.
fn replace(func: &mut Function, block: Block, from: Value, to: Value, in_tests: bool) {
    let swap = |value: &mut Value| {
        if *value == from {
            *value = to;
        }
    };
    for inst in func.blocks[block].insts.clone() {
        let is_test = in_tests && python(func, inst) == Some("exception_matches");
        if func.insts[inst].op == Op::Reraise || python(func, inst).is_some() && !is_test {
            continue;
        }
        func.insts[inst].uses_mut().for_each(swap);
    }
    func.blocks[block].handler.iter_mut().flat_map(|handler| &mut handler.args).for_each(swap);
}

/// Gives blocks other exception edges, or none; handlers that nothing leads to go.
fn change_edges(func: &mut Function, change: &dyn Fn(&Function, Block) -> Option<Option<BlockCall>>) {
    let protected: Vec<Block> =
        func.layout.iter().copied().filter(|&block| func.blocks[block].handler.is_some()).collect();
    for block in protected {
        if let Some(handler) = change(func, block) {
            func.blocks[block].handler = handler;
        }
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// The heads of loops: before the next round the handler of a signal may raise.
fn loop_heads(func: &Function) -> HashSet<Block> {
    let cfg = Cfg::compute(func);
    let edges = cfg
        .reverse_postorder()
        .iter()
        .flat_map(|&from| cfg.successors(from).iter().map(move |&to| (from, to)));
    edges.filter(|&(from, to)| cfg.order_of(to) <= cfg.order_of(from)).map(|(_, to)| to).collect()
}

/// Whether nothing in a block raises, names of exceptions being names that there are.
fn cannot_raise(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().all(|&inst| {
        let data = &func.insts[inst];
        match data.op {
            Op::Const
            | Op::Undef
            | Op::Global
            | Op::Freevar
            | Op::BuildTuple
            | Op::IsNone
            | Op::Jump
            | Op::Branch
            | Op::Cast
            | Op::Return => true,
            Op::Unary => made_by(func, data.args[0], "exception_matches").is_some(),
            Op::Python => matches!(
                python(func, inst),
                Some("push_exception" | "pop_exception" | "exception_matches" | "lasti")
            ),
            _ => false,
        }
    })
}

/// What a handler that only raises again was handed continues to the handler after it, so that others may lead there, too.
fn hand_on(func: &mut Function) {
    for block in func.layout.clone() {
        if func.blocks[block].handler.is_none() || !leaves_at_once(func, block) {
            continue;
        }
        for value in func.blocks[block].params.clone() {
            let Some(next) = func.blocks[block].handler.as_ref().map(|next| next.block) else { continue };
            let elsewhere = func.layout.iter().copied().filter(|&other| other != block);
            if !elsewhere.clone().any(|other| reads(func, other, value)) {
                continue;
            }
            let others: Vec<Block> = elsewhere.collect();
            let exception = func.blocks[next].params.len().saturating_sub(1);
            let handed = func.add_param(next, ValueType::Untyped);
            func.blocks[next].params[exception..].rotate_right(1);
            for (at, &param) in func.blocks[next].params.clone().iter().enumerate() {
                func.values[param].def = Def::Param(next, at as u16);
            }
            for other in others {
                func.replace_uses(other, value, handed);
                if let Some(call) = func.blocks[other].handler.as_mut().filter(|call| call.block == next) {
                    call.args.push(handed);
                }
            }
            if let Some(call) = &mut func.blocks[block].handler {
                call.args.push(value);
            }
        }
    }
}

/// Whether a block or an edge out of it uses a value.
fn reads(func: &Function, block: Block, value: Value) -> bool {
    let data = &func.blocks[block];
    data.insts.iter().any(|&inst| func.insts[inst].args.contains(&value))
        || func.edges(block).any(|call| call.args.contains(&value))
        || data.handler.iter().any(|call| call.args.contains(&value))
}

/// A block that does nothing but raise what its handler has as the exception being handled, where the handler only raises it
/// again: who handles it then.
fn passed_on(func: &Function, block: Block) -> Option<Option<BlockCall>> {
    let data = &func.blocks[block];
    let ([only], Some(call)) = (&data.insts[..], &data.handler) else { return None };
    let raised = &func.insts[*only];
    let passes = raised.op == Op::Reraise
        && raised.args.last().copied() == handled_at(func, call.block)
        && leaves_at_once(func, call.block);
    if !passes {
        return None;
    }
    let params = &func.blocks[call.block].params;
    let handed = |&value: &Value| match params.iter().position(|&param| param == value) {
        Some(at) => call.args.get(at).copied(),
        None => Some(value),
    };
    let Some(next) = &func.blocks[call.block].handler else { return Some(None) };
    let args: Option<Vec<Value>> = next.args.iter().map(handed).collect();
    Some(Some(BlockCall::new(next.block, args?)))
}

/// Whether a handler raises its exception again and does nothing else.
fn leaves_at_once(func: &Function, handler: Block) -> bool {
    let Some((&last, before)) = func.blocks[handler].insts.split_last() else { return false };
    func.insts[last].op == Op::Reraise
        && func.insts[last].args.last() == func.blocks[handler].params.last()
        && before.iter().all(|&inst| matches!(python(func, inst), Some("lasti" | "pop_exception")))
}

/// The exception that is no longer handled from a block on, which ends its handling.
fn handled_at(func: &Function, block: Block) -> Option<Value> {
    let popped =
        func.blocks[block].insts.iter().find(|&&inst| python(func, inst) == Some("pop_exception"))?;
    pushed(func, func.insts[*popped].args[0])
}

/// The exception whose handling began where this value was made.
fn pushed(func: &Function, previous: Value) -> Option<Value> {
    let inst = made_by(func, previous, "push_exception")?;
    func.insts[inst].args.first().copied()
}

/// Whether an exception is handled anywhere.
fn is_handled(func: &Function, exception: Value) -> bool {
    if let Some(narrowed) = made_by(func, exception, "narrow_exception") {
        return is_handled(func, func.insts[narrowed].args[0]);
    }
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| {
        python(func, inst) == Some("push_exception") && func.insts[inst].args.first() == Some(&exception)
    })
}

/// What made a value, if it is what CPython has this instruction for.
fn made_by(func: &Function, value: Value, what: &str) -> Option<Inst> {
    match func.values[value].def {
        Def::Result(inst, _) => (python(func, inst) == Some(what)).then_some(inst),
        Def::Param(..) => None,
    }
}

fn python(func: &Function, inst: Inst) -> Option<&str> {
    let data = &func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Python, Some(&Attr::Symbol(name))) => Some(func.symbols.get(name)),
        _ => None,
    }
}

/// A `raise` without an exception raises the one that is being handled.
fn name_raised_again(func: &mut Function) {
    let bare = |func: &Function, block: Block| {
        let last = func.terminator(block)?;
        let data = &func.insts[last];
        (data.op == Op::Raise && data.args.is_empty()).then_some(last)
    };
    if func.layout.iter().all(|&block| bare(func, block).is_none()) {
        return;
    }
    let handled = handled_in(func);
    for block in func.layout.clone() {
        let Some(raise) = bare(func, block) else { continue };
        match handled.get(&block) {
            Some(&exception) => {
                func.insts[raise].op = Op::Reraise;
                func.insts[raise].args.push(exception);
            }
            None => raise_what_python_handles(func, block, raise),
        }
    }
}

/// The innermost exception that is being handled where a block ends.
fn handled_in(func: &Function) -> HashMap<Block, Value> {
    let stacks = handled_from(func).into_iter();
    let innermost = |(block, mut handled)| {
        handle(func, block, &mut handled);
        Some((block, *handled.last()?))
    };
    stacks.filter_map(innermost).collect()
}

/// Which exceptions are being handled where a block begins, the innermost last.
///
/// Where ways meet, those that are handled on all of them: an exception that a handler raises again leads to the next handler
/// without the end of its handling, see [`passed_on`].
fn handled_from(func: &Function) -> HashMap<Block, Vec<Value>> {
    let cfg = Cfg::compute(func);
    let (mut starts, mut ends) = (HashMap::<Block, Vec<Value>>::default(), HashMap::default());
    // A later round takes back what an earlier one knew of some of the ways alone. Each makes stacks shorter, so there are few.
    for _ in 0..=cfg.reverse_postorder().len() {
        let mut changed = false;
        for &block in cfg.reverse_postorder() {
            let ways = cfg.predecessors(block).iter().filter_map(|way| ends.get(way));
            let start =
                ways.cloned().reduce(common_prefix).filter(|_| block != func.entry).unwrap_or_default();
            if starts.get(&block) == Some(&start) {
                continue;
            }
            let mut handled = start.clone();
            handle(func, block, &mut handled);
            starts.insert(block, start);
            ends.insert(block, handled);
            changed = true;
        }
        if !changed {
            break;
        }
    }
    starts
}

fn common_prefix(mut one: Vec<Value>, other: Vec<Value>) -> Vec<Value> {
    let common = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    one.truncate(common);
    one
}

/// What a block begins and ends to handle.
fn handle(func: &Function, block: Block, handled: &mut Vec<Value>) {
    for &inst in &func.blocks[block].insts {
        match python(func, inst) {
            Some("push_exception") => handled.extend(func.insts[inst].args.first()),
            Some("pop_exception") => drop(handled.pop()),
            _ => {}
        }
    }
}

/// Whoever called the function may handle one.
fn raise_what_python_handles(func: &mut Function, block: Block, raise: Inst) {
    let span = func.insts[raise].span;
    func.blocks[block].insts.pop();
    let mut builder = Builder::new(func, block);
    builder.span = span;
    let name = builder.symbol("handled_exception");
    let handled = builder.untyped(Op::Python, [Attr::Symbol(name), Attr::Int(0)], &[]);
    builder.terminate(Op::Reraise, &[handled]);
}

/// Where an exception ends the handling of another one, that one is its context.
fn chain(func: &mut Function) {
    for block in func.layout.clone() {
        let Some(last) = func.terminator(block) else { continue };
        let raised = func.insts[last].args.last().copied();
        let (true, Some(raised)) = (func.insts[last].op == Op::Reraise, raised) else { continue };
        let Some(handled) = handled_at(func, block).filter(|&handled| handled != raised) else { continue };
        // What is raised again after the handling of another one, at the end of `finally`, was raised before.
        if is_handled(func, raised) {
            continue;
        }
        func.blocks[block].insts.pop();
        add_chain(func, block, last, (raised, handled));
        func.blocks[block].insts.push(last);
    }
}

/// Where an exception is caught while another one is handled, that one is its context. Only where somebody looks at it.
///
/// ```text
/// block10(%7):                                     block10(%7):
///     %8 = python push_exception, 0, %7                python chain_exception, 0, %7, %1
///     %9 = getattr[__context__] %7         becomes     %8 = python push_exception, 0, %7
///                                                      %9 = getattr[__context__] %7
/// ```
fn chain_inner(func: &mut Function) {
    let catches = |func: &Function, block: Block| {
        let first = *func.blocks[block].insts.first()?;
        let caught = *func.insts[first].args.first()?;
        let is_param = func.blocks[block].params.last() == Some(&caught);
        (python(func, first) == Some("push_exception") && is_param).then_some(caught)
    };
    let caught: Vec<(Block, Value)> =
        func.layout.iter().filter_map(|&block| Some((block, catches(func, block)?))).collect();
    if caught.len() < 2 {
        return;
    }
    let handled = handled_from(func);
    let tree = flow::compute_dominators(&Cfg::compute(func));
    // A context has one, too: those inside come first.
    let mut inside_first = caught;
    inside_first.sort_by_key(|(block, _)| std::cmp::Reverse(handled.get(block).map_or(0, Vec::len)));
    for (block, exception) in inside_first {
        let Some(&outer) = handled.get(&block).and_then(|handled| handled.last()) else { continue };
        let Def::Param(home, _) = func.values[outer].def else { continue };
        let is_seen = |&block: &Block| looks_at(func, block, exception) || is_context(func, block, exception);
        if home != block && tree.dominates(home, block) && tree.subtree(block).iter().any(is_seen) {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            add_chain(func, block, insts[0], (exception, outer));
            func.blocks[block].insts.extend(insts);
        }
    }
}

/// Whether an exception becomes the context of another one in a block.
fn is_context(func: &Function, block: Block, exception: Value) -> bool {
    let mut insts = func.blocks[block].insts.iter();
    insts.any(|&inst| python(func, inst) == Some(CHAIN) && func.insts[inst].args[1] == exception)
}

/// Says at the end of a block, before another instruction, that one exception was raised while another one was handled.
fn add_chain(func: &mut Function, block: Block, next: Inst, (raised, handled): (Value, Value)) {
    let mut builder = Builder::new(func, block);
    builder.span = builder.func.insts[next].span;
    let name = builder.symbol(CHAIN);
    builder.inst(Op::Python, [Attr::Symbol(name), Attr::Int(0)], &[raised, handled], &[]);
}
