//! The refcount verifier: each reference that a function of the Explicit phase acquires is released.
//!
//! A function comes by a reference to a value through `alloc`, `incref`, `take_ref`, and a call that gives it (`own` before a
//! result). It gives one up by `decref`, `give_ref`, a call that takes it over (`own` before a parameter), and by returning it as a result
//! that is marked so. Parameters of the function are borrowed: it comes by none, and gives none up that it did not count.
//!
//! Proved: on every path to an exit (`return`, `fail`) each value's references are released as often as the function came by them, no more
//! and no less. A value that goes to a block's parameter takes along as many references as are given up under the
//! parameter's name. Words that count nothing are known by where they come from (constants, words with the lowest bit set) or by a branch: after
//! `owner == 0`, `owner & 1 == 1`, and, for what a call gave, after a status of that call that is not 0; or `null_ref` says so.
//!
//! Not proved: what memory holds (items of containers, cells, payloads): `take_ref`, `give_ref` and `null_ref` are believed (the last is checked by the interpreter). That nothing is used after its last
//! reference. Anything about paths that never end. Whether the callee does what its signature says (the callee's own verification shows that of
//! compiled functions, nobody of the runtime's).
//!
//! It works backwards: [`Needs`] says how many references must be held where a block begins so that the count comes out at
//! all exits. Where two ways need different numbers, one of them leaks or releases twice.

use crate::{Attr, Block, Def, ExternalFn, Function, Inst, InstData, IntCond, Op, Value};
use diag::{Diagnostic, Result};
use entity::SideTable;
use flow::Cfg;
use std::collections::BTreeMap;

/// Checks the counts of a function of the Explicit phase; the error names the block and the value.
pub fn verify_counts(func: &Function) -> Result<()> {
    let cfg = Cfg::compute(func);
    let mut verifier = Verifier { func, begin: SideTable::new(), known: SideTable::new() };
    verifier.find_known(&cfg);
    let order: Vec<Block> = cfg.reverse_postorder().iter().rev().copied().collect();
    loop {
        let mut changed = false;
        for &block in &order {
            let needs = verifier.block(block)?;
            changed |= needs != verifier.begin[block];
            verifier.begin[block] = needs;
        }
        if !changed {
            return Ok(());
        }
    }
}

/// How many references to a value must be held at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// So many.
    Times(i64),
    /// The word counts nothing here.
    Any,
}

/// What must be held at a place, of values that there are; of others none.
type Needs = BTreeMap<Value, Need>;

struct Verifier<'a> {
    func: &'a Function,
    /// At the begin of each block; nothing where no exit is known to be reached yet.
    begin: SideTable<Block, Option<Needs>>,
    /// Words that count nothing from the begin of a block on.
    known: SideTable<Block, Vec<Value>>,
}

impl Verifier<'_> {
    fn fail<T>(&self, block: Block, value: Value, what: impl std::fmt::Display) -> Result<T> {
        let name =
            self.func.value_name(value).map_or_else(|| value.to_string(), |name| format!("{value} ({name})"));
        let message = format!("{block} of `{}`: {name} {what}", self.func.name);
        Err(Diagnostic::internal("the verifier of counts", message))
    }

    /// What must be held where the block begins.
    fn block(&self, block: Block) -> Result<Option<Needs>> {
        let insts = &self.func.blocks[block].insts;
        let Some((&last, body)) = insts.split_last() else { return Ok(None) };
        let Some(mut needs) = self.behind(block, &self.func.insts[last])? else { return Ok(None) };
        for &inst in body.iter().rev() {
            self.inst(block, inst, &mut needs)?;
        }
        needs.retain(|value, need| *need != Need::Times(0) && !self.known[block].contains(value));
        for &value in &self.known[block] {
            needs.insert(self.root(value), Need::Any);
        }
        Ok(Some(needs))
    }

    /// What must be held before a terminator; nothing where it leads to no exit.
    fn behind(&self, block: Block, data: &InstData) -> Result<Option<Needs>> {
        let mut needs = Needs::new();
        match data.op {
            Op::Return => {
                for (at, &value) in data.args.iter().enumerate() {
                    if self.func.gives.contains(at) {
                        self.add(&mut needs, value, Need::Times(1));
                    }
                }
            }
            Op::Fail => {}
            Op::Jump => return Ok(self.edge(block, data, 0)),
            Op::Branch => {
                let (then, other) = (self.edge(block, data, 0), self.edge(block, data, 1));
                let (Some(then), Some(other)) = (&then, &other) else { return Ok(then.or(other)) };
                return self.merge(block, then, other).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(needs))
    }

    /// What must be held before an edge, given what is known on it.
    fn edge(&self, block: Block, data: &InstData, number: usize) -> Option<Needs> {
        let target = &data.targets[number];
        let mut known = self.known_on(data, number)?;
        known.extend(&self.known[block]);
        let mut needs = self.begin[target.block].clone()?;
        let params = &self.func.blocks[target.block].params;
        let handed: Vec<Option<Need>> = params.iter().map(|param| needs.remove(param)).collect();
        for (&arg, need) in target.args.iter().zip(handed) {
            if let Some(need) = need {
                self.add(&mut needs, arg, need);
            }
        }
        for value in known {
            needs.insert(self.root(value), Need::Any);
        }
        Some(needs)
    }

    /// The needs of two ways, which must agree.
    fn merge(&self, block: Block, then: &Needs, other: &Needs) -> Result<Needs> {
        let mut merged = Needs::new();
        for &value in then.keys().chain(other.keys()) {
            let of = |needs: &Needs| needs.get(&value).copied().unwrap_or(Need::Times(0));
            let need = match (of(then), of(other)) {
                (Need::Any, need) | (need, Need::Any) => need,
                (a, b) if a == b => a,
                (Need::Times(a), Need::Times(b)) => {
                    let ways = "behind the branch at the end, the two ways do not agree:";
                    return self.fail(
                        block,
                        value,
                        format!("{ways} the first gives up {a} references to it, the second {b}"),
                    );
                }
            };
            merged.insert(value, need);
        }
        Ok(merged)
    }

    fn inst(&self, block: Block, inst: Inst, needs: &mut Needs) -> Result<()> {
        let data = &self.func.insts[inst];
        for (at, &result) in data.results.iter().enumerate() {
            if self.root(result) != result {
                continue;
            }
            let need = needs.remove(&result).unwrap_or(Need::Times(0));
            let made = i64::from(self.gives(data, at));
            match need {
                Need::Times(times) if times > made && !self.counts_nothing(result) => {
                    let what = format!("is given up {times} times, and there {} {made}", plural(made));
                    return self.fail(block, result, what);
                }
                Need::Times(times) if times < made && !self.counts_nothing(result) => {
                    let left = made - times;
                    return self.fail(
                        block,
                        result,
                        format!("leaks: {left} {} never given up", plural(left)),
                    );
                }
                _ => {}
            }
        }
        match data.op {
            Op::Incref | Op::TakeRef => self.add(needs, data.args[0], Need::Times(-1)),
            Op::Decref | Op::GiveRef => self.add(needs, data.args[0], Need::Times(1)),
            Op::NullRef => self.add(needs, data.args[0], Need::Any),
            Op::CallExternal | Op::CallIndirect => {
                let external = self.func.externals.get(external_of(data));
                let args = &data.args[usize::from(data.op == Op::CallIndirect)..];
                for (at, &arg) in args.iter().enumerate() {
                    if external.takes >> at & 1 == 1 {
                        self.add(needs, arg, Need::Times(1));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether result number `at` comes with a reference.
    fn gives(&self, data: &InstData, at: usize) -> bool {
        match data.op {
            Op::Alloc => true,
            Op::CallExternal | Op::CallIndirect => {
                self.func.externals.get(external_of(data)).gives.contains(at)
            }
            _ => false,
        }
    }

    fn add(&self, needs: &mut Needs, value: Value, need: Need) {
        let value = self.root(value);
        if self.counts_nothing(value) {
            return;
        }
        let before = needs.get(&value).copied().unwrap_or(Need::Times(0));
        let sum = match (before, need) {
            (Need::Times(a), Need::Times(b)) => Need::Times(a + b),
            _ => Need::Any,
        };
        needs.insert(value, sum);
    }

    /// The value that a word has its bits from.
    fn root(&self, mut value: Value) -> Value {
        while let Some(data) = self.made_by(value)
            && data.op == Op::Bitcast
        {
            value = data.args[0];
        }
        value
    }

    fn made_by(&self, value: Value) -> Option<&InstData> {
        match self.func.values[value].def {
            Def::Result(inst, _) => Some(&self.func.insts[inst]),
            Def::Param(..) => None,
        }
    }

    fn constant(&self, value: Value) -> Option<i64> {
        match (self.made_by(value)?.op, self.made_by(value)?.attrs.as_slice()) {
            (Op::Iconst, &[_, Attr::Int(number)]) => Some(number),
            _ => None,
        }
    }

    /// Whether a word is no reference wherever it is: a constant, or marked as borrowed.
    fn counts_nothing(&self, value: Value) -> bool {
        let borrowed = |data: &InstData| data.op == Op::Ior && self.constant(data.args[1]) == Some(1);
        self.constant(value).is_some() || self.made_by(value).is_some_and(borrowed)
    }

    /// What is known in each block: on the only way to it, and in the block that dominates it.
    fn find_known(&mut self, cfg: &Cfg<Block>) {
        let tree = flow::compute_dominators(cfg);
        for &block in cfg.reverse_postorder() {
            let mut known =
                tree.immediate_dominator(block).map_or_else(Vec::new, |above| self.known[above].clone());
            if let [from] = cfg.predecessors(block)
                && let Some(last) = self.func.terminator(*from)
            {
                let data = &self.func.insts[last];
                let ways = (0..data.targets.len()).filter(|&number| data.targets[number].block == block);
                let mut ways = ways.map(|number| self.known_on(data, number));
                if let (Some(Some(on_way)), None) = (ways.next(), ways.next()) {
                    known.extend(on_way);
                }
            }
            self.known[block] = known;
        }
    }

    /// Words that count nothing after way number `number` of a terminator; nothing at all if it is never gone.
    fn known_on(&self, terminator: &InstData, number: usize) -> Option<Vec<Value>> {
        if terminator.op != Op::Branch {
            return Some(Vec::new());
        }
        let (condition, holds) = (terminator.args[0], number == 0);
        let Some(data) = self.made_by(condition) else { return Some(Vec::new()) };
        let equal = match (data.op, data.attrs.first()) {
            (Op::Icmp, Some(&Attr::IntCond(IntCond::Eq))) => holds,
            (Op::Icmp, Some(&Attr::IntCond(IntCond::Ne))) => !holds,
            _ => return Some(Vec::new()),
        };
        let (word, other) = (data.args[0], data.args[1]);
        let Some(number) = self.constant(other) else { return Some(Vec::new()) };
        if let Some(known) = self.constant(word) {
            return ((known == number) == equal).then(Vec::new);
        }
        let is_zero = equal && number == 0;
        let is_other = equal && number != 0 || !equal && number == 0;
        let mut known = Vec::new();
        if is_zero {
            known.push(word);
        }
        if is_other && let Some(data) = self.made_by(word) {
            if data.op == Op::Iand && self.constant(data.args[1]) == Some(1) {
                // An odd word is borrowed.
                known.push(data.args[0]);
            }
            let called = matches!(data.op, Op::CallExternal | Op::CallIndirect);
            if called && data.results[0] == word && self.func.externals.get(external_of(data)).fails {
                let given = data.results.iter().enumerate().filter(|&(at, _)| self.gives(data, at));
                known.extend(given.map(|(_, &result)| result));
            }
        }
        Some(known)
    }
}

fn external_of(data: &InstData) -> ExternalFn {
    match data.attrs.first() {
        Some(&Attr::External(id)) => id,
        _ => unreachable!("the verifier has seen that a call names a function"),
    }
}

fn plural(count: i64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
