//! Source locations on LLVM's instructions, which end up in the DWARF line table of the object file.
//!
//! Every function of a unit is a subprogram of its file. Absent: variables.

use crate::error::broken;
use diag::{Result, Span};
use entity::HashMap;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::debug_info::{
    AsDIScope, DICompileUnit, DIFile, DIFlagsConstants, DISubprogram, DWARFEmissionKind, DWARFSourceLanguage,
    DebugInfoBuilder, debug_metadata_version,
};
use inkwell::module::{FlagBehavior, Module};
use inkwell::values::FunctionValue;
use ir::Function;
use std::path::Path;

/// The places of a module under construction.
pub(crate) struct DebugLines<'ctx> {
    builder: DebugInfoBuilder<'ctx>,
    unit: DICompileUnit<'ctx>,
    files: HashMap<String, DIFile<'ctx>>,
    function: Option<DISubprogram<'ctx>>,
}

impl<'ctx> DebugLines<'ctx> {
    /// No places yet. `file` is where most of the unit is from.
    pub(crate) fn new(context: &'ctx Context, module: &Module<'ctx>, file: &str) -> Self {
        let version = context.i32_type().const_int(debug_metadata_version().into(), false);
        module.add_basic_value_flag("Debug Info Version", FlagBehavior::Warning, version);
        let (folder, name) = split(file);
        let (builder, unit) = module.create_debug_info_builder(
            true,
            DWARFSourceLanguage::Python,
            name,
            folder,
            "rumba",
            true,
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
        DebugLines { builder, unit, files: HashMap::default(), function: None }
    }

    /// Instructions that follow are of this function.
    pub(crate) fn enter(&mut self, func: &Function, function: FunctionValue<'ctx>) {
        let (folder, name) = split(&func.file);
        let builder = &self.builder;
        let made = self.files.entry(func.file.clone()).or_insert_with(|| builder.create_file(name, folder));
        let file = *made;
        let kind = builder.create_subroutine_type(file, None, &[], DIFlagsConstants::ZERO);
        let symbol = function.get_name().to_string_lossy();
        let line = func.first_line;
        let made = builder.create_function(
            self.unit.as_debug_info_scope(),
            &func.name,
            Some(&symbol),
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
        self.function = Some(made);
    }

    /// Instructions that follow are of no function of the source.
    pub(crate) fn leave(&mut self, builder: &Builder<'ctx>) {
        self.function = None;
        builder.unset_current_debug_location();
    }

    /// Instructions that follow stand there.
    pub(crate) fn place(&self, context: &'ctx Context, builder: &Builder<'ctx>, span: Span) {
        let Some(function) = self.function else { return };
        let column = if span.column == Span::NO_COLUMN { 0 } else { span.column + 1 };
        let scope = function.as_debug_info_scope();
        builder.set_current_debug_location(
            self.builder.create_debug_location(context, span.line, column, scope, None),
        );
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
