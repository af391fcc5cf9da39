//! Calls of Rumba's mathematical functions, with the vector forms that the loop vectorizer may use.
//!
//! LLVM does not know their symbols, so it replaces no call by one that rounds differently (`pow(2, x)` by
//! `exp2(x)`); with fast-math it may, and C's names refer to the same functions.

use crate::calling_convention::Signature;
use crate::error::c_string;
use crate::module::{Declared, Emitter};
use crate::{Cpu, FastMath};
use diag::Result;
use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::types::BasicTypeEnum;
use inkwell::values::FunctionValue;

/// Whose mathematical functions are called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mathematics {
    /// Those that the target has under C's names.
    OfTarget,
    /// Our own functions, with variants for registers of up to this many bytes.
    Ours(usize),
}

impl Mathematics {
    /// What a processor runs.
    pub(crate) fn of(cpu: &Cpu) -> Self {
        Mathematics::Ours(match cpu {
            Cpu::Host => vmath::widest(),
            Cpu::Named(name, _) if name == "x86-64-v4" => 64,
            Cpu::Named(name, _) if name == "x86-64-v3" => 32,
            Cpu::Named(..) => 0,
        })
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Our function for one of C, declared with its forms for several numbers.
    pub(crate) fn mathematical(&mut self, external: &ir::External) -> Result<Option<Declared<'ctx>>> {
        let Mathematics::Ours(bytes) = self.mathematics else { return Ok(None) };
        let Some(function) = vmath::function(&external.name).filter(|_| external.pure) else {
            return Ok(None);
        };
        let strict = self.fastmath == FastMath::NONE;
        let symbol = if strict { function.symbol } else { function.name };
        let known = self.is_declared(symbol);
        let signature = Signature { params: external.params.clone(), results: external.results.clone() };
        let declared = self.declare(symbol, &signature, true)?;
        if known {
            return Ok(Some(declared));
        }
        // It may be computed ahead of the checks before it, as out of a loop.
        self.attribute(declared.function, AttributeLoc::Function, "speculatable", 0);
        let mut forms = Vec::new();
        for vector in function.vectors.iter().filter(|vector| vector.bytes <= bytes) {
            self.declare_form(function, vector)?;
            let marks = "v".repeat(function.arity);
            forms.push(format!("_ZGV_LLVM_N{}{marks}_{symbol}({})", vector.lanes, vector.symbol));
        }
        if !forms.is_empty() {
            let text = self.context.create_string_attribute("vector-function-abi-variant", &forms.join(","));
            declared.function.add_attribute(AttributeLoc::Function, text);
        }
        Ok(Some(declared))
    }

    fn declare_form(&mut self, function: &vmath::Function, vector: &vmath::Vector) -> Result<()> {
        c_string(vector.symbol)?;
        let lanes = vector.lanes as u32;
        let ty = if function.single {
            self.context.f32_type().vec_type(lanes)
        } else {
            self.context.f64_type().vec_type(lanes)
        };
        let params = vec![ty.into(); function.arity];
        let form = self.module.add_function(vector.symbol, ty.fn_type(&params, false), None);
        for (name, value) in [("nounwind", 0), ("memory", 0), ("willreturn", 0), ("speculatable", 0)] {
            self.attribute(form, AttributeLoc::Function, name, value);
        }
        self.forms.push(form);
        Ok(())
    }

    /// Keeps the declared forms in the module, though nothing calls them yet.
    pub(crate) fn keep_forms(&self) {
        if self.forms.is_empty() {
            return;
        }
        let pointers: Vec<_> = self
            .forms
            .iter()
            .map(|form: &FunctionValue<'_>| form.as_global_value().as_pointer_value())
            .collect();
        let ty = self.context.ptr_type(AddressSpace::default());
        let list = ty.const_array(&pointers);
        let array: BasicTypeEnum<'_> = list.get_type().into();
        let global = self.module.add_global(array, None, "llvm.compiler.used");
        global.set_initializer(&list);
        global.set_linkage(Linkage::Appending);
        global.set_section(Some("llvm.metadata"));
        self.prefer_wide_registers();
    }

    /// Has the vectorizer take the widest registers, which LLVM avoids on some processors: a form for eight numbers takes
    /// about as long as one for four.
    fn prefer_wide_registers(&self) {
        if self.mathematics != Mathematics::Ours(64) {
            return;
        }
        let wide = self.context.create_string_attribute("prefer-vector-width", "512");
        for function in self.module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
            function.add_attribute(AttributeLoc::Function, wide);
        }
    }
}
