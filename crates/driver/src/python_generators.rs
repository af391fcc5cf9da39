//! Generators that Python creates: Python's call of `next` costs more than their code, which therefore uses the fast code generator.
//!
//! Compiled code that is passed such a generator iterates over it in a loop. For it there is an optimized version, which is compiled on its
//! first call (`lazy_compile`) and then stored in the frame. Absent: generators that compiled code creates; they are members of its unit.

use crate::lowered::{Lowered, LoweredFunction};
use abi::Runtime;
use abi::frame::RESUME;
use catalog::generator::{parts_of, resume_signature};
use ir::{Attr, BlockCall, Builder, External, Function, IntCond, Native, Op, Phase, Value};
use types::{Type, TypeTable};

/// Larger ones are compiled once, and well.
const MAX_INSTRUCTIONS: usize = 250;

/// Has the code of the unit compiled fast if it is that of a generator, is small and has no loops; gives the better version.
pub(crate) fn compile_fast(
    lowered: &mut Lowered,
    result: Type,
    types: &TypeTable,
) -> Option<LoweredFunction> {
    let (item, _) = parts_of(types, result)?;
    let root = lowered.members[0].symbol.clone();
    let named = |name: &str| format!("{root}.{name}");
    let resume = named("resume");
    let at = lowered.members.iter().position(|member| *member.symbol == *resume)?;
    let size: usize = lowered.members.iter().map(|member| member.func.len()).sum();
    if size > MAX_INSTRUCTIONS || lowered.members.iter().any(|member| has_loops(&member.func)) {
        return None;
    }
    let signature = resume_signature(types, item);
    let first = named("first");
    let func = go_on(&lowered.members[at].func, &resume, &named("well"), &signature);
    name_instead(&mut lowered.members[0].func, &resume, &first);
    lowered.members.push(LoweredFunction { func, symbol: first.as_str().into() });
    let body = &mut lowered.members[at].func;
    let well = LoweredFunction { func: body.clone(), symbol: named("well").as_str().into() };
    body.is_rare = true;
    Some(well)
}

/// Whether there are loops, or polls that the fast code generator does not emit. A loop that `yield` leaves and `next` enters in the middle is
/// none.
fn has_loops(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if insts.any(|&inst| func.insts[inst].op == Op::PollAside) {
        return true;
    }
    let cfg = flow::Cfg::compute(func);
    cfg.has_cycle() && !flow::compute_loops(&cfg, &flow::compute_dominators(&cfg)).is_empty()
}

/// What stands in a new frame: it writes the better version into the frame and goes on there, or in the one that there is.
fn go_on(body: &Function, resume: &str, well: &str, signature: &External) -> Function {
    let mut func = Function::new(&body.name, &body.file, body.first_line, Phase::Explicit);
    func.is_rare = true;
    func.results.clone_from(&body.results);
    (func.gives, func.can_fail) = (body.gives.clone(), body.can_fail);
    let entry = func.entry;
    let mut b = Builder::new(&mut func, entry);
    let args = b.arguments(&[Native::Ptr, Native::I64]);
    let [there, missing] = [(); 2].map(|()| b.new_block());
    let late = b.address_of(&opt::lazy_symbol(well));
    let code = b.call_runtime(Runtime::Late, &[late])[0];
    let null = b.iconst(Native::Ptr, 0);
    let is_there = b.icmp(IntCond::Ne, code, null);
    b.branch(is_there, BlockCall::new(there, []), BlockCall::new(missing, []));
    b.switch_to(there);
    b.store(args[0], RESUME, code);
    let made = b.call_indirect(code, signature.clone(), &args);
    give(&mut b, &made);
    b.switch_to(missing);
    let made = b.call_external(External { name: resume.to_owned(), ..signature.clone() }, &args);
    give(&mut b, &made);
    func
}

/// Hands on what a call gave, its failure too.
fn give(b: &mut Builder<'_>, made: &[Value]) {
    let [failed, done] = [(); 2].map(|()| b.new_block());
    let zero = b.iconst(Native::I64, 0);
    let fails = b.icmp(IntCond::Ne, made[0], zero);
    b.branch(fails, BlockCall::new(failed, []), BlockCall::new(done, []));
    b.switch_to(failed);
    b.terminate(Op::Fail, &[made[0]]);
    b.switch_to(done);
    b.terminate(Op::Return, &made[1..]);
}

/// The function has the address of another function instead.
fn name_instead(func: &mut Function, old: &str, new: &str) {
    let addresses: Vec<_> = func
        .layout
        .iter()
        .flat_map(|&block| func.blocks[block].insts.iter().copied())
        .filter(|&inst| func.insts[inst].op == Op::AddressOf)
        .collect();
    let id = func.externals.intern(External::new(new, Vec::new(), Vec::new()));
    for inst in addresses {
        if let Some(Attr::External(named)) = func.insts[inst].attrs.first_mut()
            && func.externals.get(*named).name == old
        {
            *named = id;
        }
    }
}
