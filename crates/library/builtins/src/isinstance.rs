//! `isinstance`: decided by the type of the value, so a branch on it makes only one path reachable.

use crate::emit_helpers::{bool_not, const_false, const_true, single};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, exception_classes};
use diag::Result;
use types::{BufferKind, EnumKind, SetKind, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.isinstance", resolve).reads();
    catalog.add_generic("builtins.issubclass", resolve_subclass).reads();
    catalog.state(&[("builtins.isinstance", "shows")]);
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [value, class] = *args else { return None };
    if matches!(types.get(value), TypeData::Caught(_)) {
        // Only the run time knows.
        exception_classes(types, class)?;
        return Some(Resolution { result: Type::BOOL, params: vec![value, class], emit: is_caught });
    }
    let present = types.without_none(value);
    if let TypeData::Union(members) | TypeData::TaggedUnion(members) = types.get(present) {
        // Of what may be of several classes or types only the run time knows, unless all agree, None among them.
        let none = (present != value).then_some(Type::NONE);
        let all = members.iter().copied().chain(none);
        let known: Vec<bool> = all.map(|one| is_instance(types, one, class)).collect::<Option<_>>()?;
        let agree = known.iter().all(|&one| one == known[0]);
        let result = if agree { types.literal_bool(known[0]) } else { Type::BOOL };
        return Some(Resolution { result, params: vec![value, class], emit: is_one_of });
    }
    if let TypeData::Optional(inner) = types.get(value) {
        // The same of one class.
        let (there, none) = (is_instance(types, inner, class)?, is_instance(types, Type::NONE, class)?);
        let emit: EmitFn = match (there, none) {
            (true, true) => const_true,
            (true, false) => is_there,
            (false, true) => is_absent,
            (false, false) => const_false,
        };
        let result = if there == none { types.literal_bool(there) } else { Type::BOOL };
        return Some(Resolution { result, params: vec![value, class], emit });
    }
    let known = is_instance(types, types.unliteral(value), class)?;
    Some(Resolution { result: types.literal_bool(known), params: vec![value, class], emit: constant })
}

/// `issubclass` of the class of what was caught.
fn resolve_subclass(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [class, wanted] = *args else { return None };
    exception_classes(types, wanted)?;
    let params = vec![class, wanted];
    (types.get(class) == TypeData::CaughtClass).then(|| Resolution {
        result: Type::BOOL,
        params,
        emit: is_caught,
    })
}

/// Whether a value of this type is an instance of the class, or of one in a tuple of classes; nothing
/// for classes without a meaning here.
fn is_instance(types: &TypeTable, value: Type, class: Type) -> Option<bool> {
    let data = types.get(value);
    if matches!(data, TypeData::Optional(_) | TypeData::Undefined | TypeData::PyObject) {
        return None;
    }
    match types.get(class) {
        TypeData::Tuple(classes) => {
            // As in Python classes after the first that fits are not looked at.
            for &class in classes.iter() {
                if is_instance(types, value, class)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        // Members of enumerations tell no more of their class than its number.
        TypeData::Object { object, .. } => types.is_of_class(value, object).then_some(true),
        TypeData::Class(ty) => Some(types.derives_from(value, ty)),
        TypeData::NamedTupleClass { class, .. } => {
            Some(matches!(data, TypeData::NamedTuple { class: own, .. } if own == class))
        }
        TypeData::Function(name) => match &*name {
            // A boolean is an int, as in Python; NumPy's narrow numbers are of other classes.
            "builtins.int" => {
                Some(matches!(data, TypeData::Bool | TypeData::Int { bits: 64, .. }) || is_int_enum(&data))
            }
            // What a member is besides is Python's to know.
            _ if matches!(data, TypeData::Enum { kind: EnumKind::Mixed, .. }) => None,
            "builtins.bool" => Some(value == Type::BOOL),
            "builtins.float" => Some(value == Type::FLOAT64),
            "builtins.complex" => Some(value == Type::COMPLEX128),
            "builtins.tuple" => Some(types.elements(value).is_some()),
            // What arrays hold of text is of classes that derive from Python's.
            "builtins.str" => Some(matches!(data, TypeData::Str | TypeData::CharSeq { wide: true, .. })),
            "builtins.range" => Some(matches!(data, TypeData::Range(_))),
            "builtins.slice" => Some(matches!(data, TypeData::Slice { .. })),
            "builtins.object" => Some(true),
            "numpy.datetime64" => Some(types.time(value).is_some_and(|(_, span)| !span)),
            "numpy.timedelta64" => Some(types.time(value).is_some_and(|(_, span)| span)),
            "builtins.list" => {
                Some(matches!(data, TypeData::FixedList(_) | TypeData::List { typed: false, .. }))
            }
            "rumba.typed.List" => Some(matches!(data, TypeData::List { typed: true, .. })),
            // Of dicts nobody can tell.
            "rumba.typed.Dict" if !matches!(data, TypeData::Dict { missing: Type::NONE, .. }) => Some(false),
            "collections.deque" => Some(types.is_deque(value)),
            "collections.Counter" => Some(types.is_counter(value)),
            "collections.OrderedDict" => Some(types.is_ordered_dict(value)),
            "collections.defaultdict" => Some(types.missing(value).is_some() && !types.is_counter(value)),
            "builtins.dict" => Some(matches!(data, TypeData::StaticDict { .. } | TypeData::Dict { .. })),
            "builtins.set" => Some(matches!(data, TypeData::Set { kind: SetKind::Plain, .. })),
            "builtins.bytes" => Some(matches!(
                data,
                TypeData::Buffer(BufferKind::Bytes, _) | TypeData::CharSeq { wide: false, .. }
            )),
            // Of these there are no values yet.
            "builtins.frozenset" => Some(types.is_frozenset(value)),
            "builtins.NoneType" => Some(value == Type::NONE),
            "builtins.bytearray" => Some(matches!(data, TypeData::Buffer(BufferKind::ByteArray, _))),
            "builtins.memoryview" => Some(matches!(data, TypeData::Buffer(BufferKind::MemoryView, _))),
            name => match name.strip_prefix("collections.abc.") {
                Some(name) => has_interface(types, value, name),
                None => is_number_like(types, value, name),
            },
        },
        _ => None,
    }
}

/// Whether a value is of a class of arrays or numbers that stands above those that values have. Numbers of compiled code are Python's and
/// NumPy's alike.
fn is_number_like(types: &TypeTable, value: Type, class: &str) -> Option<bool> {
    // A span of time is an integer, as in NumPy.
    let is_span = types.time(value).is_some_and(|(_, span)| span);
    let is_int = value.is_int() || is_span;
    let is_signed = value.as_int().is_some_and(|(_, signed)| signed);
    let (is_float, is_complex, is_bool) = (value.is_float(), value.is_complex(), value == Type::BOOL);
    Some(match class {
        "numpy.ndarray" => types.array(value).is_some(),
        "numpy.integer" => is_int,
        "numpy.signedinteger" => is_signed || is_span,
        "numpy.unsignedinteger" => is_int && !is_signed && !is_span,
        "numpy.floating" => is_float,
        "numpy.complexfloating" => is_complex,
        "numpy.inexact" => is_float || is_complex,
        "numpy.number" => is_int || is_float || is_complex,
        "numpy.generic" => {
            is_int
                || is_float
                || is_complex
                || is_bool
                || types.time(value).is_some()
                || types.record(value).is_some()
        }
        "numbers.Integral" | "numbers.Rational" => is_int || is_bool,
        "numbers.Real" => is_int || is_bool || is_float,
        "numbers.Complex" | "numbers.Number" => is_int || is_bool || is_float || is_complex,
        _ => return None,
    })
}

/// Whether a value is of one of the abstract classes of containers, as Python's classes are.
fn has_interface(types: &TypeTable, value: Type, class: &str) -> Option<bool> {
    use BufferKind::{ByteArray, Bytes, MemoryView};
    let data = types.get(value);
    let is_list = matches!(data, TypeData::List { .. } | TypeData::FixedList(_));
    let is_bytes = matches!(data, TypeData::Buffer(Bytes | ByteArray | MemoryView, _));
    let is_dict = matches!(data, TypeData::Dict { .. } | TypeData::StaticDict { .. });
    let is_set = matches!(data, TypeData::Set { .. });
    let is_tuple = types.elements(value).is_some();
    let is_text = matches!(data, TypeData::Str | TypeData::CharSeq { .. } | TypeData::Range(_));
    let is_sequence = is_list || is_tuple || is_text || is_bytes;
    let is_array = types.array(value).is_some_and(|array| array.ndim > 0);
    let is_plain =
        value.is_number() || matches!(value, Type::BOOL | Type::NONE) || types.time(value).is_some();
    let is_known = is_sequence || is_dict || is_set || is_array || is_plain;
    Some(match class {
        "Sequence" => is_sequence,
        "MutableSequence" => is_list || matches!(data, TypeData::Buffer(ByteArray, _)),
        "Mapping" | "MutableMapping" => is_dict,
        "Set" => is_set,
        "MutableSet" => is_set && !types.is_frozenset(value),
        "Sized" | "Iterable" | "Container" | "Collection" | "Hashable" if !is_known => return None,
        "Sized" | "Iterable" | "Container" | "Collection" => !is_plain,
        "Hashable" => {
            is_plain
                || is_tuple
                || is_text
                || types.is_frozenset(value)
                || matches!(data, TypeData::Buffer(Bytes | MemoryView, _))
        }
        _ => return None,
    })
}

fn is_int_enum(data: &TypeData) -> bool {
    matches!(data, TypeData::Enum { kind: EnumKind::Integer, .. })
}

fn is_caught(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let classes = exception_classes(emit.types, args[1].ty).unwrap_or_default();
    let found = emit.is_caught(&args[0], &classes);
    single(Type::BOOL, found)
}

fn is_one_of(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let present = emit.types.without_none(args[0].ty);
    let members = emit.types.classes(present).unwrap_or_else(|| emit.types.alternatives(present));
    let fits = |&member: &Type| is_instance(emit.types, member, args[1].ty) == Some(true);
    let (wanted, none): (Vec<bool>, bool) = (members.iter().map(fits).collect(), fits(&Type::NONE));
    if present == args[0].ty {
        let found = emit.is_in(args[0].parts[0], &wanted);
        return single(Type::BOOL, found);
    }
    let (found, absent) = (emit.is_in(args[0].parts[1], &wanted), emit.b.bool(none));
    let found = emit.b.select(args[0].parts[0], found, absent);
    single(Type::BOOL, found)
}

fn is_absent(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let absent = bool_not(emit, args[0].parts[0]);
    single(Type::BOOL, absent)
}

fn is_there(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    single(Type::BOOL, args[0].parts[0])
}

fn constant(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.types.unliteral(args[0].ty);
    let known = is_instance(emit.types, value, args[1].ty) == Some(true);
    let result = emit.types.literal_bool(known);
    let truth = emit.b.bool(known);
    single(result, truth)
}
