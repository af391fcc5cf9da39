//! Outlining: a loop nest, or another rarely executed single-entry region, becomes a function that is compiled lazily.
//!
//! The function takes what the nest uses and returns which exit was taken and what is used after it. Where the
//! nest fails, the function fails. Of one that is compiled late, `rumba_late(address)` gives its code, or 0 if that cannot be made; the address is
//! what `NAME.late` is linked to.

use abi::Runtime;
use diag::Span;
use entity::{HashMap, HashSet};
use flow::{Cfg, DominatorTree};
use ir::{Attr, Block, BlockCall, Builder, Def, External, Function, IntCond, Native, Op, SiteData, Value};
use smallvec::SmallVec;

/// When a version of a loop that rarely runs is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompileWhen {
    /// When it is needed.
    Lazy,
    /// With the function that it comes from, and called by its symbol.
    Eager,
}

/// What the address of a function that is compiled when it is needed is linked to.
pub fn lazy_symbol(name: &str) -> String {
    format!("{name}.late")
}

/// What is raised where it cannot be compiled.
const NO_CODE: &str = "code that hardly ever runs could not be compiled";

/// A way out of a nest that does not fail.
struct Exit {
    /// The block inside.
    from: Block,
    /// Which of its targets.
    target: usize,
    /// Where it leads, with which values.
    to: BlockCall,
}

/// How a nest that became a function is called.
pub(crate) struct Call {
    external: External,
    when: CompileWhen,
    args: Vec<Value>,
    exits: Vec<BlockCall>,
    outs: Vec<Value>,
}

/// How many of the ways to a block come from a nest.
#[derive(Clone, Copy)]
enum Ways {
    Some,
    All,
}

/// A nest of loops in its function.
pub(crate) struct Nest<'a> {
    pub func: &'a Function,
    pub tree: &'a DominatorTree<Block>,
    pub cfg: &'a Cfg<Block>,
    pub header: Block,
    pub blocks: &'a [Block],
    pub when: CompileWhen,
    /// The blocks from which the function can only fail.
    pub failing: &'a dyn Fn(Block) -> bool,
}

impl Nest<'_> {
    /// The nest as a function called so, and how it is called with these values for the header's parameters.
    pub(crate) fn outline(&self, name: &str, args: &[Value]) -> (Function, Call) {
        let blocks = self.with_failing(Ways::Some);
        let exits = self.exits(&blocks.iter().copied().collect());
        // What others reach, too, stays where it is as well, and may use what the nest defines.
        let alone = self.with_failing(Ways::All).into_iter().collect();
        let outs = self.outs(&alone, &exits);
        let mut slow = self.func.clone();
        slow.layout.clear();
        slow.entry = slow.add_block(self.func.blocks[self.header].label);
        slow.layout.extend(&blocks);
        for &block in &blocks {
            // In there it is as usual as anything.
            slow.blocks[block].cold = false;
        }
        let taken = self.enter(&mut slow, &blocks, args);
        slow.results = outs.iter().map(|&value| self.func.native(value)).collect();
        if exits.len() > 1 {
            slow.results.insert(0, Native::I64);
        }
        for (number, exit) in exits.iter().enumerate() {
            self.leave(&mut slow, exit, (exits.len() > 1).then_some(number), &outs);
        }
        let params = taken.iter().map(|&value| self.func.native(value)).collect();
        let external = External::new(name, params, slow.results.clone()).failing();
        let exits = exits.into_iter().map(|exit| exit.to).collect();
        (slow, Call { external, when: self.when, args: taken, exits, outs })
    }

    /// The nest's blocks and the failing ones that are reached from it: by some or by all paths.
    fn with_failing(&self, ways: Ways) -> Vec<Block> {
        let mut all = self.blocks.to_vec();
        let mut inside: HashSet<Block> = all.iter().copied().collect();
        for &block in self.cfg.reverse_postorder() {
            if !(self.failing)(block) || inside.contains(&block) {
                continue;
            }
            let mut before =
                self.cfg.reachable_predecessors(block).map(|block| inside.contains(&block)).peekable();
            let reached = match ways {
                Ways::Some => before.any(|reached| reached),
                Ways::All => before.peek().is_some() && before.all(|reached| reached),
            };
            if reached {
                all.push(block);
                inside.insert(block);
            }
        }
        all
    }

    fn exits(&self, inside: &HashSet<Block>) -> Vec<Exit> {
        let mut found = Vec::new();
        for &from in self.blocks {
            let Some(last) = self.func.terminator(from) else { continue };
            for (target, to) in self.func.insts[last].targets.iter().enumerate() {
                if !inside.contains(&to.block) {
                    found.push(Exit { from, target, to: to.clone() });
                }
            }
        }
        found
    }

    /// What the nest defines and others use.
    fn outs(&self, inside: &HashSet<Block>, exits: &[Exit]) -> Vec<Value> {
        let own: HashSet<Value> = self.blocks.iter().flat_map(|&block| self.defined(block)).collect();
        let outside = self.func.layout.iter().filter(|block| !inside.contains(block));
        let insts =
            outside.flat_map(|&block| &self.func.blocks[block].insts).map(|&inst| &self.func.insts[inst]);
        let used = insts.flat_map(|data| data.uses());
        let given = exits.iter().flat_map(|exit| &exit.to.args).copied();
        let mut outs: Vec<Value> = used.chain(given).filter(|value| own.contains(value)).collect();
        outs.sort_unstable();
        outs.dedup();
        outs
    }

    fn defined(&self, block: Block) -> impl Iterator<Item = Value> {
        let data = &self.func.blocks[block];
        let results = data.insts.iter().flat_map(|&inst| &self.func.insts[inst].results);
        data.params.iter().chain(results).copied()
    }

    /// Builds the entry of the new function. Gives the values of the caller that it takes.
    fn enter(&self, slow: &mut Function, blocks: &[Block], args: &[Value]) -> Vec<Value> {
        let own: HashSet<Value> = blocks.iter().flat_map(|&block| self.defined(block)).collect();
        let insts = blocks
            .iter()
            .flat_map(|&block| &self.func.blocks[block].insts)
            .map(|&inst| &self.func.insts[inst]);
        let used = insts.flat_map(|data| data.uses());
        let mut taken: Vec<Value> =
            used.filter(|value| !own.contains(value)).chain(args.iter().copied()).collect();
        taken.sort_unstable();
        taken.dedup();
        let (constants, taken): (Vec<Value>, Vec<Value>) =
            taken.into_iter().partition(|&value| self.is_constant(value));
        let mut inner: HashMap<Value, Value> = HashMap::default();
        let entry = slow.entry;
        slow.params = taken
            .iter()
            .enumerate()
            .map(|(number, _)| slow.symbols.intern_str(&format!("x.{number}")))
            .collect();
        let params = slow.params.clone();
        let mut builder = Builder::new(slow, entry);
        for (number, (&value, symbol)) in taken.iter().zip(params).enumerate() {
            let attrs = [Attr::Int(number as i64), Attr::Symbol(symbol)];
            let native = self.func.native(value);
            inner.insert(value, builder.native(Op::Arg, attrs, &[], native));
        }
        for value in constants {
            let Def::Result(inst, _) = self.func.values[value].def else { continue };
            let data = &self.func.insts[inst];
            let native = self.func.native(value);
            inner.insert(value, builder.native(data.op, data.attrs.iter().cloned(), &[], native));
        }
        let args: Vec<Value> = args.iter().map(|arg| inner[arg]).collect();
        builder.jump(self.header, &args);
        crate::spill_region::substitute(slow, &inner);
        taken
    }

    fn is_constant(&self, value: Value) -> bool {
        let Def::Result(inst, _) = self.func.values[value].def else { return false };
        matches!(self.func.insts[inst].op, Op::Iconst | Op::Fconst | Op::SiteStatus)
    }

    /// Leads an exit to a return.
    fn leave(&self, slow: &mut Function, exit: &Exit, number: Option<usize>, outs: &[Value]) {
        let block = slow.add_block(self.func.blocks[exit.from].label);
        let mut builder = Builder::new(slow, block);
        let mut values: Vec<Value> = Vec::new();
        values.extend(number.map(|number| builder.iconst(Native::I64, number as i64)));
        for &value in outs {
            let home = match self.func.values[value].def {
                Def::Param(home, _) => Some(home),
                Def::Result(inst, _) => {
                    self.blocks.iter().copied().find(|&block| self.func.blocks[block].insts.contains(&inst))
                }
            };
            let known = home.is_some_and(|home| self.tree.dominates(home, exit.from));
            values.push(if known { value } else { zero(&mut builder, self.func.native(value)) });
        }
        builder.terminate(Op::Return, &values);
        if let Some(last) = slow.terminator(exit.from) {
            slow.insts[last].targets[exit.target] = BlockCall::new(block, []);
        }
    }
}

fn zero(builder: &mut Builder<'_>, native: Native) -> Value {
    if native.is_float() { builder.fconst(native, 0.0) } else { builder.iconst(native, 0) }
}

/// Calls the code of a function that is compiled when it is needed.
fn call_late(builder: &mut Builder<'_>, external: External, args: &[Value]) -> SmallVec<[Value; 1]> {
    let site = builder.func.sites.push(SiteData {
        class: abi::ExceptionClass::RuntimeError,
        user_class: None,
        message: Some(NO_CODE.into()),
        payload: false,
        span: builder.span,
        origin: None,
    });
    let (missing, there) = (builder.new_block(), builder.new_block());
    let late = builder.address_of(&lazy_symbol(&external.name));
    let code = builder.call_runtime(Runtime::Late, &[late])[0];
    let null = builder.iconst(Native::Ptr, 0);
    let none = builder.icmp(IntCond::Eq, code, null);
    builder.branch(none, BlockCall::new(missing, []), BlockCall::new(there, []));
    builder.switch_to(missing);
    let status = builder.site_status(site);
    builder.terminate(Op::Fail, &[status]);
    builder.switch_to(there);
    builder.call_indirect(code, external, args)
}

impl Call {
    /// Calls the function at the end of a block and continues where it was left; what was used after the nest is
    /// written to the slots that it is read from.
    pub(crate) fn emit(self, func: &mut Function, block: Block, slots: &HashMap<Value, Value>, span: Span) {
        let label = func.blocks[block].label;
        let first = func.layout.len();
        // Where nothing is left to go to, whatever follows the nest fails, too, and went along.
        let ways = (!self.exits.is_empty()).then(|| [(); 2].map(|()| func.add_block(label)));
        let mut builder = Builder::new(func, block);
        builder.span = span;
        let results = match self.when {
            CompileWhen::Eager => builder.call_external(self.external, &self.args),
            CompileWhen::Lazy => call_late(&mut builder, self.external, &self.args),
        };
        let status = results[0];
        let Some([failed, left]) = ways else {
            builder.terminate(Op::Fail, &[status]);
            return cool(func, block, first);
        };
        let ok = builder.iconst(Native::I64, 0);
        let fails = builder.icmp(IntCond::Ne, status, ok);
        builder.branch(fails, BlockCall::new(failed, []), BlockCall::new(left, []));
        builder.switch_to(failed);
        builder.terminate(Op::Fail, &[status]);
        builder.switch_to(left);
        let mut rest = &results[1..];
        let number = (self.exits.len() > 1).then(|| rest[0]);
        if number.is_some() {
            rest = &rest[1..];
        }
        let given: HashMap<Value, Value> = self.outs.iter().copied().zip(rest.iter().copied()).collect();
        for (value, &result) in &given {
            if let Some(&slot) = slots.get(value) {
                builder.store(slot, 0, result);
            }
        }
        for (at, exit) in self.exits.iter().enumerate() {
            let args: Vec<Value> =
                exit.args.iter().map(|arg| given.get(arg).copied().unwrap_or(*arg)).collect();
            let Some(number) = number.filter(|_| at + 1 < self.exits.len()) else {
                builder.jump(exit.block, &args);
                break;
            };
            let next = builder.new_block();
            let wanted = builder.iconst(Native::I64, at as i64);
            let found = builder.icmp(IntCond::Eq, number, wanted);
            builder.branch(found, BlockCall::new(exit.block, args), BlockCall::new(next, []));
            builder.switch_to(next);
        }
        cool(func, block, first);
    }
}

/// Marks a block as cold, and those that were added since the layout was so long.
fn cool(func: &mut Function, block: Block, first: usize) {
    let added = func.layout[first..].to_vec();
    for block in added.into_iter().chain([block]) {
        func.blocks[block].cold = true;
    }
}
