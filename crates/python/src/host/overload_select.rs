//! Selection among compiled specializations, if no new one may be compiled.

use crate::diagnostics::arguments;
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::{Argument, Target};
use crate::session::session_state::Backend;
use ::types::{ArrayType, Layout, Mismatch, Type, TypeData, TypeTable, choose_overload, convert};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use python_rt::plan::holds_integers_for;
use python_rt::values::{ndarray, numpy_scalar};
use std::sync::Arc;

impl Backend {
    /// The compiled function that takes these arguments best, by conversions of their types or, where none does, of their
    /// values, and whether it is the latter; TypeError if there is none, or if several are as good.
    pub(crate) fn best_unit(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        args: &[Type],
    ) -> PyResult<(Arc<CompiledUnit>, bool)> {
        match self.unit_for_types(target, args) {
            Ok(unit) => Ok((unit, false)),
            Err(Mismatch::NoMatch) => self
                .unit_for_values(target, arguments, args)
                .map(|unit| (unit, true))
                .ok_or_else(|| self.no_match(target, args)),
            Err(Mismatch::Ambiguous(equal)) => Err(self.ambiguous(target, args, &equal)),
        }
    }

    /// The first compiled function that the values can be converted for, though their types cannot in general.
    fn unit_for_values(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        args: &[Type],
    ) -> Option<Arc<CompiledUnit>> {
        let table = &self.session().types;
        let fits = |unit: &Arc<CompiledUnit>| {
            let params = &unit.compiled.signature.params;
            params.len() == args.len()
                && arguments.iter().zip(args).zip(params).all(|((argument, &arg), &param)| {
                    convert(table, arg, param).is_some() || can_pass(table, &argument.value, arg, param)
                })
        };
        target.units.iter().filter_map(CompiledUnit::of).find(fits)
    }

    /// The compiled function that takes arguments of these types best.
    fn unit_for_types(&self, target: &Target<'_>, args: &[Type]) -> Result<Arc<CompiledUnit>, Mismatch> {
        let units: Vec<Arc<CompiledUnit>> = target.units.iter().filter_map(CompiledUnit::of).collect();
        let table = &self.session().types;
        // An object is taken as it is, whatever type it would have.
        let as_given = |(&param, &arg): (&Type, &Type)| if param == Type::PYOBJECT { arg } else { param };
        let params = |unit: &Arc<CompiledUnit>| {
            let params = &unit.compiled.signature.params;
            if params.len() == args.len() {
                params.iter().zip(args).map(as_given).collect()
            } else {
                params.to_vec()
            }
        };
        let cases: Vec<Vec<Type>> = units.iter().map(params).collect();
        let cases = cases.iter().map(|params| &params[..]);
        choose_overload(table, cases, args, true, false).map(|index| units[index].clone())
    }

    fn no_match(&self, target: &Target<'_>, args: &[Type]) -> PyErr {
        let table = &self.session().types;
        let shown = |unit: Arc<CompiledUnit>| {
            let signature = &unit.compiled.signature;
            format!("({}) -> {}", table.names(&signature.params), table.name(signature.result))
        };
        let signatures: Vec<String> = target.units.iter().filter_map(CompiledUnit::of).map(shown).collect();
        arguments::no_signature(&target.function, &table.names(args), &signatures)
    }

    fn ambiguous(&self, target: &Target<'_>, args: &[Type], equal: &[usize]) -> PyErr {
        let table = &self.session().types;
        let tuple =
            |types: &[Type]| format!("({}{})", table.names(types), if types.len() == 1 { "," } else { "" });
        let mut message = format!("Ambiguous overloading for {} {}:", target.function, tuple(args));
        let units: Vec<Arc<CompiledUnit>> = target.units.iter().filter_map(CompiledUnit::of).collect();
        for &index in equal {
            let signature = &units[index].compiled.signature;
            message.push_str(&format!("\n{} -> {}", tuple(&signature.params), table.name(signature.result)));
        }
        PyTypeError::new_err(message)
    }
}

/// Whether a value can be passed as a type that its own does not convert to in general: an array that is contiguous in both
/// orders, a list of integers that are in the range of the other type, text of another length.
fn can_pass(table: &TypeTable, value: &Bound<'_, PyAny>, from: Type, to: Type) -> bool {
    match (table.get(from), table.get(to)) {
        (TypeData::Array(given), TypeData::Array(wanted)) if wanted.layout == Layout::F => {
            let given = table.intern(TypeData::Array(ArrayType { layout: Layout::F, ..given }));
            ndarray::is_f_contiguous(value) && convert(table, given, to).is_some()
        }
        (TypeData::List { .. }, TypeData::List { item, .. }) => {
            holds_integers_for(table, from, to) && are_in_range(value, item)
        }
        (_, TypeData::CharSeq { wide, .. }) => {
            let has_wide = !wide && value.extract::<&str>().is_ok_and(|text| !text.is_ascii());
            numpy_scalar::is_text(table, from, wide) && !has_wide
        }
        _ => false,
    }
}

/// Whether all items of a list are among the values of a type of integers.
fn are_in_range(list: &Bound<'_, PyAny>, item: Type) -> bool {
    let Some((bits, is_signed)) = item.as_int() else { return false };
    let magnitude = bits - u8::from(is_signed);
    let least = if is_signed { -(1i128 << magnitude) } else { 0 };
    let fits = |value: Bound<'_, PyAny>| {
        value.extract::<i128>().is_ok_and(|value| (least..1i128 << magnitude).contains(&value))
    };
    list.cast::<PyList>().is_ok_and(|list| list.iter().all(fits))
}
