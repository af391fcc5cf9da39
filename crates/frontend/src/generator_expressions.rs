//! Turns generator expressions into functions that return.
//!
//! With one `for`, the function is a *step*: it gets an item in place of the iterator, and gives a tuple of the value that
//! the expression makes of it, or None where an `if` passes it over. Whoever goes through the generator goes through the
//! items, and so nothing is computed before it is asked for.
//!
//! ```text
//! head:  %x, %ok = iternext %.0               head:  jump body
//!        branch %ok, body, end                body:  ...            %.0 in place of %x
//! body:  ...                                         branch %c, found, skip
//!        branch %c, found, head      becomes  found: ...
//! found: ...                                         return (%v,)
//!        python yield, %v                     skip:  return None
//!        jump head
//! ```
//!
//! With more than one, it is a *collector*: it gives a list of all values. What is looked for (a boolean, or None) is
//! its second parameter: it ends after the first value of that truth, as `any` and `all` do.
//!
//! One that neither form fits, or that lives on after the expression it stands in, is a function with `yield` of the outermost
//! iterable.
//!
//! Absent: functions with `yield` (`yields`).

use crate::yields;
use bytecode::{CodeSnapshot, flags};
use ir::{Attr, Block, BlockCall, Builder, CompareOp, ConstData, Def, Function, Inst, Op, UnaryOp, Value};

/// The name of a collector's second parameter.
const LOOKED_FOR: &str = ".1";

/// Whether a code object is that of a generator expression.
pub fn is_expression(code: &CodeSnapshot) -> bool {
    code.name == "<genexpr>" && code.has_flag(flags::GENERATOR)
}

/// Makes the function of a generator expression one that returns, if it can be one.
pub fn form(func: &mut Function) -> bool {
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| !is_python(func, inst, "return_generator"));
        func.blocks[block].insts = insts;
    }
    let Some(parts) = Parts::find(func) else { return false };
    match parts.goes_on_at(func) {
        Some(block) if block != parts.head => form_collector(func, &parts),
        _ => form_step(func, &parts),
    }
    remove_unreached(func);
    true
}

/// Makes the function of a generator expression one with `yield`, which gets the iterable in place of its iterator.
pub fn form_generator(func: &mut Function) {
    yields::form_generator(func);
    let insts = func.blocks[func.entry].insts.clone();
    let Some(position) = insts.iter().position(|&inst| func.insts[inst].op == Op::Arg) else { return };
    let (arg, span) = (func.result(insts[position]), func.insts[insts[position]].span);
    let mut b = Builder::new(func, func.entry);
    b.span = span;
    let iterator = b.untyped(Op::Getiter, [], &[arg]);
    let made = b.func.blocks[b.func.entry].insts.pop();
    b.func.blocks[b.func.entry].insts.splice(position + 1..position + 1, made);
    for block in b.func.layout.clone() {
        b.func.replace_uses(block, arg, iterator);
    }
    let Def::Result(made, _) = b.func.values[iterator].def else { return };
    b.func.insts[made].args = [arg].into_iter().collect();
}

/// Removes the handler that turns StopIteration into RuntimeError.
pub fn remove_conversion(func: &mut Function) {
    remove_handlers(func, "stop_iteration_error");
}

/// Removes the handlers that begin with a block in which such an op stands.
pub(crate) fn remove_handlers(func: &mut Function, name: &str) {
    for block in func.layout.clone() {
        let is_such = func.blocks[block].handler.as_ref().is_some_and(|handler| {
            func.blocks[handler.block].insts.iter().any(|&inst| is_python(func, inst, name))
        });
        if is_such {
            func.blocks[block].handler = None;
        }
    }
    remove_unreached(func);
}

pub(crate) fn is_python(func: &Function, inst: Inst, name: &str) -> bool {
    let data = &func.insts[inst];
    let is_named = |attr: &Attr| matches!(attr, Attr::Symbol(symbol) if func.symbols.get(*symbol) == name);
    data.op == Op::Python && data.attrs.first().is_some_and(is_named)
}

/// Where things stand in the function of a generator expression.
struct Parts {
    /// The iterator over the outermost iterable.
    iterator: Value,
    /// The block that takes its next item, as the last before its branch.
    head: Block,
    /// The instruction that does.
    next: Inst,
    /// The block that gives a value, and the `yield` in it; none where a condition is constant and false.
    given: Option<(Block, Inst)>,
}

impl Parts {
    fn find(func: &Function) -> Option<Parts> {
        let all = |wanted: &dyn Fn(Inst) -> bool| {
            let positions = func.layout.iter().flat_map(|&block| {
                func.blocks[block].insts.iter().filter(|&&inst| wanted(inst)).map(move |&inst| (block, inst))
            });
            positions.collect::<Vec<(Block, Inst)>>()
        };
        let [(_, parameter)] = all(&|inst| func.insts[inst].op == Op::Arg)[..] else { return None };
        let iterator = func.result(parameter);
        let is_next = |inst: Inst| {
            func.insts[inst].op == Op::Iternext && func.insts[inst].args.first() == Some(&iterator)
        };
        let [(head, next)] = all(&is_next)[..] else { return None };
        let given = match all(&|inst| is_python(func, inst, "yield"))[..] {
            [] => None,
            [given] => Some(given),
            _ => return None,
        };
        let is_last = func.blocks[head].insts.iter().rev().nth(1) == Some(&next);
        let plain = func.layout.iter().all(|&block| func.blocks[block].handler.is_none());
        let found = Parts { iterator, head, next, given };
        (is_last && plain && found.is_plain(func)).then_some(found)
    }

    /// Whether nobody asks for what is sent, and nothing but the items goes from round to round.
    fn is_plain(&self, func: &Function) -> bool {
        let used = self.given.is_some_and(|(_, given)| {
            let sent = func.result(given);
            func.layout.iter().any(|&block| {
                let mut insts = func.blocks[block].insts.iter();
                insts.any(|&inst| func.insts[inst].args.contains(&sent))
                    || func.edges(block).any(|call| call.args.contains(&sent))
            })
        });
        !used && func.blocks[self.head].params.is_empty()
    }

    /// The block that follows when the value was taken.
    fn goes_on_at(&self, func: &Function) -> Option<Block> {
        let (giving, given) = self.given?;
        let insts = &func.blocks[giving].insts;
        let behind = insts.iter().skip_while(|&&inst| inst != given).nth(1)?;
        let target = |inst: Inst| {
            let data = &func.insts[inst];
            (data.op == Op::Jump).then(|| data.targets[0].block)
        };
        let mut block = target(*behind)?;
        // Chained comparisons leave blocks behind that do nothing.
        for _ in &func.layout {
            match func.blocks[block].insts[..] {
                [only] if block != self.head => block = target(only).unwrap_or(block),
                _ => break,
            }
        }
        Some(block)
    }
}

fn form_step(func: &mut Function, parts: &Parts) {
    let (item, first) = (func.insts[parts.next].results[0], func.blocks[parts.head].insts.len() - 2);
    let mut b = Builder::new(func, parts.head);
    let skip = b.new_block();
    b.switch_to(skip);
    let none = b.constant(ConstData::None);
    let none = b.untyped(Op::Const, [Attr::Const(none)], &[]);
    give_back(&mut b, none);
    for block in b.func.layout.clone() {
        if block == b.func.entry || block == skip {
            continue;
        }
        b.func.replace_uses(block, item, parts.iterator);
        // Where another round would begin.
        let enters = !dominated_by_head(b.func, parts, block);
        for inst in b.func.blocks[block].insts.clone().into_iter().filter(|_| !enters) {
            for target in b.func.insts[inst].targets.iter_mut().filter(|target| target.block == parts.head) {
                *target = BlockCall::new(skip, []);
            }
        }
    }
    let body = {
        let branch = b.func.terminator(parts.head).expect("a block ends with a terminator");
        b.func.insts[branch].targets[0].clone()
    };
    b.func.blocks[parts.head].insts.truncate(first);
    b.switch_to(parts.head);
    b.jump(body.block, &body.args);
    let Some((giving, given)) = parts.given else { return };
    let position = b.func.blocks[giving].insts.iter().position(|&inst| inst == given);
    b.func.blocks[giving].insts.truncate(position.expect("it stands in this block"));
    b.switch_to(giving);
    b.span = b.func.insts[given].span;
    let value = b.func.insts[given].args[0];
    let value = if value == item { parts.iterator } else { value };
    let tuple = b.untyped(Op::BuildTuple, [], &[value]);
    give_back(&mut b, tuple);
}

/// Whether every path to a block leads through the head of the loop.
fn dominated_by_head(func: &Function, parts: &Parts, block: Block) -> bool {
    block == parts.head || !reached(func, Some(parts.head)).contains(&block)
}

fn form_collector(func: &mut Function, parts: &Parts) {
    let Some((giving, given)) = parts.given else { return };
    let value = func.insts[given].args[0];
    let mut b = Builder::new(func, giving);
    b.span = b.func.insts[given].span;
    let name = b.symbol(LOOKED_FOR);
    b.func.params.push(name);
    // Before everything: the list and what is looked for.
    let (entry, span) = (b.func.entry, b.span);
    let kept = std::mem::take(&mut b.func.blocks[entry].insts);
    b.switch_to(entry);
    let looked_for = b.untyped(Op::Arg, [Attr::Int(1), Attr::Symbol(name)], &[]);
    let list = b.untyped(Op::BuildList, [], &[]);
    let made = std::mem::take(&mut b.func.blocks[entry].insts);
    let terminator = kept.len() - 1;
    b.func.blocks[entry].insts =
        kept[..terminator].iter().chain(&made).chain(&kept[terminator..]).copied().collect();
    // The value goes into the list.
    let position = b.func.blocks[giving].insts.iter().position(|&inst| inst == given);
    let position = position.expect("it stands in this block");
    let behind = b.func.blocks[giving].insts.split_off(position);
    let (on, look, found) = (b.new_block(), b.new_block(), b.new_block());
    b.func.blocks[on].insts = behind[1..].to_vec();
    b.switch_to(giving);
    b.span = span;
    b.inst(Op::ListAppend, [], &[list, value], &[]);
    let all = b.untyped(Op::IsNone, [], &[looked_for]);
    b.branch(all, BlockCall::new(on, []), BlockCall::new(look, []));
    b.switch_to(look);
    let truth = b.untyped(Op::Unary, [Attr::Unary(UnaryOp::Bool)], &[value]);
    let same = b.untyped(Op::Compare, [Attr::Compare(CompareOp::Eq)], &[truth, looked_for]);
    let same = b.untyped(Op::Unary, [Attr::Unary(UnaryOp::Bool)], &[same]);
    b.branch(same, BlockCall::new(found, []), BlockCall::new(on, []));
    b.switch_to(found);
    give_back(&mut b, list);
    for block in b.func.layout.clone() {
        if let Some(end) = b.func.terminator(block).filter(|&end| b.func.insts[end].op == Op::Return)
            && block != found
        {
            let cast = b.func.insts[end].args[0];
            let mut insts = std::mem::take(&mut b.func.blocks[block].insts);
            insts.retain(|&inst| inst != end && !b.func.insts[inst].results.contains(&cast));
            b.func.blocks[block].insts = insts;
            b.switch_to(block);
            give_back(&mut b, list);
        }
    }
}

fn give_back(b: &mut Builder<'_>, value: Value) {
    let value = b.untyped(Op::Cast, [], &[value]);
    b.terminate(Op::Return, &[value]);
}

/// The blocks that paths from the entry reach, without going through a block.
fn reached(func: &Function, without: Option<Block>) -> Vec<Block> {
    let mut found = vec![func.entry];
    let mut next = 0;
    while let Some(&block) = found.get(next) {
        for call in func.edges(block) {
            if Some(call.block) != without && !found.contains(&call.block) {
                found.push(call.block);
            }
        }
        next += 1;
    }
    found
}

fn remove_unreached(func: &mut Function) {
    let reached = reached(func, None);
    func.layout.retain(|block| reached.contains(block));
}
