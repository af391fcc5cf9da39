//! Eliminates exception records: an exception that is only tested for its class, dropped or reraised is represented by
//! its status, as long as nothing else is raised.
//!
//! ```text
//!     %e = call rumba_catch(%ctx, %s)
//!     %m = call rumba_caught_is(%e, %c)                %m = call rumba_status_is(%ctx, %s, %c)
//!     branch %m, block1, block2             becomes    branch %m, block1, block2
//! block1:                                          block1:
//!     decref %e                                        call rumba_forget(%ctx, %s)
//! block2:                                          block2:
//!     %again = call rumba_caught_status(%e)            fail %s
//!     decref %e
//!     fail %again
//! ```
//!
//! Where only one class can have come, the test is known; where nothing came through a call either, there is nothing to forget. Arguments that
//! are read lie in the thread's payload still, if all that can have come lays them out so.

use crate::fold_constants::fold_constants;
use abi::{ExceptionClass, Runtime};
use entity::HashSet;
use flow::Cfg;
use ir::{Attr, Block, Builder, Def, Effect, Function, Inst, Native, Op, SiteData, Value};

/// What the payload has room for (`rt::PAYLOAD_WORDS`).
const PAYLOAD_WORDS: usize = 32;

/// Replaces records by statuses.
pub fn eliminate_caught_records(func: &mut Function) {
    let catches: Vec<(Block, Inst)> = func
        .layout
        .iter()
        .flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
        .filter(|&(_, inst)| calls(func, inst, Runtime::Catch))
        .collect();
    if !catches.is_empty() {
        // Handlers of what cannot raise use records, too. The status of an inlined call that returns is 0, which nobody catches.
        fold_constants(func);
        let cfg = Cfg::compute(func);
        func.layout.retain(|&block| cfg.is_reachable(block));
    }
    for (block, catch) in catches {
        if let Some(plan) = Plan::of(func, block, catch) {
            plan.apply(func, block, catch);
        } else if let Some(mut known) = with_known_words(func, catch)
            && let Some(plan) = Plan::of(&known, block, catch)
        {
            plan.apply(&mut known, block, catch);
            *func = known;
        }
    }
}

fn calls(func: &Function, inst: Inst, function: Runtime) -> bool {
    func.callee(inst) == Some(function.symbol())
}

/// What stands in the place of the uses of a record.
#[derive(Default)]
struct Plan {
    tests: Vec<Inst>,
    /// Where its arguments are read.
    words: Vec<(Block, Inst)>,
    /// Where it is held once more, or once less.
    counts: Vec<(Block, Inst)>,
    /// Where the record is released.
    drops: Vec<(Block, Inst)>,
    /// Where its status is asked for, to be raised again; and the releases after that.
    raised: Vec<(Block, Inst, Inst)>,
}

impl Plan {
    /// What to do about a record; nothing where it is more than that, or where something else happens while it lives.
    fn of(func: &Function, block: Block, catch: Inst) -> Option<Plan> {
        let record = func.insts[catch].results[0];
        let sites = sites_of(func, func.insts[catch].args[1]);
        let mut plan = Plan::default();
        let mut seen: HashSet<Block> = HashSet::default();
        let behind = func.blocks[block].insts.iter().position(|&inst| inst == catch)? + 1;
        // With how many references to the record there are.
        let mut open = vec![(block, behind, 1)];
        while let Some((block, from, mut held)) = open.pop() {
            let insts = &func.blocks[block].insts;
            let mut at = from;
            while let Some(&inst) = insts.get(at) {
                at += 1;
                let data = &func.insts[inst];
                if data.targets.iter().any(|target| target.args.contains(&record)) {
                    return None;
                }
                if !data.args.contains(&record) {
                    if !is_harmless(func, inst) {
                        return None;
                    }
                    open.extend(
                        data.targets
                            .iter()
                            .filter(|next| seen.insert(next.block))
                            .map(|next| (next.block, 0, held)),
                    );
                    continue;
                }
                if calls(func, inst, Runtime::CaughtIs) {
                    plan.tests.push(inst);
                } else if calls(func, inst, Runtime::CaughtWords)
                    && words_are_known(func, sites.as_deref(), inst)
                {
                    plan.words.push((block, inst));
                } else if data.op == Op::Incref {
                    held += 1;
                    plan.counts.push((block, inst));
                } else if data.op == Op::Decref && held > 1 {
                    held -= 1;
                    plan.counts.push((block, inst));
                } else if data.op == Op::Decref {
                    plan.drops.push((block, inst));
                    break;
                } else if calls(func, inst, Runtime::CaughtStatus) && held == 1 {
                    let release = insts[at..].iter().copied().take_while(|&next| is_counting(func, next));
                    let release = release.into_iter().find(|&next| is_release(func, next, record))?;
                    plan.raised.push((block, inst, release));
                    break;
                } else {
                    return None;
                }
            }
        }
        let known = plan.tests.len()
            + plan.words.len()
            + plan.counts.len()
            + plan.drops.len()
            + 2 * plan.raised.len();
        (known == uses(func, record)).then_some(plan)
    }

    fn apply(self, func: &mut Function, block: Block, catch: Inst) {
        let (context, status) = (func.insts[catch].args[0], func.insts[catch].args[1]);
        let sites = sites_of(func, status);
        for test in self.tests {
            let class = func.insts[test].args[1];
            let known = sites.as_ref().and_then(|sites| known_test(func, sites, class));
            let data = &mut func.insts[test];
            match known {
                Some(known) => {
                    data.op = Op::Iconst;
                    data.attrs = [Attr::Native(Native::I1), Attr::Int(known.into())].into_iter().collect();
                    data.args.clear();
                }
                None => {
                    let external = func.externals.intern(Runtime::StatusIs.into());
                    data.attrs = [Attr::External(external)].into_iter().collect();
                    data.args = [context, status, class].into_iter().collect();
                }
            }
        }
        for (block, count) in self.counts {
            func.blocks[block].insts.retain(|&inst| inst != count);
        }
        for (block, words) in self.words {
            read_payload(func, block, words, sites.as_deref().unwrap_or_default());
        }
        let is_alone =
            sites.is_some_and(|sites| sites.iter().all(|site| !site.payload)) && !comes_through(func, status);
        for (block, drop) in self.drops {
            if is_alone {
                func.blocks[block].insts.retain(|&inst| inst != drop);
                continue;
            }
            let external = func.externals.intern(Runtime::Forget.into());
            let data = &mut func.insts[drop];
            data.op = Op::CallExternal;
            data.attrs = [Attr::External(external)].into_iter().collect();
            data.args = [context, status].into_iter().collect();
        }
        for (block, asked, release) in self.raised {
            let again = func.insts[asked].results[0];
            func.blocks[block].insts.retain(|&inst| inst != asked && inst != release);
            for user in func.layout.clone() {
                func.replace_uses(user, again, status);
            }
        }
        func.blocks[block].insts.retain(|&inst| inst != catch);
    }
}

/// The function as it is if the arguments of a caught exception are read as they lie in the payload; nothing if they are not read, or not all
/// that can have come lays them out so.
fn with_known_words(func: &Function, catch: Inst) -> Option<Function> {
    let (record, sites) = (func.insts[catch].results[0], sites_of(func, func.insts[catch].args[1])?);
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let reads = insts.copied().filter(|&inst| {
        calls(func, inst, Runtime::CaughtWords)
            && func.insts[inst].args[0] == record
            && words_are_known(func, Some(&sites), inst)
    });
    let found: Vec<Value> = reads.map(|inst| func.insts[inst].results[0]).collect();
    if found.is_empty() {
        return None;
    }
    let mut known = func.clone();
    for last in func.layout.iter().filter_map(|&block| func.terminator(block)) {
        if func.insts[last].op == Op::Branch && found.contains(&func.insts[last].args[0]) {
            known.insts[last].jump_to(0);
        }
    }
    let cfg = Cfg::compute(&known);
    known.layout.retain(|&block| cfg.is_reachable(block));
    Some(known)
}

/// Whether all sites are of the class that arguments are read of, and lay them out so.
fn words_are_known(func: &Function, sites: Option<&[SiteData]>, inst: Inst) -> bool {
    let &[_, class, layout, _] = &func.insts[inst].args[..] else { return false };
    let (Some(sites), Some(layout)) = (sites, constant(func, layout)) else { return false };
    known_test(func, sites, class) == Some(true)
        && sites.iter().all(|site| {
            let own = site.message.as_deref().unwrap_or_default();
            site.payload && abi::layout_hash(own.as_bytes()).cast_signed() == layout
        })
}

/// Copies arguments from the payload in the place of a call that reads them of a record.
fn read_payload(func: &mut Function, block: Block, inst: Inst, sites: &[SiteData]) {
    let letters = sites.iter().filter_map(|site| site.message.as_deref()).map(str::len).max();
    // A letter stands for three words if it is that of a text.
    let count = (3 * letters.unwrap_or_default()).min(PAYLOAD_WORDS) as i64;
    let out = func.insts[inst].args[3];
    let Some(at) = func.blocks[block].insts.iter().position(|&other| other == inst) else { return };
    let rest = func.blocks[block].insts.split_off(at);
    let mut builder = Builder::new(func, block);
    let payload = builder.call_runtime(Runtime::Payload, &[])[0];
    for word in 0..count {
        let value = builder.load(Native::I64, payload, 8 * word);
        builder.store(out, 8 * word, value);
    }
    func.blocks[block].insts.extend(rest);
    let data = &mut func.insts[inst];
    data.op = Op::Iconst;
    data.attrs = [Attr::Native(Native::I1), Attr::Int(1)].into_iter().collect();
    data.args.clear();
}

/// The integer that a value is.
fn constant(func: &Function, value: Value) -> Option<i64> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    match (func.insts[inst].op, func.insts[inst].attrs.last()) {
        (Op::Iconst, Some(&Attr::Int(number))) => Some(number),
        _ => None,
    }
}

/// How often a value is used.
fn uses(func: &Function, value: Value) -> usize {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.flat_map(|&inst| func.insts[inst].uses()).filter(|&used| used == value).count()
}

/// Whether an instruction raises nothing and runs nobody's code.
fn is_harmless(func: &Function, inst: Inst) -> bool {
    let op = func.insts[inst].op;
    matches!(op.info().effect, Effect::Pure | Effect::Read)
        || matches!(op, Op::Jump | Op::Branch | Op::Store | Op::Incref)
}

fn is_counting(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::Incref | Op::Decref) || is_harmless(func, inst)
}

fn is_release(func: &Function, inst: Inst, record: Value) -> bool {
    func.insts[inst].op == Op::Decref && func.insts[inst].args[0] == record
}

/// The sites that a status may be of; none where it comes from elsewhere.
fn sites_of(func: &Function, status: Value) -> Option<Vec<SiteData>> {
    let site = |value: Value| match func.values[value].def {
        Def::Result(inst, _) => match (func.insts[inst].op, func.insts[inst].attrs.first()) {
            (Op::SiteStatus, Some(&Attr::Site(site))) => func.sites.get(site).cloned(),
            _ => None,
        },
        Def::Param(..) => None,
    };
    incoming(func, status).into_iter().map(site).collect()
}

/// What a value may be that parameters of blocks pass on.
fn incoming(func: &Function, value: Value) -> Vec<Value> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![value], HashSet::default());
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        let Def::Param(block, at) = func.values[value].def else {
            found.push(value);
            continue;
        };
        let edges = func.layout.iter().flat_map(|&from| func.edges(from)).filter(|edge| edge.block == block);
        open.extend(edges.filter_map(|edge| edge.args.get(usize::from(at)).copied()));
    }
    found
}

/// Whether calls are noted that one of the statuses came through.
fn comes_through(func: &Function, status: Value) -> bool {
    let all = incoming(func, status);
    func.layout.iter().flat_map(|&block| &func.blocks[block].insts).any(|&inst| {
        calls(func, inst, Runtime::Through)
            && incoming(func, func.insts[inst].args[0]).iter().any(|status| all.contains(status))
    })
}

/// The outcome of a test for a class where all sites agree, and all classes are the runtime's own.
fn known_test(func: &Function, sites: &[SiteData], class: Value) -> Option<bool> {
    let number = constant(func, class)?;
    let wanted = ExceptionClass::from_index(u32::try_from(number).ok()?)?;
    let outcome = |site: &SiteData| {
        let is_plain = site.user_class.is_none() && site.class != ExceptionClass::OSError;
        let is_pending = site.payload && site.message.as_deref() == Some("!");
        (is_plain && !is_pending).then(|| site.class.is_a(wanted))
    };
    let first = outcome(sites.first()?)?;
    sites.iter().all(|site| outcome(site) == Some(first)).then_some(first)
}
