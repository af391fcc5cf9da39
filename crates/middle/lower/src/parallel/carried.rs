//! Loop-carried values of parallel loops: reductions, and variables that keep the value of the last iteration. Anything
//! else makes an iteration depend on the previous one, and the loop stays serial.
//!
//! What depends on such a value in an iteration is followed from the header's parameter on. It may only go through one kind
//! of operation (`s += x` and `s -= x`, `p *= x` and `p /= x`, `m = min(m, x)`) and through blocks' parameters, or be compared as in
//! `if x > m: m = x`. There a second name may be set, too, as the index of the greatest value.

use super::find_loops::Scope;
use super::index_classes::{Index, Indices};
use super::indexed_reductions::{Update, asks_for_shape, update_of};
use super::truth;
use entity::{HashMap, HashSet};
use ir::{
    Attr, BinaryOp, Block, BlockCall, CompareOp, Def, Effect, Function, Inst, InstData, Op, UnaryOp, Value,
};
use types::{Type, TypeData, TypeTable};

/// How the parts of chunks become one value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Carried {
    /// Chunks begin with the operator's neutral element.
    Operator(BinaryOp),
    /// Items of an array are updated with the operator, which every iteration may do with the same ones: `counts[0] += 1`.
    Items(BinaryOp),
    /// Items are updated that follow from data: `counts[bins[i]] += 1`.
    Scattered(BinaryOp),
    /// Chunks begin with the value itself, which may come in any number of times.
    Function(String),
    /// As above: the chunk's value is taken if it compares so with the one before.
    Compare(CompareOp),
    /// Taken where the header's parameter of this number is.
    With(usize),
    /// What the last iteration left.
    Last,
    /// What the last iteration left that set it; a flag says whether any did.
    LastSet,
}

impl Carried {
    /// The operator that makes one array of those of chunks, if a value of the type is an array.
    pub fn array_operator(&self, types: &TypeTable, ty: Type) -> Option<BinaryOp> {
        match self {
            Carried::Operator(op) | Carried::Items(op) | Carried::Scattered(op) => Some(*op),
            _ => None,
        }
        .filter(|_| types.array(ty).is_some())
    }

    /// As the op `parallel_for` names it.
    pub fn word(&self) -> String {
        match self {
            Carried::Operator(op) => op.text().into(),
            Carried::Items(op) => format!("items {}", op.text()),
            Carried::Scattered(op) => format!("scattered {}", op.text()),
            Carried::Function(name) => name.clone(),
            Carried::Compare(op) => format!("if {}", op.text()),
            Carried::With(number) => format!("with {number}"),
            Carried::Last => "last".into(),
            Carried::LastSet => "last set".into(),
        }
    }

    /// The reverse conversion.
    pub fn from_word(word: &str) -> Option<Carried> {
        Some(match word {
            "last" => Carried::Last,
            "last set" => Carried::LastSet,
            _ => match word.split_once(' ') {
                Some(("if", op)) => Carried::Compare(CompareOp::from_text(op)?),
                Some(("with", number)) => Carried::With(number.parse().ok()?),
                Some(("items", op)) => Carried::Items(BinaryOp::from_text(op)?),
                Some(("scattered", op)) => Carried::Scattered(BinaryOp::from_text(op)?),
                _ => BinaryOp::from_text(word)
                    .map_or_else(|| Carried::Function(word.into()), Carried::Operator),
            },
        })
    }
}

/// What depends on a header's parameter within an iteration.
pub(super) struct Web {
    /// The parameter, and what takes its place.
    pub values: HashSet<Value>,
    operator: Option<Carried>,
    compares: Vec<Inst>,
    /// Branches that ask whether it is true.
    pub branches: Vec<Inst>,
}

/// What becomes of each of the header's parameters, or why an iteration needs the one before.
pub(super) fn classify(scope: &Scope<'_>) -> Result<Vec<Carried>, String> {
    let uses = Uses::of(scope);
    let params = &scope.func.blocks[scope.header].params;
    let webs: Vec<Web> =
        (0..params.len()).map(|number| uses.web(scope, number)).collect::<Result<_, String>>()?;
    let mut found: Vec<Option<Carried>> = vec![None; params.len()];
    let mut chosen: Vec<(usize, Vec<(Block, usize, Block)>)> = Vec::new();
    for (number, web) in webs.iter().enumerate() {
        if !web.compares.is_empty() {
            let (op, edges) = uses.compared(scope, number, web).ok_or_else(|| unclear(scope, number))?;
            found[number] = Some(Carried::Compare(op));
            chosen.push((number, edges));
        } else if !web.branches.is_empty() {
            let op = truth::joined(scope, &uses, number, web).ok_or_else(|| unclear(scope, number))?;
            found[number] = Some(Carried::Operator(op));
        } else if let Some(operator) = &web.operator {
            let all = uses.others(scope, number, web);
            if !all.is_empty() {
                return Err(unclear(scope, number));
            }
            found[number] = Some(operator.clone());
        }
    }
    let open: Vec<usize> = (0..params.len()).filter(|&number| found[number].is_none()).collect();
    for number in open {
        let web = &webs[number];
        let is_copy = |value: &Value| matches!(scope.func.values[*value].def, Def::Param(..));
        if !web.values.iter().all(is_copy) {
            return Err(unclear(scope, number));
        }
        let set: Vec<(Block, usize, Block)> =
            uses.others(scope, number, web).into_iter().map(|other| other.edge).collect();
        let with = chosen
            .iter()
            .find(|(_, edges)| set.iter().any(|&(from, ..)| edges.iter().any(|&(other, ..)| other == from)));
        found[number] = Some(match with {
            Some((leader, edges)) if set == *edges && is_strict(found[*leader].as_ref()) => {
                Carried::With(*leader)
            }
            Some(_) => return Err(unclear(scope, number)),
            None if uses.latches(scope, number).all(|value| !web.values.contains(&value)) => Carried::Last,
            None => Carried::LastSet,
        });
    }
    Ok(found.into_iter().flatten().collect())
}

fn is_strict(carried: Option<&Carried>) -> bool {
    matches!(carried, Some(Carried::Compare(CompareOp::Lt | CompareOp::Gt)))
}

fn unclear(scope: &Scope<'_>, number: usize) -> String {
    let param = scope.func.blocks[scope.header].params[number];
    match scope.func.value_name(param) {
        Some(name) => format!("an iteration needs `{name}` of the one before, and it is no reduction"),
        None => "an iteration needs a value of the one before".into(),
    }
}

/// A value that comes to a parameter of a web and is not of it.
pub(super) struct Other {
    value: Value,
    /// From which block, by which target, to which.
    pub edge: (Block, usize, Block),
}

/// Where values are used inside the loop.
pub(super) struct Uses {
    by: HashMap<Value, Vec<Inst>>,
    edges: HashMap<Value, Vec<(Block, usize)>>,
    handled: HashSet<Value>,
    /// How often each value is used in the function.
    count: HashMap<Value, u32>,
    /// What the loop defines.
    own: HashSet<Value>,
    /// Ways to each block: from where, by which target, with what.
    pub into: HashMap<Block, Vec<(Block, usize, BlockCall)>>,
}

impl Uses {
    fn of(scope: &Scope<'_>) -> Uses {
        let mut uses = Uses {
            by: HashMap::default(),
            edges: HashMap::default(),
            handled: HashSet::default(),
            count: scope.func.count_uses(),
            own: scope.defined(&scope.inside.iter().copied().collect::<Vec<_>>()),
            into: HashMap::default(),
        };
        for &block in scope.func.layout.iter().filter(|block| scope.inside.contains(block)) {
            let data = &scope.func.blocks[block];
            uses.handled.extend(data.handler.iter().flat_map(|handler| handler.args.iter().copied()));
            for &inst in &data.insts {
                for &value in &scope.func.insts[inst].args {
                    uses.by.entry(value).or_default().push(inst);
                }
                for (number, to) in scope.func.insts[inst].targets.iter().enumerate() {
                    if !scope.inside.contains(&to.block) {
                        continue;
                    }
                    uses.into.entry(to.block).or_default().push((block, number, to.clone()));
                    for &value in &to.args {
                        uses.edges.entry(value).or_default().push((block, number));
                    }
                }
            }
        }
        uses
    }

    /// What depends on the parameter of this number.
    fn web(&self, scope: &Scope<'_>, number: usize) -> Result<Web, String> {
        let func = scope.func;
        let param = func.blocks[scope.header].params[number];
        let mut web =
            Web { values: HashSet::default(), operator: None, compares: Vec::new(), branches: Vec::new() };
        let is_array = scope.is_summed(func.ty(param));
        if !scope.is_plain(func.ty(param)) && !is_array {
            return Err(match func.value_name(param) {
                Some(name) => {
                    format!("`{name}`, which goes from one iteration to the next, holds references")
                }
                None => "what goes from one iteration to the next holds references".into(),
            });
        }
        let mut open = vec![param];
        while let Some(value) = open.pop() {
            if !web.values.insert(value) {
                continue;
            }
            if self.handled.contains(&value) {
                return Err(unclear(scope, number));
            }
            for &(from, target) in self.edges.get(&value).into_iter().flatten() {
                let to = &func.insts[func.terminator(from).expect("an edge's block ends")].targets[target];
                for (at, _) in to.args.iter().enumerate().filter(|(_, arg)| **arg == value) {
                    let next = func.blocks[to.block].params[at];
                    if to.block == scope.header && next != param {
                        return Err(unclear(scope, number));
                    }
                    open.push(next);
                }
            }
            for &inst in self.by.get(&value).into_iter().flatten() {
                open.extend(self.step(scope, &mut web, inst, value).ok_or_else(|| unclear(scope, number))?);
            }
        }
        let kinds = [web.operator.is_some(), !web.compares.is_empty(), !web.branches.is_empty()];
        if kinds.into_iter().filter(|&is| is).count() > 1 || is_array && web.operator.is_none() {
            return Err(unclear(scope, number));
        }
        Ok(web)
    }

    /// What an instruction makes of a value of the web; nothing if it is none of a reduction.
    fn step(&self, scope: &Scope<'_>, web: &mut Web, inst: Inst, value: Value) -> Option<Option<Value>> {
        let data = &scope.func.insts[inst];
        let operator = match (data.op, data.attrs.first()) {
            _ if scope.is_summed(scope.func.ty(value)) && asks_for_shape(scope.func, scope.types, inst) => {
                return Some(None);
            }
            (Op::Getitem | Op::Setitem, _) if scope.is_summed(scope.func.ty(value)) => {
                let update = self.item_update(scope, inst, value)?;
                if web.operator.as_ref().is_some_and(|known| *known != update) {
                    return None;
                }
                web.operator = Some(update);
                return Some(None);
            }
            (
                Op::Compare,
                Some(&Attr::Compare(CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge)),
            ) => {
                web.compares.push(inst);
                return Some(None);
            }
            (Op::Branch, _) => {
                web.branches.push(inst);
                return Some(None);
            }
            (Op::Unary, Some(&Attr::Unary(UnaryOp::Bool))) => {
                web.branches.push(self.only_branch(scope, data.results[0])?.1);
                return Some(None);
            }
            (Op::Promote | Op::Cast, _) if scope.func.ty(value) == scope.func.ty(data.results[0]) => {
                return Some(Some(data.results[0]));
            }
            (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => {
                let (first, second) = (data.args[0] == value, data.args[1] == value);
                let neutral = match op {
                    BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => op,
                    BinaryOp::Sub if first => BinaryOp::Add,
                    BinaryOp::TrueDiv if first => BinaryOp::Mul,
                    _ => return None,
                };
                if first == second || !self.changes_in_place(scope, data, first, neutral) {
                    return None;
                }
                Carried::Operator(neutral)
            }
            (Op::Call, _) if data.args.len() == 3 && (data.args[1] == value) != (data.args[2] == value) => {
                // It creates another array, and chunks only change the existing one.
                if scope.types.array(scope.func.ty(data.results[0])).is_some() {
                    return None;
                }
                match scope.types.get(scope.func.ty(data.args[0])) {
                    TypeData::Function(name) if scope.catalog.chooses(&name) => {
                        Carried::Function(name.to_string())
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        // Integers that are added stay integers; what is converted on its way is another operation.
        if web.operator.as_ref().is_some_and(|known| *known != operator) {
            return None;
        }
        web.operator = Some(operator);
        Some(Some(data.results[0]))
    }

    /// How an array is carried of which an instruction belongs to the update of an item.
    fn item_update(&self, scope: &Scope<'_>, inst: Inst, array: Value) -> Option<Carried> {
        let users = self.by.get(&array)?.iter();
        let updates: Vec<(Inst, Update)> = users
            .filter(|&&setitem| scope.func.insts[setitem].args[0] == array)
            .filter_map(|&setitem| Some((setitem, update_of(scope.func, scope.types, &self.count, setitem)?)))
            .collect();
        let is_part = |(setitem, update): &&(Inst, Update)| *setitem == inst || update.getitem == inst;
        let operator = updates.iter().find(is_part)?.1.operator;
        let indices = Indices { func: scope.func, types: scope.types, header: scope.header, own: &self.own };
        let is_data = |setitem: Inst| indices.classify(scope.func.insts[setitem].args[1]) == Index::Data;
        // All updates are atomic, or none.
        let are_simple = updates.iter().all(|(_, update)| update.operand.is_some());
        Some(match are_simple && updates.iter().any(|&(setitem, _)| is_data(setitem)) {
            true => Carried::Scattered(operator),
            false => Carried::Items(operator),
        })
    }

    /// An array is only changed by `a += x` and `a *= x`: it stays the one that it was.
    fn changes_in_place(&self, scope: &Scope<'_>, data: &InstData, first: bool, op: BinaryOp) -> bool {
        let is_array = |value: Value| scope.types.array(scope.func.ty(value)).is_some();
        if !is_array(data.results[0]) {
            return true;
        }
        let same = scope.func.ty(data.results[0]) == scope.func.ty(data.args[0]);
        first && same && data.op == Op::Inplace && matches!(op, BinaryOp::Add | BinaryOp::Mul)
    }

    /// What comes to the web's parameters from elsewhere, and by which ways.
    pub fn others(&self, scope: &Scope<'_>, number: usize, web: &Web) -> Vec<Other> {
        let mut found = Vec::new();
        for (&block, ways) in &self.into {
            for (at, param) in scope.func.blocks[block].params.iter().enumerate() {
                if !web.values.contains(param) || block == scope.header && at != number {
                    continue;
                }
                for (from, target, to) in ways {
                    if !web.values.contains(&to.args[at]) {
                        found.push(Other { value: to.args[at], edge: (*from, *target, block) });
                    }
                }
            }
        }
        found.sort_by_key(|other| other.edge);
        found
    }

    /// What the loop's ends hand to the header's parameter.
    fn latches<'a>(&'a self, scope: &Scope<'_>, number: usize) -> impl Iterator<Item = Value> + 'a {
        self.into.get(&scope.header).into_iter().flatten().map(move |(_, _, to)| to.args[number])
    }

    /// `if x > m: m = x`: how the chunk's value compares with the one before where it is taken, and the paths on which it is.
    fn compared(
        &self,
        scope: &Scope<'_>,
        number: usize,
        web: &Web,
    ) -> Option<(CompareOp, Vec<(Block, usize, Block)>)> {
        let &[inst] = &web.compares[..] else { return None };
        let data = &scope.func.insts[inst];
        let Some(&Attr::Compare(op)) = data.attrs.first() else { return None };
        let (x, op) = match (web.values.contains(&data.args[0]), web.values.contains(&data.args[1])) {
            (false, true) => (data.args[0], op),
            (true, false) => (data.args[1], mirrored(op)),
            _ => return None,
        };
        let branch = self.only_branch(scope, data.results[0])?;
        let taken = &scope.func.insts[branch.1].targets[0];
        let left = scope.func.insts[branch.1].targets[1].block;
        let others = self.others(scope, number, web);
        for other in &others {
            let direct = other.edge.0 == branch.0 && other.edge.1 == 0;
            let behind = other.edge.0 == taken.block && self.into.get(&taken.block)?.len() == 1;
            let is_quiet = direct || behind && quiet(scope, &scope.func.blocks[taken.block].insts);
            // Nothing else hangs on the comparison.
            if !is_quiet || other.edge.2 != left || !self.is_read_again(scope, branch.0, x, other.value) {
                return None;
            }
        }
        (!others.is_empty()).then(|| (op, others.iter().map(|other| other.edge).collect()))
    }

    /// The block whose branch is all that a condition is for.
    pub(super) fn only_branch(&self, scope: &Scope<'_>, condition: Value) -> Option<(Block, Inst)> {
        let &[user] = &self.by.get(&condition)?[..] else { return None };
        let data = &scope.func.insts[user];
        match (data.op, data.attrs.first()) {
            (Op::Unary, Some(&Attr::Unary(UnaryOp::Bool))) => self.only_branch(scope, data.results[0]),
            (Op::Branch, _) if !self.edges.contains_key(&condition) => {
                let at = |block: &&Block| scope.func.terminator(**block) == Some(user);
                Some((*scope.inside.iter().find(at)?, user))
            }
            _ => None,
        }
    }

    /// Whether a value after a block's branch is the one that was compared there, or reads the same.
    fn is_read_again(&self, scope: &Scope<'_>, block: Block, compared: Value, taken: Value) -> bool {
        if compared == taken {
            return true;
        }
        let Def::Result(read, _) = scope.func.values[compared].def else { return false };
        let insts = &scope.func.blocks[block].insts;
        let Some(at) = insts.iter().position(|&inst| inst == read) else { return false };
        quiet(scope, &insts[at..]) && same(scope, compared, taken)
    }
}

/// Whether instructions change nothing that others see.
pub(super) fn quiet(scope: &Scope<'_>, insts: &[Inst]) -> bool {
    insts.iter().all(|&inst| {
        let data = &scope.func.insts[inst];
        let reads = matches!(data.op, Op::Getitem | Op::Promote | Op::Global | Op::Compare | Op::Unary);
        reads || data.op.info().effect == Effect::Pure || matches!(data.op, Op::Jump | Op::Branch)
    })
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        other => other,
    }
}

/// Whether two values are one, or are read in the same way where nothing is written between.
fn same(scope: &Scope<'_>, a: Value, b: Value) -> bool {
    let reads = |data: &InstData| matches!(data.op, Op::Getitem | Op::Const | Op::Promote | Op::BuildTuple);
    is_made_alike(scope.func, a, b, &reads)
}

/// Whether two values are one, or are made of the same by instructions that may be repeated.
pub(super) fn is_made_alike(
    func: &Function,
    a: Value,
    b: Value,
    may_repeat: &dyn Fn(&InstData) -> bool,
) -> bool {
    if a == b {
        return true;
    }
    let (Def::Result(a, 0), Def::Result(b, 0)) = (func.values[a].def, func.values[b].def) else {
        return false;
    };
    let (a, b) = (&func.insts[a], &func.insts[b]);
    may_repeat(a)
        && a.op == b.op
        && a.attrs == b.attrs
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(&a, &b)| is_made_alike(func, a, b, may_repeat))
}
