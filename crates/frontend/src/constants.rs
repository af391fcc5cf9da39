//! Names and constants of the code object, as entries of the function's tables.

use crate::ssa_rename::Renamer;
use crate::translate::{Slot, Step, push, python};
use bytecode::{ConstId, Constant, NameId};
use entity::EntityRef;
use ir::{Attr, Const, ConstData, Function, Value};

pub(crate) fn symbol(r: &mut Renamer<'_>, name: NameId) -> ir::Symbol {
    r.b.symbol(&r.code.names[name.index()])
}

pub(crate) fn constant(r: &mut Renamer<'_>, data: ConstData) -> Value {
    let id = r.b.constant(data);
    r.b.untyped(ir::Op::Const, [Attr::Const(id)], &[])
}

pub(crate) fn load_const(r: &mut Renamer<'_>, id: ConstId) -> Step {
    let code = r.code;
    let value = match &code.constants[id.index()] {
        Constant::SurrogateStr(bytes) => {
            let bytes = constant(r, ConstData::Bytes(bytes.clone()));
            python(r, "surrogate_string", 0, &[bytes], 1)[0]
        }
        Constant::Slice(parts) => {
            let parts = parts.each_ref().map(|part| {
                let id = intern(r, part, id);
                r.b.untyped(ir::Op::Const, [Attr::Const(id)], &[])
            });
            r.b.untyped(ir::Op::BuildSlice, [], &parts)
        }
        other => {
            let id = intern(r, other, id);
            r.b.untyped(ir::Op::Const, [Attr::Const(id)], &[])
        }
    };
    push(r, Slot::value(value))
}

/// The constant in the function's table; `id` is its place among those of the code object.
fn intern(r: &mut Renamer<'_>, constant: &Constant, id: ConstId) -> Const {
    intern_constant(r.b.func, constant, Some(id.index())).expect("code objects have an index")
}

/// A constant in a function's table; `place` is where the function's code object has it. None if a code object is to be
/// told by its place and has none.
pub fn intern_constant(func: &mut Function, constant: &Constant, index: Option<usize>) -> Option<Const> {
    let mut all = |items: &[Constant]| -> Option<Vec<Const>> {
        items.iter().map(|item| intern_constant(func, item, index)).collect()
    };
    let data = match constant {
        Constant::None => ConstData::None,
        Constant::Ellipsis => ConstData::Ellipsis,
        Constant::Bool(value) => ConstData::Bool(*value),
        Constant::Int(value) => ConstData::Int(*value),
        Constant::BigInt(text) => ConstData::BigInt(text.clone()),
        Constant::Float(value) => ConstData::Float(value.to_bits()),
        Constant::Complex(re, im) => ConstData::Complex(re.to_bits(), im.to_bits()),
        Constant::Str(text) => ConstData::Str(text.clone()),
        Constant::SurrogateStr(bytes) | Constant::Bytes(bytes) => ConstData::Bytes(bytes.clone()),
        Constant::Tuple(items) => ConstData::Tuple(all(items)?),
        Constant::FrozenSet(items) => ConstData::FrozenSet(all(items)?),
        Constant::Slice(parts) => ConstData::Tuple(all(&parts[..])?),
        Constant::Code(code) => ConstData::Code(index? as u32, code.name.clone()),
    };
    Some(func.consts.intern(data))
}
