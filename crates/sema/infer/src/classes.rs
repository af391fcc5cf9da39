//! Members of classes: methods, properties, operators, and the class itself as a function.
//!
//! ```text
//! %m = getattr scale, %p
//! %r = call %m, %f               becomes   %r = call Point.scale(%p, %f)
//! %r = getattr area, %p          becomes   %r = call Point.area(%p)
//! %r = binary add %p, %q         becomes   %r = call Point.__add__(%p, %q)
//! ```
//!
//! Absent: fields (`catalog::attribute`), comparison by identity (`builtins::objects`), members that libraries
//! implement for a class (`overload_resolution`).

use crate::calls;
use crate::calls::call_data::{Argument, Given, Written};
use crate::containers::container_growth;
use crate::desugar::class_dispatch;
use crate::ops::infer_value;
use crate::overloads::lookup::{Failure, Types};
use crate::overloads::overload_resolution::{Called, call_function, operators};
use crate::solver::Solver;
use ir::{Attr, Block, CompareOp, Def, Inst, Op, UnaryOp, Value};
use std::sync::Arc;
use types::{Class, Handle, Member, Type, TypeData, TypeTable};

/// The types of the results of an instruction that means what a class says; nothing for any other.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Option<Types> {
    let data = &solver.func.insts[inst];
    let types: Vec<Type> = data.args.iter().map(|&arg| solver.ty(arg)).collect::<Option<_>>()?;
    if class_dispatch::note(solver, inst) {
        // Known when inference has begun again.
        return Some(Ok(vec![None; solver.func.insts[inst].results.len()]));
    }
    let &first = types.first()?;
    match data.op {
        Op::Getattr => infer_getattr(solver, block, inst, first),
        Op::Setattr => infer_setattr(solver, block, inst, &types),
        Op::Call | Op::CallEx => infer_call(solver, block, inst, &types),
        Op::Python if solver.symbol(inst) == "with_exit" => infer_exit(solver, block, inst, &types),
        _ => infer_operator(solver, block, inst, &types),
    }
}

/// The class of a value that may be None, and the type of its instances.
fn class_of(types: &TypeTable, ty: Type) -> Option<(Type, Arc<Class>)> {
    let instance = types.without_none(ty);
    Some((instance, types.class(instance)?))
}

/// The class that a value is.
fn class_itself(types: &TypeTable, ty: Type) -> Option<(Type, Arc<Class>)> {
    match types.get(ty) {
        TypeData::Class(instance) => Some((instance, types.class(instance)?)),
        _ => None,
    }
}

fn infer_getattr(solver: &mut Solver<'_>, block: Block, inst: Inst, of: Type) -> Option<Types> {
    let types = solver.cx.types;
    let name: Arc<str> = solver.symbol(inst).into();
    let function = |handle: Handle| Some(Ok(vec![Some(types.intern(TypeData::Dispatcher(handle)))]));
    if let Some((_, class)) = class_itself(types, of) {
        return match class.members.get(&name) {
            Some(&(Member::Method(handle) | Member::Static(handle))) => function(handle),
            Some(Member::OfClass(_)) => Some(Ok(vec![Some(types.intern(TypeData::Method(of, name)))])),
            _ => infer_constant(solver, inst, &class, &name),
        };
    }
    if let Some(method) = class_dispatch::method(solver, inst, of) {
        return Some(Ok(vec![Some(method)]));
    }
    let (instance, class) = class_of(types, of)?;
    // Names are attributes of classes alone, and classes have none of their own.
    if class.field(&name).is_some() || matches!(&*name, "__class__" | "__name__" | "__qualname__") {
        return None;
    }
    match class.members.get(&name) {
        Some(Member::Method(_) | Member::OfClass(_)) => {
            Some(Ok(vec![Some(types.intern(TypeData::Method(of, name)))]))
        }
        Some(&Member::Static(handle)) => function(handle),
        Some(&Member::Property(Some(getter), _)) => {
            let value = solver.func.insts[inst].args[0];
            call(solver, block, inst, getter, vec![(Argument::Value(value), instance)], Vec::new())
        }
        Some(Member::Property(None, _)) => Some(Err(Failure::no_attribute(solver, inst, of))),
        None => infer_constant(solver, inst, &class, &name),
    }
}

/// What the class in Python has under a name.
fn infer_constant(solver: &mut Solver<'_>, inst: Inst, class: &Class, name: &str) -> Option<Types> {
    let found = solver.host.object_attribute(class.object?, name);
    match found.map_err(|error| error.label(solver.func.insts[inst].span, "used here")) {
        Ok(Some(value)) => Some(infer_value(solver, inst, &value, "attribute")),
        Ok(None) => None,
        Err(error) => Some(Err(error.into())),
    }
}

fn infer_setattr(solver: &mut Solver<'_>, block: Block, inst: Inst, args: &[Type]) -> Option<Types> {
    let (instance, class) = class_of(solver.cx.types, args[0])?;
    let Some(Member::Property(_, Some(setter))) = class.members.get(solver.symbol(inst)) else { return None };
    let operands = &solver.func.insts[inst].args;
    let given = vec![(Argument::Value(operands[0]), instance), (Argument::Value(operands[1]), args[1])];
    call(solver, block, inst, *setter, given, Vec::new())
}

/// A call of a class, of a method, of an object, or of a function that asks its argument's class.
fn infer_call(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let types = solver.cx.types;
    let callee = solver.func.insts[inst].args[0];
    if let TypeData::Function(name) = types.get(operands[0]) {
        return infer_asked(solver, block, inst, operands, &name);
    }
    let (function, first): (Handle, Option<Given>) =
        if let Some((_, class)) = class_itself(types, operands[0]) {
            (class.constructor?, None)
        } else if let TypeData::Method(of, name) = types.get(operands[0]) {
            let (instance, class) = class_of(types, of).or_else(|| class_itself(types, of))?;
            match *class.members.get(&name)? {
                Member::Method(function) => {
                    (function, Some((Argument::Value(object_of_method(solver, callee)?), instance)))
                }
                Member::OfClass(function) => {
                    let class = types.intern(TypeData::Class(instance));
                    (function, Some((Argument::Type(class), class)))
                }
                _ => return None,
            }
        } else {
            let (instance, class) = class_of(types, operands[0])?;
            let &Member::Method(function) = class.members.get("__call__")? else { return None };
            (function, Some((Argument::Value(callee), instance)))
        };
    let Written { given, names, .. } = match calls::read(solver, inst, operands) {
        Ok(read) => read,
        Err(error) => return Some(Err(error.into())),
    };
    let given = first.into_iter().chain(given).collect();
    call(solver, block, inst, function, given, names)
}

/// The object of a bound method.
pub(crate) fn object_of_method(solver: &Solver<'_>, method: Value) -> Option<Value> {
    let Def::Result(inst, _) = solver.func.values[method].def else { return None };
    let data = &solver.func.insts[inst];
    let is_bound = match data.op {
        Op::Getattr => true,
        Op::Python => solver.symbol(inst) == "with_exit_method",
        _ => false,
    };
    is_bound.then(|| data.args[0])
}

/// An exception leaves a `with` statement over an object.
fn infer_exit(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let TypeData::Method(of, name) = solver.cx.types.get(operands[0]) else { return None };
    let (instance, class) = class_of(solver.cx.types, of)?;
    let &Member::Method(function) = class.members.get(&name)? else { return None };
    let args = solver.func.insts[inst].args.clone();
    let object = object_of_method(solver, args[0])?;
    let passed = args[1..].iter().zip(&operands[1..]).map(|(&arg, &ty)| (Argument::Value(arg), ty));
    let given = std::iter::once((Argument::Value(object), instance)).chain(passed).collect();
    call(solver, block, inst, function, given, Vec::new())
}

/// `len(object)` and the like.
fn infer_asked(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    operands: &[Type],
    name: &str,
) -> Option<Types> {
    if solver.func.insts[inst].op != Op::Call || operands.len() < 2 {
        return None;
    }
    let args: Vec<Given> = solver.func.insts[inst].args[1..]
        .iter()
        .zip(&operands[1..])
        .map(|(&value, &ty)| (Argument::Value(value), ty))
        .collect();
    if let Some(operator) = name.strip_prefix("operator.") {
        return infer_named(solver, block, inst, &operator_methods(operator), args);
    }
    let (_, asked) = ASKED.iter().find(|(function, _)| *function == name)?;
    infer_named(solver, block, inst, &[(0, (*asked).to_owned())], args)
}

/// Functions that are their argument's method.
const ASKED: &[(&str, &str)] = &[
    ("builtins.len", "__len__"),
    ("builtins.abs", "__abs__"),
    ("builtins.hash", "__hash__"),
    ("builtins.bool", "__bool__"),
    ("builtins.str", "__str__"),
    ("builtins.repr", "__repr__"),
    ("builtins.int", "__int__"),
    ("builtins.float", "__float__"),
    ("builtins.complex", "__complex__"),
    ("builtins.iter", "__iter__"),
    ("builtins.next", "__next__"),
    ("builtins.reversed", "__reversed__"),
    ("builtins.round", "__round__"),
    ("builtins.divmod", "__divmod__"),
    ("builtins.pow", "__pow__"),
    ("math.floor", "__floor__"),
    ("math.ceil", "__ceil__"),
    ("math.trunc", "__trunc__"),
];

/// Whether a function asks the class of an argument.
pub(crate) fn asks_class(function: &str) -> bool {
    function == "builtins.print"
        || function.starts_with("operator.")
        || ASKED.iter().any(|(name, _)| *name == function)
}

fn infer_operator(solver: &mut Solver<'_>, block: Block, inst: Inst, types: &[Type]) -> Option<Types> {
    let data = &solver.func.insts[inst];
    let mut args: Vec<Given> =
        data.args.iter().zip(types).map(|(&value, &ty)| (Argument::Value(value), ty)).collect();
    let table = solver.cx.types;
    if !types.iter().any(|&ty| class_of(table, ty).is_some()) {
        return None;
    }
    let methods = match (data.op, data.attrs.first()) {
        (Op::Unary, Some(&Attr::Unary(UnaryOp::Bool))) => vec![(0, "__bool__".to_owned())],
        (Op::Compare, Some(&Attr::Compare(CompareOp::Is | CompareOp::IsNot))) => return None,
        (Op::Compare, Some(&Attr::Compare(CompareOp::In))) => {
            args.reverse();
            vec![(0, "__contains__".to_owned())]
        }
        (Op::Getiter, _) => vec![(0, "__iter__".to_owned())],
        (Op::Python, _) if solver.symbol(inst) == "with_enter" => vec![(0, "__enter__".to_owned())],
        _ => operators(&solver.func, inst)
            .iter()
            .flat_map(|name| operator_methods(name.strip_prefix("operator.").unwrap_or(name)))
            .collect(),
    };
    infer_named(solver, block, inst, &methods, args)
}

/// The methods that a function of `operator` stands for, with the operand whose class is asked.
fn operator_methods(name: &str) -> Vec<(usize, String)> {
    let name = name.trim_end_matches('_');
    let swapped = match name {
        "lt" => "__gt__".to_owned(),
        "le" => "__ge__".to_owned(),
        "gt" => "__lt__".to_owned(),
        "ge" => "__le__".to_owned(),
        "eq" | "ne" => format!("__{name}__"),
        _ => format!("__r{name}__"),
    };
    vec![(0, format!("__{name}__")), (1, swapped)]
}

/// A call of the first of these methods that the class of its operand has.
fn infer_named(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    methods: &[(usize, String)],
    mut args: Vec<Given>,
) -> Option<Types> {
    for (at, name) in methods {
        let Some(&(_, ty)) = args.get(*at) else { continue };
        // Whether something is None, only the run time knows.
        let Some(class) = solver.cx.types.class(ty) else { continue };
        if let Some(&Member::Method(function)) = class.members.get(name.as_str()) {
            args.swap(0, *at);
            return call(solver, block, inst, function, args, Vec::new());
        }
    }
    None
}

/// The call of a compiled function that an instruction is.
pub(crate) fn call(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    given: Vec<Given>,
    names: Vec<String>,
) -> Option<Types> {
    let types: Vec<Type> = given.iter().map(|&(_, ty)| ty).collect();
    if container_growth::waits(solver, block, &types) {
        return Some(Ok(vec![None; solver.func.insts[inst].results.len()]));
    }
    let called = Called { what: Vec::new(), given, names };
    Some(call_function(solver, block, inst, function, called))
}
