//! Source locations on LLVM's instructions, and variables: they end up in the DWARF of the object file.
//!
//! Every function of a unit is a subprogram of its file. Absent: where variables are stored (`lower`), telling a debugger
//! of the object (`jit`).

use crate::error::{Built, broken};
use diag::{Result, Span};
use entity::HashMap;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::debug_info::{
    AsDIScope, DICompileUnit, DIExpression, DIFile, DIFlagsConstants, DILocalVariable, DISubprogram, DIType,
    DWARFEmissionKind, DWARFSourceLanguage, DebugInfoBuilder, debug_metadata_version,
};
use inkwell::module::{FlagBehavior, Module};
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, PointerValue};
use inkwell::{AddressSpace, debug_info::DIFlags};
use ir::{DebugForm, DebugType, DebugVariable, Function};
use llvm_sys::debuginfo::LLVMDIBuilderInsertDeclareRecordAtEnd;
use std::path::Path;

/// gdb looks for the end of a prologue in the line table if a compiler of this family was at work.
const PRODUCER: &str = "clang (rumba)";

/// DWARF's encodings of numbers.
const ENCODINGS: [(DebugForm, u32); 6] = [
    (DebugForm::Bool, 2),
    (DebugForm::Complex, 3),
    (DebugForm::Float, 4),
    (DebugForm::Signed, 5),
    (DebugForm::Char, 6),
    (DebugForm::Unsigned, 7),
];

/// DWARF's operation that reads the address at an address.
const DEREFERENCE: i64 = 6;

/// The places of a module under construction.
pub(crate) struct DebugInfo<'ctx> {
    builder: DebugInfoBuilder<'ctx>,
    unit: DICompileUnit<'ctx>,
    files: HashMap<String, DIFile<'ctx>>,
    function: Option<(DISubprogram<'ctx>, DIFile<'ctx>, u32)>,
    types: HashMap<DebugType, DIType<'ctx>>,
}

impl<'ctx> DebugInfo<'ctx> {
    /// No places yet. `file` is where most of the unit is from.
    pub(crate) fn new(context: &'ctx Context, module: &Module<'ctx>, file: &str, optimized: bool) -> Self {
        let version = context.i32_type().const_int(debug_metadata_version().into(), false);
        module.add_basic_value_flag("Debug Info Version", FlagBehavior::Warning, version);
        // `jit::line_table` reads this version. Every file has its folder in it, as none is in the unit's own.
        let version = context.i32_type().const_int(4, false);
        module.add_basic_value_flag("Dwarf Version", FlagBehavior::Warning, version);
        let (builder, unit) = module.create_debug_info_builder(
            true,
            // Debuggers read symbols and expressions of this language; they know nothing of Python's.
            DWARFSourceLanguage::CPlusPlus,
            file,
            "/",
            PRODUCER,
            optimized,
            "",
            0,
            "",
            DWARFEmissionKind::Full,
            0,
            false,
            false,
            "",
            "",
        );
        DebugInfo { builder, unit, files: HashMap::default(), function: None, types: HashMap::default() }
    }

    /// Instructions that follow are of this function.
    pub(crate) fn enter(&mut self, func: &Function, function: FunctionValue<'ctx>) {
        let (folder, name) = split(&func.file);
        let builder = &self.builder;
        let made = self.files.entry(func.file.clone()).or_insert_with(|| builder.create_file(name, folder));
        let file = *made;
        let kind = builder.create_subroutine_type(file, None, &[], DIFlagsConstants::ZERO);
        let line = func.first_line;
        // As the `def` names it: without a symbol debuggers show and find it by that.
        let name = func.name.rsplit('.').next().unwrap_or(&func.name);
        let made = builder.create_function(
            self.unit.as_debug_info_scope(),
            name,
            None,
            file,
            line,
            kind,
            false,
            true,
            line,
            DIFlagsConstants::ZERO,
            true,
        );
        function.set_subprogram(made);
        self.function = Some((made, file, line));
    }

    /// Instructions that follow are of no function of the source.
    pub(crate) fn leave(&mut self, builder: &Builder<'ctx>) {
        self.function = None;
        builder.unset_current_debug_location();
    }

    /// Instructions that follow stand there. What has no place continues the line before it; LLVM asks for a place of each call.
    pub(crate) fn set_location(
        &self,
        context: &'ctx Context,
        builder: &Builder<'ctx>,
        span: Span,
        is_call: bool,
    ) {
        let Some((function, ..)) = self.function else { return };
        if !span.is_known() && !is_call {
            return builder.unset_current_debug_location();
        }
        let column = if span.column == Span::NO_COLUMN { 0 } else { span.column + 1 };
        let scope = function.as_debug_info_scope();
        builder.set_current_debug_location(
            self.builder.create_debug_location(context, span.line, column, scope, None),
        );
    }

    /// The variable lies there from here on.
    pub(crate) fn declare(
        &mut self,
        (context, builder): (&'ctx Context, &Builder<'ctx>),
        variable: &DebugVariable,
        storage: PointerValue<'ctx>,
    ) -> Result<()> {
        let Some((function, file, first)) = self.function else { return Ok(()) };
        let line = if variable.line == 0 { first } else { variable.line };
        let Some(block) = builder.get_insert_block() else { return Ok(()) };
        let ty = self.ty(&variable.ty, file)?;
        let (scope, info) = (function.as_debug_info_scope(), &self.builder);
        let (name, flags) = (&variable.name, DIFlags::ZERO);
        let local = match variable.parameter {
            Some(number) => {
                info.create_parameter_variable(scope, name, number + 1, file, line, ty, true, flags)
            }
            None => info.create_auto_variable(scope, name, file, line, ty, true, flags, 64),
        };
        let is_slot =
            storage.as_instruction().is_some_and(|made| made.get_opcode() == InstructionOpcode::Alloca);
        let (storage, expression) = if is_slot {
            (storage, info.create_expression(Vec::new()))
        } else {
            // The address of what lies elsewhere is kept in the frame.
            let kept = builder.build_alloca(context.ptr_type(AddressSpace::default()), "").built()?;
            builder.build_store(kept, storage).built()?;
            (kept, info.create_expression(vec![DEREFERENCE]))
        };
        self.insert(context, (local, expression), storage, block);
        Ok(())
    }

    fn insert(
        &self,
        context: &'ctx Context,
        (local, expression): (DILocalVariable<'ctx>, DIExpression<'ctx>),
        storage: PointerValue<'ctx>,
        block: BasicBlock<'ctx>,
    ) {
        let Some((function, _, line)) = self.function else { return };
        let scope = function.as_debug_info_scope();
        let location = self.builder.create_debug_location(context, line, 0, scope, None);
        // SAFETY: all of them are alive and of one context.
        unsafe {
            LLVMDIBuilderInsertDeclareRecordAtEnd(
                self.builder.as_mut_ptr(),
                storage.as_value_ref(),
                local.as_mut_ptr(),
                expression.as_mut_ptr(),
                location.as_mut_ptr(),
                block.as_mut_ptr(),
            );
        }
    }

    fn ty(&mut self, ty: &DebugType, file: DIFile<'ctx>) -> Result<DIType<'ctx>> {
        if let Some(&known) = self.types.get(ty) {
            return Ok(known);
        }
        let bits = 8 * u64::from(ty.size);
        let made = match &ty.form {
            DebugForm::Pointer(to) => {
                let to = match to {
                    Some(to) => self.ty(to, file)?,
                    None => self.number("void", 0, 0)?,
                };
                let space = AddressSpace::default();
                self.builder.create_pointer_type(&ty.name, to, bits, 64, space).as_type()
            }
            DebugForm::Array(item, count) => {
                let item = self.ty(item, file)?;
                let range = 0..i64::from(*count);
                self.builder.create_array_type(item, bits, 64, &[range]).as_type()
            }
            DebugForm::Struct(members) => {
                let scope = file.as_debug_info_scope();
                let mut made = Vec::with_capacity(members.len());
                for member in members {
                    let of = self.ty(&member.ty, file)?;
                    let (size, offset) = (8 * u64::from(member.ty.size), 8 * u64::from(member.offset));
                    let (name, flags) = (&member.name, DIFlags::ZERO);
                    let member =
                        self.builder.create_member_type(scope, name, file, 0, size, 8, offset, flags, of);
                    made.push(member.as_type());
                }
                let (name, flags) = (&ty.name, DIFlags::ZERO);
                let unique = "";
                self.builder
                    .create_struct_type(scope, name, file, 0, bits, 64, flags, None, &made, 0, None, unique)
                    .as_type()
            }
            form => {
                let encoding = ENCODINGS.iter().find(|(known, _)| known == form).map_or(7, |&(_, code)| code);
                self.number(&ty.name, bits, encoding)?
            }
        };
        self.types.insert(ty.clone(), made);
        Ok(made)
    }

    fn number(&self, name: &str, bits: u64, encoding: u32) -> Result<DIType<'ctx>> {
        let made = self.builder.create_basic_type(name, bits, encoding, DIFlags::ZERO);
        Ok(made.map_err(|_| broken("a type without a name"))?.as_type())
    }

    /// Nothing follows.
    pub(crate) fn finish(self) {
        self.builder.finalize();
    }
}

/// The folder and the name of a file.
fn split(file: &str) -> (&str, &str) {
    let path = Path::new(file);
    let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
    (folder, path.file_name().and_then(|name| name.to_str()).unwrap_or(file))
}

/// The file that most of a unit is from.
pub(crate) fn file_of<'a>(unit: &crate::Unit<'a>) -> Result<&'a str> {
    let first = unit.functions.first().ok_or_else(|| broken("a unit without functions"))?;
    Ok(&first.func.file)
}
