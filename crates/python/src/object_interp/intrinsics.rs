//! Type parameters and type aliases: CPython has single instructions for them without a C API function, so each is run
//! as a function that consists of that instruction.

use super::frame::{Frame, One};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCode, PyDict, PyTuple};
use std::ffi::CStr;

/// Opcode and operand of the instruction, by the op's name.
fn instruction(what: &str) -> Option<(&'static str, u8)> {
    Some(match what {
        "type_variable" => ("CALL_INTRINSIC_1", 7),
        "parameter_specification" => ("CALL_INTRINSIC_1", 8),
        "type_variable_tuple" => ("CALL_INTRINSIC_1", 9),
        "subscript_generic" => ("CALL_INTRINSIC_1", 10),
        "type_alias" => ("CALL_INTRINSIC_1", 11),
        "type_variable_with_bound" => ("CALL_INTRINSIC_2", 2),
        "type_variable_with_constraints" => ("CALL_INTRINSIC_2", 3),
        "function_type_parameters" => ("CALL_INTRINSIC_2", 4),
        "type_parameter_default" => ("CALL_INTRINSIC_2", 5),
        _ => return None,
    })
}

/// Runs one of them; none if the op is another.
pub(super) fn run<'py>(frame: &Frame<'_, 'py>, what: &str, args: Vec<Bound<'py, PyAny>>) -> Option<One<'py>> {
    let (opcode, operand) = instruction(what)?;
    let outcome = function(frame, opcode, operand, args.len())
        .and_then(|function| function.call1(PyTuple::new(frame.py, args)?));
    Some(outcome.map_err(Into::into))
}

/// A function of this many parameters that returns the result of the instruction for them.
fn function<'py>(
    frame: &Frame<'_, 'py>,
    opcode: &str,
    operand: u8,
    parameters: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = frame.py;
    let source: &CStr = if parameters == 1 { c"lambda a: (a,)" } else { c"lambda a, b: (a, b)" };
    let numbers = py.import("opcode")?.getattr("opmap")?;
    let number = |name: &str| numbers.get_item(name)?.extract::<u8>();
    let building = [number("BUILD_TUPLE")?, parameters as u8];
    let making = [number(opcode)?, operand];
    let code = py.eval(source, None, None)?.getattr("__code__")?;
    let bytes: Vec<u8> = code.getattr("co_code")?.extract()?;
    let changed: Vec<u8> =
        bytes.chunks(2).flat_map(|pair| if pair == building { &making } else { pair }).copied().collect();
    let changes = PyDict::new(py);
    changes.set_item("co_code", PyBytes::new(py, &changed))?;
    let code = code.call_method("replace", (), Some(&changes))?.cast_into::<PyCode>()?;
    // The globals say in which module the result was made.
    super::raw::new_function(&code, &frame.scope.globals)
}
