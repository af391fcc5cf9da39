//! Functions with `yield`: the code of generators.
//!
//! What makes the generator and what turns a StopIteration into a RuntimeError goes: both are done by whoever resumes the
//! code. `yield from` becomes a loop, whose last value is what the iterator returned:
//!
//! ```text
//! %it = python yield_from_iterator %x               %it = getiter %x
//! loop(%v): %r, %done = python send %it, %v         loop(%v, %a): %r, %more = iternext %it, %v, %a
//!        branch %done, exit, body         becomes          branch %more, body, returned
//! body:  %s = python yield %r                       body:  %s, %b = yield %r, %it
//!        jump loop(%s)                                     jump loop(%s, %b)
//! exit:  ... %r                                     returned: %w = python generator_result %it
//!                                                          jump exit
//!                                                   exit:  ... %w
//! ```
//!
//! `%a` is the status that the code is to fail with, 0 at first: if the iterator is a generator, it is that one which fails.
//!
//! Absent: generator expressions (`generators`).

use crate::generator_expressions::{is_python, remove_conversion, remove_handlers};
use ir::{Attr, Block, BlockCall, Builder, ConstData, Function, Inst, Op, Value, ValueType};

/// Spells out what the code of a generator does.
pub fn form_generator(func: &mut Function) {
    func.is_generator = true;
    remove_conversion(func);
    remove_handlers(func, "cleanup_throw");
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| !is_python(func, inst, "return_generator"));
        func.blocks[block].insts = insts;
        form_loop(func, block);
    }
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            let op = match () {
                () if is_python(func, inst, "yield") => Op::Yield,
                () if is_python(func, inst, "yield_from_iterator") => Op::Getiter,
                () => continue,
            };
            func.insts[inst].op = op;
            func.insts[inst].attrs.clear();
        }
    }
}

/// The head of a `yield from`, if the block is one.
fn form_loop(func: &mut Function, block: Block) {
    let insts = &func.blocks[block].insts;
    let Some(send) = insts.iter().copied().find(|&inst| is_python(func, inst, "send")) else { return };
    let Some(branch) = func.terminator(block).filter(|&last| func.insts[last].op == Op::Branch) else {
        return;
    };
    let (iterator, last) = (func.insts[send].args[0], func.insts[send].results[0]);
    let body = func.insts[branch].targets[1].block;
    let mut b = Builder::new(func, block);
    b.span = b.func.insts[send].span;
    let returned = b.new_block();
    b.switch_to(returned);
    let name = b.symbol("generator_result");
    let result = b.untyped(Op::Python, [Attr::Symbol(name), Attr::Int(0)], &[iterator]);
    let exit = b.func.insts[branch].targets[0].clone();
    let jump = b.jump(exit.block, &exit.args);
    for user in func.layout.clone() {
        let of_loop = user == body || user == block;
        for inst in func.blocks[user].insts.clone() {
            if inst == jump || !of_loop {
                func.insts[inst].uses_mut().filter(|value| **value == last).for_each(|value| *value = result);
            }
        }
    }
    let sent = func.insts[send].args.get(1).copied();
    let data = &mut func.insts[send];
    data.op = Op::Iternext;
    data.attrs.clear();
    data.args.truncate(1);
    let to_body = func.insts[branch].targets[1].clone();
    func.insts[branch].targets = [to_body, BlockCall::new(returned, [])].into_iter().collect();
    if let Some(sent) = sent {
        send_on(func, block, (send, sent), (body, iterator));
    }
}

/// What is sent, and what the code is to fail with, goes to the iterator.
fn send_on(func: &mut Function, head: Block, (next, sent): (Inst, Value), (body, iterator): (Block, Value)) {
    let insts = &func.blocks[body].insts;
    let Some(given) = insts.iter().copied().find(|&inst| is_python(func, inst, "yield")) else { return };
    let status = func.add_result(given, ValueType::Untyped);
    let got = func.insts[given].results[0];
    func.insts[given].args.push(iterator);
    let asked = func.add_param(head, ValueType::Untyped);
    func.insts[next].args.extend([sent, asked]);
    for block in func.layout.clone() {
        let Some(last) = func.terminator(block) else { continue };
        let to_head = func.insts[last].targets.iter().find(|target| target.block == head);
        let Some(to_head) = to_head else { continue };
        // Other blocks may lie between the body and the head.
        let value = if to_head.args.contains(&got) {
            status
        } else {
            let end = func.blocks[block].insts.pop();
            let mut b = Builder::new(func, block);
            let zero = b.constant(ConstData::Int(0));
            let zero = b.untyped(Op::Const, [Attr::Const(zero)], &[]);
            func.blocks[block].insts.extend(end);
            zero
        };
        for target in func.insts[last].targets.iter_mut().filter(|target| target.block == head) {
            target.args.push(value);
        }
    }
}
