//! The translation of each op of the Explicit phase to LLVM. The table in `ir::op` defines the meaning.

use crate::calling_convention::{Signature, basic};
use crate::error::{Built, broken};
use crate::function_body::Body;
use crate::module::Values;
use abi::Runtime;
use diag::Result;
use entity::HashSet;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, FloatValue, InstructionOpcode,
    InstructionValue, IntValue,
};
use inkwell::{AtomicOrdering, AtomicRMWBinOp, FloatPredicate, IntPredicate};
use ir::{Attr, External, FloatCond, Inst, InstData, IntCond, Native, Op};

/// How atomic operations are ordered: all threads see them in one order.
const ORDER: AtomicOrdering = AtomicOrdering::SequentiallyConsistent;

/// Two operands and one result of the same type: one instruction.
fn binary_opcode(op: Op) -> Option<InstructionOpcode> {
    Some(match op {
        Op::Iadd => InstructionOpcode::Add,
        Op::Isub => InstructionOpcode::Sub,
        Op::Imul => InstructionOpcode::Mul,
        Op::Sdiv => InstructionOpcode::SDiv,
        Op::Udiv => InstructionOpcode::UDiv,
        Op::Srem => InstructionOpcode::SRem,
        Op::Urem => InstructionOpcode::URem,
        Op::Iand => InstructionOpcode::And,
        Op::Ior => InstructionOpcode::Or,
        Op::Ixor => InstructionOpcode::Xor,
        Op::Ishl => InstructionOpcode::Shl,
        Op::Sshr => InstructionOpcode::AShr,
        Op::Ushr => InstructionOpcode::LShr,
        Op::Fadd => InstructionOpcode::FAdd,
        Op::Fsub => InstructionOpcode::FSub,
        Op::Fmul => InstructionOpcode::FMul,
        Op::Fdiv => InstructionOpcode::FDiv,
        Op::Frem => InstructionOpcode::FRem,
        _ => return None,
    })
}

/// A conversion that is one instruction.
fn cast_opcode(op: Op) -> Option<InstructionOpcode> {
    Some(match op {
        Op::Sext => InstructionOpcode::SExt,
        Op::Zext => InstructionOpcode::ZExt,
        Op::Trunc => InstructionOpcode::Trunc,
        Op::SintToFloat => InstructionOpcode::SIToFP,
        Op::UintToFloat => InstructionOpcode::UIToFP,
        Op::Fpext => InstructionOpcode::FPExt,
        Op::Fptrunc => InstructionOpcode::FPTrunc,
        _ => return None,
    })
}

/// An intrinsic over the type of the first operand, and whether it takes a flag after the operands
/// that says that 0 is undefined.
fn intrinsic(op: Op) -> Option<(&'static str, bool)> {
    Some(match op {
        Op::Clz => ("llvm.ctlz", true),
        Op::Ctz => ("llvm.cttz", true),
        Op::Popcount => ("llvm.ctpop", false),
        Op::SaddOverflow => ("llvm.sadd.with.overflow", false),
        Op::SmulOverflow => ("llvm.smul.with.overflow", false),
        Op::Fma => ("llvm.fma", false),
        Op::Fabs => ("llvm.fabs", false),
        Op::Fsqrt => ("llvm.sqrt", false),
        Op::Ffloor => ("llvm.floor", false),
        Op::Fceil => ("llvm.ceil", false),
        Op::Ftrunc => ("llvm.trunc", false),
        Op::Frint => ("llvm.roundeven", false),
        Op::Copysign => ("llvm.copysign", false),
        _ => return None,
    })
}

fn int_predicate(cond: IntCond) -> IntPredicate {
    match cond {
        IntCond::Eq => IntPredicate::EQ,
        IntCond::Ne => IntPredicate::NE,
        IntCond::Slt => IntPredicate::SLT,
        IntCond::Sle => IntPredicate::SLE,
        IntCond::Sgt => IntPredicate::SGT,
        IntCond::Sge => IntPredicate::SGE,
        IntCond::Ult => IntPredicate::ULT,
        IntCond::Ule => IntPredicate::ULE,
        IntCond::Ugt => IntPredicate::UGT,
        IntCond::Uge => IntPredicate::UGE,
    }
}

fn float_predicate(cond: FloatCond) -> FloatPredicate {
    match cond {
        FloatCond::Eq => FloatPredicate::OEQ,
        FloatCond::Ne => FloatPredicate::UNE,
        FloatCond::Lt => FloatPredicate::OLT,
        FloatCond::Le => FloatPredicate::OLE,
        FloatCond::Gt => FloatPredicate::OGT,
        FloatCond::Ge => FloatPredicate::OGE,
        FloatCond::Uno => FloatPredicate::UNO,
        FloatCond::Ord => FloatPredicate::ORD,
    }
}

impl<'ctx> Body<'_, 'ctx> {
    /// Builds one instruction.
    pub(crate) fn inst(&mut self, inst: Inst) -> Result<()> {
        let data = &self.func.insts[inst];
        if data.op.is_terminator() {
            return self.terminator(data);
        }
        match data.op {
            Op::Store | Op::StoreUnaligned => return self.lower_store(data),
            Op::CallExternal => return self.lower_call_external(data),
            Op::Alloc => return self.lower_runtime(data, Runtime::Allocate),
            Op::Incref => return self.lower_runtime(data, Runtime::Incref),
            Op::Decref => return self.lower_runtime(data, Runtime::Decref),
            Op::PollAside => return self.poll_out_of_line(data),
            Op::DeclareVariable => return self.declare_variable(data),
            Op::TakeRef | Op::GiveRef | Op::NullRef => return Ok(()),
            Op::CallIndirect => return self.lower_call_indirect(data),
            Op::SaddOverflow | Op::SmulOverflow => return self.lower_overflow(data),
            _ => {}
        }
        let made = self.single(data)?;
        let &result = data
            .results
            .first()
            .ok_or_else(|| broken(format!("`{}` without a result", data.op.info().name)))?;
        self.define(result, made);
        Ok(())
    }

    fn terminator(&mut self, data: &InstData) -> Result<()> {
        match (data.op, data.targets.as_slice()) {
            (Op::Jump, [target]) => self.jump(target),
            (Op::Branch, [then, other]) => self.branch(data.args[0], then, other),
            (Op::Return, []) => {
                let values = data.args.iter().map(|&arg| self.value(arg)).collect::<Result<Values>>()?;
                self.leave_with(&values)
            }
            (Op::Fail, []) => {
                let status = self.int(data.args[0])?;
                self.leave_failing(status)
            }
            (Op::Unreachable, []) => {
                self.emitter.builder.build_unreachable().built()?;
                Ok(())
            }
            _ => Err(self.unknown(data)),
        }
    }

    fn unknown(&self, data: &InstData) -> Box<diag::Diagnostic> {
        broken(format!(
            "`{}` of `{}` is no op of the Explicit phase, or malformed",
            data.op.info().name,
            self.func.name
        ))
    }

    /// The ops with one result.
    fn single(&mut self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        if let Some(opcode) = binary_opcode(data.op) {
            let (a, b) = (self.value(data.args[0])?, self.value(data.args[1])?);
            return self.emitter.builder.build_binop(opcode, a, b, "").built();
        }
        if let Some(opcode) = cast_opcode(data.op) {
            let value = self.value(data.args[0])?;
            return self.emitter.builder.build_cast(opcode, value, self.named_type(data)?, "").built();
        }
        if let Some((name, flag)) = intrinsic(data.op) {
            return self.lower_intrinsic(data, name, flag);
        }
        let context = self.emitter.context;
        Ok(match (data.op, data.attrs.as_slice()) {
            (Op::Arg, &[Attr::Int(index), _]) => self.param(index as usize)?,
            (Op::Iconst, &[Attr::Native(Native::Ptr), Attr::Int(0)]) => {
                context.ptr_type(Default::default()).const_null().into()
            }
            (Op::Iconst, &[Attr::Native(native), Attr::Int(value)]) if native.is_int() => {
                basic(context, native).into_int_type().const_int(value as u64, true).into()
            }
            (Op::Fconst, &[Attr::Native(native), Attr::Float(bits)]) if native.is_float() => {
                basic(context, native).into_float_type().const_float(f64::from_bits(bits)).into()
            }
            (Op::Icmp, &[Attr::IntCond(cond)]) => self.lower_icmp(data, cond)?,
            (Op::Fcmp, &[Attr::FloatCond(cond)]) => {
                let (predicate, [a, b]) = size_beside_zero(self.func, data, cond)
                    .unwrap_or((float_predicate(cond), [data.args[0], data.args[1]]));
                let (a, b) = (self.value(a)?.into_float_value(), self.value(b)?.into_float_value());
                self.emitter.builder.build_float_compare(predicate, a, b, "").built()?.into()
            }
            (Op::Fneg, []) => {
                let value = self.value(data.args[0])?.into_float_value();
                self.emitter.builder.build_float_neg(value, "").built()?.into()
            }
            (Op::Select, []) => {
                let (then, other) = (self.value(data.args[1])?, self.value(data.args[2])?);
                self.emitter.builder.build_select(self.int(data.args[0])?, then, other, "").built()?
            }
            (Op::Umulhi, []) => self.lower_umulhi(data)?,
            (Op::FloatToSint, _) if known_to_fit(self.func, data) => self.lower_fitting(data)?,
            (Op::FloatToSint, _) => self.lower_saturating(data, "llvm.fptosi.sat")?,
            (Op::FloatToSintOrMin, _) => self.lower_to_sint_or_min(data)?,
            (Op::HalfToFloat, _) => self.lower_half_to_float(data)?,
            (Op::FloatToHalf, _) => self.lower_float_to_half(data)?,
            (Op::FloatToUint, _) => self.lower_saturating(data, "llvm.fptoui.sat")?,
            (Op::Bitcast, &[Attr::Native(native)]) => self.lower_bitcast(data, native)?,
            (Op::StackSlot, &[Attr::Int(size)]) => self.emitter.frame_bytes(size as u64)?.into(),
            (Op::PtrAdd, []) => {
                let (pointer, offset) = (self.pointer(data.args[0])?, self.int(data.args[1])?);
                // SAFETY: one index into bytes is what the type asks for.
                unsafe { self.emitter.builder.build_gep(context.i8_type(), pointer, &[offset], "") }
                    .built()?
                    .into()
            }
            (Op::Load | Op::LoadUnaligned | Op::LoadVolatile, &[Attr::Native(native), Attr::Int(offset)]) => {
                self.lower_load(data, native, offset)?
            }
            (Op::AtomicAdd | Op::AtomicExchange, []) => {
                let how = if data.op == Op::AtomicAdd { AtomicRMWBinOp::Add } else { AtomicRMWBinOp::Xchg };
                let (target, value) = (self.pointer(data.args[0])?, self.int(data.args[1])?);
                self.emitter.builder.build_atomicrmw(how, target, value, ORDER).built()?.into()
            }
            (Op::AtomicCas, []) => {
                let target = self.pointer(data.args[0])?;
                let (expected, new) = (self.int(data.args[1])?, self.int(data.args[2])?);
                let both = self.emitter.builder.build_cmpxchg(target, expected, new, ORDER, ORDER).built()?;
                self.emitter.builder.build_extract_value(both, 0, "").built()?
            }
            (Op::PollFlag, _) => self.poll_flag()?,
            (Op::AddressOf, &[Attr::External(id)]) => {
                self.emitter.address_of(&self.func.externals.get(id).name)?.into()
            }
            (Op::SiteStatus, &[Attr::Site(site)]) => self.emitter.site_status(self.func, site)?.into(),
            _ => return Err(self.unknown(data)),
        })
    }

    fn lower_half_to_float(&mut self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        let bits = self.value(data.args[0])?;
        let (context, builder) = (self.emitter.context, &self.emitter.builder);
        let half = builder.build_bit_cast(bits, context.f16_type(), "").built()?.into_float_value();
        Ok(builder.build_float_ext(half, context.f32_type(), "").built()?.into())
    }

    fn lower_float_to_half(&mut self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        let single = self.value(data.args[0])?.into_float_value();
        let (context, builder) = (self.emitter.context, &self.emitter.builder);
        let half = builder.build_float_trunc(single, context.f16_type(), "").built()?;
        builder.build_bit_cast(half, context.i16_type(), "").built()
    }

    /// Where a debugger finds a variable, if one is to.
    fn declare_variable(&mut self, data: &InstData) -> Result<()> {
        let storage = self.pointer(data.args[0])?;
        let emitter = &mut *self.emitter;
        let (Some(lines), Some(&Attr::Int(index))) = (&mut emitter.lines, data.attrs.first()) else {
            return Ok(());
        };
        match self.func.variables.get(index as usize) {
            Some(variable) => lines.declare((emitter.context, &emitter.builder), variable, storage),
            None => Ok(()),
        }
    }

    /// A mark for the pass of `shim.cpp` that looks for signals. Handlers may change what the loop reads.
    fn poll_out_of_line(&mut self, data: &InstData) -> Result<()> {
        let Some(&Attr::Site(site)) = data.attrs.first() else { return Err(self.unknown(data)) };
        let record = self.emitter.site_record_of(self.func, site)?;
        let context = self.emitter.context;
        let pointer = context.ptr_type(inkwell::AddressSpace::default());
        let ty = context.void_type().fn_type(&[pointer.into()], false);
        let (text, operands) = ("# rumba.poll".to_owned(), "i,~{flags},~{memory}".to_owned());
        let mark = context.create_inline_asm(ty, text, operands, true, false, None, false);
        self.emitter.builder.build_indirect_call(ty, mark, &[record.into()], "").built()?;
        // What is put aside calls without asking for room on the stack.
        let kind = inkwell::attributes::Attribute::get_named_enum_kind_id("noredzone");
        let attribute = context.create_enum_attribute(kind, 0);
        self.function().add_attribute(inkwell::attributes::AttributeLoc::Function, attribute);
        Ok(())
    }

    /// Of what `rumba_interrupts` names, the byte of the thread that the frame is on: see `rt::interrupts`.
    fn poll_flag(&mut self) -> Result<BasicValueEnum<'ctx>> {
        let target = self.emitter.address_of("rumba_interrupts")?;
        let frame = self.emitter.frame_bytes(1)?;
        let (word, context) = (self.emitter.context.i64_type(), self.emitter.context);
        let [lowest, size] = [8, 16].map(|offset| {
            let target = self.emitter.offset(target, offset)?;
            Ok::<_, Box<diag::Diagnostic>>(
                self.emitter.builder.build_load(word, target, "").built()?.into_int_value(),
            )
        });
        let builder = &self.emitter.builder;
        let frame = builder.build_ptr_to_int(frame, word, "").built()?;
        let from_lowest = builder.build_int_sub(frame, lowest?, "").built()?;
        let elsewhere = builder.build_int_compare(IntPredicate::UGE, from_lowest, size?, "").built()?;
        let which = builder.build_int_z_extend(elsewhere, word, "").built()?;
        // SAFETY: an index into the bytes of the place.
        Ok(unsafe { builder.build_gep(context.i8_type(), target, &[which], "") }.built()?.into())
    }

    /// The type named by the first immediate operand.
    fn named_type(&self, data: &InstData) -> Result<BasicTypeEnum<'ctx>> {
        match data.attrs.first() {
            Some(&Attr::Native(native)) => Ok(basic(self.emitter.context, native)),
            _ => Err(self.unknown(data)),
        }
    }

    fn lower_intrinsic(
        &mut self,
        data: &InstData,
        name: &'static str,
        flag: bool,
    ) -> Result<BasicValueEnum<'ctx>> {
        let function = self.emitter.intrinsic(name, self.func.native(data.args[0]))?;
        let mut args: smallvec::SmallVec<[BasicMetadataValueEnum; 3]> = Default::default();
        for &arg in &data.args {
            args.push(self.value(arg)?.into());
        }
        if flag {
            args.push(self.emitter.context.bool_type().const_zero().into());
        }
        self.emitter.call_intrinsic(function, &args)
    }

    fn lower_overflow(&mut self, data: &InstData) -> Result<()> {
        let Some((name, flag)) = intrinsic(data.op) else { return Err(self.unknown(data)) };
        let both = self.lower_intrinsic(data, name, flag)?.into_struct_value();
        for (index, &result) in data.results.iter().enumerate() {
            let member = self.emitter.builder.build_extract_value(both, index as u32, "").built()?;
            self.define(result, member);
        }
        Ok(())
    }

    fn lower_icmp(&self, data: &InstData, cond: IntCond) -> Result<BasicValueEnum<'ctx>> {
        let builder = &self.emitter.builder;
        let predicate = int_predicate(cond);
        Ok(match (self.value(data.args[0])?, self.value(data.args[1])?) {
            (BasicValueEnum::IntValue(a), BasicValueEnum::IntValue(b)) => {
                builder.build_int_compare(predicate, a, b, "").built()?.into()
            }
            (BasicValueEnum::PointerValue(a), BasicValueEnum::PointerValue(b)) => {
                builder.build_int_compare(predicate, a, b, "").built()?.into()
            }
            _ => return Err(self.unknown(data)),
        })
    }

    /// High half of the product in twice the width.
    fn lower_umulhi(&self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        let (a, b) = (self.int(data.args[0])?, self.int(data.args[1])?);
        let narrow = a.get_type();
        let bits = narrow.get_bit_width();
        let width = std::num::NonZero::new(2 * bits).ok_or_else(|| self.unknown(data))?;
        let wide = self.emitter.context.custom_width_int_type(width).map_err(broken)?;
        let builder = &self.emitter.builder;
        let a = builder.build_int_z_extend(a, wide, "").built()?;
        let b = builder.build_int_z_extend(b, wide, "").built()?;
        let product = builder.build_int_mul(a, b, "").built()?;
        let high =
            builder.build_right_shift(product, wide.const_int(bits.into(), false), false, "").built()?;
        Ok(builder.build_int_truncate(high, narrow, "").built()?.into())
    }

    fn lower_saturating(&self, data: &InstData, name: &str) -> Result<BasicValueEnum<'ctx>> {
        let value = self.value(data.args[0])?;
        let function = self.emitter.find_intrinsic(name, &[self.named_type(data)?, value.get_type()])?;
        self.emitter.call_intrinsic(function, &[value.into()])
    }

    /// One instruction of x86, whose answer for what does not fit is this one; of 32 bits in a form that runs vectorized, too.
    fn lower_to_sint_or_min(&mut self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        let value = self.value(data.args[0])?.into_float_value();
        if self.func.native(data.results[0]) == Native::I32 {
            return self.lower_to_i32_or_min(data, value);
        }
        if self.is_x86() {
            let (name, lanes) = match self.func.native(data.args[0]) {
                Native::F64 => ("llvm.x86.sse2.cvttsd2si64", 2),
                _ => ("llvm.x86.sse.cvttss2si64", 4),
            };
            let none = value.get_type().vec_type(lanes).get_poison();
            let first = self.emitter.context.i32_type().const_zero();
            let vector = self.emitter.builder.build_insert_element(none, value, first, "").built()?;
            let function = self.emitter.find_intrinsic(name, &[])?;
            return self.emitter.call_intrinsic(function, &[vector.into()]);
        }
        let saturated = self.lower_saturating(data, "llvm.fptosi.sat")?.into_int_value();
        let size = self.lower_intrinsic(data, "llvm.fabs", false)?.into_float_value();
        let limit = value.get_type().const_float(-(i64::MIN as f64));
        let least = self.emitter.context.i64_type().const_int(i64::MIN as u64, true);
        let builder = &self.emitter.builder;
        let fits = builder.build_float_compare(FloatPredicate::OLT, size, limit, "").built()?;
        builder.build_select(fits, saturated, least, "").built()
    }

    /// The conversion of what fits 32 bits, and is 0 otherwise. On x86 the low bits of what does not fit are 0 by themselves: there LLVM
    /// is only kept from taking them for anything else.
    fn lower_fitting(&mut self, data: &InstData) -> Result<BasicValueEnum<'ctx>> {
        let ty = self.emitter.context.i32_type();
        if self.is_x86()
            && let Some(whole) = whole_of_low_bits(self.func, data)
        {
            let value = self.value(whole)?.into_float_value();
            let converted = self.emitter.builder.build_float_to_signed_int(value, ty, "").built()?;
            // SAFETY: the builder stands in a block, and the value is one of its function.
            let frozen = unsafe {
                IntValue::new(llvm_sys::core::LLVMBuildFreeze(
                    self.emitter.builder.as_mut_ptr(),
                    converted.as_value_ref(),
                    c"".as_ptr(),
                ))
            };
            return Ok(frozen.into());
        }
        let value = self.value(data.args[0])?.into_float_value();
        Ok(self.emitter.builder.build_float_to_signed_int(value, ty, "").built()?.into())
    }

    fn is_x86(&self) -> bool {
        self.emitter.module.get_triple().as_str().to_bytes().starts_with(b"x86_64")
    }

    /// The conversion has no value where it is not chosen.
    fn lower_to_i32_or_min(
        &mut self,
        data: &InstData,
        value: FloatValue<'ctx>,
    ) -> Result<BasicValueEnum<'ctx>> {
        let is_single = self.func.native(data.args[0]) == Native::F32;
        let (context, builder) = (self.emitter.context, &self.emitter.builder);
        // In single precision the bound below is the least number itself.
        let (above, low) = match is_single {
            true => (FloatPredicate::OGE, f64::from(i32::MIN)),
            false => (FloatPredicate::OGT, f64::from(i32::MIN) - 1.0),
        };
        let low = value.get_type().const_float(low);
        let high = value.get_type().const_float(-f64::from(i32::MIN));
        let above = builder.build_float_compare(above, value, low, "").built()?;
        let below = builder.build_float_compare(FloatPredicate::OLT, value, high, "").built()?;
        let inside = builder.build_and(above, below, "").built()?;
        let whole = builder.build_float_to_signed_int(value, context.i32_type(), "").built()?;
        let least = context.i32_type().const_int(i32::MIN as u32 as u64, false);
        builder.build_select(inside, whole, least, "").built()
    }

    /// LLVM distinguishes pointers from numbers: a conversion between pointer and float goes through an integer.
    fn lower_bitcast(&self, data: &InstData, to: Native) -> Result<BasicValueEnum<'ctx>> {
        let value = self.value(data.args[0])?;
        let builder = &self.emitter.builder;
        let word = self.emitter.context.i64_type();
        let target = basic(self.emitter.context, to);
        Ok(match (value, to) {
            (BasicValueEnum::PointerValue(_), Native::Ptr) => value,
            (BasicValueEnum::PointerValue(pointer), _) => {
                let bits = builder.build_ptr_to_int(pointer, word, "").built()?;
                builder.build_bit_cast(bits, target, "").built()?
            }
            (_, Native::Ptr) => {
                let bits = builder.build_bit_cast(value, word, "").built()?.into_int_value();
                builder.build_int_to_ptr(bits, target.into_pointer_type(), "").built()?.into()
            }
            _ => builder.build_bit_cast(value, target, "").built()?,
        })
    }

    /// A boolean in memory is a byte: any but 0 is true.
    fn lower_load(&self, data: &InstData, native: Native, offset: i64) -> Result<BasicValueEnum<'ctx>> {
        let target = self.emitter.offset(self.pointer(data.args[0])?, offset)?;
        let builder = &self.emitter.builder;
        if native != Native::I1 {
            let value = builder.build_load(basic(self.emitter.context, native), target, "").built()?;
            if data.op == Op::LoadUnaligned {
                unaligned(value.as_instruction_value())?;
            }
            if data.op == Op::LoadVolatile
                && let Some(load) = value.as_instruction_value()
            {
                load.set_volatile(true).map_err(broken)?;
            }
            self.tell_memory(data.args[0], value.as_instruction_value());
            return Ok(value);
        }
        let byte = self.emitter.context.i8_type();
        let value = builder.build_load(byte, target, "").built()?.into_int_value();
        self.tell_memory(data.args[0], value.as_instruction_value());
        Ok(builder.build_int_compare(IntPredicate::NE, value, byte.const_zero(), "").built()?.into())
    }

    fn lower_store(&self, data: &InstData) -> Result<()> {
        let &[Attr::Int(offset)] = data.attrs.as_slice() else { return Err(self.unknown(data)) };
        let target = self.emitter.offset(self.pointer(data.args[0])?, offset)?;
        let mut value = self.value(data.args[1])?;
        if self.func.native(data.args[1]) == Native::I1 {
            let byte = self.emitter.context.i8_type();
            value = self.emitter.builder.build_int_z_extend(value.into_int_value(), byte, "").built()?.into();
        }
        let stored = self.emitter.builder.build_store(target, value).built()?;
        self.tell_memory(data.args[0], Some(stored));
        if data.op == Op::StoreUnaligned { unaligned(Some(stored)) } else { Ok(()) }
    }

    fn lower_call_external(&mut self, data: &InstData) -> Result<()> {
        let &[Attr::External(id)] = data.attrs.as_slice() else { return Err(self.unknown(data)) };
        self.lower_call(data, self.func.externals.get(id))
    }

    /// An op that is a call of the runtime.
    fn lower_runtime(&mut self, data: &InstData, function: Runtime) -> Result<()> {
        self.lower_call(data, &function.into())
    }

    fn lower_call(&mut self, data: &InstData, external: &External) -> Result<()> {
        let args = data.args.iter().map(|&arg| self.value(arg)).collect::<Result<Values>>()?;
        let callee = self.emitter.external(external)?;
        if args.len() != callee.signature.params.len() {
            return Err(broken(format!("a call of `{}` with too few or too many operands", external.name)));
        }
        let results = self.emitter.call(&callee, &args)?;
        for (&ours, &made) in data.results.iter().zip(&results) {
            self.define(ours, made);
        }
        Ok(())
    }

    fn lower_call_indirect(&mut self, data: &InstData) -> Result<()> {
        let &[Attr::External(id)] = data.attrs.as_slice() else { return Err(self.unknown(data)) };
        let external = self.func.externals.get(id);
        let signature = Signature { params: external.params.clone(), results: external.results.clone() };
        let address = self.pointer(data.args[0])?;
        let args = data.args[1..].iter().map(|&arg| self.value(arg)).collect::<Result<Values>>()?;
        if args.len() != signature.params.len() {
            return Err(broken("an indirect call with too few or too many operands"));
        }
        let results = self.emitter.call_at(address, &signature, &args)?;
        for (&ours, &made) in data.results.iter().zip(&results) {
            self.define(ours, made);
        }
        Ok(())
    }
}

/// A load or store of any address.
fn unaligned(access: Option<InstructionValue<'_>>) -> Result<()> {
    let access = access.ok_or_else(|| broken("an access to memory that is no instruction"))?;
    access.set_alignment(1).map_err(broken)
}

/// Whether a float that becomes an integer of 32 bits is one that has any: it was chosen because it is small, and is 0 otherwise.
fn known_to_fit(func: &ir::Function, data: &InstData) -> bool {
    let computed = |value: ir::Value, op: Op| match func.values[value].def {
        ir::Def::Result(inst, _) => Some(&func.insts[inst]).filter(|data| data.op == op),
        ir::Def::Param(..) => None,
    };
    let number = |value: ir::Value| match computed(value, Op::Fconst)?.attrs[..] {
        [_, Attr::Float(bits)] => Some(f64::from_bits(bits)),
        _ => None,
    };
    let fits = || {
        let [asked, value, other] = computed(data.args[0], Op::Select)?.args[..] else { return None };
        let asked = computed(asked, Op::Fcmp)?;
        let is_less = asked.attrs[..] == [Attr::FloatCond(ir::FloatCond::Lt)];
        let size = computed(asked.args[0], Op::Fabs)?;
        let is_small = number(asked.args[1])? <= -f64::from(i32::MIN) && number(other)? == 0.0;
        Some(is_less && is_small && size.args[0] == value)
    };
    func.native(data.results[0]) == Native::I32 && fits() == Some(true)
}

/// A comparison of a size with zero, `|x| > 0` or `|x| >= 0`, as one of the number itself. LLVM 19 takes from the first that what a select
/// chooses by it is positive, where it is the number without its sign that is.
fn size_beside_zero(
    func: &ir::Function,
    data: &InstData,
    cond: FloatCond,
) -> Option<(FloatPredicate, [ir::Value; 2])> {
    let (size, zero) = match cond {
        FloatCond::Gt | FloatCond::Ge => (data.args[0], data.args[1]),
        FloatCond::Lt | FloatCond::Le => (data.args[1], data.args[0]),
        _ => return None,
    };
    let ir::Def::Result(size, _) = func.values[size].def else { return None };
    if func.insts[size].op != Op::Fabs || !is_zero(func, zero) {
        return None;
    }
    let is_strict = matches!(cond, FloatCond::Gt | FloatCond::Lt);
    let predicate = if is_strict { FloatPredicate::ONE } else { FloatPredicate::ORD };
    Some((predicate, [func.insts[size].args[0], zero]))
}

/// Whether a number is known to be zero.
fn is_zero(func: &ir::Function, value: ir::Value) -> bool {
    let ir::Def::Result(inst, _) = func.values[value].def else { return false };
    let data = &func.insts[inst];
    match (data.op, &data.attrs[..]) {
        (Op::Fconst, &[_, Attr::Float(bits)]) => f64::from_bits(bits) == 0.0,
        (Op::Iconst, &[_, Attr::Int(number)]) => number == 0,
        (Op::Imul, _) => data.args.iter().any(|&factor| is_zero(func, factor)),
        (Op::SintToFloat | Op::UintToFloat | Op::Fabs, _) => is_zero(func, data.args[0]),
        _ => false,
    }
}

/// The float that a conversion known to fit converts, also where it does not fit, if only low bits of the result are used. Of a number
/// that was an integer LLVM would take that integer.
fn whole_of_low_bits(func: &ir::Function, data: &InstData) -> Option<ir::Value> {
    let result = data.results[0];
    let insts =
        func.layout.iter().flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
    let mut users = insts.filter(|user| user.uses().any(|value| value == result));
    let is_low = |user: &InstData| user.op == Op::Trunc && func.native(user.results[0]).bits() <= 16;
    let ir::Def::Result(select, _) = func.values[data.args[0]].def else { return None };
    let whole = func.insts[select].args[1];
    (users.all(is_low) && !may_be_integer(func, whole)).then_some(whole)
}

/// Whether a float may be a large constant, or an integer that was converted, by whatever way it comes.
fn may_be_integer(func: &ir::Function, value: ir::Value) -> bool {
    let (mut seen, mut open) = (HashSet::default(), vec![value]);
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        let inst = match func.values[value].def {
            ir::Def::Result(inst, _) => &func.insts[inst],
            ir::Def::Param(block, number) => {
                let edges = func.layout.iter().flat_map(|&from| func.edges(from));
                let handed = edges.filter(|call| call.block == block);
                open.extend(handed.filter_map(|call| call.args.get(usize::from(number))));
                continue;
            }
        };
        match (inst.op, &inst.attrs[..]) {
            (Op::Fconst, &[_, Attr::Float(bits)]) => {
                let small = f64::from_bits(bits).abs() < -f64::from(i32::MIN);
                if !small {
                    return true;
                }
            }
            (Op::SintToFloat | Op::UintToFloat, _) => {
                if func.native(inst.args[0]).bits() >= 32 && !is_small_constant(func, inst.args[0]) {
                    return true;
                }
            }
            (Op::Select, _) => open.extend(&inst.args[1..]),
            (Op::Fpext | Op::Fptrunc, _) => open.extend(&inst.args),
            _ => {}
        }
    }
    false
}

fn is_small_constant(func: &ir::Function, value: ir::Value) -> bool {
    let ir::Def::Result(inst, _) = func.values[value].def else { return false };
    matches!(func.insts[inst].attrs[..], [_, Attr::Int(number)] if func.insts[inst].op == Op::Iconst && i32::try_from(number).is_ok())
}
