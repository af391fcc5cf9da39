//! Unpacking, and what class patterns take out of their subject. No code runs for it: the parts of the
//! values are dealt out.

use crate::Lowering;
use crate::instruction::element;
use catalog::{Operand, PatternPart, cast, pattern_parts};
use diag::{Diagnostic, Result};
use ir::{Attr, Inst, Value};
use types::{Type, TypeData};

/// The operand; a starred target's list as the tuple of its items.
pub(crate) fn items(l: &Lowering<'_>, value: Value) -> Result<Operand> {
    let of = l.operand(value)?;
    Ok(match l.cx.types.starred(of.ty) {
        Some(tuple) => Operand { ty: tuple, parts: of.parts },
        None => of,
    })
}

/// The same of what may be None; TypeError if it is.
fn present_items(l: &mut Lowering<'_>, value: Value) -> Result<Operand> {
    let of = l.operand(value)?;
    let TypeData::Optional(inner) = l.cx.types.get(of.ty) else { return items(l, value) };
    let content = cast(&mut l.emit, &of, inner)?;
    Ok(Operand { ty: l.cx.types.starred(inner).unwrap_or(inner), parts: content.parts })
}

pub(crate) fn lower_unpack(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let of = present_items(l, data.args[0])?;
    for (index, &result) in data.results.iter().enumerate() {
        let operand = element(l, &of, index)?;
        l.define(result, operand);
    }
    Ok(())
}

/// `a, *b, c = t`: so many items, the list of those between, the items behind.
pub(crate) fn lower_unpack_starred(l: &mut Lowering<'_>, inst: Inst, before: usize) -> Result<()> {
    let data = &l.typed.insts[inst];
    let of = present_items(l, data.args[0])?;
    let count = l.cx.types.elements(of.ty).map_or(0, |elements| elements.len());
    let behind = data.results.len() - 1 - before;
    for (index, &result) in data.results.iter().enumerate() {
        let operand = if index == before {
            let mut parts = Vec::new();
            for at in before..count - behind {
                parts.extend(element(l, &of, at)?.parts);
            }
            Operand::new(l.typed.ty(result), parts)
        } else {
            let at = if index < before { index } else { count + index - data.results.len() };
            element(l, &of, at)?
        };
        l.define(result, operand);
    }
    Ok(())
}

/// `case C(a, b, name=c)`: None, or what the sub-patterns are matched with. Where the subject may be None
/// only the run time knows.
pub(crate) fn lower_match_class(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    if result == Type::NONE {
        l.define(data.results[0], Operand::new(result, []));
        return Ok(());
    }
    let subject = l.operand(data.args[0])?;
    let (present, content) = match l.cx.types.get(subject.ty) {
        TypeData::Optional(inner) => {
            (Some(subject.parts[0]), Operand::new(inner, subject.parts[1..].iter().copied()))
        }
        _ => (None, subject),
    };
    let positional = match data.attrs.last() {
        Some(&Attr::Int(count)) => count as usize,
        _ => 0,
    };
    let (class, names) = (l.typed.ty(data.args[1]), l.typed.ty(data.args[2]));
    let parts = pattern_parts(l.cx.types, content.ty, class, positional, names);
    let parts = parts.ok_or_else(|| Diagnostic::internal("lowering", "a class pattern without parts"))?;
    let mut values: Vec<Value> = present.into_iter().collect();
    for part in parts {
        match part {
            PatternPart::Whole => values.extend(content.parts.iter().copied()),
            PatternPart::Field(at) => values.extend(element(l, &content, at)?.parts),
        }
    }
    l.define(data.results[0], Operand::new(result, values));
    Ok(())
}
