//! Reductions of array expressions: if the expression has no other use, no array is created.
//!
//! ```text
//! %2 = binary -, %a, %b                  becomes   %4 = call implementation("0 1 numpy.subtract 2 numpy.power", (%a, %b, 2), axis)
//! %3 = binary **, %2, 2
//! %4 = call numpy.sum, %3, axis
//! ```
//!
//! A function may have an implementation for expressions, that of the function `<name>.of_expression`. It is used if the
//! expression is in the same block as the call, and nothing in between may write to memory or run other code. The implementation may decline.
//!
//! Absent: what implementations do (`numpy.fused_reductions` of the library), expressions whose result is an array (`arrays::fuse_elementwise`).

use crate::calls::call_data::{Argument, Extended, Given};
use crate::calls::parallel_calls;
use crate::overloads::lookup::{Lookup, Outcome};
use crate::overloads::narrow_floats;
use crate::overloads::overload_resolution::{Called, call_extension};
use crate::solver::Solver;
use catalog::Key;
use entity::HashMap;
use ir::{Attr, Block, ConstData, Def, Inst, Op, Value};
use types::{Type, TypeData};

/// Most functions that are joined.
const MAX_FUNCTIONS: usize = 64;

/// The types of the results of a call, if it reduces an expression.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Outcome<Option<Vec<Option<Type>>>> {
    // Users' rewrites see functions one by one.
    if solver.shared.rewriting.keeps_source || !solver.semantics.fuses {
        return Ok(None);
    }
    let Some(reduction) = Reduction::of(solver, block, inst) else { return Ok(None) };
    let what = catalog::Extended::Function(format!("{}.of_expression", reduction.name).into());
    if !solver.host.is_extended(&what) {
        return Ok(None);
    }
    let Some(tree) = Tree::of(solver, block, inst, &reduction) else { return Ok(None) };
    let types = solver.cx.types;
    let text = tree.words.join(" ");
    let constant = solver.func.consts.intern(ConstData::Str(text.clone()));
    let operands: Option<Vec<Type>> = tree.operands.iter().map(|&value| solver.ty(value)).collect();
    let Some(operands) = operands else { return Ok(None) };
    let each = tree.operands.iter().map(|&value| Argument::Value(value)).collect();
    let mut given: Vec<Given> = vec![
        (Argument::Constant(constant), types.literal_str(&text)),
        (Argument::Rest(each), types.tuple(&operands)),
    ];
    given.extend(reduction.rest);
    let called = Called { what: vec![what], given, names: reduction.names };
    let found = match parallel_calls::infer_named(solver, block, inst, &called)? {
        Some(found) => Some(found),
        None => match call_extension(solver, block, inst, &called)? {
            Lookup::Found(found) => Some(found),
            Lookup::Missing(_) => None,
        },
    };
    match found {
        Some(_) => tree.insts.iter().for_each(|&part| {
            solver.extended[part] = Some(Extended::Joined);
            solver.joined_by[part] = Some(inst);
        }),
        None => solver.extended[inst] = None,
    }
    Ok(found)
}

/// A call that may reduce an expression.
struct Reduction {
    /// The function, a method by the name of its class.
    name: String,
    /// What is reduced.
    array: Value,
    /// What reads the method of it.
    method: Option<Inst>,
    /// The other arguments.
    rest: Vec<Given>,
    names: Vec<String>,
}

impl Reduction {
    fn of(solver: &Solver<'_>, block: Block, inst: Inst) -> Option<Reduction> {
        let data = &solver.func.insts[inst];
        let (Op::Call, Some(Attr::Symbols(names))) = (data.op, data.attrs.first()) else { return None };
        let (callee, args) = (data.args[0], &data.args[1..]);
        let types = solver.cx.types;
        let (name, array, method) = match types.get(solver.ty(callee)?) {
            TypeData::Function(name) => {
                (name.to_string(), *args.get(..args.len() - names.len())?.first()?, None)
            }
            TypeData::Method(of, name) if types.array(of).is_some() => {
                let Def::Result(read, _) = solver.func.values[callee].def else { return None };
                let class = types.class_of_methods(of)?;
                (format!("{class}.{name}"), *solver.func.insts[read].args.first()?, Some(read))
            }
            _ => return None,
        };
        elementwise(solver, array).filter(|&(made, _)| solver.func.blocks[block].insts.contains(&made))?;
        let skipped = usize::from(method.is_none());
        let rest = args.iter().enumerate().skip(skipped);
        let rest: Option<Vec<Given>> =
            rest.map(|(at, &value)| Some((Argument::Operand(at), solver.ty(value)?))).collect();
        let names = names.iter().map(|&name| solver.func.symbols.get(name).clone()).collect();
        Some(Reduction { name, array, method, rest: rest?, names })
    }
}

/// The function of items that makes an array, if it is one, and the instruction.
fn elementwise(solver: &Solver<'_>, value: Value) -> Option<(Inst, Function)> {
    let is_array = solver.cx.types.array(solver.ty(value)?).is_some_and(|array| array.ndim > 0);
    let Def::Result(inst, _) = solver.func.values[value].def else { return None };
    let data = &solver.func.insts[inst];
    let key = match (data.op, data.attrs.first()) {
        (Op::Binary, Some(&Attr::Binary(op))) => Key::Binary(op),
        (Op::Unary, Some(&Attr::Unary(op))) => Key::Unary(op),
        (Op::Compare, Some(&Attr::Compare(op))) => Key::Compare(op),
        (Op::Call, Some(Attr::Symbols(names))) if names.is_empty() => {
            let TypeData::Function(name) = solver.cx.types.get(solver.ty(data.args[0])?) else { return None };
            Key::Function(name)
        }
        _ => return None,
    };
    let skipped = usize::from(data.op == Op::Call);
    let (name, arity) = solver.cx.catalog.elementwise(&key).filter(|_| is_array)?;
    let is_plain = solver.extended[inst].is_none() && data.args.len() == arity + skipped;
    is_plain.then_some((inst, Function { name, skipped }))
}

/// A function of items.
struct Function {
    name: &'static str,
    /// Operands of the instruction that are none of the function.
    skipped: usize,
}

/// An expression as a program in postfix order.
struct Tree {
    words: Vec<String>,
    operands: Vec<Value>,
    /// The instructions that are part of it.
    insts: Vec<Inst>,
}

/// What is still to be written of a program.
enum Open {
    Word(&'static str),
    Value(Value),
}

impl Tree {
    fn of(solver: &Solver<'_>, block: Block, call: Inst, reduction: &Reduction) -> Option<Tree> {
        let uses = solver.func.count_uses();
        let once = |value: Value| uses.get(&value) == Some(&1);
        let insts = &solver.func.blocks[block].insts;
        let mut tree =
            Tree { words: Vec::new(), operands: Vec::new(), insts: reduction.method.into_iter().collect() };
        if let Some(read) = reduction.method {
            once(solver.func.insts[read].results[0]).then_some(())?;
        }
        let mut numbers: HashMap<Value, usize> = HashMap::default();
        let mut open = vec![Open::Value(reduction.array)];
        while let Some(next) = open.pop() {
            let value = match next {
                Open::Word(name) => {
                    tree.words.push(name.into());
                    continue;
                }
                Open::Value(value) => value,
            };
            let made = elementwise(solver, value).filter(|&(made, _)| {
                once(value) && insts.contains(&made) && tree.insts.len() < MAX_FUNCTIONS
            });
            if let Some((made, function)) = made {
                tree.insts.push(made);
                open.push(Open::Word(function.name));
                let operands = &solver.func.insts[made].args[function.skipped..];
                let taken = operands.iter().map(|&value| narrow_floats::operand(solver, made, value));
                open.extend(taken.rev().map(Open::Value));
            } else {
                let next = tree.operands.len();
                let number = *numbers.entry(value).or_insert(next);
                if number == next {
                    tree.operands.push(value);
                }
                tree.words.push(number.to_string());
            }
        }
        let is_joined = tree.insts.len() > usize::from(reduction.method.is_some());
        (is_joined && tree.is_undisturbed(solver, block, call)).then_some(tree)
    }

    /// Whether nothing between the first part and the call can be noticed.
    fn is_undisturbed(&self, solver: &Solver<'_>, block: Block, call: Inst) -> bool {
        let insts = solver.func.blocks[block].insts.iter();
        let from_first = insts.skip_while(|inst| !self.insts.contains(inst));
        from_first
            .take_while(|&&inst| inst != call)
            .all(|inst| self.insts.contains(inst) || is_harmless(solver, *inst))
    }
}

/// Whether an instruction neither writes to memory nor runs code of others.
fn is_harmless(solver: &Solver<'_>, inst: Inst) -> bool {
    let data = &solver.func.insts[inst];
    let is_array = |ty: Option<Type>| ty.is_some_and(|ty| solver.cx.types.array(ty).is_some());
    let is_module =
        |ty: Option<Type>| ty.is_some_and(|ty| matches!(solver.cx.types.get(ty), TypeData::Module(_)));
    let of = || data.args.first().and_then(|&value| solver.ty(value));
    solver.extended[inst].is_none()
        && match data.op {
            Op::Const | Op::Global | Op::Freevar | Op::BuildTuple | Op::BuildSlice | Op::CheckBound => true,
            Op::Getattr => is_array(of()) || is_module(of()),
            Op::Getitem => is_array(of()),
            _ => false,
        }
}
