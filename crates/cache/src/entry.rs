//! One instance of a library function.

use crate::Record;
use crate::encoding::{Reader, put_bytes, put_u32};

/// A library function compiled for types of arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The call that it serves, as text: `builtins.sorted(UniTuple(int64 x 3), reverse=bool)`.
    pub key: String,
    /// Type of the result, as text.
    pub result: String,
    /// Whether it can raise.
    pub can_fail: bool,
    /// Instructions of all its functions.
    pub ops: u32,
    /// Its functions; the one to call comes first.
    pub members: Vec<Member>,
    /// The keys of other instances that these call.
    pub calls: Vec<String>,
    /// Object files; none for an instance that is so small that it is always cloned.
    pub objects: Vec<(Level, Vec<u8>)>,
}

/// A function of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its symbol.
    pub symbol: String,
    /// Its Explicit phase, as text.
    pub text: String,
}

/// Which processors an object file runs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Level {
    /// All of this level of x86-64.
    X86(u8),
    /// The one of this name and these features.
    Exactly(String),
}

impl Entry {
    /// The object file for processors of a level.
    pub fn object(&self, level: &Level) -> Option<&[u8]> {
        self.objects.iter().find(|(known, _)| known == level).map(|(_, object)| &**object)
    }
}

impl Record for Entry {
    const ENDING: &'static str = "instance";

    fn key(&self) -> &str {
        &self.key
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, self.key.as_bytes());
        put_bytes(&mut out, self.result.as_bytes());
        put_u32(&mut out, self.can_fail.into());
        put_u32(&mut out, self.ops);
        put_u32(&mut out, self.members.len() as u32);
        for member in &self.members {
            put_bytes(&mut out, member.symbol.as_bytes());
            put_bytes(&mut out, member.text.as_bytes());
        }
        put_u32(&mut out, self.calls.len() as u32);
        for key in &self.calls {
            put_bytes(&mut out, key.as_bytes());
        }
        put_u32(&mut out, self.objects.len() as u32);
        for (level, object) in &self.objects {
            match level {
                Level::X86(level) => put_bytes(&mut out, &[*level]),
                Level::Exactly(cpu) => put_bytes(&mut out, format!("={cpu}").as_bytes()),
            }
            put_bytes(&mut out, object);
        }
        out
    }

    fn read(bytes: &[u8]) -> Option<Entry> {
        let mut reader = Reader(bytes);
        let mut entry = Entry {
            key: reader.text()?,
            result: reader.text()?,
            can_fail: reader.u32()? != 0,
            ops: reader.u32()?,
            ..Entry::default()
        };
        for _ in 0..reader.u32()? {
            entry.members.push(Member { symbol: reader.text()?, text: reader.text()? });
        }
        for _ in 0..reader.u32()? {
            entry.calls.push(reader.text()?);
        }
        for _ in 0..reader.u32()? {
            let level = match reader.bytes()? {
                [level] => Level::X86(*level),
                [b'=', cpu @ ..] => Level::Exactly(String::from_utf8(cpu.to_vec()).ok()?),
                _ => return None,
            };
            entry.objects.push((level, reader.bytes()?.to_vec()));
        }
        reader.0.is_empty().then_some(entry)
    }
}
