//! Selection among compiled specializations, if no new one may be compiled.

use crate::diagnostics::arguments;
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::Target;
use crate::session::session_state::Backend;
use ::types::{Mismatch, Type, choose_overload};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

impl Backend {
    /// The compiled function that takes these arguments best, by conversions; TypeError if there is
    /// none, or if several are as good.
    pub(crate) fn best_unit(&self, target: &Target<'_>, args: &[Type]) -> PyResult<Arc<CompiledUnit>> {
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
        let names = table.names(args);
        choose_overload(table, cases, args, true, false).map(|index| units[index].clone()).map_err(
            |mismatch| match mismatch {
                Mismatch::NoMatch => {
                    let shown = |unit: &Arc<CompiledUnit>| {
                        let signature = &unit.compiled.signature;
                        format!("({}) -> {}", table.names(&signature.params), table.name(signature.result))
                    };
                    let signatures: Vec<String> = units.iter().map(shown).collect();
                    arguments::no_signature(&target.function, &names, &signatures)
                }
                Mismatch::Ambiguous(equal) => {
                    let tuple = |types: &[Type]| {
                        format!("({}{})", table.names(types), if types.len() == 1 { "," } else { "" })
                    };
                    let mut message =
                        format!("Ambiguous overloading for {} {}:", target.function, tuple(args));
                    for index in equal {
                        let signature = &units[index].compiled.signature;
                        let (params, result) = (tuple(&signature.params), table.name(signature.result));
                        message.push_str(&format!("\n{params} -> {result}"));
                    }
                    PyTypeError::new_err(message)
                }
            },
        )
    }
}
