//! Names of types as users of Numba see them.

use crate::split::split_at_commas;
use crate::{EnumKind, Facet, LiteralValue, ManagerKind, TimeUnit, Type, TypeData, TypeTable};
use std::fmt::Write;
use std::sync::Arc;

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
            TypeData::Scratch(tuple) => format!("room({})", self.name(tuple)),
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
            TypeData::Native { symbol, .. } => format!("Function({symbol})"),
            TypeData::Opaque { name, .. }
            | TypeData::Foreign { name, .. }
            | TypeData::Instance { name, .. }
            | TypeData::Object { name, .. } => name.to_string(),
            TypeData::Omitted(of) => format!("omitted({})", self.name(of)),
            TypeData::List { item, typed: true } => format!("ListType[{}]", self.name(item)),
            TypeData::List { item, .. } => format!("reflected list({})", self.name(item)),
            TypeData::Dict { key, value } => format!("DictType[{},{}]", self.name(key), self.name(value)),
            TypeData::Set { item, typed: true } => format!("SetType[{}]", self.name(item)),
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

    /// Reads what stands in the parentheses of that.
    fn parse_exception(&self, inner: &str) -> Option<Type> {
        let parts = split_top_level(inner);
        let (class, parts) = parts.split_first()?;
        let (mut args, mut names) = (Vec::new(), Vec::new());
        for part in parts {
            let (name, ty) = part.split_once(": ").map_or((None, *part), |(name, ty)| (Some(name), ty));
            args.push(self.parse(ty)?);
            names.extend(name.map(str::to_owned));
        }
        Some(self.intern(TypeData::Exception {
            class: class.parse().ok()?,
            args: args.into(),
            names: names.into(),
        }))
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

    /// Reads a printed form back. Types that hold a [`crate::Handle`] have none.
    pub fn parse(&self, text: &str) -> Option<Type> {
        let text = text.trim();
        if let Some(fixed) = FIXED_NAMES.iter().find(|(name, _)| *name == text) {
            return Some(fixed.1);
        }
        if text == GENERATOR {
            return Some(self.intern(TypeData::NumpyGenerator));
        }
        if text == CAUGHT {
            return Some(self.caught(&[]));
        }
        if text == CAUGHT_CLASS {
            return Some(self.intern(TypeData::CaughtClass));
        }
        if text == PY_OBJECT {
            return Some(self.intern(TypeData::PyObject));
        }
        if text == CAUGHT_TRACEBACK {
            return Some(self.intern(TypeData::CaughtTraceback));
        }
        if let Some(members) = ["slice<a:b>", "slice<a:b:c>"].iter().position(|&name| name == text) {
            return Some(self.intern(TypeData::Slice { members: members as u8 + 2 }));
        }
        if let Some(index) = text.strip_prefix("range_state_") {
            return Some(self.intern(TypeData::Range(self.parse(index)?)));
        }
        if let Some(index) = text.strip_prefix("range_iter_") {
            let range = self.intern(TypeData::Range(self.parse(index)?));
            return Some(self.intern(TypeData::Iterator(range)));
        }
        if let Some(of) = text.strip_suffix('*') {
            let of = if of == "void" { None } else { Some(self.parse(of)?) };
            return Some(self.intern(TypeData::Pointer(of)));
        }
        if let Some(inside) = text.strip_suffix(']')
            && let Some(container) = self.parse_typed_container(inside)
        {
            return Some(container);
        }
        if let Some(inside) = text.strip_suffix(']')
            && let Some(item) = self.parse_item(inside)
        {
            return Some(item);
        }
        if let Some(signature) = text.strip_prefix("FunctionType[").and_then(|rest| rest.strip_suffix(']')) {
            return self.parse_function(signature);
        }
        if let Some(inside) = text.strip_prefix("PythonFunction[").and_then(|rest| rest.strip_suffix(']')) {
            return self.parse_python_function(inside);
        }
        let (head, inner) = text.strip_suffix(')')?.split_once('(')?;
        if let Some(&(facet, _)) = Facet::NAMES.iter().find(|&&(_, name)| name == head) {
            return Some(self.intern(TypeData::Facet { facet, of: self.parse(inner)? }));
        }
        match head {
            "Literal[int]" => Some(self.literal_int(inner.parse().ok()?)),
            "Literal[bool]" => Some(self.literal_bool(inner == "True")),
            "Literal[str]" => Some(self.literal_str(inner)),
            "OptionalType" => Some(self.intern(TypeData::Optional(self.parse(inner)?))),
            "Literal[slice]" => {
                let mut parts = inner.split(", ").map(|part| part.parse().ok());
                let (start, stop, step) = (parts.next()?, parts.next()?, parts.next()?);
                Some(self.intern(TypeData::LiteralSlice { start, stop, step }))
            }
            "reflected list" => Some(self.list(self.parse(inner)?)),
            "reflected set" => Some(self.intern(TypeData::Set { item: self.parse(inner)?, typed: false })),
            "enumerate" => Some(self.intern(TypeData::Enumerate(self.parse(inner)?))),
            "zip" => {
                let parts: Option<Vec<Type>> =
                    split_top_level(inner).iter().map(|part| self.parse(part)).collect();
                Some(self.intern(TypeData::Zip(parts?.into())))
            }
            "iter" => Some(self.intern(TypeData::Iterator(self.parse(inner)?))),
            BUILDER | GROWABLE_BUILDER => {
                let (array, growable) = (self.parse(inner)?, head == GROWABLE_BUILDER);
                Some(self.intern(TypeData::ArrayBuilder { array, growable }))
            }
            "omitted" => Some(self.intern(TypeData::Omitted(self.parse(inner)?))),
            "class" => Some(self.intern(TypeData::Class(self.parse(inner)?))),
            "BoundFunction" => {
                let (name, of) = inner.split_once(" of ")?;
                Some(self.intern(TypeData::Method(self.parse(of)?, name.into())))
            }
            "Record" => self.parse_record(inner, true),
            "readonly Record" => self.parse_record(inner, false),
            _ if let Some(buffer) = self.parse_buffer(head, inner) => Some(buffer),
            _ if head.ends_with("array") => self.parse_array(head.strip_suffix("array")?, inner),
            "Function" => Some(self.intern(TypeData::Function(inner.into()))),
            "Module" => Some(self.intern(TypeData::Module(inner.into()))),
            "ExceptionClass" => Some(self.intern(TypeData::ExceptionClass(inner.parse().ok()?))),
            "ExceptionInstance" => self.parse_exception(inner),
            "ExceptionClasses" => {
                let classes: Option<Arc<[u32]>> =
                    split_top_level(inner).iter().map(|part| part.parse().ok()).collect();
                Some(self.intern(TypeData::ExceptionClassChoice(classes?)))
            }
            CAUGHT => {
                let known: Option<Vec<Type>> =
                    split_top_level(inner).iter().map(|part| self.parse(part)).collect();
                Some(self.caught(&known?))
            }
            "UniTuple" => {
                let (element, count) = inner.rsplit_once(" x ")?;
                let element = self.parse(element)?;
                Some(self.tuple(&vec![element; count.parse().ok()?]))
            }
            "Keywords" => {
                let parts: Option<Vec<(&str, &str)>> =
                    split_top_level(inner).into_iter().map(|part| part.split_once(": ")).collect();
                let (names, texts): (Vec<&str>, Vec<&str>) = parts?.into_iter().unzip();
                let types: Option<Vec<Type>> = texts.into_iter().map(|text| self.parse(text)).collect();
                let names = names.into_iter().map(str::to_owned).collect();
                Some(self.intern(TypeData::StaticDict { names, types: types?.into() }))
            }
            "list" => {
                let (same, any) = (format!("UniTuple({inner})"), format!("Tuple({inner})"));
                let tuple = self.parse(&same).or_else(|| self.parse(&any))?;
                Some(self.intern(TypeData::FixedList(tuple)))
            }
            "Tuple" => {
                let parts = split_top_level(inner);
                let elements: Option<Vec<Type>> = parts.iter().map(|part| self.parse(part)).collect();
                Some(self.tuple(&elements?))
            }
            _ => None,
        }
    }

    /// `ListType[item`, `SetType[item` and `DictType[key,value`.
    fn parse_typed_container(&self, text: &str) -> Option<Type> {
        if let Some(item) = text.strip_prefix("ListType[") {
            return Some(self.intern(TypeData::List { item: self.parse(item)?, typed: true }));
        }
        if let Some(item) = text.strip_prefix("SetType[") {
            return Some(self.intern(TypeData::Set { item: self.parse(item)?, typed: true }));
        }
        let parts = split_top_level(text.strip_prefix("DictType[")?);
        let [key, value] = parts[..] else { return None };
        Some(self.intern(TypeData::Dict { key: self.parse(key)?, value: self.parse(value)? }))
    }

    /// Items of arrays whose names end in a bracket, which is cut off.
    fn parse_item(&self, text: &str) -> Option<Type> {
        let chars = |count: &str, wide| Some(TypeData::CharSeq { count: count.parse().ok()?, wide });
        let (head, unit) = text.split_once('[')?;
        let data = match head {
            "datetime64" => TypeData::Datetime { unit: TimeUnit::from_name(unit)?, span: false },
            "timedelta64" => TypeData::Datetime { unit: TimeUnit::from_name(unit)?, span: true },
            "" => match unit.split_once(" x ")? {
                ("char", count) => chars(count, false)?,
                ("unichr", count) => chars(count, true)?,
                _ => return None,
            },
            _ => return None,
        };
        Some(self.intern(data))
    }

    /// A function that Python runs; what the elements of its result are is not printed.
    fn parse_python_function(&self, inside: &str) -> Option<Type> {
        let (name, signature) = inside.split_once(": ")?;
        let (result, params) = match signature.strip_suffix("(...)") {
            Some(result) => (self.parse(result)?, None),
            None => match self.get(self.parse_function(signature)?) {
                TypeData::FunctionValue { params, result } => (result, Some(params)),
                _ => return None,
            },
        };
        let (name, outgoing) = (name.into(), Default::default());
        Some(self.intern(TypeData::PythonFunction { name, params, result, outgoing }))
    }

    /// Reads the signature of a function value: the result, then the parameters in the last parentheses.
    fn parse_function(&self, signature: &str) -> Option<Type> {
        let mut depth = 0;
        let open = signature.char_indices().rev().find_map(|(at, c)| {
            depth += i32::from(c == ')') - i32::from(c == '(');
            (c == '(' && depth == 0).then_some(at)
        })?;
        let params = signature[open..].strip_prefix('(')?.strip_suffix(')')?;
        let params: Option<Vec<Type>> = split_top_level(params).iter().map(|part| self.parse(part)).collect();
        Some(self.function_value(&params?, self.parse(&signature[..open])?))
    }
}

/// How the types of arrays that comprehensions fill are printed.
const BUILDER: &str = "array_builder";
const GROWABLE_BUILDER: &str = "growable_array_builder";

/// The name of the type of what a handler binds.
const CAUGHT: &str = "exception";

/// That of the class of what a handler binds.
const CAUGHT_CLASS: &str = "class of an exception";

/// That of its traceback.
const PY_OBJECT: &str = "pyobject";
const CAUGHT_TRACEBACK: &str = "traceback of an exception";

/// The name of the type of NumPy's Generator objects.
const GENERATOR: &str = "NumPyRandomGeneratorType";

const FIXED_NAMES: &[(&str, Type)] = &[
    ("undefined", Type::UNDEFINED),
    ("none", Type::NONE),
    ("ellipsis", Type::ELLIPSIS),
    ("bool", Type::BOOL),
    ("int8", Type::INT8),
    ("int16", Type::INT16),
    ("int32", Type::INT32),
    ("int64", Type::INT64),
    ("uint8", Type::UINT8),
    ("uint16", Type::UINT16),
    ("uint32", Type::UINT32),
    ("uint64", Type::UINT64),
    ("float32", Type::FLOAT32),
    ("float64", Type::FLOAT64),
    ("complex64", Type::COMPLEX64),
    ("complex128", Type::COMPLEX128),
    ("unicode_type", Type::STR),
];

/// Splits at commas outside of parentheses and brackets, without white space around the parts.
fn split_top_level(text: &str) -> Vec<&str> {
    let mut parts = split_at_commas(text);
    parts.pop_if(|last| !last.is_empty() && last.trim().is_empty());
    parts.into_iter().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let t = TypeTable::default();
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
            t.intern(TypeData::Dict { key: pair, value: t.list(Type::INT64) }),
            t.intern(TypeData::Set { item: Type::FLOAT64, typed: false }),
            t.intern(TypeData::Set { item: Type::STR, typed: true }),
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
