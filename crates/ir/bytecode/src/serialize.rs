//! The serialized form of [`CodeSnapshot`], so that code objects travel without Python.
//!
//! A stream is any number of records, one after the other:
//!
//! ```text
//! record   = "RSN1" u32 code            the u32 is the length of code in bytes
//! code     = u8 minor version of Python
//!            text name, text qualname, text filename
//!            u32 first_line, flags, argcount, posonlyargcount, kwonlyargcount, stack_size
//!            bytes code, bytes exception_table, bytes line_table
//!            u32 n, n constants
//!            u32 n, n texts            the names
//!            u32 n, n (text, u8 kind)  the locals; kinds are numbered as LocalKind::ALL
//! bytes    = u32 length, that many bytes
//! text     = bytes, UTF-8; lone surrogates are encoded as if they were characters
//! constant = 'N' | 'E' | 'T' | '0'      None, Ellipsis, True, False
//!          | 'i' i64 | 'I' text         integer; a larger one in decimal
//!          | 'f' f64 | 'c' f64 f64      float, complex
//!          | 's' text | 'y' bytes       string, bytes
//!          | '(' u32 n, n constants     tuple
//!          | '{' u32 n, n constants     frozenset
//!          | ':' 3 constants            slice
//!          | 'C' code                   code object
//! ```
//!
//! Numbers are little-endian. `tools/snapshot.py` writes it. Absent: what the fields mean.

use std::io::{self, Read};
use std::sync::Arc;

use diag::{Diagnostic, Result, codes};

use crate::snapshot::{CodeSnapshot, Constant, LocalKind, LocalVariable, PythonVersion};

const MAGIC: &[u8; 4] = b"RSN1";
/// Nesting of constants in a record; CPython's parser stops far below.
const MAX_NESTING: u32 = 256;

impl CodeSnapshot {
    /// Reads the next record of a stream; `None` at its end.
    pub fn read(stream: &mut impl Read) -> Result<Option<CodeSnapshot>> {
        let mut head = [0; 8];
        match read_full(stream, &mut head).map_err(unreadable)? {
            0 => return Ok(None),
            8 => {}
            _ => return Err(malformed("a record stops in its head")),
        }
        if &head[..4] != MAGIC {
            return Err(malformed("a record does not start with its mark"));
        }
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        // Not allocated ahead: a damaged length must not ask for gigabytes.
        let mut body = Vec::new();
        stream.take(u64::from(length)).read_to_end(&mut body).map_err(unreadable)?;
        if body.len() != length as usize {
            return Err(malformed("a record stops early"));
        }
        decode_body(&body).map(Some)
    }

    /// Reads bytes that are exactly one record.
    pub fn from_bytes(bytes: &[u8]) -> Result<CodeSnapshot> {
        let mut rest = bytes;
        let code = CodeSnapshot::read(&mut rest)?.ok_or_else(|| malformed("no record"))?;
        if rest.is_empty() { Ok(code) } else { Err(malformed("bytes behind the record")) }
    }

    /// Appends the record of this code object.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        let length_at = out.len();
        put_u32(out, 0);
        put_code(out, self);
        let length = (out.len() - length_at - 4) as u32;
        out[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
    }
}

fn malformed(what: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::MALFORMED_BYTECODE, format!("malformed code snapshot: {what}"))
}

fn unreadable(error: io::Error) -> Box<Diagnostic> {
    malformed(&format!("it cannot be read: {error}"))
}

/// Fills the buffer as far as the stream goes; gives the number of bytes.
fn read_full(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn decode_body(body: &[u8]) -> Result<CodeSnapshot> {
    let mut cursor = Cursor { rest: body };
    let code = cursor.code(0)?;
    if cursor.rest.is_empty() { Ok(code) } else { Err(malformed("bytes behind the code object")) }
}

/// What is left of a record.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or_else(|| malformed("it stops early"))?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    fn text(&mut self) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// A count and that many items.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.u32()? as usize;
        // An item has at least one byte: a damaged count must not ask for gigabytes.
        if count > self.rest.len() {
            return Err(malformed("a list is longer than the record"));
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn code(&mut self, nesting: u32) -> Result<CodeSnapshot> {
        let minor = self.u8()?;
        let version = PythonVersion::from_minor(minor).ok_or_else(|| {
            Diagnostic::new(codes::PYTHON_VERSION, format!("no opcode table for CPython 3.{minor}"))
        })?;
        Ok(CodeSnapshot {
            version,
            name: self.text()?,
            qualname: self.text()?,
            filename: self.text()?,
            first_line: self.u32()?,
            flags: self.u32()?,
            argcount: self.u32()?,
            posonlyargcount: self.u32()?,
            kwonlyargcount: self.u32()?,
            stack_size: self.u32()?,
            code: self.bytes()?.to_vec(),
            exception_table: self.bytes()?.to_vec(),
            line_table: self.bytes()?.to_vec(),
            constants: self.list(|cursor| cursor.constant(nesting + 1))?,
            names: self.list(Cursor::text)?,
            locals: self.list(Cursor::local)?,
            python_blocks: Vec::new(),
        })
    }

    fn local(&mut self) -> Result<LocalVariable> {
        let name = self.text()?;
        let kind = LocalKind::ALL.get(usize::from(self.u8()?)).copied();
        Ok(LocalVariable { name, kind: kind.ok_or_else(|| malformed("unknown kind of local"))? })
    }

    fn constant(&mut self, nesting: u32) -> Result<Constant> {
        if nesting > MAX_NESTING {
            return Err(malformed("constants are nested too deeply"));
        }
        let inner = nesting + 1;
        Ok(match self.u8()? {
            b'N' => Constant::None,
            b'E' => Constant::Ellipsis,
            b'T' => Constant::Bool(true),
            b'0' => Constant::Bool(false),
            b'i' => Constant::Int(i64::from_le_bytes(self.array()?)),
            b'I' => Constant::BigInt(self.text()?),
            b'f' => Constant::Float(self.f64()?),
            b'c' => Constant::Complex(self.f64()?, self.f64()?),
            b's' => match String::from_utf8(self.bytes()?.to_vec()) {
                Ok(text) => Constant::Str(text),
                Err(error) => Constant::SurrogateStr(error.into_bytes()),
            },
            b'y' => Constant::Bytes(self.bytes()?.to_vec()),
            b'(' => Constant::Tuple(self.list(|cursor| cursor.constant(inner))?),
            b'{' => Constant::FrozenSet(self.list(|cursor| cursor.constant(inner))?),
            b':' => {
                let parts = [self.constant(inner)?, self.constant(inner)?, self.constant(inner)?];
                Constant::Slice(Box::new(parts))
            }
            b'C' => Constant::Code(Arc::new(self.code(inner)?)),
            _ => return Err(malformed("unknown kind of constant")),
        })
    }
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

fn put_tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    put_bytes(out, bytes);
}

fn put_code(out: &mut Vec<u8>, code: &CodeSnapshot) {
    out.push(code.version.minor());
    for text in [&code.name, &code.qualname, &code.filename] {
        put_bytes(out, text.as_bytes());
    }
    let numbers = [code.first_line, code.flags, code.argcount, code.posonlyargcount];
    for number in numbers.into_iter().chain([code.kwonlyargcount, code.stack_size]) {
        put_u32(out, number);
    }
    for bytes in [&code.code, &code.exception_table, &code.line_table] {
        put_bytes(out, bytes);
    }
    put_constants(out, &code.constants);
    put_u32(out, code.names.len() as u32);
    for name in &code.names {
        put_bytes(out, name.as_bytes());
    }
    put_u32(out, code.locals.len() as u32);
    for local in &code.locals {
        put_bytes(out, local.name.as_bytes());
        out.push(local.kind as u8);
    }
}

fn put_constants(out: &mut Vec<u8>, constants: &[Constant]) {
    put_u32(out, constants.len() as u32);
    for constant in constants {
        put_constant(out, constant);
    }
}

fn put_constant(out: &mut Vec<u8>, constant: &Constant) {
    match constant {
        Constant::None => out.push(b'N'),
        Constant::Ellipsis => out.push(b'E'),
        Constant::Bool(value) => out.push(if *value { b'T' } else { b'0' }),
        Constant::Int(value) => {
            out.push(b'i');
            out.extend_from_slice(&value.to_le_bytes());
        }
        Constant::BigInt(text) => put_tagged(out, b'I', text.as_bytes()),
        Constant::Float(value) => {
            out.push(b'f');
            out.extend_from_slice(&value.to_le_bytes());
        }
        Constant::Complex(real, imaginary) => {
            out.push(b'c');
            out.extend_from_slice(&real.to_le_bytes());
            out.extend_from_slice(&imaginary.to_le_bytes());
        }
        Constant::Str(text) => put_tagged(out, b's', text.as_bytes()),
        Constant::SurrogateStr(bytes) => put_tagged(out, b's', bytes),
        Constant::Bytes(bytes) => put_tagged(out, b'y', bytes),
        Constant::Tuple(items) => {
            out.push(b'(');
            put_constants(out, items);
        }
        Constant::FrozenSet(items) => {
            out.push(b'{');
            put_constants(out, items);
        }
        Constant::Slice(parts) => {
            out.push(b':');
            parts.iter().for_each(|part| put_constant(out, part));
        }
        Constant::Code(code) => {
            out.push(b'C');
            put_code(out, code);
        }
    }
}
