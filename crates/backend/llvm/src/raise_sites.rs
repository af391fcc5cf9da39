//! The constant records of raise sites ([`abi::RaiseSite`]).
//!
//! They are in the object file with the code, so that a status is an address and needs no table.

use crate::error::broken;
use crate::function_sources::{FunctionSource, source_symbols};
use crate::module::Emitter;
use diag::Result;
use entity::HashMap;
use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicType;
use inkwell::values::{BasicValue, BasicValueEnum, GlobalValue, IntValue, PointerValue};
use ir::{Function, Site, SiteData};

/// Records and texts that the module has already.
#[derive(Default)]
pub(crate) struct Sites<'ctx> {
    /// By the address of the function, which is alive while the module is built.
    records: HashMap<(*const Function, Site), GlobalValue<'ctx>>,
    texts: HashMap<String, GlobalValue<'ctx>>,
}

impl<'ctx> Emitter<'ctx> {
    /// The status that stands for a site: the address of its record.
    pub(crate) fn site_status(&mut self, func: &Function, site: Site) -> Result<IntValue<'ctx>> {
        Ok(self.site_record_of(func, site)?.const_to_int(self.context.i64_type()))
    }

    /// The record of a site.
    pub(crate) fn site_record_of(&mut self, func: &Function, site: Site) -> Result<PointerValue<'ctx>> {
        let key = (std::ptr::from_ref(func), site);
        let record = match self.sites.records.get(&key) {
            Some(&found) => found,
            None => {
                let made = self.site_record(func, site)?;
                self.sites.records.insert(key, made);
                made
            }
        };
        Ok(record.as_pointer_value())
    }

    fn site_record(&mut self, func: &Function, site: Site) -> Result<GlobalValue<'ctx>> {
        let data = func.sites.get(site).ok_or_else(|| broken(format!("`{}` has no {site}", func.name)))?;
        let u32_of =
            |value: u32| -> BasicValueEnum { self.context.i32_type().const_int(value.into(), false).into() };
        let user = data.user_class.map_or(0, |_| abi::RaiseSite::USER_CLASS);
        let flags = user | if data.payload { abi::RaiseSite::PAYLOAD } else { 0 };
        let class = data.user_class.unwrap_or(data.class as u32);
        let span = data.span;
        let [line, end_line, file, length] = self.position(func, data)?;
        let mut members =
            vec![u32_of(class), line, u32_of(span.column), u32_of(flags), end_line, u32_of(span.end_column)];
        members.push(u32_of(FunctionSource::of(func, data).line_offset(span.line)));
        let name = data.origin.as_ref().map_or(func.name.as_str(), |origin| &*origin.name);
        for text in [data.message.as_deref(), Some(name)] {
            members.extend(self.text(text));
        }
        members.extend([file, length]);
        let record = self.context.const_struct(&members, false);
        Ok(constant(&self.module, "site", &record, std::mem::align_of::<abi::RaiseSite>()))
    }

    /// The first and last line of a site, address and length of its file's name.
    fn position(&mut self, func: &Function, data: &SiteData) -> Result<[BasicValueEnum<'ctx>; 4]> {
        let (source, span) = (FunctionSource::of(func, data), data.span);
        let word = self.context.i32_type();
        let is_here = |(file, first_line): &(String, u32)| {
            (file.as_str(), *first_line) == (source.file, source.first_line)
        };
        let Some(sources) = self.sources.as_ref().filter(|_| span.is_known() && !source.file.is_empty())
        else {
            let [file, length] = self.text(Some(source.file));
            let lines = [span.line, span.end_line].map(|line| word.const_int(line.into(), false).into());
            return Ok([lines[0], lines[1], file, length]);
        };
        let number = sources.iter().position(is_here);
        let number = number.ok_or_else(|| broken(format!("`{}` has a site without a source", func.name)))?;
        let [base, file, length] =
            source_symbols(number).map(|symbol| self.symbol(&symbol).as_pointer_value());
        let (quad, base) = (self.context.i64_type(), base.const_to_int(self.context.i64_type()));
        let line = |line: u32| {
            let relative =
                quad.const_int(i64::from(source.relative(line).cast_signed()).cast_unsigned(), true);
            base.const_add(relative).const_truncate(word).into()
        };
        Ok([line(span.line), line(span.end_line), file.into(), length.const_to_int(quad).into()])
    }

    /// What another object, or the linker, defines.
    fn symbol(&self, name: &str) -> GlobalValue<'ctx> {
        self.module
            .get_global(name)
            .unwrap_or_else(|| self.module.add_global(self.context.i8_type(), None, name))
    }

    /// Address and length of a text; null where there is none.
    fn text(&mut self, text: Option<&str>) -> [BasicValueEnum<'ctx>; 2] {
        let length = |n: usize, context: &'ctx Context| context.i64_type().const_int(n as u64, false).into();
        let Some(text) = text else {
            let null = self.context.ptr_type(AddressSpace::default()).const_null();
            return [null.into(), length(0, self.context)];
        };
        let global = match self.sites.texts.get(text) {
            Some(&found) => found,
            None => {
                // A NUL after the text keeps an empty one from being an object without bytes.
                let bytes = self.context.const_string(text.as_bytes(), true);
                let made = constant(&self.module, "text", &bytes, 1);
                self.sites.texts.insert(text.to_owned(), made);
                made
            }
        };
        [global.as_pointer_value().into(), length(text.len(), self.context)]
    }
}

/// Constant data of the module.
pub(crate) fn constant<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    value: &dyn BasicValue<'ctx>,
    align: usize,
) -> GlobalValue<'ctx> {
    let ty = value.as_basic_value_enum().get_type();
    let global = module.add_global(ty.as_basic_type_enum(), None, name);
    global.set_initializer(value);
    global.set_linkage(Linkage::Private);
    global.set_constant(true);
    global.set_unnamed_addr(true);
    global.set_alignment(align as u32);
    global
}
