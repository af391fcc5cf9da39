//! Escape analysis of iterators: finds instructions whose iterators need heap memory for their state.
//!
//! The state of an iterator is in a slot of the frame, one for each instruction that creates iterators. The slot is
//! overwritten when the instruction runs again. If an iterator of an earlier run may still be in use then, or the iterator is
//! stored in a shared variable, its state is in a reference-counted block instead.
//!
//! ```text
//! block1(%c):                  an iterator of the iteration before
//!   %n = getiter %m            a slot would now hold the state of both: a block
//!   call next, %c
//!   jump block1(%n)
//! ```

use crate::ownership::uses;
use catalog::owns_iterator_state;
use entity::{EntitySet, HashMap, HashSet};
use flow::{BlockFacts, Cfg, Liveness, compute_liveness};
use ir::{Block, BlockCall, Function, Inst, Op, Value};
use types::TypeTable;

/// Where the iterators of a Typed function keep their state.
#[derive(Default)]
pub(crate) struct IteratorStates {
    /// Instructions whose iterators may outlive the frame's slots.
    pub outliving: EntitySet<Inst>,
    /// Whether owners of states are counted: elsewhere all of them are nothing, or borrowed from the caller.
    pub counted: bool,
}

impl IteratorStates {
    /// Finds them.
    pub fn compute(func: &Function, types: &TypeTable) -> IteratorStates {
        let holds = |value: Value| types.refers_to_frame(func.ty(value));
        let mut found = IteratorStates::default();
        if !may_outlive(func, &holds) {
            return found;
        }
        let flows = Flows::compute(func, &holds);
        let cfg = Cfg::compute(func);
        let liveness = liveness(func, &cfg, &holds);
        for &block in &func.layout {
            let mut live: HashSet<Value> = liveness.live_out(block).filter(|&value| holds(value)).collect();
            live.extend(handed(func, block).filter(|&value| holds(value)));
            for &inst in func.blocks[block].insts.iter().rev() {
                let results = &func.insts[inst].results;
                live.retain(|value| !results.contains(value));
                live.extend(uses(func, inst).filter(|&value| holds(value)));
                if results.iter().any(|&result| holds(result)) && flows.outlives(results, &live) {
                    found.outliving.insert(inst);
                }
            }
        }
        let mut joined = flows.params.iter();
        found.counted = flows.loads
            || found.outliving.keys().next().is_some()
            || joined.any(|&param| owns_iterator_state(types, func.ty(param)));
        found
    }
}

/// Whether an iterator is handed to a block, or is held by a variable that functions share. Elsewhere each is used where it
/// was made before another one is.
fn may_outlive(func: &Function, holds: &impl Fn(Value) -> bool) -> bool {
    func.layout.iter().any(|&block| {
        let data = &func.blocks[block];
        let shares = |&inst: &Inst| {
            let data = &func.insts[inst];
            let shared = match data.op {
                Op::StoreCell => &data.args[1..],
                Op::MakeCell => &data.args[..],
                Op::LoadCell => &data.results[..],
                _ => &[],
            };
            shared.iter().any(|&value| holds(value))
        };
        data.params.iter().any(|&param| holds(param)) || data.insts.iter().any(shares)
    })
}

/// Which values take over the state of iterators from which.
#[derive(Default)]
struct Flows {
    /// What is made of each value, and the parameters that are handed it.
    to: HashMap<Value, Vec<Value>>,
    /// Parameters of blocks that hold iterators.
    params: Vec<Value>,
    /// Values that variables hold which functions share.
    shared: HashSet<Value>,
    /// Whether there are any such variables that hold iterators.
    loads: bool,
}

impl Flows {
    fn compute(func: &Function, holds: &impl Fn(Value) -> bool) -> Flows {
        let mut flows = Flows::default();
        for &block in &func.layout {
            let data = &func.blocks[block];
            flows.params.extend(data.params.iter().copied().filter(|&param| holds(param)));
            if let Some(call) = &data.handler {
                flows.join(call, func, holds);
            }
            for &inst in &data.insts {
                let data = &func.insts[inst];
                for call in &data.targets {
                    flows.join(call, func, holds);
                }
                match data.op {
                    Op::StoreCell => {
                        flows.shared.extend(data.args[1..].iter().copied().filter(|&arg| holds(arg)))
                    }
                    Op::MakeCell => flows.shared.extend(data.args.iter().copied().filter(|&arg| holds(arg))),
                    Op::LoadCell => flows.loads |= data.results.iter().any(|&result| holds(result)),
                    _ => {}
                }
                for &result in data.results.iter().filter(|&&result| holds(result)) {
                    for &arg in data.args.iter().filter(|&&arg| holds(arg)) {
                        flows.to.entry(arg).or_default().push(result);
                    }
                }
            }
        }
        flows
    }

    /// Arguments become the parameters of a block. (After them a handler gets the exception.)
    fn join(&mut self, call: &BlockCall, func: &Function, holds: &impl Fn(Value) -> bool) {
        let params = &func.blocks[call.block].params;
        for (&arg, &param) in call.args.iter().zip(params).filter(|&(&arg, _)| holds(arg)) {
            self.to.entry(arg).or_default().push(param);
        }
    }

    /// Whether what is made of these values is shared, or lives where they are made.
    fn outlives(&self, made: &[Value], live: &HashSet<Value>) -> bool {
        let (mut reached, mut rest) = (HashSet::default(), made.to_vec());
        while let Some(value) = rest.pop() {
            if live.contains(&value) || self.shared.contains(&value) {
                return true;
            }
            if reached.insert(value) {
                rest.extend(self.to.get(&value).into_iter().flatten());
            }
        }
        false
    }
}

/// Values that the handler of a block is given.
fn handed(func: &Function, block: Block) -> impl Iterator<Item = Value> + '_ {
    func.blocks[block].handler.iter().flat_map(|handler| handler.args.iter().copied())
}

fn liveness(func: &Function, cfg: &Cfg<Block>, holds: &impl Fn(Value) -> bool) -> Liveness<Block, Value> {
    let mut facts = BlockFacts::new(cfg, func.values.len());
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            facts.add_definition(block, param);
        }
        for value in handed(func, block).filter(|&value| holds(value)) {
            facts.add_use(block, value);
        }
        for &inst in &func.blocks[block].insts {
            for value in uses(func, inst).filter(|&value| holds(value)) {
                facts.add_use(block, value);
            }
            for &result in &func.insts[inst].results {
                facts.add_definition(block, result);
            }
        }
    }
    compute_liveness(cfg, &facts)
}
