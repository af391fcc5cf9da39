//! Elementwise fusion: operations on arrays whose result only the next one uses become one expression, before lowering.
//!
//! ```text
//! %2 = binary *, %a, %b                becomes   %3 = arrayexpr [0, 1, numpy.multiply, 2, numpy.add], %a, %b, %c
//! %3 = binary +, %2, %c
//! ```
//!
//! A function joins the one that uses its result if nothing else does, if both stand in one block, and if nothing
//! stands between them that may write to memory or call other code. So what an expression gives is what its functions
//! give one by one; where two things in it go wrong, the exception may be the other one's.

use super::postfix::Kind;
use super::rules::EXPRESSION;
use super::ufunc_table::{ItemFunction, function, of_operator};
use crate::basic_index::BasicIndex;
use catalog::{Catalog, Key, Special};
use diag::Span;
use entity::HashMap;
use ir::{Attr, Block, Effect, Function, Inst, Op, Symbol, Value};
use smallvec::SmallVec;
use std::collections::HashSet;
use types::{Type, TypeData, TypeTable};

/// An instruction that may join others.
struct Node {
    inst: Inst,
    /// What it computes: nothing for a plain `a[i:j] = expression`.
    function: Option<ItemFunction>,
    /// The operands of the function.
    operands: SmallVec<[Value; 3]>,
    /// Operands that stand first in the expression's list: what is written to.
    first: SmallVec<[Value; 2]>,
    /// An array for the result, which stands last.
    out: Option<Value>,
    /// How the program's text ends: not at all for one that others may join.
    ending: &'static str,
    /// Whether it, or one that joined it, may raise while items are computed.
    raises: bool,
    /// Whether any joined it.
    is_joined: bool,
    /// How many instructions of the block before it may write.
    epoch: usize,
}

/// An operation on arrays whose result another one uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Where the other one stands.
    pub user: Span,
    /// Where it stands itself.
    pub operand: Span,
    /// Why they are two loops, if they are.
    pub reason: Option<&'static str>,
}

/// Forms expressions in a Typed function. Gives what became of pairs of operations.
pub fn fuse_elementwise(func: &mut Function, catalog: &Catalog, types: &TypeTable) -> Vec<Pair> {
    let is_array = |ty: Type| types.array(ty).is_some_and(|array| array.ndim > 0);
    let computes = |inst: Inst| {
        let data = &func.insts[inst];
        matches!(data.op, Op::Binary | Op::Unary | Op::Compare | Op::Call)
            && data.results.first().is_some_and(|&result| is_array(func.ty(result)))
    };
    if !func.layout.iter().any(|&block| func.blocks[block].insts.iter().any(|&inst| computes(inst))) {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    let uses = func.count_uses();
    for block in func.layout.clone() {
        let found = Search {
            func,
            catalog,
            types,
            uses: &uses,
            nodes: Vec::new(),
            by_result: HashMap::default(),
            joining: HashSet::new(),
            pairs: Vec::new(),
        }
        .run(block);
        rewrite(func, catalog, types, block, &found);
        pairs.extend(found.pairs);
    }
    pairs
}

/// What a block has.
struct Found {
    nodes: Vec<Node>,
    by_result: HashMap<Value, usize>,
    /// Results of those that join another one.
    joining: HashSet<Value>,
    pairs: Vec<Pair>,
}

struct Search<'a> {
    func: &'a Function,
    catalog: &'a Catalog,
    types: &'a TypeTable,
    uses: &'a HashMap<Value, u32>,
    nodes: Vec<Node>,
    by_result: HashMap<Value, usize>,
    joining: HashSet<Value>,
    pairs: Vec<Pair>,
}

impl Search<'_> {
    fn run(mut self, block: Block) -> Found {
        let mut epoch = 0;
        for &inst in &self.func.blocks[block].insts {
            let writes = match self.node(inst, epoch) {
                Some(mut node) => {
                    self.join(&mut node);
                    let is_root = !node.ending.is_empty();
                    if let (false, Some(&result)) = (is_root, self.func.insts[inst].results.first()) {
                        self.by_result.insert(result, self.nodes.len());
                    }
                    self.nodes.push(node);
                    is_root
                }
                None => !self.is_harmless(inst),
            };
            epoch += usize::from(writes);
        }
        Found { nodes: self.nodes, by_result: self.by_result, joining: self.joining, pairs: self.pairs }
    }

    /// Those whose results nothing but this one uses join it.
    fn join(&mut self, node: &mut Node) {
        // What is written to is an array that exists before the expression runs.
        let written = |operand: &Value| node.first.contains(operand) || node.out == Some(*operand);
        for operand in node.operands.iter().filter(|operand| !written(operand)) {
            let Some(&at) = self.by_result.get(operand) else { continue };
            let other = &self.nodes[at];
            let stores = !node.ending.is_empty();
            let reason = match self.uses.get(operand) {
                Some(1) if other.epoch != node.epoch => {
                    Some("what stands between them may write to an array or run other code")
                }
                Some(1) if stores && other.raises => Some("it may raise when some items are written"),
                Some(1) => None,
                _ => Some("its result is used elsewhere, too"),
            };
            let span = |inst: Inst| self.func.insts[inst].span;
            self.pairs.push(Pair { user: span(node.inst), operand: span(other.inst), reason });
            if reason.is_none() {
                node.raises |= other.raises;
                node.is_joined = true;
                self.joining.insert(*operand);
            }
        }
    }

    /// The instruction as a node, if it is a function of arrays.
    fn node(&self, inst: Inst, epoch: usize) -> Option<Node> {
        let data = &self.func.insts[inst];
        let ty = |value: Value| self.func.ty(value);
        let mut node = Node {
            inst,
            function: None,
            operands: SmallVec::new(),
            first: SmallVec::new(),
            out: None,
            ending: "",
            raises: false,
            is_joined: false,
            epoch,
        };
        let array = |value: Value| self.types.array(ty(value)).filter(|array| array.ndim > 0);
        match (data.op, data.attrs.first()) {
            (Op::Setitem, _) => {
                let [target, index, value] = data.args[..] else { return None };
                let view = BasicIndex::of(self.types, array(target)?, ty(index))?;
                (!view.is_item && array(value)?.ndim <= view.view.ndim).then_some(())?;
                (node.first, node.ending) = ([target, index].into_iter().collect(), "[]=");
                node.operands.push(value);
                return Some(node);
            }
            (Op::Inplace, Some(&Attr::Binary(op))) if array(data.args[0]).is_some() => {
                node.function = of_operator(&Key::Binary(op));
                node.operands.extend_from_slice(&data.args);
                (node.first, node.ending) = ([data.args[0]].into_iter().collect(), "=");
            }
            (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => {
                node.function = of_operator(&Key::Binary(op));
                node.operands.extend_from_slice(&data.args);
            }
            (Op::Unary, Some(&Attr::Unary(op))) => {
                node.function = of_operator(&Key::Unary(op));
                node.operands.extend_from_slice(&data.args);
            }
            (Op::Compare, Some(&Attr::Compare(op))) => {
                node.function = of_operator(&Key::Compare(op));
                node.operands.extend_from_slice(&data.args);
            }
            (Op::Call, _) => {
                let TypeData::Function(name) = self.types.get(ty(data.args[0])) else { return None };
                let function = function(&name)?;
                node.function = Some(function);
                node.operands.extend_from_slice(data.args.get(1..=function.arity)?);
                node.out = data.args.get(function.arity + 1).copied();
                node.ending = if node.out.is_some() { "out" } else { "" };
            }
            _ => return None,
        }
        let function = node.function?;
        let operands = || node.operands.iter().chain(&node.out).map(|&value| ty(value));
        let known = operands().all(|ty| Kind::of(self.types, ty).is_some());
        let result = data.results.first().and_then(|&result| array(result));
        node.raises = result.is_some_and(|array| function.may_raise(array.dtype));
        (known && result.is_some()).then_some(node)
    }

    /// Whether an instruction neither writes to arrays nor calls code that might.
    fn is_harmless(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let ty = |value: Value| self.func.ty(value);
        match data.op {
            Op::Getattr | Op::CheckBound | Op::Declared | Op::LoadCell | Op::Cast => true,
            Op::Promote => true,
            Op::Getitem => {
                self.types.buffer(ty(data.args[0])).is_some() || self.types.items(ty(data.args[0])).is_some()
            }
            Op::Binary | Op::Inplace | Op::Unary | Op::Compare => self.all_plain(&data.args),
            Op::Call => match self.types.get(ty(data.args[0])) {
                TypeData::Function(name) => self.only_reads(&name, &data.args[1..], &data.results),
                TypeData::Class(_) => self.all_plain(&data.args[1..]),
                _ => false,
            },
            op => matches!(op.info().effect, Effect::Pure | Effect::Read),
        }
    }
}

impl Search<'_> {
    /// Whether a call only reads its arguments, by what is stated of the function, and gives a plain value.
    fn only_reads(&self, name: &str, args: &[Value], results: &[Value]) -> bool {
        let Some(info) = self.catalog.info(name) else { return false };
        let leaves = |at: usize| !info.mutates(at, None) && !info.calls(at, None);
        self.catalog.special(name) != Some(Special::Print)
            && (self.all_plain(args) || (0..args.len()).all(leaves) && self.all_plain(results))
    }

    /// Whether values are numbers, booleans or None.
    fn all_plain(&self, values: &[Value]) -> bool {
        values.iter().all(|&value| {
            let plain = self.types.unliteral(self.func.ty(value));
            plain == Type::NONE || plain == Type::BOOL || plain.is_number()
        })
    }
}

/// Replaces instructions that others joined by expressions, and takes those out.
fn rewrite(func: &mut Function, catalog: &Catalog, types: &TypeTable, block: Block, found: &Found) {
    let mut gone: HashSet<Inst> = HashSet::new();
    for node in &found.nodes {
        let joins =
            func.insts[node.inst].results.first().is_some_and(|result| found.joining.contains(result));
        if !node.is_joined || joins && node.ending.is_empty() {
            continue;
        }
        let written = Written::of(node, found);
        let text = written.words.join(" ");
        let operands = written.operands.iter().map(|&value| func.ty(value));
        let asked: Vec<Type> = std::iter::once(types.literal_str(&text)).chain(operands).collect();
        let resolved = catalog.resolve(types, &Key::Function(EXPRESSION.into()), &asked);
        let result = func.insts[node.inst].results.first().map(|&result| func.ty(result));
        if resolved.is_none_or(|resolved| result.is_some_and(|result| result != resolved.result)) {
            continue;
        }
        let words: Vec<Symbol> = written.words.iter().map(|word| func.symbols.intern(word.clone())).collect();
        let data = &mut func.insts[node.inst];
        data.op = Op::Arrayexpr;
        data.attrs = [Attr::Symbols(words)].into_iter().collect();
        data.args = written.operands.into_iter().collect();
        gone.extend(written.gone);
    }
    if !gone.is_empty() {
        func.blocks[block].insts.retain(|inst| !gone.contains(inst));
    }
}

/// A tree of nodes as a program.
struct Written {
    words: Vec<String>,
    operands: Vec<Value>,
    gone: Vec<Inst>,
}

impl Written {
    fn of(root: &Node, found: &Found) -> Written {
        let mut written = Written { words: Vec::new(), operands: root.first.to_vec(), gone: Vec::new() };
        let mut numbers: HashMap<Value, usize> = HashMap::default();
        for (number, &value) in root.first.iter().enumerate().take(1) {
            numbers.insert(value, number);
        }
        // What is still to be written, the last one first.
        let mut open = vec![Open::Function(root)];
        open.extend(root.operands.iter().rev().map(|&operand| Open::Value(operand)));
        while let Some(next) = open.pop() {
            match next {
                Open::Function(node) => {
                    written.words.extend(node.function.map(|function| function.name.to_owned()));
                }
                Open::Value(value) if found.joining.contains(&value) => {
                    let node = &found.nodes[found.by_result[&value]];
                    written.gone.push(node.inst);
                    open.push(Open::Function(node));
                    open.extend(node.operands.iter().rev().map(|&operand| Open::Value(operand)));
                }
                Open::Value(value) => {
                    let next = written.operands.len();
                    let number = *numbers.entry(value).or_insert(next);
                    if number == next {
                        written.operands.push(value);
                    }
                    written.words.push(number.to_string());
                }
            }
        }
        written.operands.extend(root.out);
        written.words.extend((!root.ending.is_empty()).then(|| root.ending.to_owned()));
        written
    }
}

/// What is still to be written of a program.
enum Open<'a> {
    Value(Value),
    Function(&'a Node),
}
