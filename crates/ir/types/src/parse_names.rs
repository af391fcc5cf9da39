//! Parses the printed names of types, which [`TypeTable::name`] returns.

use crate::names::{BUILDER, CAUGHT, CAUGHT_CLASS, CAUGHT_TRACEBACK, GENERATOR, GROWABLE_BUILDER, PY_OBJECT};
use crate::split::split_at_commas;
use crate::{Facet, SetKind, TimeUnit, Type, TypeData, TypeTable};

impl TypeTable {
    /// Reads a printed form back. Types that hold a [`crate::Handle`] have none.
    pub fn parse(&self, text: &str) -> Option<Type> {
        let text = text.trim();
        if let Some(found) = self.parse_word(text).or_else(|| self.parse_affixed(text)) {
            return Some(found);
        }
        let (head, inner) = text.strip_suffix(')')?.split_once('(')?;
        if let Some(&(facet, _)) = Facet::NAMES.iter().find(|&&(_, name)| name == head) {
            return Some(self.intern(TypeData::Facet { facet, of: self.parse(inner)? }));
        }
        match head {
            "Literal[int]" => Some(self.literal_int(inner.parse().ok()?)),
            "Literal[bool]" => Some(self.literal_bool(inner == "True")),
            "Literal[str]" => Some(self.literal_str(inner)),
            "Literal[slice]" => self.parse_literal_slice(inner),
            "OptionalType" => Some(self.intern(TypeData::Optional(self.parse(inner)?))),
            "reflected list" => Some(self.list(self.parse(inner)?)),
            "reflected set" => Some(self.set(self.parse(inner)?)),
            "enumerate" => Some(self.intern(TypeData::Enumerate(self.parse(inner)?))),
            "zip" => Some(self.intern(TypeData::Zip(self.parse_all(inner)?.into()))),
            "iter" => Some(self.intern(TypeData::Iterator(self.parse(inner)?))),
            BUILDER | GROWABLE_BUILDER => {
                let (array, growable) = (self.parse(inner)?, head == GROWABLE_BUILDER);
                Some(self.intern(TypeData::ArrayBuilder { array, growable }))
            }
            "omitted" => Some(self.intern(TypeData::Omitted(self.parse(inner)?))),
            "heap cell" => Some(self.intern(TypeData::HeapCell(self.parse(inner)?))),
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
            "ExceptionClasses" => self.parse_exception_classes(inner),
            CAUGHT => Some(self.caught(&self.parse_all(inner)?)),
            "Keywords" => self.parse_static_dict(inner),
            "Tuple" | "UniTuple" | "list" => self.parse_tuple(head, inner),
            _ => None,
        }
    }

    /// Names that are one word.
    fn parse_word(&self, text: &str) -> Option<Type> {
        if let Some(&(_, fixed)) = FIXED_NAMES.iter().find(|(name, _)| *name == text) {
            return Some(fixed);
        }
        let data = match text {
            GENERATOR => TypeData::NumpyGenerator,
            CAUGHT => return Some(self.caught(&[])),
            CAUGHT_CLASS => TypeData::CaughtClass,
            CAUGHT_TRACEBACK => TypeData::CaughtTraceback,
            PY_OBJECT => TypeData::PyObject,
            "slice<a:b>" => TypeData::Slice { members: 2 },
            "slice<a:b:c>" => TypeData::Slice { members: 3 },
            _ => return None,
        };
        Some(self.intern(data))
    }

    /// Names with something in front or after that is no parenthesis.
    fn parse_affixed(&self, text: &str) -> Option<Type> {
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
        let inside = text.strip_suffix(']')?;
        if let Some(found) = self.parse_typed_container(inside).or_else(|| self.parse_item(inside)) {
            return Some(found);
        }
        if let Some(signature) = inside.strip_prefix("FunctionType[") {
            return self.parse_function(signature);
        }
        self.parse_python_function(inside.strip_prefix("PythonFunction[")?)
    }

    /// Names separated by commas.
    fn parse_all(&self, inner: &str) -> Option<Vec<Type>> {
        split_top_level(inner).iter().map(|part| self.parse(part)).collect()
    }

    fn parse_literal_slice(&self, inner: &str) -> Option<Type> {
        let mut parts = inner.split(", ").map(|part| part.parse().ok());
        let (start, stop, step) = (parts.next()?, parts.next()?, parts.next()?);
        Some(self.intern(TypeData::LiteralSlice { start, stop, step }))
    }

    /// `a: int64, b: float64`
    fn parse_static_dict(&self, inner: &str) -> Option<Type> {
        let parts: Option<Vec<(&str, &str)>> =
            split_top_level(inner).into_iter().map(|part| part.split_once(": ")).collect();
        let (names, texts): (Vec<&str>, Vec<&str>) = parts?.into_iter().unzip();
        let types: Option<Vec<Type>> = texts.into_iter().map(|text| self.parse(text)).collect();
        let names = names.into_iter().map(str::to_owned).collect();
        Some(self.intern(TypeData::StaticDict { names, types: types?.into() }))
    }

    /// Tuples, and lists of fixed length, which print as a tuple does after another name.
    fn parse_tuple(&self, head: &str, inner: &str) -> Option<Type> {
        match head {
            "Tuple" => Some(self.tuple(&self.parse_all(inner)?)),
            "UniTuple" => {
                let (element, count) = inner.rsplit_once(" x ")?;
                let element = self.parse(element)?;
                Some(self.tuple(&vec![element; count.parse().ok()?]))
            }
            _ => {
                let tuple =
                    self.parse_tuple("UniTuple", inner).or_else(|| self.parse_tuple("Tuple", inner))?;
                Some(self.intern(TypeData::FixedList(tuple)))
            }
        }
    }

    fn parse_exception_classes(&self, inner: &str) -> Option<Type> {
        let classes: Option<Vec<u32>> = split_top_level(inner).iter().map(|part| part.parse().ok()).collect();
        Some(self.intern(TypeData::ExceptionClassChoice(classes?.into())))
    }

    /// Reads what stands in the parentheses of the name of an exception's type.
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

    /// `ListType[item`, `SetType[item`, `deque[item`, `frozenset[item`, `DictType[key,value`, `Counter[key,value`, `OrderedDict[key,value` and `defaultdict[factory,key,value`.
    fn parse_typed_container(&self, text: &str) -> Option<Type> {
        if let Some(item) = text.strip_prefix("ListType[") {
            return Some(self.intern(TypeData::List { item: self.parse(item)?, typed: true }));
        }
        if let Some(item) = text.strip_prefix("SetType[") {
            return Some(self.intern(TypeData::Set { item: self.parse(item)?, kind: SetKind::Typed }));
        }
        let (class, parts) = text.split_once('[')?;
        let parts: Option<Vec<Type>> =
            split_top_level(parts).into_iter().map(|part| self.parse(part)).collect();
        match (class, &parts?[..]) {
            ("deque", &[item]) => Some(self.deque(item)),
            ("frozenset", &[item]) => Some(self.frozenset(item)),
            ("DictType", &[key, value]) => Some(self.dict(key, value)),
            ("Counter", &[key, value]) => Some(self.counter(key, value)),
            ("OrderedDict", &[key, value]) => Some(self.ordered_dict(key, value)),
            ("defaultdict", &[missing, key, value]) => {
                Some(self.intern(TypeData::Dict { key, value, missing }))
            }
            _ => None,
        }
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
    ("float16", Type::FLOAT16),
    ("float32", Type::FLOAT32),
    ("float64", Type::FLOAT64),
    ("complex64", Type::COMPLEX64),
    ("complex128", Type::COMPLEX128),
    ("unicode_type", Type::STR),
];

/// Splits at commas outside parentheses and brackets, without white space around the parts.
fn split_top_level(text: &str) -> Vec<&str> {
    let mut parts = split_at_commas(text);
    parts.pop_if(|last| !last.is_empty() && last.trim().is_empty());
    parts.into_iter().map(str::trim).collect()
}
