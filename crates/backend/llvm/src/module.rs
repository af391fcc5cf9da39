//! One LLVM module under construction: declarations, intrinsics, calls, memory words.
//!
//! Absent: function bodies (`function_body`).

use crate::calling_convention::{Returned, Signature, basic};
use crate::compile::aim;
use crate::debug_info::{DebugInfo, file_of};
use crate::error::{Built, broken, c_string};
use crate::function_body::Frame;
use crate::function_sources::function_sources;
use crate::raise_sites::{Sites, constant};
use crate::target::Machine;
use crate::vector_math::Mathematics;
use crate::{FastMath, Options, Unit, function_body, thunk};
use diag::Result;
use entity::HashMap;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, PointerValue,
};
use ir::Native;
use llvm_sys::core::{LLVMCanValueUseFastMathFlags, LLVMIsAInstruction, LLVMSetFastMathFlags};
use smallvec::SmallVec;

/// A stack slot from this size on may make the frame larger than a page.
const GUARDED_BYTES: u64 = 1024;

/// Values of a call's results or a return.
pub(crate) type Values<'ctx> = SmallVec<[BasicValueEnum<'ctx>; 4]>;

/// A function that the module defines or names, with the signature it is called by.
#[derive(Clone)]
pub(crate) struct Declared<'ctx> {
    /// The function.
    pub(crate) function: FunctionValue<'ctx>,
    /// Its parameters and results.
    pub(crate) signature: Signature,
}

/// The module being built and what its functions share.
pub(crate) struct Emitter<'ctx> {
    pub(crate) context: &'ctx Context,
    pub(crate) module: Module<'ctx>,
    pub(crate) builder: Builder<'ctx>,
    pub(crate) sites: Sites<'ctx>,
    /// Locations of instructions in the source, where they are wanted.
    pub(crate) lines: Option<DebugInfo<'ctx>>,
    /// Whether values and blocks get names, for texts.
    pub(crate) named: bool,
    /// Whether accesses to memory say which allocations they are of: not where LLVM may inline functions.
    pub(crate) scoped: bool,
    pub(crate) fastmath: FastMath,
    /// Whose mathematical functions are called.
    pub(crate) mathematics: Mathematics,
    /// What the vectorizer may call instead of them.
    pub(crate) forms: Vec<FunctionValue<'ctx>>,
    /// The files and first lines that records of sites name by symbols, if they do.
    pub(crate) sources: Option<Vec<(String, u32)>>,
    declared: HashMap<String, Declared<'ctx>>,
    intrinsics: HashMap<(&'static str, Native), FunctionValue<'ctx>>,
}

/// Builds the module of a unit for a target: loads and stores are aligned as its layout says.
pub(crate) fn emit_module<'ctx>(
    context: &'ctx Context,
    unit: &Unit,
    options: &Options,
    machine: &Machine,
    rare: &[bool],
) -> Result<Module<'ctx>> {
    let mut emitter = Emitter::new(context, unit, options);
    emitter.scoped = options.opt_level == 2 && unit.texts.is_empty();
    aim(&emitter.module, machine);
    if options.lines {
        emitter.lines = Some(DebugInfo::new(context, &emitter.module, file_of(unit)?, options.opt_level > 0));
    }
    let natives = emitter.declare_natives(unit, false)?;
    for ((member, native), rare) in unit.functions.iter().zip(&natives).zip(rare.iter().copied()) {
        if let Some(declared) = native {
            let frame = Frame::native(declared);
            function_body::emit(&mut emitter, member.func, declared.function, frame)?;
            if rare {
                emitter.generate_fast(declared.function);
            }
        }
        let Some(symbol) = &member.thunk else { continue };
        match native {
            Some(declared) => thunk::emit_calling(&mut emitter, symbol, member.func, declared)?,
            None => thunk::emit_whole(&mut emitter, symbol, member.func)?,
        }
        if (rare || (native.is_some() && options.opt_level == 2))
            && let Some(function) = emitter.module.get_function(symbol)
        {
            emitter.generate_fast(function);
        }
    }
    emitter.keep_forms();
    if let Some(lines) = emitter.lines.take() {
        lines.finish();
    }
    Ok(emitter.module)
}

impl<'ctx> Emitter<'ctx> {
    /// An empty module for a unit.
    pub(crate) fn new(context: &'ctx Context, unit: &Unit, options: &Options) -> Self {
        Emitter {
            context,
            module: context.create_module(unit.name),
            builder: context.create_builder(),
            sites: Sites::default(),
            lines: None,
            named: options.texts.llvm || options.texts.optimized,
            scoped: false,
            fastmath: options.fastmath,
            mathematics: Mathematics::of(&options.cpu),
            forms: Vec::new(),
            sources: options.relocatable.then(|| {
                function_sources(unit)
                    .iter()
                    .map(|source| (source.file.to_owned(), source.first_line))
                    .collect()
            }),
            declared: HashMap::default(),
            intrinsics: HashMap::default(),
        }
    }

    /// Declares the native entries of the unit. A function that only Python enters has none, unless
    /// `all` are wanted.
    pub(crate) fn declare_natives(&mut self, unit: &Unit, all: bool) -> Result<Vec<Option<Declared<'ctx>>>> {
        let called = unit.called_symbols();
        let mut natives = Vec::with_capacity(unit.functions.len());
        for member in &unit.functions {
            if member.func.phase != ir::Phase::Explicit {
                return Err(broken(format!("`{}` is not in its Explicit phase", member.func.name)));
            }
            let wanted =
                all || member.exported || member.thunk.is_none() || called.contains(member.symbol.as_str());
            if !wanted {
                natives.push(None);
                continue;
            }
            let signature = Signature::of(member.func)?;
            let declared = self.declare(&member.symbol, &signature, false)?;
            if !member.exported {
                declared.function.set_linkage(Linkage::Internal);
            }
            natives.push(Some(declared));
        }
        Ok(natives)
    }

    /// The function of this name and signature; the first time it is declared.
    pub(crate) fn declare(
        &mut self,
        symbol: &str,
        signature: &Signature,
        pure: bool,
    ) -> Result<Declared<'ctx>> {
        if let Some(found) = self.declared.get(symbol) {
            if found.signature != *signature {
                return Err(broken(format!("`{symbol}` is used with two signatures")));
            }
            return Ok(found.clone());
        }
        c_string(symbol)?;
        let function = self.module.add_function(symbol, signature.function_type(self.context), None);
        self.attribute(function, AttributeLoc::Function, "nounwind", 0);
        if pure {
            self.attribute(function, AttributeLoc::Function, "memory", 0);
            self.attribute(function, AttributeLoc::Function, "willreturn", 0);
        }
        for loc in self.extended(signature) {
            self.attribute(function, loc, "zeroext", 0);
        }
        let declared = Declared { function, signature: signature.clone() };
        self.declared.insert(symbol.to_owned(), declared.clone());
        Ok(declared)
    }

    /// Whether a function was declared already.
    pub(crate) fn is_declared(&self, symbol: &str) -> bool {
        self.declared.contains_key(symbol)
    }

    /// The function outside the unit of this name.
    pub(crate) fn external(&mut self, external: &ir::External) -> Result<Declared<'ctx>> {
        if let Some(ours) = self.mathematical(external)? {
            return Ok(ours);
        }
        let signature = Signature { params: external.params.clone(), results: external.results.clone() };
        let known = self.declared.contains_key(&external.name);
        let declared = self.declare(&external.name, &signature, external.pure)?;
        if !known && self.fastmath == FastMath::NONE {
            // LLVM replaces known C functions by others (`pow(2, x)` by `exp2(x)`) that round
            // differently; a function must give the same bits at every level of optimization.
            self.attribute(declared.function, AttributeLoc::Function, "nobuiltin", 0);
        }
        Ok(declared)
    }

    /// Where a signature has booleans that are extended to a register.
    fn extended(&self, signature: &Signature) -> SmallVec<[AttributeLoc; 4]> {
        let params = signature.params.iter().enumerate().filter(|(_, native)| **native == Native::I1);
        let result = matches!(signature.returned(), Returned::One) && signature.results[0] == Native::I1;
        params
            .map(|(index, _)| AttributeLoc::Param(index as u32))
            .chain(result.then_some(AttributeLoc::Return))
            .collect()
    }

    /// Has the function's code generated fast instead of well.
    fn generate_fast(&self, function: FunctionValue<'ctx>) {
        for name in ["optnone", "noinline"] {
            self.attribute(function, AttributeLoc::Function, name, 0);
        }
    }

    /// Puts an attribute on a function.
    pub(crate) fn attribute(&self, function: FunctionValue<'ctx>, loc: AttributeLoc, name: &str, value: u64) {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(loc, self.context.create_enum_attribute(kind, value));
    }

    /// Calls a function; gives all its results, the status included.
    pub(crate) fn call(
        &mut self,
        callee: &Declared<'ctx>,
        args: &[BasicValueEnum<'ctx>],
    ) -> Result<Values<'ctx>> {
        let call = |builder: &Builder<'ctx>, operands: &[BasicMetadataValueEnum<'ctx>]| {
            builder.build_direct_call(callee.function, operands, "").built()
        };
        self.call_by(call, &callee.signature, args)
    }

    /// Calls the function at an address.
    pub(crate) fn call_at(
        &mut self,
        address: PointerValue<'ctx>,
        signature: &Signature,
        args: &[BasicValueEnum<'ctx>],
    ) -> Result<Values<'ctx>> {
        let ty = signature.function_type(self.context);
        let call = |builder: &Builder<'ctx>, operands: &[BasicMetadataValueEnum<'ctx>]| {
            builder.build_indirect_call(ty, address, operands, "").built()
        };
        self.call_by(call, signature, args)
    }

    /// The address of a function of the unit, or of what it is linked to.
    pub(crate) fn address_of(&self, symbol: &str) -> Result<PointerValue<'ctx>> {
        c_string(symbol)?;
        if let Some(function) = self.module.get_function(symbol) {
            return Ok(function.as_global_value().as_pointer_value());
        }
        if let Some(found) = self.module.get_global(symbol) {
            return Ok(found.as_pointer_value());
        }
        if let Some(bytes) = ir::symbol_bytes(symbol) {
            let bytes = self.context.const_string(&bytes, false);
            return Ok(constant(&self.module, symbol, &bytes, 8).as_pointer_value());
        }
        let global = self.module.add_global(self.context.i8_type(), None, symbol);
        // It may lie at 0: what is no weak symbol LLVM takes for something that is there.
        global.set_linkage(Linkage::ExternalWeak);
        Ok(global.as_pointer_value())
    }

    fn call_by(
        &self,
        call: impl FnOnce(&Builder<'ctx>, &[BasicMetadataValueEnum<'ctx>]) -> Result<CallSiteValue<'ctx>>,
        signature: &Signature,
        args: &[BasicValueEnum<'ctx>],
    ) -> Result<Values<'ctx>> {
        let mut operands: SmallVec<[BasicMetadataValueEnum; 8]> =
            args.iter().map(|&arg| arg.into()).collect();
        let returned = signature.returned();
        let spill = match returned {
            Returned::Spilled => Some(self.frame_bytes(8 * (signature.results.len() as u64 - 1))?),
            _ => None,
        };
        operands.extend(spill.map(BasicMetadataValueEnum::from));
        let call = call(&self.builder, &operands)?;
        let zeroext = Attribute::get_named_enum_kind_id("zeroext");
        for loc in self.extended(signature) {
            call.add_attribute(loc, self.context.create_enum_attribute(zeroext, 0));
        }
        let value = call.try_as_basic_value().basic();
        let value = || value.ok_or_else(|| broken("a call without the result it should have"));
        Ok(match returned {
            Returned::Nothing => Values::new(),
            Returned::One => SmallVec::from_slice(&[value()?]),
            Returned::Struct => {
                let all = value()?.into_struct_value();
                let members = 0..signature.results.len() as u32;
                members
                    .map(|i| self.builder.build_extract_value(all, i, "").built())
                    .collect::<Result<_>>()?
            }
            Returned::Spilled => {
                let mut values = Values::from_slice(&[value()?]);
                let spill = spill.ok_or_else(|| broken("a spilled result without its stack slot"))?;
                for (index, &native) in signature.results[1..].iter().enumerate() {
                    values.push(self.load_word(spill, index, native)?);
                }
                values
            }
        })
    }

    /// An intrinsic over one type.
    pub(crate) fn intrinsic(&mut self, name: &'static str, native: Native) -> Result<FunctionValue<'ctx>> {
        if let Some(&found) = self.intrinsics.get(&(name, native)) {
            return Ok(found);
        }
        let function = self.find_intrinsic(name, &[basic(self.context, native)])?;
        self.intrinsics.insert((name, native), function);
        Ok(function)
    }

    /// An intrinsic over these types.
    pub(crate) fn find_intrinsic(
        &self,
        name: &str,
        types: &[BasicTypeEnum<'ctx>],
    ) -> Result<FunctionValue<'ctx>> {
        Intrinsic::find(name)
            .and_then(|intrinsic| intrinsic.get_declaration(&self.module, types))
            .ok_or_else(|| broken(format!("LLVM has no intrinsic {name}")))
    }

    /// Calls an intrinsic that gives a value.
    pub(crate) fn call_intrinsic(
        &self,
        function: FunctionValue<'ctx>,
        args: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<BasicValueEnum<'ctx>> {
        let call = self.builder.build_direct_call(function, args, "").built()?;
        call.try_as_basic_value().basic().ok_or_else(|| broken("an intrinsic without a result"))
    }

    /// Room in the frame of the function being built, aligned to 16.
    pub(crate) fn frame_bytes(&self, size: u64) -> Result<PointerValue<'ctx>> {
        let here = self.builder.get_insert_block().ok_or_else(|| broken("no block to build in"))?;
        let function = here.get_parent().ok_or_else(|| broken("a block without a function"))?;
        let entry = function.get_first_basic_block().unwrap_or(here);
        if size >= GUARDED_BYTES {
            // A frame of more than a page must touch its pages in order, or it could step over the
            // page that guards the end of the stack.
            let probe = self.context.create_string_attribute("probe-stack", "inline-asm");
            function.add_attribute(AttributeLoc::Function, probe);
        }
        if let Some(first) = entry.get_first_instruction() {
            self.builder.position_before(&first);
        } else {
            self.builder.position_at_end(entry);
        }
        let bytes = u32::try_from(size).map_err(|_| broken("a stack slot of more than 4 GiB"))?;
        let slot = self.builder.build_alloca(self.context.i8_type().array_type(bytes), "").built()?;
        let instruction =
            slot.as_instruction().ok_or_else(|| broken("a stack slot that is no instruction"))?;
        instruction.set_alignment(16).map_err(broken)?;
        self.builder.position_at_end(here);
        Ok(slot)
    }

    /// A pointer moved by a constant number of bytes.
    pub(crate) fn offset(&self, pointer: PointerValue<'ctx>, bytes: i64) -> Result<PointerValue<'ctx>> {
        if bytes == 0 {
            return Ok(pointer);
        }
        let index = self.context.i64_type().const_int(bytes as u64, true);
        // SAFETY: one index into bytes is what the type asks for.
        unsafe { self.builder.build_gep(self.context.i8_type(), pointer, &[index], "").built() }
    }

    /// Reads a value from word number `index`: its low bits.
    pub(crate) fn load_word(
        &self,
        words: PointerValue<'ctx>,
        index: usize,
        native: Native,
    ) -> Result<BasicValueEnum<'ctx>> {
        let global = self.offset(words, 8 * index as i64)?;
        if native != Native::I1 {
            return self.builder.build_load(basic(self.context, native), global, "").built();
        }
        let byte = self.builder.build_load(self.context.i8_type(), global, "").built()?.into_int_value();
        Ok(self.builder.build_int_truncate(byte, self.context.bool_type(), "").built()?.into())
    }

    /// Writes a value to word number `index`, zero-extended.
    pub(crate) fn store_word(
        &self,
        words: PointerValue<'ctx>,
        index: usize,
        value: BasicValueEnum<'ctx>,
    ) -> Result<()> {
        let global = self.offset(words, 8 * index as i64)?;
        let word = match value {
            BasicValueEnum::FloatValue(float) if float.get_type() == self.context.f32_type() => Some(
                self.builder.build_bit_cast(float, self.context.i32_type(), "").built()?.into_int_value(),
            ),
            BasicValueEnum::IntValue(int) => Some(int),
            _ => None,
        };
        let value = match word {
            Some(int) if int.get_type().get_bit_width() < 64 => {
                self.builder.build_int_z_extend(int, self.context.i64_type(), "").built()?.into()
            }
            _ => value,
        };
        self.builder.build_store(global, value).built()?;
        Ok(())
    }

    /// Gives the instruction after a value the liberties of this compilation.
    pub(crate) fn free_float(&self, value: &impl AsValueRef) {
        if self.fastmath == FastMath::NONE {
            return;
        }
        let raw = value.as_value_ref();
        // SAFETY: the value is alive; the flags are set only where LLVM says it has some.
        unsafe {
            if !LLVMIsAInstruction(raw).is_null() && LLVMCanValueUseFastMathFlags(raw) != 0 {
                LLVMSetFastMathFlags(raw, self.fastmath.0);
            }
        }
    }
}
