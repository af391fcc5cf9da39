//! The error of an argument of the right class whose value is out of range.

use crate::plan::Unbox;
use crate::plan::unbox::parts_of;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

impl Unbox {
    /// The exception that tells why the step does not take `value`; none if it does, or for a reason
    /// that plans rule out.
    pub fn refusal(&self, value: &Bound<'_, PyAny>) -> Option<PyErr> {
        match self {
            Unbox::Converted(step) => step.refusal_of_number(value),
            Unbox::Optional(_) if value.is_none() => None,
            Unbox::Optional(step) => step.refusal(value),
            Unbox::Function(step) => step.addresses(value).err(),
            _ => match self.steps_of_parts() {
                Some(steps) => {
                    steps.iter().zip(parts_of(value)?).find_map(|(step, item)| step.refusal(&item))
                }
                None => self.refusal_of_number(value),
            },
        }
    }

    fn refusal_of_number(&self, value: &Bound<'_, PyAny>) -> Option<PyErr> {
        let py = value.py();
        let number = |class: &str| py.import("builtins")?.getattr(class)?.call1((value,));
        match self {
            Unbox::Int64 | Unbox::UInt64 | Unbox::ToInt64 | Unbox::ToUInt64 => match number("int") {
                Ok(integer) => self.refusal_of_int(integer.cast::<PyInt>().ok()?),
                Err(error) => Some(error),
            },
            Unbox::Float64 | Unbox::Float16 | Unbox::Float32 | Unbox::ToFloat64 => number("float").err(),
            Unbox::Complex128 | Unbox::ToComplex128 | Unbox::ToComplex64 => number("complex").err(),
            Unbox::Bool => value.is_truthy().err(),
            _ => None,
        }
    }

    fn refusal_of_int(&self, value: &Bound<'_, PyInt>) -> Option<PyErr> {
        let signed = matches!(self, Unbox::Int64 | Unbox::ToInt64);
        let fits = if signed { value.extract::<i64>().is_ok() } else { value.extract::<u64>().is_ok() };
        if fits {
            return None;
        }
        let negative = value.lt(0).unwrap_or(false);
        Some(PyOverflowError::new_err(if negative && !signed {
            "can't convert negative int to unsigned"
        } else {
            "int too big to convert"
        }))
    }
}
