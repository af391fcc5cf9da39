//! An exception that is only tested for its class, dropped or raised again needs no record: its status says it all, as long as
//! nothing else is raised.
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
//! Where only one class can have come, the test is known; where nothing came through a call either, there is nothing to forget.

use abi::{ExceptionClass, Runtime};
use entity::HashSet;
use flow::Cfg;
use ir::{Attr, Block, Def, Effect, Function, Inst, Native, Op, SiteData, Value};

/// Replaces records by statuses.
pub fn eliminate_caught_records(func: &mut Function) {
    let catches: Vec<(Block, Inst)> = func
        .layout
        .iter()
        .flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
        .filter(|&(_, inst)| calls(func, inst, Runtime::Catch))
        .collect();
    if !catches.is_empty() {
        // Handlers of what cannot raise use records, too.
        let cfg = Cfg::compute(func);
        func.layout.retain(|&block| cfg.is_reachable(block));
    }
    for (block, catch) in catches {
        if let Some(plan) = Plan::of(func, block, catch) {
            plan.apply(func, block, catch);
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
    /// Where the record is given up.
    drops: Vec<(Block, Inst)>,
    /// Where its status is asked for, to be raised again; and the releases behind that.
    raised: Vec<(Block, Inst, Inst)>,
}

impl Plan {
    /// What to do about a record; nothing where it is more than that, or where something else happens while it lives.
    fn of(func: &Function, block: Block, catch: Inst) -> Option<Plan> {
        let record = func.insts[catch].results[0];
        let mut plan = Plan::default();
        let mut seen: HashSet<Block> = HashSet::default();
        let behind = func.blocks[block].insts.iter().position(|&inst| inst == catch)? + 1;
        let mut open = vec![(block, behind)];
        while let Some((block, from)) = open.pop() {
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
                            .map(|next| (next.block, 0)),
                    );
                    continue;
                }
                if calls(func, inst, Runtime::CaughtIs) {
                    plan.tests.push(inst);
                } else if data.op == Op::Decref {
                    plan.drops.push((block, inst));
                    break;
                } else if calls(func, inst, Runtime::CaughtStatus) {
                    let release = insts[at..].iter().copied().take_while(|&next| is_counting(func, next));
                    let release = release.into_iter().find(|&next| is_release(func, next, record))?;
                    plan.raised.push((block, inst, release));
                    break;
                } else {
                    return None;
                }
            }
        }
        let known = plan.tests.len() + plan.drops.len() + 2 * plan.raised.len();
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
            replace_uses(func, again, status);
        }
        func.blocks[block].insts.retain(|&inst| inst != catch);
    }
}

/// How often a value is used.
fn uses(func: &Function, value: Value) -> usize {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let all = insts.flat_map(|&inst| {
        let data = &func.insts[inst];
        data.args.iter().chain(data.targets.iter().flat_map(|target| &target.args))
    });
    all.filter(|&&used| used == value).count()
}

/// Whether an instruction raises nothing and runs nobody's code.
fn is_harmless(func: &Function, inst: Inst) -> bool {
    let op = func.insts[inst].op;
    matches!(op.info().effect, Effect::Pure | Effect::Read) || matches!(op, Op::Jump | Op::Branch | Op::Store)
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

/// What a parameter of a block may be, or the value itself.
fn incoming(func: &Function, value: Value) -> Vec<Value> {
    let Def::Param(block, at) = func.values[value].def else { return vec![value] };
    let edges = func.layout.iter().flat_map(|&from| func.edges(from));
    edges.filter(|edge| edge.block == block).filter_map(|edge| edge.args.get(at as usize).copied()).collect()
}

/// Whether calls are noted that one of the statuses came through.
fn comes_through(func: &Function, status: Value) -> bool {
    let all = incoming(func, status);
    func.layout
        .iter()
        .flat_map(|&block| &func.blocks[block].insts)
        .any(|&inst| calls(func, inst, Runtime::Through) && all.contains(&func.insts[inst].args[0]))
}

/// The outcome of a test for a class where all sites agree, and all classes are the runtime's own.
fn known_test(func: &Function, sites: &[SiteData], class: Value) -> Option<bool> {
    let Def::Result(inst, _) = func.values[class].def else { return None };
    let (Op::Iconst, Some(&Attr::Int(number))) = (func.insts[inst].op, func.insts[inst].attrs.last()) else {
        return None;
    };
    let wanted = ExceptionClass::from_index(u32::try_from(number).ok()?)?;
    let outcome = |site: &SiteData| {
        let is_plain = site.user_class.is_none() && site.class != ExceptionClass::OSError;
        let is_pending = site.payload && site.message.as_deref() == Some("!");
        (is_plain && !is_pending).then(|| site.class.is_a(wanted))
    };
    let first = outcome(sites.first()?)?;
    sites.iter().all(|site| outcome(site) == Some(first)).then_some(first)
}

/// Every use of a value becomes one of another.
fn replace_uses(func: &mut Function, from: Value, to: Value) {
    let swap = |args: &mut [Value]| args.iter_mut().filter(|arg| **arg == from).for_each(|arg| *arg = to);
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            let data = &mut func.insts[inst];
            swap(&mut data.args);
            data.targets.iter_mut().for_each(|target| swap(&mut target.args));
        }
    }
}
