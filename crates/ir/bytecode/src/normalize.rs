//! Converts a raw instruction to common instructions, for opcodes that need more than a row of the opcode table.
//! Functions are named after the opcode.
//!
//! Absent: walking over the bytes (`raw`), checking jump targets (`decode`).

use diag::{Diagnostic, Result, Span};
use entity::EntityRef;

use crate::decode::Instruction;
use crate::snapshot::{CodeSnapshot, Constant, PythonVersion};
use crate::tables::Form;
use crate::wordcode::{RawInstruction, malformed};
use crate::{
    BinaryOp, CompareOp, ConstId, Conversion, FunctionAttribute, Intrinsic1, Intrinsic2, LocalId, NameId, Op,
    UnaryOp,
};

/// Collects the common instructions of a code object.
pub(crate) struct Lowering<'a> {
    code: &'a CodeSnapshot,
    /// What came out so far.
    pub(crate) out: Vec<Instruction>,
    offset: u32,
    next: u32,
    span: Span,
    /// `KW_NAMES` was seen and its call not yet.
    keywords: Option<ConstId>,
    /// `END_FOR` was seen and the `POP_TOP` that belongs to it not yet.
    drop_pop: bool,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(code: &'a CodeSnapshot) -> Self {
        Lowering {
            code,
            // A unit gives rarely more than one instruction, and the caches none.
            out: Vec::with_capacity(code.code.len() / 2 + 8),
            offset: 0,
            next: 0,
            span: Span::UNKNOWN,
            keywords: None,
            drop_pop: false,
        }
    }

    /// Appends the common instructions of a raw one.
    #[inline]
    pub(crate) fn lower(&mut self, raw: &RawInstruction, span: Span) -> Result<()> {
        (self.offset, self.next, self.span) = (raw.offset, raw.next, span);
        if self.drop_pop {
            return self.drop_pop_top(raw);
        }
        let op = match raw.opcode.form {
            Form::Fixed(op) => op,
            Form::Local(make) => make(self.local(raw.arg)?),
            Form::Name(make) => make(self.name(raw.arg)?),
            Form::Const(make) => make(self.constant(raw.arg)?),
            Form::Count(make) => make(self.count(raw.arg)?),
            Form::Number(make) => make(raw.arg),
            Form::Forward(make) | Form::Backward(make) => make(raw.target().unwrap_or(u32::MAX)),
            Form::Special(lower) => return lower(self, raw.arg),
            Form::Absent | Form::Extend => return Err(self.bad("no instruction")),
        };
        self.emit(op);
        Ok(())
    }

    /// `POP_TOP` after `END_FOR` takes what `ForIter` has taken already.
    fn drop_pop_top(&mut self, raw: &RawInstruction) -> Result<()> {
        self.drop_pop = false;
        if !matches!(raw.opcode.form, Form::Fixed(Op::PopTop)) {
            return Err(self.bad("END_FOR without POP_TOP"));
        }
        self.emit(Op::Nop);
        Ok(())
    }

    #[inline]
    fn emit(&mut self, op: Op) {
        self.out.push(Instruction { offset: self.offset, next: self.next, op, span: self.span });
    }

    fn emit_all<const N: usize>(&mut self, ops: [Op; N]) -> Result<()> {
        ops.into_iter().for_each(|op| self.emit(op));
        Ok(())
    }

    #[cold]
    fn bad(&self, what: &str) -> Box<Diagnostic> {
        malformed(self.offset, what).label(self.span, "")
    }

    #[inline]
    fn local(&self, arg: u32) -> Result<LocalId> {
        let index = arg as usize;
        if index < self.code.locals.len() {
            Ok(LocalId::new(index))
        } else {
            Err(self.bad("no such local variable"))
        }
    }

    #[inline]
    fn name(&self, arg: u32) -> Result<NameId> {
        let index = arg as usize;
        if index < self.code.names.len() { Ok(NameId::new(index)) } else { Err(self.bad("no such name")) }
    }

    #[inline]
    fn constant(&self, arg: u32) -> Result<ConstId> {
        let index = arg as usize;
        if index < self.code.constants.len() {
            Ok(ConstId::new(index))
        } else {
            Err(self.bad("no such constant"))
        }
    }

    #[inline]
    fn count(&self, arg: u32) -> Result<u32> {
        if arg <= self.code.stack_size {
            Ok(arg)
        } else {
            Err(self.bad("more elements than the stack holds"))
        }
    }

    /// A table's entry by number.
    fn pick<T: Copy>(&self, table: &[T], number: u32, what: &str) -> Result<T> {
        table.get(number as usize).copied().ok_or_else(|| self.bad(&format!("no such {what}")))
    }

    fn call_with(&mut self, argc: u32, keywords: Option<ConstId>) -> Result<()> {
        let argc = self.count(argc)?;
        if let Some(id) = keywords {
            match &self.code.constants[id.index()] {
                Constant::Tuple(names)
                    if names.len() <= argc as usize
                        && names.iter().all(|name| matches!(name, Constant::Str(_))) => {}
                _ => return Err(self.bad("keywords that are no tuple of names")),
            }
        }
        self.emit(Op::Call { argc, keywords });
        Ok(())
    }
}

/// The slot, or its cell if it is one: from 3.13 on `LOAD_FAST` stands for both.
fn load_slot(lowering: &Lowering<'_>, arg: u32) -> Result<Op> {
    let local = lowering.local(arg)?;
    let is_cell = lowering.code.locals[local.index()].kind.is_cell();
    Ok(if is_cell { Op::LoadClosure(local) } else { Op::LoadFast(local) })
}

pub(crate) fn load_fast_or_closure(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let op = load_slot(lowering, arg)?;
    lowering.emit_all([op])
}

pub(crate) fn load_fast_load_fast(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let ops = [load_slot(lowering, arg >> 4)?, load_slot(lowering, arg & 15)?];
    lowering.emit_all(ops)
}

pub(crate) fn store_fast_load_fast(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let ops = [Op::StoreFast(lowering.local(arg >> 4)?), load_slot(lowering, arg & 15)?];
    lowering.emit_all(ops)
}

pub(crate) fn store_fast_store_fast(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let ops = [arg >> 4, arg & 15].map(|slot| lowering.local(slot).map(Op::StoreFast));
    let [first, second] = ops;
    lowering.emit_all([first?, second?])
}

pub(crate) fn load_classderef(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let local = lowering.local(arg)?;
    lowering.emit_all([Op::LoadLocals, Op::LoadFromDictOrDeref(local)])
}

pub(crate) fn load_global(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let name = lowering.name(arg >> 1)?;
    // 3.11 and 3.12 put the null below the callable, 3.13 above it.
    let (null, above) = (arg & 1 != 0, lowering.code.version >= PythonVersion::V313);
    if null && !above {
        lowering.emit(Op::PushNull);
    }
    lowering.emit(Op::LoadGlobal(name));
    if null && above {
        lowering.emit(Op::PushNull);
    }
    Ok(())
}

pub(crate) fn load_attr_or_method(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let name = lowering.name(arg >> 1)?;
    lowering.emit(if arg & 1 != 0 { Op::LoadMethod(name) } else { Op::LoadAttr(name) });
    Ok(())
}

pub(crate) fn load_super_attr(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let name = lowering.name(arg >> 2)?;
    lowering.emit_all([Op::LoadSuperAttr { name, method: arg & 1 != 0, explicit: arg & 2 != 0 }])
}

pub(crate) fn binary_op(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let count = BinaryOp::ALL.len() as u32;
    let op = match arg.checked_sub(count) {
        None => Op::Binary(lowering.pick(&BinaryOp::ALL, arg, "operator")?),
        Some(rest) => Op::InplaceBinary(lowering.pick(&BinaryOp::ALL, rest, "operator")?),
    };
    lowering.emit_all([op])
}

pub(crate) fn compare_op(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let op = Op::Compare(lowering.pick(&CompareOp::ALL, arg, "comparison")?);
    lowering.emit_all([op])
}

/// The lower bits are a hint for the interpreter.
pub(crate) fn compare_op_shifted_4(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    compare_op(lowering, arg >> 4)
}

/// Bit 4 asks for a bool, the lower ones are a hint for the interpreter.
pub(crate) fn compare_op_shifted_5(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    compare_op(lowering, arg >> 5)?;
    if arg & 16 != 0 {
        lowering.emit(Op::ToBool);
    }
    Ok(())
}

pub(crate) fn is_op(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    lowering.emit_all([Op::Is { invert: arg != 0 }])
}

pub(crate) fn contains_op(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    lowering.emit_all([Op::Contains { invert: arg != 0 }])
}

pub(crate) fn unpack_ex(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let op = Op::UnpackEx { before: arg & 0xff, after: arg >> 8 };
    lowering.count(op.effect().pushes)?;
    lowering.emit_all([op])
}

const CONVERSIONS: [Option<Conversion>; 4] =
    [None, Some(Conversion::Str), Some(Conversion::Repr), Some(Conversion::Ascii)];

/// Conversion and formatting in one; the specification, if any, is above the value on the stack.
pub(crate) fn format_value(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    match (CONVERSIONS[(arg & 3) as usize], arg & 4 != 0) {
        (None, false) => lowering.emit_all([Op::FormatSimple]),
        (None, true) => lowering.emit_all([Op::FormatWithSpec]),
        (Some(how), false) => lowering.emit_all([Op::ConvertValue(how), Op::FormatSimple]),
        (Some(how), true) => {
            lowering.emit_all([Op::Swap(2), Op::ConvertValue(how), Op::Swap(2), Op::FormatWithSpec])
        }
    }
}

pub(crate) fn convert_value(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    match lowering.pick(&CONVERSIONS, arg, "conversion")? {
        Some(how) => lowering.emit_all([Op::ConvertValue(how)]),
        None => Err(lowering.bad("no such conversion")),
    }
}

pub(crate) fn kw_names(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    lowering.keywords = Some(lowering.constant(arg)?);
    lowering.emit_all([Op::Nop])
}

pub(crate) fn call(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let keywords = lowering.keywords.take();
    lowering.call_with(arg, keywords)
}

/// The names are a constant that the instruction before has pushed; that push goes.
pub(crate) fn call_kw(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let offset = lowering.offset;
    let keywords = match lowering.out.last_mut() {
        Some(Instruction { op: op @ Op::LoadConst(_), next, .. }) if *next == offset => {
            std::mem::replace(op, Op::Nop)
        }
        _ => return Err(lowering.bad("CALL_KW without constant names")),
    };
    let Op::LoadConst(keywords) = keywords else { return Err(lowering.bad("no names")) };
    lowering.call_with(arg, Some(keywords))
}

pub(crate) fn call_function_ex(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    lowering.emit_all([Op::CallFunctionEx { keywords: arg & 1 != 0 }])
}

/// Bits of the attributes of a new function, the topmost on the stack first.
const FUNCTION_ATTRIBUTES: [(u32, FunctionAttribute); 4] = [
    (8, FunctionAttribute::Closure),
    (4, FunctionAttribute::Annotations),
    (2, FunctionAttribute::KeywordDefaults),
    (1, FunctionAttribute::Defaults),
];

/// The attributes lie below the code object, in the order that setting them one by one needs.
pub(crate) fn make_function_with_flags(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    lowering.emit(Op::MakeFunction);
    for (bit, attribute) in FUNCTION_ATTRIBUTES {
        if arg & bit != 0 {
            lowering.emit(Op::SetFunctionAttribute(attribute));
        }
    }
    Ok(())
}

pub(crate) fn set_function_attribute(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    match FUNCTION_ATTRIBUTES.into_iter().find(|(bit, _)| *bit == arg) {
        Some((_, attribute)) => lowering.emit_all([Op::SetFunctionAttribute(attribute)]),
        None => Err(lowering.bad("no such attribute of a function")),
    }
}

pub(crate) fn call_intrinsic_1(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    const TABLE: [Op; 11] = [
        Op::CallIntrinsic1(Intrinsic1::Print),
        Op::CallIntrinsic1(Intrinsic1::ImportStar),
        Op::CallIntrinsic1(Intrinsic1::StopIterationError),
        Op::CallIntrinsic1(Intrinsic1::AsyncGenWrap),
        Op::Unary(UnaryOp::Positive),
        Op::ListToTuple,
        Op::CallIntrinsic1(Intrinsic1::TypeVar),
        Op::CallIntrinsic1(Intrinsic1::ParamSpec),
        Op::CallIntrinsic1(Intrinsic1::TypeVarTuple),
        Op::CallIntrinsic1(Intrinsic1::SubscriptGeneric),
        Op::CallIntrinsic1(Intrinsic1::TypeAlias),
    ];
    let op = lowering.pick(&TABLE, arg.wrapping_sub(1), "intrinsic")?;
    lowering.emit_all([op])
}

pub(crate) fn call_intrinsic_2(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    const TABLE: [Intrinsic2; 5] = [
        Intrinsic2::PrepReraiseStar,
        Intrinsic2::TypeVarWithBound,
        Intrinsic2::TypeVarWithConstraints,
        Intrinsic2::SetFunctionTypeParams,
        Intrinsic2::SetTypeParamDefault,
    ];
    let intrinsic = lowering.pick(&TABLE, arg.wrapping_sub(1), "intrinsic")?;
    lowering.emit_all([Op::CallIntrinsic2(intrinsic)])
}

pub(crate) fn print_expr(lowering: &mut Lowering<'_>, _: u32) -> Result<()> {
    lowering.emit_all([Op::CallIntrinsic1(Intrinsic1::Print), Op::PopTop])
}

pub(crate) fn import_star(lowering: &mut Lowering<'_>, _: u32) -> Result<()> {
    lowering.emit_all([Op::CallIntrinsic1(Intrinsic1::ImportStar), Op::PopTop])
}

pub(crate) fn return_const(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let constant = lowering.constant(arg)?;
    lowering.emit_all([Op::LoadConst(constant), Op::Return])
}

pub(crate) fn raise_varargs(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    if arg > 2 {
        return Err(lowering.bad("raise with more than two operands"));
    }
    lowering.emit_all([Op::Raise(arg)])
}

pub(crate) fn reraise(lowering: &mut Lowering<'_>, arg: u32) -> Result<()> {
    let lasti = lowering.count(arg)?;
    lowering.emit_all([Op::Reraise { lasti }])
}

/// At its end the interpreter takes the iterator and skips what cleans up after it, so
/// `END_FOR` is a `Nop` here.
pub(crate) fn for_iter(exit: u32) -> Op {
    Op::ForIter { exit }
}

/// The receiver goes when it returns, so `END_SEND` is a `Nop` here.
pub(crate) fn send(exit: u32) -> Op {
    Op::Send { exit }
}

/// From 3.13 on a `POP_TOP` follows that takes the iterator.
pub(crate) fn end_for_with_pop(lowering: &mut Lowering<'_>, _: u32) -> Result<()> {
    lowering.drop_pop = true;
    lowering.emit_all([Op::Nop])
}
