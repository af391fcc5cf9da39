//! Objects of classes: a new one, its fields, identity.
//!
//! Absent: methods and properties, which are calls of compiled functions (`infer::classes`).

use crate::emit_helpers::*;
use abi::{ExceptionClass, Runtime};
use catalog::object_layout::{Field, ObjectLayout, load_identifying_fields, part_that_tells};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, closure_cell};
use diag::{Diagnostic, Result};
use ir::{CompareOp, IntCond, Native, Op, UnaryOp, Value};
use types::{ArrayType, LiteralValue, Type, TypeData, TypeTable, convert};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.new_object", resolve_new).reads();
    catalog.add_generic("rumba.field", resolve_get).reads();
    catalog.add_generic("rumba.set_field", resolve_set);
    catalog.add_generic("rumba.cell_contents", resolve_contents).reads();
    macro_rules! identity {
        ($($op:ident $same:literal)*) => {
            $(catalog.add(
                Key::Compare(CompareOp::$op),
                Rule::Generic(|types, args| resolve_identity(types, args, CompareOp::$op, $same)),
            );)*
        };
    }
    identity! { Is true IsNot false Eq true Ne false }
    catalog.add(Key::Compare(CompareOp::Eq), Rule::Generic(resolve_equal_fields));
    for key in [Key::Unary(UnaryOp::Bool), Key::Construct(Type::BOOL)] {
        catalog.add(key, Rule::Generic(|types, args| resolve_truth(types, args, const_true)));
    }
    catalog
        .add(Key::Unary(UnaryOp::Not), Rule::Generic(|types, args| resolve_truth(types, args, const_false)));
}

/// `new_object(type)`: all fields are unset.
fn resolve_new(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [class] = *args else { return None };
    let TypeData::Class(result) = types.get(class) else { return None };
    ObjectLayout::of(types, result)?;
    Some(Resolution { result, params: args.to_vec(), emit: new })
}

fn new(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let known = match emit.types.get(args[0].ty) {
        TypeData::Class(ty) => ObjectLayout::of(emit.types, ty).map(|layout| (ty, layout)),
        _ => None,
    };
    let Some((ty, layout)) = known else {
        return Err(Diagnostic::internal("emission", "an object of what is no class"));
    };
    let mask = |emit: &mut Emit<'_>, group: usize| {
        let mask = layout.masks.get(group).copied().unwrap_or_default();
        emit.b.iconst(Native::I64, mask.cast_signed())
    };
    let words = emit.b.iconst(Native::I64, layout.words);
    let first = mask(emit, 0);
    let owner = emit.call_runtime(Runtime::ObjectNew, &[words, first])[0];
    let nothing = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, owner, nothing);
    emit.raise_if(failed, ExceptionClass::MemoryError, "cannot allocate an object");
    emit.refs.temporaries.push(owner);
    let object = Operand::single(ty, owner);
    for group in 1..layout.masks.len() {
        let fields = fields_of(emit, &object);
        let mask = mask(emit, group);
        emit.b.store(fields, 8 * (layout.words + group as i64), mask);
    }
    Ok(object)
}

/// The address of the first field.
fn fields_of(emit: &mut Emit<'_>, object: &Operand) -> Value {
    let block = emit.b.convert(Op::Bitcast, object.value(), Native::Ptr);
    let head = emit.b.iconst(Native::I64, abi::ITEMS + abi::FIELDS);
    emit.b.native(Op::PtrAdd, [], &[block, head], Native::Ptr)
}

fn field(types: &TypeTable, of: Type, name: Type) -> Option<Field> {
    let LiteralValue::Str(name) = types.literal(name)? else { return None };
    ObjectLayout::of(types, types.without_none(of))?.field(&name).cloned()
}

/// The field that is meant, and its address.
fn open(emit: &mut Emit<'_>, args: &[Operand]) -> Result<(Field, Value)> {
    let Some(field) = field(emit.types, args[0].ty, args[1].ty) else {
        return Err(Diagnostic::internal("emission", "a field of what has none"));
    };
    let mut object = args[0].value();
    if let [present, word] = args[0].parts[..] {
        let absent = bool_not(emit, present);
        let message = format!("'NoneType' object has no attribute '{}'", field.name);
        emit.raise_if(absent, ExceptionClass::AttributeError, &message);
        object = word;
    }
    let block = emit.b.convert(Op::Bitcast, object, Native::Ptr);
    let pointer = emit.b.iconst(Native::I64, abi::ITEMS + abi::FIELDS + field.offset);
    let address = emit.b.native(Op::PtrAdd, [], &[block, pointer], Native::Ptr);
    Ok((field, address))
}

/// `object.name`, asked for with the name as a literal.
fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, name] = *args else { return None };
    let result = field(types, of, name)?.ty;
    Some(Resolution { result, params: args.to_vec(), emit: get })
}

fn get(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (field, address) = open(emit, args)?;
    let value = field.slot.load(emit, field.ty, address);
    if let Some(part) = part_that_tells(emit.types, field.ty) {
        let native = emit.b.func.native(value.parts[part]);
        let word = match native {
            Native::Ptr => emit.b.convert(Op::Bitcast, value.parts[part], Native::I64),
            _ => value.parts[part],
        };
        let zero = emit.b.iconst(Native::I64, 0);
        let unset = emit.b.icmp(IntCond::Eq, word, zero);
        let message = format!("field '{}' is read before it is set", field.name);
        emit.raise_if(unset, ExceptionClass::AttributeError, &message);
    }
    Ok(value)
}

/// What a variable on the heap holds.
fn resolve_contents(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [cell] = *args else { return None };
    let TypeData::HeapCell(result) = types.get(cell) else { return None };
    Some(Resolution { result, params: args.to_vec(), emit: contents })
}

fn contents(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (TypeData::HeapCell(content), Some(pointer)) =
        (emit.types.get(args[0].ty), closure_cell::address(emit, &args[0]))
    else {
        return Err(Diagnostic::internal("emission", "the content of what is no variable"));
    };
    Ok(closure_cell::load(emit, pointer, content, Some((ExceptionClass::ValueError, "Cell is empty"))))
}

/// `object.name = value`.
fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, name, value] = *args else { return None };
    let to = field(types, of, name)?.ty;
    let taken = match convert(types, value, to) {
        Some(_) => to,
        None => unwritable(types, to).filter(|&unwritable| convert(types, value, unwritable).is_some())?,
    };
    Some(Resolution { result: Type::NONE, params: vec![of, name, taken], emit: set })
}

/// The type of the same array that may not be written. A field whose type says otherwise takes such arrays, as Numba's do:
/// libraries store results of `broadcast_to`.
fn unwritable(types: &TypeTable, field: Type) -> Option<Type> {
    let array = types.array(field)?;
    Some(types.intern(TypeData::Array(ArrayType { mutable: false, ..array })))
}

fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (field, address) = open(emit, args)?;
    let before = field.slot.load(emit, field.ty, address);
    field.slot.store(emit, address, &args[2]);
    emit.take_refs(&before);
    for owner in emit.owners(&before) {
        emit.release(owner);
    }
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_identity(types: &TypeTable, args: &[Type], op: CompareOp, same: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (types.without_none(a), types.without_none(b));
    if types.classes(x).is_none() || types.classes(y).is_none() {
        return None;
    }
    // What objects are equal to, their class may say.
    let decides = |ty: Type| types.has_member(ty, &["__eq__", "__ne__"]);
    if matches!(op, CompareOp::Eq | CompareOp::Ne) && (decides(x) || decides(y)) {
        return None;
    }
    let emit: EmitFn = match same {
        true => |emit, args| {
            let same = is_same(emit, &args[0], &args[1]);
            single(Type::BOOL, same)
        },
        false => |emit, args| {
            let same = is_same(emit, &args[0], &args[1]);
            let differ = bool_not(emit, same);
            single(Type::BOOL, differ)
        },
    };
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// Keys of tables that are equal if their fields are. Elsewhere the class is asked.
fn resolve_equal_fields(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let is_key =
        a == b && types.identifying_fields(a).is_some() && types.is_key(a) && !types.is_key_by_methods(a);
    is_key.then(|| Resolution { result: Type::BOOL, params: args.to_vec(), emit: equal_fields })
}

fn equal_fields(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let fields =
        |emit: &mut Emit<'_>, at: usize| load_identifying_fields(emit, &args[at]).unwrap_or_default();
    let (ours, theirs) = (fields(emit, 0), fields(emit, 1));
    let mut same = emit.b.bool(true);
    for (one, other) in ours.into_iter().zip(theirs) {
        let equal = emit.call(&Key::Compare(CompareOp::Eq), &[one, other])?.value();
        same = bool_and(emit, same, equal);
    }
    single(Type::BOOL, same)
}

/// Whether a value is there, and its word.
fn opened(emit: &mut Emit<'_>, value: &Operand) -> (Value, Value) {
    let word = value.parts[value.parts.len() - 1];
    match emit.types.get(value.ty) {
        TypeData::Optional(_) => (value.parts[0], word),
        _ => (emit.b.bool(true), word),
    }
}

/// Whether two values are one object, or both None.
fn is_same(emit: &mut Emit<'_>, a: &Operand, b: &Operand) -> Value {
    let ((has_a, a), (has_b, b)) = (opened(emit, a), opened(emit, b));
    let alike = emit.b.icmp(IntCond::Eq, has_a, has_b);
    let one = emit.b.icmp(IntCond::Eq, a, b);
    let neither = bool_not(emit, has_a);
    let one = bool_or(emit, one, neither);
    bool_and(emit, alike, one)
}

/// An object whose class says nothing else is true.
fn resolve_truth(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [of] = *args else { return None };
    types.classes(of)?;
    let says = types.has_member(of, &["__bool__", "__len__"]);
    (!says).then(|| Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}
