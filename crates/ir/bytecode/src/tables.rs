//! Opcode tables: for each CPython version, what every opcode number means.
//!
//! The rows are generated (`tools/gen_opcodes.py`) and compared with the interpreters by a
//! test. What they refer to, a [`Form`] for each opcode, is the only place where versions
//! differ; the decoder itself does not know them.

mod v311;
mod v312;
mod v313;

use diag::Result;

use crate::normalize::Lowering;
use crate::{ConstId, LocalId, NameId, Op, PythonVersion};

/// One opcode of one version.
#[derive(Clone, Copy)]
pub struct Opcode {
    /// CPython's name.
    pub name: &'static str,
    /// Code units after it that hold an inline cache.
    pub caches: u8,
    /// Whether its argument byte means something.
    pub has_arg: bool,
    /// How it becomes common instructions.
    pub(crate) form: Form,
}

/// How an opcode becomes common instructions.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// It does not stand in `co_code` at the start of an instruction.
    Absent,
    /// It holds upper bits of the next opcode's argument.
    Extend,
    /// One instruction without payload.
    Fixed(Op),
    /// The argument is a slot.
    Local(fn(LocalId) -> Op),
    /// The argument is a name.
    Name(fn(NameId) -> Op),
    /// The argument is a constant.
    Const(fn(ConstId) -> Op),
    /// The argument is a number of stack elements.
    Count(fn(u32) -> Op),
    /// The argument is any other number.
    Number(fn(u32) -> Op),
    /// The argument is a distance in code units from the next instruction on.
    Forward(fn(u32) -> Op),
    /// The argument is a distance in code units from the next instruction back.
    Backward(fn(u32) -> Op),
    /// Anything else.
    Special(fn(&mut Lowering<'_>, u32) -> Result<()>),
}

/// The opcodes of one version by number.
pub struct OpcodeTable([Opcode; 256]);

impl OpcodeTable {
    /// The table of a version.
    pub fn of(version: PythonVersion) -> &'static OpcodeTable {
        static TABLES: [OpcodeTable; 3] =
            [OpcodeTable::new(v311::ROWS), OpcodeTable::new(v312::ROWS), OpcodeTable::new(v313::ROWS)];
        &TABLES[version as usize]
    }

    /// The opcode with a number, also if there is none: it is absent then.
    pub fn get(&self, number: u8) -> &Opcode {
        &self.0[usize::from(number)]
    }

    const fn new(rows: &[Row]) -> Self {
        let absent = Opcode { name: "", caches: 0, has_arg: false, form: Form::Absent };
        let mut opcodes = [absent; 256];
        let mut position = 0;
        while position < rows.len() {
            opcodes[rows[position].number as usize] = rows[position].opcode;
            position += 1;
        }
        OpcodeTable(opcodes)
    }
}

/// A row of a generated table.
struct Row {
    number: u8,
    opcode: Opcode,
}

const fn row(number: u8, name: &'static str, caches: u8, has_arg: bool, form: Form) -> Row {
    Row { number, opcode: Opcode { name, caches, has_arg, form } }
}
