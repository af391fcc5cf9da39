//! Names of types as users of Numba see them.
//!
//! Absent: how they are read back (`parse_names`).

use crate::{EnumKind, LiteralValue, ManagerKind, SetKind, Type, TypeData, TypeTable};
use std::fmt::Write;

impl TypeTable {
    /// The printed form: `int64`, `UniTuple(float64 x 3)`, `Literal[int](7)`, `OptionalType(int64)`.
    pub fn name(&self, ty: Type) -> String {
        match self.get(ty) {
            TypeData::Undefined => "undefined".into(),
            TypeData::None => "none".into(),
            TypeData::Ellipsis => "ellipsis".into(),
            TypeData::Bool => "bool".into(),
            TypeData::Int { bits, signed } => format!("{}int{bits}", if signed { "" } else { "u" }),
            TypeData::Float { bits } => format!("float{bits}"),
            TypeData::Complex { bits } => format!("complex{bits}"),
            TypeData::Str => "unicode_type".into(),
            TypeData::Literal(LiteralValue::Int(v)) => format!("Literal[int]({v})"),
            TypeData::Literal(LiteralValue::Bool(v)) => {
                format!("Literal[bool]({})", if v { "True" } else { "False" })
            }
            TypeData::Literal(LiteralValue::Str(v)) => format!("Literal[str]({v})"),
            TypeData::Optional(inner) => format!("OptionalType({})", self.name(inner)),
            TypeData::Tuple(elements) => self.tuple_name(&elements),
            TypeData::NamedTuple { name, types, .. } => format!("{name}({})", self.names(&types)),
            TypeData::Enum { name, value, kind, .. } => {
                let prefix = if kind == EnumKind::Integer { "Int" } else { "" };
                format!("{prefix}Enum<{}>({name})", self.name(value))
            }
            TypeData::StaticDict { names, types } => {
                let part = |(name, &ty): (&String, &Type)| format!("{name}: {}", self.name(ty));
                let parts: Vec<String> = names.iter().zip(types.iter()).map(part).collect();
                format!("Keywords({})", parts.join(", "))
            }
            TypeData::FixedList(tuple) => {
                let name = self.name(tuple);
                let items = name.strip_prefix("UniTuple").or_else(|| name.strip_prefix("Tuple"));
                items.map_or(name.clone(), |items| format!("list{items}"))
            }
            TypeData::NamedTupleClass { name, .. } => format!("class({name})"),
            TypeData::Range(index) => format!("range_state_{}", self.name(index)),
            TypeData::Iterator(of) => match self.get(of) {
                TypeData::Range(index) => format!("range_iter_{}", self.name(index)),
                _ => format!("iter({})", self.name(of)),
            },
            TypeData::Slice { members: 3 } => "slice<a:b:c>".into(),
            TypeData::Slice { .. } => "slice<a:b>".into(),
            TypeData::LiteralSlice { start, stop, step } => {
                let part = |part: Option<i64>| part.map_or("none".into(), |part| part.to_string());
                format!("Literal[slice]({}, {}, {})", part(start), part(stop), part(step))
            }
            TypeData::Facet { facet, of } => format!("{}({})", facet.name(), self.name(of)),
            TypeData::Enumerate(of) => format!("enumerate({})", self.name(of)),
            TypeData::Zip(of) => format!("zip({})", self.names(&of)),
            TypeData::Function(name) => format!("Function({name})"),
            TypeData::Class(of) => format!("class({})", self.name(of)),
            TypeData::Module(name) => format!("Module({name})"),
            TypeData::ExceptionClass(class) => format!("ExceptionClass({class})"),
            TypeData::ExceptionClassChoice(classes) => {
                let classes: Vec<String> = classes.iter().map(u32::to_string).collect();
                format!("ExceptionClasses({})", classes.join(", "))
            }
            TypeData::Exception { class, args, names } => self.exception_name(class, &args, &names),
            TypeData::Caught(known) if known.is_empty() => CAUGHT.into(),
            TypeData::Caught(known) => format!("{CAUGHT}({})", self.names(&known)),
            TypeData::CaughtClass => CAUGHT_CLASS.into(),
            TypeData::CaughtTraceback => CAUGHT_TRACEBACK.into(),
            TypeData::PyObject => PY_OBJECT.into(),
            TypeData::Manager { kind: ManagerKind::ChunkSize, .. } => "parallel_chunksize".into(),
            TypeData::Manager { kind: ManagerKind::Suppress, of } => format!("suppress({})", self.name(of)),
            TypeData::Manager { of, .. } => format!("nullcontext({})", self.name(of)),
            TypeData::Method(of, name) => format!("BoundFunction({name} of {})", self.name(of)),
            TypeData::Dispatcher(handle) => format!("type(Dispatcher({}))", self.function_name(handle)),
            TypeData::Closure { function, .. } => format!("closure({})", self.function_name(function)),
            TypeData::Choice(members) => format!("choice({})", self.names(&members)),
            TypeData::Union(members) | TypeData::TaggedUnion(members) => {
                let names: Vec<String> = members.iter().map(|&member| self.name(member)).collect();
                names.join(" | ")
            }
            TypeData::Map { function, iterators, .. } => {
                format!("map({}, {})", self.name(function), self.names(&iterators))
            }
            TypeData::Filter { function, iterator } => {
                format!("filter({}, {})", self.name(function), self.name(iterator))
            }
            TypeData::GeneratorExpr { iterator, item, .. } => {
                format!("generator({} of {})", self.name(item), self.name(iterator))
            }
            TypeData::GeneratorObject { item, result, sent, .. } => {
                let result =
                    if result == Type::NONE { String::new() } else { format!("({})", self.name(result)) };
                let sent =
                    if sent == Type::NONE { String::new() } else { format!(" of {}", self.name(sent)) };
                format!("{} generator{result}{sent}", self.name(item))
            }
            TypeData::Scratch(tuple) => format!("scratch({})", self.name(tuple)),
            TypeData::FunctionValue { params, result } => {
                format!("FunctionType[{}({})]", self.name(result), self.names(&params))
            }
            TypeData::PythonFunction { name, params, result, .. } => {
                let params = params.map_or_else(|| "...".to_owned(), |params| self.names(&params));
                format!("PythonFunction[{name}: {}({params})]", self.name(result))
            }
            TypeData::Pointer(None) => "void*".into(),
            TypeData::Pointer(Some(of)) => format!("{}*", self.name(of)),
            TypeData::Cell(number) => format!("cell({number})"),
            TypeData::HeapCell(content) => format!("heap cell({})", self.name(content)),
            TypeData::Native { symbol, .. } => format!("Function({symbol})"),
            TypeData::Opaque { name, .. }
            | TypeData::Foreign { name, .. }
            | TypeData::Instance { name, .. }
            | TypeData::Object { name, .. } => name.to_string(),
            TypeData::Omitted(of) => format!("omitted({})", self.name(of)),
            TypeData::List { item, typed: true } => format!("ListType[{}]", self.name(item)),
            TypeData::List { item, .. } => format!("reflected list({})", self.name(item)),
            TypeData::Deque { item } => format!("deque[{}]", self.name(item)),
            TypeData::Dict { key, value, missing: Type::NONE } => {
                format!("DictType[{},{}]", self.name(key), self.name(value))
            }
            TypeData::Dict { key, value, .. } if self.is_counter(ty) => {
                format!("Counter[{},{}]", self.name(key), self.name(value))
            }
            TypeData::Dict { key, value, .. } if self.is_ordered_dict(ty) => {
                format!("OrderedDict[{},{}]", self.name(key), self.name(value))
            }
            TypeData::Dict { key, value, missing } => {
                format!("defaultdict[{},{},{}]", self.name(missing), self.name(key), self.name(value))
            }
            TypeData::Set { item, kind: SetKind::Typed } => format!("SetType[{}]", self.name(item)),
            TypeData::Set { item, kind: SetKind::Frozen } => format!("frozenset[{}]", self.name(item)),
            TypeData::Set { item, .. } => format!("reflected set({})", self.name(item)),
            TypeData::Array(array) => self.array_name(&array),
            TypeData::ArrayBuilder { array, growable } => {
                format!("{}({})", if growable { GROWABLE_BUILDER } else { BUILDER }, self.name(array))
            }
            TypeData::Buffer(kind, items) => self.buffer_name(kind, &items),
            TypeData::Record(record) => self.record_name(&record),
            TypeData::Datetime { unit, span } => {
                format!("{}[{}]", if span { "timedelta64" } else { "datetime64" }, unit.name())
            }
            TypeData::CharSeq { count, wide: false } => format!("[char x {count}]"),
            TypeData::CharSeq { count, .. } => format!("[unichr x {count}]"),
            TypeData::NumpyGenerator => GENERATOR.into(),
        }
    }

    fn tuple_name(&self, elements: &[Type]) -> String {
        match elements {
            [] => "Tuple()".into(),
            [first, rest @ ..] if rest.iter().all(|e| e == first) => {
                format!("UniTuple({} x {})", self.name(*first), elements.len())
            }
            _ => format!("Tuple({})", self.names(elements)),
        }
    }

    /// `ExceptionInstance(62, int64, code: int64)`.
    fn exception_name(&self, class: u32, args: &[Type], names: &[String]) -> String {
        let by_position = args.len() - names.len();
        let mut out = format!("ExceptionInstance({class}");
        for (at, &ty) in args.iter().enumerate() {
            let name = at.checked_sub(by_position).map(|at| format!("{}: ", names[at])).unwrap_or_default();
            write!(out, ", {name}{}", self.name(ty)).expect("writing to a string cannot fail");
        }
        out + ")"
    }

    /// Names joined by commas.
    pub fn names(&self, types: &[Type]) -> String {
        let mut out = String::new();
        for (i, &ty) in types.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(out, "{comma}{}", self.name(ty)).expect("writing to a string cannot fail");
        }
        out
    }
}

/// How the types of arrays that comprehensions fill are printed.
pub(crate) const BUILDER: &str = "array_builder";
pub(crate) const GROWABLE_BUILDER: &str = "growable_array_builder";

/// The name of the type of what a handler binds.
pub(crate) const CAUGHT: &str = "exception";

/// That of the class of what a handler binds.
pub(crate) const CAUGHT_CLASS: &str = "class of an exception";

/// That of its traceback.
pub(crate) const PY_OBJECT: &str = "pyobject";
pub(crate) const CAUGHT_TRACEBACK: &str = "traceback of an exception";

/// The name of the type of NumPy's Generator objects.
pub(crate) const GENERATOR: &str = "NumPyRandomGeneratorType";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeUnit;

    #[test]
    fn names_read_back() {
        let t = TypeTable::default();
        let factory = t.intern(TypeData::Function("builtins.list".into()));
        let pair = t.tuple(&[Type::INT64, t.optional(Type::FLOAT64)]);
        let nested = t.tuple(&[pair, pair]);
        let range = t.intern(TypeData::Range(Type::INT64));
        let iter = t.intern(TypeData::Iterator(range));
        for ty in [
            pair,
            nested,
            range,
            iter,
            t.intern(TypeData::Enumerate(iter)),
            t.intern(TypeData::Zip([iter, iter].into())),
            t.intern(TypeData::Slice { members: 3 }),
            t.intern(TypeData::LiteralSlice { start: Some(-3), stop: None, step: None }),
            t.intern(TypeData::FixedList(pair)),
            t.intern(TypeData::FixedList(t.tuple(&[pair, pair]))),
            t.literal_int(-3),
            t.list(t.list(pair)),
            t.intern(TypeData::List { item: t.list(Type::INT8), typed: true }),
            t.dict(pair, t.list(Type::INT64)),
            t.deque(t.deque(pair)),
            t.counter(Type::STR, Type::INT64),
            t.ordered_dict(Type::STR, Type::INT64),
            t.intern(TypeData::Dict { key: pair, value: t.list(Type::INT64), missing: factory }),
            t.set(Type::FLOAT64),
            t.frozenset(Type::STR),
            t.intern(TypeData::Set { item: Type::STR, kind: SetKind::Typed }),
            t.function_value(&[pair, Type::INT64], iter),
            t.function_value(&[t.function_value(&[], Type::NONE)], pair),
            t.intern(TypeData::Pointer(None)),
            t.intern(TypeData::Pointer(Some(Type::FLOAT32))),
            t.literal_bool(true),
            t.intern(TypeData::Datetime { unit: TimeUnit::Nanosecond, span: false }),
            t.intern(TypeData::Datetime { unit: TimeUnit::Generic, span: true }),
            t.intern(TypeData::CharSeq { count: 5, wide: false }),
            t.intern(TypeData::CharSeq { count: 12, wide: true }),
            Type::COMPLEX64,
            t.tuple(&[]),
            t.intern(TypeData::StaticDict {
                names: ["a".to_owned(), "b".to_owned()].into(),
                types: [pair, t.literal_int(2)].into(),
            }),
        ] {
            assert_eq!(t.parse(&t.name(ty)), Some(ty), "{}", t.name(ty));
        }
        assert_eq!(t.name(nested), "UniTuple(Tuple(int64, OptionalType(float64)) x 2)");
        assert_eq!(t.parse("nonsense("), None);
    }
}
