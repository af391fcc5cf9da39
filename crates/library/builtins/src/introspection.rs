//! `type(x)`, `callable(x)`, `getattr` and `hasattr` with a constant name: decided by types.

use crate::emit_helpers::*;
use catalog::{Catalog, EmitFn, Key, Operand, Resolution, Rule};
use types::{BufferKind, LiteralValue, SetKind, Type, TypeData, TypeTable};

/// Attributes of Python's numbers, tuples and ranges that compiled code need not have.
const ATTRIBUTES: &[&str] = &[
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "count",
    "denominator",
    "from_bytes",
    "fromhex",
    "hex",
    "imag",
    "index",
    "is_integer",
    "numerator",
    "real",
    "start",
    "step",
    "stop",
    "to_bytes",
];

/// Their special attributes, without the underscores.
const SPECIAL: &[&str] = &[
    "abs",
    "add",
    "and",
    "bool",
    "ceil",
    "class",
    "class_getitem",
    "complex",
    "contains",
    "delattr",
    "dir",
    "divmod",
    "doc",
    "eq",
    "float",
    "floor",
    "floordiv",
    "format",
    "ge",
    "getattribute",
    "getformat",
    "getitem",
    "getnewargs",
    "getstate",
    "gt",
    "hash",
    "index",
    "init",
    "init_subclass",
    "int",
    "invert",
    "iter",
    "le",
    "len",
    "lshift",
    "lt",
    "mod",
    "mul",
    "ne",
    "neg",
    "new",
    "or",
    "pos",
    "pow",
    "radd",
    "rand",
    "rdivmod",
    "reduce",
    "reduce_ex",
    "repr",
    "reversed",
    "rfloordiv",
    "rlshift",
    "rmod",
    "rmul",
    "ror",
    "round",
    "rpow",
    "rrshift",
    "rshift",
    "rsub",
    "rtruediv",
    "rxor",
    "setattr",
    "sizeof",
    "str",
    "sub",
    "subclasshook",
    "truediv",
    "trunc",
    "xor",
];

/// Those that everything has.
const OF_ALL: &[&str] = &[
    "__class__",
    "__delattr__",
    "__dir__",
    "__doc__",
    "__eq__",
    "__format__",
    "__ge__",
    "__getattribute__",
    "__gt__",
    "__hash__",
    "__init__",
    "__init_subclass__",
    "__le__",
    "__lt__",
    "__ne__",
    "__new__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__setattr__",
    "__sizeof__",
    "__str__",
    "__subclasshook__",
];

/// Classes that `type` gives, or that calls name.
const CLASSES: &[&str] = &[
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "memoryview",
    "object",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
    "NoneType",
];

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.type", resolve_type).reads();
    catalog.add(Key::Getattr("__class__".into()), Rule::Generic(resolve_type));
    for name in ["__name__", "__qualname__"] {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(resolve_name));
    }
    catalog.state(&[
        ("builtins.type", "shows"),
        ("builtins.getattr", "special=getattr returns=object@0,default@2"),
    ]);
    catalog.add_generic("builtins.callable", resolve_callable).reads();
    catalog.add_nested("builtins.getattr", resolve_getattr).reads();
    catalog
        .add_nested("builtins.hasattr", |catalog, types, args| {
            let [of, name] = *args else { return None };
            let is_of_all =
                matches!(types.literal(name), Some(LiteralValue::Str(name)) if OF_ALL.contains(&&*name));
            let known =
                is_of_all || has_member(types, of, name) || attribute(catalog, types, of, name)?.is_some();
            let emit = if known { const_true } else { const_false };
            Some(Resolution { result: types.literal_bool(known), params: args.to_vec(), emit })
        })
        .reads();
}

/// Whether all objects of a class have a field, a method or a property of that name.
fn has_member(types: &TypeTable, of: Type, name: Type) -> bool {
    let (Some(class), Some(LiteralValue::Str(name))) = (types.class(of), types.literal(name)) else {
        return false;
    };
    class.members.contains_key(&*name)
        || class.sets_all_fields && class.fields.iter().any(|(field, _)| **field == *name)
}

/// The meaning of an attribute of a value, if it has one; nothing at all where that is not known here.
fn attribute(catalog: &Catalog, types: &TypeTable, of: Type, name: Type) -> Option<Option<Resolution>> {
    let LiteralValue::Str(name) = types.literal(name)? else { return None };
    if let Some(found) = catalog.resolve(types, &Key::Getattr(name.clone()), &[of]) {
        return Some(Some(found));
    }
    let known =
        matches!(types.get(types.unliteral(of)), TypeData::Tuple(_) | TypeData::Range(_) | TypeData::None)
            || types.unliteral(of).is_number()
            || types.unliteral(of) == Type::BOOL;
    let is_of_python = ATTRIBUTES.contains(&&*name) || SPECIAL.contains(&name.trim_matches('_'));
    let is_method = catalog.knows(&Key::Function(format!("method.{name}").into()));
    (known && !is_of_python && !is_method).then_some(None)
}

/// `getattr(x, "name")`, with a default for a name that the value does not have.
fn resolve_getattr(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (of, name) = match *args {
        [of, name] | [of, name, _] => (of, name),
        _ => return None,
    };
    match (attribute(catalog, types, of, name)?, args.get(2)) {
        (Some(found), _) => {
            let params = [found.params[0]].into_iter().chain(args[1..].iter().copied()).collect();
            Some(Resolution { params, ..found })
        }
        (None, Some(&default)) => {
            let emit: EmitFn = |_, args| Ok(args[2].clone());
            Some(Resolution { result: default, params: args.to_vec(), emit })
        }
        (None, None) => None,
    }
}

fn resolve_type(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let plain = types.unliteral(ty);
    let class = match types.get(plain) {
        // As they are when they arrive in Python.
        TypeData::Bool => TypeData::Function("builtins.bool".into()),
        _ if plain == Type::INT64 => TypeData::Function("builtins.int".into()),
        _ if plain == Type::FLOAT64 => TypeData::Function("builtins.float".into()),
        _ if plain == Type::COMPLEX128 => TypeData::Function("builtins.complex".into()),
        TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Complex { .. } => TypeData::Class(plain),
        // What a variable may hold besides is written in its type.
        TypeData::Instance { .. } if types.class(plain).is_some() => TypeData::Class(plain),
        TypeData::Tuple(_) => TypeData::Function("builtins.tuple".into()),
        TypeData::NamedTuple { name, fields, class, .. } => TypeData::NamedTupleClass { name, fields, class },
        TypeData::Range(_) => TypeData::Function("builtins.range".into()),
        TypeData::Str => TypeData::Function("builtins.str".into()),
        TypeData::List { typed: false, .. } if !types.is_deque(plain) => {
            TypeData::Function("builtins.list".into())
        }
        TypeData::FixedList(_) => TypeData::Function("builtins.list".into()),
        TypeData::Set { kind: SetKind::Plain, .. } => TypeData::Function("builtins.set".into()),
        _ if types.is_frozenset(plain) => TypeData::Function("builtins.frozenset".into()),
        TypeData::Buffer(BufferKind::Bytes, _) => TypeData::Function("builtins.bytes".into()),
        TypeData::Buffer(BufferKind::ByteArray, _) => TypeData::Function("builtins.bytearray".into()),
        TypeData::Slice { .. } | TypeData::LiteralSlice { .. } => TypeData::Function("builtins.slice".into()),
        _ if types.array(plain).is_some() => TypeData::Function("numpy.ndarray".into()),
        TypeData::None => TypeData::Function("builtins.NoneType".into()),
        // There, or that of None.
        TypeData::Optional(inner) => TypeData::Optional(resolve_type(types, &[inner])?.result),
        _ => return None,
    };
    if let TypeData::Optional(_) = class {
        let emit: catalog::EmitFn = |_, args| single(Type::BOOL, args[0].parts[0]);
        return Some(Resolution { result: types.intern(class), params: vec![ty], emit });
    }
    let emit: catalog::EmitFn = |emit, _| Ok(emit.undefined(Type::NONE));
    Some(Resolution { result: types.intern(class), params: vec![ty], emit })
}

/// The name of a class of Python's.
fn resolve_name(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Function(class) = types.get(ty) else { return None };
    let name = class.strip_prefix("builtins.").filter(|name| CLASSES.contains(name))?;
    // The type says it.
    let emit: EmitFn = |emit, args| {
        let name = match emit.types.get(args[0].ty) {
            TypeData::Function(class) => class.rsplit('.').next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        Ok(Operand::new(emit.types.literal_str(&name), []))
    };
    Some(Resolution { result: types.literal_str(name), params: args.to_vec(), emit })
}

fn resolve_callable(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let known = match types.get(types.unliteral(ty)) {
        TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::ExceptionClass(_)
        | TypeData::Method(..)
        | TypeData::Dispatcher(_) => true,
        TypeData::Undefined | TypeData::PyObject => return None,
        _ => false,
    };
    let emit = if known { const_true } else { const_false };
    Some(Resolution { result: types.literal_bool(known), params: vec![ty], emit })
}
