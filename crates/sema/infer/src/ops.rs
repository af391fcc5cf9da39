//! The types of an instruction's results, one function per op.

use crate::calls::captures;
use crate::calls::closures;
use crate::calls::generators;
use crate::calls::infer_call::infer_call;
use crate::calls::static_dict;
use crate::calls::unbound_methods;
use crate::constant_types::{Meaning, meaning, type_of_const};
use crate::containers::container_growth;
use crate::containers::iterated_items;
use crate::containers::type_request::require_type;
use crate::containers::widen::widen;
use crate::desugar::key_displays;
use crate::desugar::narrow_classes;
use crate::desugar::narrow_optionals;
use crate::desugar::starred_literals;
use crate::desugar::unpack_match;
use crate::diagnostics;
use crate::exception_attributes;
use crate::overloads::by_catalog::{by_catalog, infer_written};
use crate::overloads::literally;
use crate::overloads::lookup::{Failure, Types};
use crate::overloads::narrow_floats;
use crate::solver::Solver;
use crate::solver::exceptions;
use crate::solver::joins;
use catalog::{Extended, GlobalValue, Key};
use ir::{Attr, Block, CompareOp, ConstData, Def, Inst, Op};
use std::sync::Arc;
use types::{LiteralValue, Type, TypeData, TypeTable};

/// Types of the results; nothing for one that depends on a value without a type so far.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Types {
    let data = &solver.func.insts[inst];
    let args: Option<Vec<Type>> = data.args.iter().map(|&arg| solver.ty(arg)).collect();
    let Some(args) = args else {
        return Ok(match data.op {
            // The body of a loop is entered when it is known what there is to go through.
            Op::Iternext => vec![None, Some(solver.cx.types.literal_bool(false))],
            _ => vec![None; data.results.len()],
        });
    };
    let attr = data.attrs.first().cloned();
    let results = data.results.len();
    if solver.cx.types.has_containers() && container_growth::grow(solver, inst, &args)? {
        return Ok(vec![None; results]);
    }
    if container_growth::make_objects(solver, inst, &args) {
        return Ok(vec![None; results]);
    }
    let (catalog, types) = (solver.cx.catalog, solver.cx.types);
    if let Some(op) = catalog::object_op(catalog, types, &solver.func, inst, &args) {
        solver.forget_expansion(inst);
        return Ok(op.results(results).into_iter().map(Some).collect());
    }
    let data = &solver.func.insts[inst];
    let one = |ty: Type| Ok(vec![Some(ty)]);
    if container_growth::is_object_display(solver, inst, &args) {
        return one(Type::PYOBJECT);
    }
    match (data.op, attr) {
        (Op::Arg, Some(Attr::Int(index))) => {
            one(solver.cx.types.within_function(solver.args[index as usize]))
        }
        (Op::Const, Some(Attr::Const(id))) => infer_const(solver, inst, id),
        (Op::Undef, _) => one(Type::UNDEFINED),
        (Op::CheckBound, _) => infer_check_bound(&args),
        (Op::Global, _) => infer_global(solver, inst),
        (Op::Freevar, Some(Attr::Int(index))) if solver.closure.is_some() => {
            match captures::captured(solver, index as usize) {
                Some(captured) => closures::infer_captured_value(solver, block, captured),
                None => Err(diagnostics::undefined_freevar(solver, inst).into()),
            }
        }
        (Op::FreeCell, Some(Attr::Int(index))) if solver.closure.is_some() => {
            Ok(vec![captures::captured(solver, index as usize)])
        }
        (Op::MakeCell, _) => closures::infer_new_cell(solver, inst, Some(args[0])),
        (Op::EmptyCell, _) => closures::infer_new_cell(solver, inst, None),
        (Op::LoadCell, _) => closures::infer_load_cell(solver, block, args[0]),
        (Op::StoreCell, _) => closures::infer_store_cell(solver, inst, &args),
        (Op::Freevar | Op::FreeCell, Some(Attr::Int(index))) => infer_freevar(solver, inst, index as usize),
        (Op::Inplace, _) if solver.cx.types.starred(args[0]).is_some() => {
            Err(Failure::Unsupported("a list that is changed in place"))
        }
        (Op::Inplace, Some(Attr::Binary(op))) if solver.cx.types.array(args[0]).is_some() => {
            let args = narrow_floats::types_of_operands(solver, inst, args);
            by_catalog(solver, inst, Key::Inplace(op), &args)
        }
        (Op::Binary | Op::Inplace, Some(Attr::Binary(op))) => {
            let args = narrow_floats::types_of_operands(solver, inst, args);
            by_catalog(solver, inst, Key::Binary(op), &args)
        }
        (Op::Unary, Some(Attr::Unary(op))) => infer_unary(solver, inst, op, &args),
        (Op::Compare, Some(Attr::Compare(op))) => infer_compare(solver, inst, op, &args),
        (Op::NotNone, _) => one(narrow_optionals::without_none(solver.cx.types, args[0])),
        (Op::IsInstance | Op::Narrow, Some(Attr::Type(class))) => {
            Ok(vec![narrow_classes::infer(solver, inst, args[0], class)])
        }
        (Op::IsNone, _) => infer_compare(solver, inst, CompareOp::Is, &[args[0], Type::NONE]),
        (Op::Getattr, _) => infer_getattr(solver, inst, args[0]),
        // What a missing key gets is known before what the dict holds.
        (Op::Getitem, _)
            if solver.cx.types.missing(args[0]).is_some()
                && container_growth::waits(solver, block, &args) =>
        {
            Ok(vec![solver.cx.types.contents(args[0]).and_then(|mut contents| contents.pop())])
        }
        (Op::Getitem, _) => infer_getitem(solver, inst, &args),
        (Op::Call | Op::CallEx, _) => infer_call(solver, block, inst, &args),
        (Op::Setitem, _) => infer_setitem(solver, inst, &args),
        (Op::Setattr, _) => infer_setattr(solver, inst, &args),
        (Op::BuildTuple, _) => one(solver.cx.types.tuple(&args)),
        (Op::BuildMap, _) if static_dict::has_known_keys(solver, inst, &args) => {
            static_dict::infer_display(solver, inst, &args)
        }
        (Op::MapUpdate, _) => static_dict::infer_merge(solver, inst, &args),
        (Op::BuildSlice, _) => infer_build_slice(solver, inst, &args),
        (Op::BuildList, _) if solver.displays.is_part(inst) => one(Type::NONE),
        (Op::BuildList, _)
            if solver.displays.is_passed(inst) && starred_literals::never_changes(solver, inst) =>
        {
            let items = solver.cx.types.tuple(&args);
            one(solver.cx.types.intern(TypeData::FixedList(items)))
        }
        (Op::ListAppend | Op::ListExtend, _) if solver.displays.is_part(inst) => Ok(vec![]),
        (Op::BuildSet | Op::BuildMap, _)
            if let Some(restart) = key_displays::restart(solver, inst, &args) =>
        {
            Err(restart)
        }
        (Op::BuildList | Op::BuildSet | Op::BuildMap, _) => match container_growth::made(solver, inst, &args)
        {
            Some(ty) => one(joins::in_display(solver, inst, &args, ty?)?),
            None => Err(Failure::unsupported_op(solver, inst)),
        },
        (Op::ListAppend, _) => {
            by_catalog(solver, inst, Key::Function("method.append".into()), &args)?;
            Ok(vec![])
        }
        (Op::SetAdd, _) => {
            by_catalog(solver, inst, Key::Function("method.add".into()), &args)?;
            Ok(vec![])
        }
        (Op::MapAdd, _) => {
            by_catalog(solver, inst, Key::Setitem, &args)?;
            Ok(vec![])
        }
        (Op::ListToTuple, _) => infer_list_to_tuple(solver, inst, &args),
        (Op::Unpack, _) => unpack_match::infer_unpack(solver, inst, args[0]),
        (Op::UnpackEx, Some(Attr::Int(before))) => {
            unpack_match::infer_unpack_starred(solver, inst, args[0], before as usize)
        }
        (Op::Getiter, _) => infer_getiter(solver, block, inst, args[0]),
        (Op::Iternext, _) => {
            let Some(item) = by_catalog(solver, inst, Key::Iternext, &args[..1])?[0] else {
                return Ok(vec![None, Some(solver.cx.types.literal_bool(false))]);
            };
            // As long as nobody knows what a container holds, there is nothing to go through.
            let nothing = container_growth::is_unknown(solver.cx.types, item)
                || iterated_items::never_gives(solver, args[0]);
            let more = if nothing { solver.cx.types.literal_bool(false) } else { Type::BOOL };
            Ok(vec![Some(item), Some(more)])
        }
        (Op::Yield, _) => generators::infer_yield(solver, block, inst, &args),
        (Op::Cast, _) => one(args[0]),
        (Op::Declared, _) => infer_declared(solver, inst, args[0]),
        (Op::Format, _) => infer_written(solver, inst, "builtins.format", &args),
        (Op::BuildString, _) => infer_written(solver, inst, "rumba.concatenate", &args),
        (Op::Python, _) => unpack_match::infer_python(solver, inst, &args),
        (Op::Raise, _) => exceptions::infer_raise(solver, inst, &args),
        (Op::Reraise, _) => Ok(vec![]),
        (Op::Unreachable, _) => Ok(vec![]),
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// A tuple with starred parts; if nobody knows how many items it has, it is made of a list that is a Python object.
fn infer_list_to_tuple(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let is_list = !solver.displays.pieces.contains_key(&inst);
    if is_list && container_growth::make_all_objects(solver, inst, args) {
        return Ok(vec![None]);
    }
    starred_literals::infer(solver, inst)
}

fn infer_const(solver: &Solver<'_>, inst: Inst, id: ir::Const) -> Types {
    if let Some(ty) = type_of_const(solver.cx.types, &solver.func.consts, id) {
        return Ok(vec![Some(ty)]);
    }
    Err(diagnostics::unsupported_constant(solver, inst, solver.func.consts.get(id)).into())
}

/// A value stored to a name with a declared type has that type from there on.
fn infer_declared(solver: &Solver<'_>, inst: Inst, from: Type) -> Types {
    let declared = solver.func.insts[inst].attrs.iter().find_map(|attr| match attr {
        Attr::Type(ty) => Some(*ty),
        _ => None,
    });
    let to = declared.unwrap_or(from);
    match types::convert(solver.cx.types, solver.cx.types.unliteral(from), to) {
        Some(_) => Ok(vec![Some(to)]),
        None => Err(diagnostics::cannot_declare(solver, inst, from, to).into()),
    }
}

/// No path seen so far gives the name a value: one that comes later (the back edge of a loop) may.
fn infer_check_bound(args: &[Type]) -> Types {
    Ok(vec![Some(args[0]).filter(|&ty| ty != Type::UNDEFINED)])
}

fn infer_unary(solver: &mut Solver<'_>, inst: Inst, op: ir::UnaryOp, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let known = match types.literal(args[0]) {
        None if args[0] == Type::FLOAT64 => known_float(solver, inst, 0).map(|value| value != 0.0),
        Some(LiteralValue::Bool(value)) => Some(value),
        Some(LiteralValue::Int(value)) => Some(value != 0),
        Some(LiteralValue::Str(text)) => Some(!text.is_empty()),
        None if args[0] == Type::NONE => Some(false),
        None => types.components(types.starred(args[0]).unwrap_or(args[0])).map(|items| !items.is_empty()),
    };
    match (op, known, types.literal(args[0])) {
        (ir::UnaryOp::Not, Some(truth), _) => Ok(vec![Some(types.literal_bool(!truth))]),
        (ir::UnaryOp::Bool, Some(truth), _) => Ok(vec![Some(types.literal_bool(truth))]),
        (ir::UnaryOp::Neg, _, Some(LiteralValue::Int(value))) if value != i64::MIN => {
            Ok(vec![Some(types.literal_int(-value))])
        }
        _ => by_catalog(solver, inst, Key::Unary(op), args),
    }
}

fn infer_compare(solver: &mut Solver<'_>, inst: Inst, op: CompareOp, args: &[Type]) -> Types {
    let types = solver.cx.types;
    if matches!(op, CompareOp::Is | CompareOp::IsNot) {
        let optional = |ty| matches!(types.get(ty), TypeData::Optional(_) | TypeData::Undefined);
        let known = match (args[0], args[1]) {
            (Type::NONE, Type::NONE) => Some(true),
            (Type::NONE, other) | (other, Type::NONE) if !optional(other) => Some(false),
            (a, b) => match (types.literal(a), types.literal(b)) {
                (Some(LiteralValue::Bool(a)), Some(LiteralValue::Bool(b))) => Some(a == b),
                _ => None,
            },
        };
        if let Some(same) = known {
            return Ok(vec![Some(types.literal_bool(same == (op == CompareOp::Is)))]);
        }
    }
    if let (Some(LiteralValue::Int(a)), Some(LiteralValue::Int(b))) =
        (types.literal(args[0]), types.literal(args[1]))
        && let Some(truth) = compare_known(op, a, b)
    {
        return Ok(vec![Some(types.literal_bool(truth))]);
    }
    if args.contains(&Type::FLOAT64)
        && let (Some(a), Some(b)) = (known_number(solver, inst, 0, args), known_number(solver, inst, 1, args))
        && let Some(truth) = compare_known(op, a, b)
    {
        return Ok(vec![Some(types.literal_bool(truth))]);
    }
    by_catalog(solver, inst, Key::Compare(op), args)
}

/// The float that an operand is, if it is a constant, or a global or captured variable that holds one.
fn known_float(solver: &Solver<'_>, inst: Inst, operand: usize) -> Option<f64> {
    let func = &solver.func;
    let Def::Result(from, 0) = func.values[*func.insts[inst].args.get(operand)?].def else { return None };
    let id = match (func.insts[from].op, func.insts[from].attrs.first()) {
        (Op::Const, Some(&Attr::Const(id))) => id,
        _ => solver.constants[from]?,
    };
    match func.consts.get(id) {
        ConstData::Float(bits) => Some(f64::from_bits(*bits)),
        _ => None,
    }
}

/// The same of an operand that may be a known integer which a float holds exactly.
fn known_number(solver: &Solver<'_>, inst: Inst, operand: usize, args: &[Type]) -> Option<f64> {
    match solver.cx.types.literal(args[operand]) {
        Some(LiteralValue::Int(value)) => (value.unsigned_abs() <= 1 << 53).then_some(value as f64),
        Some(_) => None,
        None => known_float(solver, inst, operand),
    }
}

/// A comparison of numbers that are known.
fn compare_known<N: PartialOrd>(op: CompareOp, a: N, b: N) -> Option<bool> {
    match op {
        CompareOp::Lt => Some(a < b),
        CompareOp::Le => Some(a <= b),
        CompareOp::Eq => Some(a == b),
        CompareOp::Ne => Some(a != b),
        CompareOp::Gt => Some(a > b),
        CompareOp::Ge => Some(a >= b),
        _ => None,
    }
}

/// The type of a global's value; a constant is remembered for the Typed function.
pub(crate) fn infer_value(solver: &mut Solver<'_>, inst: Inst, value: &GlobalValue, what: &str) -> Types {
    match meaning(solver.cx.types, &mut solver.func.consts, value) {
        Meaning::Type(ty) => Ok(vec![Some(ty)]),
        Meaning::Constant(id, ty) => {
            solver.constants[inst] = Some(id);
            Ok(vec![Some(ty)])
        }
        Meaning::Unusable(why) => Err(diagnostics::unusable(solver, inst, what, &why).into()),
    }
}

fn infer_global(solver: &mut Solver<'_>, inst: Inst) -> Types {
    let name = solver.symbol(inst).to_owned();
    match solver.host.global(&name) {
        Some(value) => infer_value(solver, inst, &value, "global name"),
        None => Err(diagnostics::undefined_global(solver, inst).into()),
    }
}

fn infer_freevar(solver: &mut Solver<'_>, inst: Inst, index: usize) -> Types {
    match solver.host.freevar(index) {
        Some(value) => infer_value(solver, inst, &value, "closure variable"),
        None => Err(diagnostics::undefined_freevar(solver, inst).into()),
    }
}

fn infer_getattr(solver: &mut Solver<'_>, inst: Inst, of: Type) -> Types {
    let name = solver.symbol(inst).to_owned();
    let types = solver.cx.types;
    if let TypeData::Module(module) = types.get(of) {
        return match solver.host.module_attribute(&module, &name) {
            Some(value) => infer_value(solver, inst, &value, "attribute"),
            None => Err(diagnostics::no_module_attribute(solver, inst, &module).into()),
        };
    }
    if let Some(function) = unbound_methods::as_value(solver, inst, of, &name) {
        return infer_value(solver, inst, &function, "method");
    }
    if let Some(function) = function_of_class(solver, of, &name) {
        return Ok(vec![Some(function)]);
    }
    if let TypeData::Object { object, .. } = types.get(of) {
        let found = solver.host.object_attribute(object, &name);
        return match found.map_err(|error| error.label(solver.func.insts[inst].span, "used here"))? {
            Some(value) => infer_value(solver, inst, &value, "attribute"),
            None => Err(Failure::no_attribute(solver, inst, of)),
        };
    }
    if let TypeData::NamedTuple { fields, types: elements, .. } = types.get(of)
        && let Some(at) = fields.iter().position(|field| *field == name)
    {
        return Ok(vec![Some(elements[at])]);
    }
    if name == "value" && exception_attributes::is_stop_value(types, of) {
        return generators::infer_stop_value(solver, inst);
    }
    if let Some(found) = exception_attributes::infer_attribute(solver, inst, of, &name) {
        return found;
    }
    if let Some(resolved) = catalog::attribute(solver.cx.catalog, types, of, &name) {
        return Ok(vec![Some(solver.note_resolved(inst, resolved))]);
    }
    // A tuple has none of the methods of lists; what an extension type has, the library says.
    let lacks = match types.get(of) {
        TypeData::Tuple(_) => !["count", "index"].contains(&&*name),
        TypeData::Foreign { .. } => true,
        _ => types.is_instance(types.without_none(of)),
    };
    if !lacks && solver.cx.catalog.knows(&Key::Function(format!("method.{name}").into())) {
        return Ok(vec![Some(types.intern(TypeData::Method(of, name.into())))]);
    }
    if let Some(field) = catalog::field(solver.cx.catalog, types, of, &name) {
        return Ok(vec![Some(solver.note_resolved(inst, field))]);
    }
    Err(Failure::no_attribute(solver, inst, of))
}

/// What a class has as an attribute that can be called without an instance: `dict.fromkeys`, `typed.List.empty_list`.
fn function_of_class(solver: &Solver<'_>, class: Type, name: &str) -> Option<Type> {
    let TypeData::Function(class) = solver.cx.types.get(class) else { return None };
    let function: Arc<str> = format!("{class}.{name}").into();
    let is_known = solver.cx.catalog.knows(&Key::Function(function.clone()))
        || solver.host.is_extended(&Extended::Function(function.clone()));
    is_known.then(|| solver.cx.types.intern(TypeData::Function(function)))
}

/// A loop over what has items of different types, or items whose types know their values, is written out. Containers
/// rather become what all of them hold.
fn infer_getiter(solver: &mut Solver<'_>, block: Block, inst: Inst, of: Type) -> Types {
    let known = match by_catalog(solver, inst, Key::Getiter, &[of]) {
        Ok(types) if !static_dict::is_written_out(solver.cx.types, of) => return Ok(types),
        Err(failure) if solver.cx.types.keywords(of).is_none() && widen(solver, inst) => {
            solver.note_failure(block, inst, failure);
            return Ok(vec![None]);
        }
        known => known,
    };
    match literally::write_out(solver, inst, of) {
        Some(restart) => Err(restart.into()),
        None => known,
    }
}

/// Items of arrays, and what pointers point to.
fn infer_setitem(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    match solver.cx.catalog.ask(solver.cx.types, Key::Setitem, args) {
        Some(resolved) => {
            solver.note_resolved(inst, resolved);
            Ok(vec![])
        }
        None if diagnostics::is_field(solver.cx.types, args) => {
            Err(diagnostics::no_field(solver, inst, args).into())
        }
        None if solver.cx.types.buffer(args[0]).is_some() => {
            Err(Failure::NoRule { key: Key::Setitem, args: args.to_vec() })
        }
        None => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// Fields of records.
fn infer_setattr(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let (of, name, value) = (args[0], solver.symbol(inst), args[1]);
    if let Some(found) = exception_attributes::infer_setattr(solver, of) {
        return found;
    }
    if let Some(resolved) = catalog::assigned_attribute(solver.cx.catalog, types, of, name, value) {
        solver.note_resolved(inst, resolved);
        return Ok(vec![]);
    }
    if let Some(class) = types.class(types.without_none(of)) {
        let field = class.field(name);
        // A container that is made here without items gets the types of the field, a display the class.
        if let Some(field) = field.filter(|_| types.is_open(value) || types.as_typed(value).is_some()) {
            let made = solver.func.insts[inst].args[1];
            let comes = require_type(solver, made, types.without_none(field));
            if comes && solver.ty(made).is_none_or(|now| now != value) {
                return Ok(vec![]);
            }
        }
        return Err(match field {
            Some(_) => Failure::NoRule { key: Key::Setattr(solver.symbol(inst).into()), args: args.to_vec() },
            None => Failure::no_attribute(solver, inst, of),
        });
    }
    Err(match types.record(types.array(of).map_or(of, |array| array.dtype)) {
        Some(_) => diagnostics::no_field(solver, inst, &[of, types.literal_str(name), value]).into(),
        None => Failure::unsupported_op(solver, inst),
    })
}

/// The types that an index names: `Pair[int64]`, `Table[int, float64]`.
fn named_types(types: &TypeTable, index: Type) -> Option<Vec<Type>> {
    if let Some(all) = types.elements(index) {
        return all.iter().map(|&one| named_types(types, one)?.first().copied()).collect();
    }
    Some(vec![match types.get(index) {
        TypeData::Class(of) => of,
        TypeData::Function(name) => match &*name {
            "builtins.int" => Type::INT64,
            "builtins.float" => Type::FLOAT64,
            "builtins.complex" => Type::COMPLEX128,
            "builtins.bool" => Type::BOOL,
            "builtins.str" => Type::STR,
            _ => return None,
        },
        _ => return None,
    }])
}

/// A tuple indexed with an integer known at compile time; an enumeration with a name.
fn infer_getitem(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    if let (TypeData::Object { object, .. }, Some(LiteralValue::Str(name))) =
        (types.get(args[0]), types.literal(args[1]))
        && let Some(value) = solver.host.object_item(object, &name)?
    {
        return infer_value(solver, inst, &value, "item");
    }
    if let TypeData::Object { object, .. } = types.get(args[0])
        && let Some(named) = named_types(types, args[1])
        && let Some(class) = solver.host.specialized_class(object, &named)?
    {
        return infer_value(solver, inst, &class, "class");
    }
    if let (Some(elements), Some(LiteralValue::Int(index))) = (types.items(args[0]), types.literal(args[1])) {
        let at = if index < 0 { index + elements.len() as i64 } else { index };
        return match usize::try_from(at).ok().and_then(|at| elements.get(at)) {
            Some(&element) => Ok(vec![Some(element)]),
            None => Err(diagnostics::tuple_index(solver, inst, args[0], index).into()),
        };
    }
    if let (Some((names, _)), Some(LiteralValue::Str(key))) =
        (types.keywords(args[0]), types.literal(args[1]))
        && !names.iter().any(|name| **name == *key)
    {
        return Err(diagnostics::no_key(solver, inst, &names, &key).into());
    }
    if diagnostics::is_field(types, args) && solver.cx.catalog.resolve(types, &Key::Getitem, args).is_none() {
        return Err(diagnostics::no_field(solver, inst, args).into());
    }
    if types.elements(args[0]).is_some()
        && types.unliteral(args[1]).is_int()
        && joins::in_tuple(solver, solver.func.insts[inst].args[0])
    {
        return Ok(vec![None]);
    }
    by_catalog(solver, inst, Key::Getitem, args)
}

/// A slice; one whose parts are known at compile time has them in its type.
fn infer_build_slice(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let mut parts = [None; 3];
    let mut known = true;
    for (part, &arg) in parts.iter_mut().zip(args) {
        let plain = types.unliteral(arg);
        match types.literal(arg) {
            Some(LiteralValue::Int(value)) => *part = Some(value),
            _ if arg == Type::NONE => {}
            _ if plain.is_int() || plain == Type::BOOL => known = false,
            _ if matches!(types.get(arg), TypeData::Optional(of) if of.is_int()) => known = false,
            _ => {
                let what = format!("a slice with {} as a bound or step", types.name(arg));
                return Err(diagnostics::unsupported(solver, inst, &what).into());
            }
        }
    }
    let [start, stop, step] = parts;
    let members = if args.get(2).is_none_or(|&step| step == Type::NONE) { 2 } else { 3 };
    let data = match known {
        true => TypeData::LiteralSlice { start, stop, step },
        false => TypeData::Slice { members },
    };
    Ok(vec![Some(types.intern(data))])
}
