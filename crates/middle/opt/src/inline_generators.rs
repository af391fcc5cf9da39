//! Inlines generators that a function creates and consumes itself.
//!
//! ```text
//! %g = call rumba_allocate_frame(...)              %f = stack_slot 56
//! %f = ptr_add %g, 64                              store 16, %f, 0
//! loop: %r = load ptr, 0, %f             becomes   loop: the code that goes on at the state
//!       call_indirect %r, %f, 0                          in %f
//! end:  decref %g                                  end:  what gives the frame up
//! ```
//!
//! The frame goes nowhere, so that [`crate::mem2reg`] makes values of it, and [`crate::thread_jumps`] leads each stop to
//! where the code continues: what is left is the loop that one would have written.

use crate::inline::{Bodies, Policy, calls_of, inline};
use crate::jump_threading::{forward_params, thread_jumps};
use crate::mem2reg::mem2reg;
use crate::redundant_params::remove_redundant_params;
use abi::frame::{BEGIN, RESUME, STATE};
use abi::{ITEMS, Runtime};
use entity::HashMap;
use ir::{Attr, Builder, Def, External, Function, Inst, Native, Op, Value};

/// How often jumps are looked at.
const MAX_ITERATIONS: usize = 8;

/// Puts generators that stay in the function into its own frame; whether there was one. `bodies` are the functions that may
/// come into it.
pub fn inline_generators(func: &mut Function, bodies: &Bodies<'_>, policy: Policy) -> bool {
    let makes = |func: &Function| calls_of(func).any(|callee| callee == Runtime::AllocateFrame.symbol());
    if !makes(func) {
        return false;
    }
    forward_params(func, &|func, _, value| is_made(func, value));
    let mut found: Vec<String> = Vec::new();
    for made in creations(func) {
        if let Some(generator) = Generator::find(func, made, bodies) {
            generator.put_into_frame(func, bodies);
            found.extend([generator.resume, generator.give_up]);
        }
    }
    if !found.is_empty() {
        let parts = |symbol: &str| {
            let (body, _) = bodies(symbol).filter(|_| found.iter().any(|part| part == symbol))?;
            Some((body, true))
        };
        inline(func, &parts, policy);
        mem2reg(func);
        // What lay in the frame may be a constant then.
        for _ in 0..MAX_ITERATIONS {
            let threaded = thread_jumps(func);
            mem2reg(func);
            forward_params(func, &|_, _, _| true);
            if !threaded {
                break;
            }
        }
        // What was kept in the frame while the generator stopped goes around the loop.
        while remove_redundant_params(func) {}
    }
    !found.is_empty()
}

/// Whether a value is the owner of a new frame.
fn is_made(func: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = func.values[value].def else { return false };
    func.callee(inst) == Some(Runtime::AllocateFrame.symbol())
}

/// The calls that make frames.
fn creations(func: &Function) -> Vec<Inst> {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.copied().filter(|&inst| func.callee(inst) == Some(Runtime::AllocateFrame.symbol())).collect()
}

/// A generator whose frame goes nowhere.
struct Generator {
    /// The call that makes its frame.
    made: Inst,
    size: i64,
    /// The addresses of its frame.
    frames: Vec<Value>,
    /// What makes these.
    addressing: Vec<Inst>,
    /// Where it is resumed.
    resumed: Vec<Inst>,
    /// Where it is released.
    given_up: Vec<Inst>,
    /// The functions for both.
    resume: String,
    give_up: String,
}

impl Generator {
    fn find(func: &Function, made: Inst, bodies: &Bodies<'_>) -> Option<Generator> {
        let data = &func.insts[made];
        let (owner, size) = (data.results[0], known(func, data.args[0])?);
        let mut found = Generator {
            made,
            size,
            frames: Vec::new(),
            addressing: Vec::new(),
            resumed: Vec::new(),
            given_up: Vec::new(),
            resume: String::new(),
            give_up: named(func, data.args[1])?,
        };
        let users = users(func);
        let none = Vec::new();
        let of = |value: Value| users.get(&value).unwrap_or(&none);
        for &inst in of(owner) {
            let user = inst.map(|inst| &func.insts[inst])?;
            let inst = inst?;
            match user.op {
                Op::Bitcast => {
                    found.addressing.push(inst);
                    for &inst in of(user.results[0]) {
                        let address = &func.insts[inst?];
                        if address.op != Op::PtrAdd || known(func, address.args[1]) != Some(ITEMS) {
                            return None;
                        }
                        found.addressing.push(inst?);
                        found.frames.push(address.results[0]);
                    }
                }
                Op::Decref => found.given_up.push(inst),
                // Whether there was memory. Two generators are one if their blocks are, so they stay blocks.
                Op::Icmp if user.args.iter().any(|&other| known(func, other) == Some(0)) => {}
                _ => return None,
            }
        }
        for at in 0..found.frames.len() {
            let frame = found.frames[at];
            for &inst in of(frame) {
                found.look_at(func, frame, inst?)?;
            }
        }
        // One that makes generators itself may be one of those.
        let makes_none =
            |body: &Function| calls_of(body).all(|callee| callee != Runtime::AllocateFrame.symbol());
        let comes_in = bodies(&found.resume).is_some_and(|(body, _)| makes_none(body));
        // What runs the generator's code when it is given up stays a call, for which the frame must be a block.
        let plain = bodies(&found.give_up)
            .is_some_and(|(body, _)| calls_of(body).all(|callee| callee != found.resume));
        (plain && comes_in).then_some(found)
    }

    /// A use of the frame's address: none but reading, writing and resuming.
    fn look_at(&mut self, func: &Function, frame: Value, inst: Inst) -> Option<()> {
        let data = &func.insts[inst];
        match (data.op, data.attrs.last()) {
            (Op::Load, _) => {}
            (Op::Store, Some(&Attr::Int(offset))) if data.args[1] != frame => {
                if offset == RESUME {
                    let resume = named(func, data.args[1])?;
                    if !self.resume.is_empty() && self.resume != resume {
                        return None;
                    }
                    self.resume = resume;
                }
            }
            (Op::CallIndirect, _)
                if data.args[1] == frame && data.args[2..].iter().all(|&arg| arg != frame) =>
            {
                self.resumed.push(inst);
            }
            _ => return None,
        }
        Some(())
    }

    fn put_into_frame(&self, func: &mut Function, bodies: &Bodies<'_>) {
        let entry = func.entry;
        let insts = std::mem::take(&mut func.blocks[entry].insts);
        let slot = Builder::new(func, entry).stack_slot(self.size as u32);
        func.blocks[entry].insts.extend(insts);
        self.begin(func, slot, bodies);
        for &inst in &self.resumed {
            let Some(&Attr::External(signature)) = func.insts[inst].attrs.first() else { continue };
            let signature = func.externals.get(signature).clone();
            let callee = func.externals.intern(External { name: self.resume.clone(), ..signature });
            let data = &mut func.insts[inst];
            data.op = Op::CallExternal;
            data.attrs[0] = Attr::External(callee);
            data.args.remove(0);
        }
        let params = vec![Native::Ptr, Native::I64, Native::Ptr];
        let give_up = func.externals.intern(External::new(self.give_up.as_str(), params, Vec::new()));
        for block in func.layout.clone() {
            for inst in std::mem::take(&mut func.blocks[block].insts) {
                if self.given_up.contains(&inst) {
                    let mut builder = Builder::new(func, block);
                    let (size, null) =
                        (builder.iconst(Native::I64, self.size), builder.iconst(Native::Ptr, 0));
                    let data = &mut func.insts[inst];
                    data.op = Op::CallExternal;
                    data.attrs = [Attr::External(give_up)].into_iter().collect();
                    data.args = [slot, size, null].into_iter().collect();
                }
                if !self.addressing.contains(&inst) {
                    func.blocks[block].insts.push(inst);
                }
            }
        }
        let replaced: HashMap<Value, Value> = self.frames.iter().map(|&frame| (frame, slot)).collect();
        crate::spill_region::substitute(func, &replaced);
    }

    /// Where the frame was made it begins again: what giving it up reads is zero, and the state is the first one. The owner is
    /// not 0, which is all that anybody asks of it.
    fn begin(&self, func: &mut Function, slot: Value, bodies: &Bodies<'_>) {
        let mut words = vec![(STATE, Native::I64)];
        if let Some((body, _)) = bodies(&self.give_up) {
            let insts = body.layout.iter().flat_map(|&block| &body.blocks[block].insts);
            for data in insts.map(|&inst| &body.insts[inst]).filter(|data| data.op == Op::Load) {
                if let [Attr::Native(native), Attr::Int(offset)] = data.attrs[..]
                    && !words.contains(&(offset, native))
                {
                    words.push((offset, native));
                }
            }
        }
        for block in func.layout.clone() {
            let Some(at) = func.blocks[block].insts.iter().position(|&inst| inst == self.made) else {
                continue;
            };
            let rest = func.blocks[block].insts.split_off(at);
            for &(offset, native) in &words {
                let mut builder = Builder::new(func, block);
                let value = match offset {
                    STATE => builder.iconst(Native::I64, BEGIN),
                    _ if native.is_float() => builder.fconst(native, 0.0),
                    _ => builder.iconst(native, 0),
                };
                builder.store(slot, offset, value);
            }
            func.blocks[block].insts.extend(rest);
        }
        let data = &mut func.insts[self.made];
        data.op = Op::Iconst;
        data.attrs = [Attr::Native(Native::I64), Attr::Int(1)].into_iter().collect();
        data.args.clear();
    }
}

/// Who uses each value; nothing for what is handed to a block.
fn users(func: &Function) -> HashMap<Value, Vec<Option<Inst>>> {
    let mut users: HashMap<Value, Vec<Option<Inst>>> = HashMap::default();
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let data = &func.insts[inst];
        for &value in &data.args {
            users.entry(value).or_default().push(Some(inst));
        }
        for &value in data.targets.iter().flat_map(|target| &target.args) {
            users.entry(value).or_default().push(None);
        }
    }
    users
}

fn known(func: &Function, value: Value) -> Option<i64> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    match (func.insts[inst].op, &func.insts[inst].attrs[..]) {
        (Op::Iconst, &[_, Attr::Int(number)]) => Some(number),
        _ => None,
    }
}

/// The symbol whose address a value is.
fn named(func: &Function, value: Value) -> Option<String> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    match (func.insts[inst].op, func.insts[inst].attrs.first()) {
        (Op::AddressOf, Some(&Attr::External(id))) => Some(func.externals.get(id).name.clone()),
        _ => None,
    }
}
