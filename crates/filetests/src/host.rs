//! A host with Python's answers for the names that golden tests use.

use catalog::{CalleeIr, GlobalValue, Host, Parameters};
use diag::{Diagnostic, Result};
use types::Handle;

/// Built-in names, `math`, and the exception classes; there are no other compiled functions.
pub(crate) struct TestHost;

const FUNCTIONS: &[&str] = &[
    "abs", "bool", "complex", "divmod", "float", "int", "len", "max", "min", "pow", "print", "range",
    "round", "sum",
];
const NUMBERS: &[(&str, f64)] = &[
    ("e", std::f64::consts::E),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
];

impl Host for TestHost {
    fn global(&self, name: &str) -> Option<GlobalValue> {
        if name == "math" {
            return Some(GlobalValue::Module("math".into()));
        }
        if name == "OBJECT" {
            return Some(GlobalValue::Foreign("<class 'object'>".into()));
        }
        if FUNCTIONS.contains(&name) {
            return Some(GlobalValue::Function(format!("builtins.{name}").into()));
        }
        abi::ExceptionClass::from_name(name).map(|class| GlobalValue::ExceptionClass(class as u32))
    }

    fn freevar(&self, _index: usize) -> Option<GlobalValue> {
        None
    }

    fn module_attribute(&self, module: &str, name: &str) -> Option<GlobalValue> {
        if module != "math" {
            return None;
        }
        let number = NUMBERS.iter().find(|(number, _)| *number == name);
        Some(match number {
            Some((_, value)) => GlobalValue::Float(*value),
            None => GlobalValue::Function(format!("math.{name}").into()),
        })
    }

    fn parameters(&self, _function: Handle) -> Result<Parameters> {
        Err(Diagnostic::internal("the host of the tests", "there are no other functions"))
    }

    fn inner(&self, _code: usize) -> Result<Handle> {
        Err(Diagnostic::internal("the host of the tests", "there are no other functions"))
    }

    fn changes_captured(&self, _function: Handle, _index: usize) -> Result<bool> {
        Err(Diagnostic::internal("the host of the tests", "there are no other functions"))
    }

    fn open(&self, _function: Handle) -> Result<CalleeIr> {
        Err(Diagnostic::internal("the host of the tests", "there are no other functions"))
    }
}
