//! The listing of a code object for display (`RUMBA_DUMP_BYTECODE`).
//!
//! ```text
//! bytecode of f (example.py:1, CPython 3.12)
//!         2  2:8-9     LoadFast            n
//! >>      4  2:4-9     ForIter             to 20
//! ```

use std::fmt;

use entity::{EntityRef, EntitySet};

use crate::decode::Decoded;
use crate::snapshot::CodeSnapshot;
use crate::{ConstId, LocalId, NameId, Op};

entity::id! {
    /// A byte offset, for a set of them.
    pub struct Offset = "offset"
}

/// A listing of a decoded code object: offset, place, instruction, the argument with its
/// meaning, `>>` where jumps go, the exception table below.
pub struct Listing<'a> {
    /// The code object.
    pub code: &'a CodeSnapshot,
    /// Its instructions.
    pub decoded: &'a Decoded,
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodeSnapshot { qualname, filename, first_line, version, .. } = self.code;
        writeln!(f, "bytecode of {qualname} ({filename}:{first_line}, CPython {version})")?;
        let targets = self.targets();
        for instruction in &self.decoded.instructions {
            let is_target = targets.contains(Offset::new(instruction.offset as usize));
            let mark = if is_target { ">>" } else { "" };
            let span = instruction.span.to_string();
            let name = name(instruction.op);
            let argument = Argument { code: self.code, op: instruction.op }.to_string();
            let line = format!("{mark:<2} {:>6}  {span:<12} {name:<22} {argument}", instruction.offset);
            writeln!(f, "{}", line.trim_end())?;
        }
        self.fmt_exceptions(f)
    }
}

impl Listing<'_> {
    fn targets(&self) -> EntitySet<Offset> {
        let jumps = self.decoded.instructions.iter().filter_map(|instruction| instruction.op.target());
        let handlers = self.decoded.exceptions.iter().map(|range| range.target);
        let mut targets = EntitySet::new();
        for offset in jumps.chain(handlers) {
            targets.insert(Offset::new(offset as usize));
        }
        targets
    }

    fn fmt_exceptions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.decoded.exceptions.is_empty() {
            writeln!(f, "exception table:")?;
        }
        for range in &self.decoded.exceptions {
            let lasti = if range.push_lasti { " lasti" } else { "" };
            writeln!(f, "   {} to {} -> {} [{}]{lasti}", range.start, range.end, range.target, range.depth)?;
        }
        Ok(())
    }
}

/// The variant's name, as `Debug` has it.
fn name(op: Op) -> String {
    let mut text = format!("{op:?}");
    text.truncate(text.find(['(', ' ']).unwrap_or(text.len()));
    text
}

/// The payload of an instruction and what it means in its code object.
struct Argument<'a> {
    code: &'a CodeSnapshot,
    op: Op,
}

impl Argument<'_> {
    fn name(&self, id: NameId) -> &str {
        self.code.names.get(id.index()).map_or("?", String::as_str)
    }

    fn local(&self, id: LocalId) -> &str {
        self.code.locals.get(id.index()).map_or("?", |local| local.name.as_str())
    }

    fn constant(&self, id: ConstId) -> String {
        self.code.constants.get(id.index()).map_or_else(|| "?".into(), ToString::to_string)
    }

    /// Payloads that are no names, constants, or jumps.
    fn fmt_plain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Op::*;
        match self.op {
            Unary(op) => write!(f, "{}", op.symbol()),
            Binary(op) => write!(f, "{}", op.symbol()),
            InplaceBinary(op) => write!(f, "{}=", op.symbol()),
            Compare(op) => write!(f, "{}", op.symbol()),
            Is { invert } => write!(f, "{}", if invert { "is not" } else { "is" }),
            Contains { invert } => write!(f, "{}", if invert { "not in" } else { "in" }),
            ConvertValue(how) => write!(f, "{how:?}"),
            SetFunctionAttribute(what) => write!(f, "{what:?}"),
            CallIntrinsic1(what) => write!(f, "{what:?}"),
            CallIntrinsic2(what) => write!(f, "{what:?}"),
            Copy(n) | Swap(n) | BuildTuple(n) | BuildList(n) | BuildSet(n) | BuildMap(n)
            | BuildConstKeyMap(n) | BuildString(n) | BuildSlice(n) | ListAppend(n) | SetAdd(n)
            | MapAdd(n) | ListExtend(n) | SetUpdate(n) | DictUpdate(n) | DictMerge(n) | UnpackSequence(n)
            | Raise(n) | GetAwaitable(n) | MatchClass(n) => write!(f, "{n}"),
            UnpackEx { before, after } => write!(f, "{before} + list + {after}"),
            Reraise { lasti } if lasti > 0 => write!(f, "lasti {lasti} below"),
            CallFunctionEx { keywords: true } => write!(f, "with keywords"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Op::*;
        if let Some(target) = self.op.target() {
            return write!(f, "to {target}");
        }
        match self.op {
            LoadConst(id) => write!(f, "{}", self.constant(id)),
            LoadFast(id)
            | LoadFastAndClear(id)
            | StoreFast(id)
            | DeleteFast(id)
            | MakeCell(id)
            | LoadClosure(id)
            | LoadDeref(id)
            | StoreDeref(id)
            | DeleteDeref(id)
            | LoadFromDictOrDeref(id) => write!(f, "{}", self.local(id)),
            LoadFromDictOrGlobals(id)
            | LoadGlobal(id)
            | StoreGlobal(id)
            | DeleteGlobal(id)
            | LoadName(id)
            | StoreName(id)
            | DeleteName(id)
            | LoadAttr(id)
            | LoadMethod(id)
            | StoreAttr(id)
            | DeleteAttr(id)
            | ImportName(id)
            | ImportFrom(id) => {
                write!(f, "{}", self.name(id))
            }
            LoadSuperAttr { name, method, explicit } => {
                let method = if method { " method" } else { "" };
                let explicit = if explicit { " explicit" } else { "" };
                write!(f, "{}{method}{explicit}", self.name(name))
            }
            Call { argc, keywords: None } => write!(f, "{argc}"),
            Call { argc, keywords: Some(id) } => write!(f, "{argc} keywords {}", self.constant(id)),
            _ => self.fmt_plain(f),
        }
    }
}
