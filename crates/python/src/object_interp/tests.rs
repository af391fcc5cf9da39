//! The Typed phase: what `promote` and `cast` make of values. The rest is tested from Python.

#![allow(clippy::unwrap_used)]

use super::*;
use ir::{Attr, Builder, ConstData, Op, ValueType};
use pyo3::types::PyAnyMethods;
use types::Type;

/// `def f(x): return x`, where `x` is promoted to `ty` on its way.
fn promoting(ty: Type) -> Function {
    let mut func = Function::new("f", "test.py", 1, Phase::Typed);
    let entry = func.entry;
    let mut b = Builder::new(&mut func, entry);
    let name = b.symbol("x");
    b.func.params.push(name);
    let argument = b.value(Op::Arg, [Attr::Int(0), Attr::Symbol(name)], &[], ValueType::Typed(Type::INT64));
    let id = b.constant(ConstData::None);
    b.value(Op::Const, [Attr::Const(id)], &[], ValueType::Typed(Type::NONE));
    let promoted = b.value(Op::Promote, [], &[argument], ValueType::Typed(ty));
    let cast = b.value(Op::Cast, [], &[promoted], ValueType::Typed(ty));
    b.terminate(Op::Return, &[cast]);
    func
}

fn check(py: Python<'_>, types: &Arc<TypeTable>, ty: Type, cases: &[(&str, &str)]) {
    let eval = |text: &str| py.eval(&std::ffi::CString::new(text).unwrap(), None, None).unwrap();
    let scope = Scope::of_function(&eval("lambda x: x")).unwrap();
    for (argument, expected) in cases {
        let result =
            execute_typed(&promoting(ty), (types, Arc::new(|_, _| None)), &scope, &[eval(argument)]).unwrap();
        assert_eq!(result.repr().unwrap().to_string(), *expected, "{argument} as {}", types.name(ty));
    }
}

#[test]
fn values_become_what_their_types_stand_for() {
    Python::initialize();
    Python::attach(|py| {
        let types = Arc::new(TypeTable::default());
        check(
            py,
            &types,
            Type::FLOAT64,
            &[("3", "3.0"), ("True", "1.0"), ("2**53 + 1", "9007199254740992.0")],
        );
        check(py, &types, Type::FLOAT32, &[("0.1", "0.10000000149011612")]);
        check(py, &types, Type::COMPLEX128, &[("2", "(2+0j)"), ("1.5j", "1.5j")]);
        check(py, &types, Type::BOOL, &[("0", "False"), ("2.5", "True")]);
        check(py, &types, Type::INT8, &[("200", "-56"), ("True", "1"), ("-1", "-1")]);
        check(py, &types, Type::UINT64, &[("-1", "18446744073709551615")]);
        check(py, &types, Type::INT64, &[("2**63", "-9223372036854775808"), ("-2**70", "0")]);
        check(py, &types, types.literal_int(3), &[("3", "3")]);
        check(py, &types, types.optional(Type::FLOAT64), &[("None", "None"), ("1", "1.0")]);
        check(py, &types, types.tuple(&[Type::FLOAT64, Type::INT8]), &[("(1, 300)", "(1.0, 44)")]);
        check(py, &types, Type::STR, &[("'text'", "'text'")]);
    });
}

#[test]
fn an_error_of_a_conversion_is_raised() {
    Python::initialize();
    Python::attach(|py| {
        let text = pyo3::types::PyString::new(py, "text").into_any();
        let scope = Scope::of_function(&py.eval(c"lambda x: x", None, None).unwrap()).unwrap();
        let types = Arc::new(TypeTable::default());
        let error =
            execute_typed(&promoting(Type::FLOAT64), (&types, Arc::new(|_, _| None)), &scope, &[text])
                .unwrap_err();
        assert!(error.is_instance_of::<PyValueError>(py));
    });
}
