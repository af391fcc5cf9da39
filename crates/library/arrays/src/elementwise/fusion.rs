//! Elementwise fusion: before lowering, operations on arrays of one shape become one expression, and so one loop.
//!
//! ```text
//! %2 = binary *, %a, %b                becomes   %2, %3 = arrayexpr [0, 1, numpy.multiply, @0, 2, numpy.add], %a, %b, %c
//! %3 = binary +, %2, %c
//! return (%2, %3)
//! ```
//!
//! An operation joins its user if its result is used only within that expression. Expressions that read the same array, or each other's results,
//! become one with several results. All of them must be in one block, with nothing in between that may write to memory or call
//! other code. So the results are the same as without fusion; if an expression contains two errors, the exception may be
//! about a different one.

use super::joined::{Joined, join};
use super::postfix::{Kind, Program};
use super::rules::EXPRESSION;
use super::ufunc_table::{ItemFunction, function, kernel_of, of_operator};
use crate::basic_index::BasicIndex;
use catalog::{Catalog, Key, Special};
use diag::Span;
use entity::HashMap;
use ir::{Attr, Block, Def, Effect, Function, Inst, Op, Symbol, Value};
use smallvec::SmallVec;
use std::collections::HashSet;
use types::{Layout, Type, TypeData, TypeTable};

/// An instruction that may join others.
pub(super) struct Node {
    pub inst: Inst,
    /// Where it stands in its block.
    pub at: usize,
    /// What it computes: nothing for a plain `a[i:j] = expression`.
    pub function: Option<ItemFunction>,
    /// Its result: none if it writes to an existing array.
    pub result: Option<Value>,
    /// The operands of the function.
    pub operands: SmallVec<[Value; 3]>,
    /// Those of them that are arrays.
    pub arrays: SmallVec<[Value; 3]>,
    /// Operands that stand first in the expression's list: what is written to.
    pub first: SmallVec<[Value; 2]>,
    /// An array for the result, which stands last.
    pub out: Option<Value>,
    /// How the program's text ends: not at all for one that others may join.
    pub ending: &'static str,
    /// Dimensions and order of what is computed.
    pub space: (u8, Layout),
    /// Whether it may raise while items are computed.
    pub raises: bool,
    /// How many instructions of the block before it may write.
    pub epoch: usize,
}

impl Node {
    /// Whether it writes to an existing array.
    pub fn stores(&self) -> bool {
        !self.ending.is_empty()
    }

    /// Whether it writes to this array, which exists before the expression runs.
    pub fn writes_to(&self, value: Value) -> bool {
        self.first.contains(&value) || self.out == Some(value)
    }
}

/// An operation on arrays whose result another one uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The source span of the other operation.
    pub user: Span,
    /// The source span of the operation itself.
    pub operand: Span,
    /// Why they remain separate loops, if they do.
    pub reason: Option<&'static str>,
}

/// Forms expressions in a Typed function. Returns pairs of operations, with the reason if they remain separate loops.
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
        let nodes = Search { func, catalog, types }.run(block);
        if nodes.is_empty() {
            continue;
        }
        let joined = join(func, block, nodes, &uses);
        rewrite(func, catalog, types, block, &joined);
        pairs.extend(joined.pairs(func));
    }
    pairs
}

struct Search<'a> {
    func: &'a Function,
    catalog: &'a Catalog,
    types: &'a TypeTable,
}

impl Search<'_> {
    /// The operations on arrays of a block.
    fn run(&self, block: Block) -> Vec<Node> {
        let (mut nodes, mut epoch) = (Vec::new(), 0);
        for (at, &inst) in self.func.blocks[block].insts.iter().enumerate() {
            let writes = match self.node(inst, at, epoch) {
                Some(node) => {
                    let stores = node.stores();
                    nodes.push(node);
                    stores
                }
                None => !self.is_harmless(inst),
            };
            epoch += usize::from(writes);
        }
        nodes
    }

    /// The instruction as a node, if it is a function of arrays.
    fn node(&self, inst: Inst, at: usize, epoch: usize) -> Option<Node> {
        let data = &self.func.insts[inst];
        let ty = |value: Value| self.func.ty(value);
        let mut node = Node {
            inst,
            at,
            function: None,
            result: None,
            operands: SmallVec::new(),
            arrays: SmallVec::new(),
            first: SmallVec::new(),
            out: None,
            ending: "",
            space: (0, Layout::C),
            raises: false,
            epoch,
        };
        let array = |value: Value| self.types.array(ty(value)).filter(|array| array.ndim > 0);
        match (data.op, data.attrs.first()) {
            (Op::Setitem, _) => {
                let [target, index, value] = data.args[..] else { return None };
                let view = BasicIndex::of(self.types, array(target)?, ty(index))?;
                (!view.is_item && array(value)?.ndim <= view.view.ndim).then_some(())?;
                (node.first, node.ending) = ([target, index].into_iter().collect(), "[]=");
                node.space = (view.view.ndim, view.view.layout);
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
                let function = match self.types.get(ty(data.args[0])) {
                    TypeData::Function(name) => function(&name)?,
                    TypeData::Dispatcher(handle) => kernel_of(self.types, handle)?,
                    _ => return None,
                };
                node.function = Some(function);
                node.operands.extend_from_slice(data.args.get(1..=function.arity)?);
                let out = data.args.get(function.arity + 1).copied();
                node.out = out.filter(|&out| self.types.array(ty(out)).is_some());
                node.ending = if node.out.is_some() { "out" } else { "" };
            }
            _ => return None,
        }
        let function = node.function?;
        let operands = || node.operands.iter().chain(&node.out).map(|&value| ty(value));
        let known = operands().all(|ty| Kind::of(self.types, ty).is_some());
        let result = data.results.first().and_then(|&result| array(result)).filter(|_| known)?;
        node.result = data.results.first().copied().filter(|_| !node.stores());
        node.arrays = node.operands.iter().copied().filter(|&value| array(value).is_some()).collect();
        node.raises = function.may_raise(result.dtype);
        node.space = (result.ndim, result.layout);
        Some(node)
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
fn rewrite(func: &mut Function, catalog: &Catalog, types: &TypeTable, block: Block, joined: &Joined) {
    let mut gone: HashSet<Inst> = HashSet::new();
    for group in &joined.groups {
        if let Some(taken) = write(func, catalog, types, joined, &group.roots) {
            gone.extend(taken);
            continue;
        }
        // Together they cannot be written, but perhaps one by one.
        for root in group.roots.iter().filter(|_| group.roots.len() > 1) {
            gone.extend(write(func, catalog, types, joined, std::slice::from_ref(root)).unwrap_or_default());
        }
    }
    if !gone.is_empty() {
        func.blocks[block].insts.retain(|inst| !gone.contains(inst));
    }
}

/// Makes one expression of what is rooted in these nodes, in the place of the last one. Gives the instructions that it stands for beside that one.
fn write(
    func: &mut Function,
    catalog: &Catalog,
    types: &TypeTable,
    joined: &Joined,
    roots: &[usize],
) -> Option<Vec<Inst>> {
    let written = Written::of(joined, roots);
    let &last = roots.last()?;
    let inst = joined.nodes[last].inst;
    let taken: Vec<Inst> =
        written.nodes.iter().map(|&node| joined.nodes[node].inst).filter(|&own| own != inst).collect();
    if taken.is_empty() {
        return None;
    }
    let results: SmallVec<[Value; 1]> = match joined.nodes[last].stores() {
        true => func.insts[inst].results.iter().copied().collect(),
        false => written.outputs.iter().filter_map(|&node| joined.nodes[node].result).collect(),
    };
    let text = written.words.join(" ");
    let operands: Vec<Type> = written.operands.iter().map(|&value| func.ty(value)).collect();
    let asked: Vec<Type> =
        std::iter::once(types.literal_str(&text)).chain(operands.iter().copied()).collect();
    let resolved = catalog.resolve(types, &Key::Function(EXPRESSION.into()), &asked)?;
    let given: Vec<Type> = match results.len() {
        0 => Vec::new(),
        1 => vec![resolved.result],
        _ => types.elements(resolved.result)?.to_vec(),
    };
    let fits = given.iter().copied().eq(results.iter().map(|&result| func.ty(result)));
    if !fits || Program::read(catalog, types, &text, &operands)?.steps.len() > MAX_STEPS && roots.len() > 1 {
        return None;
    }
    let words: Vec<Symbol> = written.words.iter().map(|word| func.symbols.intern(word.clone())).collect();
    for (number, &result) in results.iter().enumerate() {
        func.values[result].def = Def::Result(inst, number as u16);
    }
    let data = &mut func.insts[inst];
    data.op = Op::Arrayexpr;
    data.attrs = [Attr::Symbols(words)].into_iter().collect();
    data.args = written.operands.into_iter().collect();
    data.results = results.into_iter().collect();
    Some(taken)
}

/// Operands and functions of an expression with several results: with more, registers run out.
const MAX_STEPS: usize = 64;

/// Nodes as a program.
struct Written {
    words: Vec<String>,
    operands: Vec<Value>,
    /// The nodes that it stands for, in the order of their functions.
    nodes: Vec<usize>,
    /// Those of them whose results others use.
    outputs: Vec<usize>,
}

/// What is still to be written of a program.
enum Open {
    Value(Value),
    Function(usize),
}

impl Written {
    fn of(joined: &Joined, roots: &[usize]) -> Written {
        let mut written =
            Written { words: Vec::new(), operands: Vec::new(), nodes: Vec::new(), outputs: Vec::new() };
        let last = &joined.nodes[roots[roots.len() - 1]];
        written.operands.extend_from_slice(&last.first);
        let mut numbers: HashMap<Value, usize> = HashMap::default();
        for (number, &value) in last.first.iter().enumerate().take(1) {
            numbers.insert(value, number);
        }
        for &root in roots.iter().filter(|&&root| joined.is_output(root, roots)) {
            written.outputs.push(root);
            // What is still to be written, the last one first.
            let mut open = vec![Open::Function(root)];
            match joined.nodes[root].result.filter(|_| written.nodes.contains(&root)) {
                Some(known) => open = vec![Open::Value(known)],
                None => {
                    open.extend(
                        joined.nodes[root].operands.iter().rev().map(|&operand| Open::Value(operand)),
                    );
                }
            }
            written.write(joined, roots, open, &mut numbers);
        }
        written.operands.extend(last.out);
        written.words.extend(last.stores().then(|| last.ending.to_owned()));
        written
    }

    fn write(
        &mut self,
        joined: &Joined,
        roots: &[usize],
        mut open: Vec<Open>,
        numbers: &mut HashMap<Value, usize>,
    ) {
        while let Some(next) = open.pop() {
            let value = match next {
                Open::Function(node) => {
                    self.nodes.push(node);
                    self.words.extend(joined.nodes[node].function.map(|function| function.name.to_string()));
                    continue;
                }
                Open::Value(value) => value,
            };
            let made =
                joined.by_result.get(&value).copied().filter(|&node| roots.contains(&joined.root[node]));
            match made {
                Some(node) => match self.nodes.iter().position(|&known| known == node) {
                    Some(number) => self.words.push(format!("@{number}")),
                    None => {
                        open.push(Open::Function(node));
                        let operands = joined.nodes[node].operands.iter().rev();
                        open.extend(operands.map(|&operand| Open::Value(operand)));
                    }
                },
                None => {
                    let next = self.operands.len();
                    let number = *numbers.entry(value).or_insert(next);
                    if number == next {
                        self.operands.push(value);
                    }
                    self.words.push(number.to_string());
                }
            }
        }
    }
}
