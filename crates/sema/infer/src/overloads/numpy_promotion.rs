//! Operations on numbers with NumPy 2's rules of promotion, for functions with `promotion="numpy2"`.
//!
//! ```text
//! %2 = binary add %0, %1        becomes        %2 = call implementation("add 01", %0, %1)          of numbers
//!                                              %3 = call conversion("add 01 uint8", %1)
//!                                              %2 = binary add %0, %3                           of arrays
//! ```
//!
//! There, Python's numbers are weak: `x + 1` is a uint8 where x is one. In compiled code, Python's `int` and NumPy's `int64` have one type.
//! So what a value of such a type comes from decides: items and results of arrays are NumPy's, and everything that is made of them.
//! The set of NumPy's values only grows, as types do.
//!
//! Absent: which types an operation then has, and how it is carried out (`rumba.library.numpy.weak_scalars`).

use crate::calls::call_data::{Argument, Extended, Given};
use crate::diagnostics;
use crate::overloads::by_catalog::by_catalog;
use crate::overloads::lookup::{Failure, Lookup, Outcome, Types};
use crate::overloads::overload_resolution::{Called, call_extension, rejected};
use crate::solver::Solver;
use catalog::{ErrorModel, Key};
use ir::{Attr, BinaryOp, Block, CompareOp, Def, Inst, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeData};

/// The module of the library that knows NumPy's rules.
const LIBRARY: &str = "rumba.library.numpy.weak_scalars";

/// No function that the library knows has more.
const MOST_OPERANDS: usize = 3;

/// The types of an operation's results, if numbers of NumPy and of Python meet there, or narrow ones of NumPy.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Outcome<Option<Vec<Option<Type>>>> {
    if !solver.semantics.numpy_promotion {
        return Ok(None);
    }
    let Some((operation, operands)) = operation(solver, inst) else { return Ok(None) };
    let types: Option<Vec<Type>> = operands.iter().map(|&value| solver.ty(value)).collect();
    let Some(types) = types else { return Ok(None) };
    let from_numpy: Vec<bool> = operands.iter().map(|&value| is_from_numpy(solver, value)).collect();
    if !types.iter().all(|&ty| is_numeric(solver, ty)) || !from_numpy.contains(&true) {
        return Ok(None);
    }
    let weak_operand = from_numpy.iter().position(|&from_numpy| !from_numpy);
    let weak: String = from_numpy.iter().map(|&from_numpy| if from_numpy { '0' } else { '1' }).collect();
    let errors =
        if solver.semantics.error_model == ErrorModel::Numpy { "numpy_errors" } else { "python_errors" };
    let how = solver.cx.types.literal_str(&format!("{operation} {weak}"));
    let given: Vec<Given> = std::iter::once((Argument::Type(how), how))
        .chain(operands.iter().zip(&types).map(|(&value, &ty)| (Argument::Value(value), ty)))
        .collect();
    if let Some(index) = weak_operand
        && let Some((key, array)) = operator_of_arrays(solver, inst, &types)
    {
        // The array is no argument, as it may never be made where the operation is fused with others.
        let text = format!("{operation} {weak} {}", solver.cx.types.name(array));
        let how = solver.cx.types.literal_str(&text);
        let given = [(Argument::Type(how), how), given[1 + index].clone()];
        if let Some(found) = ask(solver, block, inst, "operand", &given)? {
            return with_operand(solver, inst, key, types, index, found[0]).map(Some);
        }
    }
    ask(solver, block, inst, errors, &given)
}

/// The types that an implementation of the library gives; none if it leaves the operation as it is.
fn ask(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    name: &str,
    given: &[Given],
) -> Outcome<Option<Vec<Option<Type>>>> {
    let what = vec![catalog::Extended::Function(format!("{LIBRARY}.{name}").into())];
    let called = Called { what, given: given.to_vec(), names: Vec::new() };
    match call_extension(solver, block, inst, &called)? {
        Lookup::Found(types) => Ok(Some(types)),
        Lookup::Missing(whys) if whys.iter().all(|why| why.ends_with("not for these types")) => Ok(None),
        Lookup::Missing(whys) => Err(rejected(solver, inst, Failure::UnsupportedOp, whys)?),
    }
}

/// What the catalog knows an operator by, and the type of the items, where one of its operands is an array.
fn operator_of_arrays(solver: &Solver<'_>, inst: Inst, types: &[Type]) -> Option<(Key, Type)> {
    let data = &solver.func.insts[inst];
    let is_array = |&ty: &Type| solver.cx.types.array(ty).is_some();
    let array = types.iter().find_map(|&ty| solver.cx.types.array(ty))?;
    let key = match (data.op, data.attrs.first()?) {
        (Op::Inplace, &Attr::Binary(op)) if is_array(&types[0]) => Key::Inplace(op),
        (Op::Binary | Op::Inplace, &Attr::Binary(op)) => Key::Binary(op),
        (Op::Compare, &Attr::Compare(op)) => Key::Compare(op),
        _ => return None,
    };
    Some((key, array.dtype))
}

/// The types of an operator's results whose operand with this number is what an implementation gives, which has this type.
fn with_operand(
    solver: &mut Solver<'_>,
    inst: Inst,
    key: Key,
    mut types: Vec<Type>,
    index: usize,
    given: Option<Type>,
) -> Types {
    let (Some(Extended::Call(function)), Some(given)) = (solver.extended[inst], given) else {
        return Ok(vec![None]);
    };
    types[index] = given;
    solver.extended[inst] = Some(Extended::Operand(function, index));
    by_catalog(solver, inst, key, &types)
}

/// What an instruction does with its operands: the name of a function of `operator`, or that of a function of NumPy.
fn operation(solver: &Solver<'_>, inst: Inst) -> Option<(String, Vec<Value>)> {
    let data = &solver.func.insts[inst];
    let operands = data.args.to_vec();
    let name = match (data.op, data.attrs.first()?) {
        (Op::Binary | Op::Inplace, Attr::Binary(BinaryOp::MatMul)) => return None,
        (Op::Binary | Op::Inplace, &Attr::Binary(op)) => diagnostics::binary(op),
        (Op::Compare, Attr::Compare(CompareOp::Is | CompareOp::IsNot | CompareOp::In)) => return None,
        (Op::Compare, &Attr::Compare(op)) => diagnostics::compare(op),
        (Op::Unary, &Attr::Unary(op @ (UnaryOp::Neg | UnaryOp::Pos | UnaryOp::Invert))) => {
            diagnostics::unary(op).strip_prefix("operator.")?
        }
        (Op::Call, Attr::Symbols(names)) if names.is_empty() => return called(solver, &operands),
        _ => return None,
    };
    Some((name.to_owned(), operands))
}

/// The same of a call: a function, or a method of arrays that is one.
fn called(solver: &Solver<'_>, call: &[Value]) -> Option<(String, Vec<Value>)> {
    let (&callee, args) = call.split_first()?;
    let (name, operands) = match solver.cx.types.get(solver.ty(callee)?) {
        TypeData::Function(name) => (name.to_string(), args.to_vec()),
        TypeData::Method(_, name) if &*name == "clip" => {
            let Def::Result(read, _) = solver.func.values[callee].def else { return None };
            let receiver = *solver.func.insts[read].args.first()?;
            ("numpy.clip".to_owned(), std::iter::once(receiver).chain(args.iter().copied()).collect())
        }
        _ => return None,
    };
    let is_known = match &*name {
        "builtins.abs" => true,
        "builtins.pow" => operands.len() == 2,
        name => name.starts_with("numpy."),
    };
    (is_known && operands.len() <= MOST_OPERANDS).then_some((name, operands))
}

fn is_numeric(solver: &Solver<'_>, ty: Type) -> bool {
    let types = solver.cx.types;
    let item = types.array(ty).map_or(types.unliteral(ty), |array| array.dtype);
    item == Type::BOOL || item.is_number()
}

/// Whether a value is one of NumPy's, or holds such values.
fn is_from_numpy(solver: &Solver<'_>, value: Value) -> bool {
    let Some(ty) = solver.ty(value) else { return false };
    let types = solver.cx.types;
    let plain = types.unliteral(ty);
    let is_of_python = matches!(plain, Type::BOOL | Type::INT64 | Type::FLOAT64 | Type::COMPLEX128);
    solver.from_numpy[value] || types.array(ty).is_some() || is_numeric(solver, ty) && !is_of_python
}

/// Records which results of an instruction are NumPy's.
pub(crate) fn note(solver: &mut Solver<'_>, inst: Inst) {
    if !solver.semantics.numpy_promotion {
        return;
    }
    let data = &solver.func.insts[inst];
    let args = data.args.clone();
    let some = |solver: &Solver<'_>, args: &[Value]| args.iter().any(|&arg| is_from_numpy(solver, arg));
    let given = match data.op {
        Op::Getitem => match element(solver, args[0], args[1]) {
            Some(element) => some(solver, &[element]),
            None => some(solver, &args[..1]),
        },
        Op::Getattr => some(solver, &args) && !is_python_attribute(solver, inst),
        Op::Call | Op::CallEx => is_result_from_numpy(solver, inst),
        _ => some(solver, &args),
    };
    let results = solver.func.insts[inst].results.clone();
    if given {
        results.iter().for_each(|&result| solver.note_from_numpy(result));
    }
    if let Some(container) = changed_container(solver, inst)
        && some(solver, &args[1..])
    {
        solver.note_from_numpy(container);
    }
}

/// The element of a tuple that is made in the function, by a constant index.
fn element(solver: &Solver<'_>, tuple: Value, index: Value) -> Option<Value> {
    let Def::Result(made, _) = solver.func.values[tuple].def else { return None };
    let data = &solver.func.insts[made];
    let Some(LiteralValue::Int(index)) = solver.ty(index).and_then(|ty| solver.cx.types.literal(ty)) else {
        return None;
    };
    let index = if index < 0 { index + data.args.len() as i64 } else { index };
    let elements = (data.op == Op::BuildTuple).then_some(&data.args)?;
    elements.get(usize::try_from(index).ok()?).copied()
}

/// Records that what an edge passes to a parameter of a block is NumPy's.
pub(crate) fn note_passed(solver: &mut Solver<'_>, value: Value, param: Value) {
    if solver.semantics.numpy_promotion && is_from_numpy(solver, value) {
        solver.note_from_numpy(param);
    }
}

/// Attributes of arrays that are numbers of Python's.
const PYTHON_ATTRIBUTES: [&str; 6] = ["itemsize", "nbytes", "ndim", "shape", "size", "strides"];

/// Methods of arrays, and functions, with results that are numbers of Python's, whatever they get.
const PYTHON_METHODS: [&str; 2] = ["item", "tolist"];
const PYTHON_FUNCTIONS: [&str; 8] = [
    "builtins.bool",
    "builtins.complex",
    "builtins.float",
    "builtins.hash",
    "builtins.int",
    "builtins.len",
    "builtins.ord",
    "builtins.range",
];

fn is_python_attribute(solver: &Solver<'_>, inst: Inst) -> bool {
    let of_array =
        solver.ty(solver.func.insts[inst].args[0]).is_some_and(|ty| solver.cx.types.array(ty).is_some());
    of_array && PYTHON_ATTRIBUTES.contains(&solver.symbol(inst))
}

fn is_result_from_numpy(solver: &Solver<'_>, inst: Inst) -> bool {
    let args = &solver.func.insts[inst].args;
    let given = || args.iter().any(|&arg| is_from_numpy(solver, arg));
    match solver.ty(args[0]).map(|ty| solver.cx.types.get(ty)) {
        Some(TypeData::Function(name)) => {
            let of_python = PYTHON_FUNCTIONS.contains(&&*name) || name.starts_with("math.");
            name.starts_with("numpy.") || !of_python && given()
        }
        Some(TypeData::Class(_)) => true,
        Some(TypeData::Method(of, name)) if solver.cx.types.array(of).is_some() => {
            !PYTHON_METHODS.contains(&&*name)
        }
        _ => given(),
    }
}

/// The container that an instruction puts its other operands into.
fn changed_container(solver: &Solver<'_>, inst: Inst) -> Option<Value> {
    let data = &solver.func.insts[inst];
    let changed = match data.op {
        // A variable that an inner function reads.
        Op::StoreCell => return Some(data.args[0]),
        Op::ListAppend | Op::ListExtend | Op::SetAdd | Op::SetUpdate | Op::MapAdd | Op::MapUpdate => {
            data.args[0]
        }
        Op::Setitem => data.args[0],
        Op::Call => {
            let Def::Result(method, _) = solver.func.values[data.args[0]].def else { return None };
            let method = &solver.func.insts[method];
            (method.op == Op::Getattr).then(|| method.args[0])?
        }
        _ => return None,
    };
    let ty = solver.ty(changed)?;
    solver.cx.types.holds_container(ty).then_some(changed)
}
