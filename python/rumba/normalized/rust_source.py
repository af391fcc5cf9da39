"""Rust types for the trees of a schema, so that programs in Rust read, build and write them.

    python -m rumba.normalized.rust_source > normalized.rs
    python -m rumba.normalized.rust_source rumba.stages.terms > terms.rs

Each type of the schema becomes an enum, or a struct where it has one constructor of its own name. `to_string()` is the text that `loads_text`
reads, and `str::parse` reads the text of `dumps_text` or `repr`. Positions in the source are not in the text.

Absent: JSON, for which Rust has libraries.
"""
import importlib
import sys

_BUILTIN = {"identifier": "String", "string": "String", "int": "i64", "constant": "Constant"}
_KEYWORDS = frozenset(
    "as async await box break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self "
    "static struct super trait true type union unsafe use where while yield".split())

_RUNTIME = '''
/// A constant, as Python writes it: `3`, `'a'`, `1.5`, `None`.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant(pub String);

/// Text that is not what a type is written as; the number of the byte, and what was expected there.
#[derive(Clone, PartialEq, Debug)]
pub struct ParseError(pub usize, pub String);

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {}: expected {}", self.0, self.1)
    }
}

impl std::error::Error for ParseError {}

/// Reads text.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = std::result::Result<T, ParseError>;

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fail<T>(&self, wanted: &str) -> Read<T> {
        Err(ParseError(self.at, wanted.to_owned()))
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn expect(&mut self, wanted: &str) -> Read<()> {
        if self.eat(wanted) { Ok(()) } else { self.fail(&format!("`{wanted}`")) }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect("[")?;
        let mut made = Vec::new();
        while !self.eat("]") {
            if !made.is_empty() {
                self.expect(", ")?;
            }
            made.push(item(self)?);
        }
        Ok(made)
    }

    fn optional<T>(&mut self, item: impl FnOnce(&mut Self) -> Read<T>) -> Read<Option<T>> {
        if self.eat("None") { Ok(None) } else { item(self).map(Some) }
    }

    fn int(&mut self) -> Read<i64> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
        match rest[..end].parse() {
            Ok(number) => {
                self.at += end;
                Ok(number)
            }
            Err(_) => self.fail("a number of 64 bits"),
        }
    }

    fn string(&mut self) -> Read<String> {
        let Some(quote) = self.rest().chars().next().filter(|c| matches!(c, '\\'' | '"')) else {
            return self.fail("a string");
        };
        self.at += 1;
        let mut made = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else { return self.fail("the end of a string") };
            self.at += c.len_utf8();
            match c {
                _ if c == quote => return Ok(made),
                '\\\\' => made.push(self.escape()?),
                _ => made.push(c),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let Some(c) = self.rest().chars().next() else { return self.fail("an escape") };
        self.at += c.len_utf8();
        let digits = match c {
            'n' => return Ok('\\n'),
            't' => return Ok('\\t'),
            'r' => return Ok('\\r'),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => return Ok(other),
        };
        let code = self.rest().get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                self.at += digits;
                Ok(c)
            }
            None => self.fail("the number of a character; a lone surrogate is none"),
        }
    }

    /// Text up to the comma or bracket that ends it.
    fn constant(&mut self) -> Read<Constant> {
        let (start, mut depth, mut quote) = (self.at, 0usize, None);
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match (quote, c) {
                (Some(_), '\\\\') => drop(chars.next()),
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '\\'' | '"') => quote = Some(c),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}' | ',') if depth == 0 => {
                    self.at = start + at;
                    return Ok(Constant(self.text[start..self.at].to_owned()));
                }
                (None, ')' | ']' | '}') => depth -= 1,
                _ => {}
            }
        }
        self.fail("the end of a constant")
    }

    fn end(&self) -> Read<()> {
        if self.rest().trim().is_empty() { Ok(()) } else { self.fail("the end") }
    }
}

/// What is written into text.
trait Write {
    fn write(&self, out: &mut String);
}

impl Write for i64 {
    fn write(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}

impl Write for Constant {
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl Write for String {
    fn write(&self, out: &mut String) {
        out.push('\\'');
        for c in self.chars() {
            match c {
                '\\'' | '\\\\' => out.extend(['\\\\', c]),
                c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\\\x{:02x}", c as u32)),
                c => out.push(c),
            }
        }
        out.push('\\'');
    }
}

impl<T: Write> Write for Box<T> {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("None"),
        }
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, item) in self.iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            item.write(out);
        }
        out.push(']');
    }
}
'''


def rust_source(language=None):
    """The text of a Rust module for a language (`rumba.normalized.language.Language`), by default Normalized IR.

    >>> "pub enum Stmt {" in rust_source()
    True
    """
    if language is None:
        from .nodes import LANGUAGE as language
    schema = language.schema
    parts = [f"//! The schema {schema.name}, `{language.name}`, as types. Made by `rumba.normalized.rust_source`.\n{_RUNTIME}"]
    for type_name, names in schema.types.items():
        rows = [schema.constructors[name] for name in names]
        parts.append(_definition(type_name, rows))
        parts.append(_reading(type_name, rows))
        parts.append(_writing(type_name, rows))
    return "\n".join(parts)


def _camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _field(name):
    return f"{name}_" if name == "self" else f"r#{name}" if name in _KEYWORDS else name


def _is_product(type_name, rows):
    return [row.name for row in rows] == [type_name]


def _type_of(field):
    base = _BUILTIN.get(field.type) or _camel(field.type)
    if field.is_repeated:
        return f"Vec<Option<{base}>>" if field.is_optional else f"Vec<{base}>"
    boxed = base if field.type in _BUILTIN else f"Box<{base}>"
    return f"Option<{boxed}>" if field.is_optional else boxed


def _definition(type_name, rows):
    derive = "#[derive(Clone, PartialEq, Debug)]"
    if _is_product(type_name, rows):
        fields = "".join(f"    pub {_field(one.name)}: {_type_of(one)},\n" for one in rows[0].fields)
        return f"/// `{type_name}`\n{derive}\npub struct {_camel(type_name)} {{\n{fields}}}\n"
    arms = "".join(
        f"    {row.name}" + (f" {{ {', '.join(f'{_field(one.name)}: {_type_of(one)}' for one in row.fields)} }}" if row.fields else "") + ",\n"
        for row in rows)
    return f"/// `{type_name}`\n{derive}\npub enum {_camel(type_name)} {{\n{arms}}}\n"


def _read_of(field):
    one = f"reader.{'string' if field.type in ('string', 'identifier') else field.type}()" if field.type in _BUILTIN else \
        f"{_camel(field.type)}::read(reader)"
    if field.is_repeated:
        return f"reader.list(|reader| {f'reader.optional(|reader| {one})' if field.is_optional else one})?"
    boxed = one if field.type in _BUILTIN else f"{one}.map(Box::new)"
    return f"reader.optional(|reader| {boxed})?" if field.is_optional else f"{boxed}?"


def _fields_read(row):
    lines = []
    for at, field in enumerate(row.fields):
        lines.append('reader.expect(", ")?;' if at else "")
        lines.append(f"let {_field(field.name)} = {_read_of(field)};")
    return " ".join(line for line in lines if line)


def _reading(type_name, rows):
    name, product = _camel(type_name), _is_product(type_name, rows)
    arms = ""
    for row in rows:
        given = f" {{ {', '.join(_field(one.name) for one in row.fields)} }}" if row.fields else (" {}" if product else "")
        made = f"{name}{given}" if product else f"{name}::{row.name}{given}"
        arms += f'            "{row.name}" => {{ {_fields_read(row)} {made} }}\n'
    return (f"impl {name} {{\n    fn read(reader: &mut Reader<'_>) -> Read<{name}> {{\n        let word = reader.word();\n"
            f'        reader.expect("(")?;\n        let made = match word {{\n{arms}            _ => return reader.fail("a {type_name}"),\n        }};\n'
            f'        reader.expect(")")?;\n        Ok(made)\n    }}\n}}\n\n'
            f"impl std::str::FromStr for {name} {{\n    type Err = ParseError;\n\n    fn from_str(text: &str) -> Read<{name}> {{\n"
            f"        let mut reader = Reader {{ text, at: 0 }};\n        let made = {name}::read(&mut reader)?;\n        reader.end()?;\n"
            f"        Ok(made)\n    }}\n}}\n")


def _writing(type_name, rows):
    name, product = _camel(type_name), _is_product(type_name, rows)
    arms = ""
    for row in rows:
        names = [_field(one.name) for one in row.fields]
        pattern = f" {{ {', '.join(names)} }}" if names else (" {}" if product else "")
        separated = ' out.push_str(", "); '.join(f"{one}.write(out);" for one in names)
        arms += f'            {name}{"" if product else f"::{row.name}"}{pattern} => {{ out.push_str("{row.name}("); {separated} }}\n'
    return (f"impl Write for {name} {{\n    fn write(&self, out: &mut String) {{\n        match self {{\n{arms}        }}\n"
            f"        out.push(')');\n    }}\n}}\n\n"
            f"impl std::fmt::Display for {name} {{\n    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{\n"
            f"        let mut out = String::new();\n        self.write(&mut out);\n        f.write_str(&out)\n    }}\n}}\n")


if __name__ == "__main__":
    print(rust_source(importlib.import_module(sys.argv[1]).LANGUAGE if sys.argv[1:] else None), end="")
