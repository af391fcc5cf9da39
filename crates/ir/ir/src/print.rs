//! The text form, which can be parsed again ([`crate::parse`]).

use crate::{Attr, Block, BlockCall, Const, ConstData, Function, Inst, Value, ValueType};
use entity::{EntityRef, HashMap, SideTable};
use std::fmt::{self, Write};
use types::{Type, TypeTable};

/// Prints a function: `Printer::new(&function, &types).to_string()`.
pub struct Printer<'a> {
    func: &'a Function,
    types: &'a TypeTable,
    names: SideTable<Value, Option<String>>,
    spans: bool,
}

impl<'a> Printer<'a> {
    /// A printer with names for all values: `%name.version`, or `%n` counted in order of appearance.
    pub fn new(func: &'a Function, types: &'a TypeTable) -> Self {
        let mut names: SideTable<Value, Option<String>> = SideTable::new();
        let mut taken: HashMap<(u32, u32), Value> = HashMap::default();
        let mut count = 0;
        let mut assign = |value: Value| {
            let data = &func.values[value];
            let named = data.name.expand().filter(|name| {
                let key = (name.as_u32(), data.version);
                *taken.entry(key).or_insert(value) == value
            });
            names[value] = Some(match named {
                Some(name) => format!("%{}.{}", func.symbols.get(name), data.version),
                None => {
                    count += 1;
                    format!("%{}", count - 1)
                }
            });
        };
        for &block in &func.layout {
            func.blocks[block].params.iter().copied().for_each(&mut assign);
            for &inst in &func.blocks[block].insts {
                func.insts[inst].results.iter().copied().for_each(&mut assign);
            }
        }
        Printer { func, types, names, spans: true }
    }

    /// Leaves out the places in the source.
    pub fn without_spans(mut self) -> Self {
        self.spans = false;
        self
    }

    /// The printed name of a value.
    pub fn value(&self, value: Value) -> String {
        self.names[value].clone().unwrap_or_else(|| format!("%<{}>", value.index()))
    }

    /// One instruction as it stands in the text form, without indentation.
    pub fn inst(&self, inst: Inst) -> String {
        let mut out = String::new();
        self.write_inst(&mut out, inst).expect("writing to a string cannot fail");
        out
    }

    /// The name of a type, in quotes if its end would not be found: that of a literal text may be `Literal[str](()`.
    pub(crate) fn type_text(&self, ty: Type) -> String {
        let name = self.types.name(ty);
        if is_balanced(&name) { name } else { format!("{name:?}") }
    }

    fn definition(&self, out: &mut String, value: Value) -> fmt::Result {
        write!(out, "{}", self.value(value))?;
        match self.func.values[value].ty {
            ValueType::Untyped => Ok(()),
            ValueType::Typed(ty) => write!(out, ": {}", self.type_text(ty)),
            ValueType::Native(native) => write!(out, ": {}", native.text()),
        }
    }

    fn write_inst(&self, out: &mut String, inst: Inst) -> fmt::Result {
        let data = &self.func.insts[inst];
        for (i, &result) in data.results.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.definition(out, result)?;
        }
        out.push_str(if data.results.is_empty() { "" } else { " = " });
        out.push_str(data.op.info().name);
        let mut separator = " ";
        for attr in &data.attrs {
            write!(out, "{separator}")?;
            self.write_attr(out, attr)?;
            separator = ", ";
        }
        for &arg in &data.args {
            write!(out, "{separator}{}", self.value(arg))?;
            separator = ", ";
        }
        for target in &data.targets {
            write!(out, "{separator}")?;
            self.write_call(out, target)?;
            separator = ", ";
        }
        if self.spans && data.span.is_known() {
            write!(out, " @ {}", data.span)?;
        }
        Ok(())
    }

    fn write_call(&self, out: &mut String, call: &BlockCall) -> fmt::Result {
        write!(out, "{}", call.block)?;
        self.write_values(out, &call.args)
    }

    fn write_values(&self, out: &mut String, values: &[Value]) -> fmt::Result {
        if values.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = values.iter().map(|&v| self.value(v)).collect();
        write!(out, "({})", names.join(", "))
    }

    fn write_attr(&self, out: &mut String, attr: &Attr) -> fmt::Result {
        match attr {
            Attr::Int(value) => write!(out, "{value}"),
            Attr::Float(bits) => write_float(out, *bits),
            Attr::Symbol(symbol) => out.write_str(&quote(self.func.symbols.get(*symbol))),
            Attr::Symbols(symbols) => {
                let names: Vec<String> = symbols.iter().map(|&s| quote(self.func.symbols.get(s))).collect();
                write!(out, "[{}]", names.join(", "))
            }
            Attr::Const(id) => self.write_const(out, *id),
            Attr::Type(ty) => write!(out, "<{}>", self.type_text(*ty)),
            Attr::Native(native) => out.write_str(native.text()),
            Attr::Binary(op) => write!(out, "{op}"),
            Attr::Unary(op) => write!(out, "{op}"),
            Attr::Compare(op) => write!(out, "{op}"),
            Attr::IntCond(cond) => write!(out, "{cond}"),
            Attr::FloatCond(cond) => write!(out, "{cond}"),
            Attr::Site(site) => write!(out, "{site}"),
            Attr::External(id) => write!(out, "{id}"),
        }
    }

    fn write_const(&self, out: &mut String, id: Const) -> fmt::Result {
        let list = |out: &mut String, items: &[Const]| {
            for (i, &item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                self.write_const(out, item)?;
            }
            out.write_char(')')
        };
        match self.func.consts.get(id) {
            ConstData::None => out.write_str("None"),
            ConstData::Ellipsis => out.write_str("Ellipsis"),
            ConstData::Bool(true) => out.write_str("True"),
            ConstData::Bool(false) => out.write_str("False"),
            ConstData::Int(value) => write!(out, "int {value}"),
            ConstData::BigInt(text) => write!(out, "bigint {text}"),
            ConstData::Float(bits) => {
                out.write_str("float ")?;
                write_float(out, *bits)
            }
            ConstData::Complex(re, im) => {
                out.write_str("complex ")?;
                write_float(out, *re)?;
                out.write_char(' ')?;
                write_float(out, *im)
            }
            ConstData::Str(text) => write!(out, "str {text:?}"),
            ConstData::Bytes(bytes) => {
                out.write_str("bytes \"")?;
                bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
                out.write_char('"')
            }
            ConstData::Tuple(items) => {
                out.write_str("tuple(")?;
                list(out, items)
            }
            ConstData::FrozenSet(items) => {
                out.write_str("frozenset(")?;
                list(out, items)
            }
            ConstData::Function(number, ty) => write!(out, "function {number} {}", self.type_text(*ty)),
            ConstData::Array(number, ty, lengths) => {
                let lengths: Vec<String> = lengths.iter().map(i64::to_string).collect();
                write!(out, "array {number} {:?} ({})", self.types.name(*ty), lengths.join(", "))
            }
            ConstData::Words(ty, words) => {
                let words: Vec<String> = words.iter().map(i64::to_string).collect();
                write!(out, "words {:?} ({})", self.types.name(*ty), words.join(", "))
            }
            ConstData::Code(index, name) => write!(out, "code {index} {name:?}"),
        }
    }

    fn write_header(&self, out: &mut String) -> fmt::Result {
        let func = self.func;
        write!(
            out,
            "function {} {:?} file {:?} line {} (",
            func.phase.text(),
            func.name,
            func.file,
            func.first_line
        )?;
        let params: Vec<String> = func.params.iter().map(|&p| quote(func.symbols.get(p))).collect();
        write!(out, "{})", params.join(", "))?;
        if !func.results.is_empty() {
            write!(out, " -> {}", words(&func.results, |at| func.gives.contains(at)))?;
        }
        let fails = if func.can_fail { " fails" } else { "" };
        writeln!(out, "{fails}{} {{", if func.is_generator { " generator" } else { "" })?;
        for (site, data) in func.sites.iter() {
            write!(out, "    {site} = raises {}", data.class.name())?;
            if let Some(class) = data.user_class {
                write!(out, " user {class}")?;
            }
            if let Some(message) = &data.message {
                write!(out, "{} {message:?}", if data.payload { " payload" } else { "" })?;
            }
            write!(out, " @ {}", data.span)?;
            match &data.origin {
                Some(origin) => writeln!(out, " in {:?} of {:?}", origin.name, origin.file)?,
                None => writeln!(out)?,
            }
        }
        for (id, external) in func.externals.iter() {
            let pure = if external.pure { "pure " } else { "" };
            let inline = if external.inline { "inline " } else { "" };
            let fails = if external.fails { "fails " } else { "" };
            let params = words(&external.params, |at| external.takes >> at & 1 == 1);
            let results = words(&external.results, |at| external.gives.contains(at));
            let name = &external.name;
            writeln!(out, "    {id} = external {pure}{inline}{fails}{name:?} ({params}) -> {results}")?;
        }
        Ok(())
    }

    fn write_block(&self, out: &mut String, block: Block) -> fmt::Result {
        let data = &self.func.blocks[block];
        write!(out, "{block}")?;
        if !data.params.is_empty() {
            out.write_char('(')?;
            for (i, &param) in data.params.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                self.definition(out, param)?;
            }
            out.write_char(')')?;
        }
        write!(out, " @{}", data.label)?;
        if data.cold {
            out.write_str(" cold")?;
        }
        if let Some(handler) = &data.handler {
            out.write_str(" handler ")?;
            self.write_call(out, handler)?;
        }
        out.write_str(":\n")?;
        for &inst in &data.insts {
            out.write_str("    ")?;
            self.write_inst(out, inst)?;
            out.write_char('\n')?;
        }
        Ok(())
    }
}

impl fmt::Display for Printer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_header(&mut out)?;
        for &block in &self.func.layout {
            self.write_block(&mut out, block)?;
        }
        out.push_str("}\n");
        f.write_str(&out)
    }
}

/// A name as it is where it is an identifier, quoted elsewhere.
fn quote(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { format!("{name:?}") }
}

/// Whether each bracket is closed by one of its kind, and nothing else would end a name.
fn is_balanced(name: &str) -> bool {
    let mut open = Vec::new();
    name.chars().all(|c| match c {
        '(' | '[' | '{' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        ',' | '=' => !open.is_empty(),
        '"' | '\n' => false,
        _ => true,
    }) && open.is_empty()
}

/// The shortest decimal that reads back, or the bits of a NaN.
fn write_float(out: &mut String, bits: u64) -> fmt::Result {
    let value = f64::from_bits(bits);
    if value.is_nan() { write!(out, "nan:{bits:x}") } else { write!(out, "{value:?}") }
}

/// Machine types, those of references that change hands with `own` in front.
fn words(natives: &[crate::Native], owned: impl Fn(usize) -> bool) -> String {
    let word = |(at, native): (usize, &crate::Native)| {
        let own = if owned(at) { "own " } else { "" };
        format!("{own}{}", native.text())
    };
    natives.iter().enumerate().map(word).collect::<Vec<_>>().join(", ")
}
