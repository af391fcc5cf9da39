//! The types of an instruction's results, one function per op.

use crate::calls;
use crate::closures;
use crate::constant_types::{Meaning, meaning, type_of_const};
use crate::container_growth;
use crate::diagnostics;
use crate::first_class_functions;
use crate::joins;
use crate::literally;
use crate::solver::Engine;
use crate::starred_literals;
use crate::static_dict;
use crate::unpack_match;
use catalog::{GlobalValue, Key};
use diag::Result;
use ir::{Attr, Block, CompareOp, Inst, Op};
use types::{LiteralValue, Type, TypeData};

/// Types of the results; nothing for one that depends on a value without a type so far.
pub(crate) fn infer(engine: &mut Engine<'_>, block: Block, inst: Inst) -> Result<Vec<Option<Type>>> {
    let data = &engine.func.insts[inst];
    let args: Option<Vec<Type>> = data.args.iter().map(|&arg| engine.ty(arg)).collect();
    let Some(args) = args else { return Ok(vec![None; data.results.len()]) };
    let attr = data.attrs.first().cloned();
    let results = data.results.len();
    if engine.cx.types.has_containers() && container_growth::grow(engine, inst, &args)? {
        return Ok(vec![None; results]);
    }
    let data = &engine.func.insts[inst];
    let one = |ty: Type| Ok(vec![Some(ty)]);
    match (data.op, attr) {
        (Op::Arg, Some(Attr::Int(index))) => one(engine.args[index as usize]),
        (Op::Const, Some(Attr::Const(id))) => infer_const(engine, inst, id),
        (Op::Undef, _) => one(Type::UNDEFINED),
        (Op::CheckBound, _) => infer_check_bound(&args),
        (Op::Global, _) => infer_global(engine, inst),
        (Op::Freevar, Some(Attr::Int(index))) if engine.closure.is_some() => {
            match closures::captured(engine, index as usize) {
                Some(captured) => closures::infer_captured_value(engine, block, captured),
                None => Err(diagnostics::undefined_freevar(engine, inst)),
            }
        }
        (Op::FreeCell, Some(Attr::Int(index))) if engine.closure.is_some() => {
            Ok(vec![closures::captured(engine, index as usize)])
        }
        (Op::MakeCell, _) => closures::infer_new_cell(engine, inst, Some(args[0])),
        (Op::EmptyCell, _) => closures::infer_new_cell(engine, inst, None),
        (Op::LoadCell, _) => closures::infer_load_cell(engine, block, args[0]),
        (Op::StoreCell, _) => closures::infer_store_cell(engine, inst, &args),
        (Op::Freevar | Op::FreeCell, Some(Attr::Int(index))) => infer_freevar(engine, inst, index as usize),
        (Op::Inplace, _) if engine.cx.types.starred(args[0]).is_some() => {
            Err(diagnostics::unsupported(engine, inst, "a list that is changed in place"))
        }
        (Op::Inplace, Some(Attr::Binary(op))) if engine.cx.types.array(args[0]).is_some() => {
            by_catalog(engine, inst, Key::Inplace(op), &args)
        }
        (Op::Binary | Op::Inplace, Some(Attr::Binary(op))) => {
            by_catalog(engine, inst, Key::Binary(op), &args)
        }
        (Op::Unary, Some(Attr::Unary(op))) => infer_unary(engine, inst, op, &args),
        (Op::Compare, Some(Attr::Compare(op))) => infer_compare(engine, inst, op, &args),
        (Op::IsNone, _) => infer_compare(engine, inst, CompareOp::Is, &[args[0], Type::NONE]),
        (Op::Getattr, _) => infer_getattr(engine, inst, args[0]),
        (Op::Getitem, _) => infer_getitem(engine, inst, &args),
        (Op::Call | Op::CallEx, _) => calls::infer_call(engine, block, inst, &args),
        (Op::Setitem, _) => infer_setitem(engine, inst, &args),
        (Op::Setattr, _) => infer_setattr(engine, inst, &args),
        (Op::BuildTuple, _) => one(engine.cx.types.tuple(&args)),
        (Op::BuildMap, _) if static_dict::has_known_keys(engine, inst, &args) => {
            static_dict::infer_display(engine, inst, &args)
        }
        (Op::MapUpdate, _) => static_dict::infer_merge(engine, inst, &args),
        (Op::BuildSlice, _) => infer_build_slice(engine, inst, &args),
        (Op::BuildList, _) if engine.displays.is_part(inst) => one(Type::NONE),
        (Op::BuildList, _)
            if engine.displays.is_passed(inst) && starred_literals::never_changes(engine, inst) =>
        {
            let items = engine.cx.types.tuple(&args);
            one(engine.cx.types.intern(TypeData::Starred(items)))
        }
        (Op::ListAppend | Op::ListExtend, _) if engine.displays.is_part(inst) => Ok(vec![]),
        (Op::BuildList | Op::BuildSet | Op::BuildMap, _) => match container_growth::made(engine, inst, &args)
        {
            Some(ty) => one(joins::in_display(engine, inst, &args, ty?)?),
            None => Err(diagnostics::unsupported_op(engine, inst)),
        },
        (Op::ListAppend, _) => {
            by_catalog(engine, inst, Key::Function("method.append".into()), &args)?;
            Ok(vec![])
        }
        (Op::SetAdd, _) => {
            by_catalog(engine, inst, Key::Function("method.add".into()), &args)?;
            Ok(vec![])
        }
        (Op::MapAdd, _) => {
            by_catalog(engine, inst, Key::Setitem, &args)?;
            Ok(vec![])
        }
        (Op::ListToTuple, _) => starred_literals::infer(engine, inst),
        (Op::Unpack, _) => unpack_match::infer_unpack(engine, inst, args[0]),
        (Op::UnpackEx, Some(Attr::Int(before))) => {
            unpack_match::infer_unpack_starred(engine, inst, args[0], before as usize)
        }
        (Op::Getiter, _) => infer_getiter(engine, inst, args[0]),
        (Op::Iternext, _) => {
            let item = by_catalog(engine, inst, Key::Iternext, &args)?[0];
            // As long as nobody knows what a container holds, there is nothing to go through.
            let nothing = item.is_some_and(|item| container_growth::is_unknown(engine.cx.types, item));
            let more = if nothing { engine.cx.types.literal_bool(false) } else { Type::BOOL };
            Ok(vec![item, Some(more)])
        }
        (Op::Cast, _) => one(args[0]),
        (Op::Declared, _) => infer_declared(engine, inst, args[0]),
        (Op::Format, _) => infer_written(engine, inst, "builtins.format", &args),
        (Op::BuildString, _) => infer_written(engine, inst, "rumba.concatenate", &args),
        (Op::Python, _) => unpack_match::infer_python(engine, inst, &args),
        (Op::Raise, _) => infer_raise(engine, inst, &args),
        (Op::Unreachable, _) => Ok(vec![]),
        _ => Err(diagnostics::unsupported_op(engine, inst)),
    }
}

pub(crate) type Types = Result<Vec<Option<Type>>>;

fn by_catalog(engine: &mut Engine<'_>, inst: Inst, key: Key, args: &[Type]) -> Types {
    let Some(resolution) = engine.cx.catalog.resolve(engine.cx.types, &key, args) else {
        return Err(diagnostics::no_match(engine, inst, &key, args));
    };
    if engine.cx.types.has_containers() && !joins::in_operation(engine, inst, args, &resolution.params)? {
        return Ok(vec![None]);
    }
    if resolution.result == Type::UNDEFINED && engine.func.insts[inst].op != Op::Iternext {
        engine.take_out_of_nothing(inst);
        return Ok(vec![None]);
    }
    Ok(vec![Some(resolution.result)])
}

/// A part of an f-string, or all of it.
pub(crate) fn infer_written(engine: &Engine<'_>, inst: Inst, function: &str, args: &[Type]) -> Types {
    match engine.cx.catalog.resolve(engine.cx.types, &Key::Function(function.into()), args) {
        Some(resolution) => Ok(vec![Some(resolution.result)]),
        None => Err(diagnostics::unsupported_op(engine, inst)),
    }
}

fn infer_const(engine: &Engine<'_>, inst: Inst, id: ir::Const) -> Types {
    if let Some(ty) = type_of_const(engine.cx.types, &engine.func.consts, id) {
        return Ok(vec![Some(ty)]);
    }
    Err(diagnostics::unsupported_constant(engine, inst, engine.func.consts.get(id)))
}

/// A value stored to a name with a declared type has that type from there on.
fn infer_declared(engine: &Engine<'_>, inst: Inst, from: Type) -> Types {
    let declared = engine.func.insts[inst].attrs.iter().find_map(|attr| match attr {
        Attr::Type(ty) => Some(*ty),
        _ => None,
    });
    let to = declared.unwrap_or(from);
    match types::convert(engine.cx.types, engine.cx.types.unliteral(from), to) {
        Some(_) => Ok(vec![Some(to)]),
        None => Err(diagnostics::cannot_declare(engine, inst, from, to)),
    }
}

/// No path seen so far gives the name a value: one that comes later (the back edge of a loop) may.
fn infer_check_bound(args: &[Type]) -> Types {
    Ok(vec![Some(args[0]).filter(|&ty| ty != Type::UNDEFINED)])
}

fn infer_unary(engine: &mut Engine<'_>, inst: Inst, op: ir::UnaryOp, args: &[Type]) -> Types {
    let types = engine.cx.types;
    let known = match types.literal(args[0]) {
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
        _ => by_catalog(engine, inst, Key::Unary(op), args),
    }
}

fn infer_compare(engine: &mut Engine<'_>, inst: Inst, op: CompareOp, args: &[Type]) -> Types {
    let types = engine.cx.types;
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
    by_catalog(engine, inst, Key::Compare(op), args)
}

/// A comparison of integers that are known.
fn compare_known(op: CompareOp, a: i64, b: i64) -> Option<bool> {
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
fn infer_value(engine: &mut Engine<'_>, inst: Inst, value: &GlobalValue, what: &str) -> Types {
    match meaning(engine.cx.types, &mut engine.func.consts, value) {
        Meaning::Type(ty) => Ok(vec![Some(ty)]),
        Meaning::Constant(id, ty) => {
            engine.constants[inst] = Some(id);
            Ok(vec![Some(ty)])
        }
        Meaning::Unusable(why) => Err(diagnostics::unusable(engine, inst, what, &why)),
    }
}

fn infer_global(engine: &mut Engine<'_>, inst: Inst) -> Types {
    let name = engine.symbol(inst).to_owned();
    match engine.host.global(&name) {
        Some(value) => infer_value(engine, inst, &value, "global name"),
        None => Err(diagnostics::undefined_global(engine, inst)),
    }
}

fn infer_freevar(engine: &mut Engine<'_>, inst: Inst, index: usize) -> Types {
    match engine.host.freevar(index) {
        Some(value) => infer_value(engine, inst, &value, "closure variable"),
        None => Err(diagnostics::undefined_freevar(engine, inst)),
    }
}

fn infer_getattr(engine: &mut Engine<'_>, inst: Inst, of: Type) -> Types {
    let name = engine.symbol(inst).to_owned();
    let types = engine.cx.types;
    if let TypeData::Module(module) = types.get(of) {
        return match engine.host.module_attribute(&module, &name) {
            Some(value) => infer_value(engine, inst, &value, "attribute"),
            None => Err(diagnostics::no_module_attribute(engine, inst, &module)),
        };
    }
    if let TypeData::Function(class) = types.get(of)
        && let ("rumba.typed.Dict", "empty")
        | ("rumba.typed.List", "empty_list")
        | ("rumba.typed.Set", "empty")
        | ("builtins.dict", "fromkeys") = (&*class, &*name)
    {
        return Ok(vec![Some(types.intern(TypeData::Function(format!("{class}.{name}").into())))]);
    }
    if let TypeData::Object { object, .. } = types.get(of) {
        let found = engine.host.object_attribute(object, &name);
        return match found.map_err(|error| error.label(engine.func.insts[inst].span, "used here"))? {
            Some(value) => infer_value(engine, inst, &value, "attribute"),
            None => Err(diagnostics::unknown_attribute(engine, inst, of)),
        };
    }
    if let TypeData::NamedTuple { fields, types: elements, .. } = types.get(of)
        && let Some(at) = fields.iter().position(|field| *field == name)
    {
        return Ok(vec![Some(elements[at])]);
    }
    let field = || catalog::field_item(engine.cx.catalog, types, of, &name);
    if let Some(field) = types.record(of).and_then(|_| field()) {
        return Ok(vec![Some(field.result)]);
    }
    let key = Key::Getattr(name.as_str().into());
    if let Some(resolution) = engine.cx.catalog.resolve(types, &key, &[of]) {
        return Ok(vec![Some(resolution.result)]);
    }
    // A tuple has none of the methods of lists; what a library's type has, the library says.
    let lacks = match types.get(of) {
        TypeData::Tuple(_) => !["count", "index"].contains(&&*name),
        TypeData::Foreign { .. } => true,
        _ => false,
    };
    if !lacks && engine.cx.catalog.knows(&Key::Function(format!("method.{name}").into())) {
        return Ok(vec![Some(types.intern(TypeData::Method(of, name.into())))]);
    }
    if let Some(field) = field() {
        return Ok(vec![Some(field.result)]);
    }
    Err(diagnostics::unknown_attribute(engine, inst, of))
}

/// A loop over what has items of different types, or items whose types know their values, is written out.
fn infer_getiter(engine: &mut Engine<'_>, inst: Inst, of: Type) -> Types {
    let known = by_catalog(engine, inst, Key::Getiter, &[of]);
    if known.is_ok() && !static_dict::is_written_out(engine.cx.types, of) {
        return known;
    }
    match literally::write_out(engine, inst, of) {
        Some(restart) => Err(restart),
        None => known,
    }
}

/// Items of arrays, and what pointers point to.
fn infer_setitem(engine: &Engine<'_>, inst: Inst, args: &[Type]) -> Types {
    match engine.cx.catalog.resolve(engine.cx.types, &Key::Setitem, args) {
        Some(_) => Ok(vec![]),
        None if diagnostics::is_field(engine.cx.types, args) => {
            Err(diagnostics::no_field(engine, inst, args))
        }
        None if engine.cx.types.buffer(args[0]).is_some() => {
            Err(diagnostics::no_match(engine, inst, &Key::Setitem, args))
        }
        None => Err(diagnostics::unsupported_op(engine, inst)),
    }
}

/// Fields of records.
fn infer_setattr(engine: &Engine<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = engine.cx.types;
    if types.record(types.array(args[0]).map_or(args[0], |array| array.dtype)).is_none() {
        return match engine.cx.catalog.resolve(types, &Key::Setattr(engine.symbol(inst).into()), args) {
            Some(_) => Ok(vec![]),
            None => Err(diagnostics::unsupported_op(engine, inst)),
        };
    }
    let args = [args[0], types.literal_str(engine.symbol(inst)), args[1]];
    match engine.cx.catalog.resolve(types, &Key::Setitem, &args) {
        Some(_) => Ok(vec![]),
        None => Err(diagnostics::no_field(engine, inst, &args)),
    }
}

/// A tuple indexed with an integer known at compile time; an enumeration with a name.
fn infer_getitem(engine: &mut Engine<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = engine.cx.types;
    if let (TypeData::Object { object, .. }, Some(LiteralValue::Str(name))) =
        (types.get(args[0]), types.literal(args[1]))
        && let Some(value) = engine.host.object_item(object, &name)?
    {
        return infer_value(engine, inst, &value, "item");
    }
    if let (Some(elements), Some(LiteralValue::Int(index))) = (types.items(args[0]), types.literal(args[1])) {
        let at = if index < 0 { index + elements.len() as i64 } else { index };
        return match usize::try_from(at).ok().and_then(|at| elements.get(at)) {
            Some(&element) => Ok(vec![Some(element)]),
            None => Err(diagnostics::tuple_index(engine, inst, args[0], index)),
        };
    }
    if let (Some((names, _)), Some(LiteralValue::Str(key))) =
        (types.keywords(args[0]), types.literal(args[1]))
        && !names.iter().any(|name| **name == *key)
    {
        return Err(diagnostics::no_key(engine, inst, &names, &key));
    }
    if diagnostics::is_field(types, args) && engine.cx.catalog.resolve(types, &Key::Getitem, args).is_none() {
        return Err(diagnostics::no_field(engine, inst, args));
    }
    if types.elements(args[0]).is_some()
        && types.unliteral(args[1]).is_int()
        && joins::in_tuple(engine, engine.func.insts[inst].args[0])
    {
        return Ok(vec![None]);
    }
    by_catalog(engine, inst, Key::Getitem, args)
}

/// A slice; one whose parts are known at compile time has them in its type.
fn infer_build_slice(engine: &Engine<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = engine.cx.types;
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
                return Err(diagnostics::unsupported(engine, inst, &what));
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

/// A call of something of the catalog, by position.
pub(crate) fn infer_known_call(engine: &mut Engine<'_>, inst: Inst, callee: Type, args: &[Type]) -> Types {
    let types = engine.cx.types;
    match types.get(callee) {
        TypeData::Function(name) => by_catalog(engine, inst, Key::Function(name), args),
        TypeData::Class(ty) => by_catalog(engine, inst, Key::Construct(ty), args),
        TypeData::Method(of, name) => {
            let with_receiver: Vec<Type> = [of].iter().chain(args).copied().collect();
            let key = Key::Function(format!("method.{name}").into());
            by_catalog(engine, inst, key, &with_receiver)
        }
        TypeData::NamedTupleClass { name, fields, class } => {
            let data = TypeData::NamedTuple { name, fields, types: args.into(), class };
            Ok(vec![Some(types.intern(data))])
        }
        TypeData::ExceptionClass(class) => Ok(vec![Some(types.intern(TypeData::Exception(class)))]),
        TypeData::FunctionValue { params, result } => {
            first_class_functions::infer_call(engine, inst, callee, &params, result, args)
        }
        _ => Err(diagnostics::not_callable(engine, inst, callee)),
    }
}

fn infer_raise(engine: &Engine<'_>, inst: Inst, args: &[Type]) -> Types {
    match args {
        [ty] => match engine.cx.types.get(*ty) {
            TypeData::ExceptionClass(_) | TypeData::Exception(_) => Ok(vec![]),
            _ => Err(diagnostics::no_exception(engine, inst, *ty)),
        },
        [] => Err(diagnostics::unsupported(engine, inst, "`raise` without an exception")),
        _ => Err(diagnostics::unsupported(engine, inst, "`raise ... from`")),
    }
}
